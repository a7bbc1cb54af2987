//! What the robot does when it gets no farther: from mild to desperate.
//!
//! Momaro warned its crew and then drove a fixed primitive after a timeout (paper, section 6.2.2). Here progress counts and not
//! time, and each try is another one: warn, plan again with the present place made expensive, go back on the way that was
//! driven, step aside where there is most room, give up.

mod progress;
mod trail;

pub(crate) use progress::Progress;
pub(crate) use trail::Trail;

use robot_io::{Settings, State};
use serde::{Deserialize, Serialize};

/// Parameters of stuck detection and recovery.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct RecoverySettings {
    /// So much less way left than ever before is progress [m].
    #[setting(0.15, positive)]
    pub progress: f64,
    /// Without progress for so long, the robot is stuck [s].
    #[setting(8.0, positive)]
    pub stall_time: f64,
    /// As long as something is in the way, for so long [s]: it may go by itself.
    #[setting(16.0, positive)]
    pub patience: f64,
    /// So many maps, each with something new, must show from the nearest place that there is no way, until a goal is out of reach.
    #[setting(6, positive)]
    pub refusals: usize,
    /// If something comes into the way where the ground was free, a longer way round is taken only after so long [s].
    #[setting(8.0, not_negative)]
    pub wait: f64,
    /// So far before what has come into the way the robot waits, measured from its base [m].
    #[setting(1.4, not_negative)]
    pub distance: f64,
    /// Plans may become longer by so much in all, for a goal at any distance [m].
    #[setting(20.0, not_negative)]
    pub detours: f64,
    /// So much progress ends a recovery: the next one begins with the mildest means [m].
    #[setting(0.5, positive)]
    pub relief: f64,
    /// A place where the robot was stuck is expensive within this radius [m].
    #[setting(0.6, positive)]
    pub penalty_radius: f64,
    /// How far to go back [m].
    #[setting(0.8, positive)]
    pub back_off: f64,
    /// How far to step aside [m].
    #[setting(0.5, positive)]
    pub side_step: f64,
    /// A recovery manoeuvre ends after this time at the latest [s].
    #[setting(12.0, positive)]
    pub manoeuvre_time: f64,
}

/// A means to get free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Tell the operator, and plan again.
    Warn,
    /// Plan again with the present place made expensive.
    Penalize,
    /// Go back on the way that was driven.
    BackOff,
    /// Step aside, or turn, where there is most room.
    SideStep,
    /// Say that it is stuck.
    GiveUp,
}

/// Counts the tries of one trouble.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub(crate) struct Tries(u32);

impl Tries {
    /// So many so far.
    pub fn count(self) -> u32 {
        self.0
    }

    /// The trouble is over.
    pub fn clear(&mut self) {
        self.0 = 0;
    }

    /// The next means: each once, the manoeuvres twice.
    pub fn next(&mut self) -> Measure {
        use Measure::{BackOff, GiveUp, Penalize, SideStep, Warn};
        const ORDER: [Measure; 6] = [Warn, Penalize, BackOff, SideStep, BackOff, SideStep];
        let measure = ORDER.get(self.0 as usize).copied().unwrap_or(GiveUp);
        self.0 += 1;
        measure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_get_stronger_and_come_to_an_end() {
        let mut tries = Tries::default();
        let means: Vec<Measure> = (0..8).map(|_| tries.next()).collect();
        assert_eq!((means[0], means[1], means[2]), (Measure::Warn, Measure::Penalize, Measure::BackOff));
        assert_eq!((means[6], means[7]), (Measure::GiveUp, Measure::GiveUp));
        tries.clear();
        assert_eq!(tries.next(), Measure::Warn);
    }
}
