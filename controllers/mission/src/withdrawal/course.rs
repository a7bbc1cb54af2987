//! The course of one withdrawal: away as fast as it may, a rest, and smoothly back.

use nalgebra::{DMatrix, Matrix3, Vector3};
use robot_io::{Commands, Period, State};

use crate::posture::{PEAK_OVER_MEAN, minimum_jerk};
use crate::withdrawal_settings::WithdrawalSettings;

/// Of the joints' top speeds a reflex uses this share; the rest is left to the motion beneath it.
const SPEED_SHARE: f64 = 0.8;
/// Where joints can hardly move the place as wanted they turn no faster for it: damping of the least squares [m/rad].
const DAMPING: f64 = 0.05;

/// A joint of the arm.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    /// In the layout.
    pub index: usize,
    /// Its range [rad or m].
    pub range: [f64; 2],
    /// Its top speed [rad/s or m/s].
    pub speed: f64,
}

/// How far it has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub(super) enum Stage {
    /// Where it is wanted.
    #[default]
    Rest,
    /// On its way away from a touch, or away.
    Away,
    /// On its way back.
    Back,
}

/// What a joint is told beside what others want of it.
#[derive(Clone, Copy, Debug, Default, State)]
struct Beside {
    /// [rad or m], and how fast it changes [rad/s or m/s].
    offset: f64,
    rate: f64,
    /// Where the way back begins.
    from: f64,
    /// Where others wanted the joint last, and where it was told to be instead.
    nominal: f64,
    told: f64,
    is_told: bool,
}

impl Beside {
    /// Between which offsets the joint is in its range [rad or m].
    fn room(&self, joint: &Joint) -> [f64; 2] {
        joint.range.map(|end| end - self.nominal)
    }

    /// Whether its range ends where it would turn to.
    fn ends(&self, joint: &Joint, speed: f64) -> bool {
        let [least, most] = self.room(joint);
        speed < 0.0 && self.offset <= least || speed > 0.0 && self.offset >= most
    }
}

/// A withdrawal.
#[derive(Clone, Debug, Default, State)]
pub(super) struct Course {
    pub stage: Stage,
    /// From where the touched place was wanted: how far it shall go, how far it has gone [m], and how fast it goes [m/s], in the base frame.
    goal: Vector3<f64>,
    gone: Vector3<f64>,
    velocity: Vector3<f64>,
    /// Where it was when the way back began [m].
    from: Vector3<f64>,
    /// Since the last touch, or since the way back began, and how long that takes [s].
    time: f64,
    duration: f64,
    beside: Vec<Beside>,
}

impl Course {
    /// Of an arm with so many joints.
    pub fn new(joints: usize) -> Course {
        Course { beside: vec![Beside::default(); joints], ..Course::default() }
    }

    /// The arm is where others want it, at once.
    pub fn give_up(&mut self) {
        let mut beside = core::mem::take(&mut self.beside);
        beside.fill(Beside::default());
        *self = Course { beside, ..Course::default() };
    }

    /// How far the touched place has been drawn back [m].
    pub fn gone(&self) -> f64 {
        self.gone.norm()
    }

    /// A touch wants the place drawn back by `way` [m] from where it is.
    pub fn draw(&mut self, way: &Vector3<f64>, settings: &WithdrawalSettings) {
        let goal = self.gone + way;
        let length = goal.norm();
        // what has been begun is not made shorter by a touch that grows weaker, but by one from the other side
        let is_against = way.dot(&self.goal) < 0.0;
        if self.stage != Stage::Away || is_against || length > self.goal.norm() {
            self.goal = goal * (settings.farthest / length.max(1e-9)).min(1.0);
        }
        (self.stage, self.time) = (Stage::Away, 0.0);
    }

    /// A cycle of `dt` [s] later; rows 0 to 2 of `jacobian` say how the joints move the touched place. True when it is back.
    pub fn advance(
        &mut self,
        joints: &[Joint],
        jacobian: &DMatrix<f64>,
        settings: &WithdrawalSettings,
        dt: f64,
    ) -> bool {
        self.time += dt;
        match self.stage {
            Stage::Rest => {}
            Stage::Away if self.time > settings.rest => self.turn_back(joints, settings),
            Stage::Away => self.go(joints, jacobian, settings, dt),
            Stage::Back if self.time >= self.duration => {
                (self.stage, self.gone, self.goal) = (Stage::Rest, Vector3::zeros(), Vector3::zeros());
                self.beside.iter_mut().for_each(|beside| (beside.offset, beside.rate) = (0.0, 0.0));
                return true;
            }
            Stage::Back => {
                let (share, rate) = minimum_jerk(Period::from_seconds(self.time), self.duration);
                self.gone = self.from * (1.0 - share);
                for beside in &mut self.beside {
                    (beside.offset, beside.rate) = (beside.from * (1.0 - share), -beside.from * rate);
                }
            }
        }
        false
    }

