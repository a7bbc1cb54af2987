//! The objects that every board has beside its firmware's: identity, mapping, synchronisation.

use crate::coe::{Access, DataType, Dictionary, Object, Slot};
use crate::pdo::{Pdo, PdoMap};
use crate::sii::SiiIdentity;

use super::mapping::{ASSIGN_INPUTS, ASSIGN_OUTPUTS};

/// Entries that a mapping object has at least, if it can be written.
const ENTRIES: usize = 32;

/// Mapping objects that can be written and assigned, in each direction, at least.
const PDOS: usize = 4;

/// The objects that were added here, with the values that they are switched on with.
#[derive(Clone, Debug)]
pub(super) struct Mine(Vec<(Slot, Vec<u8>)>);

impl Mine {
    pub(super) fn restore(&self, objects: &mut Dictionary) {
        self.0.iter().for_each(|(slot, value)| objects.store(*slot, value));
    }
}

/// Completes a firmware's dictionary. What the firmware has itself stays, but for mapping and assignment.
pub(super) fn complete(
    objects: &mut Dictionary,
    name: &str,
    identity: SiiIdentity,
    map: &PdoMap,
    remappable: bool,
) -> Mine {
    let mut own = Dictionary::default();
    describe(&mut own, name, identity);
    synchronisation(&mut own);
    assignment(&mut own, ASSIGN_OUTPUTS, 0x1600, &map.outputs, remappable);
    assignment(&mut own, ASSIGN_INPUTS, 0x1a00, &map.inputs, remappable);
    own.add(0x1c00, 0, "number of sync managers", DataType::U8, Access::Read, 4);
    for (sub, usage) in (1..).zip(["mailbox out", "mailbox in", "outputs", "inputs"]) {
        own.add(0x1c00, sub, usage, DataType::U8, Access::Read, u64::from(sub));
    }
    let mut mine = Vec::new();
    for object in own.iter() {
        let replaced = matches!(object.index, 0x1600..=0x17ff | 0x1a00..=0x1bff | ASSIGN_OUTPUTS | ASSIGN_INPUTS);
        if replaced || objects.slot(object.index, object.sub).is_none() {
            mine.push((objects.insert(object.clone()), object.value.clone()));
        }
    }
    limit(objects);
    titles(objects);
    count_parts(objects);
    Mine(mine)
}

fn describe(own: &mut Dictionary, name: &str, identity: SiiIdentity) {
    // 402 in the low word stands for a drive; 0 for none of the standard profiles (CiA 301 object 0x1000).
    own.add(0x1000, 0, "device type", DataType::U32, Access::Read, 0);
    own.add(0x1001, 0, "error register", DataType::U8, Access::Read, 0);
    own.add_text(0x1008, 0, "device name", name);
    own.add_text(0x1009, 0, "hardware version", "emulated");
    own.add_text(0x100a, 0, "software version", env!("CARGO_PKG_VERSION"));
    own.add(0x1018, 0, "number of parts", DataType::U8, Access::Read, 4);
    let SiiIdentity { vendor, product, revision, serial } = identity;
    let parts = [("vendor", vendor), ("product code", product), ("revision", revision), ("serial number", serial)];
    for (sub, (name, value)) in (1..).zip(parts) {
        own.add(0x1018, sub, name, DataType::U32, Access::Read, u64::from(value));
    }
    own.add(0x10f1, 0, "number of parts", DataType::U8, Access::Read, 2);
    own.add(0x10f1, 1, "local error reaction", DataType::U32, Access::Write, 1);
    own.add(0x10f1, 2, "sync error counter limit", DataType::U16, Access::Write, 4);
}

/// ETG.1020 tables 75 and 76.
fn synchronisation(own: &mut Dictionary) {
    for index in [0x1c32, 0x1c33] {
        own.add(index, 0, "number of parts", DataType::U8, Access::Read, 32);
        own.add(index, 1, "synchronisation type", DataType::U16, Access::Write, 1);
        own.add(index, 2, "cycle time", DataType::U32, Access::Write, 0);
        own.add(index, 3, "shift time", DataType::U32, Access::Read, 0);
        // Free run, with the sync manager, with SYNC0.
        own.add(index, 4, "synchronisation types supported", DataType::U16, Access::Read, 0x0007);
        own.add(index, 5, "minimum cycle time", DataType::U32, Access::Read, 0);
        own.add(index, 6, "calculation and copy time", DataType::U32, Access::Read, 0);
        own.add(index, 10, "SYNC0 cycle time", DataType::U32, Access::Read, 0);
        own.add(index, 11, "missed events", DataType::U16, Access::Read, 0);
        own.add(index, 12, "cycles too short", DataType::U16, Access::Read, 0);
        own.add(index, 32, "synchronisation error", DataType::Bool, Access::Read, 0);
    }
}

