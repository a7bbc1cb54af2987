//! From a file to a chart that can be carried out: everything that can be wrong is found here.

mod ways;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use page::{Fault, Page};
use toml::Spanned;

use crate::chart::model::{Catalogue, Chart, Interface, Node, Source as From, What, Work};
use crate::chart::raw::{Named, RawChart, RawParameter, RawState};
use crate::chart::value::{Need, Parameter, Type, Value};

/// What a chart can name.
#[derive(Clone, Copy)]
pub(in crate::chart) struct Names<'n> {
    pub catalogue: &'n Catalogue,
    pub charts: &'n [Interface],
}

/// A chart being checked.
pub(in crate::chart) struct Checker<'n> {
    pub page: Page<'n>,
    pub names: Names<'n>,
    pub raw: &'n RawChart,
    pub interface: &'n Interface,
}

/// A place in a file, for what is checked there and for messages.
struct Here<'h> {
    chart: &'h Chart,
    /// `state 'approach'`.
    place: String,
    at: Range<usize>,
    /// The outputs that `$last` means here.
    last: &'h [Parameter],
}

impl<'h> Here<'h> {
    fn of(chart: &'h Chart, place: &str, at: &Range<usize>) -> Here<'h> {
        Here { chart, place: place.to_owned(), at: at.clone(), last: &[] }
    }
}

type Profiles = BTreeMap<String, Vec<(usize, Value)>>;

/// The word for the same state in a ladder.
const AGAIN: &str = "again";

impl Checker<'_> {
    /// What a chart looks like from outside.
    pub fn interface(page: &Page<'_>, raw: &RawChart) -> Result<Interface, Fault> {
        let mut outputs = parameters(page, "output", &raw.outputs)?;
        // nobody can tell from the file on which way an output is set
        outputs
            .iter_mut()
            .filter(|output| output.need == Need::Required)
            .for_each(|output| output.need = Need::Optional);
        Ok(Interface {
            name: raw.name.get_ref().clone(),
            inputs: parameters(page, "input", &raw.inputs)?,
            outputs,
            outcomes: raw.outcomes.get_ref().clone(),
        })
    }

    /// The chart, and its profiles.
    pub fn check(&self) -> Result<(Chart, Profiles), Fault> {
        let Interface { name, inputs, outputs, outcomes } = self.interface.clone();
        let at = self.raw.outcomes.span();
        let all: BTreeSet<&String> = outcomes.iter().collect();
        if outcomes.is_empty() || all.len() < outcomes.len() {
            return Err(self.page.expected(&at, "outcomes", "at least one, each once", format!("{outcomes:?}")));
        }
        if let Some(both) = outcomes.iter().find(|outcome| self.raw.states.contains_key(*outcome) || *outcome == AGAIN)
        {
            let expected = format!("names that no state has, and not '{AGAIN}'");
            return Err(self.page.expected(&at, "outcomes", &expected, format!("'{both}'")));
        }
        let locals = parameters(&self.page, "local", &self.raw.locals)?;
        let initial =
            self.raw.states.keys().position(|state| state == self.raw.initial.get_ref()).ok_or_else(|| {
                let states = self.raw.states.keys().cloned().collect::<Vec<_>>().join(", ");
                let found = format!("'{}'", self.raw.initial.get_ref());
                self.page.expected(self.raw.initial.span(), "initial", format!("a state ({states})"), found)
            })?;
        let mut chart = Chart {
            name,
            about: self.raw.about.clone(),
            inputs,
            locals,
            outputs,
            outcomes,
            states: Vec::new(),
            initial,
        };
        for (name, state) in &self.raw.states {
            let node = self.node(&chart, name, state)?;
            chart.states.push(node);
        }
        self.every_way(&chart)?;
        let profiles = self.profiles(&chart)?;
        Ok((chart, profiles))
    }

