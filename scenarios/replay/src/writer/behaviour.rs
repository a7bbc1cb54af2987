//! The active states of statecharts, whenever they change. Most runs have none, so the channel comes with its first message.

use std::sync::Arc;

use mcap::records::MessageHeader;
use robot_io::ActiveState;
use serde::Serialize;

use super::inner::Inner;
use crate::LogError;
use crate::channel::{Id, behaviour_channel};

/// What has been written so far.
#[derive(Debug, Default)]
pub(super) struct Behaviour {
    channel: Option<u16>,
    last: Vec<Arc<ActiveState>>,
}

/// The message.
#[derive(Serialize)]
struct Message<'a> {
    active: Vec<State<'a>>,
}

#[derive(Serialize)]
struct State<'a> {
    state: &'a str,
    told: &'a str,
    since: f64,
    because: &'a str,
}

impl Inner {
    /// Adds the active states if they are others than the last.
    pub(super) fn behaviour(&mut self, states: &[Arc<ActiveState>]) -> Result<(), LogError> {
        let last = &self.behaviour.last;
        if last.len() == states.len() && last.iter().zip(states).all(|(last, state)| Arc::ptr_eq(last, state)) {
            return Ok(());
        }
        let head = self.head(Id::Io)?;
        let known = self.behaviour.channel;
        let channel_id = known.unwrap_or_else(|| self.open(behaviour_channel()));
        self.behaviour.channel = Some(channel_id);
        self.behaviour.last.clear();
        self.behaviour.last.extend_from_slice(states);
        let active = states.iter().map(|state| State {
            state: &state.path,
            told: &state.told,
            since: state.since.seconds(),
            because: &state.because,
        });
        let message = Message { active: active.collect() };
        self.put(MessageHeader { channel_id, ..head }, |out| {
            // writing to a vector cannot fail
            let _ = serde_json::to_writer(out, &message);
        });
        Ok(())
    }
}
