//! A humanoid on strings: its base goes where it is told, its feet stand and swing in turn, and its sensors report that, with errors.

use std::f64::consts::TAU;
use std::path::Path;

use nalgebra::{DMatrix, Isometry3, Translation3, UnitQuaternion, Vector3, Vector6};
use robot_io::{RandomStream, Readings, RobotLayout, Time};
use robot_model::{Configuration, Data, GRAVITY_IN_WORLD, RobotModel, forward_kinematics, link_jacobian_in_base};

pub const DT: f64 = 0.001;
/// A step lasts so long, of which both feet stand for a share at its beginning and end [s].
const STEP: f64 = 0.7;
const BOTH: f64 = 0.15;
/// The robot stands until then [s].
pub const BEGIN: f64 = 2.0;

/// How it walks, and how its sensors err.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// [m/s]
    pub speed: f64,
    /// [rad/s]
    pub turn: f64,
    pub gyro_bias: Vector3<f64>,
    pub accel_bias: Vector3<f64>,
    /// Of joints' zeros, standard deviation [rad].
    pub zeros: f64,
    pub noise: bool,
    /// A foot slides by so much [m] in the middle of its stance, in every fifth step.
    pub slide: f64,
}

pub struct Walker {
    pub model: RobotModel,
    pub layout: RobotLayout,
    pub readings: Readings,
    walk: Walk,
    random: RandomStream,
    cycle: u64,
    truth: Isometry3<f64>,
    soles: Vec<(usize, Vec<usize>, Vector3<f64>)>,
    imu_in_base: Isometry3<f64>,
    configuration: Configuration,
    data: Data,
    zeros: Vec<f64>,
}

impl Walker {
    pub fn new(seed: u64, walk: Walk) -> Walker {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/humanoid/humanoid.toml");
        let model = RobotModel::load(&path).unwrap();
        let layout = model.layout();
        let joints = model.description.pose("stand").unwrap().positions.clone();
        let configuration = Configuration { base_in_world: Isometry3::identity(), joints };
        let mut data = Data::new(&model.tree);
        forward_kinematics(&model.tree, &configuration, &mut data);
        let soles = model.description.feet.iter().map(|foot| {
            let joints = model.description.limbs[foot.limb].joints.clone();
            (foot.link, joints, data.link_in_base[foot.link].translation.vector)
        });
        let soles: Vec<_> = soles.collect();
        let imu = &model.description.imus[0];
        let imu_in_base = data.link_in_base[imu.link] * imu.pose_in_link;
        let random = RandomStream::new(seed, "walker");
        let zeros = (0..model.tree.dof()).map(|joint| walk.zeros * random.normal(0, 100 + joint as u32)).collect();
        let readings = Readings::new(&layout);
        let truth = Isometry3::identity();
        let mut walker = Walker {
            model,
            layout,
            readings,
            walk,
            random,
            cycle: 0,
            truth,
            soles,
            imu_in_base,
            configuration,
            data,
            zeros,
        };
        walker.sense();
        walker
    }

    /// Where the base truly is, in a frame that begins below it.
    pub fn truth(&self) -> Isometry3<f64> {
        self.truth
    }

    /// Velocity of the base's origin in its own frame [m/s].
    pub fn velocity(&self) -> Vector3<f64> {
        let (time, h) = (self.time(), 1e-5);
        let moved = self.base(time + h).translation.vector - self.base(time - h).translation.vector;
        self.truth.rotation.inverse() * moved / (2.0 * h)
    }

    pub fn time(&self) -> f64 {
        self.cycle as f64 * DT
    }

    pub fn step(&mut self) {
        self.cycle += 1;
        self.sense();
    }

    /// Where it goes on the plane.
    fn planar(&self, time: f64) -> Isometry3<f64> {
        let walked = (time - BEGIN).max(0.0);
        // speeds up over a second
        let way = if walked < 1.0 { 0.5 * walked * walked } else { walked - 0.5 };
        let yaw = self.walk.turn * way;
        let half = 0.5 * yaw;
        let chord = if half.abs() > 1e-9 { half.sin() / half } else { 1.0 } * self.walk.speed * way;
        let place = Translation3::new(chord * half.cos(), chord * half.sin(), 0.0);
        Isometry3::from_parts(place, UnitQuaternion::from_euler_angles(0.0, 0.0, yaw))
    }

    fn base(&self, time: f64) -> Isometry3<f64> {
        let walked = (time - BEGIN).max(0.0);
        let grown = (walked * walked / (walked * walked + 0.3)).min(1.0);
        let phase = TAU * walked / (2.0 * STEP);
        let height = -self.soles[0].2.z - 0.02 * grown - 0.008 * grown * (2.0 * phase).cos();
        let sway = Translation3::new(0.0, 0.03 * grown * phase.sin(), height);
        let tilt =
            UnitQuaternion::from_euler_angles(0.02 * grown * phase.sin(), 0.015 * grown * (2.0 * phase).sin(), 0.0);
        self.planar(time) * Isometry3::from_parts(sway, tilt)
    }

    /// Where a foot stands in a step, or is put in it: below the base in the middle of its stance.
    fn stand(&self, foot: usize, number: i64) -> Isometry3<f64> {
        let at = self.soles[foot].2;
        let middle = if number < 0 { 0.0 } else { BEGIN + (number as f64 + 1.5) * STEP };
        self.planar(middle) * Translation3::new(at.x, at.y, 0.0)
    }

