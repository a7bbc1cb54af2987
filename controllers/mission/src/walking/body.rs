//! The whole body: from what the gait wants to commands of the joints.

use nalgebra::{Isometry3, UnitQuaternion, Vector3, Vector6};
use robot_io::math::wrap_angle;
use robot_io::{Commands, JointCommand, Odometry, Readings, RobotLayout, State};
use robot_model::{
    BASE_DOF, Configuration, Data, GRAVITY_IN_WORLD, RobotModel, Tree, center_of_mass_in_world, centroidal_momentum,
    forward_kinematics, forward_velocities,
};
use walking::{FootMotion, Output};
use whole_body::{Goal, InverseDynamics, Settings};

use super::apart::Apart;
use super::fall::Fall;
use super::head::Gaze;
use super::height::Height;
use super::knees;
use super::lent::Lent;
use super::motion::Player;
use super::motion_scene::Scene;
use super::refused;
use super::servos::{Manner, Servos, Wanted};
use super::slots::{Group, groups};
use super::tasks::{COM, FEET, HEIGHT, LEGS, POSTURE, TRUNK, contact, tasks};
use crate::MissionError;
use crate::motion::Motion;
use crate::walking_settings::{BodySettings, WalkingSettings};

/// Joints that follow a hand count so much less in their posture.
const YIELDS: f64 = 0.01;
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
    /// The joints that are in no leg, limb by limb, and whether they follow a hand instead of their posture.
    #[state(fixed)]
    groups: Vec<Group>,
    #[state(elements)]
    yields: Vec<bool>,
    /// Where each joint of the robot shall be [rad], and how fast it shall move [rad/s].
    #[state(elements)]
    wanted: Vec<[f64; 2]>,
    #[state(fixed)]
    legs: Vec<usize>,
    /// The joints between each knee and its sole, and which joints give way.
    #[state(fixed)]
    ankles: [Vec<usize>; 2],
    #[state(scratch)]
    gives: Vec<bool>,
    player: Player,
    gaze: Gaze,
    /// Until the next solution [s].
    wait: f64,
    accelerations: Vec<f64>,
    torques: Vec<f64>,
    /// Felt at the links [N·m].
    #[state(scratch)]
    efforts: Vec<f64>,
    /// In the last solution hands were not kept from touching: there was none else.
    touches: bool,
    /// Whether the last solution failed, and the one before it.
    failed: [bool; 2],
}

impl Body {
    pub fn new(
        model: &RobotModel,
        layout: &RobotLayout,
        settings: &BodySettings,
        motions: &[&Motion],
    ) -> Result<Body, MissionError> {
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
        let groups = groups(POSTURE, model, |joint| !of_legs(&joint));
        let (player, extra) = Player::new(model, &groups, motions)?;
        let legs: Vec<usize> = (0..tree.dof()).filter(of_legs).collect();
        let bent = knees::bent(model, &feet, settings.knee_bend);
        let gaze = Gaze::new(model, settings.gaze_most, settings.gaze_time);
        let mut tasks = tasks(tree, feet, (&groups, &legs), |joints| gaze.moves(joints), settings);
        tasks.extend(extra);
        let apart = Apart::new(model);
        let dynamics = InverseDynamics::new(&bent, tasks, contacts, Settings::default())
            .and_then(|dynamics| dynamics.keeping_apart(&apart.capsules, &apart.pairs));
        Ok(Body {
            settings: *settings,
            cycle: layout.period.seconds(),
            dynamics: dynamics.map_err(|error| refused("whole body", &error))?,
            data,
            configuration: Configuration::zero(tree),
            velocity: vec![0.0; tree.velocity_dof()],
            servos: Servos::new(model),
            yields: vec![false; groups.len()],
            groups,
            wanted: vec![[0.0; 2]; tree.dof()],
            legs,
            ankles: feet.map(|foot| knees::below(model, foot)),
            gives: vec![false; tree.dof()],
            player,
            gaze,
            wait: 0.0,
            accelerations: vec![0.0; tree.velocity_dof()],
            torques: vec![0.0; tree.dof()],
            efforts: vec![0.0; tree.dof()],
            touches: false,
            failed: [false; 2],
            tree: tree.clone(),
        })
    }

