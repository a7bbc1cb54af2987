//! A robot beside the scenario's first one: what it is, where it stands, and what it does.

use mission::MissionPlan;
use page::{Fault, Fields, Page};
use replay::LogOptions;
use robot_io::{RandomStream, Time};
use robot_model::RobotModel;
use robot_model::description::Base;

use super::controller::ControllerPlan;
use super::load::Load;
use super::uncertainty::Uncertainty;
use super::{Case, PlantKind, Source, trouble};
use crate::ScenarioError;
use crate::case::file;

/// Most robots beside the first.
const MOST: usize = 16;

/// A table `[[other]]`.
#[derive(Clone, Debug)]
pub struct Other {
    /// What stands in the table, as a scenario of its own with its name; what it shares with the first robot is not said here.
    pub case: Case,
    /// Whether its base is fixed to the world; `None` for what its robot's file says.
    pub base: Option<Base>,
}

impl Other {
    /// The scenario of this robot alone, as part of that of the first one.
    pub(crate) fn beside(&self, first: &Case) -> Case {
        let Case { uncertainty, duration, .. } = *first;
        let seed = self.seed(first.seed);
        Case { seed, uncertainty, duration, cycle: first.cycle, folder: first.folder.clone(), ..self.case.clone() }
    }

    /// Everything random about it is its own.
    pub(crate) fn seed(&self, of_first: u64) -> u64 {
        RandomStream::new(of_first, &format!("other/{}", self.case.name)).bits(0, 0)
    }

    /// Its robot, on the base that the table says.
    pub(crate) fn on_its_base(&self, mut robot: RobotModel) -> RobotModel {
        robot.description.base = self.base.unwrap_or(robot.description.base);
        robot
    }
}

/// The tables `[[other]]` of a scenario.
pub(super) fn read(fields: &mut Fields<'_>, page: Page<'_>) -> Result<Vec<Other>, ScenarioError> {
    let tables = fields.tables("other")?;
    if tables.len() > MOST {
        let found = tables.len().to_string();
        return Err(fields.error_at("other", &format!("at most {MOST} robots beside the first"), &found).into());
    }
    let mut taken = Vec::new();
    let mut others = Vec::with_capacity(tables.len());
    for mut table in tables {
        let name = name(&mut table, &mut taken)?;
        others.push(other(&mut table, page, name)?);
        table.finish()?;
    }
    Ok(others)
}

/// A name that no other robot has, and that can be part of a frame's.
fn name<'d>(table: &mut Fields<'d>, taken: &mut Vec<&'d str>) -> Result<String, Fault> {
    let name = table.unique_name(taken)?;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    match !name.is_empty() && name.chars().all(is_plain) {
        true => Ok(name),
        false => Err(table.need("name", "a text")?.error("letters, digits, _ and -", &format!("'{name}'"))),
    }
}

fn other(table: &mut Fields<'_>, page: Page<'_>, name: String) -> Result<Other, ScenarioError> {
    let mission = table.get("mission").map(|mission| MissionPlan::of_table(mission.table()?, page)).transpose()?;
    let (faults, controller_faults) = trouble::faults(table)?;
    let base = table.get("base").map(|base| base.word(&[("free", Base::Free), ("fixed", Base::Fixed)])).transpose()?;
    let controller = table.one("controller", ControllerPlan::read)?.unwrap_or_default();
    if let Some(line) = controller.line.filter(|_| controller.is_program()) {
        let message = "other: controller: expected `name`, a controller of this program, found `program`; one in another process \
                       answers the first robot alone";
        return Err(ScenarioError::Case(Fault::new(page.file, line, message)));
    }
    let case = Case {
        title: name.clone(),
        about: String::new(),
        world: String::new(),
        robot: table.text("robot")?.to_owned(),
        seed: 0,
        duration: Time::ZERO,
        linger: None,
        known_failure: None,
        spawn: table.need("spawn", "{ place } or { x, y, yaw }")?.table()?.read_by(file::spawn)?,
        pose: table.optional_text("pose")?.unwrap_or_else(|| "stand".to_owned()),
        metrics: Vec::new(),
        sensors: table.get("sensors").map_or(Ok(Vec::new()), |list| list.texts())?,
        plant: PlantKind::Sim,
        bus: None,
        cycle: None,
        mission: mission.unwrap_or_else(|| file::standing_still(&name)),
        controller,
        settings: table.one("settings", Fields::rest)?.unwrap_or_default(),
        faults,
        controller_faults,
        bus_faults: Vec::new(),
        twin: None,
        mixed: None,
        pushes: Vec::new(),
        loads: table.each("load", Load::read)?,
        kidnaps: table.each("kidnap", file::kidnap)?,
        uncertainty: Uncertainty::default(),
        miscalibration: None,
        behaviour: None,
        hands: None,
        operator: table.each("operator", file::operator)?,
        link: None,
        others: Vec::new(),
        checks: Vec::new(),
        log: LogOptions::default(),
        folder: Default::default(),
        source: Source { path: page.file.to_owned(), text: lines_of(page.text, table.line()) },
        name,
    };
    Ok(Other { case, base })
}

/// The lines of a table `[[other]]` that begins in a line, and of what belongs to it, at their places; all other lines are empty. So what is found
/// wrong later is looked for where it stands.
fn lines_of(text: &str, first: usize) -> String {
    let begins_another = |line: &str| {
        let header = line.trim_start();
        header.starts_with('[') && !header.starts_with("[other.") && !header.starts_with("[[other.")
    };
    let after = text.lines().skip(first).position(begins_another).map_or(usize::MAX, |lines| first + lines);
    let lines = text.lines().enumerate();
    let kept = lines.map(|(index, line)| if (first - 1..after).contains(&index) { line } else { "" });
    kept.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_table_at_their_places() {
        let text =
            "a = 1\n[[other]]\nname = \"b\"\n[other.mission]\nname = \"c\"\n\n[[other]]\nname = \"d\"\n[[check]]";
        assert_eq!(lines_of(text, 2), "\n[[other]]\nname = \"b\"\n[other.mission]\nname = \"c\"\n\n\n\n");
        assert_eq!(lines_of(text, 7), "\n\n\n\n\n\n[[other]]\nname = \"d\"\n");
    }
}
