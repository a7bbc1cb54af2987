//! ESI files (ETG.2000), as makers write them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use hil::bus_file::BusPlan;
use hil::esi::{EsiDevice, board_text, read};
use hil::pdo::PdoEntry;
use proptest::prelude::*;
use robot_io::RobotLayout;

const DRIVES: &[u8] = include_bytes!("esi/drives.xml");

fn devices() -> Vec<EsiDevice> {
    read(DRIVES, "drives.xml").unwrap()
}

/// A file of one device with one output.
fn small(number: &str, bits: &str) -> String {
    format!(
        "<EtherCATInfo><Vendor><Id>{number}</Id><Name>N</Name></Vendor>\n<Descriptions><Devices>\n<Device>\n\
         <Type ProductCode=\"5\" RevisionNo=\"#x1\">T</Type>\n<RxPdo Sm=\"2\"><Index>#x1600</Index>\n\
         <Entry><Index>#x7000</Index><SubIndex>1</SubIndex><BitLen>{bits}</BitLen></Entry></RxPdo></Device></Devices></Descriptions></EtherCATInfo>"
    )
}

#[test]
fn devices_of_a_file_in_another_encoding_are_read() {
    let devices = devices();
    let said: Vec<(&str, u32, u32, &str)> = devices
        .iter()
        .map(|device| (device.type_name.as_str(), device.product, device.revision, device.name.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            ("CB-402", 0x402, 0x1_0000, "Servo drive, old"),
            ("CB-402", 0x402, 0x2_0000, "Servo drive"),
            ("CB-100", 0x100, 0x1_0000, "Coupler"),
        ]
    );
    let drive = &devices[1];
    assert_eq!((drive.vendor, drive.vendor_name.as_str(), drive.line), (0x4348_4952, "Bench Ltd", 26));
    assert_eq!(drive.sync_managers.len(), 4);
    assert_eq!((drive.sync_managers[2].start, drive.sync_managers[2].size), (0x1100, 9));
    assert_eq!(drive.modes[0].assign_activate, 0x0300);
    let coe = drive.coe.unwrap();
    assert!(coe.pdo_assign && coe.complete_access && !coe.pdo_config);
    assert_eq!(devices[2].coe, None);
}

#[test]
fn what_is_assigned_is_mapped_and_what_is_only_offered_is_not() {
    let drive = &devices()[1];
    let outputs = EsiDevice::mapped(&drive.outputs);
    let entry = PdoEntry::new;
    assert_eq!(outputs, [entry(0x6040, 0, 16), entry(0x607a, 0, 32), entry(0x60fe, 1, 16), entry(0, 0, 8)]);
    let inputs = EsiDevice::mapped(&drive.inputs);
    assert_eq!(inputs[4..], [entry(0, 0, 64), entry(0, 0, 16)], "what is larger than 64 bits keeps its room");
    let text = board_text(drive, "hip");
    assert!(text.contains("offered, not assigned: 0x1601 Velocity, 48 bits"), "{text}");
}

/// What `import` prints, and what its owner fills in, is a bus file.
#[test]
fn the_printed_board_is_a_bus_file_once_its_gaps_are_filled() {
    let text = board_text(&devices()[1], "hip_drive");
    let bus = |board: &str| format!("name = \"lab\"\nwatchdog_ms = 20\npartial = true\n\n{board}");
    let unfinished = BusPlan::parse(&bus(&text), "bus.toml", &RobotLayout::example()).unwrap_err().to_string();
    assert!(unfinished.starts_with("bus.toml:"), "{unfinished}");
    let mut filled = text.clone();
    for (gap, value) in [
        ("joint = \"\"", "joint = \"hip\""),
        ("counts = 0", "counts = 131072"),
        ("rated_torque = 0.0", "rated_torque = 2.0"),
        ("velocity_unit = 0.0", "velocity_unit = 1e-6"),
        ("stiffness = \"\"", "stiffness = 10.0"),
        ("damping = \"\"", "damping = 1.0"),
    ] {
        let remaining = BusPlan::parse(&bus(&filled), "bus.toml", &RobotLayout::example());
        assert!(remaining.is_err(), "nothing is guessed: {gap} is still open");
        assert!(filled.contains(gap), "{filled}");
        filled = filled.replacen(gap, value, 1);
    }
    let plan = BusPlan::parse(&bus(&filled), "bus.toml", &RobotLayout::example()).unwrap();
    let board = &plan.boards[0];
    assert_eq!((board.identity.product, board.identity.revision), (0x402, Some(0x2_0000)));
    assert_eq!((board.kind.pdo_map().output_bytes(), board.kind.pdo_map().input_bytes()), (9, 22));
    assert!(!board.kind.maps_by_sdo(), "its entries are fixed");
}

