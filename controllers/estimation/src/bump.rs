//! Feeling a bump: the IMU tells of a change of velocity that nothing explains.
//!
//! Two velocities are kept that fade away: what the IMU felt and wheels and legs do not show (the wheels slide), and what the IMU
//! felt at all, which counts while nothing drives the robot (the legs give way, the wheels hold). Stones, steps and ridges shake a
//! robot upwards, and what they do to its speed its wheels do as well. Beside them the turn rate: no drive spins a robot so suddenly
//! as a push beside its middle.

use nalgebra::{UnitQuaternion, Vector2, Vector3};
use robot_io::{Period, Side, State, Time};
use robot_model::GRAVITY_IN_WORLD;

use crate::settings::OdometrySettings;

/// What wheels and legs do not show is forgotten in this time [s]; long against a push, short against a drift of the attitude.
const UNEXPLAINED_FADES: f64 = 0.5;
/// What the IMU felt is forgotten in this time [s]: what tells a push from a robot that sets out by itself is how suddenly it comes.
const JOLT_FADES: f64 = 0.03;
/// How the turn rate was is forgotten in this time [s].
const SPIN_FADES: f64 = 0.15;
/// A robot stood until now if it stood within this time [s].
const JUST_NOW: f64 = 0.5;
/// A bump began when so much of what makes one was felt, as a share.
const BEGINS: f64 = 0.35;
/// It is over when less than this share of its peak is left …
const ENDS: f64 = 0.5;
/// … or after this time [s].
const LONGEST: f64 = 1.0;
/// What comes within this time after it belongs to it [s]: whoever slides comes to rest again.
const AFTERMATH: f64 = 1.0;

/// A push or a collision that the robot felt.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bump {
    /// When it began.
    pub began: Time,
    /// How long the velocity changed [s].
    pub lasted: f64,
    /// By how much it changed, level, in the base frame [m/s].
    pub change: Vector2<f64>,
}

impl Bump {
    /// Mean acceleration while it lasted [m/s²].
    pub fn acceleration(&self) -> f64 {
        /// Nothing shorter is told apart [s].
        const SHORTEST: f64 = 0.01;
        self.change.norm() / self.lasted.max(SHORTEST)
    }

    /// The side from which it came.
    pub fn side(&self) -> Side {
        Side::of(-self.change.x, -self.change.y)
    }
}

/// The IMU in one cycle, as the estimator knows it.
pub(crate) struct Felt {
    /// When.
    pub time: Time,
    /// Time since the last cycle [s].
    pub dt: f64,
    /// Specific force, in the odometry frame [m/s²].
    pub force: Vector3<f64>,
    /// Velocity of the IMU by wheels, legs and gyroscope, in the odometry frame [m/s].
    pub velocity: Vector3<f64>,
    /// Turn rate about the vertical, by the gyroscope [rad/s].
    pub turn_rate: f64,
    /// Whether the robot stands.
    pub stands: bool,
    /// Rotates vectors from the base frame to the odometry frame.
    pub base_in_odom: UnitQuaternion<f64>,
}

/// Feels bumps.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(crate) struct BumpSense {
    /// Change of velocity that wheels and legs do not show, fading, in the odometry frame [m/s].
    unexplained: Vector2<f64>,
    /// Change of velocity by the IMU alone, fading faster [m/s].
    jolt: Vector2<f64>,
    /// Change of the turn rate, fading [rad/s].
    spin: f64,
    /// Velocity of the IMU by wheels and legs [m/s], and the turn rate [rad/s], in the last cycle.
    velocity: Option<Vector3<f64>>,
    turn_rate: f64,
    stood: Time,
    /// When there was last hardly anything.
    calm: Time,
    under_way: Option<UnderWay>,
    /// How fast the robot slides now [m/s].
    #[state(scratch)]
    sliding: f64,
    /// The one that is over since this cycle.
    #[state(scratch)]
    over: Option<Bump>,
    /// Until then no other bump begins.
    quiet_until: Time,
}

/// A bump that has begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
struct UnderWay {
    began: Time,
    /// Largest so far, as a multiple of what makes a bump, when, and the change of velocity in the odometry frame then [m/s].
    peak: f64,
    peak_at: Time,
    change: Vector2<f64>,
}

impl BumpSense {
    /// Takes in a cycle.
    pub fn observe(&mut self, felt: &Felt, with: &OdometrySettings) {
        self.over = None;
        let turn_rate = core::mem::replace(&mut self.turn_rate, felt.turn_rate);
        let turned = if self.velocity.is_some() { felt.turn_rate - turn_rate } else { 0.0 };
        let before = self.velocity.replace(felt.velocity).unwrap_or(felt.velocity);
        let change = ((felt.force + GRAVITY_IN_WORLD) * felt.dt).xy();
        let shown = (felt.velocity - before).xy();
        self.unexplained = (self.unexplained + change - shown) * (1.0 - felt.dt / UNEXPLAINED_FADES).max(0.0);
        self.jolt = (self.jolt + change) * (1.0 - felt.dt / JOLT_FADES).max(0.0);
        self.spin = (self.spin + turned) * (1.0 - felt.dt / SPIN_FADES).max(0.0);
        if felt.stands {
            self.stood = felt.time;
        }
        let stood = self.stood > Time::ZERO && felt.time.since(self.stood).seconds() < JUST_NOW;
        let unexplained = (self.unexplained.norm() / with.bump, self.unexplained);
        let jolt = if stood { (self.jolt.norm() / with.standing_bump, self.jolt) } else { (0.0, self.jolt) };
        let spin = (self.spin.abs() / with.spinning_bump, self.jolt);
        let stronger = |one: (f64, Vector2<f64>), other: (f64, Vector2<f64>)| if other.0 > one.0 { other } else { one };
        let (level, change) = stronger(stronger(unexplained, jolt), spin);
        self.judge(level, change, felt);
        let slides = (self.under_way.is_some() || felt.time < self.quiet_until) && unexplained.0 >= BEGINS;
        self.sliding = if slides { self.unexplained.norm() } else { 0.0 };
    }

    /// The bump that is over since this cycle.
    pub fn over(&self) -> Option<Bump> {
        self.over
    }

    /// How fast the robot slides, unnoticed by its wheels [m/s]; 0 but for the time of a bump and after it.
    pub fn sliding(&self) -> f64 {
        self.sliding
    }

    /// Begins a bump, follows it to its peak, or ends it.
    fn judge(&mut self, level: f64, change: Vector2<f64>, felt: &Felt) {
        if level < BEGINS {
            self.calm = felt.time;
        }
        if self.under_way.is_none() && level >= 1.0 {
            if felt.time >= self.quiet_until {
                self.under_way = Some(UnderWay { began: self.calm.max(self.quiet_until), ..UnderWay::default() });
            } else {
                self.quiet_until = felt.time + Period::from_seconds(AFTERMATH);
            }
        }
        let Some(bump) = &mut self.under_way else { return };
        if level > bump.peak {
            (bump.peak, bump.peak_at, bump.change) = (level, felt.time, change);
        }
        if level < ENDS * bump.peak || felt.time.since(bump.began).seconds() > LONGEST {
            let in_base = felt.base_in_odom.inverse() * Vector3::new(bump.change.x, bump.change.y, 0.0);
            let lasted = bump.peak_at.since(bump.began).seconds();
            self.over = Some(Bump { began: bump.began, lasted, change: in_base.xy() });
            self.under_way = None;
            self.quiet_until = felt.time + Period::from_seconds(AFTERMATH);
        }
    }
}
