//! Files and command lines with something wrong in them, thousands of them: each is refused with exit code 2, file and line,
//! or has a result; nothing panics, nothing hangs, nothing takes much memory.
//!
//! `CHIRON_MUTATIONS=10000 cargo test --release -p scenarios --no-default-features --test mutations -- --nocapture` tries more of them;
//! `CHIRON_MUTATION=1234` tries one and keeps its files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![allow(unsafe_code, reason = "the operating system tells how much memory a child took")]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::mutator::{Mutator, mutated_bytes, mutated_text, mutated_words};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// So many are tried with all other tests.
const USUAL: u64 = 240;
/// A child that takes longer than this hangs; the longest sound one takes less than a second.
const PATIENCE: Duration = Duration::from_secs(60);
/// The most memory [KiB].
const MOST_MEMORY: i64 = 200 * 1024;

/// What is broken, and the command that reads it.
#[derive(Clone, Copy, Debug)]
struct Subject {
    kind: &'static str,
    /// The original, in the repository, or `LOG`.
    original: &'static str,
    /// The command, in which `FILE` is the broken file.
    command: &'static str,
}

const fn subject(kind: &'static str, original: &'static str, command: &'static str) -> Subject {
    Subject { kind, original, command }
}

const RUN: &str = "run FILE --duration 0.02 --no-pictures --quiet --out results";
const RUN_CASE_WITH_IT: &str = "run case.toml --duration 0.02 --no-pictures --quiet --out results";
const BUS_CASE_WITH_IT: &str = "run case.toml --plant virtual-bus --duration 0.02 --no-pictures --quiet --out results";

const SUBJECTS: [Subject; 24] = [
    subject("urdf", "robot_models/bench/bench.urdf", "robot FILE"),
    subject("urdf", "robot_models/bench/bench.urdf", "robot FILE --hold-test --duration 0.1"),
    subject("urdf", "robot_models/bench/bench.urdf", "robot FILE --drop-test --duration 0.1"),
    subject("urdf", "robot_models/model/tests/support/leg.urdf", "robot FILE --report"),
    subject("robot", "robot_models/bench/bench.toml", "robot FILE --hold-test --duration 0.1"),
    subject("robot", "robot_models/bench/bench.toml", RUN_CASE_WITH_IT),
    subject("robot", "robot_models/centaur/centaur.toml", "robot FILE"),
    subject("world", "worlds/flat.toml", RUN_CASE_WITH_IT),
    subject("world", "worlds/slope.toml", RUN_CASE_WITH_IT),
    subject("world", "worlds/two_ways.toml", RUN_CASE_WITH_IT),
    subject("case", "scenarios/cases/bench_two_drives.toml", RUN),
    subject("case", "scenarios/cases/centaur_pushed.toml", RUN),
    subject("case", "scenarios/cases/centaur_climbs_ramp.toml", RUN),
    subject("case", "scenarios/cases/centaur_kidnapped.toml", RUN),
    subject("case", "scenarios/cases/drive_fault.toml", RUN),
    subject("case", "scenarios/cases/centaur_greets.toml", RUN),
    subject("chart", "scenarios/charts/greet.toml", RUN_CASE_WITH_IT),
    subject("bus", "robot_models/bench/bus.toml", BUS_CASE_WITH_IT),
    subject(
        "height map",
        "worlds/spacebot_prior.png",
        "run hill_case.toml --duration 0.02 --no-pictures --quiet --out results",
    ),
    subject("log", "LOG", "replay FILE"),
    subject("log", "LOG", "replay FILE --verify"),
    subject("log", "LOG", "replay FILE --fork-at 0.2 --no-pictures --out results"),
    subject("log", "LOG", "diff whole.mcap FILE"),
    subject("command line", "", ""),
];

/// Command lines that are sound, to be broken.
const LINES: [&str; 9] = [
    "run bench_two_drives --duration 0.02 --seed 3 --no-pictures --quiet --out results",
    "run bench_two_drives --duration 0.02 --plant virtual-bus --twin shadow --workers 2 --no-log --no-pictures",
    "run bench_two_drives --duration 0.02 --realtime 100 --no-pictures --force --out results",
    "check swapped_boards --seeds 1..=2 --jobs 2 --junit junit.xml --results results.jsonl",
    "replay whole.mcap --fork-at 0.2 --set cruise_speed=0.3 --seed 4 --no-pictures --out results",
    "replay whole.mcap --verify --quiet",
    "robot bench --hold-test --duration 0.05",
    "diff whole.mcap whole.mcap",
    "bus bench_two_drives --interface nowhere --duration 0.1 --core 0 --priority 10",
];

