//! The state machine of walking: from a command to what both feet and the centre of mass shall do in this cycle.

mod cycle;
mod emergency;
mod ground;
mod settings;
mod steps;

pub use settings::GaitSettings;

use nalgebra::{Isometry3, Vector2, Vector3};
use robot_io::{Settings, State};

use crate::adjust::{Adjuster, Capture};
use crate::balance::{Filter, FootLoad, Tracker, Wanted};
use crate::dcm::Reference;
use crate::error::WalkingError;
use crate::footstep::{Footstep, Manner, Place, Plan, Side, Twist};
use crate::polygon::Polygon;
use crate::swing::{FootMotion, Swing};

const GRAVITY: f64 = 9.81;

/// What the robot does on its feet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub enum Phase {
    /// Both feet carry, nothing is to be done.
    #[default]
    Standing,
    /// Both feet carry; the load goes to the one that will carry alone.
    Shifting,
    /// One foot carries, the other one swings.
    SingleSupport,
    /// Both feet carry; the load goes from one foot to the other.
    DoubleSupport,
    /// Both feet carry; the load goes back to the middle, after the last step.
    Settling,
}

/// What was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
enum Command {
    #[default]
    Stand,
    Walk(Twist),
    /// To a place, with so much at most of each direction: forward in a step, sideways and turning in two ([m], [rad]).
    Reach(Place, Twist),
    Follow,
}

/// What is known of the robot in a cycle, in the odometry frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Centre of mass [m].
    pub com: Vector3<f64>,
    /// Its divergent component, position + velocity / ω [m].
    pub dcm: Vector3<f64>,
    /// Vertical forces under the left and the right foot [N]. Without them feet land when and where they should.
    pub forces: Option<[f64; 2]>,
    /// Poses of the left and the right sole: where a foot that lands really stands. Without them it stands where it should.
    pub feet: Option<[Isometry3<f64>; 2]>,
}

/// What to follow in a cycle, in the odometry frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Output {
    /// What the feet do.
    pub phase: Phase,
    /// Since the phase began, and until it should end [s].
    pub elapsed: [f64; 2],
    /// Which feet carry: left, right.
    pub carries: [bool; 2],
    /// The foot that swings, or the next one to swing.
    pub side: Side,
    /// DCM, its velocity and VRP as planned.
    pub reference: Reference,
    /// DCM after the filter [m].
    pub dcm: Vector3<f64>,
    /// Pressure and acceleration of the centre of mass.
    pub wanted: Wanted,
    /// Left foot and right foot.
    pub feet: [FootMotion; 2],
    /// Left foot and right foot.
    pub loads: [FootLoad; 2],
    /// In how many steps the robot can come to rest.
    pub capture: Capture,
    /// Whether the step is another one than planned.
    pub adjusted: bool,
    /// Whether the foot should have touched ground by now.
    pub late: bool,
}

/// Walks.
#[derive(Clone, Debug, State)]
pub struct Gait {
    #[state(fixed)]
    settings: GaitSettings,
    #[state(fixed)]
    adjuster: Adjuster,
    /// Of the centre of mass over the soles, now and as wanted [m].
    height: [f64; 2],
    omega: f64,
    command: Command,
    paused: bool,
    plan: Plan,
    twist: Twist,
    phase: Phase,
    elapsed: f64,
    /// How long the phase shall last [s].
    time: f64,
    /// Where the feet stand; the one in the air: where it stood.
    feet: [Footstep; 2],
    /// Normal of the ground, a mean over the last steps.
    ground: Vector3<f64>,
    /// The foot that swings or will swing next.
    side: Side,
    /// The step in the air as planned, whether the plan that is followed says so, and how long it was to last [s].
    planned: Footstep,
    is_of_plan: bool,
    planned_time: f64,
    /// How it is taken.
    manner: Manner,
    swing: Swing,
    /// No step follows but one that brings the feet beside each other.
    ending: bool,
    /// One such step follows in any case.
    closing: bool,
    /// One more step is needed to come to rest.
    recovers: bool,
    /// VRP and DCM as planned, now, and where the VRP goes first while the load is shifted [m].
    vrp: Vector3<f64>,
    planned_dcm: Vector3<f64>,
    way_point: Vector3<f64>,
    /// As measured and filtered [m].
    dcm: Vector3<f64>,
    filter: Filter,
    tracker: Tracker,
    wanted: Wanted,
    capture: Capture,
    adjusted: bool,
}

