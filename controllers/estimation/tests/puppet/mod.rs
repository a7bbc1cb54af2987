//! A centaur on strings: its base and feet go where they are told, its wheels roll without slip as the formulas of a
//! vehicle in the plane say, and its sensors report that exactly. The truth is a closed form, not an integral.

use std::path::Path;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use robot_io::{Period, Pose2, Readings, RobotLayout, Time, Twist};
use robot_model::{Chain, GRAVITY_IN_WORLD, RobotModel};

pub const DT: f64 = 0.004;

/// Where the puppet is at one time.
#[derive(Clone, Copy, Debug)]
pub struct Strings {
    /// Place and heading of the base on the plane.
    pub pose: Pose2,
    /// Velocity of the base in its own frame; the derivative of `pose`.
    pub twist: Twist,
    /// Height of the base's origin above the plane [m].
    pub height: f64,
    /// By how much the feet of the front legs are shifted forward [m], and how fast [m/s].
    pub front_shift: (f64, f64),
    /// The spine's angle [rad].
    pub spine: f64,
}

impl Default for Strings {
    fn default() -> Self {
        let (pose, twist) = (Pose2::default(), Twist::default());
        Strings { pose, twist, height: 0.5, front_shift: (0.0, 0.0), spine: 0.0 }
    }
}

struct Foot {
    chain: Chain,
    /// Hip, knee, ankle, steering.
    joints: [usize; 4],
    /// Drive joint and place along the axle [m] of both wheels.
    wheels: Vec<(usize, f64)>,
    x: f64,
    y: f64,
    radius: f64,
    /// From the steering link's origin down to the axle [m].
    drop: f64,
    heading: f64,
}

pub struct Puppet {
    pub model: RobotModel,
    pub layout: RobotLayout,
    pub readings: Readings,
    /// Rotates the plane on which it drives out of the horizontal.
    pub slope: UnitQuaternion<f64>,
    /// Bias of the gyroscope in its own frame [rad/s].
    pub gyro_bias: Vector3<f64>,
    joints: Vec<f64>,
    feet: Vec<Foot>,
    spine: usize,
    imu_chain: Chain,
    imu_before: Option<UnitQuaternion<f64>>,
    /// Places of the IMU in the last cycles, the latest first.
    imu_places: Vec<Vector3<f64>>,
}

impl Puppet {
    pub fn new() -> Puppet {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
        let model = RobotModel::load(&path).unwrap();
        let layout = model.layout();
        assert_eq!(layout.period, Period::from_seconds(DT), "the puppet's step is the robot's cycle");
        let joints = model.description.poses.iter().find(|pose| pose.name == "stand").unwrap().positions.clone();
        let tree = &model.tree;
        let mut feet: Vec<Foot> = Vec::new();
        for (index, wheel) in model.description.wheels.iter().enumerate() {
            let steered = tree.joints[wheel.steer_joint].link;
            let place = tree.links[wheel.link].placement_in_parent.translation.vector;
            if index % 2 == 1 {
                feet.last_mut().unwrap().wheels.push((wheel.drive_joint, place.y));
                continue;
            }
            let chain = Chain::new(tree, 0, steered).unwrap();
            let at = chain.tip_in_root(tree, &joints).translation.vector;
            let joints = [chain.joints[0], chain.joints[1], chain.joints[2], wheel.steer_joint];
            let wheels = vec![(wheel.drive_joint, place.y)];
            let (radius, drop) = (wheel.radius, -place.z);
            feet.push(Foot { chain, joints, wheels, x: at.x, y: at.y, radius, drop, heading: 0.0 });
        }
        let spine = tree.joint("spine_yaw").unwrap();
        let imu_chain = Chain::new(tree, 0, model.description.imus[0].link).unwrap();
        let mut readings = Readings::new(&layout);
        readings.contacts.iter_mut().for_each(|contact| contact.touching = true);
        let (slope, gyro_bias) = (UnitQuaternion::identity(), Vector3::zeros());
        Puppet {
            model,
            layout,
            readings,
            slope,
            gyro_bias,
            joints,
            feet,
            spine,
            imu_chain,
            imu_before: None,
            imu_places: Vec::new(),
        }
    }

    /// Where the base truly is.
    pub fn truth(&self, strings: &Strings) -> Isometry3<f64> {
        let planar = UnitQuaternion::from_euler_angles(0.0, 0.0, strings.pose.yaw);
        let place = Vector3::new(strings.pose.x, strings.pose.y, strings.height);
        Isometry3::from_parts(Translation3::from(self.slope * place), self.slope * planar)
    }

