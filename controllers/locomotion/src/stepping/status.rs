//! How far a crossing has got, and why it ends.

use core::fmt;

use robot_io::{State, StateVisitor};

/// What a crossing is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub enum CrossingPhase {
    /// Drives up to the edge, or over it with the legs that are across.
    #[default]
    Drive,
    /// Turns the wheel pairs straight ahead.
    Square,
    /// Looks for a stance in which a foot can be lifted.
    Plan,
    /// Moves base and feet into that stance.
    Shift,
    /// Gives the leg's load to the others.
    Unload,
    /// Lifts the foot.
    Lift,
    /// Moves it over the edge.
    Reach,
    /// Takes it back: something was in its way.
    Retreat,
    /// Puts it down.
    Lower,
    /// Gives it its load back.
    Load,
    /// Goes back to the usual places of the feet.
    Restore,
    /// Drives on until nothing is near the edge.
    Clear,
    /// All feet are across.
    Done,
    /// It has ended before: all feet are on the ground, on whichever side.
    Failed,
}

impl CrossingPhase {
    #[cfg(test)]
    const ALL: [CrossingPhase; 14] = [
        CrossingPhase::Drive,
        CrossingPhase::Square,
        CrossingPhase::Plan,
        CrossingPhase::Shift,
        CrossingPhase::Unload,
        CrossingPhase::Lift,
        CrossingPhase::Reach,
        CrossingPhase::Retreat,
        CrossingPhase::Lower,
        CrossingPhase::Load,
        CrossingPhase::Restore,
        CrossingPhase::Clear,
        CrossingPhase::Done,
        CrossingPhase::Failed,
    ];

    /// In words.
    pub const fn text(self) -> &'static str {
        match self {
            CrossingPhase::Drive => "driving to the edge",
            CrossingPhase::Square => "wheels straight ahead",
            CrossingPhase::Plan => "looking for a stance",
            CrossingPhase::Shift => "shifting the base",
            CrossingPhase::Unload => "unloading a leg",
            CrossingPhase::Lift => "lifting a foot",
            CrossingPhase::Reach => "reaching over the edge",
            CrossingPhase::Retreat => "taking a foot back",
            CrossingPhase::Lower => "putting a foot down",
            CrossingPhase::Load => "loading a leg",
            CrossingPhase::Restore => "back to the usual stance",
            CrossingPhase::Clear => "driving clear of the edge",
            CrossingPhase::Done => "across",
            CrossingPhase::Failed => "failed",
        }
    }

    /// True while a foot is in the air.
    pub const fn is_swing(self) -> bool {
        matches!(self, CrossingPhase::Lift | CrossingPhase::Reach | CrossingPhase::Retreat | CrossingPhase::Lower)
    }
}

/// Why a crossing does not begin or ends before all feet are across. The numbers of each are found and allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum CrossingFailure {
    /// The robot is not one that can step: four legs, two in front, left and right.
    #[default]
    NotFourLegs,
    /// It is at another edge.
    Busy,
    /// The step is too high [m].
    TooHigh(f64, f64),
    /// The gap is too wide [m].
    TooWide(f64, f64),
    /// The robot does not face the edge [rad].
    NotFacing(f64, f64),
    /// The edge is too far ahead or behind the front wheels [m].
    NotNear(f64, f64),
    /// No stance keeps enough margin with a foot lifted [m].
    NoStance(f64, f64),
    /// The measured margin is not what was predicted [m].
    Margin(f64, f64),
    /// The base tilts [rad].
    Tilt(f64, f64),
    /// There is no ground where the foot was to be put down [m].
    NoGround(f64, f64),
    /// Something is in the foot's way [N].
    Obstructed(f64, f64),
    /// Somebody wanted it so, or a motor does not do what it is told.
    Aborted,
}

