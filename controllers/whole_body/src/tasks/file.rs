//! A motion as a file: a list of tasks.
//!
//! ```
//! let tasks = whole_body::Task::parse_list(r#"
//!     [[tasks]]
//!     name = "balance"
//!     level = 0
//!     frequency = 8.0
//!     center_of_mass = { position = [0.0, 0.0, 0.8] }
//!
//!     [[tasks]]
//!     name = "trunk upright"
//!     level = 1
//!     pose = { link = "trunk", roll_pitch_yaw = [0.0, 0.0, 0.0] }
//!
//!     [[tasks]]
//!     name = "knees bent"
//!     level = 2
//!     weight = 0.1
//!     posture = [{ joint = "left_knee", position = 0.8 }, { joint = "right_knee", position = 0.8 }]
//! "#, "squat.toml")?;
//! assert_eq!(tasks.len(), 3);
//! # Ok::<(), whole_body::WholeBodyError>(())
//! ```

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3, Vector6};
use page::{Fault, Fields, Page, Range};

use crate::error::WholeBodyError;
use crate::tasks::{AngularMomentum, CenterOfMass, Gaze, Goal, JointGoal, Pose, Posture, Task};

const PLACE: Range = Range::new(-1e5, 1e5, "m");
const SPEED: Range = Range::new(-1e3, 1e3, "m/s");
const ACCELERATION: Range = Range::new(-1e4, 1e4, "m/s²");
const ANGLE: Range = Range::new(-7.0, 7.0, "rad");
const TURNING: Range = Range::new(-1e3, 1e3, "rad/s");
const TURNING_FASTER: Range = Range::new(-1e4, 1e4, "rad/s²");
const NUMBER: Range = Range::new(-1e6, 1e6, "1");

impl Task {
    /// Reads a list of tasks; `file_name` is for the messages. Names of links and joints are looked up later.
    ///
    /// A task has `name`, `level`, `weight` (1), `frequency` (10 rad/s), `damping_ratio` (1) and one of `center_of_mass`,
    /// `angular_momentum`, `pose`, `posture` and `gaze`. Of a pose only what is written counts: `position`,
    /// `roll_pitch_yaw`, or both. `axes` and `turning_axes` take some of the world's axes out.
    pub fn parse_list(text: &str, file_name: &str) -> Result<Vec<Task>, WholeBodyError> {
        let page = Page { file: file_name, text };
        let root = page.parse()?;
        let mut fields = page.fields(&root);
        let tasks = fields.each_named("tasks", |fields, name| {
            fields.need("level", "a whole number from 0 to 7")?;
            Task::of_table(fields, name)
        })?;
        fields.finish()?;
        Ok(tasks)
    }

    /// Reads a task from its table in a larger file; the level may be left out, and is 0 then.
    pub fn of_table(fields: &mut Fields<'_>, name: String) -> Result<Task, Fault> {
        task(fields, name)
    }
}

fn task(fields: &mut Fields<'_>, name: String) -> Result<Task, Fault> {
    let level = fields.whole_or("level", 0..=7, 0)? as usize;
    let weight = fields.number_or("weight", Range::new(1e-6, 1e6, "1"), 1.0)?;
    let frequency = fields.number_or("frequency", Range::new(0.0, 1e3, "rad/s"), 10.0)?;
    let damping_ratio = fields.number_or("damping_ratio", Range::new(0.0, 100.0, "1"), 1.0)?;
    let joints = fields.each("posture", joint)?;
    let goals = [
        fields.one("center_of_mass", center_of_mass)?.map(Goal::CenterOfMass),
        fields.one("angular_momentum", angular_momentum)?.map(Goal::AngularMomentum),
        fields.one("pose", pose)?.map(Goal::Pose),
        (!joints.is_empty()).then_some(Goal::Posture(Posture { joints })),
        fields.one("gaze", gaze)?.map(Goal::Gaze),
    ];
    let mut goals: Vec<Goal> = goals.into_iter().flatten().collect();
    let count = goals.len();
    match (goals.pop(), count) {
        (Some(goal), 1) => Ok(Task { name, level, weight, frequency, damping_ratio, goal }),
        _ => {
            let expected = "one of center_of_mass, angular_momentum, pose, posture and gaze";
            Err(fields.error(expected, &format!("{count} of them")))
        }
    }
}

