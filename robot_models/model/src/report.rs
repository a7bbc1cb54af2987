//! What was made of each field of a URDF.

use std::collections::BTreeMap;
use std::fmt;

/// Which fields of a URDF were used, approximated or ignored, and on which lines they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Name of the file.
    pub file: String,
    /// One entry per kind of field and remark; used ones first, then approximated, then ignored.
    pub entries: Vec<Entry>,
}

/// What was made of one kind of field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Used, approximated or ignored.
    pub treatment: Treatment,
    /// Path of the element, with `@` before an attribute, such as `joint/limit@effort`.
    pub field: String,
    /// Why, or what was taken instead; empty if there is nothing to say.
    pub remark: String,
    /// The lines on which it stands, from 1; an element that occurs twice in a line is there twice.
    pub lines: Vec<usize>,
}

/// What can be made of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Treatment {
    /// Taken as it stands.
    Used,
    /// Taken as something near to it, or supplied where absent.
    Approximated,
    /// Not taken.
    Ignored,
}

/// Collects a report in any order.
#[derive(Debug, Default)]
pub(crate) struct ReportBuilder {
    entries: BTreeMap<(Treatment, String, String), Vec<usize>>,
}

impl ImportReport {
    /// The entries of one treatment.
    pub fn of(&self, treatment: Treatment) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.treatment == treatment)
    }
}

impl ReportBuilder {
    pub(crate) fn add(&mut self, treatment: Treatment, field: &str, remark: &str, line: usize) {
        self.entries.entry((treatment, field.into(), remark.into())).or_default().push(line);
    }

    pub(crate) fn approximated(&mut self, field: &str, remark: &str, line: usize) {
        self.add(Treatment::Approximated, field, remark, line);
    }

    pub(crate) fn build(self, file: &str) -> ImportReport {
        let entry = |((treatment, field, remark), mut lines): ((_, _, _), Vec<usize>)| {
            lines.sort_unstable();
            Entry { treatment, field, remark, lines }
        };
        ImportReport { file: file.into(), entries: self.entries.into_iter().map(entry).collect() }
    }
}

impl From<ImportReport> for ReportBuilder {
    /// Reopens a finished report.
    fn from(report: ImportReport) -> ReportBuilder {
        let entry = |entry: Entry| ((entry.treatment, entry.field, entry.remark), entry.lines);
        ReportBuilder { entries: report.entries.into_iter().map(entry).collect() }
    }
}

impl fmt::Display for Treatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Treatment::Used => "used",
            Treatment::Approximated => "approximated",
            Treatment::Ignored => "ignored",
        })
    }
}

impl fmt::Display for ImportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "import of {}", self.file)?;
        for entry in &self.entries {
            let Entry { treatment, field, remark, lines } = entry;
            write!(f, "  {treatment:<12} {:>5} × {field}", lines.len())?;
            if !remark.is_empty() {
                write!(f, ": {remark}")?;
            }
            writeln!(f, " ({})", Lines(lines))?;
        }
        Ok(())
    }
}

/// The first lines and the last.
struct Lines<'a>(&'a [usize]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 4;
        f.write_str(if self.0.len() == 1 { "line " } else { "lines " })?;
        let shown = if self.0.len() <= SHOWN + 1 { self.0.len() } else { SHOWN };
        for (index, line) in self.0[..shown].iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{line}")?;
        }
        match self.0.last() {
            Some(last) if shown < self.0.len() => write!(f, " … {last}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_reads_as_a_list_with_counts_and_lines() {
        let mut builder = ReportBuilder::default();
        for line in [9, 3, 30, 12, 14, 18] {
            builder.add(Treatment::Used, "joint/limit@effort", "", line);
        }
        builder.add(Treatment::Ignored, "gazebo", "for Gazebo only", 40);
        assert_eq!(
            builder.build("leg.urdf").to_string(),
            "import of leg.urdf\n\
             \x20 used             6 × joint/limit@effort (lines 3, 9, 12, 14 … 30)\n\
             \x20 ignored          1 × gazebo: for Gazebo only (line 40)\n"
        );
    }
}
