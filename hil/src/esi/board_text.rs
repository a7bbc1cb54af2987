//! A device of an ESI file as the beginning of a `[[board]]`.

use std::fmt::Write;

use super::{EsiDevice, EsiPdo};
use crate::board::cia402::objects as o;
use crate::pdo::PdoEntry;

/// The beginning of a `[[board]]` for a device. What only its owner knows is left open and marked "to do": until it is
/// filled in the bus file is refused, line by line.
pub fn board_text(device: &EsiDevice, board: &str) -> String {
    let EsiDevice { vendor, product, revision, type_name, name, vendor_name, .. } = device;
    let (outputs, inputs) = (EsiDevice::mapped(&device.outputs), EsiDevice::mapped(&device.inputs));
    let has = |entries: &[PdoEntry], index| entries.iter().any(|entry| entry.index == index);
    let is_drive = has(&outputs, o::CONTROLWORD) && has(&inputs, o::STATUSWORD);
    let kind = if is_drive { "type = \"cia402\"" } else { "type = \"\" # to do" };
    let mut text = format!(
        "# {vendor_name}: {type_name}, {name}\n{}[[board]]\nname = \"{board}\"\n{kind}\nvendor = {vendor:#x}\n\
         product = {product:#x}\nrevision = {revision:#x} # leave out if any will do\njoint = \"\" # to do\n",
        facts(device)
    );
    // writing to a String cannot fail
    let _ = write!(text, "{}{}", list("outputs", &outputs), list("inputs", &inputs));
    let writes = device.coe.is_some_and(|coe| coe.pdo_config && coe.pdo_assign);
    let assigned = device.outputs.iter().chain(&device.inputs).filter(|pdo| pdo.sync_manager.is_some());
    if writes && assigned.clone().all(|pdo| !pdo.fixed) {
        text.push_str("mapping = \"sdo\" # the entries above can be changed\n");
    } else {
        text.push_str("mapping = \"fixed\" # the entries above are the device's own\n");
    }
    if is_drive {
        text.push_str(&drive(&outputs, &inputs));
    }
    text
}

/// What is good to know and has no field of a board: clocks, mailbox, process data that is only offered.
fn facts(device: &EsiDevice) -> String {
    let mut text = String::new();
    for mode in &device.modes {
        let clocks = match mode.assign_activate {
            0 => "without clocks".to_owned(),
            word => format!(
                "0x0980 = {word:#06x}, SYNC0 {} µs after the cycle's start: sync0_shift_us of the bus",
                mode.sync0_shift / 1000
            ),
        };
        let _ = writeln!(text, "# synchronisation '{}': {clocks}", mode.name);
    }
    for manager in &device.sync_managers {
        let _ = writeln!(text, "# sync manager {}: at {:#06x}, {} bytes", manager.kind, manager.start, manager.size);
    }
    let offered = |pdo: &&EsiPdo| pdo.sync_manager.is_none();
    for pdo in device.outputs.iter().chain(&device.inputs).filter(offered) {
        let bits: u32 = pdo.entries.iter().map(|entry| entry.bits).sum();
        let _ = writeln!(text, "# offered, not assigned: {:#06x} {}, {bits} bits", pdo.index, pdo.name);
    }
    text
}

fn list(field: &str, entries: &[PdoEntry]) -> String {
    let entry = |entry: &PdoEntry| match entry {
        PdoEntry { index: 0, bits, .. } => format!("\"padding {bits}\""),
        PdoEntry { index, sub: 0, bits } => format!("\"{index:#06x} {bits}\""),
        PdoEntry { index, sub, bits } => format!("\"{index:#06x}:{sub} {bits}\""),
    };
    let entries: Vec<String> = entries.iter().map(entry).collect();
    format!("{field} = [{}]\n", entries.join(", "))
}

/// What a drive of the profile wants to know beside.
fn drive(outputs: &[PdoEntry], inputs: &[PdoEntry]) -> String {
    let has = |entries: &[PdoEntry], index| entries.iter().any(|entry| entry.index == index);
    let mut modes: Vec<&str> = [(o::TARGET_POSITION, "csp"), (o::TARGET_VELOCITY, "csv"), (o::TARGET_TORQUE, "cst")]
        .into_iter()
        .filter(|(index, _)| has(outputs, *index))
        .map(|(_, mode)| mode)
        .collect();
    let switches = has(outputs, o::MODE) && has(inputs, o::MODE_DISPLAY);
    if !switches {
        modes.truncate(1);
    }
    let modes: Vec<String> = modes.into_iter().map(|mode| format!("\"{mode}\"")).collect();
    let mut text = format!(
        "modes = [{}]\nextensions = false\ngains = \"drive\"\ncounts = 0 # to do: increments per turn of the encoder\n\
         rated_torque = 0.0 # to do: 1000 per mille of the torque objects, behind the gear [N.m]\n\
         velocity_unit = 0.0 # to do: one increment of 0x606c at the joint [rad/s]\n\
         stiffness = \"\" # to do: the drive's own [N.m/rad], for the emulated board\n\
         damping = \"\" # to do: the drive's own [N.m.s/rad], for the emulated board\n",
        modes.join(", ")
    );
    for (index, what) in [(o::POSITION, "position"), (o::VELOCITY, "velocity")] {
        if !has(inputs, index) {
            let _ = writeln!(text, "# to do: `inputs` lacks the {what}, object {index:#06x}; assign a PDO that has it");
        }
    }
    text
}
