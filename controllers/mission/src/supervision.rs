//! Watches over the robot's health: slows it down or stops it, and says why with numbers.

use core::fmt;

use crate::SOURCE;
use crate::part::Part;
use navigation::Reach;
use robot_io::{Event, Events, Period, Settings, Severity, State, StateVisitor, Subject, Time};

/// When the supervisor acts.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct SupervisionSettings {
    /// Below this tip-over margin the robot drives slower [m].
    #[setting(0.15, above = critical_margin)]
    pub slow_margin: f64,
    /// Below this tip-over margin it stops [m].
    #[setting(0.05, not_negative)]
    pub critical_margin: f64,
    /// The share of speed that is left just above the critical margin.
    #[setting(0.25, share)]
    pub least_speed_share: f64,
    /// How often in a row the margin must be critical: a single bump is no fall.
    #[setting(3, positive)]
    pub critical_times: u32,
    /// Battery charge at which it is reported low, 0 to 1.
    #[setting(0.2, share)]
    pub low_charge: f64,
    /// Battery charge at which the robot stops while it still can, 0 to 1.
    #[setting(0.05, share)]
    pub empty_charge: f64,
    /// An older odometry is stale [s].
    #[setting(0.1, positive)]
    pub odometry_age: f64,
}

/// Why a robot was stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StopCause {
    /// The robot itself is stopped and follows no commands; its causes are in its readings.
    RobotStopped {
        /// How often something has stopped it since somebody looked.
        causes: u64,
    },
    /// A motor does not do what it is told.
    MotorFault {
        /// Its joint's index in the layout.
        joint: usize,
    },
    /// It falls, or has fallen.
    Fall,
    /// It was about to tip over.
    TipOver,
    /// It does not know where it is.
    StaleOdometry,
    /// The battery is empty.
    BatteryEmpty,
    /// A step stalled for good.
    Stalled {
        /// The step's index.
        step: usize,
    },
    /// A step's skill has failed for good.
    Failed {
        /// The step's index.
        step: usize,
    },
    /// A step's goal is out of reach.
    OutOfReach {
        /// The step's index.
        step: usize,
        /// How near one can come.
        reach: Reach,
    },
    /// A part of the mission itself is out of work.
    PartOut {
        /// Which one.
        part: Part,
    },
    /// The operator's emergency stop.
    EmergencyStop,
}

/// What the supervisor looks at.
#[derive(Clone, Copy, Debug)]
pub struct Health {
    /// The robot is stopped: how many causes it has told.
    pub robot_stopped: Option<u64>,
    /// Distance of the centre of mass from the nearest edge of the support polygon [m].
    pub tip_over_margin: f64,
    /// It falls, or has fallen.
    pub falls: bool,
    /// A motor that does not do what it is told.
    pub drive_fault: Option<DriveFault>,
    /// Battery charge, 0 to 1; `None` without a battery monitor.
    pub charge: Option<f64>,
    /// Age of the odometry.
    pub odometry_age: Period,
    /// A part of the mission that is out of work.
    pub part_out: Option<Part>,
}

/// A motor that does not do what it is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriveFault {
    /// Its joint's index in the layout.
    pub joint: usize,
    /// By how much it misses what it is told.
    pub residual: f64,
    /// How much would be allowed.
    pub threshold: f64,
}

/// What the supervisor decides.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct Verdict {
    /// The share of the wanted speed that is allowed, 0 to 1.
    pub speed_share: f64,
    /// Stop for this reason.
    pub stop: Option<StopCause>,
}

/// Judges the robot's health. It reports when something begins, not in every cycle in which it lasts.
#[derive(Clone, Debug, State)]
pub struct Supervisor {
    #[state(skip = "follows from the tuning, which is remembered")]
    settings: SupervisionSettings,
    critical: u32,
    slowed: bool,
    low: bool,
    last_stop: Option<StopCause>,
}

impl Supervisor {
    /// A supervisor that has seen nothing yet.
    pub fn new(settings: SupervisionSettings) -> Supervisor {
        Supervisor { settings, critical: 0, slowed: false, low: false, last_stop: None }
    }

    /// Takes other settings from now on.
    pub fn retune(&mut self, settings: SupervisionSettings) {
        self.settings = settings;
    }

    /// Starts afresh.
    pub fn reset(&mut self) {
        *self = Supervisor::new(self.settings);
    }

    /// Looks once.
    pub fn judge(&mut self, now: Time, health: &Health, events: &mut Events) -> Verdict {
        self.report_battery(now, health, events);
        let speed_share = self.speed_share(now, health.tip_over_margin, events);
        let stop = self.reason_to_stop(health);
        let told_by_mission = |cause: &StopCause| matches!(cause, StopCause::RobotStopped { .. });
        if let Some(cause) = stop.filter(|cause| self.last_stop != Some(*cause) && !told_by_mission(cause)) {
            events.push(self.report(now, cause, health));
        }
        self.last_stop = stop;
        Verdict { speed_share, stop }
    }

