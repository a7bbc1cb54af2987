//! The whole body: from what the gait wants to commands of the joints.

use nalgebra::{Isometry3, UnitQuaternion, Vector3, Vector6};
use robot_io::math::wrap_angle;
use robot_io::{Commands, Odometry, Readings, RobotLayout, State};
use robot_model::description::Foot;
use robot_model::{
    BASE_DOF, Configuration, Data, GRAVITY_IN_WORLD, RobotModel, Tree, center_of_mass_in_world, centroidal_momentum,
    forward_kinematics, forward_velocities,
};
use walking::{FootMotion, Output};
use whole_body::{CenterOfMass, Contact, Goal, InverseDynamics, JointGoal, Pose, Posture, Settings, Surface, Task};

use super::height::Height;
use super::knees;
use super::refused;
use super::servos::{Manner, Servos, Wanted};
use crate::MissionError;
use crate::walking_settings::BodySettings;

const COM: &str = "centre of mass";
const HEIGHT: &str = "height";
const TRUNK: &str = "trunk";
const POSTURE: &str = "posture";
const LEGS: &str = "legs";
const FEET: [&str; 2] = ["left foot", "right foot"];
/// A foot carries at most so many times the share of the weight that the gait gives it, and so much more.
const UNEVEN: f64 = 1.5;
const SPARE: f64 = 0.2;

/// How the trunk leans [rad].
#[derive(Clone, Copy, Debug)]
pub(super) struct Trunk {
    pub roll: f64,
    pub pitch: f64,
}

/// What is known of the body, and what it shall do.
#[derive(Clone, Debug, State)]
pub(super) struct Body {
    #[state(fixed)]
    settings: BodySettings,
    #[state(fixed)]
    tree: Tree,
    #[state(fixed)]
    cycle: f64,
    dynamics: InverseDynamics,
    #[state(scratch)]
    data: Data,
    #[state(scratch)]
    configuration: Configuration,
    #[state(scratch)]
    velocity: Vec<f64>,
    servos: Servos,
    /// The joints that are in no leg, and how they shall be [rad].
    #[state(fixed)]
    free: Vec<usize>,
    posture: Vec<f64>,
    /// The same of the legs' joints.
    #[state(fixed)]
    legs: Vec<usize>,
    bent: Vec<f64>,
    /// Until the next solution [s].
    wait: f64,
    accelerations: Vec<f64>,
    torques: Vec<f64>,
    /// Felt at the links [N·m].
    #[state(scratch)]
    efforts: Vec<f64>,
    /// Whether the last solution failed, and the one before it.
    failed: [bool; 2],
}

impl Body {
    pub fn new(model: &RobotModel, layout: &RobotLayout, settings: &BodySettings) -> Result<Body, MissionError> {
        let (tree, feet) = (&model.tree, &model.description.feet);
        let [left, right] = feet.as_slice() else {
            let found = format!("robot '{}': expected two feet, found {}", model.name, feet.len());
            return Err(refused("walking", &found));
        };
        let feet = [left, right];
        let mut data = Data::new(tree);
        forward_kinematics(tree, &Configuration::zero(tree), &mut data);
        if data.link_in_base[left.link].translation.y <= data.link_in_base[right.link].translation.y {
            let found = format!("robot '{}': expected the left [[foot]] first, found \"{}\"", model.name, left.name);
            return Err(refused("walking", &found));
        }
        let contacts = feet.iter().zip(FEET).map(|(foot, name)| contact(name, foot, tree, settings)).collect();
        // feet, trunk and centre of mass tell the legs all
        let of_legs = |joint: &usize| feet.iter().any(|foot| model.description.limbs[foot.limb].joints.contains(joint));
        let free: Vec<usize> = (0..tree.dof()).filter(|joint| !of_legs(joint)).collect();
        let legs: Vec<usize> = (0..tree.dof()).filter(of_legs).collect();
        let bent = knees::bent(model, &feet, settings.knee_bend);
        let dynamics =
            InverseDynamics::new(&bent, tasks(tree, feet, (&free, &legs), settings), contacts, Settings::default());
        Ok(Body {
            settings: *settings,
            cycle: layout.period.seconds(),
            dynamics: dynamics.map_err(|error| refused("whole body", &error))?,
            data,
            configuration: Configuration::zero(tree),
            velocity: vec![0.0; tree.velocity_dof()],
            servos: Servos::new(model),
            posture: vec![0.0; free.len()],
            bent: vec![0.0; legs.len()],
            legs,
            free,
            wait: 0.0,
            accelerations: vec![0.0; tree.velocity_dof()],
            torques: vec![0.0; tree.dof()],
            efforts: vec![0.0; tree.dof()],
            failed: [false; 2],
            tree: tree.clone(),
        })
    }

