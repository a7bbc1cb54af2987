//! The simulated side: a world of its own that is stepped, hashed, saved and restored.

mod build;
mod memory;
mod parts;
mod sense;
mod show;
mod step;

use std::sync::Arc;

use mechanics::Mechanics;
use robot_io::{Commands, Events, IoError, JointCommand, Lifecycle, Readings, RobotLayout, Time};
use robot_model::{Motion as LinkMotion, RobotModel, Wrench};
use worlds::World;

use crate::actuator::{Drive, Passive};
use crate::contacts::Contacts;
use crate::frame::Push;
use crate::self_contact::Overlap;
use crate::sensor::{BatteryMonitor, ContactSwitch, ForceTorqueCell, ImuUnit};
use crate::setup::Setup;
use crate::spawn::{LinkPlace, Spawned};
use crate::vision::Vision;
use crate::wheels::Rolling;

/// A robot in a world.
pub struct Simulation {
    world: World,
    robot: Arc<RobotModel>,
    layout: RobotLayout,
    setup: Setup,
    /// Hash of everything that a snapshot silently relies on.
    fingerprint: u64,
    spawned: Spawned,
    mechanics: Mechanics,
    /// The physics step [s].
    dt: f64,
    steps_per_cycle: u64,

    steps: u64,
    lifecycle: Lifecycle,
    commands: Vec<JointCommand>,
    joints: Vec<Joint>,
    /// For each joint of the tree its place in `joints`; its body is the next.
    joint_of: Vec<usize>,
    /// What acts in each dof in this step: working memory.
    drives: Vec<mechanics::Drive>,
    /// What acts on each body from outside: working memory.
    outer: Vec<Wrench>,
    contacts: Contacts,
    overlaps: Vec<Overlap>,
    wheels: Vec<Wheel>,
    imus: Vec<ImuUnit>,
    cells: Vec<ForceTorqueCell>,
    switches: Vec<ContactSwitch>,
    batteries: Vec<BatteryMonitor>,
    /// Lasers and cameras, if any are switched on.
    vision: Option<Box<Vision>>,
    readings: Readings,
    pushes: Vec<Push>,
    energy_used: f64,
    /// For each joint whether its fault and its derating have been told.
    told: Vec<u64>,
    events: Events,
}

/// A joint and how it is driven. It is the one above the robot's body of its own number and one.
#[derive(Clone)]
struct Joint {
    /// Name, for those who compare.
    name: String,
    motion: LinkMotion,
    actuation: Actuation,
}

/// How a joint is driven.
#[derive(Clone)]
enum Actuation {
    Drive(Box<Drive>),
    Passive(Passive),
}

/// A wheel and what rolling costs it.
#[derive(Clone)]
struct Wheel {
    place: LinkPlace,
    link: usize,
    axis_in_link: nalgebra::Vector3<f64>,
    rolling: Rolling,
}

impl Simulation {
    /// Joints, sensors and the control cycle.
    pub fn layout(&self) -> &RobotLayout {
        &self.layout
    }

    /// The robot.
    pub fn robot(&self) -> &RobotModel {
        &self.robot
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
        &self.setup
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
        Time::from_nanoseconds(self.steps * self.setup.physics_period.nanoseconds())
    }

    /// The plug's state.
    pub fn lifecycle(&self) -> Lifecycle {
        self.lifecycle
    }

    /// Moves the robot through its life. Leaving a fault resets the drives.
    pub fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        if !self.lifecycle.allows(to) {
            return Err(IoError::Transition { from: self.lifecycle, to });
        }
        self.lifecycle = to;
        if to == Lifecycle::Inactive {
            self.commands.fill(JointCommand::default());
            for joint in &mut self.joints {
                if let Actuation::Drive(drive) = &mut joint.actuation {
                    drive.reset_fault();
                }
            }
            self.told.fill(0);
            // the drives say so at once
            self.sense_joints();
        }
        Ok(())
    }

    /// Hands over the commands of this cycle. They act only while the robot is active.
    pub fn command(&mut self, commands: &Commands) -> Result<(), IoError> {
        commands.check(&self.layout)?;
        if self.lifecycle == Lifecycle::Active {
            self.commands.copy_from_slice(&commands.joints);
            if commands.emergency_stop {
                self.commands.fill(JointCommand::default());
            }
            if let Some(vision) = &mut self.vision {
                vision.ask(commands);
            }
        }
        Ok(())
    }

    /// Links that overlap where the robot began: they do not touch each other in this simulation.
    pub fn overlaps(&self) -> &[Overlap] {
        &self.overlaps
    }

    /// The measurements of the present cycle.
    pub fn readings(&self) -> &Readings {
        &self.readings
    }

    /// Pushes a link from now until `push.until`. Pushes add up.
    pub fn push(&mut self, push: Push) {
        if push.link < self.spawned.links.len() {
            self.pushes.push(push);
        }
    }

    /// Moves what happened since the last call to the end of `events`.
    pub fn drain_events(&mut self, events: &mut Events) {
        events.append(&mut self.events);
    }
}
