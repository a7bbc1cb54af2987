//! The simulation as a robot and a clock.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use robot_io::{
    Clock, Commands, Events, IoError, Lifecycle, Readings, RobotIo, RobotLayout, State, StateVisitor, Time,
};

use crate::frame::{Frame, Push, Truth};
use crate::simulation::Simulation;

/// A simulation that robot, clock, recorder and viewer hold together. It is no way to step in parallel: all hold it in
/// turn.
#[derive(Clone)]
pub struct SharedSimulation(Arc<Mutex<Simulation>>);

/// A simulated robot: reads sensors, takes commands.
#[derive(Debug)]
pub struct SimRobot {
    simulation: SharedSimulation,
    /// Which of the simulation's robots.
    number: usize,
    layout: RobotLayout,
}

/// The simulated time: a cycle is a whole number of physics steps.
#[derive(Debug)]
pub struct SimClock {
    simulation: SharedSimulation,
}

/// Takes a simulation apart into what the loop needs: a robot, a clock, and the truth for those who may see it.
pub fn plug(simulation: Simulation) -> (SimRobot, SimClock, SharedSimulation) {
    let layout = simulation.layout().clone();
    let shared = SharedSimulation(Arc::new(Mutex::new(simulation)));
    (SimRobot { simulation: shared.clone(), number: 0, layout }, SimClock { simulation: shared.clone() }, shared)
}

impl fmt::Debug for SharedSimulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedSimulation").field("holders", &Arc::strong_count(&self.0)).finish()
    }
}

impl SharedSimulation {
    /// The simulation, until the guard is dropped. A panic elsewhere does not make it unusable: it is only numbers.
    pub fn lock(&self) -> MutexGuard<'_, Simulation> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One of its robots as a plug of its own, by its number; `None` if there is none.
    pub fn robot(&self, number: usize) -> Option<SimRobot> {
        let layout = self.lock().robot_at(number)?.layout().clone();
        Some(SimRobot { simulation: self.clone(), number, layout })
    }

    /// What is really the case.
    pub fn truth(&self) -> Truth {
        self.lock().truth()
    }

    /// Fills a frame, reusing its buffers.
    pub fn frame(&self, out: &mut Frame) {
        self.lock().frame(out);
    }

    /// Pushes a link.
    pub fn push(&self, push: Push) {
        self.lock().push(push);
    }
}

impl RobotIo for SimRobot {
    fn layout(&self) -> &RobotLayout {
        &self.layout
    }

    fn lifecycle(&self) -> Lifecycle {
        self.simulation.lock().robot_at(self.number).map(|robot| robot.lifecycle()).unwrap_or_default()
    }

    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        self.simulation.lock().transition_of(self.number, to)
    }

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        let simulation = self.simulation.lock();
        simulation.robot_at(self.number).map_or(Err(IoError::End), |robot| robot.read(readings))
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        self.simulation.lock().command_of(self.number, commands)
    }

    fn drain_events(&mut self, events: &mut Events) {
        self.simulation.lock().drain_events_of(self.number, events);
    }
}

/// The robot's side remembers nothing: what there is to remember is the simulation's, which is hashed, saved and restored
/// once, by [`Simulation::digest`], [`Simulation::snapshot`] and [`Simulation::restore`].
impl State for SimRobot {
    fn visit_state(&mut self, _: &mut dyn StateVisitor) {}
}

/// Shows the whole plant, to name where two runs part. It is not restored this way but by [`Simulation::restore`]: a
/// reader goes over the words and changes nothing.
impl State for SharedSimulation {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.lock().visit_truth(visitor);
    }
}

impl Clock for SimClock {
    fn now(&self) -> Time {
        self.simulation.lock().time()
    }

    fn advance(&mut self) -> Result<Time, IoError> {
        let mut simulation = self.simulation.lock();
        for _ in 0..simulation.steps_per_cycle() {
            simulation.step();
        }
        simulation.fault().map_or(Ok(simulation.time()), |fault| Err(IoError::Device(fault)))
    }
}
