//! What recording costs: time, allocations and bytes per cycle for 56 joints at 250 Hz.
//!
//! `cargo run --release -p replay --example cost [SECONDS] [FILE]`
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "an example that measures")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
#[path = "../tests/support/mod.rs"]
mod support;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use counting::{Counting, allocations};
use replay::{LogReader, LogSummary, LogWriter, Recorder};
use robot_io::{Commands, Pool, RandomStream, Readings, RobotIo};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const JOINTS: usize = 56;
const CYCLES_PER_SECOND: u64 = 250;
/// A snapshot's words: 300 kB, of which a tenth changes from second to second.
const SNAPSHOT_WORDS: usize = 37_500;

/// What a run took.
struct Cost {
    control: Duration,
    allocations: u64,
    cpu_seconds: f64,
    summary: LogSummary,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seconds: u64 = arguments.first().map_or(60, |text| text.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = arguments.get(1).map_or(folder.path().join("cost.mcap"), PathBuf::from);
    let cycles = seconds * CYCLES_PER_SECOND;
    let bare = run_bare(cycles);
    let cost = run_recorded(&path, cycles);
    let per_cycle = |time: f64| time * 1e6 / cycles as f64;
    println!("{JOINTS} joints, {cycles} cycles ({seconds} s simulated)");
    println!("control thread, recording only: {:.2} µs/cycle", per_cycle(cost.control.as_secs_f64()));
    println!("all threads: {:.2} µs/cycle of processor time", per_cycle(cost.cpu_seconds - bare));
    println!("allocations on the control thread: {:.3}/cycle", cost.allocations as f64 / cycles as f64);
    let bytes = cost.summary.bytes;
    println!("file: {:.1} MB, {} bytes/cycle", bytes as f64 * 1e-6, bytes / cycles);
    read_back(&path, cycles);
}

/// Processor time of the run without a recorder [s].
fn run_bare(cycles: u64) -> f64 {
    let layout = support::layout(JOINTS);
    let mut robot = support::NoisyRobot::new(layout.clone(), 3);
    let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
    let before = cpu_seconds();
    robot.bring_up().unwrap();
    for _ in 0..cycles {
        robot.read(&mut readings).unwrap();
        support::answer(&readings, &mut commands);
        robot.write(&commands).unwrap();
        std::hint::black_box(support::digests(&mut readings, &mut commands));
    }
    cpu_seconds() - before
}

/// The robot's own work is inside the recorder; its share is measured apart, cycle by cycle, and taken off.
fn run_recorded(path: &std::path::Path, cycles: u64) -> Cost {
    let layout = support::layout(JOINTS);
    let log = LogWriter::create(path, &support::header(&layout)).unwrap();
    let mut twin = support::NoisyRobot::new(layout.clone(), 3);
    let mut robot = Recorder::new(Prepared { readings: Readings::new(&layout), layout: layout.clone() }, log.clone());
    let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
    let noise = RandomStream::new(1, "state");
    let mut state: Vec<u8> = (0..SNAPSHOT_WORDS).flat_map(|i| noise.uniform(0, i as u32).to_le_bytes()).collect();
    let names: Vec<String> = (0..JOINTS).map(|index| format!("link_{index}")).collect();
    let (mut control, mut spent) = (Duration::ZERO, 0);
    let cpu_before = cpu_seconds();
    for cycle in 0..cycles {
        twin.read(&mut robot.inner_mut().readings).unwrap();
        if cycle.is_multiple_of(CYCLES_PER_SECOND) {
            for word in 0..SNAPSHOT_WORDS / 10 {
                let changed = noise.uniform(cycle, word as u32).to_le_bytes();
                state[word * 80..word * 80 + 8].copy_from_slice(&changed);
            }
        }
        support::answer(&robot.inner().readings, &mut commands);
        let digests = support::digests(&mut robot.inner_mut().readings, &mut commands);
        let (start, allocated) = (Instant::now(), allocations());
        if cycle.is_multiple_of(CYCLES_PER_SECOND) {
            log.snapshot(cycle, &state, &Pool::default()).unwrap();
        }
        robot.read(&mut readings).unwrap();
        robot.write(&commands).unwrap();
        log.digests(cycle, &digests).unwrap();
        support::show_links(&log, &readings, &names);
        control += start.elapsed();
        spent += allocations() - allocated;
    }
    let summary = log.finish().unwrap();
    Cost { control, allocations: spent, cpu_seconds: cpu_seconds() - cpu_before, summary }
}

fn read_back(path: &std::path::Path, cycles: u64) {
    let start = Instant::now();
    let log = LogReader::open(path).unwrap();
    let opened = start.elapsed();
    let mut walk = log.cycles();
    let mut count = 0;
    while walk.next_cycle().unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, cycles);
    let all = start.elapsed() - opened;
    println!(
        "opened in {:.1} ms, {:.2} µs/cycle to read",
        opened.as_secs_f64() * 1e3,
        all.as_secs_f64() * 1e6 / count as f64
    );
    print_sizes(&log, count);
    let start = Instant::now();
    log.cycles_from(cycles / 2 + 7).unwrap().next().unwrap().unwrap();
    println!("any cycle in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
}

/// The contents of each topic before LZ4.
fn print_sizes(log: &LogReader, cycles: u64) {
    for topic in log.topics() {
        let messages = log.messages(topic).unwrap();
        let bytes: usize = messages.iter().map(|message| message.data.len()).sum();
        println!("  {topic}: {} messages, {} bytes/cycle before LZ4", messages.len(), bytes as u64 / cycles);
    }
}

/// A robot whose readings were made before the clock is read.
struct Prepared {
    layout: robot_io::RobotLayout,
    readings: Readings,
}

impl RobotIo for Prepared {
    fn layout(&self) -> &robot_io::RobotLayout {
        &self.layout
    }

    fn lifecycle(&self) -> robot_io::Lifecycle {
        robot_io::Lifecycle::Active
    }

    fn transition(&mut self, _to: robot_io::Lifecycle) -> Result<(), robot_io::IoError> {
        Ok(())
    }

    fn read(&mut self, readings: &mut Readings) -> Result<(), robot_io::IoError> {
        readings.copy_from(&self.readings);
        Ok(())
    }

    fn write(&mut self, _commands: &Commands) -> Result<(), robot_io::IoError> {
        Ok(())
    }
}

/// Processor time of this process [s], from /proc/self/stat in ticks of 10 ms; zero where there is none.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}
