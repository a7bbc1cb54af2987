//! A robot of two halves: some joints on a bus, the others simulated.

use hil::robot::{CycleReport, EtherCatClock, EtherCatRobot};
use plant::{SimClock, SimRobot};
use robot_io::{Clock, Commands, Events, IoError, Lifecycle, Readings, RobotIo, State, Time, delegate_robot_io};

/// Merges two robots of the same layout. Both are told everything, so that the simulation carries on with the joints that
/// are real as its own model has them; of the joints on the bus the bus's word counts, of everything else the simulation's.
#[derive(Debug, State)]
pub struct MixedRobot {
    bus: EtherCatRobot,
    simulation: SimRobot,
    /// For each joint, whether it is on the bus.
    #[state(fixed)]
    on_bus: Vec<bool>,
    #[state(scratch)]
    from_bus: Readings,
}

/// Both halves' time: the bus keeps it, the simulation follows.
#[derive(Debug)]
pub struct MixedClock {
    bus: EtherCatClock,
    simulation: SimClock,
}

/// Merges two halves; `on_bus` says of each joint whose it is.
pub fn mix(
    bus: (EtherCatRobot, EtherCatClock),
    simulation: (SimRobot, SimClock),
    on_bus: Vec<bool>,
) -> (MixedRobot, MixedClock) {
    let from_bus = Readings::new(bus.0.layout());
    let robot = MixedRobot { bus: bus.0, simulation: simulation.0, on_bus, from_bus };
    (robot, MixedClock { bus: bus.1, simulation: simulation.1 })
}

impl MixedRobot {
    /// What the last cycle was like on the bus.
    pub fn cycle_report(&self) -> CycleReport {
        self.bus.cycle_report()
    }
}

impl RobotIo for MixedRobot {
    delegate_robot_io!(bus: layout, lifecycle);

    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        self.bus.transition(to)?;
        // the bus may come back from a fault that the simulation never had
        if self.simulation.lifecycle() == to { Ok(()) } else { self.simulation.transition(to) }
    }

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        self.bus.read(&mut self.from_bus)?;
        self.simulation.read(readings)?;
        (readings.cycle, readings.time, readings.status) =
            (self.from_bus.cycle, self.from_bus.time, self.from_bus.status);
        let joints = readings.joints.iter_mut().zip(&self.from_bus.joints).zip(&self.on_bus);
        joints.filter(|(_, on_bus)| **on_bus).for_each(|((joint, real), _)| *joint = *real);
        Ok(())
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        self.bus.write(commands)?;
        self.simulation.write(commands)
    }

    fn drain_events(&mut self, events: &mut Events) {
        self.bus.drain_events(events);
        self.simulation.drain_events(events);
    }
}

impl Clock for MixedClock {
    fn now(&self) -> Time {
        self.bus.now()
    }

    fn advance(&mut self) -> Result<Time, IoError> {
        let now = self.bus.advance()?;
        self.simulation.advance()?;
        Ok(now)
    }
}
