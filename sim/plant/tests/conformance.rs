//! The simulated centaur with lasers and cameras passes the suite that every robot behind the plug passes.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use plant::{Setup, Simulation, plug};
use robot_io::conformance::{Plugged, Subject, check};
use support::{centaur, floor, hold};

#[test]
fn the_centaur_with_its_eyes_open_conforms() {
    let (world, robot) = (floor(), centaur());
    let sensors = ["laser", "rgbd_depth", "head_front"].map(str::to_owned).to_vec();
    let setup = Setup { sensors, ..Setup::default() };
    let still = hold(&Simulation::new(&world, &robot, &setup).unwrap(), Some(0.0)).joints;
    let begin = || {
        let (robot, clock, _) = plug(Simulation::new(&world, &robot, &setup).unwrap());
        Ok(Plugged::new(robot, clock))
    };
    let report = check(&mut Subject::new("SimRobot with sensors", still, begin));
    assert!(report.is_sound(), "{report}");
}
