//! Item 14 of "it holds where nobody looked": what a log holds at full rate reaches other programs, to the bit.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use replay::{LogOptions, LogReader};
use robot_io::{Period, Time, Twist};
use scenarios::case::OperatorPlan;
use scenarios::export::{Format, Selection, Written, export};
use scenarios::progress::Progress;
use scenarios::recording::{Recording, verify};
use scenarios::run_log::RunLog;
use scenarios::runner::Runner;
use scenarios::{Case, Library, Staffing, Stage};

const CYCLES: u64 = 50;

/// A fifth of a second in which the operator holds the stick for 40 ms.
fn log(folder: &Path) -> LogReader {
    let (from, to) = (Time::from_seconds(0.04), Time::from_seconds(0.08));
    let held = OperatorPlan::Hold(from, to, Twist { x: 0.25, ..Twist::default() });
    log_with(folder, vec![held], LogOptions::default())
}

fn log_with(folder: &Path, operator: Vec<OperatorPlan>, options: LogOptions) -> LogReader {
    let library = Library::at(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    let mut case = Case::load(&library, "centaur_drives_flat").unwrap();
    case.duration = Time::from_seconds(0.2);
    (case.operator, case.log) = (operator, options);
    let stage = Stage::load(&library, case).unwrap();
    let path = folder.join("run.mcap");
    let log = RunLog::create(&path, &stage, false).unwrap();
    let mut runner = Runner::new(&stage, Staffing::default(), Some(log)).unwrap();
    while !runner.is_over() {
        runner.cycle().unwrap();
    }
    runner.finish().unwrap();
    LogReader::open(&path).unwrap()
}

fn all() -> Selection {
    Selection { from: Time::ZERO, to: Time::from_seconds(1e6), every: 1, columns: Vec::new() }
}

fn tables(log: &LogReader, selection: &Selection, format: Format, folder: &Path) -> Vec<Written> {
    export(log, selection, format, folder, &mut Progress::silent()).unwrap()
}

fn number(row: &Row, name: &str) -> Option<f64> {
    row.get_column_iter().find(|(column, _)| *column == name).map(|(_, field)| match field {
        Field::Double(value) => *value,
        Field::ULong(value) => *value as f64,
        other => panic!("{name}: {other:?}"),
    })
}

#[test]
fn every_reading_of_every_cycle_is_in_the_tables_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path());
    let written = tables(&log, &all(), Format::Parquet, folder.path());
    let names: Vec<&str> = written.iter().map(|table| table.path.file_name().unwrap().to_str().unwrap()).collect();
    for expected in ["cycles.parquet", "odometry.parquet", "truth.parquet", "telemetry.parquet", "events.parquet"] {
        assert!(names.contains(&expected), "{expected} is not among {names:?}");
    }
    let reader = SerializedFileReader::try_from(folder.path().join("cycles.parquet").as_path()).unwrap();
    let rows: Vec<Row> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert_eq!(rows.len() as u64, CYCLES);
    let layout = log.layout();
    for (cycle, row) in log.cycles().zip(&rows) {
        let cycle = cycle.unwrap();
        assert_eq!(number(row, "time [s]"), Some(cycle.readings.time.seconds()));
        assert_eq!(number(row, "readings/cycle"), Some(cycle.readings.cycle as f64));
        let joints = layout.joints.iter().zip(cycle.readings.joints.iter().zip(&cycle.commands.joints));
        for (joint, (state, command)) in joints {
            let name = |part: &str| format!("{part} [rad]").replace("JOINT", &joint.name);
            assert_eq!(number(row, &name("readings/joints/JOINT/position")), Some(state.position));
            assert_eq!(number(row, &name("commands/joints/JOINT/position")), Some(command.position));
        }
    }
}

#[cfg(unix)]
#[test]
fn a_table_is_as_readable_as_any_other_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path());
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
    for format in [Format::Csv, Format::Parquet] {
        for written in tables(&log, &all(), format, folder.path()) {
            assert_eq!(mode(&written.path), mode(&folder.path().join("run.mcap")), "{}", written.path.display());
        }
    }
    assert!(replay::Partial::left_behind(folder.path(), "events.csv").is_empty());
}

#[test]
fn an_operator_who_comes_and_goes_moves_no_column() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path());
    tables(&log, &all(), Format::Csv, folder.path());
    let text = std::fs::read_to_string(folder.path().join("cycles.csv")).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let place =
        |name: &str| head.iter().position(|column| *column == name).unwrap_or_else(|| panic!("{name}: {head:#?}"));
    let (stick, stop) = (place("readings/operator/twist/x [m/s]"), place("commands/emergency_stop"));
    let rows: Vec<Vec<&str>> = lines.collect();
    let held: Vec<&str> = rows.iter().map(|row| row[stick]).filter(|cell| !cell.is_empty()).collect();
    assert_eq!((rows.len() as u64, held), (CYCLES, vec!["0.25"; 10]));
    assert!(rows.iter().all(|row| row[stop] == "0"));
}

#[test]
fn a_part_of_the_columns_and_of_the_time_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path());
    let (from, to) = (Time::from_seconds(0.04), Time::from_seconds(0.12));
    let selection = Selection { from, to, every: 5, columns: vec!["front_left_knee".to_owned()] };
    let written = tables(&log, &selection, Format::Csv, folder.path());
    let cycles = written.iter().find(|table| table.path.ends_with("cycles.csv")).unwrap();
    assert_eq!(cycles.rows, 5);
    let head = std::fs::read_to_string(&cycles.path).unwrap().lines().next().unwrap().to_owned();
    assert!(head.split(',').skip(1).all(|column| column.contains("front_left_knee")), "{head}");
    let none = Selection { columns: vec!["no_such".to_owned()], ..all() };
    let message = export(&log, &none, Format::Csv, folder.path(), &mut Progress::silent()).unwrap_err().to_string();
    assert!(message.contains("--columns: expected") && message.contains("'no_such'"), "{message}");
}

#[test]
fn topics_can_be_left_out_and_shown_in_every_cycle_and_the_log_still_replays() {
    let folder = tempfile::tempdir().unwrap();
    let every_cycle = Period::from_milliseconds(4);
    let leave_out = vec!["/tf".to_owned(), "/scene".to_owned()];
    let options = LogOptions { show_interval: every_cycle, leave_out, ..LogOptions::default() };
    let log = log_with(folder.path(), Vec::new(), options);
    let count = |topic: &str| log.messages(topic).unwrap().len() as u64;
    assert_eq!([count("/joint_states"), count("/imu"), count("/odometry")], [CYCLES; 3]);
    assert_eq!([count("/tf"), count("/scene")], [0, 0]);
    let recording = Recording::open(log.path()).unwrap();
    let verified = verify(&recording, 1, &mut Progress::silent()).unwrap();
    assert_eq!((verified.cycles, verified.divergence), (CYCLES, None));

    for needed in ["/io", "/no_such", "/joint"] {
        let options = LogOptions { leave_out: vec![needed.to_owned()], ..LogOptions::default() };
        let message = options.check().unwrap_err().to_string();
        assert!(
            message.contains("expected one of /components, /behaviour, /tf") && message.contains(needed),
            "{message}"
        );
    }
}
