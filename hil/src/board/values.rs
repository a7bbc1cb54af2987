//! A firmware's own objects: their values at power-on, and as state.

use robot_io::StateVisitor;

use crate::coe::{Access, DataType, Dictionary, Slot};

/// Which objects a firmware has made, and what they hold when power comes.
#[derive(Clone, Debug, Default)]
pub struct Values {
    initial: Vec<(Slot, u64)>,
}

/// A number of an object, its part and its name.
pub type Name = (u16, u8, &'static str);

impl Values {
    /// Adds an object to the dictionary.
    pub fn add(
        &mut self,
        objects: &mut Dictionary,
        (index, sub, name): Name,
        kind: DataType,
        access: Access,
        value: u64,
    ) -> Slot {
        let slot = objects.add(index, sub, name, kind, access, value);
        self.initial.retain(|(other, _)| *other != slot);
        self.initial.push((slot, value));
        slot
    }

    /// Forgets everything that was written since power came.
    pub fn restore(&self, objects: &mut Dictionary) {
        self.initial.iter().for_each(|(slot, value)| objects.set(*slot, *value));
    }

    /// Shows the values; a reader replaces them.
    pub fn visit(&self, objects: &mut Dictionary, visitor: &mut dyn StateVisitor) {
        visitor.enter("objects");
        for (slot, _) in &self.initial {
            let mut bits = objects.get(*slot);
            visitor.word(&mut bits);
            objects.set(*slot, bits);
        }
        visitor.leave();
    }
}
