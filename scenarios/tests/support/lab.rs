//! A laboratory with one robot, which stays where it is when a run ends: a simulation that outlives the runs.

#![allow(clippy::unwrap_used, dead_code, reason = "tests, each of which uses a part")]

use std::sync::{Arc, Mutex, MutexGuard};

use plant::{Setup, SharedSimulation, SimClock, SimRobot, Simulation, Truth};
use robot_io::{
    Clock, Commands, Events, IoError, JointCommand, LaserScan, Lifecycle, Period, Readings, RobotIo, RobotLayout,
    Sealed, Time,
};
use scenarios::{Pace, PlantRefusal, PlantSetup, Registry};

/// The robot holds its posture for so many cycles before somebody takes it up again.
const IDLE: u64 = 500;

/// The laboratory; its robot is built when the first run asks for it.
#[derive(Clone, Default)]
pub struct Lab(Arc<Mutex<Option<Machine>>>);

struct Machine {
    robot: SimRobot,
    clock: SimClock,
    simulation: SharedSimulation,
    /// Cycles that were over when the present run began.
    before: u64,
    cycle: u64,
    period: Period,
}

/// The robot as one run has it: its cycles and times begin at 0.
struct InUse {
    lab: Lab,
    layout: RobotLayout,
    lifecycle: Lifecycle,
}

struct ItsClock(Lab);

impl Lab {
    /// The same registry with this laboratory as the plant `lab`.
    pub fn in_registry(&self, registry: Registry, pace: Pace) -> Registry {
        let lab = self.clone();
        registry.with_plant("lab", pace, move |setup| lab.take_up(setup))
    }

    /// Where the robot really is.
    pub fn truth(&self) -> Truth {
        self.lock().as_ref().unwrap().simulation.truth()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Machine>> {
        self.0.lock().unwrap()
    }

    fn take_up(&self, setup: &PlantSetup<'_>) -> Result<(InUse, ItsClock), PlantRefusal> {
        let mut machine = self.lock();
        match machine.as_mut() {
            Some(machine) => machine.idle(setup),
            None => *machine = Some(Machine::new(setup)),
        }
        drop(machine);
        let (lab, layout) = (self.clone(), setup.layout.clone());
        Ok((InUse { lab, layout, lifecycle: Lifecycle::default() }, ItsClock(self.clone())))
    }
}

impl Machine {
    fn new(setup: &PlantSetup<'_>) -> Machine {
        let sensors = setup.layout.lasers.iter().map(|laser| laser.name.clone()).collect();
        let built = Setup { seed: setup.seed, spawn: setup.start_in_world, sensors, ..Setup::default() };
        let simulation = Simulation::new(setup.world, setup.robot, &built).unwrap();
        let (mut robot, clock, simulation) = plant::plug(simulation);
        robot.bring_up().unwrap();
        Machine { robot, clock, simulation, before: 0, cycle: 0, period: setup.layout.period }
    }

    /// Nobody commands it: its drives hold.
    fn idle(&mut self, setup: &PlantSetup<'_>) {
        let (mut readings, mut commands) = (Readings::new(setup.layout), Commands::new(setup.layout));
        self.robot.read(&mut readings).unwrap();
        for ((command, joint), held) in
            commands.joints.iter_mut().zip(&setup.robot.description.joints).zip(&readings.joints)
        {
            *command = JointCommand::hold(held.position, joint.stiffness, joint.damping);
        }
        for _ in 0..IDLE {
            self.robot.read(&mut readings).unwrap();
            commands.answer(&readings);
            self.robot.write(&commands).unwrap();
            self.clock.advance().unwrap();
        }
        self.before += self.cycle + IDLE;
        self.cycle = 0;
    }

    fn began(&self) -> Period {
        Period::from_nanoseconds(self.before * self.period.nanoseconds())
    }
}

/// A time of the robot's as the run has it.
fn earlier(time: Time, by: Period) -> Time {
    Time::ZERO + time.since(Time::ZERO + by)
}

impl RobotIo for InUse {
    fn layout(&self) -> &RobotLayout {
        &self.layout
    }

    fn lifecycle(&self) -> Lifecycle {
        self.lifecycle
    }

    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        self.lifecycle = to;
        Ok(())
    }

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        let mut machine = self.lab.lock();
        let machine = machine.as_mut().unwrap();
        machine.robot.read(readings)?;
        let by = machine.began();
        let set = |stamp: &mut Time| *stamp = earlier(*stamp, by);
        readings.cycle -= machine.before;
        set(&mut readings.time);
        readings.joints.iter_mut().for_each(|joint| set(&mut joint.stamp));
        readings.imus.iter_mut().for_each(|imu| set(&mut imu.stamp));
        readings.force_torques.iter_mut().for_each(|sensor| set(&mut sensor.stamp));
        readings.contacts.iter_mut().for_each(|contact| set(&mut contact.stamp));
        readings.batteries.iter_mut().for_each(|battery| set(&mut battery.stamp));
        for scan in readings.scans.iter_mut().flatten() {
            *scan = Sealed::new(LaserScan { stamp: earlier(scan.stamp, by), ..LaserScan::clone(scan) });
        }
        readings.status.lifecycle = self.lifecycle;
        Ok(())
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        let mut machine = self.lab.lock();
        let machine = machine.as_mut().unwrap();
        let cycle = commands.cycle + machine.before;
        machine.robot.write(&Commands { cycle, ..commands.clone() })
    }

    fn drain_events(&mut self, events: &mut Events) {
        let mut machine = self.lab.lock();
        machine.as_mut().unwrap().robot.drain_events(events);
    }
}

impl Clock for ItsClock {
    fn now(&self) -> Time {
        let machine = self.0.lock();
        let machine = machine.as_ref().unwrap();
        earlier(machine.clock.now(), machine.began())
    }

    fn advance(&mut self) -> Result<Time, IoError> {
        let mut machine = self.0.lock();
        let machine = machine.as_mut().unwrap();
        machine.cycle += 1;
        Ok(earlier(machine.clock.advance()?, machine.began()))
    }
}
