//! A board of skin.

use hil::bus_file::BusPlan;
use robot_io::{Contact, RobotLayout};

use super::bench::{Bench, layout, parse};

#[test]
fn the_packet_of_skin_byte_for_byte() {
    let mut bench = Bench::new("skin", "patches = [\"palm\", \"back\"]");
    assert_eq!((bench.outputs.len(), bench.inputs.len()), (2, 18));
    let stamp = bench.now();
    bench.truth.contacts[1] = Contact { stamp, touching: false, force: 1.5 };
    bench.truth.contacts[2] = Contact { stamp, touching: true, force: 20.0 };
    bench.measure();
    assert_eq!(bench.inputs[..4], 1.5_f32.to_le_bytes());
    assert_eq!(bench.inputs[4..8], 20.0_f32.to_le_bytes());
    assert_eq!(bench.inputs[8..12], [0b10, 0, 0, 0], "the second says that it is touched");
    assert_eq!(bench.inputs[12..14], [0, 0], "no fault");
    bench.exchange();
    assert_eq!(bench.readings.contacts[1..], bench.truth.contacts[1..]);
    assert_eq!(bench.readings.contacts[0], Contact::default(), "the wheel's switch is another board's");
}

#[test]
fn what_is_no_number_is_not_read() {
    let mut bench = Bench::new("skin", "patches = [\"palm\", \"back\"]");
    bench.inputs[..4].copy_from_slice(&f32::NAN.to_le_bytes());
    bench.exchange();
    assert_eq!(bench.report.fault, Some(hil::board::INVALID_INPUT));
    assert!(bench.readings.contacts[1].force.is_finite());
}

#[test]
fn where_the_skin_is_off_the_board_is_not_on_the_cable() {
    assert!(parse("skin", "patches = [\"palm\", \"back\"]").unwrap().is_there());
    assert!(!parse("skin", "patches = [\"shin\"]").unwrap().is_there());
    let refused = parse("skin", "patches = [\"palm\", \"bakc\"]").unwrap_err();
    assert!(refused.starts_with("bus.toml:1: patches[1]: expected a patch of skin of the robot"), "{refused}");
    let refused = parse("skin", "patches = []").unwrap_err();
    assert!(refused.contains("patches: expected 1 to 32 patches of skin, found 0"), "{refused}");
}

#[test]
fn a_patch_that_no_board_of_skin_has_is_told() {
    let mut feeling = layout();
    feeling.joints.clear();
    feeling.contacts.retain(|contact| contact.name != "wheel_contact");
    let bus = |patches: &str| {
        format!(
            "name = \"arm\"\nwatchdog_ms = 20\n\n[[board]]\nname = \"arm_skin\"\ntype = \"skin\"\nvendor = 1\nproduct = 2\n\
             patches = [{patches}]\n"
        )
    };
    let parse = |patches: &str, layout: &RobotLayout| BusPlan::parse(&bus(patches), "bus.toml", layout);
    assert_eq!(parse("\"palm\", \"back\"", &feeling).unwrap().boards.len(), 1);
    let refused = parse("\"palm\"", &feeling).unwrap_err().to_string();
    assert!(
        refused.contains("patch of skin of robot 'example'") && refused.ends_with("found none for 'back'"),
        "{refused}"
    );
    let refused = parse("\"pamls\"", &feeling).unwrap_err().to_string();
    assert!(refused.ends_with("found none for 'palm', 'back'"), "{refused}");
    feeling.contacts.clear();
    assert_eq!(parse("\"palm\", \"back\"", &feeling).unwrap().boards.len(), 0, "the skin is off");
}
