//! What is said between chiron and a program that controls a robot: lines of JSON, one each way in each cycle.
//!
//! `controllers/OWN_CONTROLLER.md` documents the protocol for those who write programs.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use robot_io::{
    Battery, CameraLayout, Commands, Contact, DepthImage, ForceTorque, Image, Imu, JointCommand, JointKind, JointState,
    LaserScan, Lifecycle, OperatorInput, Period, Pose2, Readings, RobotLayout, SensorLayout, Severity, Time,
};
use serde::{Deserialize, Serialize};

use crate::controller::ControllerSetup;

/// The version of the protocol.
pub const VERSION: u32 = 1;
/// More events in one answer are a mistake.
const MOST_EVENTS: usize = 64;
/// A longer state is a mistake [bytes]: it is hashed in every cycle and saved with every snapshot.
const LONGEST_STATE: usize = 1 << 20;
/// More numbers for logs in one answer are a mistake.
const MOST_SCALARS: usize = 64;

/// The first line: what the robot is.
#[derive(Debug, Serialize)]
pub struct Hello<'a> {
    chiron: u32,
    robot: &'a str,
    period_ns: u64,
    joints: Vec<Joint<'a>>,
    imus: &'a [SensorLayout],
    force_torques: &'a [SensorLayout],
    contacts: &'a [SensorLayout],
    batteries: &'a [SensorLayout],
    lasers: Vec<&'a str>,
    cameras: &'a [CameraLayout],
    depth_cameras: &'a [CameraLayout],
    start_in_world: Pose2,
    settings: &'a toml::Table,
}

/// A joint: what it must not exceed, and how it is held. A limit that there is not is null.
#[derive(Debug, Serialize)]
struct Joint<'a> {
    name: &'a str,
    kind: &'static str,
    lower: f64,
    upper: f64,
    velocity: f64,
    effort: f64,
    stiffness: f64,
    damping: f64,
}

/// What the program says to that.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// The version of the protocol that it speaks.
    pub chiron: u32,
}

/// One cycle: what was measured.
#[derive(Debug, Serialize)]
pub struct Asked<'a> {
    cycle: u64,
    time_ns: u64,
    /// The program begins afresh.
    #[serde(skip_serializing_if = "is_false")]
    reset: bool,
    /// It goes on from what it has said in its answer before this cycle.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'a str>,
    joints: Measured,
    imus: &'a [Imu],
    force_torques: &'a [ForceTorque],
    contacts: &'a [Contact],
    batteries: &'a [Battery],
    scans: Vec<Option<&'a LaserScan>>,
    images: Vec<Option<Picture>>,
    depth_images: Vec<Option<Picture>>,
    lifecycle: Lifecycle,
    operator: OperatorInput,
}

/// The joints' readings, a column each.
#[derive(Debug, Serialize)]
struct Measured {
    position: Vec<f64>,
    velocity: Vec<f64>,
    effort: Vec<f64>,
    temperature: Vec<f64>,
    status: Vec<u16>,
}

/// A picture, whose pixels are bytes in base64, row after row.
#[derive(Debug, Serialize)]
struct Picture {
    stamp: Time,
    row_period: Period,
    width: usize,
    height: usize,
    /// Red, green and blue of each pixel.
    #[serde(skip_serializing_if = "Option::is_none")]
    rgb: Option<String>,
    /// Distance of each pixel [mm], the low byte first.
    #[serde(skip_serializing_if = "Option::is_none")]
    depths: Option<String>,
}

/// What the program wants.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The cycle that it answers.
    pub cycle: u64,
    joints: Wanted,
    #[serde(default)]
    emergency_stop: bool,
    /// The cameras that shall take a picture, by their names.
    #[serde(default)]
    take: Vec<String>,
    /// It has done what it was there for.
    #[serde(default)]
    pub done: bool,
    /// What it needs to go on from here in another process; as it was if left out.
    pub state: Option<String>,
    /// What happened.
    #[serde(default)]
    pub events: Vec<Told>,
    /// Numbers for logs and plots, by names with units.
    #[serde(default)]
    pub scalars: BTreeMap<String, f64>,
}

/// The joints' commands, a column each; zeros where one is left out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    #[serde(default)]
    position: Vec<f64>,
    #[serde(default)]
    velocity: Vec<f64>,
    #[serde(default)]
    effort: Vec<f64>,
    #[serde(default)]
    stiffness: Vec<f64>,
    #[serde(default)]
    damping: Vec<f64>,
}

/// An event, in the program's words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Told {
    /// How bad.
    #[serde(default = "info")]
    pub severity: Severity,
    /// What happened.
    pub what: String,
}

