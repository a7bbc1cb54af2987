//! Every command that README, the pages and the help texts show is a command of this program, and those that a newcomer
//! types do what is said of them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser};
use scenarios::cli::Cli;
use support::shell::{ROOT, Shell, chiron, ends, said, text};

/// A command and where it stands.
#[derive(Clone, Debug)]
struct Shown {
    file: String,
    line: usize,
    words: Vec<String>,
}

/// All pages of the repository but the history.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if path.is_dir() && !name.starts_with('.') && !["target", "out", "shared"].contains(&name.as_str()) {
            found.extend(pages(&path));
        } else if name.ends_with(".md") && name != "CHANGELOG.md" {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The words of a line that is typed: `cargo run` in front, comments, redirections and `&` behind are the shell's.
fn words(line: &str) -> Option<Vec<String>> {
    let line = line.trim().trim_start_matches("$ ");
    let line =
        line.strip_prefix("cargo run --release -- ").map(|rest| format!("chiron {rest}")).unwrap_or(line.to_owned());
    let typed = line.split(" #").next().unwrap_or_default().split(" > ").next().unwrap_or_default();
    let words: Vec<String> = typed.trim_end_matches(['&', ' ']).split_whitespace().map(str::to_owned).collect();
    (words.first().is_some_and(|first| first == "chiron") && words.len() > 1).then_some(words)
}

/// The commands in a page's code blocks, and those within its sentences.
fn commands_of(path: &Path) -> (Vec<Shown>, Vec<Shown>) {
    let page = std::fs::read_to_string(path).unwrap();
    let file = path.strip_prefix(ROOT).unwrap_or(path).display().to_string();
    let shown = |line: usize, words| Shown { file: file.clone(), line, words };
    let (mut typed, mut told, mut in_block) = (Vec::new(), Vec::new(), false);
    for (line, text) in (1..).zip(page.lines()) {
        if text.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if in_block {
            typed.extend(words(text).map(|words| shown(line, words)));
        } else {
            let spans = text.split('`').skip(1).step_by(2);
            told.extend(spans.filter_map(words).map(|words| shown(line, words)));
        }
    }
    (typed, told)
}

/// The examples in the help texts.
fn commands_of_help() -> Vec<Shown> {
    let mut all = Vec::new();
    for command in commands() {
        let page = ends(&mut chiron(&[&command, "--help"]), 0);
        let lines = (1..).zip(page.lines()).map(|(line, text)| {
            let typed = text.trim_start().trim_start_matches("Examples:").trim_start_matches("Example:");
            (line, words(typed))
        });
        let shown = |(line, words): (usize, Option<Vec<String>>)| {
            Some(Shown { file: format!("{command} --help"), line, words: words? })
        };
        let before = all.len();
        all.extend(lines.filter_map(shown));
        assert!(all.len() > before, "{command} --help shows no example:\n{page}");
    }
    all
}

/// What stands for something that the reader knows.
fn filled_in(word: &str) -> &str {
    match word {
        "CASE" => "centaur_stands",
        "LOG" | "LOG.mcap" | "FILE.mcap" | "A.mcap" | "B.mcap" | "FILE" => "run.mcap",
        "INTERFACE" | "IFACE" => "vb",
        "ethercat:IFACE" | "ethercat:INTERFACE" => "ethercat:vb",
        "DIR" => "out/somewhere",
        "NAME" => "centaur",
        "N" | "S" => "1",
        "A..=B" => "1..=2",
        "NAME/NAME.urdf" | "FILE.urdf" => "robot.urdf",
        "STATE.json" => "state.json",
        other => other,
    }
}

fn parses(shown: &Shown) {
    let words: Vec<&str> = shown.words.iter().map(|word| filled_in(word)).collect();
    if let Err(error) = Cli::try_parse_from(&words) {
        let is_help = !error.use_stderr();
        assert!(is_help, "{}:{}: {}: {error}", shown.file, shown.line, shown.words.join(" "));
    }
}

/// The commands that have a help text of their own.
fn commands() -> Vec<String> {
    let command = Cli::command();
    command.get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

/// Nothing but the name of a command, or of a command of a command.
fn is_name_of_a_command(words: &[String]) -> bool {
    let mut command = Cli::command();
    words.iter().all(|word| match command.find_subcommand(word).cloned() {
        Some(found) => {
            command = found;
            true
        }
        None => false,
    })
}

/// In a sentence a command may be a name (`chiron slam`), or stand for several (`chiron run | check`).
fn is_whole(shown: &Shown) -> bool {
    let last = shown.words.last().map(String::as_str).unwrap_or_default();
    let is_name = is_name_of_a_command(&shown.words[1..]);
    let is_flag_alone = shown.words.len() == 3 && last.starts_with("--");
    let several = shown.words.iter().any(|word| word.contains(['|', '…', '[']));
    !is_name && !is_flag_alone && !several
}

#[test]
fn every_command_that_is_shown_is_one_of_this_program() {
    let mut count = 0;
    for page in pages(Path::new(ROOT)) {
        let (typed, told) = commands_of(&page);
        let told = told.into_iter().filter(is_whole);
        typed.into_iter().chain(told).for_each(|shown| {
            parses(&shown);
            count += 1;
        });
    }
    commands_of_help().iter().for_each(parses);
    assert!(count > 30, "{count} commands were found");
}

/// A newcomer's shell, with what the examples name.
struct Newcomer(Shell);

impl Newcomer {
    fn new() -> Newcomer {
        let shell = Shell::new();
        std::fs::copy(Path::new(ROOT).join("robot_models/bench/bench.urdf"), shell.path("my_robot.urdf")).unwrap();
        std::fs::write(shell.path("state.json"), "{}").unwrap();
        Newcomer(shell)
    }

    /// Logs that an example names and no command before it has made: runs of a robot that sees.
    fn provide(&self, words: &[String]) {
        for word in words.iter().filter(|word| word.ends_with(".mcap")) {
            let log = self.0.path(word);
            if !log.exists() {
                self.0.chiron("run centaur_explores --duration 1.5 --no-pictures --quiet --force --out made");
                std::fs::create_dir_all(log.parent().unwrap()).unwrap();
                std::fs::copy(self.0.path("made/run.mcap"), &log).unwrap();
            }
        }
    }

    /// Types a command, with less to compute where it would be long, and looks at how it ends.
    fn types(&self, shown: &Shown) {
        let words = &shown.words[1..];
        let has = |word: &str| words.iter().any(|found| found == word);
        let needs_window = words[0] == "view" || has("--view") || has("--screenshot");
        let needs_card = words[0] == "bus" || words.iter().any(|word| word.starts_with("ethercat:"));
        // what is cut out of a longer log than the examples' is not there
        let needs_time = has("--from");
        if needs_window || needs_card || needs_time {
            return;
        }
        self.provide(words);
        let line = format!("{} {}", words.join(" "), shorter(words));
        let output = self.0.chiron(&line);
        let code = output.status.code().unwrap_or(-1);
        let message = || format!("{}:{}: {line}: {}", shown.file, shown.line, said(&output));
        let expected: &[i32] = match words[0].as_str() {
            // a run that was cut short may not have reached its goal, and logs that differ are told apart
            "run" | "diff" | "check" => &[0, 1],
            "replay" if has("--fork-at") => &[0, 1],
            _ => &[0],
        };
        assert!(expected.contains(&code), "exit code {code}: {}", message());
        assert!(!text(&output.stderr).contains("panicked"), "{}", message());
    }
}

/// The flags that make a command short. The ramp is driven for a while once: README forks it after 40 s.
fn shorter(words: &[String]) -> &'static str {
    let has = |word: &str| words.iter().any(|found| found == word);
    match words[0].as_str() {
        "run" if has("centaur_climbs_ramp") && has("--seed") && !has("--out") => "--no-pictures --duration 62",
        "run" if has("--out") => "--no-pictures --duration 0.5 --force",
        "run" => "--no-pictures --duration 1.5",
        "check" if has("--map") && has("--directions") => "--resolution 1 --limit 1",
        "check" if has("push") => "--resolution 1 --limit 1 --directions 1 --phases 1 --recover 0.5",
        "check" if has("slope") => "--resolution 1 --limit 1 --directions 1",
        "check" if has("--map") => "--resolution 0.2 --limit 0.2",
        "check" if words.iter().all(|word| !word.starts_with("centaur")) => "bench_two_drives",
        "robot" if has("--hold-test") => "--duration 2",
        "bench" if !has("physics") => "--duration 1",
        _ => "",
    }
}

#[test]
fn readmes_commands_work_in_their_order() {
    let newcomer = Newcomer::new();
    let (typed, _) = commands_of(&Path::new(ROOT).join("README.md"));
    assert!(typed.len() > 15, "{} commands", typed.len());
    typed.iter().for_each(|shown| newcomer.types(shown));

    // what README says of its fork and its diff
    let shell = &newcomer.0;
    let reached = |folder: &str| {
        let metrics = std::fs::read_to_string(shell.path(folder).join("metrics.json")).unwrap();
        let metrics: serde_json::Value = serde_json::from_str(&metrics).unwrap();
        let is_reached =
            |check: &&serde_json::Value| check["name"].as_str().unwrap().contains("reached") && check["passed"] == true;
        metrics["checks"].as_array().unwrap().iter().filter(is_reached).cloned().collect::<Vec<_>>()
    };
    let before = reached("out/centaur_climbs_ramp");
    assert!(!before.is_empty(), "a waypoint is reached before the fork");
    assert_eq!(reached("out/fork"), before);
    let log = "out/centaur_climbs_ramp/run.mcap";
    shell.chiron(&format!("replay {log} --fork-at 60 --out out/unchanged"));
    shell.passes(&format!("diff {log} out/unchanged/run.mcap"));
    // with another gain it is another run
    let other = ends(&mut shell.command(&format!("diff {log} out/fork/run.mcap")), 1);
    assert!(other.contains("from cycle 10000 (40"), "{other}");
}

#[test]
fn the_examples_of_help_and_of_the_first_joint_work() {
    let newcomer = Newcomer::new();
    let (first_joint, _) = commands_of(&Path::new(ROOT).join("hil/FIRST_JOINT.md"));
    assert!(!first_joint.is_empty());
    let with_place = |mut shown: Shown| {
        // not outside of the test's own folder
        shown.words.iter_mut().for_each(|word| *word = word.replace("/tmp/", "out/"));
        shown
    };
    commands_of_help()
        .into_iter()
        .chain(first_joint.into_iter().map(with_place))
        .for_each(|shown| newcomer.types(&shown));
}

/// Puts the files that a page shows in a section, in their order, where a user would.
fn copy_blocks(shell: &Shell, page: &str, section: &str, files: [&str; 3]) {
    let page = std::fs::read_to_string(Path::new(ROOT).join(page)).unwrap();
    let section = page.split_once(section).unwrap().1;
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    let blocks: Vec<&str> = section.split("```").skip(1).step_by(2).collect();
    for (block, file) in blocks.into_iter().zip(files) {
        let path = shell.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, block.split_once('\n').unwrap().1).unwrap();
    }
}

