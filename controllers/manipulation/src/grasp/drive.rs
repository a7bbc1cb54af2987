//! What fingers are told: to be at a share, or to close and press.

use robot_io::{JointCommand, JointState, State};

use super::grip::{Grip, GripSettings};
use super::hand::Hand;
use crate::error::{ManipulationError, check_number};

/// Leads a hand's fingers: it opens to a share, or closes gently until both sides have met something and then presses.
///
/// A finger's command is never farther ahead of where the finger is measured than gives the wanted effort with the stiffness of its servo. From
/// where both sides were stopped the fingers hold like springs what weight or inertia would move in them.
#[derive(Clone, Debug, State)]
pub struct FingerDrive {
    #[state(fixed)]
    settings: GripSettings,
    task: Task,
    /// The share to which the fingers are told to go; unknown at first.
    share: Option<f64>,
    /// The share to open to, or the force to hold with [N]; unknown at first.
    wanted: Option<f64>,
    /// The force with which the fingers are told to press now [N].
    force: f64,
    /// Where the joints are held from where they press, in the hand's order.
    held: Vec<f64>,
    /// Where the joints were told to be last; none before the first cycle.
    told: Vec<f64>,
    /// A joint is still on its way to where it is told to be.
    lags: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
enum Task {
    #[default]
    Open,
    Close,
    /// The force rises, and then stays.
    Press,
    Hold,
}

impl FingerDrive {
    /// For a hand, which stays where it is until it is told otherwise; refused if a setting is out of its bounds.
    pub fn new(hand: &Hand, settings: GripSettings) -> Result<FingerDrive, ManipulationError> {
        settings.check()?;
        let (held, told) = (vec![0.0; hand.joints().len()], Vec::with_capacity(hand.joints().len()));
        Ok(FingerDrive { settings, task: Task::Open, share: None, wanted: None, force: 0.0, held, told, lags: false })
    }

    /// Opens, or closes without pressing, to a share from 0 to 1; refused if it is none.
    pub fn open(&mut self, share: f64) -> Result<(), ManipulationError> {
        check_number("a hand", "share", (0.0, 1.0), "1", share)?;
        (self.task, self.share, self.wanted) = (Task::Open, None, Some(share));
        Ok(())
    }

    /// Closes, and holds with a force of the fingers of either side [N]; refused if it is more than the hand may press with.
    pub fn close(&mut self, hand: &Hand, force: f64) -> Result<(), ManipulationError> {
        check_number(hand.name(), "force", (0.0, hand.force()), "N", force)?;
        (self.task, self.share, self.wanted) = (Task::Close, None, Some(force));
        Ok(())
    }

    /// The share to which the fingers are told to go.
    pub fn share(&self) -> f64 {
        self.share.unwrap_or(0.0)
    }

    /// Whether a share that was asked for is commanded, or the force is there.
    pub fn is_done(&self) -> bool {
        match self.task {
            Task::Open => self.share.is_some() && self.share == self.wanted && !self.lags,
            Task::Close | Task::Press => false,
            Task::Hold => true,
        }
    }

    /// Once in each cycle: with what all joints of the robot measure, what the [`GripMonitor`](crate::GripMonitor) says, and how long a
    /// cycle is [s], writes the commands of the hand's joints among those of all joints.
    pub fn update(
        &mut self,
        hand: &Hand,
        joints: &[JointState],
        grip: &Grip,
        cycle: f64,
        commands: &mut [JointCommand],
    ) {
        let shares = hand.shares(joints);
        let before = self.share.unwrap_or((0.5 * (shares[0] + shares[1])).clamp(0.0, 1.0));
        self.share = Some(before);
        let wanted = *self.wanted.get_or_insert(before);
        match self.task {
            Task::Open => {
                let most = self.settings.opening * cycle;
                self.share = Some(before + (wanted - before).clamp(-most, most));
                self.force = hand.force();
            }
            Task::Close if matches!(grip, Grip::Holding { .. }) => self.latch(hand, joints, shares),
            Task::Close => {
                self.share = Some((before + self.settings.closing * cycle).min(1.0));
                self.force = self.touch(hand, wanted);
            }
            Task::Press => self.raise(self.touch(hand, wanted), wanted, cycle),
            Task::Hold => {}
        }
        let rate = (self.share() - before) / cycle;
        if self.told.is_empty() {
            self.told.extend((0..self.held.len()).map(|place| hand.measured(joints, place).position));
        }
        self.lags = false;
        for place in 0..self.held.len() {
            let Some(command) = hand.joints().get(place).and_then(|joint| commands.get_mut(*joint)) else { continue };
            *command = match self.task {
                Task::Open | Task::Close => self.lead(hand, joints, place, (shares[hand.side(place)], rate)),
                Task::Press | Task::Hold => self.press(hand, place),
            };
            self.lag(hand, place, cycle, command);
        }
    }

    /// A joint is told no more in a cycle than it may move in one.
    fn lag(&mut self, hand: &Hand, place: usize, cycle: f64, command: &mut JointCommand) {
        let (told, step) = (&mut self.told[place], hand.speed(place) * cycle);
        let bounded = command.position.clamp(*told - step, *told + step);
        self.lags |= bounded != command.position;
        (*told, command.position) = (bounded, bounded);
    }

    /// The joints are held where they are from now on.
    fn latch(&mut self, hand: &Hand, joints: &[JointState], shares: [f64; 2]) {
        self.task = Task::Press;
        self.share = Some(0.5 * (shares[0] + shares[1]));
        for (place, held) in self.held.iter_mut().enumerate() {
            *held = hand.measured(joints, place).position;
        }
    }

    /// The force goes evenly from that with which it closed to the wanted one, which may be less.
    fn raise(&mut self, touch: f64, wanted: f64, cycle: f64) {
        let part = if self.settings.rise > 0.0 { cycle / self.settings.rise } else { 1.0 };
        self.force = (self.force + (wanted - touch) * part).clamp(touch.min(wanted), touch.max(wanted));
        if self.force == wanted {
            self.task = Task::Hold;
        }
    }

    /// The force with which it closes [N].
    fn touch(&self, hand: &Hand, wanted: f64) -> f64 {
        (self.settings.touch * wanted).max(self.settings.least_touch * hand.force())
    }

    /// On the way: no farther ahead of where the joint is than the force allows. `side` is the share of the joint's side, and the commanded one
    /// changes at a rate [1/s].
    fn lead(&self, hand: &Hand, joints: &[JointState], place: usize, (side, rate): (f64, f64)) -> JointCommand {
        let share = self.share();
        let here = hand.measured(joints, place).position;
        let most = self.ahead(hand, place, side);
        let wanted = hand.position(place, share);
        if self.task == Task::Close && !hand.presses(place) {
            // it would go away from what the finger meets: it keeps to the others, and presses
            return hand.hold(place, hand.position(place, side.clamp(0.0, share)) + most);
        }
        let bounded = wanted.clamp(here - most.abs(), here + most.abs());
        let mut command = hand.hold(place, bounded);
        command.velocity = if bounded == wanted { rate * hand.range(place) } else { 0.0 };
        command
    }

    /// From where the joint is held, ahead by what the force takes.
    fn press(&self, hand: &Hand, place: usize) -> JointCommand {
        hand.hold(place, self.held[place] + self.ahead(hand, place, self.share()))
    }

    /// How far ahead of itself a joint is told to be so that it gives its part of the force [rad or m].
    fn ahead(&self, hand: &Hand, place: usize, share: f64) -> f64 {
        self.force * hand.effort(place, share) / hand.stiffness(place)
    }
}