impl Gait {
    /// Stands with its feet (left, right) at `feet`. Refused if feet cannot stand there, or not at the width of the settings: that is
    /// called step 1.
    pub fn new(settings: GaitSettings, feet: [Footstep; 2]) -> Result<Gait, WalkingError> {
        settings.check()?;
        let stand = Footstep::stand(Vector3::zeros(), 0.0, settings.width);
        for (number, [left, right]) in [feet, stand].iter().enumerate() {
            let sides = [left.side, right.side];
            if sides != Side::BOTH {
                let (expected, found) = (format!("{:?}", Side::BOTH), format!("{sides:?}"));
                return Err(WalkingError::Step { step: number, field: "sides", expected, found });
            }
            settings.reach.check(number, right, left)?;
        }
        let cycle = settings.cycle;
        let vrp = (feet[0].position + feet[1].position) * 0.5 + Vector3::z() * settings.com_height;
        Ok(Gait {
            settings,
            adjuster: Adjuster::new(settings.adjust, settings.reach),
            height: [settings.com_height; 2],
            omega: (GRAVITY / settings.com_height).sqrt(),
            command: Command::Stand,
            paused: false,
            plan: Plan::default(),
            twist: Twist::default(),
            phase: Phase::Standing,
            elapsed: 0.0,
            time: 0.0,
            feet,
            ground: ground::mean_normal(&feet),
            side: Side::Left,
            planned: feet[0],
            is_of_plan: false,
            planned_time: 0.0,
            manner: Manner::default(),
            swing: Swing::default(),
            ending: true,
            closing: false,
            recovers: false,
            vrp,
            planned_dcm: vrp,
            way_point: vrp,
            dcm: vrp,
            filter: Filter::new(settings.track, cycle, vrp),
            tracker: Tracker::new(settings.track, cycle),
            wanted: Wanted { zmp: vrp.xy(), vrp, ..Wanted::default() },
            capture: Capture::Standing,
            adjusted: false,
        })
    }

    /// √(g / height of the centre of mass) [1/s]: what the measured DCM is made with. Changes only while standing.
    pub fn omega(&self) -> f64 {
        self.omega
    }

    /// What the feet do.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Walks with this velocity from now on, as fast as the settings allow. Zero: on the spot.
    pub fn walk(&mut self, twist: Twist) {
        (self.command, self.paused) = (Command::Walk(self.within_fastest(&twist)), false);
    }

    /// Walks with the feet to this place, no faster than `most`, and stands there. Each step is chosen from where the feet really stand, the last ones
    /// for the place itself; while this is wanted, feet that come to stand beside it take further steps. A place that is not a number is not gone to.
    pub fn walk_to(&mut self, place: Place, most: Twist) {
        if !(place.position.x + place.position.y + place.yaw).is_finite() {
            return self.stop();
        }
        let period = self.settings.single + self.settings.both;
        let Twist { forward, sideways, turning } = self.within_fastest(&most);
        let most = Twist {
            forward: period * forward.abs(),
            sideways: 2.0 * period * sideways.abs(),
            turning: 2.0 * period * turning.abs(),
        };
        (self.command, self.paused) = (Command::Reach(place, most), false);
    }

    fn within_fastest(&self, twist: &Twist) -> Twist {
        let [forward, sideways, turning] = self.settings.fastest;
        let within = |value: f64, most: f64| if value.is_nan() { 0.0 } else { value.clamp(-most, most) };
        Twist {
            forward: within(twist.forward, forward),
            sideways: within(twist.sideways, sideways),
            turning: within(twist.turning, turning),
        }
    }

    /// Stands with the centre of mass at this height over the soles [m], and walks so from then on. It gets there while it stands:
    /// a walk that is asked for waits, one that has begun goes on at its height.
    pub fn stand_at(&mut self, height: f64) {
        let [least, most] = self.settings.heights;
        self.height[1] = if height.is_nan() { self.height[1] } else { height.max(least).min(most) };
    }

    /// Comes to rest, with both feet on the ground beside each other.
    pub fn stop(&mut self) {
        self.command = Command::Stand;
    }

    /// Comes to rest as by [`stop`](Gait::stop), but [`resume`](Gait::resume) goes on.
    pub fn pause(&mut self) {
        self.paused = true;
    }

    /// Goes on after a pause.
    pub fn resume(&mut self) {
        self.paused = false;
    }

    /// Takes these steps, in place of what was asked for before. Refused if one of them is out of reach.
    pub fn follow(&mut self, steps: Vec<Footstep>) -> Result<(), WalkingError> {
        self.plan = Plan::new(steps, &self.feet_when_landed(), &self.settings.reach)?;
        (self.command, self.paused) = (Command::Follow, false);
        Ok(())
    }

    /// The plan that is followed, or was followed last.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Takes other steps from number `from` of the plan on; steps that have begun are fixed. `from` at the plan's end extends it.
    pub fn change_plan(&mut self, from: usize, steps: &[Footstep]) -> Result<(), WalkingError> {
        let feet = self.feet_when_landed();
        self.plan.replace_from(from, steps, &feet, &self.settings.reach)
    }

    /// Takes the plan's steps from number `from` on in these manners, one after the other. Those that have begun are not changed.
    pub fn take_so(&mut self, from: usize, manners: &[Manner]) {
        self.plan.set_manners(
            from.max(self.plan.begun()),
            manners.get(self.plan.begun().saturating_sub(from)..).unwrap_or_default(),
        );
    }

    /// Where the feet stand, or will stand when the one in the air has landed.
    pub fn feet_when_landed(&self) -> [Footstep; 2] {
        let mut feet = self.feet;
        if self.phase == Phase::SingleSupport {
            feet[self.side.index()] = *self.swing.target();
        }
        feet
    }

    /// Pressure under one foot alone stays in it.
    fn sole(&self, foot: &Footstep) -> Polygon {
        let half = Vector2::from(self.settings.reach.half_sole).add_scalar(-self.settings.inset);
        Polygon::rectangle(foot.position.xy(), foot.yaw, half)
    }
}
