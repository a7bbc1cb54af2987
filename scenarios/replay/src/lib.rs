//! Logs that explain themselves and replay bit for bit.
//!
//! A [`Recorder`] around a robot writes an MCAP file through a [`LogWriter`]: every reading and command at full rate and
//! to the bit, digests, snapshots, inputs, and the topics that Foxglove, Lichtblick and PlotJuggler show. A [`LogReader`]
//! reads it back, also when it was cut. `SPEC.md` beside this crate has the format.

pub mod channel;
mod columns;
mod compare;
mod contents;
mod cycle;
mod divergence;
mod error;
mod header;
mod input;
mod layers;
mod names;
mod partial;
mod reader;
mod recorder;
mod replay;
mod scene;
mod sensors;
mod show;
mod sink;
mod tamper;
mod words;
mod writer;

pub use columns::{Column, Columns};
pub use compare::{Difference, Recomputed, Verdict, Verifier, compare, diff, header_differences};
pub use contents::LoggedSnapshot;
pub use cycle::Cycle;
pub use divergence::{Divergence, Value};
pub use error::LogError;
pub use header::{Attachment, Header};
pub use input::{CycleDigests, Input, InputKind, LoggedEvent};
pub use partial::{PARTIAL, Partial};
pub use reader::{Cut, Cycles, Frame, Frames, LogMessage, LogReader, SnapshotPlace};
pub use recorder::Recorder;
pub use replay::{LogClock, Replay};
pub use scene::{SceneEntity, SceneGeometry, SceneShape};
pub use show::FrameAt;
pub use tamper::{BitFlip, tamper};
pub use writer::{LogOptions, LogSummary, LogWriter, TWIN};
