//! How the robot at hand is carried: on wheels, or not at all.

use estimation::Bump;
use locomotion::{CrossingFailure, CrossingStatus};
use robot_io::{
    Commands, Events, JointCommand, Odometry, Pose2, Readings, RobotLayout, State, StateVisitor, StepEdge, Telemetry,
    Time, Twist,
};
use robot_model::RobotModel;
use walking::{Footstep, Manner, WalkingError};

use crate::feet::Feet;
use crate::mobility::{Look, Mobility};
use crate::motion::MotionProgress;
use crate::plan::Step;
use crate::stance::{BaseTarget, Rest, Stance};
use crate::supervision::DriveFault;
use crate::{Driving, MissionError, MissionPlan, MissionSettings, Standing, Walking};

/// The mobility that a robot's own file asks for.
#[derive(Clone, Debug)]
pub enum Carriage {
    /// Legs with wheels.
    Driving(Box<Driving>),
    /// Two feet.
    Walking(Box<Walking>),
    /// No wheels and no feet: it stays where it is.
    Standing(Standing),
}

impl Carriage {
    /// Driving for a robot with wheels, standing for one without; a plan that a standing robot cannot carry out is refused.
    pub fn new(
        model: &RobotModel,
        layout: &RobotLayout,
        plan: &MissionPlan,
        settings: &MissionSettings,
    ) -> Result<Carriage, MissionError> {
        if model.description.wheels.is_empty() && model.description.feet.len() == 2 {
            let walking = Walking::with_motions(model, layout, settings, &plan.motions()?)?;
            return Ok(Carriage::Walking(Box::new(walking)));
        }
        if let Some(step) = plan.steps.iter().find_map(Step::motion) {
            let message = format!("expected a robot on two feet, whose whole body balances, found '{}'", model.name);
            return Err(step.refused(&message));
        }
        if model.description.wheels.is_empty() {
            Standing::check(&model.name, &plan.steps)?;
            return Ok(Carriage::Standing(Standing::new(model)));
        }
        Ok(Carriage::Driving(Box::new(Driving::new(model, layout, settings)?)))
    }

    /// The skills of a robot on wheels, if it is one.
    pub fn driving(&self) -> Option<&Driving> {
        match self {
            Carriage::Driving(driving) => Some(driving),
            Carriage::Standing(_) | Carriage::Walking(_) => None,
        }
    }

    fn mobility(&self) -> &dyn Mobility {
        match self {
            Carriage::Driving(driving) => driving.as_ref(),
            Carriage::Walking(walking) => walking.as_ref(),
            Carriage::Standing(standing) => standing,
        }
    }

    fn mobility_mut(&mut self) -> &mut dyn Mobility {
        match self {
            Carriage::Driving(driving) => driving.as_mut(),
            Carriage::Walking(walking) => walking.as_mut(),
            Carriage::Standing(standing) => standing,
        }
    }
}

impl Mobility for Carriage {
    fn reset(&mut self, readings: &Readings) {
        self.mobility_mut().reset(readings);
    }

    fn take_up(&mut self, readings: &Readings) {
        self.mobility_mut().take_up(readings);
    }

    fn estimate(&mut self, readings: &Readings) -> Odometry {
        self.mobility_mut().estimate(readings)
    }

    fn odometry(&self) -> Odometry {
        self.mobility().odometry()
    }

    fn moves(&self) -> bool {
        self.mobility().moves()
    }

    fn sensed_at(&self, readings: &Readings) -> Time {
        self.mobility().sensed_at(readings)
    }

    fn is_learning(&self) -> bool {
        self.mobility().is_learning()
    }

    fn bump(&self) -> Option<Bump> {
        self.mobility().bump()
    }

    fn slid(&self) -> f64 {
        self.mobility().slid()
    }

    fn steer(&mut self, odometry: &Odometry, goal_in_odom: &Pose2, look: Look, speed: f64) -> Twist {
        self.mobility_mut().steer(odometry, goal_in_odom, look, speed)
    }

    fn come_to_rest(&mut self, rest: Option<Rest>) {
        self.mobility_mut().come_to_rest(rest);
    }

    fn act(&mut self, target: &BaseTarget, readings: &Readings, commands: &mut Commands) {
        self.mobility_mut().act(target, readings, commands);
    }

    fn moves_all_joints(&self) -> bool {
        self.mobility().moves_all_joints()
    }

    fn offer(&self, commands: &mut Commands) {
        self.mobility().offer(commands);
    }

    fn note_lent(&mut self, joint: usize, told: Option<JointCommand>) {
        self.mobility_mut().note_lent(joint, told);
    }

    fn leads(&self, joint: usize) -> bool {
        self.mobility().leads(joint)
    }

    fn begin_motion(&mut self, motion: usize) {
        self.mobility_mut().begin_motion(motion);
    }

    fn hold_motion(&mut self, hold: bool) {
        self.mobility_mut().hold_motion(hold);
    }

    fn end_motion(&mut self) {
        self.mobility_mut().end_motion();
    }

    fn motion(&self) -> MotionProgress {
        self.mobility().motion()
    }

    fn begin_crossing(&mut self, edge_in_base: &StepEdge, readings: &Readings) -> Result<(), CrossingFailure> {
        self.mobility_mut().begin_crossing(edge_in_base, readings)
    }

    fn crossing(&self) -> Option<CrossingStatus> {
        self.mobility().crossing()
    }

    fn hold_crossing(&mut self, hold: bool) {
        self.mobility_mut().hold_crossing(hold);
    }

    fn abort_crossing(&mut self) {
        self.mobility_mut().abort_crossing();
    }

    fn end_crossing(&mut self) {
        self.mobility_mut().end_crossing();
    }

    fn feet(&self) -> Option<Feet> {
        self.mobility().feet()
    }

    fn take_steps(&mut self, from: usize, steps: &[Footstep], manners: &[Manner]) -> Result<(), WalkingError> {
        self.mobility_mut().take_steps(from, steps, manners)
    }

    fn hold_steps(&mut self, hold: bool) {
        self.mobility_mut().hold_steps(hold);
    }

    fn end_steps(&mut self) {
        self.mobility_mut().end_steps();
    }

    fn tip_over_margin(&self) -> f64 {
        self.mobility().tip_over_margin()
    }

    fn braces(&self) -> bool {
        self.mobility().braces()
    }

    fn falls(&self) -> bool {
        self.mobility().falls()
    }

    fn drive_fault(&self) -> Option<DriveFault> {
        self.mobility().drive_fault()
    }

    fn forget_faults(&mut self) {
        self.mobility_mut().forget_faults();
    }

    fn retune(&mut self, settings: &MissionSettings) -> Result<(), MissionError> {
        self.mobility_mut().retune(settings)
    }

    fn usual_stance(&self) -> Stance {
        self.mobility().usual_stance()
    }

    fn drain_events(&mut self, events: &mut Events) {
        self.mobility_mut().drain_events(events);
    }

    fn show(&self, telemetry: &mut Telemetry) {
        self.mobility().show(telemetry);
    }
}

impl State for Carriage {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.mobility_mut().visit_state(visitor);
    }
}
