//! The whole body: from what the gait wants to commands of the joints.

use nalgebra::{Isometry3, UnitQuaternion, Vector3, Vector6};
use robot_io::{Commands, Odometry, Readings, RobotLayout, State};
use robot_model::{
    BASE_DOF, Configuration, Data, RobotModel, Tree, center_of_mass_in_world, centroidal_momentum, forward_kinematics,
    forward_velocities,
};
use walking::{FootMotion, Output};
use whole_body::{
    CenterOfMass, Contact, Goal, InverseDynamics, JointGoal, Pose, Posture, Settings, Surface, Task,
};

use super::refused;
use super::servo::Servos;
use super::settings::{BodySettings, WalkingSettings};
use crate::MissionError;

const COM: &str = "centre of mass";
const TRUNK: &str = "trunk";
const POSTURE: &str = "posture";
const FEET: [&str; 2] = ["left foot", "right foot"];
/// A foot that is about to be lifted carries no more than its share and this one of the weight.
const SPARE: f64 = 0.15;

/// What is known of the body, and what it shall do.
#[derive(Clone, Debug, State)]
pub(super) struct Body {
    #[state(fixed)]
    settings: BodySettings,
    #[state(fixed)]
    tree: Tree,
    #[state(fixed)]
    cycle: f64,
    #[state(fixed)]
    feet: [usize; 2],
    #[state(skip = "found anew in each cycle but for where it begins to search")]
    dynamics: InverseDynamics,
    #[state(scratch)]
    data: Data,
    #[state(scratch)]
    configuration: Configuration,
    #[state(scratch)]
    velocity: Vec<f64>,
    servos: Servos,
    /// Until the next solution [s].
    wait: f64,
    /// How high the centre of mass is over the soles [m].
    height: f64,
    accelerations: Vec<f64>,
    torques: Vec<f64>,
    /// Whether the last solution failed.
    failed: bool,
}

impl Body {
    pub fn new(model: &RobotModel, layout: &RobotLayout, settings: &WalkingSettings) -> Result<Body, MissionError> {
        let (tree, description) = (&model.tree, &model.description);
        let lacks = |found: usize| refused("walking", &format!("robot '{}': expected two feet, found {found}", model.name));
        let [left, right] = description.feet.as_slice() else { return Err(lacks(description.feet.len())) };
        let name = |link: usize| tree.links[link].name.as_str();
        let own = settings.body;
        let both = [left, right];
        let contacts = both.iter().zip(FEET).map(|(foot, contact)| Contact {
            surface: Surface::Patch { half_lengths: [0.5 * foot.length - 0.01, 0.5 * foot.width - 0.01] },
            ..Contact::point(contact, name(foot.link), Isometry3::identity(), own.friction)
        });
        let mut tasks = vec![
            Task::new(COM, 0, Goal::CenterOfMass(CenterOfMass::at(Vector3::zeros()))).weighing(own.com_weight).at_frequency(own.trunk),
            Task::new(TRUNK, 0, Goal::Pose(Pose::at(name(0), Isometry3::identity()).orientation_only())).at_frequency(own.trunk),
        ];
        tasks.extend([left, right].iter().zip(FEET).map(|(foot, task)| {
            Task::new(task, 0, Goal::Pose(Pose::at(name(foot.link), Isometry3::identity()))).at_frequency(own.foot)
        }));
        let joints = tree.joints.iter().map(|joint| JointGoal::at(&joint.name, 0.0)).collect();
        tasks.push(Task::new(POSTURE, 0, Goal::Posture(Posture { joints })).weighing(own.posture_weight).at_frequency(own.posture));
        let settings = Settings::default();
        let dynamics = InverseDynamics::new(tree, tasks, contacts.collect(), settings);
        Ok(Body {
            settings: own,
            cycle: layout.period.seconds(),
            feet: [left.link, right.link],
            dynamics: dynamics.map_err(|error| refused("whole body", &error))?,
            data: Data::new(tree),
            configuration: Configuration::zero(tree),
            velocity: vec![0.0; tree.velocity_dof()],
            servos: Servos::new(model),
            wait: 0.0,
            height: 0.0,
            accelerations: vec![0.0; tree.velocity_dof()],
            torques: vec![0.0; tree.dof()],
            failed: false,
            tree: tree.clone(),
        })
    }

    pub fn cycle(&self) -> f64 {
        self.cycle
    }

    /// Begins where the robot is.
    pub fn reset(&mut self, readings: &Readings, odometry: &Odometry) {
        self.observe(readings, odometry);
        self.servos.reset(readings);
        self.wait = 0.0;
        let soles = self.feet.map(|link| self.data.link_in_world[link].translation.z);
        self.height = self.com().z - 0.5 * (soles[0] + soles[1]);
        self.accelerations.fill(0.0);
        self.torques.fill(0.0);
        if let Some(Task { goal: Goal::Posture(posture), .. }) = self.dynamics.task_mut(POSTURE) {
            for (goal, joint) in posture.joints.iter_mut().zip(&readings.joints) {
                goal.position = joint.position;
            }
        }
    }

