//! What a run writes into its log beside the cycles that the recorder notes.

mod pushes;
mod scene;

pub use pushes::push_input;

use std::path::{Path, PathBuf};

use nalgebra::{Isometry3, Vector3};
use replay::{FrameAt, Header, LogSummary, LogWriter, TWIN};
use robot_io::{Period, RobotLayout, Telemetry, Time};
use robot_model::RobotModel;

use crate::ScenarioError;
use crate::case::Source;
use crate::checks::TruthSource;
use crate::residual::Residual;
use crate::session::Session;
use crate::stage::Stage;
use crate::tally::Tally;

/// A log holds the complete state this often, so that a replay can seek, step back and fork …
const SNAPSHOT_INTERVAL: Period = Period::from_milliseconds(1_000);
/// … and less often where a snapshot adds more than this to it for each second of the run [bytes/s], …
const SNAPSHOT_RATE: u64 = 1 << 19;
/// … but still this often.
const LONGEST_SNAPSHOT_INTERVAL: Period = Period::from_milliseconds(10_000);

/// The attached scenario.
pub const CASE_FILE: &str = "case.toml";
/// What the names of the world's attached files begin with.
pub const WORLD_FOLDER: &str = "world/";
/// What the names of the robot's attached files begin with.
pub const ROBOT_FOLDER: &str = "robot/";
/// The folder of the meshes with which the robot collides; their names are those that its URDF gives them.
pub const MESHES_FOLDER: &str = "meshes/";

/// The name of the metadata of a run that took the scans of another log; they are in its own log as well.
pub const SCANS: &str = "scans";
/// The name of the metadata of a run that goes on from the end of another: the time of its first cycle [ns].
pub const CONTINUES: &str = "continues_ns";
/// The name of the metadata that say who answered, and of the digest of that controller.
pub const CONTROLLER: &str = "controller";
/// The name of the metadata with the program that answered and its arguments, as JSON …
pub const PROGRAM_WORDS: &str = "controller_program";
/// … and of that with the folder where it was started.
pub const PROGRAM_FOLDER: &str = "controller_folder";
/// What the names of the attached charts begin with.
pub const CHARTS_FOLDER: &str = "charts/";
/// What the names of the attached motions begin with.
pub const MOTIONS_FOLDER: &str = "motions/";
/// What the name of the attached file of objects begins with.
pub const OBJECTS_FOLDER: &str = "objects/";
/// What the name of the attached bus file begins with.
pub const BUS_FOLDER: &str = "bus/";
/// What the name of the attached calibration file of the bus begins with.
pub const CALIBRATION_FOLDER: &str = "calibration/";

/// Feeds a log while a run goes on.
#[derive(Debug)]
pub struct RunLog {
    writer: LogWriter,
    path: PathBuf,
    /// The frames of the links of all robots.
    links: Vec<String>,
    /// The objects that can move, by their number in the world, with their frames' names.
    objects: Vec<(usize, String)>,
    /// The map frame as it is meant: the world's, as high as the ground is where the robot was told that it starts.
    map_in_world: Isometry3<f64>,
    /// The odometry's frame as it is meant: on the ground where the robot starts.
    start_in_world: Isometry3<f64>,
    /// When the next snapshot is due.
    snapshot_at: Time,
    period: Period,
    frame: plant::Frame,
}

impl RunLog {
    /// Creates the log that will be at `path` when the run is over, with every file of the stage attached, and the scene. In a `live` run a person may act,
    /// and a replay takes their input from the log instead of the scenario.
    pub fn create(path: &Path, stage: &Stage, live: bool) -> Result<RunLog, ScenarioError> {
        let layout = stage.layout();
        let writer = LogWriter::create_with(path, &header(stage, &layout, live), stage.case.log.clone())?;
        writer.scene(&scene::entities(stage))?;
        if let Some(past) = &stage.past {
            writer.snapshot(past.next_cycle, &past.saved.state, &past.saved.pool)?;
        }
        let objects = stage.world.objects.iter().enumerate().filter(|(_, object)| scene::moves(object));
        let ground = stage.world.terrain.height_at(stage.spawn.x, stage.spawn.y).unwrap_or(0.0);
        Ok(RunLog {
            writer,
            path: path.to_owned(),
            links: stage.link_names().collect(),
            objects: objects.map(|(index, object)| (index, scene::object_frame(object))).collect(),
            map_in_world: Isometry3::translation(0.0, 0.0, ground),
            start_in_world: Isometry3::new(
                Vector3::new(stage.spawn.x, stage.spawn.y, ground),
                Vector3::z() * stage.spawn.yaw,
            ),
            snapshot_at: Time::ZERO,
            period: layout.period,
            frame: plant::Frame::default(),
        })
    }

