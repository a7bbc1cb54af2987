//! One cycle as hands see it; the next one begins with it.

use std::sync::Arc;

use nalgebra::Isometry3;
use robot_io::{Readings, State, Time};
use robot_model::description::EncoderAt;
use robot_model::{BASE_DOF, Configuration, Data, GRAVITY_IN_WORLD, forward_kinematics, rnea};

use super::goal::HandGoal;
use super::insert::Search;
use super::plan::Question;
use super::scene::HeldThing;
use crate::known::Known;
use crate::setup::Body;

/// A joint that is told to go slower than this is helped against friction by a share only [rad/s or m/s]: at rest by nothing.
const SLOW: f64 = 0.01;

/// Where everything is.
#[derive(Debug, State)]
pub(super) struct Moment {
    #[state(fixed)]
    pub body: Arc<Body>,
    #[state(fixed)]
    pub cycle_time: f64,
    pub now: Time,
    pub base_in_odom: Isometry3<f64>,
    pub known: Known,
    /// Where all joints are [rad or m], and where they are told to be, if somebody tells them.
    #[state(elements)]
    pub positions: Vec<f64>,
    #[state(elements)]
    pub told: Vec<f64>,
    /// What the joints give [N·m or N].
    #[state(elements)]
    efforts: Vec<f64>,
    #[state(scratch)]
    scratch: Scratch,
}

#[derive(Debug)]
struct Scratch {
    configuration: Configuration,
    data: Data,
    zeros: Vec<f64>,
}

impl Moment {
    pub fn new(body: Arc<Body>, cycle_time: f64) -> Moment {
        let tree = &body.robot.tree;
        let (dof, configuration, data) = (tree.dof(), Configuration::zero(tree), Data::new(tree));
        let none = || vec![0.0; dof];
        let zeros = vec![0.0; BASE_DOF + dof];
        Moment {
            cycle_time,
            now: Time::ZERO,
            base_in_odom: Isometry3::identity(),
            known: Known::default(),
            positions: none(),
            told: none(),
            efforts: none(),
            scratch: Scratch { configuration, data, zeros },
            body,
        }
    }

    /// A cycle begins; gravity is of interest only where arms move.
    pub fn read(&mut self, readings: &Readings, base_in_odom: &Isometry3<f64>, with_gravity: bool) {
        (self.now, self.base_in_odom) = (readings.time, *base_in_odom);
        for (joint, reading) in readings.joints.iter().enumerate() {
            (self.positions[joint], self.efforts[joint]) = (reading.position, reading.effort);
        }
        let Scratch { configuration, data, zeros } = &mut self.scratch;
        configuration.base_in_world = *base_in_odom;
        configuration.joints.copy_from_slice(&self.positions);
        let tree = &self.body.robot.tree;
        match with_gravity {
            true => rnea(tree, configuration, zeros, zeros, &GRAVITY_IN_WORLD, data),
            false => forward_kinematics(tree, configuration, data),
        }
    }

    /// Where the joints of an arm are [rad or m].
    pub fn arm(&self, arm: usize) -> impl Iterator<Item = f64> + '_ {
        self.body.arms[arm].joints.iter().map(|joint| self.positions[*joint])
    }

    /// What a joint has to give against gravity [N·m or N].
    pub fn gravity(&self, joint: usize) -> f64 {
        self.scratch.data.efforts[BASE_DOF + joint]
    }

    /// What the joints of an arm give beyond that [N·m or N].
    fn efforts_beyond_gravity(&self, arm: usize) -> impl Iterator<Item = f64> + '_ {
        self.body.arms[arm].joints.iter().map(|joint| self.efforts[*joint] - self.gravity(*joint))
    }

    /// What an arm's joints give at these speeds [rad/s or m/s] beyond gravity and friction [W].
    pub fn power(&self, arm: usize, speeds: &[f64]) -> f64 {
        let given = self.efforts_beyond_gravity(arm).zip(speeds).map(|(effort, speed)| effort * speed);
        given.sum::<f64>() - self.friction(arm, speeds)
    }

    /// What friction takes of the power that an arm's joints say that they give [W] at these speeds [rad/s].
    fn friction(&self, arm: usize, speeds: &[f64]) -> f64 {
        let joints = self.body.arms[arm].joints.iter().zip(speeds).filter(|(joint, _)| !self.is_felt_behind(**joint));
        joints.map(|(joint, speed)| self.rubs(*joint, self.efforts[*joint], speed.abs()) * speed.abs()).sum()
    }

    /// Whether a joint's effort is that of a spring behind the gear: friction has been taken from it.
    fn is_felt_behind(&self, joint: usize) -> bool {
        let class = self.body.robot.description.actuator_of(joint);
        class.is_some_and(|class| class.spring.is_some() && class.encoder_at == EncoderAt::Link)
    }

    /// What a joint has to give against friction where it is led at a speed [rad/s or m/s], beside gravity [N·m or N].
    pub fn against_friction(&self, joint: usize, speed: f64) -> f64 {
        self.rubs(joint, self.gravity(joint), speed.abs()) * (speed / SLOW).clamp(-1.0, 1.0)
    }

    /// How much a joint that gives an effort rubs at a speed [N·m or N], as the robot's file says of its gears.
    fn rubs(&self, joint: usize, effort: f64, speed: f64) -> f64 {
        self.body.robot.description.actuator_of(joint).map_or(0.0, |class| {
            class.coulomb_friction + (1.0 - class.efficiency) * effort.abs() + class.viscous_friction * speed
        })
    }

    /// How far the joint of an arm is off that is farthest from where it is told to be [rad or m].
    pub fn farthest(&self, arm: usize, told: &[f64]) -> f64 {
        self.arm(arm).zip(told).map(|(position, told)| (position - told).abs()).fold(0.0, f64::max)
    }

    /// An arm's hand in the odometry frame.
    pub fn hand(&self, arm: usize) -> Isometry3<f64> {
        self.scratch.data.link_in_world[self.body.arms[arm].link]
    }

    /// What an arm hangs on, in the odometry frame.
    pub fn root(&self, arm: usize) -> Isometry3<f64> {
        self.scratch.data.link_in_world[self.body.arms[arm].chain.root()]
    }

    /// A question about an arm from where the joints are told to be, or from where they are.
    pub fn question(&self, arm: usize, goal: &HandGoal, held: &[Option<HeldThing>], from: From) -> Question {
        let joints = if from == From::Measured { &self.positions } else { &self.told };
        Question {
            body: Arc::clone(&self.body),
            arm,
            task: goal.task,
            speed: goal.speed,
            with: goal.with,
            joints: joints.clone(),
            base_in_odom: self.base_in_odom,
            known: self.known.clone(),
            held: held.to_vec(),
            search: Search::default(),
        }
    }
}

/// From where a question begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    Told,
    Measured,
}
