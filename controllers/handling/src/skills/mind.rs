//! Minding the fingers of a hand that holds something: motors that give nothing.

use mission::{Feedback, Remaining, Skill, SkillContext, SkillRefusal, SkillSetup, Skills};
use robot_io::{Severity, ShortName, State};
use serde::Deserialize;

use super::hand::expect_hand;
use super::{short, text};
use crate::desk::Desk;

/// How `mind_fingers` ends where the hand does not press any more.
const WEAK: &str = "weak";
/// What fingers give while they hold something is found out in this time [s].
const LEARNED: f64 = 0.5;
/// Time constant with which readings are smoothed [s].
const SMOOTHING: f64 = 0.1;
/// A motor gives nothing if it gives less than this share of that; chosen: more than the noise of readings, less than what is left of a finger whose first
/// joint gives way (a sixth).
const NOTHING: f64 = 0.05;
/// A hand of which all motors together give less than this share of it holds nothing any more; chosen: with one finger of four dead it is two thirds.
const HOLDS: f64 = 0.33;
/// … for so long [s]; chosen: a knock is over by then.
const LASTS: f64 = 0.4;

pub(super) fn add(skills: Skills) -> Skills {
    skills.with("mind_fingers", MindFingers::new).told("mind_fingers", [text("hand")]).ends("mind_fingers", [WEAK], [])
}

/// Compares what the motors of a hand's fingers give while it holds something with what they gave in the beginning: names each one that gives nothing, and ends
/// where all of them together give too little. Never ends otherwise.
#[derive(Debug, State)]
struct MindFingers {
    #[state(fixed)]
    hand: ShortName,
    /// The joints of the fingers: indices and names.
    #[state(fixed)]
    joints: Vec<(usize, String)>,
    #[state(elements)]
    minded: Vec<Minded>,
    /// For how long it has been learned, and for how long all together have given too little [s].
    learned: f64,
    weak: f64,
    /// When it was looked last [s].
    last: f64,
}

/// What is known of a motor.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
struct Minded {
    /// What it gave in the beginning, and gives now, smoothed [N·m or N].
    gave: f64,
    gives: f64,
    /// For how long it has given nothing [s].
    nothing: f64,
    is_told: bool,
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
        let name = |joint: &usize| (*joint, setup.robot.tree.joints[*joint].name.clone());
        let joints: Vec<(usize, String)> = description.limbs[said.limb].joints.iter().map(name).collect();
        let minded = vec![Minded::default(); joints.len()];
        Ok(MindFingers { hand: short("hand", &hand)?, joints, minded, learned: 0.0, weak: 0.0, last: 0.0 })
    }
}

impl Minded {
    /// It gives an effort [N·m or N], which is smoothed; so long has been learned, and so long passed since the last cycle [s].
    fn feel(&mut self, effort: f64, learned: f64, passed: f64) {
        self.gives += (effort - self.gives) * passed / (SMOOTHING + passed);
        if learned < LEARNED {
            self.gave += (effort - self.gave) * passed / (learned + passed).max(f64::MIN_POSITIVE);
        }
    }

    /// True once, when it has given nothing for long enough.
    fn is_found(&mut self, passed: f64) -> bool {
        let is_nothing = self.gives.abs() < NOTHING * self.gave.abs();
        self.nothing = if is_nothing { self.nothing + passed } else { 0.0 };
        let is_new = self.nothing > LASTS && !self.is_told;
        self.is_told |= is_new;
        is_new
    }
}

impl Skill for MindFingers {
    fn start(&mut self, context: &mut SkillContext<'_>) {
        self.minded.fill(Minded::default());
        (self.learned, self.weak, self.last) = (0.0, 0.0, context.elapsed);
    }

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        let passed = context.elapsed - self.last;
        self.last = context.elapsed;
        let Some(desk) = context.ends::<Desk>() else { return Feedback::Failed("nobody minds hands".to_owned()) };
        let on = Feedback::Left(Remaining { time: f64::INFINITY, ..Remaining::default() });
        if desk.hand(&self.hand).is_none_or(|state| state.holds.is_none()) {
            return on;
        }
        let is_learning = self.learned < LEARNED;
        let (mut all, mut least) = (0.0, 0.0);
        for ((joint, name), minded) in self.joints.iter().zip(&mut self.minded) {
            minded.feel(context.readings.joints[*joint].effort, self.learned, passed);
            if !is_learning && minded.is_found(passed) {
                let what = format!("{name}: motor does not give its effort [N·m]");
                context.tell(Severity::Error, what, minded.gives.abs(), NOTHING * minded.gave.abs());
            }
            (all, least) = (all + minded.gives.abs(), least + HOLDS * minded.gave.abs());
        }
        self.learned += if is_learning { passed } else { 0.0 };
        self.weak = if !is_learning && all < least { self.weak + passed } else { 0.0 };
        if self.weak > LASTS {
            context.tell(Severity::Error, format!("{} does not press any more [N·m]", self.hand), all, least);
            return Feedback::ended(WEAK);
        }
        on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CYCLE: f64 = 0.004;

    /// One that gave 1.3 N·m for as long as is learned.
    fn minded() -> Minded {
        let mut minded = Minded::default();
        (0..125).for_each(|cycle| minded.feel(1.3, f64::from(cycle) * CYCLE, CYCLE));
        assert!((minded.gave - 1.3).abs() < 1e-9, "{minded:?}");
        minded
    }

    /// How often it is found in so many cycles in which it gives this.
    fn found(minded: &mut Minded, effort: f64, cycles: usize) -> usize {
        let mut cycle = || {
            minded.feel(effort, LEARNED, CYCLE);
            minded.is_found(CYCLE)
        };
        (0..cycles).filter(|_| cycle()).count()
    }

    #[test]
    fn a_motor_that_gives_nothing_is_told_once() {
        assert_eq!(found(&mut minded(), -0.01, 500), 1);
    }

    #[test]
    fn one_that_is_unloaded_or_knocked_is_not() {
        let mut minded = minded();
        assert_eq!(found(&mut minded, 0.2, 500), 0);
        assert_eq!(found(&mut minded, 0.0, 75), 0, "0.3 s");
        assert_eq!(found(&mut minded, 1.0, 500), 0);
        assert_eq!(minded.nothing, 0.0);
    }
}
