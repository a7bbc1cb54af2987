//! The shadow: the same where nothing differs, and loud where something does.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use robot_io::{Subject, Time};
use scenarios::case::TwinPlan;
use scenarios::twin::JointResiduals;
use scenarios::{Case, Stage};
use support::runs::{library, run};

fn stage(twin: Option<TwinPlan>, faults: &str) -> Stage {
    let library = library();
    let text = std::fs::read_to_string(library.case("centaur_drives_flat").unwrap()).unwrap();
    let mut case = Case::parse(&format!("{text}\n{faults}"), "case.toml").unwrap();
    case.duration = Time::from_seconds(5.0);
    case.twin = twin;
    Stage::load(&library, case).unwrap()
}

#[test]
fn a_shadow_of_a_sound_simulation_is_the_same_to_the_bit_and_changes_no_digest() {
    let with = run(&stage(Some(TwinPlan::default()), ""), None);
    let without = run(&stage(None, ""), None);
    assert_eq!(with.outcome.digest, without.outcome.digest);
    let summary = with.outcome.twin.unwrap();
    assert!(summary.len() > 50);
    for (joint, residuals) in summary {
        assert_eq!(residuals, JointResiduals::default(), "{joint}");
    }
    assert_eq!(without.outcome.twin, None);
}

#[test]
fn a_motor_that_gives_no_torque_shows_in_its_residuals_log_and_events() {
    let plan = TwinPlan { effort: Some(0.5), ..TwinPlan::default() };
    let fault = "[[fault]]\nat = 2.0\nkind = \"motor_off\"\njoint = \"rear_right_wheel_left\"";
    let stage = stage(Some(plan), fault);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let finished = run(&stage, Some(&path));
    let wheel = stage.layout().joint("rear_right_wheel_left").unwrap();
    let alarms: Vec<_> = finished.series.events.iter().filter(|event| event.source == "twin").collect();
    let first = alarms.iter().find(|event| event.subject == Subject::Joint(wheel));
    let first = first.unwrap_or_else(|| panic!("no alarm about the wheel in {alarms:?}"));
    assert!(first.time >= Time::from_seconds(2.0) && first.value.abs() > 0.5, "{first:?}");
    assert!(finished.series.joints[wheel].residual[2].iter().any(|value| value.abs() > 0.5));
    let log = replay::LogReader::open(&path).unwrap();
    assert!(log.topics().contains(&"/twin/residual"), "{:?}", log.topics());
    assert_eq!(log.cut(), None);
}
