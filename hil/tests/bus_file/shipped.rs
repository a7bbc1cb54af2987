//! The bus files that ship.

use std::path::{Path, PathBuf};

use hil::bus_file::BusPlan;
use robot_model::RobotModel;

fn folder(robot: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../robot_models").join(robot)
}

fn plan(robot: &str) -> BusPlan {
    let model = RobotModel::load(&folder(robot).join(format!("{robot}.toml"))).unwrap();
    BusPlan::load(&folder(robot).join("bus.toml"), &model.layout()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_centaurs_57_boards_fit_two_frames() {
    let plan = plan("centaur");
    let count = |kind: &str| plan.boards.iter().filter(|board| board.kind.type_name() == kind).count();
    assert_eq!((plan.boards.len(), count("cia402"), count("walkman_joint"), count("body")), (57, 26, 30, 1));
    assert_eq!(plan.boards.iter().map(|board| board.kind.joints().len()).sum::<usize>(), 56);
    assert!(plan.boards.iter().all(|board| board.identity.serial.is_some()));
    let (outputs, inputs) = plan.process_data_bytes();
    println!("centaur: {outputs} bytes out, {inputs} bytes in, {} in all", outputs + inputs);
    // an Ethernet frame carries 1500 bytes; of these 2 are EtherCAT's header and 12 each datagram's
    assert!(outputs + inputs <= 2 * (1500 - 2 - 12), "{outputs} + {inputs} bytes do not fit two frames");
}

#[test]
fn the_benchs_two_drives_are_all_it_has() {
    let plan = plan("bench");
    assert_eq!((plan.boards.len(), plan.partial), (2, false));
}
