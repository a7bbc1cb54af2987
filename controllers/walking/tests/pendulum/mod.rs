//! A linear inverted pendulum on two feet that reach their targets exactly: mass 90 kg, centre of mass 0.95 m over the soles,
//! noise and delay on the measured DCM.

use std::collections::VecDeque;

use nalgebra::{Vector2, Vector3};
use walking::{Footstep, Gait, GaitSettings, Measured, Output, Phase, Polygon, Side};

/// Deviation of the noise [m].
pub const NOISE: f64 = 0.005;
/// Delay of what is measured [cycles].
pub const DELAY: usize = 5;
/// Weight on one foot [N].
const WEIGHT: f64 = 90.0 * 9.81;

/// Height of the ground [m] at a place.
pub type Ground = fn(f64, f64) -> f64;

/// The pendulum and its gait.
pub struct Pendulum {
    pub gait: Gait,
    pub settings: GaitSettings,
    pub com: Vector3<f64>,
    pub velocity: Vector3<f64>,
    pub output: Output,
    pub time: f64,
    /// Farthest that the ZMP was wanted outside of the soles that carry [m].
    pub outside: f64,
    pub ground: Ground,
    noise: u64,
    delayed: VecDeque<Measured>,
}

impl Pendulum {
    pub fn new(settings: GaitSettings, seed: u64) -> Pendulum {
        let feet = Footstep::stand(Vector3::zeros(), 0.0, settings.width);
        let gait = Gait::new(settings, feet).unwrap();
        let com = Vector3::new(0.0, 0.0, settings.com_height);
        let measured = Measured { com, dcm: com, forces: Some([0.5 * WEIGHT; 2]), feet: None };
        let mut pendulum = Pendulum {
            gait,
            settings,
            com,
            velocity: Vector3::zeros(),
            output: Output::default(),
            time: 0.0,
            outside: 0.0,
            ground: |_, _| 0.0,
            noise: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            delayed: std::iter::repeat_n(measured, DELAY).collect(),
        };
        pendulum.step();
        pendulum
    }

    /// Near enough to a normal distribution: the sum of twelve even ones.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.even()).sum::<f64>() - 6.0
    }

    fn even(&mut self) -> f64 {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 7;
        self.noise ^= self.noise << 17;
        (self.noise >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn dcm(&self) -> Vector3<f64> {
        self.com + self.velocity / self.gait.omega()
    }

    /// One cycle of the gait and of the pendulum.
    pub fn step(&mut self) {
        let noise = Vector3::from_fn(|_, _| self.normal() * NOISE);
        let forces = Side::BOTH.map(|side| self.force(side));
        self.delayed.push_back(Measured { com: self.com, dcm: self.dcm() + noise, forces: Some(forces), feet: None });
        let measured = self.delayed.pop_front().unwrap();
        self.output = self.gait.update(&measured);
        let support = self.support();
        let zmp = support.nearest(&self.output.wanted.zmp);
        self.outside = self.outside.max((zmp - self.output.wanted.zmp).norm());
        let vrp = Vector3::new(zmp.x, zmp.y, self.output.wanted.vrp.z);
        let dt = self.settings.cycle;
        self.velocity += (self.com - vrp) * self.gait.omega().powi(2) * dt;
        self.com += self.velocity * dt;
        self.time += dt;
    }

    fn force(&self, side: Side) -> f64 {
        let at = self.output.feet[side.index()].pose.translation.vector;
        if at.z <= (self.ground)(at.x, at.y) + 1e-6 { 0.5 * WEIGHT } else { 0.0 }
    }

    /// Soles that carry.
    fn support(&self) -> Polygon {
        let half = Vector2::from(self.settings.reach.half_sole);
        let soles = [0, 1].map(|k| {
            let pose = self.output.feet[k].pose;
            Polygon::rectangle(pose.translation.vector.xy(), pose.rotation.euler_angles().2, half)
        });
        match self.output.carries {
            [true, true] => soles[0].around(&soles[1]),
            [left, _] => soles[if left { 0 } else { 1 }],
        }
    }

    /// For so many seconds; false as soon as it falls.
    pub fn run(&mut self, seconds: f64) -> bool {
        (0..(seconds / self.settings.cycle) as usize).all(|_| {
            self.step();
            !self.fallen()
        })
    }

    /// The centre of mass is farther off than legs are long.
    pub fn fallen(&self) -> bool {
        (self.com.xy() - self.middle().xy()).norm() > 0.6 || (self.com.z - self.settings.com_height).abs() > 1.5
    }

    pub fn middle(&self) -> Vector3<f64> {
        (self.output.feet[0].pose.translation.vector + self.output.feet[1].pose.translation.vector) * 0.5
    }

    /// Until the left foot stands alone and `share` of the step is over; the step is the time on one foot and on both.
    pub fn run_to_phase(&mut self, share: f64) {
        let begins = |output: &Output| output.phase == Phase::SingleSupport && output.carries == [true, false];
        while begins(&self.output) {
            self.step();
        }
        while !begins(&self.output) {
            self.step();
        }
        self.run(share * (self.settings.single + self.settings.both));
    }

    /// An impulse, as the change of velocity that it makes [m/s], in a direction [rad].
    pub fn push(&mut self, speed: f64, direction: f64) {
        self.velocity += Vector3::new(direction.cos(), direction.sin(), 0.0) * speed;
    }

    /// Both feet on the ground beside each other, and nothing moves.
    pub fn stands(&self) -> bool {
        let [left, right] = self.gait.feet_when_landed();
        let stride = left.stride_from(&right);
        self.output.phase == Phase::Standing
            && stride.forward.abs() < 0.02
            && stride.turning.abs() < 0.05
            && stride.outward < self.settings.width + 0.08
            && self.velocity.norm() < 0.05
    }
}

/// Whether a robot that walks at `forward` [m/s] comes through a push at `share` of a step, and still stops as it should.
pub fn survives(settings: GaitSettings, seed: u64, forward: f64, share: f64, speed: f64, direction: f64) -> bool {
    let mut pendulum = Pendulum::new(settings, seed);
    pendulum.gait.walk(walking::Twist { forward, ..Default::default() });
    if !pendulum.run(4.0) {
        return false;
    }
    pendulum.run_to_phase(share);
    pendulum.push(speed, direction);
    if !pendulum.run(5.0) {
        return false;
    }
    pendulum.gait.stop();
    pendulum.run(6.0) && pendulum.stands()
}

/// Pushed while it stands; whether it stands again, and how many steps it took.
pub fn pushed(speed: f64, direction: f64, seed: u64) -> (bool, usize) {
    let mut pendulum = Pendulum::new(GaitSettings::default(), seed);
    pendulum.run(1.0);
    pendulum.push(speed, direction);
    let (mut steps, mut phase) = (0, Phase::Standing);
    for _ in 0..9000 {
        pendulum.step();
        steps += usize::from(pendulum.output.phase == Phase::SingleSupport && phase != Phase::SingleSupport);
        phase = pendulum.output.phase;
        if pendulum.fallen() {
            return (false, steps);
        }
    }
    (pendulum.stands(), steps)
}

/// The largest push that it comes through, of those 0.05 m/s apart, each with all `seeds`; pushes beyond the first that it does not
/// come through do not count.
pub fn largest(seeds: &[u64], holds: impl Fn(f64, u64) -> bool) -> f64 {
    let all = |speed: &f64| seeds.iter().all(|seed| holds(*speed, *seed));
    (1..=30).map(|k| 0.05 * f64::from(k)).take_while(all).last().unwrap_or(0.0)
}
