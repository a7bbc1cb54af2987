//! What the suite writes down.

use core::fmt;

/// What came of an examination.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Whom it is about.
    pub robot: String,
    /// The checks that found nothing wrong.
    pub passed: Vec<&'static str>,
    /// The checks that could not be made.
    pub skipped: Vec<Skipped>,
    /// What is not as it should be.
    pub findings: Vec<Finding>,
}

/// A check that was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The check.
    pub check: &'static str,
    /// What the robot lacks.
    pub why: &'static str,
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The check that found it.
    pub check: &'static str,
    /// What was expected and what was found.
    pub what: String,
}

impl Report {
    pub(super) fn of(robot: &str) -> Report {
        Report { robot: robot.to_owned(), ..Report::default() }
    }

    pub(super) fn enter(&mut self, check: &'static str, found: Vec<String>) {
        if found.is_empty() {
            self.passed.push(check);
        }
        self.findings.extend(found.into_iter().map(|what| Finding { check, what }));
    }

    /// True if nothing wrong was found.
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }

    /// The findings as an error, for whoever only wants to know whether there are any.
    pub fn into_result(self) -> Result<(), Vec<Finding>> {
        if self.is_sound() { Ok(()) } else { Err(self.findings) }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (passed, skipped, found) = (self.passed.len(), self.skipped.len(), self.findings.len());
        writeln!(f, "{}: {passed} checks passed, {skipped} skipped, {found} findings", self.robot)?;
        self.findings.iter().try_for_each(|finding| writeln!(f, "  ✗ {finding}"))?;
        self.skipped.iter().try_for_each(|skipped| writeln!(f, "  – {}: skipped, {}", skipped.check, skipped.why))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check, self.what)
    }
}
