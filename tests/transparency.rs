//! A controller cannot tell ethercrab and 57 emulated boards from a model of them: over the virtual bus in lock-step, and over
//! the direct simulation with one modelled bus cycle of delay and the quantisation of process data, every cycle has the same
//! digest of plant, robot and controller.
#![allow(clippy::unwrap_used, reason = "tests")]

use robot_io::Time;
use scenarios::case::PlantKind;
use scenarios::session::Session;
use scenarios::{Case, Library, Staffing, Stage};
use support::root;

fn session(case: &str, plant: PlantKind) -> Session {
    sensing(case, plant, &[])
}

/// The same with sensors that are switched on by name.
fn sensing(case: &str, plant: PlantKind, sensors: &[&str]) -> Session {
    let library = Library::at(root());
    let mut case = Case::load(&library, case).unwrap();
    case.plant = plant;
    case.sensors = sensors.iter().map(|sensor| (*sensor).to_owned()).collect();
    let stage = Stage::load(&library, case).unwrap();
    Session::start(stage.assemble(Staffing::default()).unwrap()).unwrap()
}

fn assert_transparent(case: &str, end: Time) {
    assert_transparent_sensing(case, &[], end);
}

fn assert_transparent_sensing(case: &str, sensors: &[&str], end: Time) {
    let [mut bus, mut model] =
        [PlantKind::VirtualBus, PlantKind::ModelledBus].map(|plant| sensing(case, plant, sensors));
    while bus.readings().time < end {
        bus.cycle().unwrap();
        model.cycle().unwrap();
        let cycle = bus.readings().cycle;
        assert_eq!(bus.readings(), model.readings(), "{case}: readings in cycle {cycle}");
        assert_eq!(bus.commands(), model.commands(), "{case}: commands in cycle {cycle}");
        assert_eq!(bus.digests(), model.digests(), "{case}: digests in cycle {cycle}");
    }
    assert_eq!(bus.digest(), model.digest());
}

#[test]
fn driving_a_square() {
    assert_transparent("centaur_drives_flat", Time::from_seconds(20.0));
}

#[test]
fn over_rough_ground() {
    assert_transparent("centaur_crosses_spacebot", Time::from_seconds(8.0));
}

/// Skin is on the bus: what is touched in 5.3 s is felt on boards of its own.
#[test]
fn a_hand_that_is_touched() {
    assert_transparent_sensing("centaur_withdraws_hand", &["skin"], Time::from_seconds(5.8));
    assert_transparent_sensing("humanoid_withdraws_hand", &["skin"], Time::from_seconds(5.8));
}

/// A laser has a cable of its own: what it sees comes in the cycle in which it comes without a bus.
#[test]
fn a_laser_beside_the_bus_sees_the_same_over_the_bus_and_its_model() {
    let plants = [PlantKind::VirtualBus, PlantKind::ModelledBus, PlantKind::Sim];
    let [mut bus, mut model, mut direct] = plants.map(|plant| sensing("centaur_drives_flat", plant, &["laser"]));
    let mut scans = 0;
    while bus.readings().time < Time::from_seconds(1.0) {
        [&mut bus, &mut model, &mut direct].into_iter().for_each(|session| session.cycle().unwrap());
        assert_eq!(bus.readings(), model.readings(), "readings in cycle {}", bus.readings().cycle);
        assert_eq!(bus.digests(), model.digests(), "digests in cycle {}", bus.readings().cycle);
        let [seen, at_once] =
            [&bus, &direct].map(|session| session.readings().scans[0].as_ref().map(|scan| scan.stamp));
        assert_eq!(seen, at_once, "cycle {}", bus.readings().cycle);
        scans += usize::from(seen.is_some());
    }
    assert_eq!(scans, 40);
}

#[test]
fn a_bus_is_not_nothing() {
    let (mut bus, mut direct) =
        (session("centaur_drives_flat", PlantKind::VirtualBus), session("centaur_drives_flat", PlantKind::Sim));
    for _ in 0..50 {
        bus.cycle().unwrap();
        direct.cycle().unwrap();
    }
    assert_ne!(bus.digests().plant, direct.digests().plant, "a cycle of delay and quantisation leave their mark");
}
