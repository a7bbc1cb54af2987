//! `chiron settings`: what a scenario's `[settings]` can hold.

use std::fmt::Write as _;

use mission::MissionSettings;
use robot_io::Settings as _;
use robot_io::settings::{Bound, Numbers, Setting, SettingsVisitor};
use robot_model::RobotModel;

use crate::cli::SettingsArgs;
use crate::outcome::Outcome;
use crate::{Case, Library, ScenarioError};

/// Prints the settings that are asked for, as TOML.
pub fn settings(args: &SettingsArgs, library: &Library) -> Result<Outcome, ScenarioError> {
    let (present, usual) = match &args.of {
        Some(case) => {
            let case = Case::load(library, case)?;
            let robot = RobotModel::load(&library.beside(&case.folder).robot(&case.robot)?)?;
            (case.mission_settings(&robot)?, MissionSettings::for_robot(&robot))
        }
        None => (MissionSettings::default(), MissionSettings::default()),
    };
    let part = args.part.as_deref().unwrap_or_default();
    let page = page(&present, &usual, part)?;
    if page.is_empty() {
        let message =
            format!("expected a part of a setting's name or meaning, found '{part}'; `chiron settings` lists them all");
        return Err(ScenarioError::Usage(message));
    }
    print!("{page}");
    Ok(Outcome::Passed)
}

/// All settings with `part` in their name or meaning: as `present` has them, with what is `usual` beside what is not.
fn page(present: &MissionSettings, usual: &MissionSettings, part: &str) -> Result<String, ScenarioError> {
    let mut list = List::default();
    list.enter(&Setting { name: "settings", units: &[], meaning: "" });
    present.visit_settings(&mut list);
    let table = |settings: &MissionSettings| {
        toml::Table::try_from(settings).map_err(|error| ScenarioError::Usage(format!("settings: {error}")))
    };
    let (present, usual) = (table(present)?, table(usual)?);
    let mut page = String::new();
    for group in &list.groups {
        let asked = group.lines.iter().filter(|line| line.has(&group.path, part));
        let lines: Vec<&Line> = asked.collect();
        if lines.is_empty() {
            continue;
        }
        let gap = if page.is_empty() { "" } else { "\n" };
        let _ = writeln!(page, "{gap}[{}]", group.path);
        for line in lines {
            let now = value_at(&present, &group.path, line.name);
            let default = value_at(&usual, &group.path, line.name);
            let beside = if now == default { String::new() } else { format!(" # default {default}") };
            let _ = writeln!(page, "# {}\n{} = {now}{beside}", line.comment(), line.name);
        }
    }
    Ok(page)
}

/// The value of a setting of the group `settings.…`.
fn value_at(settings: &toml::Table, group: &str, name: &str) -> String {
    let mut folders = group.split('.').skip(1);
    let table = folders.try_fold(settings, |table, folder| table.get(folder)?.as_table());
    table.and_then(|table| table.get(name)).map(ToString::to_string).unwrap_or_default()
}

/// A table of the file.
struct Group {
    path: String,
    lines: Vec<Line>,
}

/// A setting.
struct Line {
    name: &'static str,
    meaning: String,
    bounds: Vec<String>,
}

impl Line {
    /// True if the name, after that of the group, or the meaning has `part` in it.
    fn has(&self, group: &str, part: &str) -> bool {
        let part = part.to_lowercase();
        format!("{group}.{}", self.name).contains(&part) || self.meaning.to_lowercase().contains(&part)
    }

    /// What it means, and what it must be.
    fn comment(&self) -> String {
        if self.bounds.is_empty() {
            self.meaning.clone()
        } else {
            format!("{} Expected: {}.", self.meaning, self.bounds.join(", "))
        }
    }
}

/// Gathers the settings of each group: those of a group stand together, also around another one in it.
#[derive(Default)]
struct List {
    groups: Vec<Group>,
    /// Those that the present one is in, and itself.
    within: Vec<usize>,
}

impl SettingsVisitor for List {
    fn setting(&mut self, setting: &Setting, _numbers: &dyn Numbers, bounds: &[Bound]) {
        let line = Line {
            name: setting.name,
            meaning: without_links(setting.meaning),
            bounds: bounds.iter().map(ToString::to_string).collect(),
        };
        if let Some(group) = self.within.last().and_then(|group| self.groups.get_mut(*group)) {
            group.lines.push(line);
        }
    }

    fn enter(&mut self, group: &Setting) {
        let above = self.within.last().map(|above| format!("{}.", self.groups[*above].path)).unwrap_or_default();
        self.within.push(self.groups.len());
        self.groups.push(Group { path: format!("{above}{}", group.name), lines: Vec::new() });
    }

    fn leave(&mut self) {
        self.within.pop();
    }
}

/// The words of a text without where their links lead.
fn without_links(text: &str) -> String {
    let mut words = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        let parts =
            link.split_once(']').map(|(word, after)| (word, after.strip_prefix('(').and_then(|a| a.split_once(')'))));
        words.push_str(before);
        match parts {
            Some((word, Some((_, after)))) => {
                words.push_str(word);
                rest = after;
            }
            _ => {
                words.push('[');
                rest = link;
            }
        }
    }
    words + rest
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[test]
    fn what_is_printed_is_read_as_the_same_settings() {
        let mut settings = MissionSettings { cruise_speed: 0.25, ..MissionSettings::default() };
        settings.slam.mapper.views.spacing = 1.5;
        let page = page(&settings, &MissionSettings::default(), "").unwrap();
        assert!(page.contains("\ncruise_speed = 0.25 # default 0.4\n"), "{page}");
        assert!(
            page.contains("\n# Highest speed over ground [m/s]. Expected: a positive number.\nspeed = 0.9\n"),
            "{page}"
        );
        let mut table: toml::Table = page.parse().unwrap();
        let read = MissionSettings::deserialize(table.remove("settings").unwrap()).unwrap();
        assert_eq!(read, settings);
    }

    #[test]
    fn a_part_of_a_name_or_of_a_meaning_finds_settings() {
        let usual = MissionSettings::default();
        let page = |part: &str| page(&usual, &usual, part).unwrap();
        assert!(page("locomotion.body.ga").contains("[settings.locomotion.body]"));
        assert!(page("tipping over").contains("slow_angle"));
        assert_eq!(page("no such words"), "");
    }

    #[test]
    fn links_lose_where_they_lead_and_units_stay() {
        assert_eq!(
            without_links("Below this [hold](a::hold) [m], as [`A`](b) says."),
            "Below this hold [m], as `A` says."
        );
    }
}
