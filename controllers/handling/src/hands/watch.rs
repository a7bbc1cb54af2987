//! Whether the way ahead is still free while a hand is on it: slow work, done beside the cycle.

use robot_io::State;

use super::goal::HandFailure;
use super::plan::{Leg, Question, Work};

/// So far ahead is looked [s].
const HORIZON: f64 = 0.8;

/// What is asked.
#[derive(Clone, Debug)]
pub(super) struct WatchQuestion {
    /// As for a plan, with the joints where they are measured.
    pub question: Question,
    pub leg: Leg,
    /// When on the way [s].
    pub time: f64,
}

/// What was found.
#[derive(Clone, Debug, Default, State)]
pub(super) struct Watched {
    pub in_the_way: Option<HandFailure>,
}

impl WatchQuestion {
    /// Looks ahead. What cannot be looked at counts as free: the plan was.
    pub fn answer(&self) -> Watched {
        let found = Work::new(&self.question).ok().and_then(|work| {
            let body = &self.question.body;
            let model = if self.leg.is_close { &body.close } else { body.model.as_ref() };
            let mut checker = work.checker(self.leg.touch, model).ok()?;
            let collision = self.leg.way.collision_ahead(&mut checker, [self.time, HORIZON], &work.start).ok()??;
            Some(work.blocked(self.leg.touch, &collision.hit))
        });
        Watched { in_the_way: found }
    }
}
