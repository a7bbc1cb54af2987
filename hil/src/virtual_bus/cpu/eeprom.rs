//! A board's EEPROM, made from what its processor is.

use super::{Layout, MAILBOX_IN, MAILBOX_OUT, MAILBOX_SIZE};
use crate::coe::Dictionary;
use crate::pdo::{Pdo, PdoMap};
use crate::sii::{Clock, General, Mailboxes, Sii, SiiEntry, SiiPdo, SyncManager};

/// Room for process data in each direction [bytes], unless the board's own map needs more.
const ROOM: usize = 256;

/// Protocol bit of CoE.
const COE: u16 = 0x0004;

/// The longest name: what ethercrab keeps of one.
const NAME: usize = 64;

impl Layout {
    /// Three buffers of each direction behind the mailboxes.
    pub fn for_map(map: &PdoMap) -> Layout {
        let room = |bytes: usize| bytes.next_multiple_of(8).max(ROOM);
        let (outputs_room, inputs_room) = (room(map.output_bytes()), room(map.input_bytes()));
        let outputs_start = MAILBOX_IN + MAILBOX_SIZE;
        let inputs_start = outputs_start.saturating_add(3 * outputs_room as u16);
        Layout { outputs_start, inputs_start, outputs_room, inputs_room }
    }
}

/// Completes `sii`, which has identity and alias already, and makes an image of it.
pub(super) fn image(
    mut sii: Sii,
    name: &str,
    map: &PdoMap,
    remappable: bool,
    layout: Layout,
    objects: &Dictionary,
) -> Vec<u8> {
    sii.mailbox = Mailboxes {
        out_start: MAILBOX_OUT,
        out_size: MAILBOX_SIZE,
        in_start: MAILBOX_IN,
        in_size: MAILBOX_SIZE,
        protocols: COE,
    };
    // Register 0x0140: SPI, clocks with SYNC0 and latches.
    sii.configuration = [0x0c05, 0, 0, 0];
    sii.general = Some(general(&mut sii, name, remappable));
    sii.fmmus = vec![1, 2, 3, 0xff];
    sii.sync_managers = sync_managers(map, layout);
    sii.rx_pdos = pdos(&mut sii, &map.outputs, 2, remappable, objects);
    sii.tx_pdos = pdos(&mut sii, &map.inputs, 3, remappable, objects);
    sii.clocks = clocks(&mut sii);
    sii.build()
}

fn general(sii: &mut Sii, name: &str, remappable: bool) -> General {
    let short: String = name.chars().take(NAME).collect();
    let order = sii.add_string(&short);
    let group = sii.add_string("Chiron");
    // SDO, its information service, complete access; assignment and mapping where they can be written.
    let coe_details = 0x23 | if remappable { 0x0c } else { 0 };
    General { group, order, name: order, coe_details, ports: 0x0011, ..General::default() }
}

fn sync_managers(map: &PdoMap, layout: Layout) -> Vec<SyncManager> {
    let process =
        |start, bytes: usize, control, usage| SyncManager { start, length: bytes as u16, control, enable: 1, usage };
    let mailbox = |start, control, usage| SyncManager { start, length: MAILBOX_SIZE, control, enable: 1, usage };
    vec![
        mailbox(MAILBOX_OUT, 0x26, 1),
        mailbox(MAILBOX_IN, 0x22, 2),
        process(layout.outputs_start, map.output_bytes(), 0x64, 3),
        process(layout.inputs_start, map.input_bytes(), 0x20, 4),
    ]
}

fn pdos(sii: &mut Sii, pdos: &[Pdo], sync_manager: u8, remappable: bool, objects: &Dictionary) -> Vec<SiiPdo> {
    let name = sii.add_string(if sync_manager == 2 { "outputs" } else { "inputs" });
    // Mandatory, and fixed content unless it can be written.
    let flags = if remappable { 0x0001 } else { 0x0011 };
    let entry = |entry: &crate::pdo::PdoEntry| {
        let kind = objects.slot(entry.index, entry.sub).map_or(0, |slot| objects.object(slot).kind as u8);
        SiiEntry { index: entry.index, sub: entry.sub, name: 0, data_type: kind, bits: entry.bits }
    };
    let pdo = |pdo: &Pdo| {
        let entries = pdo.entries.iter().map(entry).collect();
        SiiPdo { index: pdo.index, sync_manager, name, flags, entries }
    };
    pdos.iter().map(pdo).collect()
}

/// On the frame itself, or on SYNC0 (register 0x0980).
fn clocks(sii: &mut Sii) -> Vec<Clock> {
    let frame = Clock { name: sii.add_string("SM-Synchron"), ..Clock::default() };
    let sync0 = Clock { name: sii.add_string("DC-Synchron"), activate: 0x0300, ..Clock::default() };
    vec![frame, sync0]
}
