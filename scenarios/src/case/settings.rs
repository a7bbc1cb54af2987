//! A scenario's settings: read, kept to their bounds, and set by their dotted names, as `--set` does.

use mission::MissionSettings;
use robot_io::{SettingError, Settings as _};
use robot_model::RobotModel;
use serde::Deserialize;
use serde::de::Error as _;
use toml::de::{DeTable, DeValue};

use super::Case;
use crate::ScenarioError;

/// So many names are listed beside one that is not known.
const NEAREST: usize = 4;
/// No setting is larger.
const LARGEST: f64 = 1e9;

impl Case {
    /// The settings of the skills on a robot: those of its size, but for what the scenario says.
    pub(crate) fn mission_settings(&self, robot: &RobotModel) -> Result<MissionSettings, ScenarioError> {
        if let Some((name, found)) = outsized(&self.settings, "") {
            let expected = format!("a number up to {LARGEST:e}");
            return Err(self.setting_refused(&SettingError::new(&name, "", &expected, found)));
        }
        let usual = MissionSettings::for_robot(robot);
        let settings = changed(&usual, &self.settings).map_err(|error| self.setting_misread(&error))?;
        settings.check().map_err(|refused| self.setting_refused(&refused))?;
        Ok(settings)
    }

    /// A setting that is out of its bounds, at the line where the file sets it.
    pub(crate) fn setting_refused(&self, refused: &SettingError) -> ScenarioError {
        let key = refused.path.rsplit('.').next().unwrap_or_default();
        let line = self.line_of_setting(&refused.path).or_else(|| self.line_with(&format!("{key} =")));
        self.wrong(line.unwrap_or_else(|| self.first_line()), format!("settings: {refused}"))
    }

    /// The line of a setting; none if the file does not set it, because it has its default, or was set from outside.
    fn line_of_setting(&self, path: &str) -> Option<usize> {
        let document = DeTable::parse(&self.source.text).ok()?;
        let whole = document.get_ref();
        // of a robot beside the first there is only its table
        let own = match whole.get("other").map(|other| other.get_ref()).filter(|_| !whole.contains_key("title")) {
            Some(DeValue::Array(tables)) => tables.first()?.get_ref().get("settings"),
            _ => whole.get("settings"),
        };
        let mut place = own?;
        for key in path.split(['.', '[']).take_while(|key| !key.ends_with(']')) {
            let DeValue::Table(table) = place.get_ref() else { return None };
            place = table.get(key)?;
        }
        Some(self.page().line(place))
    }

    /// Settings that are none, because of the first value or table without which it would be another mistake, or none. Its line is known if the file has it.
    fn setting_misread(&self, error: &toml::de::Error) -> ScenarioError {
        let is_to_blame = |path: &str| {
            let mut others = self.settings.clone();
            remove(&mut others, path);
            let left = changed(&MissionSettings::default(), &others).err();
            left.is_none_or(|left| left.message() != error.message())
        };
        let mut all = Vec::new();
        collect(&self.settings, "", &mut all);
        let line = all.iter().find(|(path, _)| is_to_blame(path)).and_then(|(path, _)| self.line_of_setting(path));
        let message = format!("settings: {}", error.message().replace('\n', ", "));
        let line = line.or_else(|| self.line_with("[settings")).or_else(|| self.line_with(".settings]"));
        self.wrong(line.unwrap_or_else(|| self.first_line()), message)
    }
}

/// The first setting that is beyond all bounds.
fn outsized(table: &toml::Table, prefix: &str) -> Option<(String, f64)> {
    table.iter().find_map(|(key, value)| match value {
        toml::Value::Float(number) if number.is_finite() && number.abs() > LARGEST => {
            Some((format!("{prefix}{key}"), *number))
        }
        toml::Value::Table(below) => outsized(below, &format!("{prefix}{key}.")),
        _ => None,
    })
}

/// Some settings with what a table says in place of its own.
fn changed(usual: &MissionSettings, table: &toml::Table) -> Result<MissionSettings, toml::de::Error> {
    let mut all = toml::Table::try_from(usual).map_err(toml::de::Error::custom)?;
    lay_over(&mut all, table);
    MissionSettings::deserialize(toml::Value::Table(all))
}

fn lay_over(all: &mut toml::Table, table: &toml::Table) {
    for (key, value) in table {
        match (all.get_mut(key), value) {
            (Some(toml::Value::Table(below)), toml::Value::Table(value)) => lay_over(below, value),
            _ => drop(all.insert(key.clone(), value.clone())),
        }
    }
}

