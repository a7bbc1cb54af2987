//! A controller in another process, as a person with Python would run it: alone, over the bus, replayed, forked, and in trouble.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use desk::Desk;
use scenarios::Registry;
use scenarios::outcome::Outcome;

#[path = "support/desk.rs"]
mod desk;

const CASE: &str = "wave/wave.toml";

/// False, loudly, where nothing can be tested for want of Python.
fn has_python() -> bool {
    let found =
        std::process::Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("SKIPPED: there is no python3 on this machine, so controllers in Python are not tested");
    }
    found
}

/// What `chiron new program wave` leaves.
fn desk() -> Desk {
    Desk::beginning("program", "wave", Registry::standard())
}

/// The same with one text of a file replaced by another.
fn changed(file: &str, from: &str, to: &str) -> Desk {
    let desk = desk();
    desk.change(&format!("wave/{file}"), from, to);
    desk
}

#[test]
fn it_waves_in_simulation_and_over_the_bus_and_a_log_replays_without_it() {
    if !has_python() {
        return;
    }
    let desk = desk();
    assert_eq!(desk.passes(CASE, &[], "sim"), desk.passes(CASE, &[], "again"));
    assert_eq!(
        desk.passes(CASE, &["--plant", "modelled-bus"], "model"),
        desk.passes(CASE, &["--plant", "virtual-bus"], "bus")
    );
    for out in ["sim", "bus"] {
        let log = desk.at(out).join("run.mcap");
        for how in [["--verify", "--run-program"], ["--controllers-only", "--run-program"]] {
            assert_eq!(
                desk.chiron(&[&["replay", log.to_str().unwrap(), "--quiet"], &how[..]].concat()).unwrap(),
                Outcome::Passed
            );
        }
    }
    std::fs::remove_file(desk.at("wave/wave.py")).unwrap();
    for out in ["sim", "bus"] {
        let log = desk.at(out).join("run.mcap");
        let log = log.to_str().unwrap();
        assert_eq!(desk.chiron(&["replay", log, "--verify", "--quiet"]).unwrap(), Outcome::Passed, "{out}");
        let refused = desk.chiron(&["replay", log, "--controllers-only"]).unwrap_err().to_string();
        assert!(refused.contains("`python3 wave.py`; --run-program starts it"), "{refused}");
    }
}

#[test]
fn it_takes_pictures_and_sees_what_the_cameras_saw() {
    if !has_python() {
        return;
    }
    let sees = r#"position, events = list(self.state["found"]), []
        for image in filter(None, readings["images"] + readings["depth_images"]):
            pixels = base64.b64decode(image.get("rgb") or image.get("depths"))
            events.append({"what": f"saw {image['width']} x {image['height']}, {sum(pixels)}"})"#;
    let desk = changed("wave.py", "position, events = list(self.state[\"found\"]), []", sees);
    desk.change("wave/wave.py", "import json", "import base64\nimport json");
    desk.change(
        "wave/wave.py",
        "return {",
        "return {\n            \"take\": self.cameras if readings[\"cycle\"] == 40 else [],",
    );
    desk.change(
        "wave/wave.py",
        "        self.settings = robot",
        "        self.cameras = [c[\"name\"] for c in robot[\"cameras\"] + robot[\"depth_cameras\"]]\n        self.settings = robot",
    );
    let seeing = ["--sensors", "rgbd_depth,rgbd_colour", "--duration", "1"];
    desk.run(CASE, &seeing, "out").unwrap();
    let log = replay::LogReader::open(&desk.at("out/run.mcap")).unwrap();
    let sum = |bytes: &mut dyn Iterator<Item = u8>| bytes.map(u64::from).sum::<u64>();
    let (mut taken, mut cycles) = (Vec::new(), log.cycles());
    while let Some(cycle) = cycles.next_cycle().unwrap() {
        let readings = &cycle.readings;
        let colours = readings.images.iter().flatten();
        taken.extend(colours.map(|image| (image.width, image.height, sum(&mut image.rgb.iter().copied()))));
        let depths = readings.depth_images.iter().flatten();
        let bytes = |depths: &[u16]| sum(&mut depths.iter().flat_map(|depth| depth.to_le_bytes()));
        taken.extend(depths.map(|image| (image.width, image.height, bytes(&image.depths))));
    }
    let told: Vec<String> = log.events().unwrap().into_iter().map(|event| event.message).collect();
    let expected: Vec<String> = taken.iter().map(|(w, h, sum)| format!("program saw {w} x {h}, {sum}")).collect();
    assert_eq!((expected.len(), &told), (2, &expected));
    let verified = desk.chiron(&["replay", desk.at("out/run.mcap").to_str().unwrap(), "--verify", "--quiet"]).unwrap();
    assert_eq!(verified, Outcome::Passed, "what a program asked of cameras is in the log");
    desk.change("wave/wave.py", "self.cameras if", "[\"back\"] if");
    let (_, metrics) = desk.run(CASE, &seeing, "unknown").unwrap();
    let told = metrics["mission"].as_str().unwrap();
    assert!(told.contains("take: expected rgbd_colour, rgbd_depth; found 'back'"), "{told}");
}

