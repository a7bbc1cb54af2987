//! What a simulation remembers, in one list for digest, snapshot and comparison.

use mechanics::Coordinates;
use robot_io::{State, StateVisitor, Time};

use super::Simulation;
use super::robot::{Actuation, Joint, Robot};
use crate::contacts::ContactMemory;
use crate::frame::Push;

/// Most pushes that a snapshot may hold.
const MOST_PUSHES: usize = 1 << 12;

/// What it remembers, to be read or replaced.
pub(super) struct Parts<'a> {
    steps: &'a mut u64,
    robots: &'a mut [Robot],
    coordinates: &'a mut Coordinates,
    contacts: &'a mut ContactMemory,
    soil: Option<&'a mut dyn State>,
}

impl Simulation {
    /// What it remembers.
    pub(super) fn parts(&mut self) -> Parts<'_> {
        Parts {
            steps: &mut self.steps,
            robots: &mut self.robots,
            coordinates: self.mechanics.coordinates_mut(),
            contacts: &mut self.contacts.memory,
            soil: self.contacts.soil.as_mut().map(|soil| soil as &mut dyn State),
        }
    }
}

impl State for Parts<'_> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("steps", self.steps);
        self.of_each(visitor, Robot::visit_orders);
        visitor.field("coordinates", self.coordinates);
        self.of_each(visitor, Robot::visit_joints);
        visitor.field("contacts", self.contacts);
        if let Some(soil) = &mut self.soil {
            visitor.field("soil", *soil);
        }
        self.of_each(visitor, Robot::visit_rest);
    }
}

impl Parts<'_> {
    /// Each robot but the first is visited under its name.
    fn of_each(&mut self, visitor: &mut dyn StateVisitor, visit: fn(&mut Robot, &mut dyn StateVisitor)) {
        for robot in &mut *self.robots {
            if robot.number > 0 {
                visitor.enter(&robot.name);
            }
            visit(robot, visitor);
            if robot.number > 0 {
                visitor.leave();
            }
        }
    }
}

impl Robot {
    fn visit_orders(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("lifecycle", &mut self.lifecycle);
        visitor.field("commands", &mut *self.commands);
    }

    fn visit_joints(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.enter("joints");
        for joint in &mut self.joints {
            visitor.enter(&joint.name);
            joint.visit_state(visitor);
            visitor.leave();
        }
        visitor.leave();
    }

    fn visit_rest(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.enter("wheels");
        self.wheels.iter_mut().for_each(|wheel| visitor.field("rolling", &mut wheel.rolling));
        visitor.leave();
        visitor.field("imus", &mut *self.imus);
        visitor.field("batteries", &mut *self.batteries);
        if let Some(vision) = &mut self.vision {
            visitor.field("vision", &mut vision.memory);
        }
        // the status that a controller reads is this plant's life cycle, shown above
        visitor.enter("readings");
        self.readings.visit_measured(visitor);
        visitor.leave();
        visit_pushes(&mut self.pushes, visitor);
        visitor.field("energy_used", &mut self.energy_used);
        visitor.field("told", &mut *self.told);
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
