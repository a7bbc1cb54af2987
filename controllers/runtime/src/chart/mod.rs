//! Behaviours as files: hierarchical statecharts whose leaves are skills.

mod book;
mod check;
mod model;
mod raw;
mod run;
mod value;

use thiserror::Error;

pub use book::Book;
pub use model::{
    Autonomy, Catalogue, Chart, Condition, Interface, JOINED, Node, Place, REFUSED, Region, STALLED, Source, TIMED_OUT,
    Target, Task, Then, Transition, Watch, What, Work,
};
pub use run::{Active, Doing, Run, Skills, Told};
pub use value::{Need, Parameter, Type, Value};

/// What is wrong with a chart.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}:{line}: {message}")]
pub struct ChartError {
    /// Its file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What was expected and what was found.
    pub message: String,
}

#[cfg(test)]
mod tests;