/// Sets `a.b.key=value` in the settings of a scenario whose robot has the settings `usual`; the message says what is wrong with it.
pub fn set(settings: &mut toml::Table, usual: &MissionSettings, setting: &str) -> Result<(), String> {
    let form = || format!("--set: expected KEY=VALUE, for example locomotion.body.gain=0.2, found '{setting}'");
    let (path, value) = setting.split_once('=').ok_or_else(form)?;
    let value = value_of(value).ok_or_else(form)?;
    let keys: Vec<&str> = path.split('.').collect();
    let now = changed(usual, settings).map_err(|error| format!("settings: {}", error.message()))?;
    let now = toml::Table::try_from(now).map_err(|error| format!("settings: {error}"))?;
    let Some(before) = find(&now, &keys) else { return Err(unknown(path, &now)) };
    let mut with = settings.clone();
    insert(&mut with, &keys, value);
    changed(usual, &with)
        .map_err(|error| format!("--set {path}: {}; it is {before} now", error.message().replace('\n', ", ")))?;
    *settings = with;
    Ok(())
}

/// A value as TOML has it; a word without quotes is a text.
fn value_of(text: &str) -> Option<toml::Value> {
    let parse = |text: &str| format!("value = {text}").parse::<toml::Table>().ok()?.remove("value");
    let is_word =
        !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
    parse(text).or_else(|| is_word.then(|| toml::Value::String(text.to_owned())))
}

/// Puts a value into its table.
fn insert(table: &mut toml::Table, keys: &[&str], value: toml::Value) {
    match keys {
        [] => {}
        [key] => drop(table.insert((*key).to_owned(), value)),
        [folder, rest @ ..] => {
            let entry = table.entry(*folder).or_insert_with(|| toml::Value::Table(toml::Table::new()));
            if let toml::Value::Table(below) = entry {
                insert(below, rest, value);
            }
        }
    }
}

fn find<'t>(table: &'t toml::Table, keys: &[&str]) -> Option<&'t toml::Value> {
    let (first, rest) = keys.split_first()?;
    let value = table.get(*first)?;
    if rest.is_empty() { Some(value) } else { find(value.as_table()?, rest) }
}

/// Takes a value or table out of its table, if it is there.
fn remove(table: &mut toml::Table, path: &str) {
    match path.split_once('.') {
        None => drop(table.remove(path)),
        Some((folder, rest)) => {
            if let Some(below) = table.get_mut(folder).and_then(toml::Value::as_table_mut) {
                remove(below, rest);
            }
        }
    }
}

fn unknown(path: &str, effective: &toml::Table) -> String {
    let mut all = Vec::new();
    collect(effective, "", &mut all);
    let mut names: Vec<_> = all.into_iter().filter(|(_, value)| !value.is_table()).map(|(name, _)| name).collect();
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let likeness = |name: &String| strsim::jaro_winkler(name, path).max(strsim::jaro_winkler(&last(name), &last(path)));
    names.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    names.truncate(NEAREST);
    format!("--set {path}: there is no such setting; near it are {}", names.join(", "))
}

/// All values and tables with their dotted names, what is in a table before the table.
fn collect<'t>(table: &'t toml::Table, prefix: &str, all: &mut Vec<(String, &'t toml::Value)>) {
    for (key, value) in table {
        if let toml::Value::Table(below) = value {
            collect(below, &format!("{prefix}{key}."), all);
        }
        all.push((format!("{prefix}{key}"), value));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn settings_with(given: &str, setting: &str) -> Result<MissionSettings, String> {
        let mut table: toml::Table = given.parse().unwrap();
        set(&mut table, &MissionSettings::default(), setting)?;
        Ok(changed(&MissionSettings::default(), &table).unwrap())
    }

    #[test]
    fn a_setting_of_any_depth_is_set_and_the_others_stay() {
        let given = "cruise_speed = 0.3\n[locomotion.body]\ngain = 0.8";
        let usual = settings_with(given, "look_beyond=0.6").unwrap();
        assert_eq!((usual.cruise_speed, usual.locomotion.body.gain), (0.3, 0.8));
        let expected = |change: fn(&mut MissionSettings)| {
            let mut settings = usual.clone();
            change(&mut settings);
            Ok(settings)
        };
        assert_eq!(settings_with(given, "cruise_speed=0.2"), expected(|all| all.cruise_speed = 0.2));
        assert_eq!(settings_with(given, "locomotion.body.gain=0.2"), expected(|all| all.locomotion.body.gain = 0.2));
        assert_eq!(settings_with(given, "ramp.acceleration=0.1"), expected(|all| all.ramp.acceleration = 0.1));
    }

    #[test]
    fn an_unknown_setting_is_answered_with_those_near_it() {
        let message = settings_with("", "locomotion.pitch_gain=0.5").unwrap_err();
        assert!(
            message.starts_with("--set locomotion.pitch_gain: there is no such setting; near it are "),
            "{message}"
        );
        assert!(message.contains("gain"), "{message}");
        let message = settings_with("", "cruise_sped=0.5").unwrap_err();
        assert!(message.contains("near it are cruise_speed,"), "{message}");
        let message = settings_with("", "locomotion.body.gain=fast").unwrap_err();
        assert!(message.contains("--set locomotion.body.gain: ") && message.contains(" now"), "{message}");
        for setting in ["cruise_speed", "locomotion=0.5", "locomotion.body.gain.x=1", "=1", "cruise_speed=what?", "."] {
            assert!(settings_with("", setting).is_err(), "{setting}");
        }
    }
}
