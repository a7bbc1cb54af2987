//! What is done in a state: skills, charts and regions, and what they are told.

use page::Fault;
use toml::Spanned;

use super::{Checker, Here};
use crate::chart::model::{
    Chart, Condition, Interface, JOINED, Place, Region, Source as From, Task, Then, Watch, What, Work,
};
use crate::chart::raw::{Named, RawRegion, RawState};
use crate::chart::value::{Need, Parameter, Value, defaults};

impl Checker<'_> {
    pub(super) fn work(&self, chart: &Chart, place: &str, state: &Spanned<RawState>) -> Result<Work, Fault> {
        let (raw, at) = (state.get_ref(), state.span());
        let Some(regions) = &raw.regions else {
            let here = Here::of(chart, place, &at);
            return self.task(&here, (&raw.skill, &raw.chart), &raw.inputs).map(Work::One);
        };
        if raw.skill.is_some() || raw.chart.is_some() || !raw.inputs.is_empty() {
            return Err(self.page.expected(
                &at,
                place,
                "skill, chart or regions; each region has inputs of its own",
                "several",
            ));
        }
        // the outcomes of the state: joined, then those that regions end it with
        let mut ends: Vec<String> = vec![JOINED.to_owned()];
        for word in regions.values().flat_map(|region| region.get_ref().on.values()) {
            if word.get_ref() != "wait" && !ends.contains(word.get_ref()) {
                ends.push(word.get_ref().clone());
            }
        }
        let ends_with = |word: &str| ends.iter().position(|end| end == word);
        let region = |(name, region): (&String, &Spanned<RawRegion>)| {
            let (raw, at, place) = (region.get_ref(), region.span(), format!("{place}: region '{name}'"));
            let task = self.task(&Here::of(chart, &place, &at), (&raw.skill, &raw.chart), &raw.inputs)?;
            let outcomes = self.of(&task.what).outcomes.clone();
            if let Some((unknown, value)) = raw.on.iter().find(|(outcome, _)| !outcomes.contains(outcome)) {
                let expected = format!("one of its outcomes ({})", outcomes.join(", "));
                return Err(self.page.expected(value.span(), &place, &expected, format!("'{unknown}'")));
            }
            let then = |outcome: &String| match raw.on.get(outcome).map(Spanned::get_ref) {
                None => {
                    let expected = format!("'wait' or an outcome of the state for its outcome '{outcome}'");
                    Err(self.page.expected(&at, &place, &expected, "nothing"))
                }
                Some(word) => Ok(ends_with(word).map_or(Then::Wait, Then::End)),
            };
            let then = outcomes.iter().map(then).collect::<Result<_, _>>()?;
            Ok(Region { name: name.clone(), task, then })
        };
        let regions = regions.iter().map(region).collect::<Result<_, _>>()?;
        Ok(Work::Parallel { regions, outcomes: ends })
    }

    /// A skill or a chart, with what it is told.
    fn task(
        &self,
        here: &Here<'_>,
        (skill, inner): (&Option<String>, &Option<String>),
        inputs: &Named<toml::Value>,
    ) -> Result<Task, Fault> {
        let Here { place, at, .. } = here;
        let known = |all: &[Interface]| all.iter().map(|one| one.name.clone()).collect::<Vec<_>>().join(", ");
        let find = |all: &[Interface], name: &str| all.iter().position(|one| one.name == name);
        let what = match (skill, inner) {
            (Some(skill), None) => find(&self.names.catalogue.skills, skill).map(What::Skill).ok_or_else(|| {
                let expected = format!("a skill ({})", known(&self.names.catalogue.skills));
                self.page.expected(at, place, &expected, format!("'{skill}'"))
            })?,
            (None, Some(inner)) => find(self.names.charts, inner)
                .map(What::Chart)
                .ok_or_else(|| self.page.expected(at, place, "a chart", format!("'{inner}'")))?,
            _ => return Err(self.page.expected(at, place, "either a skill or a chart", "both or none")),
        };
        let wanted = self.of(&what).inputs.clone();
        let input = |(name, value): (&String, &Spanned<toml::Value>)| {
            let here = Here { at: value.span(), place: place.clone(), ..*here };
            self.input(&here, &wanted, name, value.get_ref())
        };
        let inputs = inputs.iter().map(input).collect::<Result<_, _>>()?;
        Ok(Task { inputs, defaults: defaults(&wanted), what })
    }

    /// What an input is set from, which must be of its type, and there if it is required.
    pub(super) fn input(
        &self,
        here: &Here<'_>,
        wanted: &[Parameter],
        name: &str,
        value: &toml::Value,
    ) -> Result<(usize, From), Fault> {
        let Here { chart, place, at, last } = here;
        let place = format!("{place}: input '{name}'");
        let names = |all: &[Parameter]| all.iter().map(|one| one.name.clone()).collect::<Vec<_>>().join(", ");
        let Some(index) = wanted.iter().position(|input| input.name == name) else {
            let found = format!("'{name}'");
            return Err(self.page.expected(at, &place, format!("one of its inputs ({})", names(wanted)), found));
        };
        let reference = value.as_str().and_then(|text| text.strip_prefix('$'));
        let (from, kind, is_there) = match reference {
            None => {
                let expected = "a flag, a number, a text, numbers or { x, y, yaw }";
                let value = Value::from_file(value).ok_or_else(|| self.page.expected(at, &place, expected, value))?;
                let kind = value.kind();
                (From::Literal(value), kind, true)
            }
            Some(reference) => {
                let (from, all): (fn(usize) -> From, &[Parameter]) = match reference.split_once('.') {
                    Some(("input", _)) => (From::Input, &chart.inputs),
                    Some(("local", _)) => (From::Local, &chart.locals),
                    Some(("last", _)) => (From::Last, last),
                    _ => {
                        let expected = "$input.NAME, $local.NAME or, on a transition, $last.NAME";
                        return Err(self.page.expected(at, &place, expected, format!("'${reference}'")));
                    }
                };
                let (group, name) = reference.split_once('.').unwrap_or_default();
                let Some(found) = all.iter().position(|one| one.name == name) else {
                    let expected = format!("one of ${group}'s ({})", names(all));
                    return Err(self.page.expected(at, &place, &expected, format!("'{name}'")));
                };
                (from(found), all[found].kind, all[found].need != Need::Optional)
            }
        };
        if kind != wanted[index].kind {
            return Err(self.page.expected(at, &place, wanted[index].kind.to_string(), kind));
        }
        if wanted[index].need == Need::Required && !is_there {
            return Err(self.page.expected(
                at,
                &place,
                "a value that is always there, since it is required",
                "an optional one",
            ));
        }
        Ok((index, from))
    }

    pub(super) fn watch(&self, place: &str, raw: &RawState) -> Result<Watch, Fault> {
        let seconds = |value: &Option<Spanned<f64>>, field: &str| match value {
            Some(seconds) if !(1e-3..=1e6).contains(seconds.get_ref()) => {
                let place = format!("{place}: {field}");
                Err(self.page.expected(seconds.span(), &place, "0.001 to 1,000,000 s", seconds.get_ref()))
            }
            value => Ok(value.as_ref().map(|seconds| *seconds.get_ref())),
        };
        let condition = |need: &Spanned<String>| {
            let words = need.get_ref().trim();
            let (holds, fact) = words.strip_prefix("not ").map_or((true, words), |fact| (false, fact.trim()));
            let facts = &self.names.catalogue.facts;
            let (name, fact) = (fact.to_owned(), facts.iter().position(|known| known == fact));
            let fact = fact.ok_or_else(|| {
                let expected = format!("a fact ({}), perhaps with 'not' before it", facts.join(", "));
                self.page.expected(need.span(), format!("{place}: needs"), &expected, format!("'{words}'"))
            })?;
            Ok(Condition { fact, name, holds })
        };
        Ok(Watch {
            needs: raw.needs.iter().map(condition).collect::<Result<_, _>>()?,
            stall_time: seconds(&raw.stall_time, "stall_time")?,
            time_limit: seconds(&raw.time_limit, "time_limit")?,
        })
    }

    pub(super) fn keeps(
        &self,
        chart: &Chart,
        place: &str,
        to: &str,
        output: &Spanned<String>,
        outputs: &[Parameter],
    ) -> Result<(Place, usize), Fault> {
        let (at, place) = (output.span(), format!("{place}: keeps"));
        let find = |all: &[Parameter], name: &str| all.iter().position(|one| one.name == name);
        let kept = match to.split_once('.') {
            Some(("local", name)) => {
                find(&chart.locals, name).map(|local| (Place::Local(local), chart.locals[local].kind))
            }
            Some(("output", name)) => {
                find(&chart.outputs, name).map(|own| (Place::Output(own), chart.outputs[own].kind))
            }
            _ => None,
        };
        let expected = "\"local.NAME\" or \"output.NAME\" of the chart";
        let (kept, kind) = kept.ok_or_else(|| self.page.expected(&at, &place, expected, format!("'{to}'")))?;
        let found = find(outputs, output.get_ref()).ok_or_else(|| {
            let names = outputs.iter().map(|one| one.name.clone()).collect::<Vec<_>>().join(", ");
            self.page.expected(&at, &place, format!("one of its outputs ({names})"), format!("'{}'", output.get_ref()))
        })?;
        if outputs[found].kind != kind {
            return Err(self.page.expected(&at, &place, format!("{kind} for '{to}'"), outputs[found].kind));
        }
        Ok((kept, found))
    }
}
