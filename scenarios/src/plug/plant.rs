//! What stands behind the plug of a session: the simulation itself, or a bus.

use hil::robot::{CycleReport, EtherCatClock, EtherCatRobot};
use plant::{SimClock, SimRobot};
use robot_io::{
    Clock, Commands, Events, IoError, Lifecycle, Readings, RobotIo, RobotLayout, State, StateVisitor, Time,
};

use super::eyes::Seeing;
use super::later::Later;
use super::mixed::{MixedClock, MixedRobot};
use crate::own_plant::{OwnClock, OwnRobot};

/// The robot of a session before anything is wrapped around it.
#[derive(Debug)]
pub enum PlantRobot {
    /// The simulation.
    Sim(Box<SimRobot>),
    /// Boards on a bus: emulated, modelled or real.
    Bus(Box<EtherCatRobot>),
    /// Both.
    Mixed(Box<MixedRobot>),
    /// One of these whose scans and pictures come by another way.
    Seeing(Box<Seeing>),
    /// One of these that goes on from an earlier run.
    Later(Box<Later>),
    /// Whatever somebody else has.
    Own(OwnRobot),
}

/// What makes time pass in it.
#[derive(Debug)]
pub enum PlantClock {
    /// Physics steps.
    Sim(SimClock),
    /// Bus cycles.
    Bus(EtherCatClock),
    /// Both.
    Mixed(MixedClock),
    /// Whatever somebody else has.
    Own(OwnClock),
}

impl PlantRobot {
    /// What the last cycle was like on the bus, if there is one.
    pub fn cycle_report(&self) -> Option<CycleReport> {
        match self {
            PlantRobot::Sim(_) | PlantRobot::Own(_) => None,
            PlantRobot::Bus(robot) => Some(robot.cycle_report()),
            PlantRobot::Mixed(robot) => Some(robot.cycle_report()),
            PlantRobot::Seeing(robot) => robot.plant().cycle_report(),
            PlantRobot::Later(robot) => robot.plant().cycle_report(),
        }
    }

    /// True if there is something to be switched off at the end.
    pub fn must_be_switched_off(&self) -> bool {
        match self {
            PlantRobot::Sim(_) => false,
            PlantRobot::Bus(_) | PlantRobot::Mixed(_) | PlantRobot::Own(_) => true,
            PlantRobot::Seeing(robot) => robot.plant().must_be_switched_off(),
            PlantRobot::Later(robot) => robot.plant().must_be_switched_off(),
        }
    }

    /// True if its state can be saved and restored. A bus's boards remember more than they tell, and so does what is not ours.
    pub fn can_restore(&self) -> bool {
        !self.must_be_switched_off()
    }

    fn robot(&mut self) -> &mut dyn RobotIo {
        match self {
            PlantRobot::Sim(robot) => robot.as_mut(),
            PlantRobot::Bus(robot) => robot.as_mut(),
            PlantRobot::Mixed(robot) => robot.as_mut(),
            PlantRobot::Seeing(robot) => robot.as_mut(),
            PlantRobot::Later(robot) => robot.as_mut(),
            PlantRobot::Own(robot) => robot.0.as_mut(),
        }
    }
}

impl RobotIo for PlantRobot {
    fn layout(&self) -> &RobotLayout {
        match self {
            PlantRobot::Sim(robot) => robot.layout(),
            PlantRobot::Bus(robot) => robot.layout(),
            PlantRobot::Mixed(robot) => robot.layout(),
            PlantRobot::Seeing(robot) => robot.layout(),
            PlantRobot::Later(robot) => robot.layout(),
            PlantRobot::Own(robot) => robot.0.layout(),
        }
    }

    fn lifecycle(&self) -> Lifecycle {
        match self {
            PlantRobot::Sim(robot) => robot.lifecycle(),
            PlantRobot::Bus(robot) => robot.lifecycle(),
            PlantRobot::Mixed(robot) => robot.lifecycle(),
            PlantRobot::Seeing(robot) => robot.lifecycle(),
            PlantRobot::Later(robot) => robot.lifecycle(),
            PlantRobot::Own(robot) => robot.0.lifecycle(),
        }
    }

    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        self.robot().transition(to)
    }

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        self.robot().read(readings)
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        self.robot().write(commands)
    }

    fn drain_events(&mut self, events: &mut Events) {
        self.robot().drain_events(events);
    }
}

impl State for PlantRobot {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        match self {
            PlantRobot::Sim(robot) => robot.visit_state(visitor),
            PlantRobot::Bus(robot) => robot.visit_state(visitor),
            PlantRobot::Mixed(robot) => robot.visit_state(visitor),
            PlantRobot::Seeing(robot) => robot.visit_state(visitor),
            PlantRobot::Later(robot) => robot.visit_state(visitor),
            // nobody restores it: it is not computed again
            PlantRobot::Own(_) => {}
        }
    }
}

impl PlantClock {
    fn clock(&self) -> &dyn Clock {
        match self {
            PlantClock::Sim(clock) => clock,
            PlantClock::Bus(clock) => clock,
            PlantClock::Mixed(clock) => clock,
            PlantClock::Own(clock) => clock.0.as_ref(),
        }
    }
}

impl Clock for PlantClock {
    fn now(&self) -> Time {
        self.clock().now()
    }

    fn advance(&mut self) -> Result<Time, IoError> {
        match self {
            PlantClock::Sim(clock) => clock.advance(),
            PlantClock::Bus(clock) => clock.advance(),
            PlantClock::Mixed(clock) => clock.advance(),
            PlantClock::Own(clock) => clock.0.advance(),
        }
    }
}
