//! What the skills of hands are told, and how they end.

use mission::Skills;
use mission::chart::{Parameter, Type};

use super::hand::{EMPTY, ENDS, HandSkill, InHand, STUCK, UNTIL};
use super::{SPEED, flag, number, numbers, optional, text};

/// Fingers hold a thing with this share of the force with which they may press for long, unless a chart says otherwise; chosen.
const FORCE: f64 = 0.8;
/// A thing is taken so that it can be lifted straight by so much, unless a chart says otherwise [m].
const LIFT: f64 = 0.05;

pub(super) fn add(skills: Skills) -> Skills {
    add_forceful(add_ways(add_held(skills)))
}

fn speed() -> Parameter {
    number("speed", "", SPEED)
}

/// How much was left of a way.
fn left(unit: &str) -> Parameter {
    optional(Parameter::required("left", Type::Number, unit))
}

/// What may end as any skill of a hand.
fn ending(skills: Skills, names: &[&str]) -> Skills {
    names.iter().fold(skills, |skills, name| skills.ends(name, ENDS, [left("m")]))
}

/// Where a hand goes.
fn add_ways(skills: Skills) -> Skills {
    let place = [numbers("xyz", "m", [0.0; 3]), numbers("rpy", "rad", [0.0; 3])];
    let [xyz, rpy] = place;
    let skills = skills
        .with("arm_pose", HandSkill::pose)
        .told("arm_pose", [text("hand"), text("name"), speed()])
        .with("reach", HandSkill::reach)
        .told(
            "reach",
            [
                text("hand"),
                optional(text("object")),
                xyz,
                rpy,
                flag("along_base"),
                flag("of_held"),
                flag("any_turn"),
                numbers("then", "m", [0.0; 3]),
                speed(),
            ],
        )
        .with("shift", HandSkill::shift)
        .told(
            "shift",
            [
                text("hand"),
                numbers("by", "m", [0.0; 3]),
                flag("in_hand"),
                optional(Parameter::required("until", Type::Number, "N")),
                flag("may_touch"),
                optional(text("with")),
                speed(),
            ],
        );
    ending(skills, &["arm_pose", "reach", "shift"])
}

/// What a hand takes, holds and lets go.
fn add_held(skills: Skills) -> Skills {
    let skills = skills
        .with("grasp", HandSkill::grasp)
        .told(
            "grasp",
            [
                text("hand"),
                text("object"),
                numbers("pointing", "", [0.0; 3]),
                numbers("side", "", [0.0; 3]),
                number("lift", "m", LIFT),
                numbers("axis", "", [0.0; 3]),
                numbers("about", "m", [0.0; 3]),
                number("by", "rad", 0.0),
                flag("keep"),
                number("force", "", FORCE),
                speed(),
            ],
        )
        .with("fingers", HandSkill::fingers)
        .told("fingers", [text("hand"), Parameter::required("share", Type::Number, "")])
        .with("release", HandSkill::release)
        .told("release", [text("hand")])
        .with("expect_in_hand", InHand::new)
        .told("expect_in_hand", [text("hand"), text("object")])
        .ends("expect_in_hand", [EMPTY], []);
    ending(skills, &["grasp", "fingers", "release"])
}

/// What is done against something that holds against it.
fn add_forceful(skills: Skills) -> Skills {
    let may_be_stuck = || ENDS.into_iter().chain([STUCK]);
    skills
        .with("insert", HandSkill::insert)
        .told(
            "insert",
            [
                text("hand"),
                numbers("by", "m", [0.0; 3]),
                number("until", "N", 15.0),
                number("left", "m", 0.01),
                number("deeper", "m", 0.0),
                numbers("around", "m", [0.0; 3]),
                number("step", "m", 0.0025),
                speed(),
            ],
        )
        .with("turn", HandSkill::turn)
        .told(
            "turn",
            [
                text("hand"),
                optional(text("object")),
                Parameter::required("axis", Type::Numbers, ""),
                numbers("about", "m", [0.0; 3]),
                Parameter::required("by", Type::Number, "rad"),
                flag("keep"),
                flag("free"),
                number("until", "N", UNTIL),
                optional(text("with")),
                number("speed", "", 0.1),
            ],
        )
        .ends("insert", may_be_stuck(), [left("m")])
        .ends("turn", may_be_stuck(), [left("rad")])
}
