//! Telling a hand what to do.

use mission::chart::Value;
use mission::{Ending, Feedback, Remaining, Skill, SkillContext, SkillRefusal, SkillSetup};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use robot_io::{ShortName, State};
use serde::Deserialize;

use super::{expect, short};
use crate::desk::{Claim, Desk};
use crate::hands::{Frame, HandFailure, HandGoal, HandProgress, HandTask, Insertion, Place, Shift, Taking, Turn};

/// How `expect_in_hand` ends where it is not.
pub(super) const EMPTY: &str = "empty";
/// So many places are tried at the most.
const MOST_PLACES: f64 = 500.0;
/// What is turned is not forced: more than this ends it unless a chart says otherwise [N].
pub(super) const UNTIL: f64 = 40.0;
/// How `insert` ends where it does not go in.
pub(super) const STUCK: &str = "stuck";
/// How skills of hands may end beside `done` and `failed`.
pub(super) const ENDS: [&str; 6] = ["not_found", "unreachable", "blocked", EMPTY, "lost", "touched"];

/// A hand does something.
#[derive(Debug, State)]
pub(super) struct HandSkill {
    #[state(fixed)]
    goal: HandGoal,
    claim: Claim,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PoseGoal {
    hand: String,
    name: String,
    speed: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReachGoal {
    hand: String,
    object: Option<String>,
    xyz: [f64; 3],
    rpy: [f64; 3],
    along_base: bool,
    of_held: bool,
    any_turn: bool,
    then: [f64; 3],
    speed: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShiftGoal {
    hand: String,
    by: [f64; 3],
    in_hand: bool,
    until: Option<f64>,
    may_touch: bool,
    with: Option<String>,
    speed: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GraspGoal {
    hand: String,
    object: String,
    pointing: [f64; 3],
    side: [f64; 3],
    lift: f64,
    axis: [f64; 3],
    about: [f64; 3],
    by: f64,
    keep: bool,
    force: f64,
    speed: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InsertGoal {
    hand: String,
    by: [f64; 3],
    until: f64,
    left: f64,
    deeper: f64,
    around: [f64; 3],
    step: f64,
    speed: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnGoal {
    hand: String,
    object: Option<String>,
    axis: [f64; 3],
    about: [f64; 3],
    by: f64,
    keep: bool,
    free: bool,
    until: f64,
    with: Option<String>,
    speed: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FingersGoal {
    hand: String,
    share: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeldGoal {
    hand: String,
    object: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReleaseGoal {
    hand: String,
}

impl HandSkill {
    fn new(setup: &SkillSetup<'_>, hand: &str, task: HandTask, speed: f64) -> Result<HandSkill, SkillRefusal> {
        expect_hand(setup, hand)?;
        expect("speed", speed, 0.01, 1.0)?;
        let goal = HandGoal { id: 0, hand: short("hand", hand)?, task, speed, with: None };
        Ok(HandSkill { goal, claim: Claim::default() })
    }

    /// The same with another hand that goes along, if one is named.
    fn with(self, setup: &SkillSetup<'_>, other: Option<&str>) -> Result<HandSkill, SkillRefusal> {
        let Some(other) = other else { return Ok(self) };
        expect_hand(setup, other)?;
        if self.goal.hand.to_string() == other {
            return Err(SkillRefusal(format!("with: expected another hand than hand, found '{other}'")));
        }
        if !setup.robot.description.feet.is_empty() {
            return Err(SkillRefusal("with: expected a robot whose base stands fast, found one on feet".to_owned()));
        }
        Ok(HandSkill { goal: HandGoal { with: Some(short("with", other)?), ..self.goal }, ..self })
    }

    pub fn pose(setup: &SkillSetup<'_>) -> Result<HandSkill, SkillRefusal> {
        let PoseGoal { hand, name, speed } = setup.goal()?;
        let poses = &setup.robot.description.poses;
        if !poses.iter().any(|known| known.name == name) {
            let known: Vec<&str> = poses.iter().map(|pose| pose.name.as_str()).collect();
            return Err(SkillRefusal(format!("name: expected one of {}, found '{name}'", known.join(", "))));
        }
        HandSkill::new(setup, &hand, HandTask::Pose(short("name", &name)?), speed)
    }

    pub fn reach(setup: &SkillSetup<'_>) -> Result<HandSkill, SkillRefusal> {
        let ReachGoal { hand, object, xyz, rpy, along_base, of_held, any_turn, then, speed } = setup.goal()?;
        then.iter().try_for_each(|number| expect("then [m]", *number, -3.0, 3.0))?;
        xyz.iter().try_for_each(|number| expect("xyz [m]", *number, -10.0, 10.0))?;
        rpy.iter().try_for_each(|number| expect("rpy [rad]", *number, -7.0, 7.0))?;
        let turn = UnitQuaternion::from_euler_angles(rpy[0], rpy[1], rpy[2]);
        let pose = Isometry3::from_parts(Translation3::from(Vector3::from(xyz)), turn);
        let place = Place { frame: frame(object)?, pose, along_base, of_held, any_turn, then: then.into() };
        HandSkill::new(setup, &hand, HandTask::Reach(place), speed)
    }

    pub fn shift(setup: &SkillSetup<'_>) -> Result<HandSkill, SkillRefusal> {
        let ShiftGoal { hand, by, in_hand, until, may_touch, with, speed } = setup.goal()?;
        by.iter().try_for_each(|number| expect("by [m]", *number, -3.0, 3.0))?;
        until.map_or(Ok(()), |force| expect("until [N]", force, 0.1, 1e4))?;
        let shift = Shift { by: by.into(), in_hand, until, may_touch };
        HandSkill::new(setup, &hand, HandTask::Shift(shift), speed)?.with(setup, with.as_deref())
    }

    pub fn grasp(setup: &SkillSetup<'_>) -> Result<HandSkill, SkillRefusal> {
        let GraspGoal { hand, object, pointing, side, lift, axis, about, by, keep, force, speed } = setup.goal()?;
        expect("force", force, 0.05, 1.0)?;
        expect("lift [m]", lift, 0.0, 1.0)?;
        pointing.iter().try_for_each(|number| expect("pointing", *number, -10.0, 10.0))?;
        side.iter().try_for_each(|number| expect("side", *number, -10.0, 10.0))?;
        let [pointing, side] = [pointing, side].map(|along| Vector3::from(along).try_normalize(1e-6));
        let frame = Frame::Object(short("object", &object)?);
        let then = if by == 0.0 { None } else { Some(turning(frame, (axis, about), (by, keep), UNTIL)?) };
        let taking = Taking { model: short("object", &object)?, pointing, side, then, lift, force };
        HandSkill::new(setup, &hand, HandTask::Grasp(taking), speed)
    }

    pub fn insert(setup: &SkillSetup<'_>) -> Result<HandSkill, SkillRefusal> {
        let InsertGoal { hand, by, until, left, deeper, around, step, speed } = setup.goal()?;
        by.iter().try_for_each(|number| expect("by [m]", *number, -3.0, 3.0))?;
        expect("until [N]", until, 0.1, 1e4)?;
        expect("left [m]", left, 0.0, 3.0)?;
        expect("deeper [m]", deeper, 0.0, 3.0)?;
        around.iter().try_for_each(|number| expect("around [m]", *number, 0.0, 0.1))?;
        expect("step [m]", step, 0.0005, 0.1)?;
        let places: f64 = around.iter().map(|around| 2.0 * (around / step).floor() + 1.0).product();
        expect("places within around, a step apart", places, 1.0, MOST_PLACES)?;
        let insertion = Insertion { by: by.into(), until, left, deeper, around: around.into(), step };
        HandSkill::new(setup, &hand, HandTask::Insert(insertion), speed)
    }

    pub fn turn(setup: &SkillSetup<'_>) -> Result<HandSkill, SkillRefusal> {
        let TurnGoal { hand, object, axis, about, by, keep, free, until, with, speed } = setup.goal()?;
        if with.is_some() && (keep || !free) {
            return Err(SkillRefusal("with: expected a turn that is free and not kept, found another".to_owned()));
        }
        let turn = Turn { free, ..turning(frame(object)?, (axis, about), (by, keep), until)? };
        HandSkill::new(setup, &hand, HandTask::Turn(turn), speed)?.with(setup, with.as_deref())
    }

    pub fn fingers(setup: &SkillSetup<'_>) -> Result<HandSkill, SkillRefusal> {
        let FingersGoal { hand, share } = setup.goal()?;
        expect("share", share, 0.0, 1.0)?;
        HandSkill::new(setup, &hand, HandTask::Fingers(share), 1.0)
    }

    pub fn release(setup: &SkillSetup<'_>) -> Result<HandSkill, SkillRefusal> {
        let ReleaseGoal { hand } = setup.goal()?;
        HandSkill::new(setup, &hand, HandTask::Release, 1.0)
    }
}

/// Whether an object is in a hand.
#[derive(Debug, State)]
pub(super) struct InHand {
    #[state(fixed)]
    hand: ShortName,
    #[state(fixed)]
    object: ShortName,
}

impl InHand {
    pub fn new(setup: &SkillSetup<'_>) -> Result<InHand, SkillRefusal> {
        let HeldGoal { hand, object } = setup.goal()?;
        expect_hand(setup, &hand)?;
        Ok(InHand { hand: short("hand", &hand)?, object: short("object", &object)? })
    }
}

impl Skill for InHand {
    fn start(&mut self, _context: &mut SkillContext<'_>) {}

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        let Some(desk) = context.ends::<Desk>() else { return Feedback::Failed(HandFailure::Nobody.to_string()) };
        match desk.hand(&self.hand) {
            Some(state) if state.holds.is_some_and(|held| held.model == self.object) => Feedback::Done,
            Some(_) => Feedback::ended(EMPTY),
            None => Feedback::Failed(HandFailure::NoHand(self.hand).to_string()),
        }
    }
}

impl Skill for HandSkill {
    fn start(&mut self, context: &mut SkillContext<'_>) {
        if let Some(desk) = context.ends::<Desk>() {
            self.claim = desk.claim(self.goal);
        }
    }

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        context.want_touch();
        let Some(desk) = context.ends::<Desk>() else { return Feedback::Failed(HandFailure::Nobody.to_string()) };
        let progress = desk.want(&self.claim);
        if desk.hand(&self.claim.goal.hand).is_some_and(|state| state.looks) {
            desk.look();
        }
        match progress {
            HandProgress::Begun => Feedback::Left(Remaining { time: f64::INFINITY, ..Remaining::default() }),
            HandProgress::Left(left) => Feedback::Left(left),
            HandProgress::Done => Feedback::Done,
            HandProgress::Touched(left) => Feedback::ended("touched").with("left", Value::Number(left)),
            HandProgress::Failed(why) => match outcome(&self.goal.task, &why) {
                None => Feedback::Failed(why.to_string()),
                Some(outcome) => {
                    context.note(why.to_string());
                    Feedback::Ended(Ending { outcome: outcome.to_owned(), outputs: Vec::new() })
                }
            },
        }
    }
}

/// About an axis that has a direction.
fn turning(
    frame: Frame,
    (axis, about): ([f64; 3], [f64; 3]),
    (by, keep): (f64, bool),
    until: f64,
) -> Result<Turn, SkillRefusal> {
    axis.iter().try_for_each(|number| expect("axis", *number, -10.0, 10.0))?;
    expect("axis: its length", Vector3::from(axis).norm(), 1e-3, 20.0)?;
    about.iter().try_for_each(|number| expect("about [m]", *number, -10.0, 10.0))?;
    expect("by [rad]", by, -7.0, 7.0)?;
    expect("until [N]", until, 0.1, 1e4)?;
    Ok(Turn { frame, axis: axis.into(), about: about.into(), by, keep, until, free: false })
}

/// That of an object, or of the base.
fn frame(object: Option<String>) -> Result<Frame, SkillRefusal> {
    object.map_or(Ok(Frame::Base), |object| Ok(Frame::Object(short("object", &object)?)))
}

/// The outcome of a failure that charts can do something about.
fn outcome(task: &HandTask, why: &HandFailure) -> Option<&'static str> {
    match why {
        HandFailure::LagsBehind(_) if matches!(task, HandTask::Turn(_)) => Some(STUCK),
        HandFailure::NoObject(_) => Some("not_found"),
        HandFailure::OutOfReach(..) | HandFailure::NoGrasp(..) => Some("unreachable"),
        HandFailure::Blocked(..) | HandFailure::NoWay(_) => Some("blocked"),
        HandFailure::Stuck(..) => Some(STUCK),
        HandFailure::Empty => Some(EMPTY),
        HandFailure::Lost(_) | HandFailure::Apart(_) => Some("lost"),
        _ => None,
    }
}

/// Refuses a hand that the robot does not have.
pub(super) fn expect_hand(setup: &SkillSetup<'_>, hand: &str) -> Result<(), SkillRefusal> {
    let hands = &setup.robot.description.hands;
    if hands.iter().any(|known| known.name == hand) {
        return Ok(());
    }
    let known: Vec<&str> = hands.iter().map(|hand| hand.name.as_str()).collect();
    Err(SkillRefusal(format!("hand: expected one of {}, found '{hand}'", known.join(", "))))
}