    /// The worst reason first.
    fn reason_to_stop(&mut self, health: &Health) -> Option<StopCause> {
        let settings = &self.settings;
        let critical = health.tip_over_margin <= settings.critical_margin;
        self.critical = if critical { self.critical.saturating_add(1) } else { 0 };
        if let Some(causes) = health.robot_stopped {
            // whatever else is wrong now comes from that
            self.critical = 0;
            return Some(StopCause::RobotStopped { causes });
        }
        if let Some(fault) = health.drive_fault {
            return Some(StopCause::MotorFault { joint: fault.joint });
        }
        if health.falls {
            return Some(StopCause::Fall);
        }
        if self.critical >= settings.critical_times {
            return Some(StopCause::TipOver);
        }
        if health.odometry_age.seconds() > settings.odometry_age {
            return Some(StopCause::StaleOdometry);
        }
        if let Some(part) = health.part_out {
            return Some(StopCause::PartOut { part });
        }
        health.charge.filter(|charge| *charge <= settings.empty_charge).map(|_| StopCause::BatteryEmpty)
    }

    fn speed_share(&mut self, now: Time, margin: f64, events: &mut Events) -> f64 {
        let SupervisionSettings { slow_margin, critical_margin, least_speed_share, .. } = self.settings;
        let slow = margin < slow_margin;
        if slow && !self.slowed {
            let event = Event::note(now, Severity::Warning, SOURCE, "slower: tip-over margin is small [m]");
            events.push(event.with(margin, slow_margin));
        }
        // leaves the slow mode only with some margin to spare, so that a margin at its edge is reported once
        self.slowed = slow || (self.slowed && margin < 1.1 * slow_margin);
        let share = (margin - critical_margin) / (slow_margin - critical_margin);
        least_speed_share + (1.0 - least_speed_share) * share.clamp(0.0, 1.0)
    }

    fn report_battery(&mut self, now: Time, health: &Health, events: &mut Events) {
        let low = health.charge.is_some_and(|charge| charge <= self.settings.low_charge);
        if low && !self.low {
            let event = Event::note(now, Severity::Warning, SOURCE, "battery low, charge [0..1]");
            events.push(event.with(health.charge.unwrap_or(f64::NAN), self.settings.low_charge));
        }
        self.low = low;
    }

    fn report(&self, now: Time, cause: StopCause, health: &Health) -> Event {
        let settings = &self.settings;
        let stop = |what, value, limit| Event::note(now, Severity::Stop, SOURCE, what).with(value, limit);
        match (cause, health.drive_fault) {
            (StopCause::MotorFault { joint }, Some(DriveFault { residual, threshold, .. })) => {
                stop("stopped: motor does not do what it is told, residual", residual, threshold)
                    .about(Subject::Joint(joint))
            }
            (StopCause::Fall, _) => stop("stopped: it falls", f64::NAN, f64::NAN),
            (StopCause::TipOver, _) => {
                stop("stopped: about to tip over, margin [m]", health.tip_over_margin, settings.critical_margin)
            }
            (StopCause::StaleOdometry, _) => {
                stop("stopped: odometry is stale, age [s]", health.odometry_age.seconds(), settings.odometry_age)
            }
            (StopCause::BatteryEmpty, _) => {
                stop("stopped: battery empty, charge [0..1]", health.charge.unwrap_or(f64::NAN), settings.empty_charge)
            }
            (StopCause::PartOut { part }, _) => {
                let what = format!("stopped: {part} does not work");
                Event { what: what.into(), ..stop("", f64::NAN, f64::NAN) }
            }
            _ => stop("stopped", f64::NAN, f64::NAN),
        }
    }
}

impl fmt::Display for StopCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopCause::RobotStopped { .. } => f.write_str("robot stopped"),
            StopCause::MotorFault { joint } => write!(f, "motor fault of joint {joint}"),
            StopCause::Fall => f.write_str("it falls"),
            StopCause::TipOver => f.write_str("about to tip over"),
            StopCause::StaleOdometry => f.write_str("stale odometry"),
            StopCause::BatteryEmpty => f.write_str("battery empty"),
            StopCause::Stalled { step } => write!(f, "step {} stalled", step + 1),
            StopCause::Failed { step } => write!(f, "step {} failed", step + 1),
            StopCause::OutOfReach { step, reach } => write!(f, "goal of step {} out of reach: {reach}", step + 1),
            StopCause::PartOut { part } => write!(f, "{part} does not work"),
            StopCause::EmergencyStop => f.write_str("emergency stop"),
        }
    }
}

/// Needed to restore an `Option`.
impl Default for StopCause {
    fn default() -> Self {
        StopCause::EmergencyStop
    }
}

