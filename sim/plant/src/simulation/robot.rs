//! A robot in the world: its drives, its sensors, and what it is told.

use nalgebra::{Isometry3, Vector3};
use robot_io::{
    Commands, Events, IoError, JointCommand, Lifecycle, RandomStream, Readings, RobotLayout, RobotStatus, Time,
};
use robot_model::description::ForceTorqueMount;
use robot_model::{Motion as LinkMotion, RobotModel};
use std::sync::Arc;
use worlds::World;

use super::equipment::{self, Equipment};
use crate::actuator::{Drive, Passive};
use crate::contacts::Contacts;
use crate::error::PlantError;
use crate::frame::Push;
use crate::member::Member;
use crate::self_contact::Overlap;
use crate::sensor::{BatteryMonitor, ContactSwitch, ForceTorqueCell, ImuUnit, Skin};
use crate::setup::Setup;
use crate::spawn::{LinkPlace, Placement, Spawned};
use crate::vision::Vision;
use crate::wheels::Rolling;

/// One of the robots of a simulation.
pub(super) struct Robot {
    /// Its name among them; empty for the first.
    pub name: String,
    /// Its number among them.
    pub number: usize,
    pub model: Arc<RobotModel>,
    pub layout: RobotLayout,
    pub setup: Setup,
    pub placement: Placement,
    pub overlaps: Vec<Overlap>,
    /// For each joint of the tree its place in `joints`; its body is the next.
    pub joint_of: Vec<usize>,

    pub lifecycle: Lifecycle,
    pub commands: Vec<JointCommand>,
    pub joints: Vec<Joint>,
    pub wheels: Vec<Wheel>,
    pub imus: Vec<ImuUnit>,
    pub cells: Vec<ForceTorqueCell>,
    pub switches: Vec<ContactSwitch>,
    /// Patches of skin, if they are switched on.
    pub skin: Vec<Skin>,
    pub batteries: Vec<BatteryMonitor>,
    /// Lasers and cameras, if any are switched on.
    pub vision: Option<Box<Vision>>,
    pub readings: Readings,
    pub pushes: Vec<Push>,
    pub energy_used: f64,
    /// For each joint whether its fault and its derating have been told.
    pub told: Vec<u64>,
    pub events: Events,
}

/// A joint and how it is driven. It is the one above the robot's body of its own number and one.
#[derive(Clone)]
pub(super) struct Joint {
    /// Name, for those who compare.
    pub name: String,
    pub motion: LinkMotion,
    pub actuation: Actuation,
}

/// How a joint is driven.
#[derive(Clone)]
pub(super) enum Actuation {
    Drive(Box<Drive>),
    Passive(Passive),
}

/// A wheel and what rolling costs it.
#[derive(Clone)]
pub(super) struct Wheel {
    pub place: LinkPlace,
    /// Its link's number among those of all robots.
    pub link: usize,
    pub axis_in_link: Vector3<f64>,
    pub rolling: Rolling,
}

/// What is around the robots.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub world: &'a World,
    pub spawned: &'a Spawned,
    pub mechanics: &'a mechanics::Mechanics,
    pub contacts: &'a Contacts,
    /// The present time.
    pub now: Time,
    /// The control cycle.
    pub cycle: u64,
    /// The physics step [s].
    pub step: f64,
}

impl Robot {
    /// A robot that has not been switched on, and whose sensors have not been read.
    pub fn new(
        world: &World,
        (members, number): (&[Member], usize),
        placement: Placement,
        overlaps: Vec<Overlap>,
        inertias: &[f64],
    ) -> Result<Robot, PlantError> {
        let member = &members[number];
        let Member { name, robot, setup } = *member;
        let dt = setup.physics_period.seconds();
        let mut layout = robot.layout_with(&setup.sensors);
        layout.period = setup.cycle_period.unwrap_or(layout.period);
        let Equipment { joints, joint_of, wheels } = equipment::of(member, &placement, inertias, dt)?;
        let dof = robot.tree.dof();
        Ok(Robot {
            name: name.to_owned(),
            number,
            model: Arc::new(robot.clone()),
            readings: Readings::new(&layout),
            vision: Vision::new(world, members, member, &layout, &placement)?,
            layout,
            setup: setup.clone(),
            placement,
            overlaps,
            lifecycle: Lifecycle::default(),
            commands: vec![JointCommand::default(); dof],
            joints,
            joint_of,
            wheels,
            imus: Vec::new(),
            cells: Vec::new(),
            switches: Vec::new(),
            skin: Vec::new(),
            batteries: robot.description.batteries.iter().map(BatteryMonitor::new).collect(),
            pushes: Vec::with_capacity(16),
            energy_used: 0.0,
            told: vec![0; dof],
            events: Vec::with_capacity(64),
        })
    }

    /// Mounts the sensors that feel; `seed` is that of their noise.
    pub fn mount_sensors(&mut self, seed: u64, around: Around) {
        let stream = |kind: &str, name: &str| RandomStream::new(seed, &format!("{kind}/{name}"));
        let model = Arc::clone(&self.model);
        let description = &model.description;
        for mount in &description.imus {
            let motion = self.imu_motion(mount, around);
            let noise = stream("imu", &mount.name);
            self.imus.push(ImuUnit::new(mount, &motion, self.layout.period, noise, self.setup.noise));
        }
        let placement = &self.placement;
        let cell = |cell: &ForceTorqueMount| {
            ForceTorqueCell::new(cell, &model.tree, placement, stream("force_torque", &cell.name))
        };
        self.cells.extend(description.force_torques.iter().map(cell));
        let switches = &description.contacts;
        self.switches.extend(switches.iter().map(|mount| ContactSwitch::new(mount, stream("contact", &mount.name))));
        let patches = description.skin_with(&self.setup.sensors);
        self.skin.extend(patches.iter().map(|patch| Skin::new(patch, stream("skin", &patch.name))));
    }

    /// Moves it through its life. Leaving a fault resets the drives.
    pub fn transition(&mut self, to: Lifecycle, around: Around) -> Result<(), IoError> {
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
            self.sense_joints(around);
        }
        Ok(())
    }

    /// Hands over the commands of this cycle. They act only while it is active.
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

    /// Fills in what its sensors say; what the operator does is the session's to fill in.
    pub fn read(&self, readings: &mut Readings) -> Result<(), IoError> {
        if !self.lifecycle.can_read() {
            return Err(IoError::NotReadable { state: self.lifecycle });
        }
        readings.check(&self.layout)?;
        let operator = readings.operator;
        readings.copy_from(&self.readings);
        readings.operator = operator;
        readings.status = RobotStatus { lifecycle: self.lifecycle, ..RobotStatus::default() };
        Ok(())
    }

    /// Pushes a link from now until `push.until`. Pushes add up.
    pub fn push(&mut self, push: Push) {
        if push.link < self.placement.links.len() {
            self.pushes.push(push);
        }
    }

    /// Pose of a link in the world [m].
    pub fn link_in_world(&self, link: usize, mechanics: &mechanics::Mechanics) -> Isometry3<f64> {
        let place = &self.placement.links[link];
        mechanics.now().bodies[place.number].in_world * place.pose_in_body
    }

    /// The number of the body that a joint moves, by the joint's place.
    pub fn body_of(&self, place: usize) -> usize {
        self.placement.base + place + 1
    }
}
