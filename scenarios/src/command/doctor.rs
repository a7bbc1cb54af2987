//! `chiron doctor`: what this machine has and lacks, and how to get it.

mod machine;
mod network;
mod realtime;

use std::io::{IsTerminal, Write};

use self::machine::{Machine, Space};
use crate::outcome::Outcome;
use crate::{Library, ScenarioError};

/// Disk for a few logs and memory for a run with its pictures [bytes]; chosen.
const DISK: u64 = 2 << 30;
const MEMORY: u64 = 2 << 30;
/// What winit opens at run time for an X11 window.
const WINDOW_LIBRARIES: [&str; 4] = ["libX11.so.6", "libXcursor.so.1", "libXi.so.6", "libxkbcommon-x11.so.0"];

/// Tells what this machine has and lacks. Fails only if it lacks what `chiron run` needs.
pub fn doctor(library: &Library) -> Result<Outcome, ScenarioError> {
    let machine = Machine::this();
    let groups = [
        ("To run scenarios", basics(&machine, library)),
        ("To draw pictures and open the viewer", graphics(&machine)),
        ("To drive real boards in real time", realtime::findings(&machine)),
        ("To reach boards by EtherCAT", network::findings(&machine)),
    ];
    // Whoever reads only the beginning, such as `head`, is no failure.
    drop(std::io::stdout().write_all(page(&groups).as_bytes()));
    let is_fit = groups.iter().flat_map(|(_, findings)| findings).all(|finding| finding.mark != Mark::Needed);
    Ok(if is_fit { Outcome::Passed } else { Outcome::Failed })
}

/// How a finding stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// It is there.
    Has,
    /// It is not there, and only some uses want it.
    Lacks,
    /// It is not there, and nothing runs without it.
    Needed,
    /// Nobody can tell here, or it is only worth knowing.
    Note,
}

/// One line of the page.
#[derive(Clone, Debug, PartialEq)]
struct Finding {
    mark: Mark,
    what: String,
    found: String,
    /// How to get it, a line each.
    cure: Vec<String>,
}

impl Finding {
    /// A finding whose cure is told only where it is not there.
    fn new(mark: Mark, what: &str, found: impl Into<String>, cure: &[&str]) -> Finding {
        let cure: &[&str] = if mark == Mark::Has { &[] } else { cure };
        let cure = cure.iter().map(|line| (*line).to_owned()).collect();
        Finding { mark, what: what.to_owned(), found: found.into(), cure }
    }
}

fn page(groups: &[(&str, Vec<Finding>)]) -> String {
    let mut page = String::new();
    for (title, findings) in groups {
        page += &format!("{title}\n");
        findings.iter().for_each(|finding| line(&mut page, finding));
        page.push('\n');
    }
    let count = |mark| groups.iter().flat_map(|(_, findings)| findings).filter(|finding| finding.mark == mark).count();
    page += &match (count(Mark::Needed), count(Mark::Lacks)) {
        (0, 0) => "Nothing is missing.\n".to_owned(),
        (0, lacks) => format!("chiron run works here. Missing for some uses: {lacks}, marked ✗.\n"),
        (needed, _) => format!("chiron run does not work here: {needed} missing, marked ✗ and 'needed'.\n"),
    };
    page
}

fn line(page: &mut String, finding: &Finding) {
    let (mark, needed) = match finding.mark {
        Mark::Has => ("✓", ""),
        Mark::Lacks => ("✗", ""),
        Mark::Needed => ("✗", " (needed)"),
        Mark::Note => ("–", ""),
    };
    *page += &format!("  {mark} {:<22} {}{needed}\n", finding.what, finding.found);
    for cure in &finding.cure {
        *page += &format!("      {cure}\n");
    }
}

/// Marks what is there or, with `otherwise`, what is not.
fn mark(is_there: bool, otherwise: Mark) -> Mark {
    if is_there { Mark::Has } else { otherwise }
}

fn basics(machine: &Machine, library: &Library) -> Vec<Finding> {
    let cases = library.case_names().unwrap_or_default();
    let root = library.root().display();
    let found = format!("{} in {root}", cases.len());
    let cure = &["run chiron in its checkout, or in a folder below it"];
    let mut findings = vec![Finding::new(mark(!cases.is_empty(), Mark::Needed), "scenarios", found, cure)];
    findings.push(match machine::can_write_here() {
        Ok(()) => Finding::new(Mark::Has, "a folder for results", "the working directory can be written", &[]),
        Err(error) => {
            let cure = &["go to a folder of yours, or give one: chiron run CASE --out DIR"];
            Finding::new(Mark::Needed, "a folder for results", format!("the working directory: {error}"), cure)
        }
    });
    findings.push(disk(machine::free_space()));
    findings.push(memory(machine));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    findings.push(Finding::new(mark(cores > 1, Mark::Note), "processor cores", format!("{cores}"), &[]));
    let is_terminal = std::io::stderr().is_terminal();
    let found = if is_terminal { "progress is shown as a bar" } else { "none: progress is shown as plain lines" };
    findings.push(Finding::new(mark(is_terminal, Mark::Note), "terminal", found, &[]));
    findings
}

