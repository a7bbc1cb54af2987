//! What a component remembers, said once: the same method hashes it, saves it, restores it and names what differs.

use nalgebra::{Isometry3, Quaternion, SMatrix, Translation3, UnitQuaternion};

use crate::Digest;

/// Something whose future depends on what it remembers.
///
/// An implementation shows every field that can change the future to the visitor, always in the same order. From that
/// one method come the digest ([`StateHasher`](crate::StateHasher)), the snapshot ([`StateWriter`](crate::StateWriter), [`StateReader`](crate::StateReader))
/// and the name of the first field in which two runs differ ([`first_difference`](crate::first_difference)).
pub trait State {
    /// Shows each remembered value to `visitor`, which may replace it.
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor);
}

/// Sees the remembered values one 64-bit word at a time.
pub trait StateVisitor {
    /// One value, as its raw bits; a reader replaces it.
    fn word(&mut self, bits: &mut u64);

    /// The values until the matching [`leave`](StateVisitor::leave) belong to `name`.
    fn enter(&mut self, _name: &str) {}

    /// Ends what [`enter`](StateVisitor::enter) began.
    fn leave(&mut self) {}

    /// How it wants to meet a [sealed](crate::Sealed) value with this digest.
    fn seal(&mut self, _digest: &mut Digest) -> Seal {
        Seal::Open
    }

    /// Ends a sealed value that it asked for [apart](Seal::Apart) or to be [replaced](Seal::Replace): the digest of the value
    /// that is there now.
    fn end_seal(&mut self, _digest: Digest) {}
}

/// How a [`StateVisitor`] wants to meet a sealed value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seal {
    /// Word for word, as if it were not sealed.
    #[default]
    Open,
    /// Not at all: its digest was enough.
    Closed,
    /// Word for word, apart from what is around it; [`end_seal`](StateVisitor::end_seal) ends it.
    Apart,
    /// A fresh value word for word, which takes its place; [`end_seal`](StateVisitor::end_seal) ends it.
    Replace,
}

impl dyn StateVisitor + '_ {
    /// Shows one named field.
    pub fn field<T: State + ?Sized>(&mut self, name: &str, value: &mut T) {
        self.enter(name);
        value.visit_state(self);
        self.leave();
    }
}

impl State for u64 {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.word(self);
    }
}

impl State for f64 {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut bits = self.to_bits();
        visitor.word(&mut bits);
        *self = f64::from_bits(bits);
    }
}

/// Integers and flags travel as words.
macro_rules! state_as_word {
    ($($kind:ty: $from:expr),*) => {$(
        impl State for $kind {
            fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
                let mut bits = *self as u64;
                visitor.word(&mut bits);
                *self = ($from)(bits);
            }
        }
    )*};
}

state_as_word!(bool: |bits| bits != 0, u16: |bits| bits as u16, u32: |bits| bits as u32, usize: |bits| bits as usize);

impl<T: State, const N: usize> State for [T; N] {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.as_mut_slice().visit_state(visitor);
    }
}

impl<T: State> State for [T] {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        for value in self {
            value.visit_state(visitor);
        }
    }
}

/// The length is part of the state. A reader that meets an absurd length keeps the vector as it is and fails later
/// for want of bytes, so a broken snapshot cannot exhaust the memory.
impl<T: State + Default> State for Vec<T> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        const LONGEST: usize = 1 << 20;
        let mut length = self.len();
        length.visit_state(visitor);
        if length != self.len() && length <= LONGEST {
            self.resize_with(length, T::default);
        }
        self.as_mut_slice().visit_state(visitor);
    }
}

impl<T: State + Default> State for Option<T> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut present = self.is_some();
        present.visit_state(visitor);
        match (present, self.as_mut()) {
            (true, None) => self.insert(T::default()).visit_state(visitor),
            (true, Some(value)) => value.visit_state(visitor),
            (false, _) => *self = None,
        }
    }
}

impl<const ROWS: usize, const COLUMNS: usize> State for SMatrix<f64, ROWS, COLUMNS> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.as_mut_slice().visit_state(visitor);
    }
}

impl State for UnitQuaternion<f64> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut coordinates: [f64; 4] = self.coords.into();
        coordinates.visit_state(visitor);
        *self = UnitQuaternion::new_unchecked(Quaternion::from(coordinates));
    }
}

impl State for Isometry3<f64> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut translation = self.translation.vector;
        translation.visit_state(visitor);
        self.translation = Translation3::from(translation);
        self.rotation.visit_state(visitor);
    }
}