    /// The writer, for the recorder around the robot.
    pub fn writer(&self) -> LogWriter {
        self.writer.clone()
    }

    /// Saves the complete state where its time has come; to be called before each cycle.
    pub fn before_cycle(&mut self, session: &mut Session, tally: &mut Tally) -> Result<(), ScenarioError> {
        let now = Time::from_nanoseconds(session.next_cycle() * self.period.nanoseconds());
        if now >= self.snapshot_at && session.can_restore() {
            let snapshot = session.snapshot().with_tally(tally.save());
            let added = self.writer.snapshot(session.next_cycle(), &snapshot.to_bytes()?, snapshot.pool())?;
            self.snapshot_at = now + interval_after(added);
        }
        Ok(())
    }

    /// Adds what the cycle brought.
    pub fn after_cycle(&mut self, session: &Session) -> Result<(), ScenarioError> {
        let cycle = session.readings().cycle;
        if session.realtime().is_none() {
            self.writer.digests(cycle, &session.digests().named(CONTROLLER))?;
        }
        self.writer.notes(&session.record().notes)?;
        if !session.events().is_empty() {
            self.writer.events(session.events())?;
        }
        for push in session.pushes_begun() {
            self.writer.input(&push_input(cycle, push, &self.links))?;
        }
        self.writer.mapping(session.telemetry())?;
        self.writer.behaviour(&session.telemetry().states)?;
        if self.writer.shows() {
            self.show(session)?;
        }
        Ok(())
    }

    /// Takes the log of a run away that could not begin.
    pub fn discard(self) {
        self.writer.discard();
    }

    /// Closes the log.
    pub fn finish(self) -> Result<LogSummary, ScenarioError> {
        Ok(self.writer.finish()?)
    }

    /// The log's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn show(&mut self, session: &Session) -> Result<(), ScenarioError> {
        session.frame_into(&mut self.frame);
        let poses = self.links.iter().zip(self.frame.links_in_world.iter().chain(&self.frame.others_in_world));
        let objects_in_world = &self.frame.objects_in_world;
        let objects =
            self.objects.iter().filter_map(|(index, name)| objects_in_world.get(*index).map(|pose| (name, pose)));
        let poses = poses.chain(objects);
        let frames = poses.map(|(child, pose)| FrameAt { parent: "world", child, child_in_parent: *pose });
        self.writer.frames(frames.chain(self.believed(session.telemetry())))?;
        if session.observation().truth_from != TruthSource::Nobody {
            self.writer.truth(&session.observation().truth.base_in_world)?;
        }
        self.writer.telemetry(session.telemetry())?;
        if let Some(shadow) = session.shadow() {
            let joint = |residual: &Residual| (residual.position, residual.velocity, residual.effort);
            self.writer.residuals(shadow.residuals().iter().map(joint))?;
        }
        Ok(())
    }

    /// Where the robot believes it is: `base` in `odom`, and that in `map` or, without one, where it started.
    fn believed<'a>(&self, telemetry: &'a Telemetry) -> impl Iterator<Item = FrameAt<'a>> + use<'a> {
        let frame = |parent, child, child_in_parent| FrameAt { parent, child, child_in_parent };
        let base = telemetry.odometry.as_ref().map(|odometry| frame("odom", "base", odometry.base_in_odom));
        let odom = match &telemetry.localization {
            Some(localization) => {
                let map = frame("world", "map", self.map_in_world);
                [Some(map), Some(frame("map", "odom", localization.odom_in_map))]
            }
            None => [base.map(|_| frame("world", "odom", self.start_in_world)), None],
        };
        odom.into_iter().flatten().chain(base)
    }
}