fn info() -> Severity {
    Severity::Info
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl<'a> Hello<'a> {
    /// For the robot that a controller is made for.
    pub fn new(setup: &'a ControllerSetup<'_>) -> Hello<'a> {
        let RobotLayout { robot, period, joints, imus, force_torques, contacts, batteries, .. } = setup.layout;
        let RobotLayout { lasers, cameras, depth_cameras, .. } = setup.layout;
        let joint = |(joint, (stiffness, damping)): (&'a robot_io::JointLayout, (f64, f64))| Joint {
            name: &joint.name,
            kind: match joint.kind {
                JointKind::Revolute => "revolute",
                JointKind::Continuous => "continuous",
                JointKind::Prismatic => "prismatic",
            },
            lower: joint.limits.lower,
            upper: joint.limits.upper,
            velocity: joint.limits.velocity,
            effort: joint.limits.effort,
            stiffness,
            damping,
        };
        Hello {
            chiron: VERSION,
            robot,
            period_ns: period.nanoseconds(),
            joints: joints.iter().zip(setup.gains()).map(joint).collect(),
            imus,
            force_torques,
            contacts,
            batteries,
            lasers: lasers.iter().map(|laser| laser.name.as_str()).collect(),
            cameras,
            depth_cameras,
            start_in_world: setup.start_in_world,
            settings: setup.settings,
        }
    }
}

impl<'a> Asked<'a> {
    /// The readings of a cycle, for a program that begins afresh or goes on from a state.
    pub fn new(readings: &'a Readings, reset: bool, state: Option<&'a str>) -> Asked<'a> {
        let column = |of: fn(&JointState) -> f64| readings.joints.iter().map(of).collect();
        Asked {
            cycle: readings.cycle,
            time_ns: readings.time.nanoseconds(),
            reset,
            state,
            joints: Measured {
                position: column(|joint| joint.position),
                velocity: column(|joint| joint.velocity),
                effort: column(|joint| joint.effort),
                temperature: column(|joint| joint.temperature),
                status: readings.joints.iter().map(|joint| joint.status.0).collect(),
            },
            imus: &readings.imus,
            force_torques: &readings.force_torques,
            contacts: &readings.contacts,
            batteries: &readings.batteries,
            scans: readings.scans.iter().map(|scan| scan.as_deref()).collect(),
            images: readings.images.iter().map(|image| image.as_deref().map(Picture::of_colours)).collect(),
            depth_images: readings.depth_images.iter().map(|image| image.as_deref().map(Picture::of_depths)).collect(),
            lifecycle: readings.status.lifecycle,
            operator: readings.operator,
        }
    }
}

impl Picture {
    fn of_colours(image: &Image) -> Picture {
        let Image { stamp, row_period, width, height, ref rgb } = *image;
        Picture { stamp, row_period, width, height, rgb: Some(STANDARD.encode(rgb)), depths: None }
    }

    fn of_depths(image: &DepthImage) -> Picture {
        let DepthImage { stamp, row_period, width, height, ref depths } = *image;
        let bytes: Vec<u8> = depths.iter().flat_map(|depth| depth.to_le_bytes()).collect();
        Picture { stamp, row_period, width, height, rgb: None, depths: Some(STANDARD.encode(bytes)) }
    }
}

/// What an answer must fit.
#[derive(Clone, Debug, Default)]
pub struct Form {
    joints: usize,
    cameras: Vec<String>,
    depth_cameras: Vec<String>,
}

impl Form {
    /// Of answers for a robot with this layout.
    pub fn of(layout: &RobotLayout) -> Form {
        let names = |cameras: &[CameraLayout]| cameras.iter().map(|camera| camera.name.clone()).collect();
        let (cameras, depth_cameras) = (names(&layout.cameras), names(&layout.depth_cameras));
        Form { joints: layout.joints.len(), cameras, depth_cameras }
    }

    fn knows(&self, camera: &String) -> bool {
        self.cameras.contains(camera) || self.depth_cameras.contains(camera)
    }
}

impl Answer {
    /// Reads an answer; what is wrong with it in words.
    pub fn parse(line: &str, form: &Form) -> Result<Answer, String> {
        let joints = form.joints;
        let answer: Answer = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let Wanted { position, velocity, effort, stiffness, damping } = &answer.joints;
        let columns = [
            ("position", position),
            ("velocity", velocity),
            ("effort", effort),
            ("stiffness", stiffness),
            ("damping", damping),
        ];
        for (name, column) in columns {
            if !column.is_empty() && column.len() != joints {
                return Err(format!("joints.{name}: expected {joints} numbers, found {}", column.len()));
            }
        }
        if let Some(unknown) = answer.take.iter().find(|camera| !form.knows(camera)) {
            let known: Vec<&str> = form.cameras.iter().chain(&form.depth_cameras).map(String::as_str).collect();
            let known =
                if known.is_empty() { "no camera, as none is switched on".to_owned() } else { known.join(", ") };
            return Err(format!("take: expected {known}; found '{unknown}'"));
        }
        let bounded = [
            ("events", answer.events.len(), MOST_EVENTS),
            ("scalars", answer.scalars.len(), MOST_SCALARS),
            ("state", answer.state.as_ref().map_or(0, String::len), LONGEST_STATE),
        ];
        match bounded.into_iter().find(|(_, found, most)| found > most) {
            Some((name, found, most)) => Err(format!("{name}: expected {most} at most, found {found}")),
            None => Ok(answer),
        }
    }

