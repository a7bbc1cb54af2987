//! A robot that stays where it is: an arm on a stand, a test bench. Its missions are poses and pauses.

use robot_io::{
    Commands, JointCommand, JointKind, Odometry, Pose2, Readings, State, StateVisitor, Telemetry, Time, Twist,
};
use robot_model::RobotModel;

use crate::MissionError;
use crate::mobility::{Look, Mobility};
use crate::plan::{Action, Step};
use crate::stance::{BaseTarget, Stance};
use crate::supervision::DriveFault;

/// Holds every joint where it was at the start, with the gains of the robot's file, until a pose is ordered. Joints that
/// turn without end are held at rest by their damping alone.
#[derive(Clone, Debug)]
pub struct Standing {
    joints: Vec<Held>,
    odometry: Odometry,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    position: f64,
    stiffness: f64,
    damping: f64,
}

impl Standing {
    /// For this robot.
    pub fn new(model: &RobotModel) -> Standing {
        let joints = model.tree.joints.iter().zip(&model.description.joints);
        let held = joints.map(|(joint, settings)| {
            let stiffness = if joint.kind == JointKind::Continuous { 0.0 } else { settings.stiffness };
            Held { position: 0.0, stiffness, damping: settings.damping }
        });
        Standing { joints: held.collect(), odometry: Odometry::default() }
    }

    /// Refuses steps that would move the base.
    pub fn check(robot: &str, steps: &[Step]) -> Result<(), MissionError> {
        let moves = |step: &Step| step.leg.is_some() || matches!(step.action, Some(Action::Stance { .. }));
        match steps.iter().position(moves) {
            None => Ok(()),
            Some(index) => Err(MissionError::Skill {
                skill: "standing",
                message: format!(
                    "step {}: expected a pose or a wait, found one that moves the base; robot '{robot}' has no wheels",
                    index + 1
                ),
            }),
        }
    }
}

impl Mobility for Standing {
    fn reset(&mut self, readings: &Readings) {
        self.take_up(readings);
        self.odometry = Odometry { stamp: readings.time, ..Odometry::default() };
    }

    fn take_up(&mut self, readings: &Readings) {
        for (held, joint) in self.joints.iter_mut().zip(&readings.joints) {
            held.position = joint.position;
        }
    }

    fn moves(&self) -> bool {
        false
    }

    fn estimate(&mut self, readings: &Readings) -> Odometry {
        self.odometry.stamp = readings.time;
        self.odometry
    }

    fn odometry(&self) -> Odometry {
        self.odometry
    }

    fn sensed_at(&self, readings: &Readings) -> Time {
        readings.joints.iter().map(|joint| joint.stamp).fold(readings.time, Time::min)
    }

    fn steer(&mut self, _: &Odometry, _: &Pose2, _: Look, _: f64) -> Twist {
        Twist::default()
    }

    fn act(&mut self, _: &BaseTarget, _: &Readings, commands: &mut Commands) {
        for (held, command) in self.joints.iter().zip(&mut commands.joints) {
            *command = JointCommand::hold(held.position, held.stiffness, held.damping);
        }
    }

    /// It cannot move, so it cannot tip over by what it does.
    fn tip_over_margin(&self) -> f64 {
        f64::INFINITY
    }

    fn drive_fault(&self) -> Option<DriveFault> {
        None
    }

    fn usual_stance(&self) -> Stance {
        Stance::default()
    }

    fn show(&self, _: &mut Telemetry) {}
}

impl State for Standing {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        for held in &mut self.joints {
            visitor.field("held", &mut held.position);
        }
        visitor.field("odometry", &mut self.odometry);
    }
}