/// How a child ended.
#[derive(Debug)]
struct Ended {
    /// `None` if it had to be killed.
    code: Option<i32>,
    /// KiB.
    memory: i64,
    output: String,
    message: String,
}

/// A folder for one broken input, with everything else whole.
struct Bench {
    folder: tempfile::TempDir,
    log: Vec<u8>,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        for library in ["scenarios", "worlds", "robot_models"] {
            std::os::unix::fs::symlink(Path::new(ROOT).join(library), folder.path().join(library)).unwrap();
        }
        let bench = Bench { folder, log: Vec::new() };
        let whole = "run bench_two_drives --duration 0.5 --no-pictures --quiet --out made";
        assert_ne!(bench.run(&words(whole)).code, None);
        let log = std::fs::read(bench.path("made/run.mcap")).unwrap();
        std::fs::write(bench.path("whole.mcap"), &log).unwrap();
        Bench { log, ..bench }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Tries the input of this number; what is wrong with how it was taken, and how it was taken.
    fn attempt(&self, number: u64) -> Result<(&'static str, i32), String> {
        for folder in ["results", "charts"] {
            drop(std::fs::remove_dir_all(self.path(folder)));
        }
        let mut mutator = Mutator::new(number);
        let subject = SUBJECTS[(number % SUBJECTS.len() as u64) as usize];
        let (file, words) = self.prepare(&subject, &mut mutator);
        let ended = self.run(&words);
        let wrong = |what: &str| {
            Err(format!("mutation {number}: {subject:?}\n  {what}: {words:?}\n  {}{}", ended.output, ended.message))
        };
        match ended.code {
            None => wrong("hangs, or was ended by a signal"),
            _ if ended.memory > MOST_MEMORY => wrong(&format!("took {} MiB", ended.memory / 1024)),
            _ if ended.message.contains("panicked") || ended.output.contains("panicked at") => wrong("panics"),
            Some(code @ (0 | 1)) => Ok((subject.kind, code)),
            Some(2) if names_its_place(&subject, &file, &ended.message) => Ok((subject.kind, 2)),
            Some(2) => wrong("is refused without file and line"),
            Some(code) => wrong(&format!("ends with exit code {code}")),
        }
    }

    /// Writes the broken file, and whatever reads it; returns its name and the command.
    fn prepare(&self, subject: &Subject, mutator: &mut Mutator) -> (String, Vec<String>) {
        let original = Path::new(ROOT).join(subject.original);
        let name = Path::new(subject.original).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = || std::fs::read_to_string(&original).unwrap();
        let case =
            |original: &str| std::fs::read_to_string(Path::new(ROOT).join("scenarios/cases").join(original)).unwrap();
        match subject.kind {
            "command line" => {
                let line = LINES[mutator.below(LINES.len())];
                return (String::new(), mutated_words(line, mutator));
            }
            "log" => {
                std::fs::write(self.path("broken.mcap"), mutated_bytes(&self.log, mutator)).unwrap();
                return ("broken.mcap".to_owned(), words(&subject.command.replace("FILE", "./broken.mcap")));
            }
            "height map" => {
                let bytes = mutated_bytes(&std::fs::read(&original).unwrap(), mutator);
                std::fs::write(self.path(&name), bytes).unwrap();
                let world = mutated_terrain(mutator, &name);
                std::fs::write(self.path("hill.toml"), world).unwrap();
                let case = case("centaur_pushed.toml").replace("\"flat\"", "\"./hill.toml\"");
                std::fs::write(self.path("hill_case.toml"), case).unwrap();
            }
            "chart" => {
                std::fs::create_dir_all(self.path("charts")).unwrap();
                std::fs::write(self.path("charts").join(&name), mutated_text(&text(), mutator)).unwrap();
                std::fs::write(self.path("case.toml"), case("centaur_greets.toml")).unwrap();
            }
            "world" => {
                std::fs::write(self.path(&name), mutated_text(&text(), mutator)).unwrap();
                let case = case("centaur_pushed.toml").replace("\"flat\"", &format!("\"./{name}\""));
                let case = case.replace("{ place = \"start\" }", "{ x = 0.1, y = 0.1, yaw = 0.0 }");
                std::fs::write(self.path("case.toml"), case).unwrap();
            }
            "robot" | "bus" => {
                let urdf =
                    original.with_file_name(original.parent().unwrap().file_name().unwrap()).with_extension("urdf");
                std::fs::copy(&urdf, self.path(&urdf.file_name().unwrap().to_string_lossy())).unwrap();
                let bench = Path::new(ROOT).join("robot_models/bench");
                for whole in ["bench.toml", "bus.toml"] {
                    std::fs::copy(bench.join(whole), self.path(whole)).unwrap();
                }
                std::fs::write(self.path(&name), mutated_text(&text(), mutator)).unwrap();
                let case = case("bench_two_drives.toml").replace("robot = \"bench\"", "robot = \"./bench.toml\"");
                std::fs::write(self.path("case.toml"), case).unwrap();
            }
            _ => std::fs::write(self.path(&name), mutated_text(&text(), mutator)).unwrap(),
        }
        let command = subject.command.replace("FILE", &format!("./{name}"));
        (name, words(&command))
    }

