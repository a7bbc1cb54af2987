//! What goes into the viewer and what comes out of it.

use std::path::PathBuf;
use std::sync::Arc;

use crossbeam::channel::Receiver;
use nalgebra::Vector3;
use plant::Frame;
use robot_io::{Commands, Event, OperatorInput, Pose2, Readings, RobotLayout, Telemetry, Time};

use crate::{Footprints, LogSignals};

/// What does not change while one looks.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Where the robot stands.
    pub world: Arc<worlds::World>,
    /// What the robot is.
    pub robot: Arc<robot_model::RobotModel>,
    /// In which order it reports.
    pub layout: RobotLayout,
    /// Where the controller's odometry frame lies on the ground of the world, in which its path, goal and odometry are
    /// given: where the robot started, as a rule.
    pub odom_in_world: Pose2,
    /// What the window is called.
    pub title: String,
    /// What can be set while the controller runs.
    pub settings: Vec<Setting>,
    /// Which joints the operator may move by hand, in the layout's order; of a robot without controller none.
    pub by_hand: Vec<bool>,
}

/// A setting of the controller that can be changed while it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Its name, as in a scenario's file.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Smallest and largest value.
    pub range: (f64, f64),
    /// What it is at the start.
    pub value: f64,
}

/// Everything there is to see at one moment, of a live run, of a robot or of a log.
#[derive(Clone, Debug, Default)]
pub struct StationFrame {
    /// Where everything is.
    pub frame: Frame,
    /// What the sensors say; of each camera the last picture that it has taken, not only in the cycle of its arrival.
    pub readings: Readings,
    /// What the robot is told.
    pub commands: Commands,
    /// What the controller believes and wants.
    pub telemetry: Telemetry,
    /// What happened since the last frame that was sent; for a log, all its events with the first frame.
    /// The viewer collects them and knows those it already has.
    pub events: Vec<Event>,
    /// How the show goes on.
    pub playback: Playback,
    /// How the robot and its mission stand.
    pub status: Status,
    /// Where its soles have stood, of a robot on feet.
    pub footprints: Footprints,
}

/// How the robot and its mission stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Counts the restarts. With another number everything shown so far belongs to a run that is over.
    pub attempt: u64,
    /// The seed of the run.
    pub seed: u64,
    /// What the mission is doing.
    pub mission: String,
    /// What is between the robot and the window, if anything is.
    pub link: Option<String>,
    /// Why the robot is stopped, while it is: it holds every joint until the stop is cleared.
    pub stop: Option<String>,
    /// The scenario's result, once its time is over. The session goes on.
    pub result: Option<Verdict>,
}

/// How a scenario's checks were answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// True if every check held.
    pub passed: bool,
    /// The result in words.
    pub text: String,
}

/// How the show goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    /// Does time stand still?
    pub paused: bool,
    /// Simulated seconds per second that are aimed at [1]; infinite for as fast as possible.
    pub speed: f64,
    /// The moment shown.
    pub now: Time,
    /// First and last moment of a log; `None` for a live run.
    pub span: Option<(Time, Time)>,
}

impl Default for Playback {
    fn default() -> Self {
        Playback { paused: false, speed: 1.0, now: Time::ZERO, span: None }
    }
}

/// What the person at the desk asks for. Who runs the session decides what comes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Request {
    /// Let time pass.
    Play,
    /// Let time stand still.
    Pause,
    /// One cycle on, then stand still.
    Step,
    /// So many simulated seconds per second [1].
    Speed(f64),
    /// Show this moment of the log.
    Seek(Time),
    /// A velocity command or a button for the robot.
    Operator(OperatorInput),
    /// Pull at a link from this cycle on, until the next pull or the release.
    Pull {
        /// Index of the link in the robot's tree.
        link: usize,
        /// Where it is pulled, in the link's frame [m].
        point_in_link: Vector3<f64>,
        /// How hard, in the world frame [N].
        force_in_world: Vector3<f64>,
    },
    /// Stop pulling.
    Release,
    /// Begin the run again, with another seed if there is one.
    Restart {
        /// The seed; without one that of the present run.
        seed: Option<u64>,
    },
    /// The window is closed.
    Quit,
}

