//! A centaur without mass on a plane: joints obey within a few cycles, and the base goes where the rolling constraints
//! of its eight ideal wheels let it, in the sense of least squares.

use std::path::Path;

use locomotion::{BodyTarget, Locomotion, Settings};
use nalgebra::{Isometry3, Matrix6, Translation3, UnitQuaternion, Vector3, Vector6};
use robot_io::{Commands, JointStatus, Odometry, Period, Readings, RobotLayout, Time};
use robot_model::{
    BASE_DOF, Configuration, Data, RobotModel, forward_kinematics, forward_velocities, link_velocity_in_world,
};

pub struct Rolling {
    pub model: RobotModel,
    pub layout: RobotLayout,
    pub readings: Readings,
    pub commands: Commands,
    pub locomotion: Locomotion,
    pub odometry: Odometry,
    /// Truth: the base in a world whose ground is the plane through the origin with `normal`.
    pub base: Isometry3<f64>,
    pub normal: Vector3<f64>,
    /// Joints that do nothing: their drives are dead and they turn freely.
    pub dead: Vec<usize>,
    /// The largest slip of any wheel in the last cycle [m/s].
    pub slip: f64,
    data: Data,
    velocity: Vec<f64>,
}

impl Rolling {
    /// Stands in the pose `stand` on ground that rises with `pitch` (nose down) and `roll` [rad].
    pub fn new(roll: f64, pitch: f64, settings: Settings) -> Rolling {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
        let model = RobotModel::load(&path).unwrap();
        let layout = model.layout();
        let locomotion = Locomotion::new(&model, &layout, settings).unwrap();
        let ground = UnitQuaternion::from_euler_angles(roll, pitch, 0.0);
        let place = Translation3::from(ground * Vector3::new(0.0, 0.0, locomotion.stance_height()));
        let mut rolling = Rolling {
            readings: Readings::new(&layout),
            commands: Commands::new(&layout),
            odometry: Odometry::default(),
            base: Isometry3::from_parts(place, ground),
            normal: ground * Vector3::z(),
            dead: Vec::new(),
            slip: 0.0,
            data: Data::new(&model.tree),
            velocity: vec![0.0; model.tree.velocity_dof()],
            locomotion,
            layout,
            model,
        };
        let stand = rolling.model.description.poses.iter().find(|pose| pose.name == "stand").unwrap();
        for (joint, position) in rolling.readings.joints.iter_mut().zip(&stand.positions) {
            joint.position = *position;
            joint.status = JointStatus::ENABLED;
        }
        rolling.sense();
        rolling.locomotion.reset(&rolling.readings);
        rolling
    }

    pub fn dt(&self) -> f64 {
        self.layout.period.seconds()
    }

    /// Time since the start [s].
    pub fn time(&self) -> f64 {
        self.readings.time.seconds()
    }

    /// One cycle.
    pub fn step(&mut self, target: BodyTarget) {
        self.locomotion.set_target(target);
        self.locomotion.update(&self.readings, &self.odometry, &mut self.commands);
        self.move_joints();
        self.move_base();
        self.readings.cycle += 1;
        self.readings.time = self.readings.time + Period::from_seconds(self.dt());
        self.sense();
    }

    pub fn run(&mut self, target: BodyTarget, seconds: f64) {
        for _ in 0..(seconds / self.dt()).round() as usize {
            self.step(target);
        }
    }

    /// Roll and pitch of the base.
    pub fn attitude(&self) -> (f64, f64) {
        let (roll, pitch, _) = self.base.rotation.euler_angles();
        (roll, pitch)
    }

    /// Height of the base above the ground, along the vertical.
    pub fn height(&self) -> f64 {
        self.normal.dot(&self.base.translation.vector) / self.normal.z
    }

    pub fn joint(&self, name: &str) -> usize {
        self.layout.joint(name).unwrap()
    }

    /// A joint gets a third nearer to its command in a cycle; what turns at a rate turns at it.
    fn move_joints(&mut self) {
        let dt = self.dt();
        for (index, command) in self.commands.joints.iter().enumerate() {
            let state = &mut self.readings.joints[index];
            let dead = self.dead.contains(&index);
            let by_position =
                if command.stiffness > 0.0 { (command.position - state.position) / (3.0 * dt) } else { 0.0 };
            let limit = self.layout.joints[index].limits;
            let rate =
                if dead { 0.0 } else { (by_position + 0.67 * command.velocity).clamp(-limit.velocity, limit.velocity) };
            self.velocity[BASE_DOF + index] = rate;
            state.velocity = rate;
        }
    }