/// How long after a snapshot that has added so many bytes to the log the next one comes.
fn interval_after(added: u64) -> Period {
    let cost = Period::from_nanoseconds(added.saturating_mul(1_000_000_000) / SNAPSHOT_RATE);
    cost.clamp(SNAPSHOT_INTERVAL, LONGEST_SNAPSHOT_INTERVAL)
}

/// What a log says of itself: case, seed, and every file that made the run.
fn header(stage: &Stage, layout: &RobotLayout, live: bool) -> Header {
    let case = &stage.case;
    let mut header = Header::new(layout.clone(), &case.name, case.seed);
    header.metadata = vec![
        ("case_file".to_owned(), case.source.path.clone()),
        ("live".to_owned(), live.to_string()),
        ("plant".to_owned(), case.plant.to_string()),
        (CONTROLLER.to_owned(), case.controller.name.clone()),
        ("sensors".to_owned(), case.sensors.join(" ")),
        ("settings".to_owned(), case.settings.to_string()),
        ("duration_ns".to_owned(), case.duration.nanoseconds().to_string()),
    ];
    if let Some(measurements) = &stage.measurements {
        header.metadata.push((SCANS.to_owned(), measurements.log().display().to_string()));
    }
    if let Some(past) = &stage.past {
        header.metadata.push((CONTINUES.to_owned(), past.time.nanoseconds().to_string()));
    }
    if case.controller.is_program() {
        let words = serde_json::Value::from(case.controller.program.clone());
        header.metadata.push((PROGRAM_WORDS.to_owned(), words.to_string()));
        let folder = std::path::absolute(&case.folder).unwrap_or_else(|_| case.folder.clone());
        header.metadata.push((PROGRAM_FOLDER.to_owned(), folder.display().to_string()));
    }
    if case.twin.is_some() {
        header.metadata.push((TWIN.to_owned(), "shadow".to_owned()));
    }
    header = header.with_file(CASE_FILE, "application/toml", case.source.text.clone().into_bytes());
    for source in &stage.world.sources {
        header = header.with_file(
            &format!("{WORLD_FOLDER}{}", source.name),
            media_type(&source.name),
            source.bytes.to_vec(),
        );
    }
    header = with_robot(header, "", &stage.robot);
    for other in &stage.others {
        header = with_robot(header, &others_folder(&other.case.name), &other.robot);
    }
    let named = [(CHARTS_FOLDER, &stage.charts), (MOTIONS_FOLDER, &stage.motions), (OBJECTS_FOLDER, &stage.objects)];
    for (folder, files) in named {
        for Source { path, text } in files {
            let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
            header = header.with_file(&format!("{folder}{name}"), "application/toml", text.clone().into_bytes());
        }
    }
    if let Some(bus) = &stage.bus {
        let calibration = bus.calibration.iter().map(|calibration| (CALIBRATION_FOLDER, calibration));
        for (folder, (path, text)) in std::iter::once((BUS_FOLDER, &bus.source)).chain(calibration) {
            let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
            header = header.with_file(&format!("{folder}{name}"), "application/toml", text.clone().into_bytes());
        }
    }
    header
}

/// Where the files of a robot beside the first are: its folders begin with this.
pub fn others_folder(robot: &str) -> String {
    format!("others/{robot}/")
}

/// The same header with a robot's files, whose names begin with `prefix`.
fn with_robot(mut header: Header, prefix: &str, robot: &RobotModel) -> Header {
    let files = robot.sources.iter().map(|source| (ROBOT_FOLDER, source));
    for (folder, source) in files.chain(robot.meshes.iter().map(|mesh| (MESHES_FOLDER, mesh))) {
        let name = format!("{prefix}{folder}{}", source.name);
        header = header.with_file(&name, media_type(&source.name), source.bytes.to_vec());
    }
    header
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("toml") => "application/toml",
        Some("png") => "image/png",
        Some("urdf") => "application/xml",
        _ => "application/octet-stream",
    }
}