    /// Towards the goal: up to speed, and slow enough to stop there.
    fn go(&mut self, joints: &[Joint], jacobian: &DMatrix<f64>, settings: &WithdrawalSettings, dt: f64) {
        let left = self.goal - self.gone;
        let far = left.norm();
        let fast = (2.0 * settings.acceleration * far).sqrt().min(settings.speed).min(far / dt);
        let wanted = left * (fast / far.max(1e-9));
        let change = wanted - self.velocity;
        let most = settings.acceleration * dt;
        // braking may be as hard as the way left demands
        let is_braking = wanted.norm() < self.velocity.norm();
        self.velocity += if is_braking { change } else { change * (most / change.norm().max(1e-9)).min(1.0) };
        let column = |joint: &Joint| -> Vector3<f64> { jacobian.fixed_view::<3, 1>(0, joint.index).into() };
        // joints whose range ends, a bit each, turn no further: the others go on without them
        let mut ended = 0_u64;
        let pull = loop {
            let free = joints.iter().enumerate().filter(|(place, _)| ended & 1 << place == 0);
            let square: Matrix3<f64> = free.map(|(_, joint)| column(joint) * column(joint).transpose()).sum();
            let Some(square) = (square + Matrix3::identity() * (DAMPING * DAMPING)).cholesky() else { return };
            let pull = square.solve(&self.velocity);
            let ends = |(place, (joint, beside)): (usize, (&Joint, &Beside))| {
                ended & 1 << place == 0 && beside.ends(joint, column(joint).dot(&pull))
            };
            match joints.iter().zip(&self.beside).enumerate().position(ends) {
                Some(place) => ended |= 1 << place,
                None => break pull,
            }
        };
        let speed = |place: usize, joint: &Joint| if ended & 1 << place == 0 { column(joint).dot(&pull) } else { 0.0 };
        let share = |(place, joint): (usize, &Joint)| speed(place, joint).abs() / (SPEED_SHARE * joint.speed).max(1e-9);
        let slower = 1.0 / joints.iter().enumerate().map(share).fold(1.0, f64::max);
        for (place, (beside, joint)) in self.beside.iter_mut().zip(joints).enumerate() {
            let before = beside.offset;
            let [least, most] = beside.room(joint);
            beside.offset = (before + slower * speed(place, joint) * dt).max(least.min(before)).min(most.max(before));
            beside.rate = (beside.offset - before) / dt;
            self.gone += column(joint) * (beside.offset - before);
        }
    }

    fn turn_back(&mut self, joints: &[Joint], settings: &WithdrawalSettings) {
        let longest = joints
            .iter()
            .zip(&self.beside)
            .map(|(joint, beside)| PEAK_OVER_MEAN * beside.offset.abs() / (SPEED_SHARE * joint.speed).max(1e-9));
        self.duration = longest.fold(settings.back, f64::max);
        (self.stage, self.time, self.from) = (Stage::Back, 0.0, self.gone);
        self.velocity = Vector3::zeros();
        self.beside.iter_mut().for_each(|beside| (beside.from, beside.rate) = (beside.offset, 0.0));
    }

    /// Nothing moves.
    pub fn freeze(&mut self) {
        self.velocity = Vector3::zeros();
        self.beside.iter_mut().for_each(|beside| beside.rate = 0.0);
    }

    /// Takes what it added in the last cycle out of commands again: those who move the arm shall find where they wanted it. What others have told
    /// since is left if it is `exact`ly known; else it is about where the arm was told to be.
    pub fn take_out(&mut self, joints: &[Joint], exact: bool, commands: &mut Commands) {
        for (beside, joint) in self.beside.iter().zip(joints).filter(|(beside, _)| beside.is_told) {
            let command = &mut commands.joints[joint.index];
            if command.position.to_bits() == beside.told.to_bits() {
                command.position = beside.nominal;
                command.velocity -= if exact { 0.0 } else { beside.rate };
            } else if !exact && command.stiffness > 0.0 {
                command.position += beside.nominal - beside.told;
            }
        }
    }

    /// Adds what it wants to what others want.
    pub fn put_in(&mut self, joints: &[Joint], commands: &mut Commands) {
        for (beside, joint) in self.beside.iter_mut().zip(joints) {
            let command = &mut commands.joints[joint.index];
            beside.nominal = command.position;
            beside.is_told = beside.offset != 0.0;
            if beside.is_told {
                // a joint that others want beyond its range is let be
                let [least, most] = joint.range;
                let told = beside.nominal + beside.offset;
                command.position = told.max(least.min(beside.nominal)).min(most.max(beside.nominal));
                command.velocity += beside.rate;
                beside.told = command.position;
            }
        }
    }
}