    /// What it asks of joints and cameras.
    pub fn fill(&self, form: &Form, commands: &mut Commands) {
        let takes = |wanted: &mut [bool], cameras: &[String]| {
            wanted.iter_mut().zip(cameras).for_each(|(take, camera)| *take = self.take.contains(camera));
        };
        takes(&mut commands.take_image, &form.cameras);
        takes(&mut commands.take_depth_image, &form.depth_cameras);
        let Wanted { position, velocity, effort, stiffness, damping } = &self.joints;
        let at = |column: &[f64], joint: usize| column.get(joint).copied().unwrap_or(0.0);
        for (joint, command) in commands.joints.iter_mut().enumerate() {
            *command = JointCommand {
                position: at(position, joint),
                velocity: at(velocity, joint),
                effort: at(effort, joint),
                stiffness: at(stiffness, joint),
                damping: at(damping, joint),
            };
        }
        commands.emergency_stop = self.emergency_stop;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn form() -> Form {
        Form { joints: 3, ..Form::default() }
    }

    #[test]
    fn columns_that_are_left_out_are_zero_and_short_ones_are_refused() {
        let layout = RobotLayout::example();
        let answer = r#"{"cycle": 4, "joints": {"position": [1, 2, 3.5], "stiffness": [10, 10, 0]}, "done": true}"#;
        let answer = Answer::parse(answer, &form()).unwrap();
        let mut commands = Commands::new(&layout);
        answer.fill(&form(), &mut commands);
        assert_eq!(commands.joints[1], JointCommand::hold(2.0, 10.0, 0.0));
        assert!(answer.done && answer.cycle == 4 && !commands.emergency_stop);
        let short = Answer::parse(r#"{"cycle": 4, "joints": {"effort": [1, 2]}}"#, &form()).unwrap_err();
        assert_eq!(short, "joints.effort: expected 3 numbers, found 2");
        let typed = Answer::parse(r#"{"cycle": 4, "joints": {"torque": [1, 2, 3]}}"#, &form()).unwrap_err();
        assert!(typed.contains("unknown field `torque`"), "{typed}");
        assert!(Answer::parse(r#"{"cycle": 4, "joints": {"effort": [NaN, 2, 3]}}"#, &form()).is_err());
    }

    #[test]
    fn what_it_remembers_and_tells_has_bounds() {
        let with = |field: &str| Answer::parse(&format!("{{\"cycle\": 4, \"joints\": {{}}, {field}}}"), &form()).err();
        let state = |length: usize| format!("\"state\": \"{}\"", "x".repeat(length));
        assert_eq!(with(&state(1 << 20)), None);
        assert_eq!(with(&state((1 << 20) + 1)).as_deref(), Some("state: expected 1048576 at most, found 1048577"));
        let events = format!("\"events\": [{}]", vec!["{\"what\": \"a\"}"; 65].join(", "));
        assert_eq!(with(&events).as_deref(), Some("events: expected 64 at most, found 65"));
    }

    #[test]
    fn cameras_are_asked_by_name_and_pictures_are_bytes_in_base64() {
        let seeing = Form { cameras: vec!["front".to_owned()], depth_cameras: vec!["depth".to_owned()], ..form() };
        let mut commands = Commands { take_image: vec![true], take_depth_image: vec![false], ..Commands::default() };
        let parse = |line: &str| Answer::parse(line, &seeing);
        parse(r#"{"cycle": 4, "joints": {}, "take": ["depth"]}"#).unwrap().fill(&seeing, &mut commands);
        assert_eq!((commands.take_image[0], commands.take_depth_image[0]), (false, true));
        let unknown = parse(r#"{"cycle": 4, "joints": {}, "take": ["back"]}"#).unwrap_err();
        assert_eq!(unknown, "take: expected front, depth; found 'back'");
        let image = Image { width: 1, height: 2, rgb: vec![255, 0, 16, 1, 2, 3], ..Image::default() };
        let line = serde_json::to_string(&Picture::of_colours(&image)).unwrap();
        assert_eq!(line, r#"{"stamp":0,"row_period":0,"width":1,"height":2,"rgb":"/wAQAQID"}"#);
        let image = DepthImage { width: 2, height: 1, depths: vec![1, 0x1234], ..DepthImage::default() };
        assert_eq!(Picture::of_depths(&image).depths.as_deref(), Some("AQA0Eg=="));
    }

    #[test]
    fn what_is_asked_is_one_line() {
        let readings = Readings::new(&RobotLayout::example());
        let line = serde_json::to_string(&Asked::new(&readings, true, Some("{\"waved\":\n1}"))).unwrap();
        assert!(!line.contains('\n') && line.contains("\"reset\":true"), "{line}");
    }

    proptest! {
        #[test]
        fn no_line_is_a_panic(line in any::<String>(), cut in 0_usize..80) {
            let _ = Answer::parse(&line, &form());
            let good = r#"{"cycle": 4, "joints": {"position": [1, 2, 3.5], "stiffness": [10, 10, 0]}, "done": true}"#;
            let _ = Answer::parse(&good[..cut], &form());
            let _ = Answer::parse(&good.replace("1", &line), &form());
        }
    }
}
