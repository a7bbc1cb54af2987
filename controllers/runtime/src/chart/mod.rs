//! Behaviours as files: hierarchical statecharts whose leaves are skills.

mod book;
mod check;
mod model;
mod raw;
mod run;
mod value;

pub use book::Book;
pub use model::{
    Autonomy, Catalogue, Chart, Condition, Interface, JOINED, Node, Place, REFUSED, Region, STALLED, Source, TIMED_OUT,
    Target, Task, Then, Transition, Watch, What, Work,
};
pub use run::{Active, Doing, Run, Skills, Told};
pub use value::{Need, Parameter, Type, Value};

#[cfg(test)]
mod tests;