    /// What falls with it.
    pub fn fall(model: &RobotModel, layout: &RobotLayout, settings: &WalkingSettings) -> Result<Fall, MissionError> {
        let [left, right] = model.description.feet.as_slice() else {
            let found = format!("robot '{}': expected two feet, found {}", model.name, model.description.feet.len());
            return Err(refused("walking", &found));
        };
        let feet = [left, right];
        let bent = knees::bent(model, &feet, settings.body.knee_bend);
        Fall::new(model, &bent, feet, &settings.fall, layout.period.seconds())
    }

    /// Begins where the robot is; this is how its joints shall be.
    pub fn reset(&mut self, readings: &Readings, odometry: &Odometry) {
        self.observe(readings, odometry);
        self.servos.reset(readings);
        self.wait = 0.0;
        self.accelerations.fill(0.0);
        self.torques.fill(0.0);
        self.failed = [false; 2];
        self.wanted.iter_mut().zip(&readings.joints).for_each(|(wanted, joint)| *wanted = [joint.position, 0.0]);
        self.player.reset();
        self.gaze.reset();
        self.yields.fill(false);
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
        let turns = odometry.base_in_odom.rotation * odometry.angular_velocity_in_base;
        let joints = &self.velocity[BASE_DOF..];
        self.gaze.counter(&self.data, turns, joints, self.cycle);
    }

    /// Centre of mass in the odometry frame [m].
    pub fn com(&self) -> Vector3<f64> {
        center_of_mass_in_world(&self.tree, &self.data)
    }

    /// Its divergent component [m].
    pub fn dcm(&self, omega: f64) -> Vector3<f64> {
        self.com() + self.com_velocity() / omega
    }

    /// Velocity of the centre of mass [m/s].
    pub fn com_velocity(&self) -> Vector3<f64> {
        centroidal_momentum(&self.tree, &self.data).linear / self.tree.mass()
    }

    /// Whether what was wanted cannot be done, since this cycle.
    pub fn has_just_failed(&self) -> bool {
        self.failed == [true, false]
    }

    /// What one of its tasks wants.
    pub fn goal(&self, task: &str) -> Option<&Goal> {
        self.dynamics.task(task).map(|task| &task.goal)
    }

    /// Holds all joints.
    pub fn hold(&self, commands: &mut Commands) {
        self.servos.hold(commands);
    }

    /// How fast the head turns [rad/s].
    pub fn head_turning(&self) -> f64 {
        self.gaze.turning()
    }

    /// The motions that it plays.
    pub fn player(&mut self) -> &mut Player {
        &mut self.player
    }

    pub fn shown_player(&self) -> &Player {
        &self.player
    }

    /// Whether a motion leads a joint, or a link that it carries.
    pub fn leads(&self, joint: usize) -> bool {
        let mut yielding = self.groups.iter().zip(&self.yields).filter(|(_, yields)| **yields);
        yielding.any(|(group, _)| group.joints.contains(&joint)) || self.player.poses(joint)
    }

    /// True while hands are not kept from touching.
    pub fn lets_touch(&self) -> bool {
        self.touches
    }

    /// Smallest distance of what is kept apart [m].
    pub fn gap(&self) -> f64 {
        self.dynamics.distances().fold(f64::INFINITY, f64::min)
    }

    /// Writes where the joints are wanted that are in no leg.
    pub fn offer(&self, commands: &mut Commands) {
        for joint in self.groups.iter().flat_map(|group| &group.joints) {
            let (position, velocity) = (self.wanted[*joint][0], 0.0);
            let (stiffness, damping) = self.servos.gains(*joint);
            commands.joints[*joint] =
                JointCommand { position, velocity, stiffness, damping, ..JointCommand::default() };
        }
    }

    /// Takes in where others want the joints that are in no leg.
    pub fn take(&mut self, commands: &Commands, lent: &Lent) {
        for joint in self.groups.iter().flat_map(|group| &group.joints) {
            let JointCommand { position, velocity, .. } = lent.command(*joint, commands.joints[*joint]);
            if position.is_finite() && velocity.is_finite() {
                self.wanted[*joint] = [position, velocity];
            }
        }
    }