fn center_of_mass(fields: &mut Fields<'_>) -> Result<CenterOfMass, Fault> {
    Ok(CenterOfMass {
        axes: axes(fields, "axes")?,
        position: fields.vector("position", PLACE)?.into(),
        velocity: fields.vector_or("velocity", SPEED, [0.0; 3])?.into(),
        acceleration: fields.vector_or("acceleration", ACCELERATION, [0.0; 3])?.into(),
    })
}

fn angular_momentum(fields: &mut Fields<'_>) -> Result<AngularMomentum, Fault> {
    Ok(AngularMomentum {
        axes: axes(fields, "axes")?,
        momentum: fields.vector_or("momentum", Range::new(-1e6, 1e6, "kg·m²/s"), [0.0; 3])?.into(),
        rate: fields.vector_or("rate", Range::new(-1e6, 1e6, "N·m"), [0.0; 3])?.into(),
    })
}

fn pose(fields: &mut Fields<'_>) -> Result<Pose, Fault> {
    let link = fields.text("link")?.to_owned();
    let (has_position, has_turn) = (fields.get("position").is_some(), fields.get("roll_pitch_yaw").is_some());
    if !has_position && !has_turn {
        return Err(fields.error("position, roll_pitch_yaw or both", "neither"));
    }
    let position: Vector3<f64> = fields.vector_or("position", PLACE, [0.0; 3])?.into();
    let [roll, pitch, yaw] = fields.vector_or("roll_pitch_yaw", ANGLE, [0.0; 3])?;
    let turn = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
    let (linear, angular) = (axes(fields, "axes")?, axes(fields, "turning_axes")?);
    let counts = |axis: usize| if axis < 3 { has_position && linear[axis] } else { has_turn && angular[axis - 3] };
    Ok(Pose {
        link,
        point_in_link: fields.vector_or("point_in_link", PLACE, [0.0; 3])?.into(),
        axes: core::array::from_fn(counts),
        pose_in_world: Isometry3::from_parts(Translation3::from(position), turn),
        velocity: both(fields, ("velocity", SPEED), ("turning", TURNING))?,
        acceleration: both(fields, ("acceleration", ACCELERATION), ("turning_acceleration", TURNING_FASTER))?,
    })
}

fn both(
    fields: &mut Fields<'_>,
    linear: (&'static str, Range),
    angular: (&'static str, Range),
) -> Result<Vector6<f64>, Fault> {
    let [x, y, z] = fields.vector_or(linear.0, linear.1, [0.0; 3])?;
    let [roll, pitch, yaw] = fields.vector_or(angular.0, angular.1, [0.0; 3])?;
    Ok(Vector6::new(x, y, z, roll, pitch, yaw))
}

fn joint(fields: &mut Fields<'_>) -> Result<JointGoal, Fault> {
    Ok(JointGoal {
        joint: fields.text("joint")?.to_owned(),
        position: fields.number("position", NUMBER)?,
        velocity: fields.number_or("velocity", NUMBER, 0.0)?,
        acceleration: fields.number_or("acceleration", NUMBER, 0.0)?,
    })
}

fn gaze(fields: &mut Fields<'_>) -> Result<Gaze, Fault> {
    Ok(Gaze {
        link: fields.text("link")?.to_owned(),
        axis_in_link: fields.vector("axis_in_link", NUMBER)?.into(),
        target_in_world: fields.vector("target", PLACE)?.into(),
    })
}

/// Which axes count: some of the letters x, y and z; all where nothing is said.
fn axes(fields: &mut Fields<'_>, key: &'static str) -> Result<[bool; 3], Fault> {
    let Some(letters) = fields.optional_text(key)? else { return Ok([true; 3]) };
    let is_known = !letters.is_empty() && letters.chars().all(|letter| "xyz".contains(letter));
    let counts = ['x', 'y', 'z'].map(|letter| letters.contains(letter));
    if is_known { Ok(counts) } else { Err(fields.error_at(key, "some of the letters x, y and z", &letters)) }
}
