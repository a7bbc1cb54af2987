//! Motions in files: TOML, read without mercy for typing errors.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use page::{Fault, Fields, Page, Range};
use whole_body::{Goal, Pose, Task};

use super::{Motion, MotionFrame, Phase, PhaseTask};
use crate::MissionError;

const PLACE: Range = Range::new(-1e5, 1e5, "m");
const ANGLE: Range = Range::new(-7.0, 7.0, "rad");
const SECONDS: Range = Range::new(0.0, 1e4, "s");
const WITHIN: Range = Range::new(1e-3, 1.0, "m");
const TURNED_WITHIN: Range = Range::new(1e-3, 4.0, "rad");
const FRAMES: [(&str, MotionFrame); 3] =
    [("feet", MotionFrame::Feet), ("base", MotionFrame::Base), ("odometry", MotionFrame::Odometry)];
/// How near is near enough, if nobody says: hands come nearer, if the robot knows itself well [m, rad].
const NEAR: (f64, f64) = (0.02, 0.06);

impl Motion {
    /// Reads a motion file; `file_name` is for the messages.
    pub fn parse(text: &str, file_name: &str) -> Result<Motion, MissionError> {
        let page = Page { file: file_name, text };
        let root = page.parse()?;
        Ok(page.fields(&root).read_by(|fields| motion(fields, file_name))?)
    }

    /// Reads the step `reach`: one phase, in which the hands that it names go somewhere.
    pub(crate) fn of_reach(fields: &mut Fields<'_>, file_name: &str) -> Result<Motion, Fault> {
        let (frame, within, turned_within) = about(fields)?;
        let (seconds, hold) = (fields.number_or("seconds", SECONDS, 2.0)?, fields.number_or("hold", SECONDS, 0.0)?);
        let weight = fields.number_or("weight", Range::new(1e-6, 1e6, "1"), 1.0)?;
        let mut tasks = Vec::new();
        for (name, value) in fields.unread() {
            let table = value.table()?;
            let line = table.line();
            let task = table.read_by(|table| hand(table, name.get_ref()))?.weighing(weight);
            tasks.push(PhaseTask { task, line });
        }
        if tasks.is_empty() {
            return Err(fields.error("a hand: left_hand = { position = [x, y, z] }", "none"));
        }
        let phases = vec![Phase { seconds, hold, tasks }];
        Ok(Motion { frame, phases, within, turned_within, file: file_name.to_owned() })
    }
}

fn motion(fields: &mut Fields<'_>, file: &str) -> Result<Motion, Fault> {
    let (frame, within, turned_within) = about(fields)?;
    let phases = fields.each("phases", phase)?;
    if phases.is_empty() {
        return Err(fields.error("one of [[phases]] at least", "none"));
    }
    Ok(Motion { frame, phases, within, turned_within, file: file.to_owned() })
}

fn about(fields: &mut Fields<'_>) -> Result<(MotionFrame, f64, f64), Fault> {
    let frame = fields.word_or("frame", &FRAMES, MotionFrame::default())?;
    let within = fields.number_or("within", WITHIN, NEAR.0)?;
    Ok((frame, within, fields.number_or("turned_within", TURNED_WITHIN, NEAR.1)?))
}

fn phase(fields: &mut Fields<'_>) -> Result<Phase, Fault> {
    let (seconds, hold) = (fields.number("seconds", SECONDS)?, fields.number_or("hold", SECONDS, 0.0)?);
    let tasks = fields.each_named("tasks", |table, name| {
        let task = Task::of_table(table, name)?;
        if task.level > 0 {
            let found = task.level.to_string();
            return Err(table.error_at("level", "0: a motion and balance are weighed against each other", &found));
        }
        check_goal(table, &task.goal)?;
        Ok(PhaseTask { task, line: table.line() })
    })?;
    if tasks.is_empty() {
        return Err(fields.error("one of [[phases.tasks]] at least", "none"));
    }
    Ok(Phase { seconds, hold, tasks })
}

/// Balance leaves some to a motion, and keeps the rest to itself.
fn check_goal(table: &Fields<'_>, goal: &Goal) -> Result<(), Fault> {
    match goal {
        Goal::CenterOfMass(goal) if goal.axes != [false, false, true] => {
            let expected = "axes = \"z\": where the centre of mass is across the ground is left to balance";
            Err(table.error_at("center_of_mass", expected, "other axes"))
        }
        Goal::AngularMomentum(_) => {
            let expected = "a center_of_mass, pose, posture or gaze: angular momentum is left to balance";
            Err(table.error_at("angular_momentum", expected, "one"))
        }
        _ => Ok(()),
    }
}

/// Where a hand shall be.
fn hand(table: &mut Fields<'_>, name: &str) -> Result<Task, Fault> {
    let position = table.get("position").map(|value| value.vector::<3>(PLACE)).transpose()?;
    let turn = table.get("roll_pitch_yaw").map(|value| value.vector::<3>(ANGLE)).transpose()?;
    if position.is_none() && turn.is_none() {
        return Err(table.error("position, roll_pitch_yaw or both", "neither"));
    }
    let (place, [roll, pitch, yaw]) = (Vector3::from(position.unwrap_or_default()), turn.unwrap_or_default());
    let rotation = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
    let pose = Pose::at(name, Isometry3::from_parts(Translation3::from(place), rotation));
    let axes = core::array::from_fn(|axis| if axis < 3 { position.is_some() } else { turn.is_some() });
    Ok(Task::new(name, 0, Goal::Pose(Pose { axes, ..pose })))
}