    /// Goes to where the strings pull it at the time of cycle `cycle`, with the strings half a cycle before for what
    /// the wheels have rolled since.
    pub fn pull(&mut self, cycle: u64, half_before: &Strings, now: &Strings) {
        self.joints[self.spine] = now.spine;
        for index in 0..self.feet.len() {
            self.place_foot(index, now);
            self.roll_wheels(index, half_before, now, cycle > 0);
        }
        self.readings.cycle = cycle;
        self.readings.time = Time::from_nanoseconds(cycle * self.layout.period.nanoseconds());
        for (state, position) in self.readings.joints.iter_mut().zip(&self.joints) {
            state.stamp = self.readings.time;
            state.position = *position;
        }
        self.sense_turning(now);
    }

    /// Solves hip and knee for the foot's place by Newton's method on the chain, ankle for an upright steering axis.
    fn place_foot(&mut self, index: usize, now: &Strings) {
        let foot = &self.feet[index];
        let [hip, knee, ankle, _] = foot.joints;
        let target = (foot.x + shift(foot, now).0, foot.radius + foot.drop - now.height);
        for _ in 0..20 {
            let place = |q: &mut [f64], dhip: f64, dknee: f64| {
                q[hip] += dhip;
                q[knee] += dknee;
                q[ankle] = -q[hip] - q[knee];
                let at = foot.chain.tip_in_root(&self.model.tree, q).translation;
                (at.x, at.z)
            };
            const H: f64 = 1e-6;
            let at = place(&mut self.joints, 0.0, 0.0);
            let by_hip = place(&mut self.joints, H, 0.0);
            let by_knee = place(&mut self.joints, -H, H);
            let (a, c) = ((by_hip.0 - at.0) / H, (by_hip.1 - at.1) / H);
            let (b, d) = ((by_knee.0 - at.0) / H, (by_knee.1 - at.1) / H);
            let (ex, ez) = (target.0 - at.0, target.1 - at.1);
            let det = a * d - b * c;
            place(&mut self.joints, (d * ex - b * ez) / det, (a * ez - c * ex) / det - H);
        }
    }

    /// Turns the pair to its heading at `now` and rolls both wheels by what they move half a cycle before.
    fn roll_wheels(&mut self, index: usize, half_before: &Strings, now: &Strings, moved: bool) {
        let foot = &mut self.feet[index];
        let heading_before = foot.heading;
        let (vx, vy) = foot_velocity(foot, now);
        if vx.hypot(vy) > 1e-9 {
            foot.heading = vy.atan2(vx);
        }
        self.joints[foot.joints[3]] = foot.heading;
        if !moved {
            return;
        }
        let (vx, vy) = foot_velocity(foot, half_before);
        let steer_rate = (foot.heading - heading_before) / DT;
        for (drive, along_axle) in &foot.wheels {
            let speed = vx.hypot(vy) - (half_before.twist.yaw + steer_rate) * along_axle;
            self.joints[*drive] += speed / foot.radius * DT;
        }
    }

    fn sense_turning(&mut self, now: &Strings) {
        let in_base = self.imu_chain.tip_in_root(&self.model.tree, &self.joints);
        let place = (self.truth(now) * in_base).translation.vector;
        let imu = self.truth(now).rotation * in_base.rotation;
        let speeding = match self.imu_places[..] {
            [last, before, ..] => (place - last * 2.0 + before) / (DT * DT),
            _ => Vector3::zeros(),
        };
        self.imu_places.insert(0, place);
        self.imu_places.truncate(2);
        let arbitrary_yaw = UnitQuaternion::from_euler_angles(0.0, 0.0, 1.234);
        let turned = self.imu_before.map_or_else(UnitQuaternion::identity, |before| before.inverse() * imu);
        self.readings.imus[0].stamp = self.readings.time;
        self.readings.imus[0].orientation = arbitrary_yaw * imu;
        self.readings.imus[0].angular_velocity = turned.scaled_axis() / DT + self.gyro_bias;
        self.readings.imus[0].linear_acceleration = imu.inverse() * (speeding - GRAVITY_IN_WORLD);
        self.imu_before = Some(imu);
    }
}

fn shift(foot: &Foot, strings: &Strings) -> (f64, f64) {
    if foot.x > 0.0 { strings.front_shift } else { (0.0, 0.0) }
}

/// Velocity of the foot over the plane, along the base's axes: the vehicle in the plane of any textbook.
fn foot_velocity(foot: &Foot, strings: &Strings) -> (f64, f64) {
    let (offset, rate) = shift(foot, strings);
    let twist = strings.twist;
    (twist.x - twist.yaw * foot.y + rate, twist.y + twist.yaw * (foot.x + offset))
}
