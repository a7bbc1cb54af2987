//! Which object lies where in the process data: the rules by which a MainDevice may change it, and the copies that come of
//! it (ETG.1000.6 5.6.7, ETG.1020).

use super::Layout;
use crate::coe::{Abort, Access, Dictionary, Object, Rules, Slot};
use crate::pdo::{Field, PdoEntry};
use crate::virtual_bus::ProcessData;
use crate::wire::AlCode;

/// Assignment of process data objects to the outputs.
pub const ASSIGN_OUTPUTS: u16 = 0x1c12;

/// Assignment of process data objects to the inputs.
pub const ASSIGN_INPUTS: u16 = 0x1c13;

/// Checks what is written to mapping and assignment.
#[derive(Clone, Copy, Debug)]
pub(super) struct MappingRules {
    layout: Layout,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Outputs,
    Inputs,
}

impl Direction {
    /// The direction of a mapping object's number.
    fn of_mapping(index: u16) -> Option<Direction> {
        match index {
            0x1600..=0x17ff => Some(Direction::Outputs),
            0x1a00..=0x1bff => Some(Direction::Inputs),
            _ => None,
        }
    }

    fn room(self, layout: Layout) -> usize {
        match self {
            Direction::Outputs => layout.outputs_room,
            Direction::Inputs => layout.inputs_room,
        }
    }
}

impl Rules for MappingRules {
    fn check(&self, dictionary: &Dictionary, object: &Object, value: &[u8]) -> Result<(), Abort> {
        let number = value.iter().take(4).rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        let (index, sub) = (object.index, object.sub);
        let direction = match index {
            ASSIGN_OUTPUTS => Direction::Outputs,
            ASSIGN_INPUTS => Direction::Inputs,
            _ => match Direction::of_mapping(index) {
                Some(direction) => return self.check_mapping(dictionary, direction, (index, sub), number),
                None => return Ok(()),
            },
        };
        match sub {
            0 => self.check_assigned(dictionary, index, direction, number as u8),
            _ if count(dictionary, index) != 0 => Err(Abort::COUNT_NOT_ZERO),
            _ => check_assignment(dictionary, direction, number as u16),
        }
    }
}

impl MappingRules {
    pub(super) fn new(layout: Layout) -> MappingRules {
        MappingRules { layout }
    }

    fn check_mapping(
        &self,
        dictionary: &Dictionary,
        direction: Direction,
        (index, sub): (u16, u8),
        number: u32,
    ) -> Result<(), Abort> {
        if sub > 0 {
            if count(dictionary, index) != 0 {
                return Err(Abort::COUNT_NOT_ZERO);
            }
            return check_entry(dictionary, direction, PdoEntry::from_word(number));
        }
        self.check_mapped(dictionary, direction, index, number as u8)
    }

    /// The first `wanted` entries come into force.
    fn check_mapped(&self, dictionary: &Dictionary, direction: Direction, index: u16, wanted: u8) -> Result<(), Abort> {
        if dictionary.slot(index, wanted).is_none() {
            return Err(Abort::MAPPING_TOO_LONG);
        }
        let mut bits = 0;
        for slot in (1..=wanted).filter_map(|sub| dictionary.slot(index, sub)) {
            let entry = PdoEntry::from_word(dictionary.get(slot) as u32);
            check_entry(dictionary, direction, entry)?;
            bits += usize::from(entry.bits);
        }
        let assignment = if direction == Direction::Outputs { ASSIGN_OUTPUTS } else { ASSIGN_INPUTS };
        let assigned = || assigned_indices(dictionary, assignment, count(dictionary, assignment));
        if assigned().any(|other| other == index) {
            bits += assigned().filter(|other| *other != index).map(|other| bits_of(dictionary, other)).sum::<usize>();
        }
        self.check_length(direction, bits)
    }

    fn check_assigned(
        &self,
        dictionary: &Dictionary,
        index: u16,
        direction: Direction,
        wanted: u8,
    ) -> Result<(), Abort> {
        if dictionary.slot(index, wanted).is_none() {
            return Err(Abort::MAPPING_TOO_LONG);
        }
        for mapping in assigned_indices(dictionary, index, wanted) {
            check_assignment(dictionary, direction, mapping)?;
        }
        let bits = assigned_indices(dictionary, index, wanted).map(|mapping| bits_of(dictionary, mapping)).sum();
        self.check_length(direction, bits)
    }

    fn check_length(&self, direction: Direction, bits: usize) -> Result<(), Abort> {
        if bits.div_ceil(8) > direction.room(self.layout) { Err(Abort::MAPPING_TOO_LONG) } else { Ok(()) }
    }
}

/// An assigned object must be one of the direction's mapping objects.
fn check_assignment(dictionary: &Dictionary, direction: Direction, mapping: u16) -> Result<(), Abort> {
    let is_mapping = Direction::of_mapping(mapping) == Some(direction) && dictionary.slot(mapping, 0).is_some();
    if is_mapping { Ok(()) } else { Err(Abort::VALUE) }
}