impl State for StopCause {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut reach = Reach::default();
        let (mut kind, mut index) = match *self {
            StopCause::MotorFault { joint } => (0_u64, joint),
            StopCause::TipOver => (1, 0),
            StopCause::StaleOdometry => (2, 0),
            StopCause::BatteryEmpty => (3, 0),
            StopCause::Stalled { step } => (4, step),
            StopCause::EmergencyStop => (5, 0),
            StopCause::RobotStopped { causes } => (6, causes as usize),
            StopCause::OutOfReach { step, reach: so_near } => {
                reach = so_near;
                (7, step)
            }
            StopCause::Failed { step } => (8, step),
            StopCause::PartOut { part } => (9, part as usize),
            StopCause::Fall => (10, 0),
        };
        visitor.field("kind", &mut kind);
        visitor.field("index", &mut index);
        if kind == 7 {
            visitor.field("reach", &mut reach);
        }
        *self = match kind {
            0 => StopCause::MotorFault { joint: index },
            1 => StopCause::TipOver,
            2 => StopCause::StaleOdometry,
            3 => StopCause::BatteryEmpty,
            4 => StopCause::Stalled { step: index },
            6 => StopCause::RobotStopped { causes: index as u64 },
            7 => StopCause::OutOfReach { step: index, reach },
            8 => StopCause::Failed { step: index },
            10 => StopCause::Fall,
            9 => StopCause::PartOut { part: Part::ALL.get(index).copied().unwrap_or_default() },
            _ => StopCause::EmergencyStop,
        };
    }
}

impl Default for Verdict {
    fn default() -> Self {
        Verdict { speed_share: 1.0, stop: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn healthy() -> Health {
        Health {
            robot_stopped: None,
            tip_over_margin: 0.3,
            falls: false,
            drive_fault: None,
            charge: Some(0.9),
            odometry_age: Period::default(),
            part_out: None,
        }
    }

    fn judge(supervisor: &mut Supervisor, health: &Health) -> (Verdict, Events) {
        let mut events = Events::new();
        let verdict = supervisor.judge(Time::ZERO, health, &mut events);
        (verdict, events)
    }

    #[test]
    fn a_shrinking_margin_slows_down_and_then_stops_but_one_bump_does_not() {
        let mut supervisor = Supervisor::new(SupervisionSettings::default());
        let (verdict, events) = judge(&mut supervisor, &Health { tip_over_margin: 0.1, ..healthy() });
        assert!(verdict.speed_share < 1.0 && verdict.speed_share > 0.25 && verdict.stop.is_none(), "{verdict:?}");
        assert_eq!((events[0].value, events[0].limit), (0.1, 0.15));
        let tipping = Health { tip_over_margin: 0.02, ..healthy() };
        assert_eq!(judge(&mut supervisor, &tipping).0.stop, None);
        assert_eq!(judge(&mut supervisor, &healthy()).0.stop, None);
        let stops: Vec<_> = (0..3).map(|_| judge(&mut supervisor, &tipping).0.stop).collect();
        assert_eq!(stops, [None, None, Some(StopCause::TipOver)]);
    }

    #[test]
    fn a_motor_fault_is_reported_once_with_joint_residual_and_threshold() {
        let mut supervisor = Supervisor::new(SupervisionSettings::default());
        let drive_fault = Some(DriveFault { joint: 7, residual: 3.5, threshold: 1.0 });
        let (verdict, events) = judge(&mut supervisor, &Health { drive_fault, ..healthy() });
        assert_eq!(verdict.stop, Some(StopCause::MotorFault { joint: 7 }));
        assert_eq!((events[0].subject, events[0].value, events[0].limit), (Subject::Joint(7), 3.5, 1.0));
        assert!(judge(&mut supervisor, &Health { drive_fault, ..healthy() }).1.is_empty(), "said once");
    }

    #[test]
    fn a_fall_stops_the_mission_and_is_said_once() {
        let mut supervisor = Supervisor::new(SupervisionSettings::default());
        let falling = Health { falls: true, ..healthy() };
        let (verdict, events) = judge(&mut supervisor, &falling);
        assert_eq!((verdict.stop, &*events[0].what), (Some(StopCause::Fall), "stopped: it falls"));
        assert!(judge(&mut supervisor, &falling).1.is_empty());
    }

    #[test]
    fn battery_and_odometry_stop_the_robot_with_their_numbers() {
        let mut supervisor = Supervisor::new(SupervisionSettings::default());
        let (verdict, events) = judge(&mut supervisor, &Health { charge: Some(0.15), ..healthy() });
        assert!(verdict.stop.is_none() && events[0].severity == Severity::Warning);
        let (verdict, _) = judge(&mut supervisor, &Health { charge: Some(0.04), ..healthy() });
        assert_eq!(verdict.stop, Some(StopCause::BatteryEmpty));
        let age = Period::from_milliseconds(150);
        let (verdict, events) = judge(&mut supervisor, &Health { odometry_age: age, ..healthy() });
        assert_eq!(verdict.stop, Some(StopCause::StaleOdometry));
        assert_eq!((events[0].value, events[0].limit), (0.15, 0.1));
    }
}