/// How a window starts.
#[derive(Clone, Debug)]
pub struct Options {
    /// Width and height of the window [pixels].
    pub size: (u32, u32),
    /// What is drawn beside robot and world.
    pub overlays: Overlays,
    /// Where one looks from.
    pub camera: CameraPose,
    /// Names of signals to plot from the start, for example `wheel_fl.velocity [rad/s]`; unknown ones wait until
    /// they are known.
    pub plots: Vec<String>,
    /// Where pictures and films of the window go.
    pub folder: PathBuf,
    /// Brings the signals of a whole log, once they are read.
    pub past: Option<Receiver<LogSignals>>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            size: (1600, 900),
            overlays: Overlays::default(),
            camera: CameraPose::default(),
            plots: Vec::new(),
            folder: PathBuf::from("."),
            past: None,
        }
    }
}

/// What is drawn beside robot and world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlays {
    /// The shapes that collide.
    pub collision_shapes: bool,
    /// The axis of each joint.
    pub joint_axes: bool,
    /// Contact forces as arrows.
    pub contact_forces: bool,
    /// Centre of mass, its plumb line and its foot.
    pub centre_of_mass: bool,
    /// Convex hull of the contacts and the margin of the centre of mass in it.
    pub support_polygon: bool,
    /// Capture point and zero-moment point, as they are and as they should be.
    pub balance_points: bool,
    /// Where soles stand, have stood, and are planned to stand.
    pub footsteps: bool,
    /// What presses against each link, as one force at its centre of pressure.
    pub contact_wrenches: bool,
    /// The path that the controller follows.
    pub planned_path: bool,
    /// The pose that the controller drives to.
    pub goal: bool,
    /// Where the base has been.
    pub trail: bool,
    /// Where the robot believes it is, by odometry and on its map.
    pub odometry: bool,
    /// The frame of each link.
    pub frames: bool,
    /// The cloud of the laser's last turn, and any other.
    pub cloud: bool,
    /// The surfels of the map around the robot.
    pub surfels: bool,
    /// Where the map was seen from, and what ties those places together.
    pub pose_graph: bool,
    /// The heights that the robot knows.
    pub height_map: bool,
    /// What the ground costs.
    pub cost_map: bool,
    /// The way over the map, the next piece of it, the footprint, goals and frontiers.
    pub navigation: bool,
}

impl Overlays {
    /// Robot and world alone.
    pub const NONE: Overlays = Overlays {
        collision_shapes: false,
        joint_axes: false,
        contact_forces: false,
        centre_of_mass: false,
        support_polygon: false,
        balance_points: false,
        footsteps: false,
        contact_wrenches: false,
        planned_path: false,
        goal: false,
        trail: false,
        odometry: false,
        frames: false,
        cloud: false,
        surfels: false,
        pose_graph: false,
        height_map: false,
        cost_map: false,
        navigation: false,
    };
}

impl Default for Overlays {
    fn default() -> Self {
        let driving = Overlays { planned_path: true, goal: true, trail: true, ..Overlays::NONE };
        Overlays { footsteps: true, cloud: true, pose_graph: true, navigation: true, ..driving }
    }
}

/// Where one looks from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CameraPose {
    /// From one point to another, both in the world frame [m].
    Fixed {
        /// The eye.
        eye_in_world: Vector3<f64>,
        /// What it looks at.
        target_in_world: Vector3<f64>,
    },
    /// At the robot, wherever it is; a window's camera follows it.
    Robot {
        /// Direction from robot to eye, counter-clockwise from the world's +x [rad].
        azimuth: f64,
        /// Angle of the eye above the horizon [rad].
        elevation: f64,
        /// Distance of the eye [m].
        distance: f64,
    },
}

impl Default for CameraPose {
    fn default() -> Self {
        CameraPose::Robot { azimuth: -0.75, elevation: 0.38, distance: 3.1 }
    }
}

/// A picture to be made.
#[derive(Clone, Debug)]
pub struct Shot {
    /// What it shows.
    pub frame: StationFrame,
    /// Where it goes, a PNG.
    pub path: PathBuf,
    /// Where one looks from.
    pub camera: CameraPose,
    /// What is drawn beside robot and world.
    pub overlays: Overlays,
}
