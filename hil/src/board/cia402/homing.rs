//! Homing (CiA 402-2, mode 6): for drives that do not know where they are when their power comes.
//!
//! The drive's zero becomes the home, so that a joint's `offset` in the bus file is its position at home. The emulated drive
//! knows four methods: 17 and 18, on to the limit switch in negative or positive direction of its counter and back until the
//! switch opens; 35 and 37, the present position. Its switch closes where the joint is at home or beyond.

use page::{Fault, Fields, Range};
use robot_io::{JointCommand, State};

use super::firmware::DriveFirmware;
use super::state::{DriveState, control, status};
use crate::board::fields::{DECELERATION, LEAST};
use crate::coe::{Dictionary, Slot};

/// What a bus file says of a drive's homing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Homing {
    /// Object 0x6098.
    pub method: i8,
    /// Object 0x6099:1, on to the switch [rad/s] or [m/s].
    pub search_speed: f64,
    /// Object 0x6099:2, off the switch [rad/s] or [m/s].
    pub zero_speed: f64,
    /// Object 0x609A [rad/s²] or [m/s²].
    pub acceleration: f64,
}

impl Homing {
    /// Reads `homing` from a board's fields; speeds are at most `fastest`.
    pub(super) fn read(fields: &mut Fields<'_>, fastest: f64) -> Result<Option<Homing>, Fault> {
        let Some(value) = fields.get("homing") else { return Ok(None) };
        let mut fields = value.table()?;
        let method = fields.need("method", "the number of a homing method")?.whole_in(i8::MIN..=i8::MAX, "")?;
        let speed = Range::new(LEAST, fastest, "rad/s");
        let search_speed = fields.number_or("search_speed", speed, 0.1 * fastest)?;
        let zero_speed = fields.number_or("zero_speed", speed, 0.1 * search_speed)?;
        let acceleration = fields.number_or("acceleration", DECELERATION, 10.0 * search_speed)?;
        fields.finish()?;
        Ok(Some(Homing { method, search_speed, zero_speed, acceleration }))
    }
}

/// Where the emulated drive keeps its settings for homing.
#[derive(Clone, Copy, Debug)]
pub(super) struct HomingSlots {
    pub method: Slot,
    pub search_speed: Slot,
    pub zero_speed: Slot,
    pub acceleration: Slot,
}

/// How far the emulated drive's homing is.
#[derive(Clone, Copy, Debug, Default, State)]
pub(super) struct HomingRun {
    /// The counter was set to 0 where the joint stood when power came.
    placed: bool,
    phase: Phase,
    attained: bool,
    failed: bool,
    /// Controlword bit 4 as it last was.
    asked: bool,
    /// The drive's own position target, as its encoder counts [rad] or [m].
    aim: f64,
    /// [rad/s] or [m/s].
    speed: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
enum Phase {
    #[default]
    Still,
    /// On to the switch.
    Searching,
    /// Off it again.
    Leaving,
}

impl HomingRun {
    /// The drive stays where it is.
    pub fn rest(&mut self, position: f64) {
        self.aim = position;
    }
}

/// The direction of the counter in which a method looks for its switch.
fn direction(method: i64) -> Option<i64> {
    match method {
        17 => Some(-1),
        18 => Some(1),
        _ => None,
    }
}

impl DriveFirmware {
    /// The bits of the statusword that are homing's in mode 6.
    pub(super) fn homing_bits(&self) -> u16 {
        let HomingRun { phase, attained, failed, .. } = self.homing;
        let bits =
            [(phase == Phase::Still, status::REACHED), (attained, status::FOLLOWS), (failed, status::FOLLOWING_ERROR)];
        bits.iter().filter(|(set, _)| *set).fold(0, |word, (_, bit)| word | bit)
    }

    /// Controlword bit 4: its rising edge begins, and lowering it in between ends without a result.
    pub(super) fn obey_homing(&mut self, objects: &Dictionary, word: u16) {
        let asked = word & control::START_HOMING != 0;
        let before = core::mem::replace(&mut self.homing.asked, asked);
        match (before, asked) {
            (false, true) => self.begin_homing(objects),
            (true, false) if self.homing.phase != Phase::Still => self.homing.phase = Phase::Still,
            _ => {}
        }
    }

    /// Leaving the mode, or operation enabled, ends a search without a result.
    pub(super) fn end_homing(&mut self) {
        (self.homing.phase, self.homing.asked) = (Phase::Still, false);
    }

    fn begin_homing(&mut self, objects: &Dictionary) {
        let method = objects.get_signed(self.slots.homing.method);
        (self.homing.attained, self.homing.failed) = (false, false);
        (self.homing.aim, self.homing.speed) = (self.seen.encoder.position, 0.0);
        match method {
            35 | 37 => self.arrive(),
            17 | 18 => self.homing.phase = Phase::Searching,
            _ => self.homing.failed = true,
        }
    }

    /// Here is home.
    fn arrive(&mut self) {
        self.seen.encoder.restart(&self.settings.position);
        (self.homing.phase, self.homing.attained) = (Phase::Still, true);
        self.homing.aim = self.seen.encoder.position;
        self.last_target = None;
    }

    /// After each sample: how the search goes on.
    pub(super) fn search(&mut self, objects: &Dictionary, elapsed: f64) {
        if self.settings.homing.is_none() {
            return;
        }
        if !core::mem::replace(&mut self.homing.placed, true) {
            self.seen.encoder.restart(&self.settings.position);
        }
        let method = objects.get_signed(self.slots.homing.method);
        let Some(direction) = direction(method).filter(|_| self.homing.phase != Phase::Still) else { return };
        // home is where the encoder would count 0 if it had never lost itself
        let is_on_switch = direction * self.seen.encoder.distance_from_home() >= 0;
        match (self.homing.phase, is_on_switch) {
            (Phase::Searching, true) => {
                self.homing.phase = Phase::Leaving;
                (self.homing.aim, self.homing.speed) = (self.seen.encoder.position, 0.0);
            }
            (Phase::Leaving, false) => return self.arrive(),
            _ => {}
        }
        let (slot, sign) = match self.homing.phase {
            Phase::Searching => (self.slots.homing.search_speed, direction as f64),
            _ => (self.slots.homing.zero_speed, -direction as f64),
        };
        // the counter's direction in the joint's units
        let way = sign * self.settings.encoder.sign;
        let change = self.speed(objects, self.slots.homing.acceleration) * elapsed;
        self.homing.speed = (self.homing.speed.abs() + change).min(self.speed(objects, slot)) * way;
        self.homing.aim += self.homing.speed * elapsed;
    }

    /// What the joint is told in mode 6: the drive's own profile, with its own gains where it has any.
    pub(super) fn homing_command(&self, stiffness: f64, damping: f64, braking: f64) -> JointCommand {
        let HomingRun { phase, aim, speed, .. } = self.homing;
        let velocity = if phase == Phase::Still { 0.0 } else { speed };
        if stiffness > 0.0 {
            JointCommand { position: aim, velocity, effort: 0.0, stiffness, damping }
        } else {
            JointCommand::turn(velocity, braking)
        }
    }

    /// True while mode 6 is in force and the drive is on.
    pub(super) fn is_homing(&self) -> bool {
        self.mode == super::Mode::Homing && self.state == DriveState::OperationEnabled
    }
}
