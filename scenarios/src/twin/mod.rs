//! Twins of a robot that is not simulated, or not alone.
//!
//! The [`Mirror`] shows it as its sensors say it is.
//!
//! The [`Shadow`] is a simulation that follows the commands of a run, and how far the robot is from it.
//!
//! It is no part of the run: the controllers do not see it, and a run with it has the same digest as one without. Beside a
//! bus it stands behind a model of that bus, so that delay and quantisation are no residual.

mod mirror;
mod residual;

pub use crate::residual::{JointResiduals, Residual};
pub use mirror::Mirror;

use std::collections::BTreeMap;

use plant::{Setup, SharedSimulation, Simulation};
use robot_io::{Clock, Commands, Events, Lifecycle, Readings, RobotIo, RobotLayout};

use self::residual::Watch;
use crate::case::{PlantKind, TwinPlan};
use crate::plants::Plugged;
use crate::plug::{PlantClock, PlantRobot};
use crate::{ScenarioError, Stage};

impl Stage {
    /// Builds the shadow beside the plant: the same robot in the same world, on its own. Beside a bus it stands behind a
    /// model of that bus, so that delay and quantisation are no residual; a real robot's has no noise of its own.
    pub fn shadow(&self, plan: &TwinPlan) -> Result<Shadow, ScenarioError> {
        let setup = Setup { noise: self.case.plant.is_simulated(), ..self.setup() };
        let simulation = Simulation::new(&self.world, &self.robot, &setup)?;
        let plugged = match self.case.plant {
            PlantKind::Sim | PlantKind::Own { .. } => self.simulated(simulation)?,
            _ => self.behind_model(simulation)?,
        };
        Shadow::new(plugged, plan, &self.layout())
    }
}

/// A simulation beside the robot, told the same.
#[derive(Debug)]
pub struct Shadow {
    robot: PlantRobot,
    clock: PlantClock,
    world: Option<SharedSimulation>,
    readings: Readings,
    watch: Watch,
    unheard: Events,
}

impl Shadow {
    /// Switches the shadow on; from now on it lives cycle by cycle with the robot.
    pub fn new(plugged: Plugged, plan: &TwinPlan, layout: &RobotLayout) -> Result<Shadow, ScenarioError> {
        let Plugged { mut robot, clock, simulation: world, .. } = plugged;
        robot.bring_up()?;
        let (readings, watch) = (Readings::new(layout), Watch::new(plan, layout));
        Ok(Shadow { robot, clock, world, readings, watch, unheard: Events::with_capacity(64) })
    }

    /// Compares a cycle's readings with its own; what is above its threshold goes to the end of `events`.
    pub fn observe(&mut self, readings: &Readings, events: &mut Events) -> Result<(), ScenarioError> {
        self.robot.read(&mut self.readings)?;
        self.watch.compare(readings, &self.readings, events);
        Ok(())
    }

    /// Does what the robot was told in this cycle, `None` if nothing, and goes on to the next. A robot that was switched
    /// on again after a fault takes the shadow along.
    pub fn follow(&mut self, commands: Option<&Commands>, lifecycle: Lifecycle) -> Result<(), ScenarioError> {
        if lifecycle == Lifecycle::Active && self.robot.lifecycle() == Lifecycle::Fault {
            self.robot.transition(Lifecycle::Inactive)?;
            self.robot.transition(Lifecycle::Active)?;
        }
        if let Some(commands) = commands {
            self.robot.write(commands)?;
        }
        self.clock.advance()?;
        // what happens to the shadow happens to nobody
        self.robot.drain_events(&mut self.unheard);
        self.unheard.clear();
        Ok(())
    }

    /// The world in which it lives.
    pub fn world(&self) -> Option<&SharedSimulation> {
        self.world.as_ref()
    }

    /// The present difference of each joint, robot minus shadow.
    pub fn residuals(&self) -> &[Residual] {
        self.watch.residuals()
    }

    /// What came of it, by joint.
    pub fn summary(&self, layout: &RobotLayout) -> BTreeMap<String, JointResiduals> {
        self.watch.summary(layout)
    }
}
