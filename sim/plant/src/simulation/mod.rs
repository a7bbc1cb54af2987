//! The simulated side: a world of its own that is stepped, hashed, saved and restored.

mod act;
mod build;
mod equipment;
mod memory;
mod parts;
mod robot;
mod sense;
mod show;
mod step;
mod view;

pub use view::RobotView;

use mechanics::Mechanics;
use robot_io::{Commands, Events, IoError, Lifecycle, Readings, RobotLayout, Time};
use robot_model::{RobotModel, Wrench};
use worlds::World;

use crate::contacts::Contacts;
use crate::frame::Push;
use crate::self_contact::Overlap;
use crate::setup::Setup;
use crate::spawn::Spawned;
use robot::{Around, Robot};

/// A world with a robot, or with several. What is not told which one it is about is about the first.
pub struct Simulation {
    world: World,
    /// At least one.
    robots: Vec<Robot>,
    /// Hash of everything that a snapshot silently relies on.
    fingerprint: u64,
    spawned: Spawned,
    mechanics: Mechanics,
    /// The physics step [s].
    dt: f64,
    steps_per_cycle: u64,

    steps: u64,
    /// What acts in each dof in this step: working memory.
    drives: Vec<mechanics::Drive>,
    /// What acts on each body from outside: working memory.
    outer: Vec<Wrench>,
    contacts: Contacts,
}

impl Simulation {
    /// Joints, sensors and the control cycle.
    pub fn layout(&self) -> &RobotLayout {
        &self.first().layout
    }

    /// The robot.
    pub fn robot(&self) -> &RobotModel {
        &self.first().model
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// How good the last physics step is.
    pub fn certificate(&self) -> &mechanics::Certificate {
        self.mechanics.certificate()
    }

    /// How it began.
    pub fn setup(&self) -> &Setup {
        &self.first().setup
    }

    /// How many control cycles have passed.
    pub fn cycle(&self) -> u64 {
        self.steps / self.steps_per_cycle
    }

    /// How many physics steps make a control cycle.
    pub fn steps_per_cycle(&self) -> u64 {
        self.steps_per_cycle
    }

    /// The present time.
    pub fn time(&self) -> Time {
        Time::from_nanoseconds(self.steps * self.first().setup.physics_period.nanoseconds())
    }

    /// The plug's state.
    pub fn lifecycle(&self) -> Lifecycle {
        self.first().lifecycle
    }

    /// Moves the robot through its life. Leaving a fault resets the drives.
    pub fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        self.transition_of(0, to)
    }

    /// The same for one of the robots, by its number.
    pub fn transition_of(&mut self, robot: usize, to: Lifecycle) -> Result<(), IoError> {
        let (around, robots) = self.split();
        robots.get_mut(robot).map_or(Err(IoError::End), |robot| robot.transition(to, around))
    }

    /// Hands over the commands of this cycle. They act only while the robot is active.
    pub fn command(&mut self, commands: &Commands) -> Result<(), IoError> {
        self.command_of(0, commands)
    }

    /// The same for one of the robots, by its number.
    pub fn command_of(&mut self, robot: usize, commands: &Commands) -> Result<(), IoError> {
        self.robots.get_mut(robot).map_or(Err(IoError::End), |robot| robot.command(commands))
    }

    /// Links that overlap where the robot began: they do not touch each other in this simulation.
    pub fn overlaps(&self) -> &[Overlap] {
        &self.first().overlaps
    }

    /// The measurements of the present cycle.
    pub fn readings(&self) -> &Readings {
        &self.first().readings
    }

    /// Pushes a link from now until `push.until`; the links of all robots are counted in the robots' order. Pushes add up.
    pub fn push(&mut self, push: Push) {
        let robot = self.robots.iter_mut().find(|robot| robot.placement.own_links().contains(&push.link));
        if let Some(robot) = robot {
            robot.push(Push { link: push.link - robot.placement.first_link, ..push });
        }
    }

    /// The same for one of the robots, by its number, whose own links are counted.
    pub fn push_of(&mut self, robot: usize, push: Push) {
        if let Some(robot) = self.robots.get_mut(robot) {
            robot.push(push);
        }
    }

    /// Moves what happened since the last call to the end of `events`.
    pub fn drain_events(&mut self, events: &mut Events) {
        self.drain_events_of(0, events);
    }

    /// The same for one of the robots, by its number.
    pub fn drain_events_of(&mut self, robot: usize, events: &mut Events) {
        if let Some(robot) = self.robots.get_mut(robot) {
            events.append(&mut robot.events);
        }
    }

    /// There is always one.
    fn first(&self) -> &Robot {
        &self.robots[0]
    }

    /// The robots, and all that is around them.
    fn split(&mut self) -> (Around<'_>, &mut [Robot]) {
        let (now, cycle, step) = (self.time(), self.cycle(), self.dt);
        let Simulation { world, spawned, mechanics, contacts, robots, .. } = self;
        (Around { world, spawned, mechanics, contacts, now, cycle, step }, robots)
    }
}
