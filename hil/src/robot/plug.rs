//! The two halves of a bus: what is read and written, and what makes time pass.

use std::sync::{Arc, Mutex, MutexGuard};

use robot_io::{
    Clock, Commands, Events, IoError, Lifecycle, Readings, RobotIo, RobotLayout, State, StateVisitor, Time,
};

use super::bus::{Bus, CycleReport};
use super::cause::Cause;
use crate::bus_file::BusPlan;
use crate::exchange::Exchange;

/// A robot on an EtherCAT bus. Its life cycle is the bus's: INIT and PRE-OP, SAFE-OP, OP with all drives following.
#[derive(Debug)]
pub struct EtherCatRobot {
    bus: Shared,
    layout: RobotLayout,
}

/// The bus cycle: [`advance`](Clock::advance) exchanges process data.
#[derive(Debug)]
pub struct EtherCatClock {
    bus: Shared,
}

/// The bus that both halves hold, in turn and in one thread: nobody ever waits for it.
#[derive(Clone, Debug)]
struct Shared(Arc<Mutex<Bus>>);

/// Plugs a controller into `exchange`, with the boards of `plan`.
pub fn plug(exchange: Box<dyn Exchange>, plan: Arc<BusPlan>, layout: &RobotLayout) -> (EtherCatRobot, EtherCatClock) {
    let boards = plan.boards.iter().map(|board| board.name.clone()).collect();
    let layout = RobotLayout { boards, ..layout.clone() };
    let bus = Shared(Arc::new(Mutex::new(Bus::new(exchange, plan, layout.clone()))));
    (EtherCatRobot { bus: bus.clone(), layout }, EtherCatClock { bus })
}

impl Shared {
    fn take(&self) -> Result<MutexGuard<'_, Bus>, IoError> {
        let busy = |_| IoError::Device("the bus is in use by another thread; robot and clock belong to one".to_owned());
        self.0.try_lock().map_err(busy)
    }
}

impl EtherCatRobot {
    /// Why the robot was stopped first; `None` while it is not.
    pub fn cause(&self) -> Option<Cause> {
        self.causes().first().copied()
    }

    /// Why the robot is stopped, in the order in which it was found.
    pub fn causes(&self) -> Vec<Cause> {
        self.bus.take().map_or_else(|_| Vec::new(), |bus| bus.supervisor.causes().collect())
    }

    /// What the last cycle was like on the bus.
    pub fn cycle_report(&self) -> CycleReport {
        self.bus.take().map(|bus| bus.cycle_report()).unwrap_or_default()
    }
}

impl RobotIo for EtherCatRobot {
    fn layout(&self) -> &RobotLayout {
        &self.layout
    }

    fn lifecycle(&self) -> Lifecycle {
        self.bus.take().map_or(Lifecycle::Fault, |bus| bus.lifecycle)
    }

    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        self.bus.take()?.transition(to)
    }

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        self.bus.take()?.read(readings)
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        self.bus.take()?.write(commands)
    }

    fn drain_events(&mut self, events: &mut Events) {
        if let Ok(mut bus) = self.bus.take() {
            events.append(&mut bus.events);
        }
    }
}

impl State for EtherCatRobot {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        if let Ok(mut bus) = self.bus.take() {
            bus.visit_state(visitor);
        }
    }
}

impl Clock for EtherCatClock {
    fn now(&self) -> Time {
        self.bus.take().map_or(Time::ZERO, |bus| bus.now)
    }

    fn advance(&mut self) -> Result<Time, IoError> {
        self.bus.take()?.advance()
    }
}
