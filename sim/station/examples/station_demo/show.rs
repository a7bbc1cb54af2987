//! A show without physics: the centaur glides along a loop over a world, its numbers made up but plausible.

use std::path::Path;
use std::sync::Arc;

use nalgebra::{Isometry3, Rotation3, Translation3, UnitQuaternion, Vector3};
use plant::{ContactPoint, Frame};
use robot_io::{
    Commands, Event, JointStatus, Odometry, Pose2, Readings, RobotLayout, Severity, Subject, Telemetry, Time, Twist,
};
use robot_model::{Configuration, Data, RobotModel, center_of_mass_in_world, forward_kinematics};
use station::{Playback, Scene, StationFrame, Status};
use worlds::World;

/// Height of the centaur's base above the ground in its pose `stand` [m].
const BASE_HEIGHT: f64 = 0.555;
/// Radius of its wheels [m].
const WHEEL_RADIUS: f64 = 0.08;
/// Half axes of the loop [m] and how long one takes [s].
const LOOP: (f64, f64, f64) = (2.2, 1.4, 40.0);

/// The show: a scene and a frame for every time.
pub struct Show {
    /// What does not change.
    pub scene: Scene,
    centre: (f64, f64),
    stand: Vec<f64>,
    data: Data,
}

impl Show {
    /// The centaur in one of the worlds that ship.
    pub fn new(world: &str) -> Result<Show, Box<dyn std::error::Error>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let world = World::load(&root.join("worlds").join(format!("{world}.toml")))?;
        let robot = RobotModel::load(&root.join("robot_models/centaur/centaur.toml"))?;
        let layout = robot.layout();
        let stand = robot.description.pose("stand").map(|pose| pose.positions.clone());
        let stand = stand.ok_or("the centaur has no pose `stand`")?;
        let data = Data::new(&robot.tree);
        let centre = world.spawns.first().map_or((0.0, 0.0), |spawn| (spawn.x, spawn.y));
        let scene = Scene {
            title: format!("demo: {} in {}", robot.name, world.name),
            world: Arc::new(world),
            robot: Arc::new(robot),
            layout,
            odom_in_world: Pose2::default(),
            settings: Vec::new(),
            by_hand: Vec::new(),
        };
        Ok(Show { scene, centre, stand, data })
    }

    /// What there is to see at a time [s].
    pub fn at(&mut self, time: f64) -> StationFrame {
        let pose = self.pose_at(time);
        let joints = self.joints_at(time);
        let configuration = Configuration { base_in_world: self.base_at(&pose), joints };
        forward_kinematics(&self.scene.robot.tree, &configuration, &mut self.data);
        let com = center_of_mass_in_world(&self.scene.robot.tree, &self.data);
        let frame = Frame {
            cycle: (time * 250.0) as u64,
            time: Time::from_seconds(time),
            links_in_world: self.data.link_in_world.clone(),
            objects_in_world: self.scene.world.objects.iter().map(|object| object.pose_in_world).collect(),
            contacts: self.contacts_at(time),
            joint_positions: configuration.joints.clone(),
            com_in_world: com,
        };
        StationFrame {
            readings: readings(&self.scene.layout, &configuration.joints, time),
            commands: Commands::new(&self.scene.layout),
            telemetry: self.telemetry_at(time, &configuration.base_in_world),
            events: events().into_iter().filter(|event| event.time.seconds() <= time).collect(),
            playback: Playback { now: Time::from_seconds(time), ..Playback::default() },
            status: Status { mission: "a show without physics".to_owned(), ..Status::default() },
            frame,
        }
    }

    /// The loop begins at the world's first start place.
    fn pose_at(&self, time: f64) -> Pose2 {
        let (half_x, half_y, period) = LOOP;
        let angle = std::f64::consts::TAU * time / period;
        let (x, y) = (self.centre.0 + half_x * angle.sin(), self.centre.1 + half_y * (1.0 - angle.cos()));
        let yaw = (half_y * angle.sin()).atan2(half_x * angle.cos());
        Pose2 { x, y, yaw }
    }

    /// The base above the ground, tilted as the ground under the wheels is.
    fn base_at(&self, pose: &Pose2) -> Isometry3<f64> {
        let heading = Rotation3::from_axis_angle(&Vector3::z_axis(), pose.yaw);
        let under = |dx: f64, dy: f64| {
            let place = heading * Vector3::new(dx, dy, 0.0) + Vector3::new(pose.x, pose.y, 0.0);
            Vector3::new(place.x, place.y, self.ground(place.x, place.y))
        };
        let (front_left, front_right) = (under(0.32, 0.28), under(0.32, -0.28));
        let (rear_left, rear_right) = (under(-0.32, 0.28), under(-0.32, -0.28));
        let forward = (front_left + front_right - rear_left - rear_right).normalize();
        let left = front_left + rear_left - front_right - rear_right;
        let up = forward.cross(&left).normalize();
        let attitude = Rotation3::from_basis_unchecked(&[forward, up.cross(&forward), up]);
        let middle = (front_left + front_right + rear_left + rear_right) / 4.0 + up * BASE_HEIGHT;
        Isometry3::from_parts(Translation3::from(middle), UnitQuaternion::from_rotation_matrix(&attitude))
    }

    fn ground(&self, x: f64, y: f64) -> f64 {
        self.scene.world.terrain.height_at(x, y).unwrap_or(0.0)
    }

    /// Wheels turn, arms wave.
    fn joints_at(&self, time: f64) -> Vec<f64> {
        let names = self.scene.layout.joints.iter().map(|joint| joint.name.as_str());
        let position = |(name, stand): (&str, &f64)| match name {
            name if name.contains("_wheel_") => 4.0 * time,
            name if name.contains("shoulder") => stand + 0.25 * (0.9 * time).sin(),
            name if name.contains("elbow") => stand + 0.30 * (1.3 * time).sin(),
            _ => *stand,
        };
        names.zip(&self.stand).map(position).collect()
    }

    /// Every wheel carries its part, a little unevenly.
    fn contacts_at(&self, time: f64) -> Vec<ContactPoint> {
        let description = &self.scene.robot.description;
        let weight = self.scene.robot.tree.mass() * self.scene.world.gravity;
        let share = weight / description.wheels.len().max(1) as f64;
        let contact = |(index, wheel): (usize, &robot_model::description::Wheel)| {
            let hub = self.data.link_in_world[wheel.link].translation.vector;
            let normal = self.scene.world.terrain.normal_at(hub.x, hub.y).unwrap_or(Vector3::z());
            let uneven = 1.0 + 0.35 * (2.0 * time + 1.7 * index as f64).sin();
            ContactPoint {
                position_in_world: hub - normal * WHEEL_RADIUS,
                force_in_world: (normal + Vector3::new(0.08, 0.0, 0.0)) * share * uneven,
                normal_in_world: normal,
                link: Some(wheel.link),
            }
        };
        description.wheels.iter().enumerate().map(contact).collect()
    }

    /// A plan ahead, and odometry that drifts.
    fn telemetry_at(&self, time: f64, base_in_world: &Isometry3<f64>) -> Telemetry {
        let poses: Vec<Pose2> = (0..=20).map(|step| self.pose_at(time + 0.5 * f64::from(step))).collect();
        let drift = Translation3::new(0.01 * time, -0.006 * time, 0.0);
        Telemetry {
            odometry: Some(Odometry { base_in_odom: drift * base_in_world, ..Odometry::default() }),
            twist: Some(Twist { x: 0.35, y: 0.0, yaw: 0.16 }),
            goal: poses.last().copied(),
            path: Some(Arc::new(robot_io::Path { poses })),
            scalars: vec![("tip_margin [m]", 0.22 + 0.04 * (0.7 * time).sin()), ("power [W]", 180.0)],
            ..Telemetry::default()
        }
    }
}

