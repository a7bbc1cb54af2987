//! What a simulation remembers, in one list for digest, snapshot and comparison.

use mechanics::Coordinates;
use robot_io::{JointCommand, Lifecycle, Readings, State, StateVisitor, StateWriter, Time};

use super::{Actuation, Joint, Simulation, Wheel};
use crate::contacts::ContactMemory;
use crate::frame::Push;
use crate::sensor::{BatteryMonitor, ImuUnit};
use crate::soil::Soil;
use crate::vision::VisionMemory;

/// Most pushes that a snapshot may hold.
const MOST_PUSHES: usize = 1 << 12;

/// Borrowed or copied, the same list.
pub(super) struct Parts<'a> {
    steps: &'a mut u64,
    lifecycle: &'a mut Lifecycle,
    commands: &'a mut [JointCommand],
    coordinates: &'a mut Coordinates,
    joints: &'a mut [Joint],
    contacts: &'a mut ContactMemory,
    soil: Option<&'a mut dyn State>,
    wheels: &'a mut [Wheel],
    imus: &'a mut [ImuUnit],
    batteries: &'a mut [BatteryMonitor],
    vision: Option<&'a mut VisionMemory>,
    readings: &'a mut Readings,
    pushes: &'a mut Vec<Push>,
    energy_used: &'a mut f64,
    told: &'a mut [u64],
}

impl Simulation {
    /// What it remembers, to be read or replaced.
    pub(super) fn parts(&mut self) -> Parts<'_> {
        Parts {
            steps: &mut self.steps,
            lifecycle: &mut self.lifecycle,
            commands: &mut self.commands,
            coordinates: self.mechanics.coordinates_mut(),
            joints: &mut self.joints,
            contacts: &mut self.contacts.memory,
            soil: self.contacts.soil.as_mut().map(|soil| soil as &mut dyn State),
            wheels: &mut self.wheels,
            imus: &mut self.imus,
            batteries: &mut self.batteries,
            vision: self.vision.as_mut().map(|vision| &mut vision.memory),
            readings: &mut self.readings,
            pushes: &mut self.pushes,
            energy_used: &mut self.energy_used,
            told: &mut self.told,
        }
    }

    /// What it remembers as bytes, from a copy: saving does not disturb.
    pub(super) fn own_bytes(&self) -> Vec<u8> {
        let mut soil = self.contacts.soil.as_ref().map(Soil::memory);
        let mut vision = self.vision.as_ref().map(|vision| vision.memory.clone());
        let mut parts = Parts {
            steps: &mut self.steps.clone(),
            lifecycle: &mut self.lifecycle.clone(),
            commands: &mut self.commands.clone(),
            coordinates: &mut self.mechanics.coordinates().clone(),
            joints: &mut self.joints.clone(),
            contacts: &mut self.contacts.memory.clone(),
            soil: soil.as_mut().map(|soil| soil as &mut dyn State),
            wheels: &mut self.wheels.clone(),
            imus: &mut self.imus.clone(),
            batteries: &mut self.batteries.clone(),
            vision: vision.as_mut(),
            readings: &mut self.readings.clone(),
            pushes: &mut self.pushes.clone(),
            energy_used: &mut self.energy_used.clone(),
            told: &mut self.told.clone(),
        };
        StateWriter::save(&mut parts)
    }
}

impl State for Parts<'_> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("steps", self.steps);
        visitor.field("lifecycle", self.lifecycle);
        visitor.field("commands", self.commands);
        visitor.field("coordinates", self.coordinates);
        visitor.enter("joints");
        for joint in self.joints.iter_mut() {
            visitor.enter(&joint.name);
            joint.visit_state(visitor);
            visitor.leave();
        }
        visitor.leave();
        visitor.field("contacts", self.contacts);
        if let Some(soil) = &mut self.soil {
            visitor.field("soil", *soil);
        }
        visitor.enter("wheels");
        self.wheels.iter_mut().for_each(|wheel| visitor.field("rolling", &mut wheel.rolling));
        visitor.leave();
        visitor.field("imus", self.imus);
        visitor.field("batteries", self.batteries);
        if let Some(vision) = &mut self.vision {
            visitor.field("vision", *vision);
        }
        // the status that a controller reads is this plant's life cycle, shown above
        visitor.enter("readings");
        self.readings.visit_measured(visitor);
        visitor.leave();
        visit_pushes(self.pushes, visitor);
        visitor.field("energy_used", self.energy_used);
        visitor.field("told", self.told);
    }
}

impl State for Joint {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        if let Actuation::Drive(drive) = &mut self.actuation {
            visitor.field("drive", &mut **drive);
        }
    }
}

fn visit_pushes(pushes: &mut Vec<Push>, visitor: &mut dyn StateVisitor) {
    visitor.enter("pushes");
    let mut length = pushes.len();
    length.visit_state(visitor);
    let none =
        Push { link: 0, point_in_link: Default::default(), force_in_world: Default::default(), until: Time::ZERO };
    pushes.resize(length.min(MOST_PUSHES), none);
    for push in pushes {
        push.link.visit_state(visitor);
        push.point_in_link.visit_state(visitor);
        push.force_in_world.visit_state(visitor);
        push.until.visit_state(visitor);
    }
    visitor.leave();
}
