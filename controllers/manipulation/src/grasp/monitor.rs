//! Watches a hand that closes.

use robot_io::{JointState, State};

use super::grip::{Grip, GripSettings};
use super::hand::Hand;
use crate::error::ManipulationError;

/// Says in each cycle what a hand that closes has come to, by what its joints measure and what it is told.
///
/// It feels by the fingers alone: what slips along them without letting them come nearer is not noticed.
#[derive(Clone, Debug, State)]
pub struct GripMonitor {
    #[state(fixed)]
    settings: GripSettings,
    phase: Phase,
    /// What the fingers should be apart with the object between them [m].
    expected: f64,
    /// Smoothed: the shares of both sides, how fast they change [1/s], the force [N].
    shares: [f64; 2],
    rates: [f64; 2],
    force: f64,
    /// For how long both sides have been stopped, or have held [s].
    lasts: f64,
    /// How far apart the fingers are since they hold [m].
    held: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
enum Phase {
    #[default]
    Open,
    Begins,
    Closing,
    Holding,
    Empty,
    Lost,
}

impl GripMonitor {
    /// A monitor of a hand that does not close yet; refused if a setting is out of its bounds.
    pub fn new(settings: GripSettings) -> Result<GripMonitor, ManipulationError> {
        settings.check()?;
        Ok(GripMonitor {
            settings,
            phase: Phase::Open,
            expected: 0.0,
            shares: [0.0; 2],
            rates: [0.0; 2],
            force: 0.0,
            lasts: 0.0,
            held: 0.0,
        })
    }

    /// The hand begins to close around something with which its fingers are to be so far apart [m]
    /// ([`Grasp::width`](crate::Grasp::width)); with 0 whatever stops them will do, unless that is nothing but their end.
    pub fn close(&mut self, expected: f64) {
        (self.phase, self.expected, self.lasts) = (Phase::Begins, expected, 0.0);
    }

    /// The hand opens, or is not watched any more.
    pub fn open(&mut self) {
        self.phase = Phase::Open;
    }

    /// What it has come to: once in each cycle, with what all joints of the robot measure, the share to which the hand is told to go
    /// ([`FingerDrive::share`](crate::FingerDrive::share)), and how long a cycle is [s].
    pub fn update(&mut self, hand: &Hand, joints: &[JointState], commanded: f64, cycle: f64) -> Grip {
        self.smooth(hand, joints, cycle);
        let width = hand.width_of(self.shares);
        let is_thin = width < self.settings.thin * self.expected || self.is_closed();
        match self.phase {
            Phase::Open => return Grip::Open,
            Phase::Begins => self.phase = Phase::Closing,
            Phase::Closing => {
                self.lasts = if self.is_stopped(commanded) { self.lasts + cycle } else { 0.0 };
                if self.lasts >= self.settings.waits {
                    self.phase = if is_thin { Phase::Empty } else { Phase::Holding };
                    (self.lasts, self.held) = (0.0, width);
                }
            }
            Phase::Holding => {
                self.lasts += cycle;
                if self.lasts < self.settings.settles {
                    self.held = width;
                }
                // no longer by what was expected: tendons and padding give, and it was believed when the fingers met it
                if self.is_closed() || self.held - width > self.settings.lost {
                    self.phase = Phase::Lost;
                }
            }
            Phase::Empty | Phase::Lost => {}
        }
        self.say(width)
    }

    fn say(&self, width: f64) -> Grip {
        let (share, force, by) = (0.5 * (self.shares[0] + self.shares[1]), self.force, self.held - width);
        match self.phase {
            Phase::Open => Grip::Open,
            Phase::Begins | Phase::Closing => Grip::Closing { width },
            Phase::Holding if by > self.settings.slip => Grip::Slipping { width, by },
            Phase::Holding => Grip::Holding { share, width, force },
            Phase::Empty => Grip::Empty { width },
            Phase::Lost => Grip::Lost { width },
        }
    }

    /// First-order low-pass filters, which begin with the first measurement of a grip.
    fn smooth(&mut self, hand: &Hand, joints: &[JointState], cycle: f64) {
        let begins = matches!(self.phase, Phase::Open | Phase::Begins);
        let part = if begins { 1.0 } else { cycle / (self.settings.smoothing + cycle) };
        let follow = |smooth: &mut f64, measured: f64| *smooth += part * (measured - *smooth);
        let (shares, rates) = (hand.shares(joints), hand.rates(joints));
        for side in 0..2 {
            follow(&mut self.shares[side], shares[side]);
            follow(&mut self.rates[side], rates[side]);
        }
        follow(&mut self.force, hand.pressing(joints));
    }

    /// Whether both sides stand, though they are told to go on.
    fn is_stopped(&self, commanded: f64) -> bool {
        let GripSettings { stopped, behind, .. } = self.settings;
        let is_told = |share: &f64| commanded >= share + behind || commanded >= 1.0;
        self.rates.iter().all(|rate| rate.abs() < stopped) && self.shares.iter().all(is_told)
    }

    /// Whether both sides are at the end of their way.
    fn is_closed(&self) -> bool {
        self.shares.iter().all(|share| *share > 1.0 - self.settings.behind)
    }
}
