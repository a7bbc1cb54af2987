//! Motors that do not do what they are told.

mod moment;

use robot_io::{
    Commands, Event, Events, JointCommand, JointState, JointStatus, Readings, RobotLayout, Settings, Severity, State,
    StateVisitor, Subject,
};
use robot_model::RobotModel;
use serde::{Deserialize, Serialize};

use moment::Moment;

/// When a motor is taken to be broken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct HealthSettings {
    /// False to watch nothing.
    #[setting(true)]
    pub watch: bool,
    /// True to stop driving once a motor is taken to be broken.
    #[setting(true)]
    pub stop: bool,
    /// A drive that says that it has a fault or is off is believed after this time [s].
    #[setting(0.1, positive)]
    pub status_time: f64,
    /// How much a motor's effort may differ from what was asked, as a share of what was asked. Drives report what they
    /// give before the gear's friction, so friction is no excuse.
    #[setting(0.2, positive)]
    pub effort_share: f64,
    /// The same as a share of the joint's highest effort.
    #[setting(0.006, positive)]
    pub effort_floor: f64,
    /// Over what time efforts are averaged [s].
    #[setting(0.2, positive)]
    pub effort_average: f64,
    /// How long the effort must differ [s].
    #[setting(0.6, positive)]
    pub effort_time: f64,
    /// How far a joint without end may be from the speed it is told, as a share of its highest speed.
    #[setting(0.25, positive)]
    pub speed_share: f64,
    /// The same as a share of the speed that it is told, if that is more: a wheel that pushes uphill gives what is asked of it and falls behind.
    #[setting(0.5, positive)]
    pub behind_share: f64,
    /// How long the speed must differ [s].
    #[setting(2.0, positive)]
    pub speed_time: f64,
    /// By how much a joint must be told to move, while its encoder shows the same number, to be taken as stuck [rad].
    #[setting(0.15, positive)]
    pub stuck_angle: f64,
}

/// What is wrong with a motor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub enum DriveFaultKind {
    /// Its drive says that a fault is latched.
    #[default]
    Latched,
    /// Its drive was on and is off.
    Disabled,
    /// It does not give the effort that it is asked for [N·m].
    Effort,
    /// It does not turn at the speed that it is told [rad/s].
    Speed,
    /// Its encoder always shows the same while it is told to move [rad].
    StuckEncoder,
}

impl DriveFaultKind {
    /// In words, with the unit of the numbers.
    pub const fn text(self) -> &'static str {
        match self {
            DriveFaultKind::Latched => "drive fault latched [s]",
            DriveFaultKind::Disabled => "drive switched off [s]",
            DriveFaultKind::Effort => "motor does not give its effort [N·m]",
            DriveFaultKind::Speed => "motor does not turn as told [rad/s]",
            DriveFaultKind::StuckEncoder => "encoder stuck [rad]",
        }
    }

    const ALL: [DriveFaultKind; 5] = [
        DriveFaultKind::Latched,
        DriveFaultKind::Disabled,
        DriveFaultKind::Effort,
        DriveFaultKind::Speed,
        DriveFaultKind::StuckEncoder,
    ];
}

/// A motor that does not do what it is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct DriveFault {
    /// Its joint's index in the layout.
    pub joint: usize,
    /// What is wrong.
    pub kind: DriveFaultKind,
    /// How far it is from what was expected, in the kind's unit.
    pub residual: f64,
    /// How far it may be.
    pub threshold: f64,
}

/// What is constant about a watched joint.
#[derive(Clone, Copy, Debug)]
struct Watched {
    joint: usize,
    highest_effort: f64,
    highest_speed: f64,
    endless: bool,
}

/// What is remembered of a watched joint.
#[derive(Clone, Copy, Debug, Default, State)]
struct Evidence {
    least_asked: f64,
    most_asked: f64,
    given: f64,
    /// How much more would be asked at the velocity of one cycle before [N·m].
    lag: f64,
    moment: Moment,
    last_position: f64,
    last_velocity: f64,
    last_stamp: robot_io::Time,
    moved_unseen: f64,
    was_enabled: bool,
    /// For how long each kind has been suspected [s].
    suspected: [f64; 5],
}