    fn node(&self, chart: &Chart, name: &str, state: &Spanned<RawState>) -> Result<Node, Fault> {
        let (raw, at) = (state.get_ref(), state.span());
        let place = format!("state '{name}'");
        let work = self.work(chart, &place, state)?;
        let watch = self.watch(&place, raw)?;
        let outputs = self.outputs(&work);
        let keeps = raw
            .keeps
            .iter()
            .map(|(to, output)| self.keeps(chart, &place, to, output, &outputs))
            .collect::<Result<_, _>>()?;
        let own = self.outcomes(&work);
        let outcomes: Vec<String> = own.iter().cloned().chain(watch.outcomes().map(str::to_owned)).collect();
        if let Some((unknown, value)) = raw.on.iter().find(|(outcome, _)| !outcomes.contains(outcome)) {
            let expected = format!("one of its outcomes ({})", outcomes.join(", "));
            return Err(self.page.expected(value.span(), format!("{place}: on"), &expected, format!("'{unknown}'")));
        }
        let transition = |outcome: &String| {
            let value = raw.on.get(outcome).ok_or_else(|| {
                self.page.expected(
                    &at,
                    &place,
                    format!("what follows its outcome '{outcome}' ([states.{name}.on])"),
                    "nothing",
                )
            })?;
            let outputs = if own.contains(outcome) { outputs.as_slice() } else { &[] };
            self.transition(chart, name, outcome, value, outputs)
        };
        Ok(Node {
            name: name.to_owned(),
            keeps,
            transitions: outcomes.iter().map(transition).collect::<Result<_, _>>()?,
            work,
            watch,
        })
    }
    fn profiles(&self, chart: &Chart) -> Result<Profiles, Fault> {
        let mut profiles = Profiles::new();
        for (name, profile) in &self.raw.profiles {
            let place = format!("profile '{name}'");
            let set = profile.get_ref().iter().map(|(input, value)| {
                let at = profile.span();
                match self.input(&Here::of(chart, &place, &at), &chart.inputs, input, value)? {
                    (index, From::Literal(value)) => Ok((index, value)),
                    _ => Err(self.page.expected(&at, &place, "values", "a reference")),
                }
            });
            profiles.insert(name.clone(), set.collect::<Result<_, _>>()?);
        }
        Ok(profiles)
    }

    pub(super) fn of(&self, what: &What) -> &Interface {
        match what {
            What::Skill(skill) => &self.names.catalogue.skills[*skill],
            What::Chart(chart) => &self.names.charts[*chart],
        }
    }

    fn outputs(&self, work: &Work) -> Vec<Parameter> {
        match work {
            Work::One(task) => self.of(&task.what).outputs.clone(),
            Work::Parallel { .. } => Vec::new(),
        }
    }

    fn outcomes(&self, work: &Work) -> Vec<String> {
        match work {
            Work::One(task) => self.of(&task.what).outcomes.clone(),
            Work::Parallel { outcomes, .. } => outcomes.clone(),
        }
    }
}

/// The parameters of a table of a file.
fn parameters(page: &Page<'_>, group: &str, raw: &Named<RawParameter>) -> Result<Vec<Parameter>, Fault> {
    let parameter = |(name, raw): (&String, &Spanned<RawParameter>)| {
        let (raw, at, place) = (raw.get_ref(), raw.span(), format!("{group} '{name}'"));
        let expected = format!("type = one of {}", Type::names());
        let kind =
            Type::named(&raw.kind).ok_or_else(|| page.expected(&at, &place, &expected, format!("'{}'", raw.kind)))?;
        let need = match (&raw.default, raw.optional) {
            (Some(value), false) => {
                let found = Value::from_file(value).filter(|value| value.kind() == kind);
                Need::Default(
                    found.ok_or_else(|| page.expected(&at, &place, format!("a default of type {kind}"), value))?,
                )
            }
            (Some(_), true) => return Err(page.expected(&at, &place, "a default, or optional = true", "both")),
            (None, true) => Need::Optional,
            (None, false) => Need::Required,
        };
        Ok(Parameter { name: name.clone(), kind, unit: raw.unit.clone(), need })
    };
    raw.iter().map(parameter).collect()
}
