//! Where the skills of a chart reach eyes and hands.

use mission::Ends;
use robot_io::{ShortName, State, Time};
use runtime::{Cycle, Declaration, Reads, Stream, Writes};

use crate::hands::{HAND_GOALS, HANDS, HandFailure, HandGoal, HandGoals, HandProgress, HandState, HandStates};
use crate::known::{KNOWN, Known, LOOK, LookWish};

/// Who has not answered for so long is not there [s].
const PATIENCE: f64 = 0.1;

/// The ends of the channels to [`Eyes`](crate::Eyes) and [`Hands`](crate::Hands), and what the skills of one chart want of them.
#[derive(Debug, Default, State)]
pub struct Desk {
    #[state(fixed)]
    ends: Option<DeskEnds>,
    now: Time,
    known: Known,
    hands: HandStates,
    /// Goals so far.
    count: u64,
    goals: Vec<HandGoal>,
    looks: bool,
    /// Something was wanted in the last cycle.
    has_wanted: bool,
}

#[derive(Clone, Copy, Debug)]
struct DeskEnds {
    known: Reads<Stream<Known>>,
    hands: Reads<Stream<HandStates>>,
    goals: Writes<Stream<HandGoals>>,
    look: Writes<Stream<LookWish>>,
}

/// A goal of a skill, and when it was made.
#[derive(Clone, Copy, Debug, Default, State)]
pub(crate) struct Claim {
    pub goal: HandGoal,
    made_at: Time,
}

impl Desk {
    /// What is known of the things around.
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// How a hand stands; `None` if nobody says so.
    pub fn hand(&self, name: &ShortName) -> Option<&HandState> {
        self.hands.hands.iter().find(|state| state.hand == *name)
    }

    /// Pictures are to be looked at in this cycle.
    pub fn look(&mut self) {
        self.looks = true;
    }

    /// A goal of its own number.
    pub(crate) fn claim(&mut self, goal: HandGoal) -> Claim {
        self.count += 1;
        Claim { goal: HandGoal { id: self.count, ..goal }, made_at: self.now }
    }

    /// A goal is wanted in this cycle; how it stands with it.
    pub(crate) fn want(&mut self, claim: &Claim) -> HandProgress {
        self.goals.push(claim.goal);
        let is_late = |since: Time| self.now.since(since).seconds() > PATIENCE;
        match self.hand(&claim.goal.hand) {
            _ if self.hands.stamp == Time::ZERO || is_late(self.hands.stamp) => match is_late(claim.made_at) {
                true => HandProgress::Failed(HandFailure::Nobody),
                false => HandProgress::Begun,
            },
            None => HandProgress::Failed(HandFailure::NoHand(claim.goal.hand)),
            Some(state) if state.goal == claim.goal.id => state.progress,
            // it is heard in the next cycle
            Some(_) if !is_late(claim.made_at) => HandProgress::Begun,
            Some(_) => HandProgress::Failed(HandFailure::Replaced),
        }
    }
}

impl Ends for Desk {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        let (known, hands) = (wants.reads_if_there(KNOWN), wants.reads_if_there(HANDS));
        let (goals, look) = (wants.writes(HAND_GOALS), wants.writes(LOOK));
        self.ends = Some(DeskEnds { known, hands, goals, look });
    }

    fn hear(&mut self, cycle: &Cycle<'_>) {
        self.now = cycle.now();
        self.goals.clear();
        self.looks = false;
        let Some(ends) = self.ends else { return };
        if let Some(known) = cycle.fresh(ends.known) {
            self.known = known.clone();
        }
        if let Some(hands) = cycle.latest(ends.hands) {
            self.hands = hands.clone();
        }
    }

    fn say(&mut self, cycle: &mut Cycle<'_>) {
        let Some(ends) = self.ends else { return };
        let stamp = cycle.now();
        if self.looks {
            cycle.write(ends.look, LookWish { stamp });
        }
        // that nothing is wanted any more is said once
        let wants = !self.goals.is_empty();
        if wants || core::mem::replace(&mut self.has_wanted, wants) {
            self.has_wanted = wants;
            cycle.write(ends.goals, HandGoals { stamp, goals: self.goals.clone() });
        }
    }
}
