//! Results as JUnit XML, the format that every CI system shows.

use std::fmt::Write;

use crate::outcome::RunOutcome;

/// One run for the list.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// The scenario.
    pub case: String,
    /// The seed.
    pub seed: u64,
    /// Its result.
    pub result: Ran,
}

/// What came of one run.
#[derive(Clone, Debug)]
pub enum Ran {
    /// It ran to its end.
    Finished(Box<RunOutcome>),
    /// It was left out, and why.
    LeftOut(&'static str),
    /// Something was wrong before it could have a result.
    Broken(String),
}

impl TestCase {
    /// The result, if there is one.
    pub fn outcome(&self) -> Option<&RunOutcome> {
        match &self.result {
            Ran::Finished(outcome) => Some(outcome),
            Ran::LeftOut(_) | Ran::Broken(_) => None,
        }
    }

    /// True if a check did not hold.
    pub fn has_failed(&self) -> bool {
        self.outcome().is_some_and(|outcome| !outcome.passed)
    }

    /// What was wrong, if it could not begin.
    pub fn error(&self) -> Option<&str> {
        match &self.result {
            Ran::Broken(message) => Some(message),
            Ran::Finished(_) | Ran::LeftOut(_) => None,
        }
    }

    /// Why it was left out, if it was.
    pub fn left_out(&self) -> Option<&'static str> {
        match self.result {
            Ran::LeftOut(why) => Some(why),
            Ran::Finished(_) | Ran::Broken(_) => None,
        }
    }
}

/// The XML of one test suite: a test case per run, a failure per check that did not hold, an error per bad input, a skip
/// per run that was left out.
pub fn to_xml(runs: &[TestCase]) -> String {
    let failed = runs.iter().filter(|run| run.has_failed()).count();
    let broken = runs.iter().filter(|run| run.error().is_some()).count();
    let skipped = runs.iter().filter(|run| run.left_out().is_some()).count();
    let time: f64 = runs.iter().filter_map(TestCase::outcome).map(|outcome| outcome.wall_s).sum();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let count = runs.len();
    // Writing to a String cannot fail.
    _ = writeln!(
        xml,
        "<testsuite name=\"chiron\" tests=\"{count}\" failures=\"{failed}\" errors=\"{broken}\" skipped=\"{skipped}\" time=\"{time:.3}\">"
    );
    runs.iter().for_each(|run| write_case(&mut xml, run));
    xml.push_str("</testsuite>\n");
    xml
}

fn write_case(xml: &mut String, run: &TestCase) {
    let wall = run.outcome().map_or(0.0, |outcome| outcome.wall_s);
    let name = format!("{} seed {}", escape(&run.case), run.seed);
    _ = writeln!(xml, "  <testcase classname=\"scenarios\" name=\"{name}\" time=\"{wall:.3}\">");
    match &run.result {
        Ran::LeftOut(why) => _ = writeln!(xml, "    <skipped message=\"{}\"/>", escape(why)),
        Ran::Broken(message) => _ = writeln!(xml, "    <error message=\"{}\"/>", escape(message)),
        Ran::Finished(outcome) => {
            for check in outcome.checks.iter().filter(|check| !check.passed) {
                let seen = check.value.map_or("nothing".to_owned(), |value| format!("{value:.4} {}", check.unit));
                _ = writeln!(xml, "    <failure message=\"{}: found {}\"/>", escape(&check.name), escape(&seen));
            }
            _ = writeln!(xml, "    <system-out>digest {}</system-out>", outcome.digest);
        }
    }
    xml.push_str("  </testcase>\n");
}

/// Text that may stand in an attribute.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            control if control.is_control() && control != '\n' && control != '\t' => escaped.push('\u{fffd}'),
            plain => escaped.push(plain),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_becomes_well_formed_xml() {
        let result = Ran::Broken("bad <world> & \"quotes\"\u{7}".to_owned());
        let left_out = TestCase { case: "b".to_owned(), seed: 1, result: Ran::LeftOut("no <bus>") };
        let xml = to_xml(&[TestCase { case: "a".to_owned(), seed: 3, result }, left_out]);
        assert!(xml.contains("skipped=\"1\"") && xml.contains("<skipped message=\"no &lt;bus&gt;\"/>"), "{xml}");
        assert!(xml.contains("tests=\"2\" failures=\"0\" errors=\"1\""), "{xml}");
        assert!(xml.contains("bad &lt;world&gt; &amp; &quot;quotes&quot;\u{fffd}"), "{xml}");
        let document = roxmltree::Document::parse(&xml);
        assert!(document.is_ok(), "{document:?}");
    }
}
