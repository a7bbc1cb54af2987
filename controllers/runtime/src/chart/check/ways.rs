//! What leads from one state to the next.

use std::collections::BTreeSet;

use page::Fault;
use toml::Spanned;

use super::{AGAIN, Checker, Here};
use crate::chart::model::{Autonomy, Chart, Interface, Node, Source as From, Target, Task, Transition, What, Work};
use crate::chart::value::{Need, Parameter};

/// A way into a state: the state, what it is told on that way, and the way's name.
type Way<'w> = (usize, &'w [(usize, From)], String);

impl Checker<'_> {
    pub(super) fn transition(
        &self,
        chart: &Chart,
        state: &str,
        outcome: &str,
        value: &Spanned<toml::Value>,
        last: &[Parameter],
    ) -> Result<Transition, Fault> {
        let (at, place) = (value.span(), format!("state '{state}': on '{outcome}'"));
        let refuse =
            |expected: &str, found: &dyn core::fmt::Display| Err(self.page.expected(&at, &place, expected, found));
        const FORM: &str = "a state or an outcome, or { to or ladder, with, autonomy }";
        let empty = toml::Table::new();
        let table = match value.get_ref() {
            toml::Value::String(_) => &empty,
            toml::Value::Table(table) => table,
            other => return refuse(FORM, other),
        };
        if let Some(unknown) = table.keys().find(|key| !["to", "ladder", "with", "autonomy"].contains(&key.as_str())) {
            return refuse(FORM, &format!("'{unknown}'"));
        }
        let steps: Vec<&str> =
            match (value.get_ref().as_str().or(table.get("to").and_then(toml::Value::as_str)), table.get("ladder")) {
                (Some(to), None) => vec![to],
                (None, Some(toml::Value::Array(steps))) => steps.iter().filter_map(toml::Value::as_str).collect(),
                _ => return refuse(FORM, value.get_ref()),
            };
        let target = |name: &&str| {
            let name = if *name == AGAIN { state } else { name };
            let state = self.raw.states.keys().position(|known| known == name).map(Target::State);
            state.or_else(|| chart.outcomes.iter().position(|known| known == name).map(Target::End)).ok_or_else(|| {
                let states = self.raw.states.keys().chain(&chart.outcomes).cloned().collect::<Vec<_>>().join(", ");
                self.page.expected(&at, &place, format!("one of {states}, or {AGAIN}"), format!("'{name}'"))
            })
        };
        let ladder: Vec<Target> = steps.iter().map(target).collect::<Result<_, _>>()?;
        if ladder.is_empty() {
            return refuse("at least one step", &"none");
        }
        let autonomy = match table.get("autonomy").map(|level| level.as_str()) {
            None => Autonomy::Low,
            Some(Some("low")) => Autonomy::Low,
            Some(Some("high")) => Autonomy::High,
            Some(Some("full")) => Autonomy::Full,
            Some(_) => return refuse("autonomy = \"low\", \"high\" or \"full\"", &table["autonomy"]),
        };
        let with = match table.get("with") {
            None => Vec::new(),
            Some(toml::Value::Table(with)) => {
                self.with(&Here { last, ..Here::of(chart, &place, &at) }, &ladder, with)?
            }
            Some(other) => return refuse("with = { INPUT = … }", other),
        };
        Ok(Transition { outcome: outcome.to_owned(), ladder, with, autonomy })
    }

    /// What a transition tells the states that it leads to, all of which must have such inputs.
    fn with(&self, here: &Here<'_>, ladder: &[Target], with: &toml::Table) -> Result<Vec<(usize, From)>, Fault> {
        let Here { place, at, .. } = here;
        let mut told: Option<Vec<(usize, From)>> = None;
        for target in ladder {
            let Target::State(next) = target else { continue };
            let Some(wanted) = self.inputs_of_state(*next) else {
                return Err(self.page.expected(
                    at,
                    place,
                    "a state with inputs of its own for `with`",
                    "one with regions",
                ));
            };
            let each = with.iter().map(|(name, value)| self.input(here, wanted, name, value));
            let each: Vec<(usize, From)> = each.collect::<Result<_, _>>()?;
            if told.replace(each.clone()).is_some_and(|before| before != each) {
                let expected = "states on the ladder whose inputs stand in the same order";
                return Err(self.page.expected(at, place, expected, "others"));
            }
        }
        told.ok_or_else(|| self.page.expected(at, place, "a state for `with`", "an outcome"))
    }

    /// The inputs of a state's skill or chart; nothing for one with regions, or one that is refused elsewhere.
    fn inputs_of_state(&self, state: usize) -> Option<&[Parameter]> {
        let raw = self.raw.states.values().nth(state)?.get_ref();
        let find = |all: &[Interface], name: &str| all.iter().position(|one| one.name == name);
        let what = match (&raw.skill, &raw.chart) {
            (Some(skill), None) => What::Skill(find(&self.names.catalogue.skills, skill)?),
            (None, Some(chart)) => What::Chart(find(self.names.charts, chart)?),
            _ => return None,
        };
        Some(&self.of(&what).inputs)
    }

    /// Every way into a state sets what it requires; every state and every outcome can be reached.
    pub(super) fn every_way(&self, chart: &Chart) -> Result<(), Fault> {
        let (mut reached, mut ended) = (BTreeSet::from([chart.initial]), BTreeSet::new());
        let mut ways: Vec<Way<'_>> = vec![(chart.initial, &[], "initial".to_owned())];
        while let Some((state, with, way)) = ways.pop() {
            self.is_told_enough(&chart.states[state], with, &way)?;
            if way != "initial" && !reached.insert(state) {
                continue;
            }
            for transition in &chart.states[state].transitions {
                for target in &transition.ladder {
                    let way = format!("'{}' on '{}'", chart.states[state].name, transition.outcome);
                    match target {
                        Target::State(next) if reached.contains(next) => {
                            self.is_told_enough(&chart.states[*next], &transition.with, &way)?;
                        }
                        Target::State(next) => ways.push((*next, &transition.with, way)),
                        Target::End(outcome) => drop(ended.insert(*outcome)),
                    }
                }
            }
        }
        let state = (0..chart.states.len()).find(|state| !reached.contains(state));
        if let Some((name, raw)) = state.and_then(|state| self.raw.states.iter().nth(state)) {
            return Err(self.page.expected(raw.span(), format!("state '{name}'"), "a way that leads to it", "none"));
        }
        match (0..chart.outcomes.len()).find(|outcome| !ended.contains(outcome)) {
            None => Ok(()),
            Some(outcome) => {
                let place = format!("outcome '{}'", chart.outcomes[outcome]);
                Err(self.page.expected(self.raw.outcomes.span(), &place, "a transition that leads to it", "none"))
            }
        }
    }

    fn is_told_enough(&self, state: &Node, with: &[(usize, From)], way: &str) -> Result<(), Fault> {
        let tasks: Vec<&Task> = match &state.work {
            Work::One(task) => vec![task],
            Work::Parallel { regions, .. } => regions.iter().map(|region| &region.task).collect(),
        };
        for task in tasks {
            for (index, input) in self.of(&task.what).inputs.iter().enumerate() {
                let is_set = task.inputs.iter().chain(with).any(|(set, _)| *set == index);
                if input.need == Need::Required && !is_set {
                    let at = self.raw.states.get(&state.name).map_or(0..0, Spanned::span);
                    let place = format!("state '{}', entered by {way}", state.name);
                    let expected = format!("a value for its input '{}' ({})", input.name, input.kind);
                    return Err(self.page.expected(&at, &place, &expected, "none"));
                }
            }
        }
        Ok(())
    }
}
