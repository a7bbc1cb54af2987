//! Settings that can be changed while the mission runs.

use robot_io::{ShortName, State, StateVisitor};

use crate::MissionSettings;

/// A setting that may be changed while the robot moves.
#[derive(Clone, Copy, Debug)]
pub struct Tunable {
    /// Its name, as in a scenario's `[settings]`.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Smallest and largest value that a person may give it.
    pub range: (f64, f64),
    /// Where it is.
    field: fn(&mut MissionSettings) -> &mut f64,
}

/// All of them, by skill.
pub const TUNABLES: &[Tunable] = &[
    tunable("ramp.acceleration", "m/s²", (0.05, 2.0), |settings| &mut settings.ramp.acceleration),
    tunable("ramp.yaw_acceleration", "rad/s²", (0.05, 4.0), |settings| &mut settings.ramp.yaw_acceleration),
    tunable("stop.acceleration", "m/s²", (0.1, 4.0), |settings| &mut settings.stop.acceleration),
    tunable("stick_release", "s", (0.05, 5.0), |settings| &mut settings.stick_release),
    tunable("supervision.slow_margin", "m", (0.0, 0.5), |settings| &mut settings.supervision.slow_margin),
    tunable("supervision.critical_margin", "m", (0.0, 0.4), |settings| &mut settings.supervision.critical_margin),
    tunable("follower.speed", "m/s", (0.05, 1.0), |settings| &mut settings.follower.speed),
    tunable("follower.turn_rate", "rad/s", (0.05, 1.5), |settings| &mut settings.follower.turn_rate),
    tunable("follower.distance_gain", "1/s", (0.1, 5.0), |settings| &mut settings.follower.distance_gain),
    tunable("follower.heading_gain", "1/s", (0.1, 5.0), |settings| &mut settings.follower.heading_gain),
    tunable("locomotion.drive.speed", "m/s", (0.05, 1.0), |settings| &mut settings.locomotion.drive.speed),
    tunable("locomotion.drive.turn_rate", "rad/s", (0.05, 1.5), |settings| &mut settings.locomotion.drive.turn_rate),
    tunable("locomotion.drive.acceleration", "m/s²", (0.05, 2.0), |settings| {
        &mut settings.locomotion.drive.acceleration
    }),
    tunable("locomotion.body.gain", "1", (0.0, 2.0), |settings| &mut settings.locomotion.body.gain),
    tunable("locomotion.body.integral", "1/s", (0.0, 5.0), |settings| &mut settings.locomotion.body.integral),
    tunable("locomotion.body.deadband", "rad", (0.0, 0.1), |settings| &mut settings.locomotion.body.deadband),
    tunable("locomotion.body.height_rate", "m/s", (0.01, 0.3), |settings| &mut settings.locomotion.body.height_rate),
    tunable("locomotion.margin.slow_angle", "rad", (0.0, 0.8), |settings| &mut settings.locomotion.margin.slow_angle),
];

const fn tunable(
    name: &'static str,
    unit: &'static str,
    range: (f64, f64),
    field: fn(&mut MissionSettings) -> &mut f64,
) -> Tunable {
    Tunable { name, unit, range, field }
}

impl Tunable {
    /// What it is in these settings.
    pub fn value(&self, settings: &MissionSettings) -> f64 {
        *(self.field)(&mut settings.clone())
    }
}

/// What has been changed since the mission began.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Tuning {
    changes: Vec<Change>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
struct Change {
    setting: ShortName,
    value: f64,
}

impl Tuning {
    /// The same with one setting changed; an error says why it cannot be.
    pub fn with(&self, setting: ShortName, value: f64) -> Result<Tuning, &'static str> {
        let known = TUNABLES.iter().find(|tunable| setting.is(tunable.name));
        let (low, high) = known.ok_or("setting refused: it cannot be changed while the robot moves")?.range;
        if !(low..=high).contains(&value) {
            return Err("setting refused: out of its range");
        }
        let mut tuning = self.clone();
        match tuning.changes.iter_mut().find(|change| change.setting == setting) {
            Some(change) => change.value = value,
            None => tuning.changes.push(Change { setting, value }),
        }
        Ok(tuning)
    }

    /// The settings with all changes.
    pub fn of(&self, original: &MissionSettings) -> MissionSettings {
        let mut settings = original.clone();
        for change in &self.changes {
            if let Some(tunable) = TUNABLES.iter().find(|tunable| change.setting.is(tunable.name)) {
                *(tunable.field)(&mut settings) = change.value;
            }
        }
        settings
    }
}

/// Keeps the skills' settings together with what has been changed of them.
#[derive(Clone, Debug)]
pub struct Tuner {
    original: MissionSettings,
    tuning: Tuning,
    /// What of it the skills know: it follows from the tuning, which a snapshot may change, and is not remembered.
    known: Tuning,
}

impl Tuner {
    /// Nothing changed yet.
    pub fn new(original: &MissionSettings) -> Tuner {
        Tuner { original: original.clone(), tuning: Tuning::default(), known: Tuning::default() }
    }

    /// Back to the settings as they were given.
    pub fn reset(&mut self) {
        self.tuning = Tuning::default();
    }

    /// What would come of one change.
    pub fn with(&self, setting: ShortName, value: f64) -> Result<Tuning, &'static str> {
        self.tuning.with(setting, value)
    }

    /// What the skills do not know yet, if there is something.
    pub fn news(&self) -> Option<Tuning> {
        (self.known != self.tuning).then(|| self.tuning.clone())
    }

    /// The settings that a tuning leads to.
    pub fn settings(&self, tuning: &Tuning) -> MissionSettings {
        tuning.of(&self.original)
    }

    /// The skills have taken it.
    pub fn accept(&mut self, tuning: Tuning) {
        (self.known, self.tuning) = (tuning.clone(), tuning);
    }
}

impl State for Tuner {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.tuning.visit_state(visitor);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn every_tunable_setting_is_in_its_range_by_default_and_under_its_own_name() {
        let original = MissionSettings::default();
        for tunable in TUNABLES {
            let value = tunable.value(&original);
            assert!(tunable.range.0 <= value && value <= tunable.range.1, "{}: {value}", tunable.name);
            // the name leads to the same field in a scenario's file
            let other = 0.5 * (tunable.range.0 + tunable.range.1);
            let mut file = toml::Value::try_from(&original).unwrap();
            let place = tunable.name.split('.').fold(&mut file, |table, key| table.get_mut(key).unwrap());
            *place = toml::Value::Float(other);
            let from_file: MissionSettings = file.try_into().unwrap();
            let setting = ShortName::new(tunable.name).unwrap();
            let live = Tuning::default().with(setting, other).unwrap().of(&original);
            assert_eq!(tunable.value(&live), tunable.value(&from_file), "{}", tunable.name);
        }
    }

    #[test]
    fn what_is_unknown_or_out_of_range_is_refused() {
        let name = |name: &str| ShortName::new(name).unwrap();
        let tuning = Tuning::default();
        assert!(tuning.with(name("slam.cell"), 1.0).is_err());
        for value in [-1.0, 1e9, f64::NAN, f64::INFINITY] {
            assert!(tuning.with(name("follower.speed"), value).is_err(), "{value}");
        }
    }
}
