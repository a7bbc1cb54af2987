//! From a pose of a hand to positions of the joints.

mod damped;
mod halton;
mod normal;
mod settings;

use nalgebra::{Isometry3, Vector3};

use crate::error::{ManipulationError, check_numbers};
use crate::kinematics::{MOST_JOINTS, Matrix, SerialChain};
use damped::{Ends, Wanted, descend};
use halton::halton;
pub use settings::IkSettings;

/// Where a chain's tip should be, in the frame of the chain's root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// There and turned so.
    Pose(Isometry3<f64>),
    /// There [m], however it is turned.
    Position(Vector3<f64>),
}

/// What came out of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Whether the tip is where it should be, within the tolerances, in a way that is accepted.
    pub reached: bool,
    /// How far away it is [m].
    pub position_error: f64,
    /// By how much it is turned away [rad]; zero where only a position is asked for.
    pub orientation_error: f64,
    /// How many answers were found, the nearest of which it is.
    pub answers: u32,
    /// From how many places of the joints was begun.
    pub starts: u32,
    /// Steps of all starts.
    pub steps: u32,
}

/// Looks for positions of a chain's joints at which its tip is at a pose.
///
/// It begins where the joints are, then at places that are spread over their limits by the Halton sequence, and takes of
/// several answers the one nearest to where the joints are. The same question has the same answer, to the bit.
#[derive(Clone, Debug)]
pub struct InverseKinematics {
    chain: SerialChain,
    settings: IkSettings,
}

/// The best as yet.
struct Best {
    positions: [f64; MOST_JOINTS],
    outcome: Outcome,
    /// How good it is: the distance to where the joints are if it is an answer, else the error.
    merit: f64,
}

/// Brings positions of a chain's joints that are near to it to a pose of its tip in its root's frame, in no more than so many steps and within the joints'
/// limits: for what is followed from cycle to cycle, where a search has found the way. Left as they are unless all are finite numbers, one for each joint.
pub fn follow(chain: &SerialChain, pose: &Isometry3<f64>, positions: &mut [f64], most_steps: u32) {
    const ENDS: Ends = Ends { position: 1e-5, orientation: 1e-5, most_steps: 0 };
    if check_numbers("a chain's positions", "positions", chain.dof(), positions).is_ok() {
        let pose = Matrix { rotation: pose.rotation.to_rotation_matrix().into_inner(), place: pose.translation.vector };
        descend(chain, &Wanted { pose, turned: true }, &Ends { most_steps, ..ENDS }, positions);
    }
}

impl InverseKinematics {
    /// For this chain; refused if a setting is out of its bounds.
    pub fn new(chain: SerialChain, settings: IkSettings) -> Result<InverseKinematics, ManipulationError> {
        settings.check()?;
        Ok(InverseKinematics { chain, settings })
    }

    /// The chain.
    pub fn chain(&self) -> &SerialChain {
        &self.chain
    }

    /// Moves `positions`, where the chain's joints are, to where its tip is at the goal. If there is no answer they are where
    /// the tip comes nearest of all that was tried, and the outcome says how near.
    ///
    /// Refused are positions or a goal that are not finite numbers.
    pub fn solve(&self, goal: &Goal, positions: &mut [f64]) -> Result<Outcome, ManipulationError> {
        self.solve_where(goal, positions, |_| true)
    }

    /// The same, of answers that are accepted: free of collisions, say.
    pub fn solve_where(
        &self,
        goal: &Goal,
        positions: &mut [f64],
        mut accepts: impl FnMut(&[f64]) -> bool,
    ) -> Result<Outcome, ManipulationError> {
        let dof = self.chain.dof();
        check_numbers("a chain's positions", "positions", dof, positions)?;
        let (wanted, ends) = (wanted(goal)?, self.ends());
        let mut best = Best { positions: [0.0; MOST_JOINTS], outcome: nothing(), merit: f64::INFINITY };
        let (mut answers, mut all_steps, mut starts) = (0, 0, 0);
        while starts < self.settings.most_starts && answers < self.settings.answers {
            let mut tried = [0.0; MOST_JOINTS];
            self.begin(starts, positions, &mut tried[..dof]);
            starts += 1;
            let missed = descend(&self.chain, &wanted, &ends, &mut tried[..dof]);
            all_steps += missed.steps;
            let is_near = missed.position <= ends.position && missed.orientation <= ends.orientation;
            let reached = is_near && accepts(&tried[..dof]);
            answers += u32::from(reached);
            let merit = match reached {
                true => distance(&tried[..dof], positions),
                false => missed.position + self.chain.reach() * missed.orientation,
            };
            // an answer is better than none
            if (reached, -merit) > (best.outcome.reached, -best.merit) {
                let (position_error, orientation_error) = (missed.position, missed.orientation);
                let outcome = Outcome { reached, position_error, orientation_error, ..best.outcome };
                best = Best { positions: tried, outcome, merit };
            }
        }
        positions.copy_from_slice(&best.positions[..dof]);
        Ok(Outcome { answers, starts, steps: all_steps, ..best.outcome })
    }

    /// Where a start begins: the first where the joints are, within their limits.
    fn begin(&self, start: u32, present: &[f64], positions: &mut [f64]) {
        for (axis, (position, [low, high])) in positions.iter_mut().zip(self.chain.limits()).enumerate() {
            *position = match start {
                0 => present[axis].max(*low).min(*high),
                _ => low + (high - low) * halton(start, axis),
            };
        }
    }

    fn ends(&self) -> Ends {
        Ends {
            position: self.settings.position_tolerance,
            orientation: self.settings.orientation_tolerance,
            most_steps: self.settings.most_steps,
        }
    }
}

fn nothing() -> Outcome {
    let far = f64::INFINITY;
    Outcome { reached: false, position_error: far, orientation_error: far, answers: 0, starts: 0, steps: 0 }
}

fn wanted(goal: &Goal) -> Result<Wanted, ManipulationError> {
    let (pose, turned) = match goal {
        Goal::Pose(pose) => (*pose, true),
        Goal::Position(place) => (Isometry3::translation(place.x, place.y, place.z), false),
    };
    let rotation = pose.rotation.to_rotation_matrix().into_inner();
    let place = pose.translation.vector;
    if !place.iter().chain(rotation.iter()).all(|number| number.is_finite()) {
        return Err(ManipulationError::refused("a goal", "pose", "finite numbers", format!("{pose}")));
    }
    Ok(Wanted { pose: Matrix { rotation, place }, turned })
}

/// The squared distance of two places of the joints.
fn distance(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one - other) * (one - other)).sum()
}