fn disk(space: Option<Space>) -> Finding {
    let cure = &["free some, or write elsewhere: chiron run CASE --out DIR; --no-log leaves out the log"];
    match space {
        None => Finding::new(Mark::Note, "disk space", "cannot tell here", &[]),
        Some(Space { free, mount }) => {
            let found = format!("{} free on {mount}, {} are comfortable", gib(free), gib(DISK));
            Finding::new(mark(free >= DISK, Mark::Lacks), "disk space", found, cure)
        }
    }
}

fn memory(machine: &Machine) -> Finding {
    match machine.available_memory() {
        None => Finding::new(Mark::Note, "memory", "cannot tell: no /proc/meminfo", &[]),
        Some(bytes) => {
            let cure = &["close something, or leave out the pictures: chiron run CASE --no-pictures"];
            Finding::new(mark(bytes >= MEMORY, Mark::Lacks), "memory", format!("{} available", gib(bytes)), cure)
        }
    }
}

fn graphics(machine: &Machine) -> Vec<Finding> {
    vec![vulkan(machine), renderer(machine), window_libraries(machine), display(machine)]
}

fn vulkan(machine: &Machine) -> Finding {
    let cure = &[
        "Debian, Ubuntu: apt install mesa-vulkan-drivers libvulkan1",
        "Fedora: dnf install mesa-vulkan-drivers vulkan-loader",
        "NVIDIA: the driver's own package brings it (Debian: nvidia-vulkan-icd)",
        "until then: chiron run CASE --no-pictures",
    ];
    let drivers = machine.vulkan_drivers();
    let has_loader = machine.has_library("libvulkan.so.1");
    let found = match (drivers.is_empty(), has_loader) {
        (true, _) => "no driver".to_owned(),
        (false, true) => drivers.join(", "),
        (false, false) => format!("{}, but no loader (libvulkan.so.1)", drivers.join(", ")),
    };
    Finding::new(mark(!drivers.is_empty() && has_loader, Mark::Lacks), "Vulkan", found, cure)
}

/// Whether a graphics card draws, or the processor.
fn renderer(machine: &Machine) -> Finding {
    let is_software = |driver: &String| driver.contains("lvp") || driver.contains("swiftshader");
    let drivers = machine.vulkan_drivers();
    let has_card = machine.has_graphics_card() && drivers.iter().any(|driver| !is_software(driver));
    let found = match (has_card, drivers.iter().any(is_software)) {
        (true, _) => "a graphics card",
        (false, true) => "software (lavapipe): good for pictures, slow in the viewer",
        (false, false) => "neither a graphics card nor a software renderer",
    };
    let cure: &[&str] = if drivers.is_empty() {
        &[]
    } else {
        &["a card shows as /dev/dri/renderD128; your user must be in the group 'render'"]
    };
    Finding::new(mark(has_card, if drivers.is_empty() { Mark::Lacks } else { Mark::Note }), "who draws", found, cure)
}

fn window_libraries(machine: &Machine) -> Finding {
    let missing: Vec<&str> = WINDOW_LIBRARIES.into_iter().filter(|name| !machine.has_library(name)).collect();
    let found = if missing.is_empty() { "all there".to_owned() } else { format!("missing: {}", missing.join(", ")) };
    let cure = &[
        "Debian, Ubuntu: apt install libx11-6 libxcursor1 libxi6 libxkbcommon-x11-0",
        "Fedora: dnf install libX11 libXcursor libXi libxkbcommon-x11",
    ];
    Finding::new(mark(missing.is_empty(), Mark::Lacks), "window libraries", found, cure)
}

fn display(machine: &Machine) -> Finding {
    let (x11, wayland) = (machine.variable("DISPLAY"), machine.variable("WAYLAND_DISPLAY"));
    let cure: &[&str] = match (x11, wayland) {
        (Some(_), _) => &[],
        (None, Some(_)) => &[
            "Wayland without XWayland; Debian, Ubuntu: apt install xwayland; Fedora: dnf install xorg-x11-server-Xwayland",
        ],
        (None, None) => &[
            "log in at a desktop, or by `ssh -X`; without one: apt install xvfb (dnf install xorg-x11-server-Xvfb), xvfb-run chiron …",
            "pictures need no window: chiron run CASE --screenshot FILE --at S",
        ],
    };
    let found = x11.map_or("no DISPLAY, the viewer cannot open a window".to_owned(), |name| format!("DISPLAY {name}"));
    Finding::new(mark(x11.is_some(), Mark::Lacks), "window", found, cure)
}

fn gib(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1_u64 << 30) as f64)
}
