//! The thread on which a bus lives: what the operating system must grant it, and how well it keeps its time.
//!
//! # Setting up
//! [`RealtimeSetup::apply`] asks for everything at once, for the calling thread, and fails never: each step says in a
//! [`Step`] whether it worked, and if not, why and how to get it. A run without privileges is a run with more jitter.
//!
//! # Spinning
//! A thread that waits by spinning under SCHED_FIFO lets nothing else run on its core, the kernel's own threads included.
//! With all cores taken so, frames are not even delivered (ethercat.md, section 0, item 14: two spinners on two cores, and
//! start-up failed by timeouts). So **spin on at most n − 1 of n cores**: [`may_spin`] says whether one more thread may.
//!
//! # Measuring
//! [`Histograms`] keeps what each cycle took, without allocating; [`Summary`] is what the report shows of it.

mod histogram;
mod os;
mod setup;

pub use histogram::{CycleTimes, Histograms, Summary, SummaryRow};
pub use setup::{RealtimeReport, RealtimeSetup, Step, StepKind, may_spin};