    /// A foot's place and its share of the weight.
    fn foot(&self, foot: usize, time: f64) -> (Isometry3<f64>, f64) {
        let number = ((time - BEGIN) / STEP).floor() as i64;
        let within = (time - BEGIN) / STEP - number as f64;
        if number < 0 {
            return (self.stand(foot, -1), 0.5);
        }
        // even steps move the left foot
        let last = |swings: bool| if swings { number - 2 } else { number - 1 };
        if (number % 2 == 0) != (foot == 0) {
            let share = 0.5 + 0.5 * (within / BOTH).min((1.0 - within) / BOTH).min(1.0);
            let slides = number % 5 == 4 && within > 0.5;
            let slid = Translation3::new(if slides { self.walk.slide } else { 0.0 }, 0.0, 0.0);
            return (self.stand(foot, last(false)) * slid, share);
        }
        let share = 0.5 - 0.5 * (within / BOTH).min((1.0 - within) / BOTH).min(1.0);
        let swing = ((within - BOTH) / (1.0 - 2.0 * BOTH)).clamp(0.0, 1.0);
        let gone = swing - (TAU * swing).sin() / TAU;
        let (from, to) = (self.stand(foot, last(true)), self.stand(foot, number));
        let lifted = Translation3::new(0.0, 0.0, 0.03 * (1.0 - (TAU * swing).cos()));
        (lifted * from.lerp_slerp(&to, gone), share)
    }

    fn sense(&mut self) {
        let time = self.time();
        self.truth = self.base(time);
        self.readings.cycle = self.cycle;
        self.readings.time = Time::from_nanoseconds(self.cycle * self.layout.period.nanoseconds());
        for foot in 0..2 {
            self.place_foot(foot, time);
        }
        for foot in 0..2 {
            let (_, share) = self.foot(foot, time);
            self.feel(foot, share);
        }
        for (joint, state) in self.readings.joints.iter_mut().enumerate() {
            let noise = if self.walk.noise { 1e-5 * self.random.normal(self.cycle, 200 + joint as u32) } else { 0.0 };
            state.position = self.configuration.joints[joint] + self.zeros[joint] + noise;
        }
        self.sense_motion(time);
    }

    /// Newton's method on the leg's six joints.
    fn place_foot(&mut self, foot: usize, time: f64) {
        let wanted = self.truth.inv_mul(&self.foot(foot, time).0);
        let (link, joints, _) = &self.soles[foot];
        let mut jacobian = DMatrix::zeros(6, self.model.tree.dof());
        for _ in 0..10 {
            forward_kinematics(&self.model.tree, &self.configuration, &mut self.data);
            let at = self.data.link_in_base[*link];
            let off = wanted.translation.vector - at.translation.vector;
            let turn = (wanted.rotation * at.rotation.inverse()).scaled_axis();
            let error = Vector6::new(off.x, off.y, off.z, turn.x, turn.y, turn.z);
            if error.norm() < 1e-12 {
                return;
            }
            link_jacobian_in_base(&self.model.tree, &self.data, *link, &Vector3::zeros(), &mut jacobian);
            let own = nalgebra::Matrix6::from_fn(|row, column| jacobian[(row, joints[column])]);
            let change = own.lu().solve(&error).expect("a leg that is not stretched");
            joints.iter().zip(change.iter()).for_each(|(joint, change)| self.configuration.joints[*joint] += change);
        }
    }

    /// The cell between foot and sole: the ground's force less the sole's weight.
    fn feel(&mut self, foot: usize, share: f64) {
        let cell = self.model.description.feet[foot].force_torque.unwrap();
        let link = self.model.description.force_torques[cell].link;
        let hanging: f64 = 1.0;
        let force = (share * self.model.tree.mass() - hanging) * -GRAVITY_IN_WORLD;
        let turn = (self.truth * self.data.link_in_base[link]).rotation.inverse();
        let noise = Vector3::from_fn(|axis, _| self.random.normal(self.cycle, 300 + (3 * foot + axis) as u32));
        self.readings.force_torques[cell].force =
            turn * force + if self.walk.noise { noise * 0.5 } else { Vector3::zeros() };
    }

    fn sense_motion(&mut self, time: f64) {
        let (at, h) = (|time: f64| self.base(time) * self.imu_in_base, 5e-4);
        // the middle of the last cycle: what a sample stands for
        let middle = time - 0.5 * DT;
        let (before, now, after) = (at(middle - h), at(middle), at(middle + h));
        let turn = (before.rotation.inverse() * after.rotation).scaled_axis() / (2.0 * h);
        let rise = (after.translation.vector - now.translation.vector * 2.0 + before.translation.vector) / (h * h);
        let force = now.rotation.inverse() * (rise - GRAVITY_IN_WORLD);
        let walk = self.walk;
        let noise = |first: u32, deviation: f64| {
            let one = |axis: usize| self.random.normal(self.cycle, first + axis as u32);
            if walk.noise { Vector3::from_fn(|axis, _| deviation * one(axis)) } else { Vector3::zeros() }
        };
        // densities of the robot's file, at 1 kHz
        let (gyro, accel) = (turn + walk.gyro_bias + noise(0, 2e-3), force + walk.accel_bias + noise(3, 0.045));
        let orientation = UnitQuaternion::from_euler_angles(0.0, 0.0, 1.234) * at(time).rotation;
        let imu = &mut self.readings.imus[0];
        (imu.angular_velocity, imu.linear_acceleration, imu.orientation) = (gyro, accel, orientation);
    }
}