/// A mapped object must exist, go in this direction and have as many bits; an entry without object is padding.
fn check_entry(dictionary: &Dictionary, direction: Direction, entry: PdoEntry) -> Result<(), Abort> {
    if entry.index == 0 {
        return if entry.sub == 0 && entry.bits > 0 { Ok(()) } else { Err(Abort::NO_OBJECT) };
    }
    let object = dictionary.object(dictionary.find(entry.index, entry.sub)?);
    match (object.access, direction) {
        (Access::WriteMapped, Direction::Outputs) | (Access::ReadMapped, Direction::Inputs) => {}
        _ => return Err(Abort::NOT_MAPPABLE),
    }
    if fits(object, entry.bits) { Ok(()) } else { Err(Abort::LENGTH) }
}

/// Truth values take one bit or a byte, everything else what its type has.
fn fits(object: &Object, bits: u8) -> bool {
    object.kind.bits().is_some_and(|own| own == bits || own == 1 && bits == 8)
}

fn count(dictionary: &Dictionary, index: u16) -> u8 {
    dictionary.slot(index, 0).map_or(0, |slot| dictionary.get(slot) as u8)
}

/// The first `count` objects of an assignment.
fn assigned_indices(dictionary: &Dictionary, index: u16, count: u8) -> impl Iterator<Item = u16> {
    (1..=count).filter_map(move |sub| dictionary.slot(index, sub)).map(|slot| dictionary.get(slot) as u16)
}

fn entries(dictionary: &Dictionary, mapping: u16) -> impl Iterator<Item = PdoEntry> {
    let slots = (1..=count(dictionary, mapping)).filter_map(move |sub| dictionary.slot(mapping, sub));
    slots.map(|slot| PdoEntry::from_word(dictionary.get(slot) as u32))
}

fn bits_of(dictionary: &Dictionary, mapping: u16) -> usize {
    entries(dictionary, mapping).map(|entry| usize::from(entry.bits)).sum()
}

fn assigned_entries(dictionary: &Dictionary, index: u16) -> impl Iterator<Item = PdoEntry> {
    assigned_indices(dictionary, index, count(dictionary, index)).flat_map(|mapping| entries(dictionary, mapping))
}

/// The sizes that the present mapping asks for.
pub(super) fn sizes(dictionary: &Dictionary) -> ProcessData {
    let bytes =
        |index| assigned_entries(dictionary, index).map(|entry| usize::from(entry.bits)).sum::<usize>().div_ceil(8);
    ProcessData { outputs: bytes(ASSIGN_OUTPUTS), inputs: bytes(ASSIGN_INPUTS) }
}

/// A mapping, worked out once: which object is copied from or to which bits.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    outputs: Vec<ObjectCopy>,
    inputs: Vec<ObjectCopy>,
    input_bytes: usize,
}

#[derive(Clone, Copy, Debug)]
struct ObjectCopy {
    slot: Slot,
    field: Field,
    /// Whole bytes, and as many as the object has.
    whole: bool,
    signed: bool,
}

impl Copies {
    /// Works the mapping out; an entry without its object is an invalid mapping.
    pub(super) fn compile(dictionary: &Dictionary) -> Result<Copies, AlCode> {
        let outputs = copies(dictionary, ASSIGN_OUTPUTS).ok_or(AlCode::OUTPUT_MAPPING)?;
        let inputs = copies(dictionary, ASSIGN_INPUTS).ok_or(AlCode::INPUT_MAPPING)?;
        Ok(Copies { outputs, inputs, input_bytes: sizes(dictionary).inputs })
    }

    pub(super) fn input_bytes(&self) -> usize {
        self.input_bytes
    }

    /// Process data to objects.
    pub(super) fn scatter(&self, data: &[u8], dictionary: &mut Dictionary) {
        for copy in &self.outputs {
            if copy.whole {
                let value = dictionary.bytes_mut(copy.slot);
                let start = copy.field.first_bit / 8;
                if let Some(bytes) = data.get(start..start + value.len()) {
                    value.copy_from_slice(bytes);
                }
            } else if copy.signed {
                dictionary.set(copy.slot, copy.field.get_signed(data) as u64);
            } else {
                dictionary.set(copy.slot, copy.field.get(data));
            }
        }
    }

    /// Objects to process data; padding is zeros.
    pub(super) fn gather(&self, dictionary: &Dictionary, data: &mut [u8]) {
        data.fill(0);
        for copy in &self.inputs {
            let value = &dictionary.object(copy.slot).value;
            let start = copy.field.first_bit / 8;
            match data.get_mut(start..start + value.len()) {
                Some(bytes) if copy.whole => bytes.copy_from_slice(value),
                _ => copy.field.put(data, dictionary.get(copy.slot)),
            }
        }
    }
}

fn copies(dictionary: &Dictionary, index: u16) -> Option<Vec<ObjectCopy>> {
    let mut first_bit = 0;
    let mut copies = Vec::new();
    for entry in assigned_entries(dictionary, index) {
        let field = Field { first_bit, bits: entry.bits };
        first_bit += usize::from(entry.bits);
        if entry.index == 0 {
            continue;
        }
        let slot = dictionary.slot(entry.index, entry.sub)?;
        let object = dictionary.object(slot);
        let bits = 8 * object.value.len();
        if usize::from(entry.bits) > bits || entry.bits > 64 {
            return None;
        }
        let whole = field.first_bit.is_multiple_of(8) && usize::from(entry.bits) == bits;
        copies.push(ObjectCopy { slot, field, whole, signed: object.kind.is_signed() });
    }
    Some(copies)
}
