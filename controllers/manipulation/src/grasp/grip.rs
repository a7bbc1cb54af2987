//! What a hand that closes has come to, and how it is told apart.

use crate::error::{ManipulationError, check_number};

/// What a hand that closes, or has closed, has come to. Widths are those between the fingers' innermost points [m].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Grip {
    /// It does not close.
    #[default]
    Open,
    /// Its fingers are on the way, or one side has met something and the other has not.
    Closing {
        /// How far apart they are [m].
        width: f64,
    },
    /// Both sides are stopped by something that is wide enough.
    Holding {
        /// The hand's share, the mean of both sides.
        share: f64,
        /// How far apart the fingers are [m].
        width: f64,
        /// The force with which either side presses, by the drives' own efforts [N].
        force: f64,
    },
    /// It has closed without meeting anything: what is between the fingers is thinner than the object.
    Empty {
        /// How far apart they are [m].
        width: f64,
    },
    /// It held, and its fingers have moved on.
    Slipping {
        /// How far apart they are [m].
        width: f64,
        /// By how much they have come nearer since they held [m].
        by: f64,
    },
    /// It held, and what it held is gone.
    Lost {
        /// How far apart they are [m].
        width: f64,
    },
}

/// How a hand closes and what is made of what it feels. All numbers are chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct GripSettings {
    /// How fast it closes, as a share of its way [1/s].
    pub closing: f64,
    /// How fast it opens [1/s].
    pub opening: f64,
    /// It closes with no more than this share of the force with which it is to hold, so that what is met first is not pushed over.
    pub touch: f64,
    /// The least force with which it closes, as a share of the hand's own: gears have friction.
    pub least_touch: f64,
    /// The force rises for so long once both sides have met something [s].
    pub rise: f64,
    /// Time constant with which measurements are smoothed [s].
    pub smoothing: f64,
    /// Fingers that move slower than this share of their way in a second are stopped [1/s] …
    pub stopped: f64,
    /// … if they are so far behind what is commanded, as a share of their way …
    pub behind: f64,
    /// … for so long [s].
    pub waits: f64,
    /// What is thinner than this part of the expected width is not the object.
    pub thin: f64,
    /// So long after both sides were stopped the width counts as the one that is held [s].
    pub settles: f64,
    /// Fingers that have come nearer by so much since then are slipping [m] …
    pub slip: f64,
    /// … and by so much have lost what they held [m].
    pub lost: f64,
}

impl Default for GripSettings {
    fn default() -> Self {
        GripSettings {
            closing: 0.25,
            opening: 0.6,
            touch: 0.2,
            least_touch: 0.15,
            rise: 0.3,
            smoothing: 0.03,
            stopped: 0.04,
            behind: 0.03,
            waits: 0.15,
            thin: 0.4,
            settles: 0.5,
            slip: 0.003,
            lost: 0.01,
        }
    }
}

impl GripSettings {
    pub(super) fn check(&self) -> Result<(), ManipulationError> {
        let part = "settings of a grip";
        let shares = [("touch", self.touch), ("least_touch", self.least_touch), ("thin", self.thin)];
        shares.into_iter().try_for_each(|(field, share)| check_number(part, field, (0.0, 1.0), "1", share))?;
        let rates = [("closing", self.closing), ("opening", self.opening), ("stopped", self.stopped)];
        rates.into_iter().try_for_each(|(field, rate)| check_number(part, field, (1e-3, 100.0), "1/s", rate))?;
        check_number(part, "behind", (0.0, 1.0), "1", self.behind)?;
        let times =
            [("rise", self.rise), ("smoothing", self.smoothing), ("waits", self.waits), ("settles", self.settles)];
        times.into_iter().try_for_each(|(field, time)| check_number(part, field, (0.0, 10.0), "s", time))?;
        let ways = [("slip", self.slip), ("lost", self.lost)];
        ways.into_iter().try_for_each(|(field, way)| check_number(part, field, (1e-4, 1.0), "m", way))
    }
}
