//! A channel of which the latest value counts.

use robot_io::{State, StateVisitor};

use super::Message;

/// The latest value, and when it was written.
#[derive(Clone, Debug, Default)]
pub(super) struct StreamSlot<T> {
    pub value: T,
    /// The cycle in which it was written, counted from 1; 0 if it never was.
    pub written: u64,
    /// What it was when the cycle began, if somebody reads that.
    before: Option<Box<(T, u64)>>,
}

impl<T: Message> StreamSlot<T> {
    /// From now on it keeps what was there before.
    pub fn keep_before(&mut self) {
        self.before.get_or_insert_with(Box::default);
    }

    /// A cycle begins.
    pub fn begin(&mut self) {
        if let Some(before) = &mut self.before {
            before.0.clone_from(&self.value);
            before.1 = self.written;
        }
    }

    /// Shows what a reader finds; a value that it has `seen` is not shown again, and what was there before only if it is another.
    pub fn visit_inputs(&mut self, seen: &mut Option<u64>, visitor: &mut dyn StateVisitor) {
        self.written.visit_state(visitor);
        let mut is_new = *seen != Some(self.written);
        is_new.visit_state(visitor);
        *seen = Some(self.written);
        if is_new {
            self.value.visit_state(visitor);
        }
        let Some(before) = &mut self.before else { return };
        before.1.visit_state(visitor);
        match before.1 == self.written {
            true => before.0.clone_from(&self.value),
            false => before.0.visit_state(visitor),
        }
    }

    /// What was there when the cycle began, and when it was written.
    pub fn before(&self) -> Option<(&T, u64)> {
        self.before.as_deref().map(|(value, written)| (value, *written))
    }
}

/// What was there before is copied anew as a cycle begins.
impl<T: Message> State for StreamSlot<T> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("value", &mut self.value);
        visitor.field("written", &mut self.written);
    }
}