    #[allow(clippy::zombie_processes, reason = "`wait` waits for it, and asks for its memory")]
    fn run(&self, words: &[String]) -> Ended {
        let (output, message) = (self.path("stdout.txt"), self.path("stderr.txt"));
        let file = |path: &Path| Stdio::from(std::fs::File::create(path).unwrap());
        let mut command = Command::new(env!("CARGO_BIN_EXE_chiron"));
        let child = command.args(words).current_dir(self.folder.path()).stdin(Stdio::null());
        let child = child.stdout(file(&output)).stderr(file(&message)).spawn().unwrap();
        let (code, memory) = wait(child.id() as libc::pid_t);
        let text = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        Ended { code, memory, output: text(&output), message: text(&message) }
    }
}

/// A hill from the picture, its numbers sometimes broken too.
fn mutated_terrain(mutator: &mut Mutator, picture: &str) -> String {
    let whole = format!(
        "name = \"hill\"\n[terrain]\ncell = 0.5\nsize = [20.0, 20.0]\nmaterial = \"soil\"\n\n[[terrain.layer]]\nkind = \"image\"\n\
         file = \"{picture}\"\nscale = 0.001\noffset = 0.0\n"
    );
    if mutator.below(2) == 0 { mutated_text(&whole, mutator) } else { whole }
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Exit code and largest resident memory [KiB] of a child; it is killed when patience is at its end.
fn wait(child: libc::pid_t) -> (Option<i32>, i64) {
    let begin = Instant::now();
    loop {
        let mut status = 0;
        // SAFETY: both are plain values that the call fills in.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: `child` is ours and has not been waited for.
        let ended = unsafe { libc::wait4(child, &mut status, libc::WNOHANG, &mut usage) };
        if ended == child {
            let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
            return (code, usage.ru_maxrss);
        }
        if begin.elapsed() > PATIENCE {
            // SAFETY: as above; the next turn of the loop waits for it.
            unsafe { libc::kill(child, libc::SIGKILL) };
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A refusal is one message that says where: the file with a line, or for what has no lines the file or the flag.
fn names_its_place(subject: &Subject, file: &str, message: &str) -> bool {
    let with_line = |name: &str| {
        let places = message.match_indices(name).map(|(at, _)| &message[at + name.len()..]);
        places.filter_map(|rest| rest.strip_prefix(':')).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    match subject.kind {
        "command line" => message.starts_with("error: "),
        "log" => message.contains("broken.mcap") || message.contains("--fork-at"),
        "height map" => message.contains(file) || with_line("hill.toml") || with_line("hill_case.toml"),
        // a robot's gains may be unstable only together with its URDF, a place off the ground only with the scenario
        "robot" | "urdf" => with_line(file) || message.contains("joint '") || with_line("case.toml"),
        "world" => with_line(file) || with_line("case.toml"),
        "bus" | "chart" => with_line(file) || with_line("case.toml"),
        // the scenario may name what is not there
        "case" => with_line(file) || message.contains("no such"),
        _ => false,
    }
}

#[test]
fn broken_input_is_refused_by_file_and_line_or_has_a_result() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let bench = Bench::new();
    let numbers = match number("CHIRON_MUTATION") {
        Some(one) => one..one + 1,
        None => 0..number("CHIRON_MUTATIONS").unwrap_or(USUAL),
    };
    let is_one = numbers.end - numbers.start == 1;
    let (mut wrong, mut taken) = (Vec::new(), BTreeMap::new());
    for number in numbers {
        match bench.attempt(number) {
            Ok(how) => *taken.entry(how).or_insert(0_u64) += 1,
            Err(what) => {
                eprintln!("{what}");
                wrong.push(what);
            }
        }
    }
    taken.iter().for_each(|((kind, code), count)| eprintln!("{kind:14} exit code {code}: {count}"));
    if is_one {
        eprintln!("files are in {}", bench.folder.keep().display());
    }
    assert!(wrong.is_empty(), "{} inputs:\n{}", wrong.len(), wrong.join("\n"));
}