#[test]
fn a_mistake_is_told_with_file_and_line() {
    let refused = |text: &str, expected: &str| {
        let message = read(text.as_bytes(), "x.xml").unwrap_err().to_string();
        assert!(message.starts_with(expected), "expected '{expected}', found: {message}");
    };
    refused(&small("#xZZ", "8"), "x.xml:1: Id: expected a number");
    refused(&small("1", "-8"), "x.xml:6: BitLen: expected a number from 0");
    refused(&small("1", "8").replace("ProductCode=\"5\"", ""), "x.xml:4: Type: expected the attribute ProductCode");
    refused(&small("1", "8").replace("EtherCATInfo", "Other"), "x.xml:1: expected the element EtherCATInfo");
    refused(&small("1", "8").replace("</Device>", ""), "x.xml:6: XML");
    refused("", "x.xml:1: XML");
    refused("<EtherCATInfo/>", "x.xml:1: EtherCATInfo: expected the element Vendor");
    let message = read(b"<?xml version='1.0'?>\n<EtherCATInfo>\xb5", "x.xml").unwrap_err().to_string();
    assert!(message.starts_with("x.xml:2: expected text in UTF-8"), "{message}");
    // as deep as anybody cares to write
    let deep = format!("<EtherCATInfo>{}", "<a>".repeat(200_000));
    assert!(read(deep.as_bytes(), "x.xml").is_err());
}

proptest! {
    #[test]
    fn any_bytes_give_devices_or_a_message(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        if let Err(error) = read(&bytes, "x.xml") {
            prop_assert!(error.to_string().starts_with("x.xml:"));
        }
    }

    #[test]
    fn a_file_with_something_broken_gives_devices_or_a_line_of_it(
        at in 0..DRIVES.len(), length in 0_usize..60, with in proptest::collection::vec(any::<u8>(), 0..6),
    ) {
        let mut bytes = DRIVES.to_vec();
        bytes.splice(at..(at + length).min(DRIVES.len()), with);
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
        match read(&bytes, "x.xml") {
            Ok(devices) => {
                for device in &devices {
                    let text = board_text(device, "board");
                    // whatever names say, the text stays TOML
                    prop_assert!(text.parse::<toml::Table>().is_ok(), "{text}");
                }
            }
            Err(error) => {
                let line: usize = error.to_string().split(':').nth(1).unwrap().parse().unwrap();
                prop_assert!((1..=lines).contains(&line), "{error}");
            }
        }
    }

    #[test]
    fn numbers_are_read_in_either_spelling(number: u32, bits in 1_u32..65) {
        for text in [format!("{number}"), format!("#x{number:x}"), format!(" 0x{number:X} ")] {
            let device = &read(small(&text, &bits.to_string()).as_bytes(), "x.xml").unwrap()[0];
            prop_assert_eq!(device.vendor, number);
            prop_assert_eq!(EsiDevice::mapped(&device.outputs), vec![PdoEntry::new(0x7000, 1, bits as u8)]);
        }
    }
}