fn assignment(own: &mut Dictionary, index: u16, first: u16, pdos: &[Pdo], remappable: bool) {
    let access = if remappable { Access::WriteInPreOp } else { Access::Read };
    // an array, even where nothing is assigned: MainDevices read it at once
    let room = if remappable { PDOS } else { 1 }.max(pdos.len());
    own.add(index, 0, "number of assigned objects", DataType::U8, access, pdos.len() as u64);
    for sub in 1..=room.min(254) {
        let assigned = pdos.get(sub - 1).map_or(0, |pdo| u64::from(pdo.index));
        own.add(index, sub as u8, "assigned object", DataType::U16, access, assigned);
    }
    for pdo in pdos {
        mapping(own, pdo, access);
    }
    if remappable {
        for index in (first..).take(PDOS).filter(|index| pdos.iter().all(|pdo| pdo.index != *index)) {
            mapping(own, &Pdo { index, entries: Vec::new() }, access);
        }
    }
}

fn mapping(own: &mut Dictionary, pdo: &Pdo, access: Access) {
    let used = pdo.entries.len();
    let room = if access == Access::Read { used } else { used.max(ENTRIES) };
    own.add(pdo.index, 0, "number of mapped objects", DataType::U8, access, used as u64);
    for sub in 1..=room.min(254) {
        let entry = pdo.entries.get(sub - 1).map_or(0, |entry| u64::from(entry.to_word()));
        own.add(pdo.index, sub as u8, "mapped object", DataType::U32, access, entry);
    }
}

fn limit(objects: &mut Dictionary) {
    for index in [0x1c32, 0x1c33] {
        if let Some(slot) = objects.slot(index, 1) {
            objects.limit(slot, 0, 2);
        }
    }
}

fn titles(objects: &mut Dictionary) {
    let named = [
        (0x1018, "identity"),
        (0x10f1, "error settings"),
        (0x1c00, "sync manager types"),
        (ASSIGN_OUTPUTS, "assignment of outputs"),
        (ASSIGN_INPUTS, "assignment of inputs"),
        (0x1c32, "synchronisation of outputs"),
        (0x1c33, "synchronisation of inputs"),
    ];
    let mappings: Vec<u16> = objects.indices().filter(|index| (0x1600..0x1c00).contains(index)).collect();
    named.iter().for_each(|(index, name)| objects.title(*index, name));
    for index in mappings {
        objects.title(index, if index < 0x1800 { "mapping of outputs" } else { "mapping of inputs" });
    }
}

/// A larger object without a sub-index 0 gets one: the number of its last part.
fn count_parts(objects: &mut Dictionary) {
    let counts: Vec<(u16, u8)> = objects
        .indices()
        .filter(|index| objects.slot(*index, 0).is_none())
        .filter_map(|index| objects.parts(index).last().map(|(_, object)| (index, object.sub)))
        .collect();
    for (index, last) in counts {
        let (kind, access, value) = (DataType::U8, Access::Read, vec![last]);
        objects.insert(Object { index, sub: 0, name: "number of parts".into(), kind, access, value });
    }
}

/// The objects that change in the cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct CycleObjects {
    pub(super) error_register: Option<Slot>,
    sync_types: [Option<Slot>; 2],
    cycle_times: [Option<Slot>; 4],
}

impl CycleObjects {
    pub(super) fn find(objects: &Dictionary) -> CycleObjects {
        CycleObjects {
            error_register: objects.slot(0x1001, 0),
            sync_types: [0x1c32, 0x1c33].map(|index| objects.slot(index, 1)),
            cycle_times: [(0x1c32, 2), (0x1c32, 10), (0x1c33, 2), (0x1c33, 10)]
                .map(|(index, sub)| objects.slot(index, sub)),
        }
    }

    /// SYNC0 has come: the board runs on it, with this period [ns] since the one before.
    pub(super) fn synchronised(&self, objects: &mut Dictionary, period: Option<u64>) {
        self.sync_types.iter().flatten().for_each(|slot| objects.set(*slot, 2));
        if let Some(period) = period {
            self.cycle_times.iter().flatten().for_each(|slot| objects.set(*slot, period));
        }
    }
}
