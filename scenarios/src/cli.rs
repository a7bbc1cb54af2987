//! The command line.

mod bus;
mod changes;
mod check;
mod map;
mod new;
mod replay;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::mapping::Method;
use crate::ranges::SECONDS;

pub use bus::{BusAction, BusArgs, CalibrateArgs, ImportArgs};
pub use changes::{Changes, Ends};
pub use check::{CheckArgs, TableArgs};
pub use map::MapArgs;
pub use new::{NewArgs, NewThing};
pub use replay::ReplayArgs;

/// The longest run [s].
const LONGEST: f64 = SECONDS.high;

/// A digital twin for humanoid and centaur robots: simulate, check, replay, look.
#[derive(Debug, Parser)]
#[command(name = "chiron", version, about, max_term_width = 110)]
#[command(after_help = "Exit codes: 0 passed, 1 a check failed, 2 bad input (the message names file and line),\n\
    130 interrupted by Ctrl-C or SIGTERM (the run stops cleanly: robot off, log closed, report written).\n\
    Start here: chiron run centaur_drives_flat")]
pub struct Cli {
    /// Say no more than the result, and what failed.
    #[arg(long, global = true)]
    pub quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run one scenario; leaves run.mcap, metrics.json and report.html in a folder.
    #[command(
        after_help = "Examples:\n  chiron run centaur_climbs_ramp --seed 7 --out out/ramp\n  chiron run centaur_drives_flat --log-rate 250 --log-without /scene /tf\n\nIn real time (--plant ethercat:INTERFACE, or --realtime) it listens: type stop, acknowledge, pause or resume (or the\nfirst letter) and Enter, or say it from another terminal: chiron bus acknowledge."
    )]
    Run(RunArgs),
    /// Run many scenarios and seeds without pictures; one line each, JUnit on demand.
    #[command(
        after_help = "Examples:\n  chiron check --seeds 1..=5 --jobs 2 --junit out/junit.xml --results out/results.jsonl\n  chiron check bench_two_drives --seeds 1..=2 --same-as out/results.jsonl\n  chiron check humanoid_walks_flat --map push --jobs 2\n  chiron check humanoid_walks_flat --map push --seeds 1..=5 --least 0.25 --out out/pushes\n  chiron check centaur_drives_flat --map slope --directions 4\n\nA map says how much the robot survives: push, the largest change of velocity (impulse over mass) by direction and phase of a\nstep, standing too; slope, the steepest incline by the direction in which it rises; step, the highest one up and down.\nWhat counts as survived stands on its page. Exit code 0: the map was made; 1: a cell is below --least."
    )]
    Check(CheckArgs),
    /// Print the results of many runs as Markdown: per scenario and plant how many passed, and each metric's range.
    #[command(
        after_help = "Example:\n  chiron check bench_two_drives --seeds 1..=5 --plant sim --results out/bench.jsonl\n  chiron check bench_two_drives --seeds 1..=5 --plant virtual-bus --results out/bench.jsonl\n  chiron table out/bench.jsonl\n\nA metric's cell has smallest / median / largest. Of runs with the same scenario, plant and seed the last one counts."
    )]
    Table(TableArgs),
    /// Look at a log again: recompute it, feed it to the controllers, or go on from the middle.
    #[command(after_help = "Example: chiron replay out/centaur_drives_flat/run.mcap --verify")]
    Replay(ReplayArgs),
    /// Draw the map of a log's scans again: trajectory, points and heights, and how far off it all is.
    #[command(
        after_help = "Examples:\n  chiron slam out/centaur_maps_spacebot/run.mcap\n  chiron slam run.mcap --method surfels kiss-icp vgicp odometry --out out/slam\n  chiron slam run.mcap --method kiss-icp --set slam.kiss.voxel=0.2\n\nWrites trajectory_METHOD.tum and truth.tum (TUM: time x y z qx qy qz qw), map_METHOD.ply (x y z time),\nheights_METHOD_view.png (colours with a legend), heights_METHOD.png (16 bit grey) with heights_METHOD.toml (its scale\nand place, as a terrain layer), and slam.json. CPU time per sweep is that of this process, without reading the log.\n\nOthers' data: clouds in MCAP (foxglove.PointCloud in protobuf or JSON, sensor_msgs/PointCloud2 in CDR or ROS 1's encoding;\nchunks plain, LZ4 or zstd), rosbag2 folders (mcap or sqlite3), KITTI velodyne folders (times.txt, poses.txt, calib.txt).\nThey have no odometry of ours: each motion's first guess is constant velocity, or --odometry-topic. Points are put where they\nwere measured if a field t, time, timestamp, offset_time, time_offset or time_stamp tells when; its unit (s, ms, us, ns) and\norigin are found out and said. Lengths in the settings grow with the range beyond 30 m."
    )]
    Slam(SlamArgs),
    /// Write a log's numbers as tables for other programs: every reading and command of every cycle, poses, events.
    #[command(
        after_help = "Examples:\n  chiron export out/centaur_drives_flat/run.mcap --csv\n  chiron export out/centaur_drives_flat/run.mcap --parquet --columns front_left_knee imus --from 10 --to 12\n\nFiles: cycles (full rate), odometry, slam_pose, truth, telemetry (as often as the log shows them), events.\nA column's name has its unit in brackets. In Python: pandas.read_parquet(\"run.tables/cycles.parquet\")."
    )]
    Export(ExportArgs),
    /// Name the first difference between two logs.
    #[command(after_help = "Example: chiron diff a/run.mcap b/run.mcap")]
    Diff(DiffArgs),
    /// Open the viewer on a live run: drive, push, move joints, change settings, begin again; it lasts until you close the window.
    #[command(after_help = "Example: chiron view centaur_crosses_spacebot")]
    View(ViewArgs),
    /// Describe a robot: import report, mass, joints; or compute with it.
    #[command(
        after_help = "Examples:\n  chiron robot centaur\n  chiron robot my_robot.urdf --eval state.json\n  chiron robot centaur --hold-test"
    )]
    Robot(RobotArgs),
    /// Serve a scenario's emulated boards on a network card, or tell what boards are on one.
    #[command(
        after_help = "Examples:\n  chiron bus bench_two_drives --interface veth1\n  chiron bus scan enp3s0\nBoth need the right to raw sockets (root or CAP_NET_RAW)."
    )]
    Bus(BusArgs),
    /// Begin a controller, skill, check or plant of your own: a cargo project of one page, or a program in Python.
    #[command(
        after_help = "Examples:\n  chiron new controller elbow\n  chiron new skill knock\n  chiron new components greeter\n  chiron new check shoves\n  chiron new plant rig\n  chiron new program wave\n\nEach says what to type next. The page controllers/OWN_CONTROLLER.md goes through all of them."
    )]
    New(NewArgs),
    /// List what a scenario's [settings] can hold: meaning, unit, bounds and value of every number, as TOML to copy from.
    #[command(
        after_help = "Examples:\n  chiron settings\n  chiron settings locomotion.body\n  chiron settings tip --of centaur_climbs_ramp"
    )]
    Settings(SettingsArgs),
    /// Print the steps of a scenario's mission as a statechart that does the same, to go on from where a list is not enough.
    #[command(
        after_help = "Example:\n  chiron chart centaur_drives_flat --name square > square.toml\n\nPut it into a folder `charts` beside your scenario, name it there ([behaviour] chart = \"square\"), and take the steps out of its [mission]."
    )]
    Chart(ChartArgs),
    /// Measure this machine: physics and whole scenarios against real time; or the physics against what is known to be right.
    #[command(
        after_help = "Examples:\n  chiron bench --out out/bench.md\n  chiron bench physics\n  chiron bench physics --only slope"
    )]
    Bench(BenchArgs),
    /// Say what this machine lacks for pictures and for real-time work, and how to get it.
    #[command(after_help = "Example: chiron doctor")]
    Doctor,
}

