//! From a stage to what stands behind the plug: the one place that knows every kind of plant.

use plant::SharedSimulation;

use crate::case::{PlantKind, TwinPlan};
use crate::session::{PlantClock, PlantRobot};
use crate::twin::Shadow;
use crate::{ScenarioError, Stage};

/// A plant taken apart into what a session needs.
#[derive(Debug)]
pub struct Plugged {
    /// What is read and written.
    pub robot: PlantRobot,
    /// What makes time pass.
    pub clock: PlantClock,
    /// The world behind both, if it is simulated.
    pub simulation: Option<SharedSimulation>,
}

impl Stage {
    /// Builds what stands behind the plug.
    pub fn plant(&self) -> Result<Plugged, ScenarioError> {
        match &self.case.plant {
            PlantKind::Sim => self.simulated(),
            other => Err(ScenarioError::Usage(format!("--plant {other}: this build has no such plant"))),
        }
    }

    /// Builds the shadow beside the plant: the same robot in the same world, on its own.
    pub fn shadow(&self, plan: &TwinPlan) -> Result<Shadow, ScenarioError> {
        let plugged = match &self.case.plant {
            PlantKind::Sim => self.simulated()?,
            other => return Err(ScenarioError::Usage(format!("--plant {other}: this build has no such plant"))),
        };
        Shadow::new(plugged, plan, &self.layout())
    }

    fn simulated(&self) -> Result<Plugged, ScenarioError> {
        let (robot, clock, simulation) = plant::plug(self.simulation()?);
        Ok(Plugged { robot: PlantRobot::Sim(robot), clock: PlantClock::Sim(clock), simulation: Some(simulation) })
    }
}
