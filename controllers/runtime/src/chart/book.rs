//! A chart with all charts in it.

use std::collections::BTreeMap;

use page::{Fault, Page};

use super::check::{Checker, Names};
use super::model::{Catalogue, Chart, Interface};
use super::raw::RawChart;
use super::value::Value;

/// Charts deeper in each other than this are a mistake. ArmarX's grasping has six levels.
const DEEPEST: usize = 32;

/// Charts that name each other, checked whole. The first of them is the one that was asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Book {
    charts: Vec<Chart>,
    /// For each chart its profiles: values of inputs by name.
    profiles: Vec<BTreeMap<String, Vec<(usize, Value)>>>,
}

/// Reads the file of a chart by its name: its path for messages, and its text.
pub type Files<'f> = dyn FnMut(&str) -> Result<(String, String), String> + 'f;

impl Book {
    /// Reads a chart and all that it names, and checks them.
    pub fn read(name: &str, files: &mut Files<'_>, catalogue: &Catalogue) -> Result<Book, Fault> {
        let (mut book, mut read) = (Book::default(), Vec::new());
        book.gather(name, None, &mut Vec::new(), files, &mut read)?;
        let interfaces: Vec<Interface> = read.iter().map(|one| one.interface.clone()).collect();
        for one in &read {
            let page = Page { file: &one.file, text: &one.text };
            let names = Names { catalogue, charts: &interfaces };
            let (chart, profiles) = Checker { page, names, raw: &one.raw, interface: &one.interface }.check()?;
            book.charts.push(chart);
            book.profiles.push(profiles);
        }
        Ok(book)
    }

    /// The chart that was asked for.
    pub fn main(&self) -> &Chart {
        &self.charts[0]
    }

    /// All charts, the one that was asked for first.
    pub fn charts(&self) -> &[Chart] {
        &self.charts
    }

    /// A chart by its place.
    pub fn chart(&self, place: usize) -> &Chart {
        &self.charts[place]
    }

    /// A chart by its place, if there is one.
    pub(super) fn chart_if_there(&self, place: usize) -> Option<&Chart> {
        self.charts.get(place)
    }

    /// The inputs that a profile sets; all profiles' names if there is none of this name.
    pub fn profile(&self, name: &str) -> Result<&[(usize, Value)], Vec<&str>> {
        let known = self.profiles.first();
        let found = known.and_then(|profiles| profiles.get(name));
        found.map(Vec::as_slice).ok_or_else(|| known.into_iter().flat_map(BTreeMap::keys).map(String::as_str).collect())
    }

    /// Reads a chart and then those that it names; `way` leads from the first one here.
    fn gather(
        &mut self,
        name: &str,
        from: Option<Fault>,
        way: &mut Vec<String>,
        files: &mut Files<'_>,
        read: &mut Vec<Read>,
    ) -> Result<(), Fault> {
        let refuse = |message: String| match from.clone() {
            Some(from) => Fault { message: format!("{}{message}", from.message), ..from },
            None => Fault { file: name.to_owned(), line: 1, message },
        };
        if way.iter().any(|passed| passed == name) || way.len() > DEEPEST {
            return Err(refuse(format!(
                "expected a chart that does not lead back, found {} → {name}",
                way.join(" → ")
            )));
        }
        if read.iter().any(|one| one.interface.name == name) {
            return Ok(());
        }
        let (file, text) = files(name).map_err(refuse)?;
        let page = Page { file: &file, text: &text };
        let raw: RawChart = page.read()?;
        if raw.name.get_ref() != name {
            let expected = format!("'{name}', as it is called from outside");
            return Err(page.expected(raw.name.span(), "name", &expected, format!("'{}'", raw.name.get_ref())));
        }
        let interface = Checker::interface(&page, &raw)?;
        let named: Vec<(String, Fault)> = charts_in(&raw)
            .map(|(chart, span)| (chart.to_owned(), page.fault(&span, format!("chart '{chart}': "))))
            .collect();
        read.push(Read { file: file.clone(), text: text.clone(), raw, interface });
        way.push(name.to_owned());
        for (chart, at) in named {
            self.gather(&chart, Some(at), way, files, read)?;
        }
        way.pop();
        Ok(())
    }
}

/// A chart that has been read and not been checked.
struct Read {
    file: String,
    text: String,
    raw: RawChart,
    interface: Interface,
}

/// The charts that a chart names.
fn charts_in(raw: &RawChart) -> impl Iterator<Item = (&str, std::ops::Range<usize>)> {
    raw.states.values().flat_map(|state| {
        let regions = state.get_ref().regions.iter().flatten();
        let regions = regions.map(|(_, region)| (region.get_ref().chart.as_deref(), region.span()));
        let own = (state.get_ref().chart.as_deref(), state.span());
        core::iter::once(own).chain(regions).filter_map(|(chart, span)| chart.map(|chart| (chart, span)))
    })
}