/// `chiron run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// A name in scenarios/cases, or a path.
    pub case: String,
    /// What is other than the scenario says.
    #[command(flatten)]
    pub changes: Changes,
    /// Another length than the scenario's [s].
    #[arg(long, value_name = "S", value_parser = duration)]
    pub duration: Option<f64>,
    /// Run a twin beside the robot: `shadow` is a simulation that follows the same commands.
    #[arg(long, value_name = "shadow")]
    pub twin: Option<TwinMode>,
    /// Take the scans and pictures of this log in place of the sensors' own, cycle by cycle.
    #[arg(long, value_name = "LOG.mcap")]
    pub scans: Option<PathBuf>,
    /// Go on where this run broke off, on a robot that is still there: the controller is brought to the end of its log.
    #[arg(long = "continue", value_name = "LOG.mcap", conflicts_with_all = ["seed", "program"])]
    pub past: Option<PathBuf>,
    /// Where to leave the results; a folder with results is refused without --force [default: out/CASE, or if that exists
    /// out/CASE-2 and so on].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace the results in the folder, each once the new one is whole.
    #[arg(long)]
    pub force: bool,
    /// Show the run in the viewer. The run lasts until you close the window; the checks are evaluated at the scenario's end.
    #[arg(long)]
    pub view: bool,
    /// With --view: show what gets to the operator through the scenario's [link]: late, and nothing in its black-outs.
    #[arg(long, requires = "view")]
    pub through_link: bool,
    /// Hold simulated time to this multiple of real time [default: as fast as possible].
    #[arg(long, value_name = "X", value_parser = speed)]
    pub realtime: Option<f64>,
    /// Worker threads for deadline tasks, 0 to 256; the result does not depend on it.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(..=256))]
    pub workers: u16,
    /// The processor core on which the real-time thread of a bus stays.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(..1024))]
    pub core: Option<u16>,
    /// Write no log (metrics and report only).
    #[arg(long)]
    pub no_log: bool,
    /// How often the log shows what people look at, at most once each control cycle; what a replay needs is in every cycle
    /// [default: 50] [Hz].
    #[arg(long, value_name = "HZ", value_parser = rate)]
    pub log_rate: Option<f64>,
    /// Leave these topics, and all below them, out of the log; what a replay needs stays.
    #[arg(long, value_name = "TOPIC", num_args = 1..)]
    pub log_without: Vec<String>,
    /// Leave out the pictures of the scene in the report.
    #[arg(long)]
    pub no_pictures: bool,
    /// Render the scene to this PNG …
    #[arg(long, value_name = "FILE", requires = "at")]
    pub screenshot: Option<PathBuf>,
    /// … in the first cycle from this simulated time on [s].
    #[arg(long, value_name = "S", requires = "screenshot", value_parser = moment)]
    pub at: Option<f64>,
}

