//! From a scenario's table `[behaviour]` to a statechart that can be carried out.

use std::path::Path;
use std::sync::Arc;

use crate::beside::find;
use crate::case::{BehaviourTable, Case, Source};
use crate::controller::Offer;
use crate::{Library, ScenarioError};
use mission::chart::{Book, Value};
use mission::{Behaviour, BehaviourPlan, Skills};

/// Charts lie in a folder of this name, beside the scenario or in the library.
const FOLDER: &str = "charts";

/// The files of the charts that a scenario names, and of those that they name.
pub(crate) fn read(library: &Library, case: &Case) -> Result<Vec<Source>, ScenarioError> {
    let Some(table) = &case.behaviour else { return Ok(Vec::new()) };
    let skills = skills(library.registry().skills(), case);
    let mut sources = Vec::new();
    let mut files = |name: &str| {
        let (path, text) = find(library, &case.folder, FOLDER, name)?;
        let shown = library.relative(&path).display().to_string();
        sources.push(Source { path: shown.clone(), text: text.clone() });
        Ok((shown, text))
    };
    let book = Book::read(&table.chart, &mut files, &Behaviour::catalogue(&skills));
    book.map_err(|error| chart_error(case, table, error))?;
    Ok(sources)
}

/// The behaviour that a scenario names, from its charts' files and with the program's own skills; `None` if it names none.
pub(crate) fn offer(case: &Case, charts: &[Source], own: &Skills) -> Result<Option<Offer>, ScenarioError> {
    let Some(table) = &case.behaviour else { return Ok(None) };
    let skills = skills(own, case);
    let mut files = |name: &str| {
        let is_it = |source: &&Source| Path::new(&source.path).file_stem().is_some_and(|stem| stem == name);
        let source = charts.iter().find(is_it).ok_or_else(|| "expected a chart, found none".to_owned())?;
        Ok((source.path.clone(), source.text.clone()))
    };
    let book = Book::read(&table.chart, &mut files, &Behaviour::catalogue(&skills));
    let book = book.map_err(|error| chart_error(case, table, error))?;
    let inputs = inputs(&book, table).map_err(|message| case.wrong(table.line, message))?;
    let plan = BehaviourPlan { book: Arc::new(book), inputs, autonomy: table.autonomy, priority: table.priority };
    Ok(Some(Offer::new(plan, skills)))
}

/// What charts may name: what every robot can do, what eyes and hands can where there are some, and the program's own.
fn skills(own: &Skills, case: &Case) -> Skills {
    let standard = Skills::default().with_standard();
    let skills = if case.hands.is_some() { handling::with_hands(standard) } else { standard };
    skills.and(own)
}

/// What the chart is told: the profile's values, and over them the scenario's.
fn inputs(book: &Book, table: &BehaviourTable) -> Result<Vec<(usize, Value)>, String> {
    let chart = book.main();
    let mut inputs = match &table.profile {
        None => Vec::new(),
        Some(profile) => {
            let known = book.profile(profile);
            let refuse = |known: Vec<&str>| match known.as_slice() {
                [] => format!("behaviour: profile: chart '{}' has none, found '{profile}'", chart.name),
                known => format!("behaviour: profile: expected one of {}, found '{profile}'", known.join(", ")),
            };
            known.map_err(refuse)?.to_vec()
        }
    };
    let names = || chart.inputs.iter().map(|input| input.name.clone()).collect::<Vec<_>>().join(", ");
    for (name, value) in &table.inputs {
        let place = chart.inputs.iter().position(|input| input.name == *name);
        let place = place.ok_or_else(|| format!("behaviour: inputs: expected some of {}, found '{name}'", names()))?;
        let (kind, found) = (chart.inputs[place].kind, Value::from_file(value));
        let found = found.filter(|found| found.kind() == kind);
        let found = found.ok_or_else(|| format!("behaviour: inputs: {name}: expected a {kind}, found {value}"))?;
        inputs.retain(|(known, _)| *known != place);
        inputs.push((place, found));
    }
    let is_missing = |place: usize| {
        let is_required = chart.inputs[place].need == mission::chart::Need::Required;
        is_required && !inputs.iter().any(|(known, _)| *known == place)
    };
    match (0..chart.inputs.len()).find(|place| is_missing(*place)) {
        None => Ok(inputs),
        Some(place) => Err(format!(
            "behaviour: expected the input '{}' of chart '{}', found none",
            chart.inputs[place].name, chart.name
        )),
    }
}

/// What is wrong with a chart, at its own file and line, or at the scenario's if it cannot be found.
fn chart_error(case: &Case, table: &BehaviourTable, error: page::Fault) -> ScenarioError {
    if error.file == table.chart {
        return case.wrong(table.line, format!("behaviour: chart '{}': {}", table.chart, error.message));
    }
    ScenarioError::Case(error)
}