    /// Takes in where it is.
    pub fn observe(&mut self, readings: &Readings, odometry: &Odometry) {
        self.configuration.base_in_world = odometry.base_in_odom;
        self.velocity[..3].copy_from_slice(odometry.linear_velocity_in_base.as_slice());
        self.velocity[3..6].copy_from_slice(odometry.angular_velocity_in_base.as_slice());
        for (joint, state) in readings.joints.iter().enumerate() {
            self.configuration.joints[joint] = state.position;
            self.velocity[BASE_DOF + joint] = state.velocity;
        }
        forward_kinematics(&self.tree, &self.configuration, &mut self.data);
        forward_velocities(&self.tree, &self.velocity, &mut self.data);
    }

    /// Centre of mass in the odometry frame [m].
    pub fn com(&self) -> Vector3<f64> {
        center_of_mass_in_world(&self.tree, &self.data)
    }

    /// Its divergent component [m].
    pub fn dcm(&self, omega: f64) -> Vector3<f64> {
        self.com() + self.com_velocity() / omega
    }

    fn com_velocity(&self) -> Vector3<f64> {
        centroidal_momentum(&self.tree, &self.data).linear / self.tree.mass()
    }

    /// Holds all joints.
    pub fn hold(&mut self, commands: &mut Commands) {
        self.servos.hold(commands);
    }

    /// Does what the gait wants.
    pub fn follow(&mut self, output: &Output, commands: &mut Commands) {
        self.wait -= self.cycle;
        if self.wait <= 0.5 * self.cycle {
            self.wait += self.settings.interval;
            self.solve(output);
        }
        let BodySettings { gains, forget, .. } = self.settings;
        self.servos.follow(&self.accelerations[BASE_DOF..], &self.torques, (gains, forget), self.cycle, &self.configuration.joints, &self.velocity[BASE_DOF..], commands);
    }

    fn solve(&mut self, output: &Output) {
        let (com, com_velocity) = (self.com(), self.com_velocity());
        let weight = 9.81 * self.tree.mass();
        let middle = (output.feet[0].pose.translation.vector + output.feet[1].pose.translation.vector) * 0.5;
        let carried = |foot: usize| output.feet[foot].pose.translation.z;
        let ground = match output.carries {
            [true, false] => carried(0),
            [false, true] => carried(1),
            _ => middle.z,
        };
        if let Some(Task { goal: Goal::CenterOfMass(goal), .. }) = self.dynamics.task_mut(COM) {
            goal.position = Vector3::new(com.x, com.y, ground + self.height);
            goal.velocity = Vector3::new(com_velocity.x, com_velocity.y, 0.0);
            goal.acceleration = Vector3::new(output.wanted.com_acceleration.x, output.wanted.com_acceleration.y, 0.0);
        }
        let yaw = |foot: usize| output.feet[foot].pose.rotation.euler_angles().2;
        let half = 0.5 * robot_io::math::wrap_angle(yaw(1) - yaw(0));
        if let Some(Task { goal: Goal::Pose(goal), .. }) = self.dynamics.task_mut(TRUNK) {
            goal.pose_in_world.rotation = UnitQuaternion::from_euler_angles(0.0, 0.0, yaw(0) + half);
        }
        for foot in 0..2 {
            let carries = output.carries[foot];
            self.dynamics.set_active(FEET[foot], carries);
            if let Some(contact) = self.dynamics.contact_mut(FEET[foot]) {
                contact.most_force = weight * (output.loads[foot].share + SPARE).min(2.0) * 1.5;
            }
            if let Some(task) = self.dynamics.task_mut(FEET[foot]) {
                task.weight = if carries { 0.0 } else { 1.0 };
                if let Goal::Pose(goal) = &mut task.goal {
                    let FootMotion { pose, velocity, acceleration, turning } = output.feet[foot];
                    goal.pose_in_world = pose;
                    goal.velocity = Vector6::new(velocity.x, velocity.y, velocity.z, 0.0, 0.0, turning[0]);
                    goal.acceleration = Vector6::new(acceleration.x, acceleration.y, acceleration.z, 0.0, 0.0, turning[1]);
                }
            }
        }
        match self.dynamics.solve(&self.configuration, &self.velocity) {
            Ok(()) => {
                self.accelerations.copy_from_slice(self.dynamics.accelerations());
                self.torques.copy_from_slice(self.dynamics.torques());
                self.failed = false;
            }
            Err(error) => {
                if !self.failed && std::env::var("DBG").is_ok() { eprintln!("whole body: {error}"); }
                self.failed = true;
            }
        }
    }
}