/// What a twin does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TwinMode {
    /// Follows the run's commands.
    Shadow,
}

/// `chiron settings`.
#[derive(Debug, Args)]
pub struct SettingsArgs {
    /// Only those with this in their name or their meaning.
    pub part: Option<String>,
    /// As this scenario has them, with the default beside what differs: a name in scenarios/cases, or a path.
    #[arg(long, value_name = "CASE")]
    pub of: Option<String>,
}

/// `chiron chart`.
#[derive(Debug, Args)]
pub struct ChartArgs {
    /// A name in scenarios/cases, or a path.
    pub case: String,
    /// The chart's name, and its file's [default: the scenario's].
    #[arg(long)]
    pub name: Option<String>,
}

/// `chiron slam`.
#[derive(Debug, Args)]
pub struct SlamArgs {
    /// A log of a robot with a laser scanner; or others' data: an MCAP file, a rosbag2 folder, a folder of KITTI velodyne scans.
    pub log: PathBuf,
    /// How: by surfels (as the robot does it), by kiss-icp or vgicp (baselines), by odometry alone; several are compared [default: surfels].
    #[arg(long, num_args = 1..)]
    pub method: Vec<Method>,
    /// A log of ours: a setting that shall be other than in the run, for example slam.kiss.voxel=0.2; see `chiron settings slam`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Others' data: the topic with the point clouds [default: the only one].
    #[arg(long)]
    pub topic: Option<String>,
    /// Others' data: the topic whose odometry is the first guess of each motion [default: none, constant velocity; for the method odometry /odom or the only one].
    #[arg(long, value_name = "TOPIC")]
    pub odometry_topic: Option<String>,
    /// Others' data: the frame whose motion is wanted, joined to the clouds' on /tf_static [default: odometry's, or the clouds' own].
    #[arg(long)]
    pub frame: Option<String>,
    /// Others' data: nearer points are left out [m].
    #[arg(long, value_name = "M", default_value_t = 0.5, value_parser = range)]
    pub min_range: f64,
    /// Others' data: farther points are left out [m] [default: what the first cloud has, 10 to 100].
    #[arg(long, value_name = "M", value_parser = range)]
    pub max_range: Option<f64>,
    /// Others' data: true poses to compare with, a TUM trajectory or KITTI's poses.txt [default: a KITTI folder's poses.txt].
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,
    /// Where to leave the results, in place of earlier ones [default: beside the log, in LOG.slam].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// `chiron export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// A log.
    pub log: PathBuf,
    /// Text, a line for each row [default].
    #[arg(long)]
    pub csv: bool,
    /// Packed columns, for pandas, Polars, DuckDB, MATLAB.
    #[arg(long)]
    pub parquet: bool,
    /// Of the table `cycles` only the columns whose names contain one of these texts.
    #[arg(long, value_name = "TEXT", num_args = 1..)]
    pub columns: Vec<String>,
    /// Of the table `cycles` only each N-th cycle.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
    /// From this time on [s].
    #[arg(long, value_name = "S", value_parser = moment)]
    pub from: Option<f64>,
    /// Up to this time [s].
    #[arg(long, value_name = "S", value_parser = moment)]
    pub to: Option<f64>,
    /// The folder for the tables [default: beside the log, run.tables].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// `chiron diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// One log.
    pub a: PathBuf,
    /// The other.
    pub b: PathBuf,
}