    /// The twist that suits all wheels best, and joints and base moved on by it.
    fn move_base(&mut self) {
        let dt = self.dt();
        let joints: Vec<f64> = self.readings.joints.iter().map(|joint| joint.position).collect();
        let configuration = Configuration { base_in_world: Isometry3::identity(), joints };
        forward_kinematics(&self.model.tree, &configuration, &mut self.data);
        forward_velocities(&self.model.tree, &self.velocity, &mut self.data);
        let normal = self.base.rotation.inverse() * self.normal;
        let mut rows: Vec<(Vector6<f64>, f64, f64)> = Vec::new();
        for wheel in &self.model.description.wheels {
            let pose = &self.data.link_in_base[wheel.link];
            let center = pose.translation.vector;
            let axle = pose.rotation * self.model.tree.links[wheel.link].axis_in_link.into_inner();
            let radial = (normal - axle * axle.dot(&normal)).normalize();
            let contact = center - radial * wheel.radius;
            let twist = link_velocity_in_world(&self.model.tree, &self.data, wheel.link);
            let slide = twist.linear + twist.angular.cross(&(contact - center));
            let gap = self.normal.dot(&(self.base * nalgebra::Point3::from(contact)).coords);
            let ahead = axle.cross(&radial).normalize();
            let free = if self.dead.contains(&wheel.drive_joint) { 0.0 } else { 1.0 };
            for (direction, weight, correction) in [(ahead, free, 0.0), (axle, 1.0, 0.0), (normal, 1.0, 0.2 * gap / dt)]
            {
                let turning = contact.cross(&direction);
                let row = Vector6::new(direction.x, direction.y, direction.z, turning.x, turning.y, turning.z);
                rows.push((row, -direction.dot(&slide) - correction, weight));
            }
        }
        let (mut matrix, mut right_side) = (Matrix6::identity() * 1e-9, Vector6::zeros());
        for (row, value, weight) in &rows {
            matrix += row * row.transpose() * *weight;
            right_side += row * *value * *weight;
        }
        let twist = matrix.cholesky().unwrap().solve(&right_side);
        let slips = rows.iter().enumerate().filter(|(index, _)| index % 3 != 2);
        self.slip = slips.map(|(_, (row, value, weight))| (row.dot(&twist) - value).abs() * weight).fold(0.0, f64::max);
        let (linear, angular): (Vector3<f64>, Vector3<f64>) =
            (twist.fixed_rows::<3>(0).into(), twist.fixed_rows::<3>(3).into());
        let half_way = self.base.rotation * UnitQuaternion::from_scaled_axis(angular * 0.5 * dt);
        self.base.translation.vector += half_way * linear * dt;
        self.base.rotation *= UnitQuaternion::from_scaled_axis(angular * dt);
        self.roll_dead(&twist);
        for (state, velocity) in self.readings.joints.iter_mut().zip(&self.velocity[BASE_DOF..]) {
            state.position += velocity * dt;
        }
    }

    /// Wheels without a drive roll along with the ground.
    fn roll_dead(&mut self, twist: &Vector6<f64>) {
        let normal = self.base.rotation.inverse() * self.normal;
        for wheel in &self.model.description.wheels {
            if self.dead.contains(&wheel.drive_joint) {
                let pose = &self.data.link_in_base[wheel.link];
                let axle = pose.rotation * self.model.tree.links[wheel.link].axis_in_link.into_inner();
                let ahead = axle.cross(&normal).normalize();
                let own = link_velocity_in_world(&self.model.tree, &self.data, wheel.link).linear;
                let (linear, angular): (Vector3<f64>, Vector3<f64>) =
                    (twist.fixed_rows::<3>(0).into(), twist.fixed_rows::<3>(3).into());
                let speed = (linear + angular.cross(&pose.translation.vector) + own).dot(&ahead);
                self.velocity[BASE_DOF + wheel.drive_joint] = speed / wheel.radius;
                self.readings.joints[wheel.drive_joint].velocity = speed / wheel.radius;
            }
        }
    }

    fn sense(&mut self) {
        let now: Time = self.readings.time;
        for (index, (joint, command)) in self.readings.joints.iter_mut().zip(&self.commands.joints).enumerate() {
            joint.stamp = now;
            let dead = self.dead.contains(&index);
            let most = self.model.tree.joints[index].limits.effort;
            let asked = command.effort_at(joint.position, joint.velocity).clamp(-most, most);
            joint.effort = if dead { 0.0 } else { asked };
        }
        for contact in &mut self.readings.contacts {
            (contact.stamp, contact.touching, contact.force) = (now, true, 70.0);
        }
        self.odometry.stamp = now;
        self.odometry.base_in_odom = self.base;
    }
}
