//! A channel of which each message counts.

use std::collections::VecDeque;

use robot_io::{State, StateVisitor};

use super::Message;

/// More messages do not wait for a reader: it has stopped reading.
pub(super) const MOST_WAITING: usize = 1 << 12;

/// Messages that some reader has not read yet.
#[derive(Clone, Debug, Default)]
pub(super) struct QueueSlot<T> {
    messages: VecDeque<T>,
    /// The number of the first of them, since the beginning.
    first: u64,
    /// For each reader the number of the message that it reads next; nothing for one that does not read.
    next: Vec<Option<u64>>,
}

impl<T: Message> QueueSlot<T> {
    /// Another reader; returns its place.
    pub fn add_reader(&mut self) -> usize {
        self.next.push(None);
        self.next.len() - 1
    }

    /// A reader begins to read what comes from now on, or stops reading.
    pub fn listen(&mut self, reader: usize, listens: bool) {
        self.next[reader] = listens.then_some(self.end());
        self.forget_read();
    }

    /// A message for all that read. The reader that has left too many unread is told in return, if there is one.
    pub fn push(&mut self, message: T) -> Option<usize> {
        if self.next.iter().all(Option::is_none) {
            return None;
        }
        self.messages.push_back(message);
        let far_behind = |next: &Option<u64>| next.is_some_and(|next| self.end() - next > MOST_WAITING as u64);
        self.next.iter().position(far_behind)
    }

    /// What a reader has not read yet.
    pub fn unread(&self, reader: usize) -> impl Iterator<Item = &T> {
        let read = self.next[reader].map_or(self.messages.len(), |next| (next - self.first) as usize);
        self.messages.iter().skip(read)
    }

    /// True if a message waits for the reader.
    pub fn waits_for(&self, reader: usize) -> bool {
        self.next[reader].is_some_and(|next| next < self.end())
    }

    /// The reader has read all that there is.
    pub fn note_read(&mut self, reader: usize) {
        if self.next[reader].is_some() {
            self.next[reader] = Some(self.end());
            self.forget_read();
        }
    }

    /// Shows what a reader has not read yet; where a visitor `restores`, that is all that there is.
    pub fn visit_inputs(&mut self, reader: usize, restores: bool, visitor: &mut dyn StateVisitor) {
        let mut unread: Vec<T> = self.unread(reader).cloned().collect();
        unread.visit_state(visitor);
        if restores {
            (self.messages, self.first) = (unread.into(), 0);
            self.next.fill(None);
            self.next[reader] = Some(0);
        }
    }

    fn end(&self) -> u64 {
        self.first + self.messages.len() as u64
    }

    fn forget_read(&mut self) {
        let needed = self.next.iter().flatten().copied().min().unwrap_or(self.end());
        self.messages.drain(..(needed - self.first) as usize);
        self.first = needed;
    }
}

impl<T: Message> State for QueueSlot<T> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut messages: Vec<T> = core::mem::take(&mut self.messages).into();
        visitor.field("messages", &mut messages);
        self.messages = messages.into();
        visitor.field("first", &mut self.first);
        visitor.field("next", self.next.as_mut_slice());
        // a broken snapshot shall not send a reader to what is not there
        let (first, end) = (self.first, self.end());
        self.next.iter_mut().flatten().for_each(|next| *next = (*next).clamp(first, end));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// What a reader sees is what was sent while it listened, once each and in order.
        #[test]
        fn nothing_is_lost_doubled_or_swapped(steps in prop::collection::vec((0_usize..3, 0_usize..3), 0..80)) {
            let mut queue: QueueSlot<u64> = QueueSlot::default();
            (0..3).for_each(|_| { queue.add_reader(); });
            let mut expected: Vec<Option<Vec<u64>>> = vec![None; 3];
            for (number, (what, reader)) in (0_u64..).zip(steps) {
                match what {
                    0 => {
                        queue.push(number);
                        expected.iter_mut().flatten().for_each(|seen| seen.push(number));
                    }
                    1 => {
                        let listens = expected[reader].is_none();
                        queue.listen(reader, listens);
                        expected[reader] = listens.then(Vec::new);
                    }
                    _ => {
                        let seen: Vec<u64> = queue.unread(reader).copied().collect();
                        prop_assert_eq!(seen, expected[reader].clone().unwrap_or_default());
                        queue.note_read(reader);
                        expected[reader].iter_mut().for_each(Vec::clear);
                    }
                }
                prop_assert!(queue.messages.len() <= expected.iter().flatten().map(Vec::len).max().unwrap_or(0));
            }
        }
    }

    #[test]
    fn whoever_stops_reading_is_named_before_the_memory_is_full() {
        let mut queue: QueueSlot<u64> = QueueSlot::default();
        let [quick, slow] = [queue.add_reader(), queue.add_reader()];
        [quick, slow].into_iter().for_each(|reader| queue.listen(reader, true));
        let named = (0..).find_map(|number| {
            queue.note_read(quick);
            queue.push(number)
        });
        assert_eq!(named, Some(slow));
        queue.listen(slow, false);
        queue.note_read(quick);
        assert!(queue.messages.is_empty());
    }
}
