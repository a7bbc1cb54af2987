//! What a laboratory needs before it dares, as its people meet it: brakes, homing, calibration, ESI files, and a stop that is
//! acknowledged without a viewer.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use scenarios::progress::Progress;
use scenarios::runner::Runner;
use scenarios::{Case, Staffing, Stage};
use support::runs::library;
use support::shell::{ROOT, Running, chiron, ends, said};

/// Two motors with whatever differs from the bench that ships, in a folder of their own.
struct Lab {
    folder: tempfile::TempDir,
    case: String,
}

impl Lab {
    /// `bus` and `urdf` are pairs of what is replaced in the bench's files, and by what.
    fn new(bus: &[(&str, &str)], urdf: &[(&str, &str)]) -> Lab {
        let folder = tempfile::tempdir().unwrap();
        for (file, changes) in [("bus.toml", bus), ("bench.urdf", urdf), ("bench.toml", &[])] {
            let mut text = std::fs::read_to_string(Path::new(ROOT).join("robot_models/bench").join(file)).unwrap();
            for (from, to) in changes {
                assert!(text.contains(from), "{file} has no '{from}'");
                text = text.replace(from, to);
            }
            std::fs::write(folder.path().join(file), text).unwrap();
        }
        let case = format!(
            "title = \"lab\"\nworld = \"flat\"\nrobot = \"{}\"\nplant = \"virtual-bus\"\nseed = 3\nduration = 12.0\n\
             spawn = {{ place = \"start\" }}\n[mission]\nname = \"turn\"\n",
            folder.path().join("bench.toml").display()
        );
        Lab { folder, case }
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    /// The scenario's file, with a mission and faults.
    fn case(&self, rest: &str) -> PathBuf {
        std::fs::write(self.path("lab.toml"), format!("{}{rest}", self.case)).unwrap();
        self.path("lab.toml")
    }

    fn stage(&self, rest: &str) -> Stage {
        let case = Case::parse(&format!("{}{rest}", self.case), "lab.toml").unwrap();
        Stage::load(&library(), case).unwrap()
    }
}

/// Does what one types, which must end with this code; returns all that is said.
fn ended(arguments: &[&str], code: i32) -> String {
    ends(&mut chiron(arguments), code)
}

/// Weights of 0.4 kg, 5 cm beside the shafts: 0.2 N·m that pull at each joint.
const WEIGHTS: (&str, &str) =
    ("<inertial><mass value=\"0.4\"/>", "<inertial><origin xyz=\"0.05 0 0\"/><mass value=\"0.4\"/>");
const STIFF: [(&str, &str); 3] = [
    ("stiffness = 0.2", "stiffness = 5.0"),
    ("damping = 0.02", "damping = 0.15"),
    ("following_window = 0.3", "following_window = 3.0"),
];
const STAY: &str = "[[mission.steps]]\nwait = { seconds = 30.0 }\n";

/// How far the left joint, whose drive is sound, is from where it was told to stay (at zero), a second after the right drive's
/// fault has switched all off.
fn drop_of_the_left_joint(brake: &str) -> f64 {
    let serial = format!("serial = 1{brake}");
    let bus = [&STIFF[..], &[("stop = \"damp\"", "stop = \"off\""), ("serial = 1", serial.as_str())]].concat();
    let lab = Lab::new(&bus, &[WEIGHTS]);
    let fault = "[[bus_fault]]\nat = 1.0\nkind = \"drive_fault\"\nboard = \"right_motor\"\ncode = 0x2310\n";
    let stage = lab.stage(&format!("{STAY}{fault}"));
    let mut runner = Runner::new(&stage, Staffing::default(), None).unwrap();
    let mut position_at = |seconds: f64| {
        while runner.session().readings().time.seconds() < seconds {
            runner.cycle().unwrap();
        }
        runner.session().observation().truth.joint_positions[0]
    };
    position_at(2.1).abs()
}

#[test]
fn a_joint_with_a_brake_does_not_drop_under_gravity_when_it_is_switched_off() {
    let without = drop_of_the_left_joint("");
    assert!(without > 0.5, "without a brake it drops: {without} rad");
    for by in ["drive", "bridge"] {
        let with = drop_of_the_left_joint(&format!("\nbrake = {{ torque = 0.4, engage = 0.06, by = \"{by}\" }}"));
        assert!(with < 0.02, "worked by the {by}: it drops by {with} rad");
    }
}

#[test]
fn drives_that_forget_where_they_are_home_and_then_stand_where_they_say() {
    let homing = "homing = { method = 17, search_speed = 0.5, zero_speed = 0.1 }";
    let left = format!("serial = 1\noffset = -0.6\n{homing}");
    let right = format!("serial = 2\noffset = 0.6\n{homing}");
    let lab = Lab::new(&[("serial = 1", left.as_str()), ("serial = 2", right.as_str())], &[]);
    for plant in ["virtual-bus", "modelled-bus"] {
        let mission = "[[mission.steps]]\npose = { name = \"left_turned\", tolerance = 0.05 }\n";
        let mut stage = lab.stage(mission);
        stage.case.plant = plant.parse().unwrap();
        let mut runner = Runner::new(&stage, Staffing::default(), None).unwrap();
        runner.cycle().unwrap();
        let homed = runner.session().events().iter().filter(|event| event.what == "homed").count();
        assert_eq!(homed, 2, "{plant}: {:?}", runner.session().events());
        while !runner.is_over() {
            runner.cycle().unwrap();
        }
        let seen = runner.session().observation();
        for (joint, goal) in [(0, 0.5), (1, 0.0)] {
            let (said, is) = (seen.readings.joints[joint].position, seen.truth.joint_positions[joint]);
            assert!((said - is).abs() < 3e-3, "{plant}: joint {joint} says {said} and is at {is}");
            assert!((is - goal).abs() < 0.06, "{plant}: joint {joint} is at {is}");
        }
        let finished = runner.finish().unwrap();
        assert!(finished.outcome.mission.contains("done"), "{plant}: {}", finished.outcome.mission);
    }
}

#[test]
fn a_drive_that_does_not_find_its_zero_refuses_the_start_by_name() {
    let lab = Lab::new(&[("serial = 1", "serial = 1\nhoming = { method = 3 }")], &[]);
    let stage = lab.stage(STAY);
    let refused = Runner::new(&stage, Staffing::default(), None).map(drop).unwrap_err().to_string();
    assert!(refused.contains("board 'left_motor' is not homed"), "{refused}");
}

#[test]
fn a_calibration_is_measured_named_and_refused_for_another_drive() {
    let lab = Lab::new(&[], &[]);
    let case = lab.case(STAY);
    let case = case.to_str().unwrap();
    let measure = ["bus", "calibrate", case, "--pose", "left_turned"];
    let text = ended(&measure, 0);
    assert!(text.contains("left_motor") && text.contains("calibration = \"calibration.toml\""), "{text}");
    let file = lab.path("calibration.toml");
    let table: toml::Table = std::fs::read_to_string(&file).unwrap().parse().unwrap();
    let left = &table["board"][0];
    assert_eq!((left["serial"].as_integer(), left["position"].as_float()), (Some(1), Some(0.5)));
    assert!(
        (left["offset"].as_float().unwrap() - 0.5).abs() < 1e-3,
        "the motor stands at zero and is said to be at 0.5: {left}"
    );

    let text = ended(&measure, 2);
    assert!(text.contains("--force") && text.contains("calibration.toml:8"), "{text}");
    ended(&["bus", "calibrate", case, "--board", "right_motor", "--at", "-0.25", "--force"], 0);
    let table: toml::Table = std::fs::read_to_string(&file).unwrap().parse().unwrap();
    assert_eq!(table["board"][0]["position"].as_float(), Some(0.5), "the other stays: {table}");
    assert_eq!(table["board"][1]["position"].as_float(), Some(-0.25));

    // named in the bus file it counts, and a log carries it
    let bus = std::fs::read_to_string(lab.path("bus.toml")).unwrap();
    std::fs::write(lab.path("bus.toml"), format!("calibration = \"calibration.toml\"\n{bus}")).unwrap();
    let out = lab.path("out");
    let run = ["run", case, "--duration", "0.5", "--no-pictures", "--out", out.to_str().unwrap()];
    ended(&run, 0);
    let log = out.join("run.mcap");
    ended(&["replay", log.to_str().unwrap(), "--verify"], 0);

    // the drive was exchanged, and the bus file says so
    let bus = std::fs::read_to_string(lab.path("bus.toml")).unwrap().replace("serial = 1", "serial = 11");
    std::fs::write(lab.path("bus.toml"), bus).unwrap();
    let text = ended(&run, 2);
    assert!(text.contains("calibration.toml:8") && text.contains("serial 11"), "{text}");
}

#[test]
fn a_calibration_that_makes_no_sense_is_refused() {
    let lab = Lab::new(&[], &[WEIGHTS]);
    let case = lab.case(STAY);
    let case = case.to_str().unwrap();
    for (arguments, expected) in [
        (["--pose", "nowhere"].as_slice(), "expected a pose of bench"),
        (&["--board", "elbow"], "expected a board with a joint (left_motor, right_motor)"),
        (&["--at", "0.1"], "--board"),
        (&["--board", "left_motor", "--board", "right_motor", "--at", "0.1"], "expected one --board"),
        (&["--plant", "sim"], "expected a plant with a bus"),
        (&[], "moved by"),
    ] {
        let text = ended(&[&["bus", "calibrate", case], arguments].concat(), 2);
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
    assert!(!lab.path("calibration.toml").exists(), "joints that fall are not measured");
}

#[test]
fn an_esi_file_is_listed_chosen_from_and_printed() {
    let file = format!("{ROOT}/hil/tests/esi/drives.xml");
    let text = ended(&["bus", "import", &file, "--list"], 0);
    assert_eq!(text.lines().count(), 3, "{text}");
    let text = ended(&["bus", "import", &file], 2);
    assert!(text.contains("--device") && text.contains("CB-100"), "{text}");
    let text = ended(&["bus", "import", &file, "--device", "cb-402", "--name", "hip"], 0);
    assert!(text.contains("name = \"hip\"") && text.contains("revision = 0x20000"), "the newest revision: {text}");
    let text = ended(&["bus", "import", &file, "--device", "0x402", "--revision", "0x10000"], 0);
    assert!(text.contains("revision = 0x10000"), "{text}");
    let text = ended(&["bus", "import", "no_such.xml"], 2);
    assert!(text.contains("no_such.xml"), "{text}");
}

#[test]
fn a_stop_is_acknowledged_from_another_terminal() {
    let lab = Lab::new(&[], &[]);
    let fault = "[[bus_fault]]\nat = 0.5\nuntil = 1.0\nkind = \"drive_fault\"\nboard = \"left_motor\"\ncode = 0x2310\n";
    let case = lab.case(&format!("{STAY}{fault}"));
    let out = lab.path("out");
    let say = |word: &str| {
        let output = chiron(&["bus", word, "lab"]).env("XDG_RUNTIME_DIR", lab.folder.path()).output().unwrap();
        (output.status.code(), said(&output))
    };
    let (code, text) = say("acknowledge");
    assert!(code == Some(2) && text.contains("none that listens"), "{text}");
    let run = ["run", case.to_str().unwrap(), "--realtime", "1", "--duration", "600", "--no-pictures", "--out"];
    let mut command = chiron(&run);
    command.arg(&out).env("XDG_RUNTIME_DIR", lab.folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut live = Running(command.spawn().unwrap());
    let end = Instant::now() + Duration::from_secs(120);
    // before its cause is gone, or before the stop, there is nothing to acknowledge or it is refused
    let text = loop {
        let (code, text) = say("acknowledge");
        if code == Some(0) {
            break text;
        }
        assert!(Instant::now() < end, "{text}");
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!(text.contains("emergency stop cleared"), "{text}");
    let (code, text) = say("acknowledge");
    assert!(code == Some(1) && text.contains("nothing to acknowledge"), "{text}");
    for word in ["stop", "pause", "resume"] {
        assert_eq!(say(word).0, Some(0), "{word}");
    }
    live.signal("INT");
    assert_eq!(live.0.wait().unwrap().code(), Some(130));
    let log = out.join("run.mcap");
    // what was said is in the log, and the run is computed again with it
    ended(&["replay", log.to_str().unwrap(), "--verify"], 0);
}

#[test]
fn each_board_s_clock_is_in_the_metrics_and_in_the_report() {
    let lab = Lab::new(&[("watchdog_ms = 20", "watchdog_ms = 20\nsync0_shift_us = 500")], &[]);
    let stage = lab.stage(STAY);
    let mut runner = Runner::new(&stage, Staffing::default(), None).unwrap();
    (0..200).for_each(|_| runner.cycle().unwrap());
    let finished = runner.run(&mut Progress::silent()).unwrap();
    let clocks = &finished.outcome.bus.as_ref().unwrap().clocks;
    assert_eq!(clocks.len(), 1, "the first board's clock is the reference: {clocks:?}");
    let clock = &clocks[0];
    assert_eq!(clock.board, "right_motor");
    assert!(clock.samples > 1000 && clock.min_ns <= clock.median_ns && clock.median_ns <= clock.max_ns, "{clock:?}");
}
