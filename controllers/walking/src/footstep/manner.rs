//! How a single step of a plan is taken.

use robot_io::State;

/// How a step of a plan is taken where the gait's own figures do not do: higher, slower, or just where it was planned.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct Manner {
    /// Its swing has this clearance at least [m].
    pub clearance: f64,
    /// It lasts so long on one foot at least [s]; no longer than the longest step to which time is adjusted.
    pub single: f64,
    /// Before it both feet carry so long at least [s].
    pub both: f64,
    /// Before this share of its time it is not set down: what the foot touches sooner is no ground to stand on.
    pub earliest: f64,
    /// A push moves it no farther than this from its place, along each axis [m].
    pub farthest: f64,
}

impl Default for Manner {
    fn default() -> Manner {
        Manner { clearance: 0.0, single: 0.0, both: 0.0, earliest: 0.0, farthest: f64::INFINITY }
    }
}

impl Manner {
    /// Figures that make no sense are those of the gait.
    #[must_use]
    pub(crate) fn sound(self) -> Manner {
        const LONGEST: f64 = 5.0;
        let within = |value: f64, most: f64| if value.is_nan() { 0.0 } else { value.clamp(0.0, most) };
        Manner {
            clearance: within(self.clearance, 0.5),
            single: within(self.single, LONGEST),
            both: within(self.both, LONGEST),
            earliest: within(self.earliest, 1.0),
            farthest: if self.farthest.is_nan() { f64::INFINITY } else { self.farthest.max(0.0) },
        }
    }
}
