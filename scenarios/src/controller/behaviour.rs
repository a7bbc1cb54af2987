//! A statechart for whichever controller carries it out.

use std::cell::Cell;

use mission::{Behaviour, BehaviourPlan, SkillRefusal, Skills};
use robot_io::RobotLayout;
use robot_model::RobotModel;

/// A behaviour that a controller may carry out, and whether one has asked for it.
#[derive(Debug)]
pub(crate) struct Offer {
    plan: BehaviourPlan,
    skills: Skills,
    is_taken: Cell<bool>,
}

impl Offer {
    pub fn new(plan: BehaviourPlan, skills: Skills) -> Offer {
        Offer { plan, skills, is_taken: Cell::new(false) }
    }

    /// The behaviour, made for a robot.
    pub fn take(&self, robot: &RobotModel, layout: &RobotLayout) -> Result<Behaviour, SkillRefusal> {
        self.is_taken.set(true);
        Behaviour::new(self.plan.clone(), &self.skills, robot, layout)
    }

    /// True if a controller has asked for it.
    pub fn is_taken(&self) -> bool {
        self.is_taken.get()
    }
}