#[test]
fn a_fork_goes_on_from_what_the_program_said_that_it_remembers() {
    if !has_python() {
        return;
    }
    let desk = desk();
    desk.passes(CASE, &[], "sim");
    let (log, fork) = (desk.at("sim/run.mcap"), desk.at("fork"));
    let (log, fork) = (log.to_str().unwrap(), fork.to_str().unwrap());
    let forked = ["replay", log, "--fork-at", "3.3", "--out", fork, "--quiet"];
    let refused = desk.chiron(&forked).unwrap_err().to_string();
    assert!(refused.contains("--run-program"), "{refused}");
    assert_eq!(desk.chiron(&[&forked[..], &["--run-program"]].concat()).unwrap(), Outcome::Passed);
    let same = desk.chiron(&["diff", log, &format!("{fork}/run.mcap")]).unwrap();
    assert_eq!(same, Outcome::Passed, "a fork that changes nothing is the same to the bit");
}

#[test]
fn a_program_that_breaks_stops_the_robot_and_is_told_in_words() {
    if !has_python() {
        return;
    }
    let broken = [
        ("return {", "raise ValueError('elbow')\n        return {", "its program has ended"),
        ("\"stiffness\": self.stiffness,", "\"stiffness\": [1.0],", "joints.stiffness: expected 56 numbers, found 1"),
        ("say({\"cycle\": readings[\"cycle\"],", "say({\"cycle\": 7,", "cycle: expected 0, found 7"),
        ("print(json.dumps(message), flush=True)", "print(str(message), flush=True)", "expected {\"chiron\": 1}"),
        ("\"chiron\": 1", "\"chiron\": 2", "found version 2"),
        (".index(self.settings[\"joint\"])", ".index(\"no such joint\")", "its program has ended"),
    ];
    for (number, (from, to, expected)) in broken.into_iter().enumerate() {
        let desk = changed("wave.py", from, to);
        match desk.run(CASE, &["--duration", "3"], "out") {
            Ok((outcome, metrics)) => {
                assert!(outcome == Outcome::Failed && number < 3, "{to}");
                let told = metrics["mission"].as_str().unwrap();
                assert!(told.contains("the controller panicked") && told.contains(expected), "{told}");
            }
            Err(refused) => assert!(number >= 3 && refused.to_string().contains(expected), "{to}: {refused}"),
        }
    }
}

#[test]
fn a_program_that_hangs_trips_the_watchdog_as_a_slow_controller_does() {
    if !has_python() {
        return;
    }
    let hangs = "if readings[\"cycle\"] == 250:\n            import time; time.sleep(3600)\n        position, events";
    let desk = changed("wave.py", "position, events", hangs);
    desk.change(CASE, "answer_within = 2.0", "answer_within = 0.5");
    let (outcome, metrics) = desk.run(CASE, &["--duration", "3"], "out").unwrap();
    assert_eq!(outcome, Outcome::Failed);
    let stopped = metrics["stopped_by"].as_array().unwrap();
    assert!(stopped.iter().any(|why| why.as_str().unwrap().contains("controller")), "{stopped:?}");
    let log = desk.at("out/run.mcap");
    assert_eq!(desk.chiron(&["replay", log.to_str().unwrap(), "--verify", "--quiet"]).unwrap(), Outcome::Passed);
}

#[test]
fn what_the_scenario_says_of_it_is_checked() {
    let wrong = [
        (
            "program = [\"python3\", \"wave.py\"]",
            "program = []",
            "program: expected a program and its arguments, found none",
        ),
        ("program = [\"python3\", \"wave.py\"]", "name = \"mission\"", "answer_within: expected `program`"),
        (
            "answer_within = 2.0",
            "answer_within = 0.0",
            "answer_within: expected a number from 0.0001 to 60 [s], found float `0.0`",
        ),
        ("python3", "no_such_python", "cannot start 'no_such_python'"),
    ];
    for (from, to, expected) in wrong {
        let refused = changed("wave.toml", from, to).refused(CASE, &[]);
        assert!(refused.contains("wave.toml:1") && refused.contains(expected), "{to}: {refused}");
    }
}

#[test]
fn a_program_may_answer_in_a_scenario_that_ships() {
    if !has_python() {
        return;
    }
    let holds = "import json, sys\nrobot = json.loads(sys.stdin.readline())\nprint('{\"chiron\": 1}', flush=True)\n\
        k = {name: [joint[name] for joint in robot['joints']] for name in ('stiffness', 'damping')}\nq = None\n\
        for line in sys.stdin:\n    now = json.loads(line)\n    q = q or now['joints']['position']\n\
        \x20   print(json.dumps({'cycle': now['cycle'], 'joints': {'position': q, **k}}), flush=True)\n";
    let desk = Desk::with("hold.py", holds, Registry::standard());
    let page = desk.at("hold.py");
    let program = ["--duration", "4", "--program", "python3", page.to_str().unwrap()];
    desk.passes("centaur_stands", &program, "out");
    let log = desk.at("out/run.mcap");
    assert_eq!(desk.chiron(&["replay", log.to_str().unwrap(), "--verify", "--quiet"]).unwrap(), Outcome::Passed);
}
