//! Results as JUnit XML, the format that every CI system shows.

use std::fmt::Write;

use crate::outcome::RunOutcome;

/// One run for the list: its result, or the message of what went wrong before it could have one.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// The scenario.
    pub case: String,
    /// The seed.
    pub seed: u64,
    /// Its result.
    pub result: Result<RunOutcome, String>,
}

/// The XML of one test suite: a test case per run, a failure per check that did not hold, an error per bad input.
pub fn to_xml(runs: &[TestCase]) -> String {
    let failed = runs.iter().filter(|run| matches!(&run.result, Ok(outcome) if !outcome.passed)).count();
    let broken = runs.iter().filter(|run| run.result.is_err()).count();
    let time: f64 = runs.iter().filter_map(|run| run.result.as_ref().ok()).map(|outcome| outcome.wall_s).sum();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let count = runs.len();
    // Writing to a String cannot fail.
    _ = writeln!(
        xml,
        "<testsuite name=\"chiron\" tests=\"{count}\" failures=\"{failed}\" errors=\"{broken}\" time=\"{time:.3}\">"
    );
    runs.iter().for_each(|run| write_case(&mut xml, run));
    xml.push_str("</testsuite>\n");
    xml
}

fn write_case(xml: &mut String, run: &TestCase) {
    let wall = run.result.as_ref().map_or(0.0, |outcome| outcome.wall_s);
    let name = format!("{} seed {}", escape(&run.case), run.seed);
    _ = writeln!(xml, "  <testcase classname=\"scenarios\" name=\"{name}\" time=\"{wall:.3}\">");
    match &run.result {
        Err(message) => _ = writeln!(xml, "    <error message=\"{}\"/>", escape(message)),
        Ok(outcome) => {
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
        let result = Err("bad <world> & \"quotes\"\u{7}".to_owned());
        let xml = to_xml(&[TestCase { case: "a".to_owned(), seed: 3, result }]);
        assert!(xml.contains("tests=\"1\" failures=\"0\" errors=\"1\""), "{xml}");
        assert!(xml.contains("bad &lt;world&gt; &amp; &quot;quotes&quot;\u{fffd}"), "{xml}");
        let document = roxmltree::Document::parse(&xml);
        assert!(document.is_ok(), "{document:?}");
    }
}
