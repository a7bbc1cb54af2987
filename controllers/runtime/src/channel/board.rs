//! All channels of a runtime.

use core::any::{Any, TypeId, type_name};

use robot_io::{State, StateVisitor, Time};

use super::Message;
use super::queue::{MOST_WAITING, QueueSlot};
use super::stream::StreamSlot;
use crate::RuntimeError;
use crate::arbitration::Arbiters;

/// What a channel means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Stream,
    Events,
    Alarms,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Stream => "a stream",
            Kind::Events => "events",
            Kind::Alarms => "alarms",
        }
    }
}

/// The channels, in the order in which they were named first.
#[derive(Debug, Default)]
pub(crate) struct Board {
    channels: Vec<Channel>,
    /// The cycle under way, counted from 1.
    cycle: u64,
    now: Time,
    arbiters: Arbiters,
}

/// A channel, and who is at its ends.
#[derive(Debug)]
pub(crate) struct Channel {
    pub name: String,
    kind: Kind,
    message: (TypeId, &'static str),
    slot: Box<dyn Slot>,
    /// The components at its ends.
    pub readers: Vec<usize>,
    pub writers: Vec<usize>,
    /// For each writer the connection whose rule decides, if rules do.
    connections: Vec<usize>,
}

/// A reader that has left too many messages unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overflow {
    pub channel: usize,
    pub reader: usize,
}

/// What every slot can do, whatever its messages are.
trait Slot: Any + State + Send + core::fmt::Debug {
    fn begin(&mut self);
    fn listen(&mut self, reader: usize, listens: bool);
    fn waits_for(&self, reader: usize) -> bool;
    fn note_read(&mut self, reader: usize);
    /// Shows what a reader finds; a visitor that `restores` replaces it. What was `seen` already is not shown again.
    fn visit_inputs(&mut self, reader: usize, restores: bool, seen: &mut Option<u64>, visitor: &mut dyn StateVisitor);
}

impl<T: Message> Slot for StreamSlot<T> {
    fn begin(&mut self) {
        StreamSlot::begin(self);
    }

    fn listen(&mut self, _reader: usize, _listens: bool) {}

    fn waits_for(&self, _reader: usize) -> bool {
        false
    }

    fn note_read(&mut self, _reader: usize) {}

    fn visit_inputs(
        &mut self,
        _reader: usize,
        _restores: bool,
        seen: &mut Option<u64>,
        visitor: &mut dyn StateVisitor,
    ) {
        StreamSlot::visit_inputs(self, seen, visitor);
    }
}

impl<T: Message> Slot for QueueSlot<T> {
    fn begin(&mut self) {}

    fn listen(&mut self, reader: usize, listens: bool) {
        QueueSlot::listen(self, reader, listens);
    }

    fn waits_for(&self, reader: usize) -> bool {
        QueueSlot::waits_for(self, reader)
    }

    fn note_read(&mut self, reader: usize) {
        QueueSlot::note_read(self, reader);
    }

    fn visit_inputs(&mut self, reader: usize, restores: bool, _seen: &mut Option<u64>, visitor: &mut dyn StateVisitor) {
        QueueSlot::visit_inputs(self, reader, restores, visitor);
    }
}

impl Board {
    /// A stream's place, made if nobody has named it yet.
    pub fn stream<T: Message>(&mut self, name: &str) -> Result<usize, RuntimeError> {
        self.find(name, Kind::Stream, type_of::<T>(), || Box::<StreamSlot<T>>::default())
    }

    /// A queue's place, made if nobody has named it yet.
    pub fn queue<T: Message>(&mut self, name: &str, kind: Kind) -> Result<usize, RuntimeError> {
        self.find(name, kind, type_of::<T>(), || Box::<QueueSlot<T>>::default())
    }

