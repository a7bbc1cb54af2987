//! Every scenario that ships passes, with its own seed.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use scenarios::progress::Progress;
use scenarios::runner::Runner;
use scenarios::{Case, Library, Staffing, Stage};
use support::root;

fn assert_passes(name: &str) {
    let library = Library::at(root());
    let stage = Stage::load(&library, Case::load(&library, name).unwrap()).unwrap();
    let finished = Runner::new(&stage, Staffing::default(), None).unwrap().run(&mut Progress::silent()).unwrap();
    let failed: Vec<_> = finished.outcome.checks.iter().filter(|check| !check.passed).collect();
    assert!(!finished.outcome.checks.is_empty(), "{name} checks nothing");
    assert!(failed.is_empty(), "{name}, mission {}: {failed:#?}", finished.outcome.mission);
}

macro_rules! shipped {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                assert_passes(stringify!($name));
            }
        )*

        #[test]
        fn every_scenario_that_ships_is_run_here() {
            let mut named = vec![$(stringify!($name).to_owned()),*];
            named.sort();
            assert_eq!(Library::at(root()).case_names().unwrap(), named);
        }
    };
}

shipped! {
    bench_two_drives,
    centaur_climbs_ramp,
    centaur_crosses_spacebot,
    centaur_drives_flat,
    centaur_motor_fault,
    centaur_pushed,
    centaur_stands,
}