    /// Begins where the robot is; this is how its joints shall be.
    pub fn reset(&mut self, readings: &Readings, odometry: &Odometry) {
        self.observe(readings, odometry);
        self.servos.reset(readings);
        self.wait = 0.0;
        self.accelerations.fill(0.0);
        self.torques.fill(0.0);
        self.failed = [false; 2];
        self.posture
            .iter_mut()
            .zip(&self.free)
            .for_each(|(posture, joint)| *posture = readings.joints[*joint].position);
        self.bent.iter_mut().zip(&self.legs).for_each(|(bent, joint)| *bent = readings.joints[*joint].position);
    }

    /// Takes in where it is.
    pub fn observe(&mut self, readings: &Readings, odometry: &Odometry) {
        self.configuration.base_in_world = odometry.base_in_odom;
        self.velocity[..3].copy_from_slice(odometry.linear_velocity_in_base.as_slice());
        self.velocity[3..6].copy_from_slice(odometry.angular_velocity_in_base.as_slice());
        for (joint, state) in readings.joints.iter().enumerate() {
            self.configuration.joints[joint] = state.position;
            self.velocity[BASE_DOF + joint] = state.velocity;
            self.efforts[joint] = state.effort;
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

    /// Whether what was wanted cannot be done, since this cycle.
    pub fn has_just_failed(&self) -> bool {
        self.failed == [true, false]
    }

    /// Holds all joints.
    pub fn hold(&self, commands: &mut Commands) {
        self.servos.hold(commands);
    }

    /// Lets all joints give way.
    pub fn give_way(&self, commands: &mut Commands) {
        self.servos.give_way(commands);
    }

    /// Does what the gait wants.
    pub fn follow(&mut self, output: &Output, trunk: Trunk, height: &Height, commands: &mut Commands) {
        self.wait -= self.cycle;
        self.failed[1] = self.failed[0];
        if self.wait < 0.5 * self.cycle {
            self.wait += self.settings.interval;
            self.want(output, trunk, height);
            self.solve();
        }
        let wanted = Wanted {
            accelerations: &self.accelerations[BASE_DOF..],
            torques: &self.torques,
            positions: &self.configuration.joints,
            velocities: &self.velocity[BASE_DOF..],
            efforts: &self.efforts,
        };
        let BodySettings { gains, forget, trim, resonance, .. } = self.settings;
        let manner = Manner { gains, forget, trim, resonance, dt: self.cycle };
        self.servos.follow(wanted, manner, commands);
    }

    /// Tells the tasks and contacts what the gait wants.
    fn want(&mut self, output: &Output, Trunk { roll, pitch }: Trunk, height: &Height) {
        let (com, com_velocity) = (self.com(), self.com_velocity());
        if let Some(Goal::CenterOfMass(goal)) = self.goal_mut(COM) {
            // across the ground the gait says the acceleration, and closes the loop itself
            (goal.position, goal.velocity) = (com, com_velocity);
            goal.acceleration = output.wanted.com_acceleration;
        }
        if let Some(Goal::CenterOfMass(goal)) = self.goal_mut(HEIGHT) {
            (goal.position.z, goal.velocity.z, goal.acceleration.z) =
                (height.position, height.velocity, height.acceleration);
        }
        let yaw = output.feet.map(|foot| foot.pose.rotation.euler_angles().2);
        let heading = yaw[0] + 0.5 * wrap_angle(yaw[1] - yaw[0]);
        if let Some(Goal::Pose(goal)) = self.goal_mut(TRUNK) {
            goal.pose_in_world.rotation = UnitQuaternion::from_euler_angles(roll, pitch, heading);
        }
        for (name, wanted) in [(POSTURE, &self.posture), (LEGS, &self.bent)] {
            if let Some(Task { goal: Goal::Posture(posture), .. }) = self.dynamics.task_mut(name) {
                posture.joints.iter_mut().zip(wanted).for_each(|(goal, position)| goal.position = *position);
            }
        }
        let weight = -GRAVITY_IN_WORLD.z * self.tree.mass();
        for (foot, name) in FEET.into_iter().enumerate() {
            let carries = output.carries[foot];
            self.dynamics.set_active(name, carries);
            if let Some(contact) = self.dynamics.contact_mut(name) {
                contact.most_force = weight * UNEVEN * (output.loads[foot].share + SPARE);
            }
            if let Some(task) = self.dynamics.task_mut(name) {
                task.weight = if carries { 0.0 } else { 1.0 };
            }
            if let Some(Goal::Pose(goal)) = self.goal_mut(name) {
                let FootMotion { pose, velocity, acceleration, turning } = output.feet[foot];
                goal.pose_in_world = pose;
                goal.velocity = Vector6::new(velocity.x, velocity.y, velocity.z, 0.0, 0.0, turning[0]);
                goal.acceleration = Vector6::new(acceleration.x, acceleration.y, acceleration.z, 0.0, 0.0, turning[1]);
            }
        }
    }

    /// What cannot be done leaves everything as it was.
    fn solve(&mut self) {
        self.failed[0] = self.dynamics.solve(&self.configuration, &self.velocity).is_err();
        if !self.failed[0] {
            self.accelerations.copy_from_slice(self.dynamics.accelerations());
            self.torques.copy_from_slice(self.dynamics.torques());
        }
    }

    fn goal_mut(&mut self, task: &str) -> Option<&mut Goal> {
        self.dynamics.task_mut(task).map(|task| &mut task.goal)
    }
}

/// A sole on the ground.
fn contact(name: &str, foot: &Foot, tree: &Tree, settings: &BodySettings) -> Contact {
    let half = |side: f64| (0.5 * side - settings.inset).max(1e-3);
    let surface = Surface::Patch { half_lengths: [half(foot.length), half(foot.width)] };
    let link = &tree.links[foot.link].name;
    Contact { surface, ..Contact::point(name, link, Isometry3::identity(), settings.friction) }
}

fn tasks(tree: &Tree, feet: [&Foot; 2], (free, legs): (&[usize], &[usize]), settings: &BodySettings) -> Vec<Task> {
    let here = Isometry3::identity();
    let com = |axes| Goal::CenterOfMass(CenterOfMass { axes, ..CenterOfMass::at(Vector3::zeros()) });
    let trunk = Goal::Pose(Pose::at(&tree.links[0].name, here).orientation_only());
    let mut tasks = vec![
        Task::new(COM, 0, com([true, true, false])).weighing(settings.com_weight),
        Task::new(HEIGHT, 0, com([false, false, true])).weighing(settings.height_weight).at_frequency(settings.trunk),
        Task::new(TRUNK, 0, trunk).weighing(settings.trunk_weight).at_frequency(settings.trunk),
    ];
    tasks.extend(feet.iter().zip(FEET).map(|(foot, name)| {
        let pose = Goal::Pose(Pose::at(&tree.links[foot.link].name, here));
        Task::new(name, 0, pose).at_frequency(settings.foot)
    }));
    for (name, joints, weight) in [(POSTURE, free, settings.posture_weight), (LEGS, legs, settings.leg_weight)] {
        let joints = joints.iter().map(|joint| JointGoal::at(&tree.joints[*joint].name, 0.0)).collect();
        let posture = Task::new(name, 0, Goal::Posture(Posture { joints }));
        tasks.push(posture.weighing(weight).at_frequency(settings.posture));
    }
    tasks
}