/// Watches over the motors of legs and wheels.
#[derive(Clone, Debug)]
pub struct DriveHealth {
    settings: HealthSettings,
    watched: Vec<Watched>,
    evidence: Vec<Evidence>,
    /// For each joint the commands that have not acted yet, oldest first.
    underway: Vec<Vec<JointCommand>>,
    /// Residual and threshold of each kind in this cycle, per joint.
    residuals: Vec<[(f64, f64); 5]>,
    fault: Option<DriveFault>,
    reported: bool,
}

impl DriveHealth {
    /// Watches `joints` of a robot.
    pub fn new(model: &RobotModel, layout: &RobotLayout, joints: &[usize], settings: HealthSettings) -> DriveHealth {
        let watched: Vec<Watched> = joints
            .iter()
            .map(|&joint| {
                let limits = model.tree.joints[joint].limits;
                Watched {
                    joint,
                    highest_effort: limits.effort,
                    highest_speed: limits.velocity,
                    endless: model.tree.joints[joint].kind == robot_model::JointKind::Continuous,
                }
            })
            .collect();
        let count = watched.len();
        let on_the_way = |watched: &Watched| layout.joints.get(watched.joint).map_or(0, |joint| joint.latency as usize);
        DriveHealth {
            settings,
            evidence: vec![Evidence::default(); count],
            underway: watched.iter().map(|watched| vec![JointCommand::default(); on_the_way(watched)]).collect(),
            watched,
            residuals: vec![[(0.0, 1.0); 5]; count],
            fault: None,
            reported: false,
        }
    }

    /// Forgets all suspicion, and a fault that was found.
    pub fn reset(&mut self) {
        self.forget_suspicion();
        (self.fault, self.reported) = (None, false);
    }

    fn forget_suspicion(&mut self) {
        self.evidence.fill(Evidence::default());
        self.underway.iter_mut().for_each(|commands| commands.fill(JointCommand::default()));
    }

    /// The first fault that was found.
    pub fn fault(&self) -> Option<DriveFault> {
        self.fault
    }

    /// Compares what was measured in this cycle with the last commands.
    pub fn observe(&mut self, readings: &Readings, commands: &Commands, dt: f64) {
        if !self.settings.watch {
            return;
        }
        if readings.status.is_stopped() {
            // its joints stand still by order, and it begins anew when it follows again
            return self.forget_suspicion();
        }
        for index in 0..self.watched.len() {
            let watched = &self.watched[index];
            let state = &readings.joints[watched.joint];
            if state.status.contains(JointStatus::ABSENT) {
                continue;
            }
            let command = pass(&mut self.underway[index], commands.joints[watched.joint]);
            self.weigh(index, state, &command, dt);
        }
        // what befalls many motors at once is somebody's order, such as an emergency stop, and no motor's fault
        let common = self.evidence.len() / 4;
        for kind in 0..DriveFaultKind::ALL.len() {
            let beyond = self.residuals.iter().filter(|residual| residual[kind].0 > residual[kind].1).count();
            for index in 0..self.watched.len() {
                let (residual, threshold) = self.residuals[index][kind];
                let suspected = &mut self.evidence[index].suspected[kind];
                *suspected = if residual > threshold && beyond <= common { *suspected + dt } else { 0.0 };
                if *suspected > self.patience(kind) && self.fault.is_none() {
                    let (joint, kind) = (self.watched[index].joint, DriveFaultKind::ALL[kind]);
                    self.fault = Some(DriveFault { joint, kind, residual, threshold });
                }
            }
        }
    }

    /// Reports the fault once.
    pub fn drain_events(&mut self, now: robot_io::Time, events: &mut Events) {
        if let (Some(fault), false) = (self.fault, self.reported) {
            self.reported = true;
            let event = Event::note(now, Severity::Error, "locomotion", fault.kind.text());
            events.push(event.about(Subject::Joint(fault.joint)).with(fault.residual, fault.threshold));
        }
    }

    fn patience(&self, kind: usize) -> f64 {
        match DriveFaultKind::ALL[kind] {
            DriveFaultKind::Latched | DriveFaultKind::Disabled => self.settings.status_time,
            DriveFaultKind::Effort => self.settings.effort_time,
            DriveFaultKind::Speed => self.settings.speed_time,
            DriveFaultKind::StuckEncoder => 0.0,
        }
    }

