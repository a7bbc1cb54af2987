//! Item 14 of "it holds where nobody looked": what a run keeps in memory does not grow with its length.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use robot_io::Time;
use scenarios::case::PlantKind;
use scenarios::runner::Runner;
use scenarios::{Case, Library, Staffing, Stage};

#[test]
fn a_long_run_keeps_no_more_moments_and_samples_than_a_report_needs() {
    let library = Library::at(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    let mut case = Case::load(&library, "bench_two_drives").unwrap();
    (case.plant, case.linger, case.duration) = (PlantKind::Sim, None, Time::from_seconds(150.0));
    let stage = Stage::load(&library, case).unwrap();
    let mut runner = Runner::new(&stage, Staffing::default(), None).unwrap();
    while !runner.is_over() {
        runner.cycle().unwrap();
    }
    let finished = runner.finish().unwrap();
    let times: Vec<f64> = finished.moments.iter().map(|moment| moment.readings.time.seconds()).collect();
    assert!(times.len() <= 257 && times.is_sorted(), "{} moments", times.len());
    assert!(times[0] == 0.0 && *times.last().unwrap() > 149.9, "from the first cycle to the last");
    assert!(finished.series.times.len() <= 2_000, "{} samples", finished.series.times.len());
}