/// `chiron view`.
#[derive(Debug, Args)]
pub struct ViewArgs {
    /// A name in scenarios/cases, or a path.
    pub case: String,
    /// What is other than the scenario says.
    #[command(flatten)]
    pub changes: Changes,
    /// Simulated seconds per real second at the start.
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = speed)]
    pub realtime: f64,
    /// Begin paused.
    #[arg(long)]
    pub paused: bool,
    /// Show what gets to the operator through the scenario's [link]: late, and nothing in its black-outs.
    #[arg(long)]
    pub through_link: bool,
}

/// `chiron robot`.
#[derive(Debug, Args)]
pub struct RobotArgs {
    /// A name in robot_models, or a .toml or .urdf file.
    pub robot: String,
    /// Print mass, centre of mass, link poses, mass matrix, bias and inverse dynamics for this state, as JSON.
    #[arg(long, value_name = "STATE.json")]
    pub eval: Option<PathBuf>,
    /// Drop it from 5 cm with its joints held and see that it stays whole.
    #[arg(long)]
    pub drop_test: bool,
    /// Hold its standing pose under gravity and see that it neither sags nor creeps.
    #[arg(long)]
    pub hold_test: bool,
    /// How long a test lasts [s].
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = duration)]
    pub duration: f64,
    /// Screw its root link to the world, as `base = "fixed"` in its TOML does: for an arm of which there is only a URDF.
    #[arg(long)]
    pub fixed_base: bool,
    /// Every field of the URDF with what was made of it.
    #[arg(long)]
    pub report: bool,
}

/// `chiron bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// What is measured.
    #[arg(value_name = "WHAT", value_enum, default_value = "speed")]
    pub what: Bench,
    /// Write the page to this file as well.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// speed: simulated seconds per measurement; 10 if left out.
    #[arg(long, value_name = "S", value_parser = duration)]
    pub duration: Option<f64>,
    /// physics: only cases with this in their names.
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
}

/// What `chiron bench` measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Bench {
    /// Physics, whole scenarios, recording and the virtual bus against real time.
    Speed,
    /// The validation book: how far cases of mechanics are from what is known to be right, with MuJoCo's errors beside ours.
    Physics,
}

/// A length of time [s].
fn duration(text: &str) -> Result<f64, String> {
    within(text, f64::MIN_POSITIVE..=LONGEST, &format!("more than 0 s, up to {LONGEST} s"))
}

/// A moment [s].
fn moment(text: &str) -> Result<f64, String> {
    within(text, 0.0..=LONGEST, &format!("a time from 0 s to {LONGEST} s"))
}

/// A distance [m].
fn range(text: &str) -> Result<f64, String> {
    within(text, 0.01..=1000.0, "a distance from 0.01 m to 1000 m")
}

/// A rate [Hz].
fn rate(text: &str) -> Result<f64, String> {
    within(text, 0.1..=1e4, "a rate from 0.1 Hz to 10000 Hz")
}

/// Simulated seconds per second.
fn speed(text: &str) -> Result<f64, String> {
    within(text, 1e-3..=1e4, "a factor from 0.001 to 10000")
}

fn within(text: &str, range: std::ops::RangeInclusive<f64>, expected: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("expected {expected}, found '{text}'"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
