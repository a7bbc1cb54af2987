//! The search for a stance in which a foot can be lifted and moved over the edge.

use nalgebra::Vector3;
use robot_io::State;

use super::model::{Stance, StanceModel};
use super::settings::SteppingSettings;

/// Candidates that are looked at in one cycle: 0.3 ms of its 4 ms.
const PER_CYCLE: usize = 48;
/// What is tried, on both sides of the usual: places of the end that steps, of the other end's foot on the same side, of
/// its foot on the other side, and heights; how many, and their distance [m].
const GRID: [(usize, f64); 4] = [(9, 0.04), (9, 0.04), (5, 0.1), (10, 0.04)];
/// All of them.
const CANDIDATES: usize = GRID[0].0 * GRID[1].0 * GRID[2].0 * GRID[3].0;
/// Wheels of one side keep this distance along the way, axle to axle [m].
const BETWEEN_AXLES: f64 = 0.25;

/// A foot that shall be moved, and what it stands among.
#[derive(Clone, Copy, Debug, Default, State)]
pub(crate) struct Step {
    /// The leg.
    pub leg: usize,
    /// The leg beside it; both keep their places on the ground while the base shifts.
    pub partner: usize,
    /// The two legs of the other end, first the one on the same side; their wheels may roll.
    pub others: [usize; 2],
    /// How far the foot goes forward [m].
    pub reach: f64,
    /// Elevation of the foot on its way over the edge, and where it is put down [m].
    pub over: f64,
    /// Elevation of the ground where it is put down [m].
    pub landing: f64,
    /// How far the wheels of the other end may roll back and forth [m].
    pub roll: [f64; 2],
    /// Usual place of the feet of this end and of the other, forward [m].
    pub usual: [f64; 2],
    /// Height around which is searched [m].
    pub height: f64,
}

/// Looks through all candidates, a few in each cycle.
#[derive(Clone, Copy, Debug, Default, State)]
pub(crate) struct Search {
    next: usize,
    best: Option<Found>,
    /// The largest margin of all that can be reached at all [m].
    largest_margin: f64,
}

/// A stance and what it is worth.
#[derive(Clone, Copy, Debug, Default, State)]
pub(crate) struct Found {
    pub stance: Stance,
    /// Predicted static margin, the smallest on the foot's way [m].
    pub margin: f64,
    score: f64,
}

impl Search {
    pub fn begin(&mut self) {
        *self = Search { next: 0, best: None, largest_margin: f64::NEG_INFINITY };
    }

    /// The largest margin that was found within reach and effort [m].
    pub fn largest_margin(&self) -> f64 {
        self.largest_margin
    }

    /// Goes on; `Some` when all candidates have been seen, with the best one that keeps the least margin.
    pub fn advance(
        &mut self,
        model: &mut StanceModel,
        step: &Step,
        from: &Stance,
        elevations: &[f64; 4],
        trunk: &Vector3<f64>,
        with: &SteppingSettings,
    ) -> Option<Option<Found>> {
        let until = (self.next + PER_CYCLE).min(CANDIDATES);
        for index in self.next..until {
            if let Some(stance) = candidate(index, step, from) {
                self.weigh(model, step, from, &stance, elevations, trunk, with);
            }
        }
        self.next = until;
        (until == CANDIDATES).then_some(self.best.filter(|best| best.margin >= with.least_margin))
    }

    #[allow(clippy::too_many_arguments, reason = "a candidate and all that it is weighed against")]
    fn weigh(
        &mut self,
        model: &mut StanceModel,
        step: &Step,
        from: &Stance,
        stance: &Stance,
        elevations: &[f64; 4],
        trunk: &Vector3<f64>,
        with: &SteppingSettings,
    ) {
        let (start, height) = (stance.x[step.leg], stance.height);
        let way = [(start, step.over), (start + step.reach, step.over), (start + step.reach, step.landing)];
        let stands = (0..4).all(|leg| model.reaches(leg, stance.x[leg], elevations[leg], height));
        if !stands || !way.iter().all(|(x, elevation)| model.reaches(step.leg, *x, *elevation, height)) {
            return;
        }
        let (mut margin, mut effort) = (f64::INFINITY, 0.0_f64);
        for place in way {
            let worth = model.worth(stance, elevations, step.leg, place, trunk);
            margin = margin.min(worth.margin);
            effort = effort.max(worth.effort_share);
        }
        if effort > with.effort_share {
            return;
        }
        self.largest_margin = self.largest_margin.max(margin);
        let score = score(margin, effort, stance, from, with);
        if self.best.is_none_or(|best| score > best.score) {
            self.best = Some(Found { stance: *stance, margin, score });
        }
    }
}

/// Metres of margin: what a stance offers less what it costs.
fn score(margin: f64, effort: f64, stance: &Stance, from: &Stance, with: &SteppingSettings) -> f64 {
    const EASY_EFFORT: f64 = 0.6;
    const PER_EFFORT: f64 = 0.08;
    const PER_METRE: f64 = 0.03;
    const SCARCE: f64 = 0.05;
    const WHERE_SCARCE: f64 = 2.0;
    let moved: f64 = stance.x.iter().zip(&from.x).map(|(to, from)| (to - from).abs()).sum();
    let way = 0.25 * moved + (stance.height - from.height).abs();
    let worth = margin.min(with.good_margin) + WHERE_SCARCE * margin.min(SCARCE);
    worth - PER_EFFORT * (effort - EASY_EFFORT).max(0.0) - PER_METRE * way
}

/// The stance with this number, if the wheels may roll that far and keep clear of each other.
///
/// What most often decides is the line from the partner to the other end's foot on the same side: the farther that foot is
/// from its own end, the farther is the line from the middle.
fn candidate(index: usize, step: &Step, from: &Stance) -> Option<Stance> {
    let (mut rest, mut offsets) = (index, [0.0; 4]);
    for (offset, (count, spacing)) in offsets.iter_mut().zip(GRID) {
        *offset = ((rest % count) as f64 - 0.5 * (count - 1) as f64) * spacing;
        rest /= count;
    }
    let mut stance = Stance { x: from.x, height: step.height + offsets[3] };
    let own = step.usual[0] + offsets[0] - from.x[step.leg];
    stance.x[step.leg] += own;
    stance.x[step.partner] += own;
    for (leg, offset) in step.others.into_iter().zip([offsets[1], offsets[2]]) {
        stance.x[leg] = step.usual[1] + offset;
        let rolls = stance.x[leg] - from.x[leg] - own;
        if rolls < step.roll[0] || rolls > step.roll[1] {
            return None;
        }
    }
    let apart = |one: f64, other: f64| (one - other).abs() > BETWEEN_AXLES;
    let (leg, [same_side, other_side]) = (step.leg, step.others);
    let swing = stance.x[leg] + step.reach;
    let clear = apart(stance.x[leg], stance.x[same_side])
        && apart(swing, stance.x[same_side])
        && (stance.x[leg] > stance.x[same_side]) == (swing > stance.x[same_side])
        && apart(stance.x[step.partner], stance.x[other_side]);
    clear.then_some(stance)
}