#[test]
fn a_biped_of_the_page_about_them_walks() {
    let shell = Shell::new();
    copy_blocks(
        &shell,
        "robot_models/YOUR_BIPED.md",
        "## The walker",
        ["walker/walker.urdf", "walker/walker.toml", "walks.toml"],
    );
    assert!(std::fs::read_to_string(shell.path("walker/walker.toml")).unwrap().lines().count() < 100);
    for line in
        ["robot walker --hold-test", "run walks.toml --no-pictures", "settings walking.gait.reach --of walks.toml"]
    {
        shell.passes(line);
    }
}

#[test]
fn the_smallest_robot_of_its_page_works_by_its_name_in_ones_own_folder() {
    let shell = Shell::new();
    let files = ["elbow/elbow.urdf", "elbow/elbow.toml", "nod.toml"];
    copy_blocks(&shell, "robot_models/README.md", "## The smallest robot", files);
    for line in
        ["robot elbow", "robot elbow --hold-test --duration 2", "run nod.toml --no-pictures", "run nod --no-pictures"]
    {
        shell.passes(line);
    }
    let message = shell.refused("robot knee");
    assert!(
        message.contains("knee: no such robot; there are: arm, bench, centaur") && message.contains("knee/knee.toml"),
        "{message}"
    );
}

#[test]
fn bench_refuses_an_option_of_its_other_kind() {
    let shell = Shell::new();
    for (line, message) in [
        ("bench --only top", "--only: expected with `chiron bench physics`"),
        ("bench physics --duration 3", "--duration: expected with `chiron bench speed`"),
        ("bench physics --only nonsense", "--only: expected a part of one of parabola,"),
    ] {
        let said = shell.refused(line);
        assert!(said.contains(message), "{line}: {said}");
    }
}
