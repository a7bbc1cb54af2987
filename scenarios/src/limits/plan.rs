//! What is to be drawn.

use super::levels::Levels;

/// What a map shows the limits of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum MapKind {
    /// Pushes: the largest change of velocity that is survived, by direction and by phase of a step.
    Push,
    /// Slopes: the steepest incline that is walked or driven over, by the direction in which it rises.
    Slope,
    /// Steps: the highest one that is climbed, and the highest one that is gone down.
    Step,
}

impl MapKind {
    /// Its word on the command line and in file names.
    pub fn word(self) -> &'static str {
        match self {
            MapKind::Push => "push",
            MapKind::Slope => "slope",
            MapKind::Step => "step",
        }
    }

    /// The unit of its numbers.
    pub fn unit(self) -> &'static str {
        match self {
            MapKind::Push => "m/s",
            MapKind::Slope => "°",
            MapKind::Step => "m",
        }
    }

    /// Resolution, limit and the largest limit that makes sense, in its unit.
    pub fn usual(self) -> (f64, f64, f64) {
        match self {
            MapKind::Push => (0.05, 1.0, 10.0),
            MapKind::Slope => (1.0, 20.0, 45.0),
            MapKind::Step => (0.01, 0.2, 1.0),
        }
    }

    /// Digits behind the point that show a resolution.
    pub fn digits(resolution: f64) -> usize {
        let is_shown = |digits: &usize| {
            let scaled = resolution * 10_f64.powi(i32::try_from(*digits).unwrap_or(0));
            (scaled - scaled.round()).abs() < 1e-6 * scaled
        };
        (0..5).find(is_shown).unwrap_or(5)
    }
}

/// What is to be drawn, and how finely.
#[derive(Clone, Debug, PartialEq)]
pub struct MapPlan {
    /// Of what.
    pub kind: MapKind,
    /// The sizes that are tried, in the kind's unit.
    pub levels: Levels,
    /// How many directions, evenly spaced from straight ahead; steps have two, up and down, whatever this says.
    pub directions: usize,
    /// Into how many phases a step is divided; of pushes only.
    pub phases: usize,
    /// The link that is pushed; `None` for that of the scenario's first push, else the base.
    pub push_link: Option<String>,
    /// How long a push lasts [s].
    pub push_seconds: f64,
    /// For so long after a push, or after it has arrived, it must not fall [s].
    pub recover: f64,
    /// Compute each run from its beginning, also where it could begin shortly before the push.
    pub from_start: bool,
    /// How many runs at once.
    pub jobs: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resolution_is_shown_with_as_many_digits_as_it_has() {
        assert_eq!([1.0, 0.5, 0.05, 0.01, 0.025].map(MapKind::digits), [0, 1, 2, 2, 3]);
    }
}