fn readings(layout: &RobotLayout, joints: &[f64], time: f64) -> Readings {
    let mut readings = Readings::new(layout);
    readings.time = Time::from_seconds(time);
    for (index, (state, position)) in readings.joints.iter_mut().zip(joints).enumerate() {
        let phase = 0.9 * time + 0.6 * index as f64;
        state.position = *position;
        state.velocity = 0.2 * phase.cos();
        state.effort = 8.0 * phase.sin() + 0.6 * (17.0 * time + index as f64).sin();
        state.temperature = 31.0 + 9.0 * (1.0 - (-time / 60.0).exp()) + (index % 7) as f64;
        state.status = JointStatus::ENABLED.with(JointStatus::DERATED, index == 7 && time > 12.0);
    }
    for imu in &mut readings.imus {
        imu.linear_acceleration = Vector3::new(0.2 * (5.0 * time).sin(), 0.0, 9.81 + 0.3 * (23.0 * time).sin());
    }
    for battery in &mut readings.batteries {
        (battery.voltage, battery.current) = (24.6 - 0.003 * time, 7.5);
    }
    readings
}

/// All that happens.
pub fn events() -> Vec<Event> {
    let at = Time::from_seconds;
    let note = |seconds: f64, severity, source, what| Event::note(at(seconds), severity, source, what);
    vec![
        note(0.0, Severity::Info, "mission", "started"),
        note(4.2, Severity::Info, "mission", "pose reached").about(Subject::Step(0)),
        note(12.0, Severity::Warning, "actuator", "derated, temperature [°C]")
            .about(Subject::Joint(7))
            .with(86.1, 85.0),
        note(17.5, Severity::Error, "safety_filter", "velocity clamped [rad/s]")
            .about(Subject::Joint(3))
            .with(4.1, 3.5),
        note(25.0, Severity::Info, "mission", "pose reached").about(Subject::Step(1)),
    ]
}