impl CrossingFailure {
    /// In words, with the unit of the numbers.
    pub const fn text(self) -> &'static str {
        match self {
            CrossingFailure::NotFourLegs => "crossing refused: robot without two front and two rear legs",
            CrossingFailure::Busy => "crossing refused: another is under way",
            CrossingFailure::TooHigh(..) => "crossing refused: step too high [m]",
            CrossingFailure::TooWide(..) => "crossing refused: gap too wide [m]",
            CrossingFailure::NotFacing(..) => "crossing refused: not facing the edge [rad]",
            CrossingFailure::NotNear(..) => "crossing refused: edge too far from the front wheels [m]",
            CrossingFailure::NoStance(..) => "crossing failed: no stance with enough margin to lift a foot [m]",
            CrossingFailure::Margin(..) => "crossing failed: margin too small with a foot lifted [m]",
            CrossingFailure::Tilt(..) => "crossing failed: base tilts [rad]",
            CrossingFailure::NoGround(..) => "crossing failed: no ground under the foot, depth [m]",
            CrossingFailure::Obstructed(..) => "crossing failed: something in the foot's way [N]",
            CrossingFailure::Aborted => "crossing aborted",
        }
    }

    /// The number found and the number allowed; not-a-number where there is none.
    pub const fn numbers(self) -> (f64, f64) {
        match self {
            CrossingFailure::NotFourLegs | CrossingFailure::Busy | CrossingFailure::Aborted => (f64::NAN, f64::NAN),
            CrossingFailure::TooHigh(found, limit)
            | CrossingFailure::TooWide(found, limit)
            | CrossingFailure::NotFacing(found, limit)
            | CrossingFailure::NotNear(found, limit)
            | CrossingFailure::NoStance(found, limit)
            | CrossingFailure::Margin(found, limit)
            | CrossingFailure::Tilt(found, limit)
            | CrossingFailure::NoGround(found, limit)
            | CrossingFailure::Obstructed(found, limit) => (found, limit),
        }
    }

    const fn code(self) -> u64 {
        match self {
            CrossingFailure::NotFourLegs => 0,
            CrossingFailure::Busy => 1,
            CrossingFailure::TooHigh(..) => 2,
            CrossingFailure::TooWide(..) => 3,
            CrossingFailure::NotFacing(..) => 4,
            CrossingFailure::NotNear(..) => 5,
            CrossingFailure::NoStance(..) => 6,
            CrossingFailure::Margin(..) => 7,
            CrossingFailure::Tilt(..) => 8,
            CrossingFailure::NoGround(..) => 9,
            CrossingFailure::Obstructed(..) => 10,
            CrossingFailure::Aborted => 11,
        }
    }

    const fn new(code: u64, found: f64, limit: f64) -> CrossingFailure {
        match code {
            1 => CrossingFailure::Busy,
            2 => CrossingFailure::TooHigh(found, limit),
            3 => CrossingFailure::TooWide(found, limit),
            4 => CrossingFailure::NotFacing(found, limit),
            5 => CrossingFailure::NotNear(found, limit),
            6 => CrossingFailure::NoStance(found, limit),
            7 => CrossingFailure::Margin(found, limit),
            8 => CrossingFailure::Tilt(found, limit),
            9 => CrossingFailure::NoGround(found, limit),
            10 => CrossingFailure::Obstructed(found, limit),
            11 => CrossingFailure::Aborted,
            _ => CrossingFailure::NotFourLegs,
        }
    }
}

impl fmt::Display for CrossingFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (found, limit) = self.numbers();
        f.write_str(self.text())?;
        if found.is_nan() { Ok(()) } else { write!(f, " {found:.3}, limit {limit:.3}") }
    }
}

impl core::error::Error for CrossingFailure {}

impl State for CrossingFailure {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let (mut code, (mut found, mut limit)) = (self.code(), self.numbers());
        code.visit_state(visitor);
        found.visit_state(visitor);
        limit.visit_state(visitor);
        *self = CrossingFailure::new(code, found, limit);
    }
}

/// How far a crossing has got.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CrossingStatus {
    /// What it is at.
    pub phase: CrossingPhase,
    /// Feet that are across, 0 to 4.
    pub feet_across: usize,
    /// The leg that is being moved, an index into the robot's legs in the order of its wheels.
    pub leg: Option<usize>,
    /// Static margin: the centre of mass to the edge of the polygon of the wheels that carry [m].
    pub margin: f64,
    /// The smallest such margin of this crossing [m].
    pub least_margin: f64,
    /// Distance along the way that is driven now [m]; negative backwards.
    pub remaining: f64,
    /// Why it failed.
    pub failure: Option<CrossingFailure>,
}

impl CrossingStatus {
    /// True if all feet are across and the robot stands as usual.
    pub fn is_done(&self) -> bool {
        self.phase == CrossingPhase::Done
    }

    /// Why it ended before.
    pub fn failed(&self) -> Option<CrossingFailure> {
        self.failure.filter(|_| self.phase == CrossingPhase::Failed)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use robot_io::{StateReader, StateWriter};

    #[test]
    fn a_failure_says_its_numbers_and_survives_a_snapshot() {
        let mut failure = CrossingFailure::Margin(0.012, 0.03);
        assert_eq!(failure.to_string(), "crossing failed: margin too small with a foot lifted [m] 0.012, limit 0.030");
        assert_eq!(CrossingFailure::Aborted.to_string(), "crossing aborted");
        let saved = StateWriter::save(&mut failure);
        let mut other = CrossingFailure::default();
        StateReader::restore(&mut other, &saved).unwrap();
        assert_eq!(other, failure);
    }

    #[test]
    fn every_phase_survives_a_snapshot() {
        for mut phase in CrossingPhase::ALL {
            let saved = StateWriter::save(&mut phase);
            let mut other = CrossingPhase::default();
            StateReader::restore(&mut other, &saved).unwrap();
            assert_eq!(other, phase);
        }
    }
}
