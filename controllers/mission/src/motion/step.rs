//! A step of a mission that is a motion.

use page::{Fault, Fields};

use super::{Motion, MotionFiles};
use crate::MissionError;

/// More times than this a motion is a mistake.
const MOST_TIMES: u64 = 100;

/// A motion to go through, in the step itself or in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionStep {
    /// The motion's file, if it has one, and how often it is gone through.
    file: Option<(String, u64)>,
    /// What is to be done; of a file it is read later.
    motion: Option<Motion>,
    /// Where the step stands: file, line and field.
    at: (String, usize, String),
}

impl MotionStep {
    /// Reads the step `reach`.
    pub(crate) fn reach(fields: &mut Fields<'_>, file_name: &str) -> Result<MotionStep, Fault> {
        let at = (file_name.to_owned(), fields.line(), "reach".to_owned());
        Ok(MotionStep { file: None, motion: Some(Motion::of_reach(fields, file_name)?), at })
    }

    /// Reads the step `motion`.
    pub(crate) fn file(fields: &mut Fields<'_>, file_name: &str) -> Result<MotionStep, Fault> {
        let at = (file_name.to_owned(), fields.line(), "motion".to_owned());
        let (file, times) = (fields.text("file")?.to_owned(), fields.whole_or("times", 1..=MOST_TIMES, 1)?);
        Ok(MotionStep { file: Some((file, times)), motion: None, at })
    }

    /// What it is called in a mission file.
    pub fn key(&self) -> &'static str {
        if self.file.is_some() { "motion" } else { "reach" }
    }

    /// The name of its file, if it has one.
    pub fn file_name(&self) -> Option<&str> {
        self.file.as_ref().map(|(name, _)| name.as_str())
    }

    /// Reads its file: `files` finds the path to show and the text of a name.
    pub(crate) fn find(&mut self, files: &mut MotionFiles<'_>) -> Result<(), MissionError> {
        let Some((name, times)) = &self.file else { return Ok(()) };
        let (path, text) = files(name).map_err(|message| self.refused(&message))?;
        let mut motion = Motion::parse(&text, &path)?;
        let once = motion.phases.clone();
        (1..*times).for_each(|_| motion.phases.extend(once.iter().cloned()));
        self.motion = Some(motion);
        Ok(())
    }

    /// The motion; refused if its file has not been read.
    pub(crate) fn motion(&self) -> Result<&Motion, MissionError> {
        let missing = || self.refused(&format!("expected a motion file that is there, found '{}'", self.name()));
        self.motion.as_ref().ok_or_else(missing)
    }

    /// A message about this step, with its place.
    pub(crate) fn refused(&self, message: &str) -> MissionError {
        let (file, line, field) = &self.at;
        MissionError::File(Fault::new(file, *line, format!("{field}: {message}")))
    }

    fn name(&self) -> &str {
        self.file_name().unwrap_or("reach")
    }
}