    fn find(
        &mut self,
        name: &str,
        kind: Kind,
        message: (TypeId, &'static str),
        slot: impl FnOnce() -> Box<dyn Slot>,
    ) -> Result<usize, RuntimeError> {
        if let Some(place) = self.channels.iter().position(|channel| channel.name == name) {
            let known = &self.channels[place];
            if (known.kind, known.message.0) == (kind, message.0) {
                return Ok(place);
            }
            let describe = |kind: Kind, message: &str| format!("{} of {message}", kind.name());
            return Err(RuntimeError::Channel {
                channel: name.to_owned(),
                expected: describe(known.kind, known.message.1),
                found: describe(kind, message.1),
            });
        }
        let (readers, writers, connections) = (Vec::new(), Vec::new(), Vec::new());
        self.channels.push(Channel {
            name: name.to_owned(),
            kind,
            message,
            slot: slot(),
            readers,
            writers,
            connections,
        });
        Ok(self.channels.len() - 1)
    }

    /// Another reader; returns its place among the readers of a queue.
    pub fn add_queue_reader<T: Message>(&mut self, channel: usize, component: usize) -> usize {
        self.channels[channel].readers.push(component);
        self.slot_mut::<QueueSlot<T>>(channel).map_or(0, QueueSlot::add_reader)
    }

    /// From now on a stream keeps what was there when the cycle began, for another reader.
    pub fn keep_before<T: Message>(&mut self, channel: usize, component: usize) {
        if let Some(channel) = self.channels.get_mut(channel) {
            channel.readers.push(component);
        }
        if let Some(slot) = self.slot_mut::<StreamSlot<T>>(channel) {
            slot.keep_before();
        }
    }

    /// All channels.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// True if several may write a channel: rules decide, or each message counts.
    pub fn may_have_many_writers(&self, channel: &Channel) -> bool {
        channel.kind != Kind::Stream || self.arbiters.decides(&channel.name)
    }

    /// A channel that somebody is added to.
    pub fn channel_mut(&mut self, channel: usize) -> &mut Channel {
        &mut self.channels[channel]
    }

    /// Rules decide from now on whose message passes, where there are any; `names` are the components'.
    pub fn arbitrate(&mut self, arbiters: &Arbiters, names: &[&str]) -> Result<(), RuntimeError> {
        for channel in self.channels.iter_mut().filter(|channel| arbiters.decides(&channel.name)) {
            let connection = |writer: &usize| {
                arbiters.connection(names[*writer], &channel.name).ok_or_else(|| RuntimeError::NoRule {
                    channel: channel.name.clone(),
                    writer: names[*writer].to_owned(),
                })
            };
            channel.connections = channel.writers.iter().map(connection).collect::<Result<_, _>>()?;
        }
        self.arbiters = arbiters.clone();
        Ok(())
    }

    /// True if a message of a writer passes: rules decide, where there are any.
    fn passes(&mut self, channel: usize, writer: usize) -> bool {
        let connection = self.channels.get(channel).and_then(|channel| channel.connections.get(writer)).copied();
        connection.is_none_or(|connection| self.arbiters.passes(connection, self.now))
    }

    /// A cycle begins.
    pub fn begin(&mut self, now: Time) {
        self.now = now;
        self.cycle += 1;
        self.channels.iter_mut().for_each(|channel| channel.slot.begin());
    }

    /// A component begins to listen to its queues, or stops.
    pub fn listen(&mut self, component: usize, listens: bool) {
        for channel in self.channels.iter_mut().filter(|channel| channel.kind != Kind::Stream) {
            for (place, _) in channel.readers.iter().enumerate().filter(|(_, reader)| **reader == component) {
                channel.slot.listen(place, listens);
            }
        }
    }

    /// A component has read all that waited for it.
    pub fn note_all_read(&mut self, component: usize) {
        for channel in self.channels.iter_mut().filter(|channel| channel.kind != Kind::Stream) {
            for (place, _) in channel.readers.iter().enumerate().filter(|(_, reader)| **reader == component) {
                channel.slot.note_read(place);
            }
        }
    }

    /// True if an alarm waits for a component.
    pub fn is_alarmed(&self, component: usize) -> bool {
        let alarms = self.channels.iter().filter(|channel| channel.kind == Kind::Alarms);
        alarms.into_iter().any(|channel| {
            let mut places = channel.readers.iter().enumerate().filter(|(_, reader)| **reader == component);
            places.any(|(place, _)| channel.slot.waits_for(place))
        })
    }

    /// Shows what a component finds at its ends, with the cycle; a visitor that `restores` replaces it. What it has `seen` of a
    /// stream already, channel by channel, is not shown again.
    pub fn visit_inputs(
        &mut self,
        component: usize,
        restores: bool,
        seen: &mut [Option<u64>],
        visitor: &mut dyn StateVisitor,
    ) {
        self.cycle.visit_state(visitor);
        self.now.visit_state(visitor);
        for (channel, seen) in self.channels.iter_mut().zip(seen) {
            for (place, _) in channel.readers.iter().enumerate().filter(|(_, reader)| **reader == component) {
                channel.slot.visit_inputs(place, restores, seen, visitor);
            }
        }
    }

    /// The latest value of a stream.
    pub fn latest<T: Message>(&self, channel: usize) -> Option<&T> {
        let slot = self.slot::<StreamSlot<T>>(channel)?;
        (slot.written > 0).then_some(&slot.value)
    }

    /// The latest value of a stream if it was written in this cycle.
    pub fn fresh<T: Message>(&self, channel: usize) -> Option<&T> {
        let slot = self.slot::<StreamSlot<T>>(channel)?;
        (slot.written == self.cycle).then_some(&slot.value)
    }

    /// What a stream had when the cycle began.
    pub fn before<T: Message>(&self, channel: usize) -> Option<&T> {
        let (value, written) = self.slot::<StreamSlot<T>>(channel)?.before()?;
        (written > 0).then_some(value)
    }

    /// Writes a stream.
    pub fn put<T: Message>(&mut self, channel: usize, writer: usize, value: T) {
        if !self.passes(channel, writer) {
            return;
        }
        let cycle = self.cycle;
        if let Some(slot) = self.slot_mut::<StreamSlot<T>>(channel) {
            (slot.value, slot.written) = (value, cycle);
        }
    }

    /// Sends a message to all that read a queue.
    pub fn send<T: Message>(&mut self, channel: usize, writer: usize, message: T) -> Option<Overflow> {
        if !self.passes(channel, writer) {
            return None;
        }
        let place = self.slot_mut::<QueueSlot<T>>(channel)?.push(message)?;
        Some(Overflow { channel, reader: self.channels[channel].readers[place] })
    }

    /// What a reader of a queue has not read yet.
    pub fn unread<T: Message>(&self, channel: usize, reader: usize) -> impl Iterator<Item = &T> {
        self.slot::<QueueSlot<T>>(channel).into_iter().flat_map(move |slot| slot.unread(reader))
    }

    fn slot<S: 'static>(&self, channel: usize) -> Option<&S> {
        let slot: &dyn Any = self.channels.get(channel)?.slot.as_ref();
        slot.downcast_ref()
    }

    fn slot_mut<S: 'static>(&mut self, channel: usize) -> Option<&mut S> {
        let slot: &mut dyn Any = self.channels.get_mut(channel)?.slot.as_mut();
        slot.downcast_mut()
    }
}

fn type_of<T: 'static>() -> (TypeId, &'static str) {
    (TypeId::of::<T>(), type_name::<T>())
}

/// How many messages may wait, for the words of an error.
pub(crate) const MOST_UNREAD: usize = MOST_WAITING;

impl State for Board {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("cycle", &mut self.cycle);
        visitor.field("now", &mut self.now);
        visitor.field("arbiters", &mut self.arbiters);
        for channel in &mut self.channels {
            visitor.enter(&channel.name);
            channel.slot.visit_state(visitor);
            visitor.leave();
        }
    }
}