    /// Goes on with the motion: what it wants of the centre of mass' height, roll and pitch, where these are usual.
    pub fn play(&mut self, feet: &Isometry3<f64>, usual: Vector3<f64>) -> Vector3<f64> {
        let Body { player, dynamics, data, configuration, velocity, cycle, .. } = self;
        let scene = Scene::seen(data, configuration, velocity, feet, usual, *cycle);
        player.update(&scene, dynamics);
        player.pose(&mut self.wanted);
        for (number, group) in self.groups.iter().enumerate() {
            let follows = self.player.moves(number);
            if self.yields[number] && !follows {
                // let go of, they stay where they are
                group.joints.iter().for_each(|joint| self.wanted[*joint] = [self.configuration.joints[*joint], 0.0]);
            }
            self.yields[number] = follows;
        }
        self.player.wanted(usual)
    }

    /// Feet that do not lie yet are not held as they are.
    pub fn let_lie(&mut self, lands: [bool; 2]) {
        for ((ankles, lands), name) in self.ankles.iter().zip(lands).zip(FEET) {
            ankles.iter().for_each(|joint| self.gives[*joint] = lands);
            if let Some(contact) = self.dynamics.contact_mut(name) {
                contact.gives = lands;
            }
        }
    }

    /// Does what the gait wants.
    pub fn follow(&mut self, output: &Output, trunk: Trunk, height: &Height, commands: &mut Commands) {
        self.wait -= self.cycle;
        self.failed[1] = self.failed[0];
        if self.wait < 0.5 * self.cycle {
            self.wait += self.settings.interval;
            self.want(output, trunk, height);
            let Body { player, dynamics, data, configuration, velocity, cycle, settings, .. } = self;
            let feet = Isometry3::identity();
            let scene = Scene::seen(data, configuration, velocity, &feet, Vector3::zeros(), *cycle);
            player.tell(&scene, settings.interval, dynamics);
            self.solve();
        }
        let wanted = Wanted {
            accelerations: &self.accelerations[BASE_DOF..],
            torques: &self.torques,
            positions: &self.configuration.joints,
            velocities: &self.velocity[BASE_DOF..],
            efforts: &self.efforts,
            gives: &self.gives,
        };
        let BodySettings { gains, landing_gains, forget, trim, resonance, .. } = self.settings;
        let manner = Manner { gains: [gains, landing_gains * gains], forget, trim, resonance, dt: self.cycle };
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
        self.want_posture();
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

    fn want_posture(&mut self) {
        let own = self.groups.iter().zip(&self.yields);
        let own =
            own.map(|(group, yields)| (group.name.as_str(), &group.joints, self.settings.posture_weight, *yields));
        let legs = core::iter::once((LEGS, &self.legs, self.settings.leg_weight, false));
        for (name, joints, weight, yields) in own.chain(legs) {
            let Some(task) = self.dynamics.task_mut(name) else { continue };
            task.weight = if yields { YIELDS * weight } else { weight };
            if let Goal::Posture(posture) = &mut task.goal {
                for (goal, joint) in posture.joints.iter_mut().zip(joints) {
                    let ([position, velocity], beside) = (self.wanted[*joint], self.gaze.beside(*joint));
                    (goal.position, goal.velocity) = (position + beside[0], velocity + beside[1]);
                }
            }
        }
    }

    /// What cannot be done leaves everything as it was. Before that, hands may touch.
    fn solve(&mut self) {
        self.failed[0] = self.dynamics.solve(&self.configuration, &self.velocity).is_err();
        self.touches = self.failed[0];
        if self.touches {
            self.dynamics.let_touch(true);
            self.failed[0] = self.dynamics.solve(&self.configuration, &self.velocity).is_err();
            self.dynamics.let_touch(false);
        }
        if !self.failed[0] {
            self.accelerations.copy_from_slice(self.dynamics.accelerations());
            self.torques.copy_from_slice(self.dynamics.torques());
        }
    }

    fn goal_mut(&mut self, task: &str) -> Option<&mut Goal> {
        self.dynamics.task_mut(task).map(|task| &mut task.goal)
    }
}
