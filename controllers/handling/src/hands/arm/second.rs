//! An arm that goes along with another.

use robot_io::{ShortName, State};

use super::{Arm, HandFailure, HandProgress, Phase};

/// Where the arm that goes along is led.
#[derive(Clone, Debug, Default, State)]
pub(super) struct Second {
    /// True from when it is led anew until it has heard of that.
    is_led: bool,
    /// Its joints [rad or m], and how fast they are led.
    told: Vec<f64>,
    speeds: Vec<f64>,
}

impl Second {
    /// It is to be there, and to rest.
    pub fn lead(&mut self, told: &[f64]) {
        self.is_led = true;
        told.clone_into(&mut self.told);
        self.speeds.clear();
        self.speeds.resize(told.len(), 0.0);
    }

    /// Where its joints are to be [rad or m].
    pub fn told(&self) -> &[f64] {
        &self.told
    }

    /// It goes there so fast.
    pub fn hurry(&mut self, speeds: &[f64]) {
        speeds.clone_into(&mut self.speeds);
    }
}

impl Arm {
    /// The arm that goes along, if this one has led it in this cycle.
    pub fn leads(&self) -> Option<usize> {
        self.planned.with.filter(|_| self.second.is_led)
    }

    /// The identity of what the hand holds.
    pub fn holds(&self) -> Option<u64> {
        self.held.map(|held| held.id)
    }

    /// Goes along with an arm that leads it.
    pub fn go_along(&mut self, first: &mut Arm) {
        let Second { is_led, told, speeds } = &mut first.second;
        *is_led = false;
        self.told.copy_from_slice(told);
        self.speeds.copy_from_slice(speeds);
    }

    /// The arm of this hand goes along no more.
    pub fn part(&mut self, name: ShortName) {
        self.second.is_led = false;
        if self.phase == Phase::Moves {
            self.break_off(false);
            self.progress = HandProgress::Failed(HandFailure::Apart(name));
        }
    }
}
