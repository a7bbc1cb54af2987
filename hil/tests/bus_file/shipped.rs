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
fn the_benchs_two_drives_are_all_it_has() {
    let plan = plan("bench");
    assert_eq!((plan.boards.len(), plan.partial), (2, false));
}
