//! Drives that do not give what they are told.
//!
//! What a joint's torque sensor feels should be what its drive was told to give, less what its rotor and its gear's friction take. All are
//! averaged over a short time: in it, a rotor takes no more than its change of speed. Where a drive that gives nothing at all would explain
//! what is felt much better than one that works, it is taken to be broken: hard motions are explained by neither. A drive that says that it has a fault, or is off, is believed.

use robot_io::{
    Commands, Event, Events, JointCommand, JointStatus, Readings, RobotLayout, Severity, State, Subject, Time,
};
use robot_model::RobotModel;

use super::SOURCE;
use crate::supervision::DriveFault;
use crate::walking_settings::DriveSettings;

/// Watches all drives but those of joints without end, which hold nothing.
#[derive(Clone, Debug, State)]
pub(super) struct Drives {
    #[state(fixed)]
    settings: DriveSettings,
    /// Of a cycle [s].
    #[state(fixed)]
    dt: f64,
    #[state(fixed)]
    watched: Vec<Watched>,
    evidence: Vec<Evidence>,
    /// Commands that have not acted yet: of each joint in turn, the newest last.
    underway: Vec<JointCommand>,
    fault: Option<Fault>,
}

/// What is constant about a joint.
#[derive(Clone, Copy, Debug)]
struct Watched {
    joint: usize,
    /// Where its commands begin among those underway, and how many cycles they take.
    first: usize,
    latency: usize,
    /// The most that its drive can do [N·m].
    peak: f64,
    /// Rotor behind the gear [kg·m²], and its gear's friction.
    rotor: f64,
    coulomb: f64,
    viscous: f64,
    /// Whether its torque is felt behind the gear.
    is_felt: bool,
}

/// What is remembered of a joint.
#[derive(Clone, Copy, Debug, Default, State)]
struct Evidence {
    /// Averages: what was asked and what was felt [N·m], and the velocity [rad/s].
    asked: f64,
    felt: f64,
    velocity: f64,
    was_enabled: bool,
    /// For how long it has said that it has a fault or is off, and for how long it has given too little [s].
    says_so: f64,
    gives_less: f64,
}

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
struct Fault {
    joint: usize,
    residual: f64,
    threshold: f64,
}

impl Drives {
    pub fn new(model: &RobotModel, layout: &RobotLayout, settings: &DriveSettings) -> Drives {
        let mut underway = 0;
        let watched = (0..model.tree.dof()).filter_map(|joint| {
            let class = model.description.actuator_of(joint)?;
            if model.tree.joints[joint].kind == robot_io::JointKind::Continuous {
                return None;
            }
            let latency = layout.joints.get(joint).map_or(0, |layout| layout.latency as usize);
            let first = underway;
            underway += latency;
            Some(Watched {
                joint,
                first,
                latency,
                peak: class.peak_effort,
                rotor: class.reflected_inertia(),
                coulomb: class.coulomb_friction,
                viscous: class.viscous_friction,
                is_felt: class.spring.is_some(),
            })
        });
        let watched: Vec<Watched> = watched.collect();
        Drives {
            settings: *settings,
            dt: layout.period.seconds(),
            evidence: vec![Evidence::default(); watched.len()],
            underway: vec![JointCommand::default(); underway],
            watched,
            fault: None,
        }
    }

    /// Forgets all suspicion, and a fault that was found.
    pub fn reset(&mut self) {
        self.fault = None;
        self.forget_suspicion();
    }

    fn forget_suspicion(&mut self) {
        self.evidence.fill(Evidence::default());
        self.underway.fill(JointCommand::default());
    }

    /// The first fault that was found.
    pub fn fault(&self) -> Option<DriveFault> {
        self.fault.map(|Fault { joint, residual, threshold }| DriveFault { joint, residual, threshold })
    }

    /// Compares what is felt in this cycle with what was told last.
    pub fn look(&mut self, now: Time, readings: &Readings, commands: &Commands, events: &mut Events) {
        if !self.settings.watch {
            return;
        }
        if readings.status.is_stopped() {
            // joints stand still by order, and it begins anew when they follow again
            return self.forget_suspicion();
        }
        let DriveSettings { status_time, effort_time, .. } = self.settings;
        let (mut strange, mut worst) = (0, None);
        for index in 0..self.watched.len() {
            let (residual, threshold) = self.weigh(index, readings, commands);
            let evidence = &mut self.evidence[index];
            let is_strange = residual > threshold;
            strange += usize::from(is_strange);
            evidence.gives_less = if is_strange { evidence.gives_less + self.dt } else { 0.0 };
            let found = evidence.gives_less > effort_time || evidence.says_so > status_time;
            if found && worst.is_none() {
                worst = Some(Fault { joint: self.watched[index].joint, residual, threshold });
            }
        }
        // what befalls many drives at once, such as a blow, is no drive's fault
        let common = self.watched.len() / 6;
        if self.fault.is_none()
            && strange <= common
            && let Some(fault) = worst
        {
            self.fault = Some(fault);
            let Fault { joint, residual, threshold } = fault;
            let event = Event::note(now, Severity::Error, SOURCE, "drive does not give its torque [N·m]");
            events.push(event.about(Subject::Joint(joint)).with(residual, threshold));
        }
    }

