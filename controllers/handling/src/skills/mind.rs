//! Minding the fingers of a hand that holds something: motors that give nothing.

use mission::{Feedback, Remaining, Skill, SkillContext, SkillRefusal, SkillSetup, Skills};
use robot_io::{Severity, ShortName, State};
use serde::Deserialize;

use super::hand::expect_hand;
use super::{short, text};
use crate::desk::Desk;

/// How `mind_fingers` ends where a motor gives nothing.
const WEAK: &str = "weak";
/// A motor gives nothing if it gives less than this share of what those give in the mean that close as far as it; chosen: of fingers that hold a tool in the
/// soil each gives more than half.
const NOTHING: f64 = 0.1;
/// … for so long [s]; chosen: a knock is over by then.
const LASTS: f64 = 0.4;
/// Joints close as far as each other to this [rad or m].
const ALIKE: f64 = 1e-6;
/// Fewer than so many alike say nothing of each other.
const FEWEST: usize = 3;

pub(super) fn add(skills: Skills) -> Skills {
    skills.with("mind_fingers", MindFingers::new).told("mind_fingers", [text("hand")]).ends("mind_fingers", [WEAK], [])
}

/// Compares what the motors of a hand's fingers give while it holds something; never ends by itself unless one gives nothing.
#[derive(Debug, State)]
struct MindFingers {
    #[state(fixed)]
    hand: ShortName,
    #[state(fixed)]
    names: Vec<String>,
    /// For each joint of the fingers its index, and how far it goes from open to closed [rad or m].
    #[state(fixed)]
    joints: Vec<(usize, f64)>,
    /// For how long each has been suspected [s].
    #[state(elements)]
    suspected: Vec<f64>,
    /// When it was looked last [s].
    last: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Goal {
    hand: String,
}

impl MindFingers {
    fn new(setup: &SkillSetup<'_>) -> Result<MindFingers, SkillRefusal> {
        let Goal { hand } = setup.goal()?;
        expect_hand(setup, &hand)?;
        let description = &setup.robot.description;
        let said = description.hands.iter().find(|known| known.name == hand);
        let said = said.ok_or_else(|| SkillRefusal(format!("hand: expected one of the robot's, found '{hand}'")))?;
        let of_hand = description.limbs[said.limb].joints.iter();
        let ways = said.open.iter().zip(&said.closed).map(|(open, closed)| (closed - open).abs());
        let joints: Vec<(usize, f64)> = of_hand.copied().zip(ways).collect();
        let names = joints.iter().map(|(joint, _)| setup.robot.tree.joints[*joint].name.clone()).collect();
        let suspected = vec![0.0; joints.len()];
        Ok(MindFingers { hand: short("hand", &hand)?, names, joints, suspected, last: 0.0 })
    }
}

/// What a joint gives, and what it gives at least if its motor does anything, by what those give that close as far [N·m or N]; `None` where too few do.
fn given(joints: &[(usize, f64)], place: usize, gives: impl Fn(usize) -> f64) -> Option<(f64, f64)> {
    let (joint, way) = joints[place];
    let alike = || joints.iter().filter(|(_, other)| (other - way).abs() < ALIKE);
    let count = alike().count();
    let mean = alike().map(|(joint, _)| gives(*joint)).sum::<f64>() / count as f64;
    (count >= FEWEST).then(|| (gives(joint), NOTHING * mean))
}

impl Skill for MindFingers {
    fn start(&mut self, context: &mut SkillContext<'_>) {
        self.suspected.fill(0.0);
        self.last = context.elapsed;
    }

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        let passed = context.elapsed - self.last;
        self.last = context.elapsed;
        let Some(desk) = context.ends::<Desk>() else { return Feedback::Failed("nobody minds hands".to_owned()) };
        let holds = desk.hand(&self.hand).is_some_and(|state| state.holds.is_some());
        let readings = context.readings;
        for place in 0..self.joints.len() {
            let given = given(&self.joints, place, |joint| readings.joints[joint].effort.abs()).filter(|_| holds);
            let is_nothing = given.is_some_and(|(given, least)| given < least);
            self.suspected[place] = if is_nothing { self.suspected[place] + passed } else { 0.0 };
            if let Some((given, least)) = given.filter(|_| self.suspected[place] > LASTS) {
                let what = format!("{}: motor does not give its effort [N·m]", self.names[place]);
                context.tell(Severity::Error, what, given, least);
                return Feedback::ended(WEAK);
            }
        }
        Feedback::Left(Remaining { time: f64::INFINITY, ..Remaining::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motor_is_compared_with_those_that_close_as_far() {
        // four first joints, of which one gives nothing, and two others
        let ways = [1.05, 1.05, 1.05, 1.05, 0.9, 0.9];
        let joints: Vec<(usize, f64)> = ways.into_iter().enumerate().collect();
        let gives = |joint: usize| [1.3, 0.01, 0.9, 1.4, 0.6, 0.0][joint];
        let is_nothing = |place: usize| given(&joints, place, gives).is_some_and(|(given, least)| given < least);
        assert_eq!((0..6).map(is_nothing).collect::<Vec<_>>(), [false, true, false, false, false, false]);
        assert_eq!(given(&joints, 5, gives), None, "two say nothing of each other");
    }

    #[test]
    fn fingers_that_all_press_nothing_are_not_weak() {
        let joints = [(0, 1.05), (1, 1.05), (2, 1.05)];
        assert!(given(&joints, 0, |_| 0.0).is_some_and(|(given, least)| given >= least));
    }
}
