//! Settings of the skills by their dotted names, as `--set` names them.

use mission::MissionSettings;
use serde::Deserialize;

/// So many names are listed beside one that is not known.
const NEAREST: usize = 4;

/// Sets `a.b.key=value` in a scenario's settings; the message says what is wrong with it.
pub fn set(settings: &mut toml::Table, setting: &str) -> Result<(), String> {
    let form = || format!("--set: expected KEY=VALUE, for example locomotion.body.gain=0.2, found '{setting}'");
    let (path, value) = setting.split_once('=').ok_or_else(form)?;
    let value = value_of(value).ok_or_else(form)?;
    let keys: Vec<&str> = path.split('.').collect();
    let effective = effective(settings)?;
    let mut changed = settings.clone();
    insert(&mut changed, &effective, &keys, value).ok_or_else(|| unknown(path, &effective))?;
    let known = MissionSettings::deserialize(toml::Value::Table(changed.clone()));
    known.map_err(|error| match find(&effective, &keys) {
        Some(now) => format!("--set {path}: {}; it is {now} now", error.message().replace('\n', ", ")),
        None => unknown(path, &effective),
    })?;
    *settings = changed;
    Ok(())
}

/// A value as TOML has it; a word without quotes is a text.
fn value_of(text: &str) -> Option<toml::Value> {
    let parse = |text: &str| format!("value = {text}").parse::<toml::Table>().ok()?.remove("value");
    let is_word =
        !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
    parse(text).or_else(|| is_word.then(|| toml::Value::String(text.to_owned())))
}

/// All settings with their values.
fn effective(settings: &toml::Table) -> Result<toml::Table, String> {
    let all = MissionSettings::deserialize(toml::Value::Table(settings.clone()));
    let all = all.map_err(|error| format!("settings: {}", error.message()))?;
    toml::Table::try_from(all).map_err(|error| format!("settings: {error}"))
}

/// Puts a value into its table. A table that the scenario does not have begins with the values that hold already, because
/// some are known only as a whole. `None` if there is no such table.
fn insert(table: &mut toml::Table, effective: &toml::Table, keys: &[&str], value: toml::Value) -> Option<()> {
    match keys {
        [] => None,
        [key] => {
            for (name, now) in effective.iter().filter(|(_, now)| !now.is_table()) {
                table.entry(name).or_insert_with(|| now.clone());
            }
            table.insert((*key).to_owned(), value);
            Some(())
        }
        [folder, rest @ ..] => {
            let below = effective.get(*folder)?.as_table()?;
            let entry = table.entry(*folder).or_insert_with(|| toml::Value::Table(toml::Table::new()));
            insert(entry.as_table_mut()?, below, rest, value)
        }
    }
}

fn find<'t>(table: &'t toml::Table, keys: &[&str]) -> Option<&'t toml::Value> {
    let (first, rest) = keys.split_first()?;
    let value = table.get(*first)?;
    if rest.is_empty() { Some(value) } else { find(value.as_table()?, rest) }
}

fn unknown(path: &str, effective: &toml::Table) -> String {
    let mut names = Vec::new();
    collect(effective, "", &mut names);
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let likeness = |name: &String| strsim::jaro_winkler(name, path).max(strsim::jaro_winkler(&last(name), &last(path)));
    names.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    let near = names.iter().take(NEAREST).cloned().collect::<Vec<_>>().join(", ");
    format!("--set {path}: there is no such setting; near it are {near}")
}

/// The dotted names of all values.
fn collect(table: &toml::Table, prefix: &str, names: &mut Vec<String>) {
    for (key, value) in table {
        match value {
            toml::Value::Table(below) => collect(below, &format!("{prefix}{key}."), names),
            _ => names.push(format!("{prefix}{key}")),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn settings_with(given: &str, setting: &str) -> Result<MissionSettings, String> {
        let mut table: toml::Table = given.parse().unwrap();
        set(&mut table, setting)?;
        Ok(MissionSettings::deserialize(toml::Value::Table(table)).unwrap())
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