    /// By how much a joint's torque misses what was asked, and by how much it may [N·m].
    fn weigh(&mut self, index: usize, readings: &Readings, commands: &Commands) -> (f64, f64) {
        let (watched, evidence) = (&self.watched[index], &mut self.evidence[index]);
        let state = &readings.joints[watched.joint];
        let newest = commands.joints[watched.joint];
        let command = pass(&mut self.underway[watched.first..watched.first + watched.latency], newest);
        if state.status.contains(JointStatus::ABSENT) {
            return (0.0, 1.0);
        }
        let with = &self.settings;
        let enabled = state.status.contains(JointStatus::ENABLED);
        evidence.was_enabled |= enabled;
        let says_so = state.status.contains(JointStatus::FAULT) || (evidence.was_enabled && !enabled);
        evidence.says_so = if says_so { evidence.says_so + self.dt } else { 0.0 };

        let share = self.dt / (with.average + self.dt);
        let asked = command.effort_at(state.position, state.velocity).max(-watched.peak).min(watched.peak);
        evidence.asked += share * (asked - evidence.asked);
        evidence.felt += share * (state.effort - evidence.felt);
        evidence.velocity += share * (state.velocity - evidence.velocity);
        if state.status.contains(JointStatus::SATURATED) || state.status.contains(JointStatus::DERATED) {
            // at its limit a drive gives what it can: there is nothing to compare
            evidence.felt = evidence.asked;
        }
        let acceleration = (state.velocity - evidence.velocity) / with.average;
        let (rotor, friction) = match watched.is_felt {
            true => (watched.rotor * acceleration, watched.coulomb + watched.viscous * state.velocity.abs()),
            false => (0.0, 0.0),
        };
        let (residual, if_dead) = ((evidence.asked - rotor - evidence.felt).abs(), (rotor + evidence.felt).abs());
        let floor = with.floor * watched.peak + with.friction * friction;
        // what a dead drive explains no better is nobody's fault
        let threshold = floor + with.share * evidence.asked.abs().max(rotor.abs());
        (residual, threshold.max(if_dead / with.dead))
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::path::Path;

    use super::*;

    struct Bench {
        drives: Drives,
        readings: Readings,
        commands: Commands,
        knee: usize,
        events: Events,
    }

    impl Bench {
        fn new() -> Bench {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/humanoid/humanoid.toml");
            let model = RobotModel::load(&path).unwrap();
            let layout = model.layout();
            let mut readings = Readings::new(&layout);
            readings.joints.iter_mut().for_each(|joint| joint.status = JointStatus::ENABLED);
            Bench {
                drives: Drives::new(&model, &layout, &DriveSettings::default()),
                readings,
                commands: Commands::new(&layout),
                knee: model.tree.joint("left_knee_pitch").unwrap(),
                events: Events::new(),
            }
        }

        /// After how long a fault is found in a second [s].
        fn look(&mut self) -> Option<f64> {
            (0..1000).find_map(|cycle| {
                self.drives.look(Time::ZERO, &self.readings, &self.commands, &mut self.events);
                self.drives.fault().map(|_| f64::from(cycle) * 0.001)
            })
        }

        /// The knee is asked for one torque and gives another [N·m].
        fn knee(asked: f64, given: f64) -> Bench {
            let mut bench = Bench::new();
            bench.commands.joints[bench.knee].effort = asked;
            bench.readings.joints[bench.knee].effort = given;
            bench
        }
    }

    #[test]
    fn a_knee_without_torque_is_found_named_and_told_once() {
        let mut bench = Bench::knee(80.0, 8.0);
        let after = bench.look().unwrap();
        assert!((0.1..0.4).contains(&after), "found after {after} s");
        bench.look();
        assert_eq!(bench.events.len(), 1);
        assert_eq!(bench.events[0].subject, Subject::Joint(bench.knee));
        bench.drives.reset();
        assert_eq!(bench.drives.fault(), None);
    }

    #[test]
    fn friction_and_what_a_dead_drive_explains_no_better_are_no_fault() {
        assert_eq!(Bench::knee(80.0, 68.0).look(), None, "the gear's friction");
        assert_eq!(Bench::knee(8.0, 0.0).look(), None, "hardly asked for anything");
        assert_eq!(Bench::knee(150.0, 75.0).look(), None, "half of it");
    }

    #[test]
    fn a_blow_is_no_fault_and_a_drive_that_says_so_is_believed() {
        let mut bench = Bench::new();
        bench.commands.joints.iter_mut().for_each(|joint| joint.effort = 100.0);
        assert_eq!(bench.look(), None, "all at once");
        let mut bench = Bench::new();
        bench.readings.joints[bench.knee].status = JointStatus::ENABLED.with(JointStatus::FAULT, true);
        assert!(bench.look().unwrap() < 0.1);
    }
}