    /// Fills the residuals of one joint.
    fn weigh(&mut self, index: usize, state: &JointState, command: &JointCommand, dt: f64) {
        let (watched, evidence) = (&self.watched[index], &mut self.evidence[index]);
        let with = &self.settings;
        let flag = |set: bool| if set { (1.0, 0.5) } else { (0.0, 0.5) };
        let enabled = state.status.contains(JointStatus::ENABLED);
        evidence.was_enabled |= enabled;
        let latched = flag(state.status.contains(JointStatus::FAULT));
        let disabled = flag(evidence.was_enabled && !enabled);

        let new = dt / (with.effort_average + dt);
        let ceiling = watched.highest_effort;
        // the drive has measured somewhere within the last cycle, while the joint moved from there to here
        let asked_at = |position: f64| command.effort_at(position, state.velocity).clamp(-ceiling, ceiling);
        let (there, here) = (asked_at(evidence.last_position), asked_at(state.position));
        evidence.least_asked += new * (there.min(here) - evidence.least_asked);
        evidence.most_asked += new * (there.max(here) - evidence.most_asked);
        evidence.given += new * (state.effort - evidence.given);
        // nor is the velocity of the same moment as the effort: drives filter it
        let lag = command.damping * (state.velocity - evidence.last_velocity);
        evidence.lag += new * (lag - evidence.lag);
        evidence.moment.ask(there, here, new);
        let limited = state.status.contains(JointStatus::SATURATED) || state.status.contains(JointStatus::DERATED);
        if limited {
            // at its limit a motor gives what it can: there is nothing to compare, nor to remember for later
            (evidence.least_asked, evidence.most_asked) = (evidence.given, evidence.given);
            (evidence.moment.begin, evidence.moment.end) = (evidence.given, evidence.given);
        }
        let floor = with.effort_floor * ceiling;
        let effort = evidence.effort(with.effort_share, floor);
        // commands that come late, or a motor that fails, say nothing of the moment
        if effort.0 <= effort.1 && evidence.suspected[DriveFaultKind::Effort as usize] == 0.0 {
            evidence.moment.learn(evidence.given, floor, dt);
        }

        let too_slow = (command.velocity - state.velocity).abs();
        let may_be = (with.speed_share * watched.highest_speed).max(with.behind_share * command.velocity.abs());
        let speed = (if watched.endless { too_slow } else { 0.0 }, may_be);

        let fresh = state.stamp > evidence.last_stamp;
        if state.position != evidence.last_position {
            evidence.moved_unseen = 0.0;
        } else if fresh {
            evidence.moved_unseen += command.velocity * dt;
        }
        (evidence.last_position, evidence.last_velocity) = (state.position, state.velocity);
        evidence.last_stamp = state.stamp;
        let stuck = (evidence.moved_unseen.abs(), with.stuck_angle);
        self.residuals[index] = [latched, disabled, effort, speed, stuck];
    }
}

impl Evidence {
    /// By how much the effort differs from what was asked [N·m], and by how much it may.
    fn effort(&self, share: f64, floor: f64) -> (f64, f64) {
        let (least, most, given) = (self.least_asked, self.most_asked, self.given);
        let floor = floor + self.lag.abs();
        let allowed = share * least.abs().min(most.abs()) + floor;
        let at_any_moment = ((least - given).max(given - most).max(0.0), allowed);
        let Some((expected, unsure)) = self.moment.expected() else { return at_any_moment };
        let at_its_moment = ((given - expected).abs(), share * expected.abs() + floor + unsure);
        if at_its_moment.0 * allowed > at_any_moment.0 * at_its_moment.1 { at_its_moment } else { at_any_moment }
    }
}

/// Puts the newest command behind those underway and gives the one that acts now.
fn pass(underway: &mut [JointCommand], newest: JointCommand) -> JointCommand {
    let Some(oldest) = underway.first().copied() else { return newest };
    underway.rotate_left(1);
    if let Some(last) = underway.last_mut() {
        *last = newest;
    }
    oldest
}

impl State for DriveHealth {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("evidence", &mut self.evidence);
        for command in self.underway.iter_mut().flatten() {
            visitor.field("underway", command);
        }
        visitor.field("fault", &mut self.fault);
        visitor.field("reported", &mut self.reported);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
