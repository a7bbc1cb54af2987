//! The centaur carried along a trajectory: what its sensors would say, and what its scanner would see.

use std::path::Path;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use robot_io::{LaserLayout, LaserScan, Odometry, Period, Readings, RobotLayout, Sealed, Time};
use robot_model::{Chain, Configuration, Data, RobotModel, Shape, forward_kinematics};

use super::{Scanner, Solid, Trajectory, World};

/// Readings and odometry of a robot whose base is carried along a trajectory, one cycle after the other.
pub struct Rider {
    pub model: RobotModel,
    pub layout: RobotLayout,
    pub readings: Readings,
    pub odometry: Odometry,
    pub scanner: Scanner,
    pub trajectory: Trajectory,
    pub world: World,
    /// How many cycles after its last beam a scan arrives.
    pub scan_delay: u64,
    /// Noise of the axis' encoder [rad], beside its steps.
    pub encoder_noise: f64,
    /// Scans that are lost: true for their number.
    pub lost: fn(u64) -> bool,
    /// The robot's own shapes in the base frame.
    body: World,
    axis: usize,
    /// By how much the encoder, on the motor, is ahead of the axis [rad].
    lead: f64,
    /// How late its drive tells where the axis is [s].
    told_late: f64,
    imu_in_base: UnitQuaternion<f64>,
    cycle: u64,
    scans: u64,
}

/// Steps of the axis' encoder in a turn.
const COUNTS: f64 = 4096.0;

impl Rider {
    /// The centaur in its pose `stand`.
    pub fn new(world: World, trajectory: Trajectory) -> Rider {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
        let model = RobotModel::load(&path).unwrap();
        let scanner = Scanner::default();
        let mut layout = model.layout();
        let (name, frame) = ("laser".to_owned(), "laser_link".to_owned());
        layout.lasers = vec![LaserLayout { name, frame, geometry: scanner.geometry }];
        let stand = model.description.pose("stand").unwrap().positions.clone();
        let tree = &model.tree;
        let axis = tree.joint("laser_spin").unwrap();
        let laser = tree.link("laser_link").unwrap();
        let (link, imu) = (tree.joints[axis].link, &model.description.imus[0]);
        let tip = |root, tip| Chain::new(tree, root, tip).unwrap().tip_in_root(tree, &stand);
        let scanner = Scanner { axis_in_base: tip(0, link), laser_in_axis: tip(link, laser), ..scanner };
        let imu_in_base = (tip(0, imu.link) * imu.pose_in_link).rotation;
        let mut readings = Readings::new(&layout);
        for (joint, position) in readings.joints.iter_mut().zip(&stand) {
            joint.position = *position;
        }
        Rider {
            body: body(&model, &stand),
            readings,
            odometry: Odometry::default(),
            scanner,
            trajectory,
            world,
            scan_delay: 2,
            encoder_noise: 5e-4,
            lost: |_| false,
            axis,
            lead: 0.5 * model.description.actuator_of(axis).unwrap().backlash,
            told_late: model.description.actuator_of(axis).unwrap().feedback_delay.seconds(),
            imu_in_base,
            cycle: 0,
            scans: 0,
            layout,
            model,
        }
    }

    /// Goes on by a cycle.
    pub fn step(&mut self) {
        let now = Time::from_nanoseconds(self.cycle * self.layout.period.nanoseconds());
        let time = now.seconds();
        self.readings.cycle = self.cycle;
        self.readings.time = now;
        let noise = self.encoder_noise * self.scanner.random.normal(self.cycle, u32::MAX / 4);
        let angle = self.scanner.axis_rate * (time - self.told_late) + self.lead + noise;
        let step = core::f64::consts::TAU / COUNTS;
        self.readings.joints[self.axis].position = robot_io::math::wrap_angle((angle / step).round() * step);
        self.sense(now);
        self.odometry = Odometry { stamp: now, base_in_odom: self.trajectory.at(time), ..self.odometry };
        self.readings.scans[0] = self.scan(now).map(Sealed::new);
        self.cycle += 1;
    }

    /// What the IMU says.
    fn sense(&mut self, now: Time) {
        const DT: f64 = 0.001;
        let base = |time: f64| self.trajectory.at(time);
        let time = now.seconds().max(DT);
        let [before, here, after] = [base(time - DT), base(time), base(time + DT)];
        let [a, b, c] = [before, here, after].map(|pose| pose.translation.vector);
        let force = ((c - b) - (b - a)) / (DT * DT) + Vector3::z() * 9.81;
        let imu_in_world = here.rotation * self.imu_in_base;
        let turn_in_base = (before.rotation.inverse() * after.rotation).scaled_axis() / (2.0 * DT);
        let imu = &mut self.readings.imus[0];
        imu.stamp = now;
        imu.orientation = imu_in_world;
        imu.angular_velocity = self.imu_in_base.inverse() * turn_in_base;
        imu.linear_acceleration = imu_in_world.inverse() * force;
    }

    /// The scan that arrives now, if one does.
    fn scan(&mut self, now: Time) -> Option<LaserScan> {
        let geometry = self.scanner.geometry;
        let stamp = Time::ZERO + Period::from_nanoseconds(self.scans * geometry.period.nanoseconds());
        let delay = Period::from_nanoseconds(self.scan_delay * self.layout.period.nanoseconds());
        if stamp + geometry.duration() + delay > now {
            return None;
        }
        self.scans += 1;
        if (self.lost)(self.scans - 1) {
            return None;
        }
        let mut scan = self.scanner.scan(&self.world, &self.trajectory, stamp);
        for beam in 0..geometry.beams {
            let laser_in_base = self.scanner.laser_in_base((stamp + geometry.delay(beam)).seconds());
            let direction = laser_in_base.rotation * geometry.direction(beam).into_inner();
            let own = self.body.cast(&Point3::from(laser_in_base.translation.vector), &direction);
            let own = own.map(|range| (1000.0 * range) as u16).filter(|range| *range > 100);
            if own.is_some_and(|own| scan.ranges[beam] == 0 || own < scan.ranges[beam]) {
                scan.ranges[beam] = own.unwrap();
            }
        }
        Some(scan)
    }
}

/// The robot's collision shapes as blocks that fit into them, in the base frame.
fn body(model: &RobotModel, joints: &[f64]) -> World {
    let mut data = Data::new(&model.tree);
    let base_in_world = Isometry3::identity();
    forward_kinematics(&model.tree, &Configuration { base_in_world, joints: joints.to_vec() }, &mut data);
    let mut body = World::default();
    for (index, link) in model.tree.links.iter().enumerate() {
        for geometry in &link.collisions {
            let half = match &geometry.shape {
                Shape::Box { size } => 0.5 * size,
                Shape::Cylinder { radius, length } | Shape::Capsule { radius, length } => {
                    Vector3::new(0.7 * radius, 0.7 * radius, 0.5 * length)
                }
                Shape::Sphere { radius } => Vector3::repeat(0.57 * radius),
                Shape::Mesh { .. } => continue,
            };
            body = body.with(Solid::Block(data.link_in_base[index] * geometry.pose_in_link, half));
        }
    }
    body
}
