//! A check of where a link is, by the truth: `kind = "link"`.

use core::f64::consts::PI;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use robot_io::{State, Time};
use robot_model::{Configuration, Data, RobotModel, Tree, forward_kinematics};
use serde::Deserialize;

use super::{CheckAnswer, CheckRefusal, CheckSetup, Observation, OwnCheck};

/// Its name in files.
pub(crate) const KIND: &str = "link";

/// A link stays near a pose in a window of time.
#[derive(Debug, State)]
pub(crate) struct LinkCheck {
    #[state(fixed)]
    asked: Asked,
    #[state(fixed)]
    tree: Tree,
    #[state(fixed)]
    link: usize,
    /// Whose middle is the frame.
    #[state(fixed)]
    feet: Vec<usize>,
    #[state(scratch)]
    data: Data,
    #[state(scratch)]
    configuration: Configuration,
    /// The farthest so far [m, rad].
    far: f64,
    turned: f64,
    was_seen: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// A link, or an end effector of the robot's file.
    link: String,
    #[serde(default)]
    frame: Frame,
    position: [f64; 3],
    roll_pitch_yaw: Option<[f64; 3]>,
    /// [m]
    within: f64,
    /// [deg]
    turned_within: Option<f64>,
    /// [s]
    #[serde(default)]
    after: f64,
    before: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Frame {
    #[default]
    World,
    Feet,
}

impl LinkCheck {
    pub(crate) fn new(setup: &CheckSetup<'_>) -> Result<LinkCheck, CheckRefusal> {
        let asked: Asked = setup.settings()?;
        let RobotModel { tree, description, name, .. } = setup.robot;
        let effector = description.end_effector(&asked.link).map(|effector| effector.link);
        let link = effector.or_else(|| tree.link(&asked.link));
        let link = link.ok_or_else(|| CheckRefusal(format!("link: {name} has no link named '{}'", asked.link)))?;
        let feet: Vec<usize> = description.feet.iter().map(|foot| foot.link).collect();
        if asked.frame == Frame::Feet && feet.is_empty() {
            return Err(CheckRefusal(format!("frame: expected \"world\", for {name} has no feet, found \"feet\"")));
        }
        if asked.roll_pitch_yaw.is_some() != asked.turned_within.is_some() {
            let message = "expected `roll_pitch_yaw` and `turned_within` together or neither, found one of them";
            return Err(CheckRefusal(message.to_owned()));
        }
        let numbers =
            asked.position.iter().chain(asked.roll_pitch_yaw.iter().flatten()).chain([&asked.within, &asked.after]);
        if !numbers.chain(&asked.turned_within).chain(&asked.before).all(|number| number.is_finite()) {
            return Err(CheckRefusal("expected finite numbers, found others".to_owned()));
        }
        let (data, configuration) = (Data::new(tree), Configuration::zero(tree));
        Ok(LinkCheck {
            asked,
            tree: tree.clone(),
            link,
            feet,
            data,
            configuration,
            far: 0.0,
            turned: 0.0,
            was_seen: false,
        })
    }

    /// On the ground between the feet, z upwards.
    fn between_feet(&self) -> Isometry3<f64> {
        let (mut place, mut ahead) = (Vector3::zeros(), Vector3::zeros());
        for foot in self.feet.iter().map(|foot| &self.data.link_in_world[*foot]) {
            place += foot.translation.vector / self.feet.len() as f64;
            ahead += foot.rotation * Vector3::x();
        }
        Isometry3::new(place, Vector3::z() * robot_io::math::atan2(ahead.y, ahead.x))
    }
}

impl OwnCheck for LinkCheck {
    fn name(&self) -> String {
        let Asked { link, position: [x, y, z], within, turned_within, after, before, .. } = &self.asked;
        let turned = turned_within.map_or(String::new(), |turned| format!(" and {turned} deg"));
        let until = before.map_or(String::new(), |before| format!(" to {before} s"));
        let now = self.turned.to_degrees();
        let seen = turned_within.map_or(String::new(), |_| format!(" (turned {now:.1} deg)"));
        format!("{link} within {within} m{turned} of ({x}, {y}, {z}), from {after} s{until}{seen}")
    }

    fn observe(&mut self, seen: &Observation<'_>) {
        let (now, asked) = (seen.readings.time, &self.asked);
        let from = Time::from_seconds(asked.after.max(0.0));
        if now < from || asked.before.is_some_and(|before| now.seconds() > before) {
            return;
        }
        self.configuration.base_in_world = seen.truth.base_in_world;
        if self.configuration.joints.len() != seen.truth.joint_positions.len() {
            return;
        }
        self.configuration.joints.copy_from_slice(&seen.truth.joint_positions);
        forward_kinematics(&self.tree, &self.configuration, &mut self.data);
        let frame = if self.asked.frame == Frame::Feet { self.between_feet() } else { Isometry3::identity() };
        let [roll, pitch, yaw] = self.asked.roll_pitch_yaw.unwrap_or_default();
        let place = Translation3::from(Vector3::from(self.asked.position));
        let wanted = frame * Isometry3::from_parts(place, UnitQuaternion::from_euler_angles(roll, pitch, yaw));
        let here = &self.data.link_in_world[self.link];
        self.far = self.far.max((here.translation.vector - wanted.translation.vector).norm());
        self.turned = self.turned.max(here.rotation.angle_to(&wanted.rotation));
        self.was_seen = true;
    }

    fn needs_truth(&self) -> bool {
        true
    }

    fn answer(&self) -> CheckAnswer {
        let turned_within = self.asked.turned_within.map_or(2.0 * PI, f64::to_radians);
        let passed = self.was_seen && self.far <= self.asked.within && self.turned <= turned_within;
        let value = self.was_seen.then_some(self.far);
        CheckAnswer { passed, value, limit: Some(self.asked.within), unit: "m" }
    }
}
