//! What components tell each other: typed channels whose type says what they mean.
//!
//! | kind | meaning |
//! |---|---|
//! | [`Stream`] | the latest value counts; an older one is forgotten |
//! | [`Events`] | each counts, in its order, for every reader |
//! | [`Alarms`] | like events, and a reader is updated in the cycle in which one is waiting, whatever its rate |

mod board;
mod queue;
mod stream;

use core::fmt;
use core::marker::PhantomData;

use robot_io::State;

pub(crate) use self::board::{Board, Kind, MOST_UNREAD, Overflow};

/// What travels on a channel. A message is part of the state: it is digested, saved and restored.
pub trait Message: State + Clone + Default + fmt::Debug + Send + 'static {}

impl<T: State + Clone + Default + fmt::Debug + Send + 'static> Message for T {}

/// A channel of which the latest value counts.
#[derive(Debug)]
pub struct Stream<T>(PhantomData<fn() -> T>);

/// A channel of which each message counts.
#[derive(Debug)]
pub struct Events<T>(PhantomData<fn() -> T>);

/// A channel of messages that cannot wait.
#[derive(Debug)]
pub struct Alarms<T>(PhantomData<fn() -> T>);

/// The end of a channel at which a component reads.
#[derive(Debug)]
pub struct Reads<K> {
    pub(crate) channel: usize,
    /// Its place among the readers of a queue.
    pub(crate) reader: usize,
    kind: PhantomData<fn() -> K>,
}

/// The end of a channel at which a component writes.
#[derive(Debug)]
pub struct Writes<K> {
    pub(crate) channel: usize,
    /// Its place among the writers.
    pub(crate) writer: usize,
    kind: PhantomData<fn() -> K>,
}

/// The end of a stream at which a component reads what was there when the cycle began: it may come before the writer.
#[derive(Debug)]
pub struct ReadsBefore<T> {
    pub(crate) channel: usize,
    kind: PhantomData<fn() -> T>,
}

impl<K> Reads<K> {
    pub(crate) fn new(channel: usize, reader: usize) -> Reads<K> {
        Reads { channel, reader, kind: PhantomData }
    }
}

impl<K> Writes<K> {
    pub(crate) fn new(channel: usize, writer: usize) -> Writes<K> {
        Writes { channel, writer, kind: PhantomData }
    }
}

impl<T> ReadsBefore<T> {
    pub(crate) fn new(channel: usize) -> ReadsBefore<T> {
        ReadsBefore { channel, kind: PhantomData }
    }
}

macro_rules! copied {
    ($($end:ident),*) => {$(
        impl<K> Clone for $end<K> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<K> Copy for $end<K> {}
    )*};
}

copied!(Reads, Writes, ReadsBefore);
