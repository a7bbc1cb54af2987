//! How the emulated drive moves: targets, limits, ramps.

use robot_io::JointCommand;

use super::firmware::DriveFirmware;
use super::mode::Mode;
use super::state::DriveState;
use super::trouble;
use crate::coe::{Dictionary, Slot};

/// A first target may be this many cycles' travel away: the bus is a cycle old in either direction, and the joint moves.
const ENTRY_CYCLES: i64 = 4;

impl DriveFirmware {
    /// Looks at new targets. A position that is farther from the last than the joint may travel trips the drive.
    pub(super) fn take_targets(&mut self, objects: &Dictionary) {
        if self.state != DriveState::OperationEnabled {
            return;
        }
        let gains = [self.slots.stiffness, self.slots.damping].map(|slot| objects.get_f32(slot));
        if gains.iter().any(|gain| !gain.is_finite() || *gain < 0.0) {
            self.trip(objects, trouble::INVALID_GAINS);
            return;
        }
        if self.mode != Mode::Csp || self.ramp.is_some() {
            self.last_target = None;
            return;
        }
        let target = self.target(objects);
        let (from, cycles) = match self.last_target {
            Some(last) => (last, i64::from(self.idle.max(1))),
            None => (self.seen.encoder.counts.last(), ENTRY_CYCLES),
        };
        self.last_target = Some(target);
        if target.abs_diff(from) > self.travel(objects).saturating_mul(cycles).unsigned_abs() {
            self.trip(objects, trouble::FOLLOWING_ERROR);
        }
    }

    /// The position target, without wraps [increments].
    fn target(&self, objects: &Dictionary) -> i64 {
        self.seen.encoder.counts.near(objects.get_signed(self.slots.target_position) as i32)
    }

    /// How far the joint may travel in a cycle [increments].
    fn travel(&self, objects: &Dictionary) -> i64 {
        let power = objects.get_signed(self.slots.cycle_power);
        let number = objects.get(self.slots.cycle_number) as f64;
        let cycle = if power < 0 { number / ten_to(-power) } else { number * ten_to(power) };
        self.settings.position.span(self.speed(objects, self.slots.max_velocity) * cycle)
    }

    /// An object in velocity units, or velocity units per second, as a speed [rad/s].
    fn speed(&self, objects: &Dictionary, slot: Slot) -> f64 {
        self.settings.velocity.value(objects.get(slot) as i64).abs()
    }

    /// Brakes for `elapsed` [s], if the drive brakes by itself.
    pub(super) fn brake(&mut self, objects: &Dictionary, elapsed: f64) {
        let change = self.speed(objects, self.slots.deceleration) * elapsed;
        self.ramp = self.ramp.map(|velocity| velocity - velocity.clamp(-change, change));
        self.rest += self.ramp.unwrap_or(0.0) * elapsed;
    }

    /// Watches the following error (objects 0x6065, 0x6066, 0x60F4).
    pub(super) fn watch(&mut self, objects: &mut Dictionary, elapsed: f64) {
        let target = self.last_target.filter(|_| self.state == DriveState::OperationEnabled);
        let error = target.map_or(0, |target| self.limited_target(objects, target) - self.seen.encoder.counts.last());
        objects.set(self.slots.following_error, error.clamp(i32::MIN.into(), i32::MAX.into()) as u64);
        let window = objects.get(self.slots.following_window);
        if window == u64::from(u32::MAX) || error.unsigned_abs() <= window {
            self.late = 0.0;
            return;
        }
        self.late += elapsed;
        if self.late > objects.get(self.slots.following_time) as f64 * 1e-3 {
            self.trip(objects, trouble::FOLLOWING_ERROR);
        }
    }

    /// A target within object 0x607D [increments]. A joint that turns for ever has no limits.
    fn limited_target(&self, objects: &Dictionary, target: i64) -> i64 {
        let [low, high] = [self.slots.lowest, self.slots.highest].map(|slot| objects.get_signed(slot));
        let unlimited = self.settings.endless && (low, high) == (i32::MIN.into(), i32::MAX.into());
        if unlimited || low > high { target } else { target.clamp(low, high) }
    }

    /// What the robot's joint shall do, within the drive's limits.
    pub(super) fn command(&mut self, objects: &Dictionary) -> JointCommand {
        self.limited = false;
        let command = match (self.state, self.ramp) {
            (DriveState::OperationEnabled, None) => self.follow(objects),
            (DriveState::QuickStopActive, Some(velocity)) if self.holds_at_rest(objects) => {
                let (stiffness, damping) = (gain(objects, self.slots.stiffness), gain(objects, self.slots.damping));
                JointCommand { velocity, ..JointCommand::hold(self.rest, stiffness, damping) }
            }
            (
                DriveState::OperationEnabled | DriveState::QuickStopActive | DriveState::FaultReaction,
                Some(velocity),
            ) => JointCommand::turn(velocity, gain(objects, self.slots.brake_damping)),
            _ => return JointCommand::default(),
        };
        let most = self.settings.effort.value(objects.get(self.slots.max_torque) as i64).abs();
        let (command, limited) = self.seen.encoder.within_effort(command, most);
        self.limited |= limited;
        self.seen.encoder.as_believed(command, self.broken)
    }

    /// True if a quick stop ends in holding, and the drive has a loop that can: one that was only told torques has none.
    fn holds_at_rest(&self, objects: &Dictionary) -> bool {
        let option = objects.get_signed(self.slots.quick_stop);
        (5..=8).contains(&option) && self.mode != Mode::Cst
    }

    /// What the targets ask for, within position and velocity limits.
    fn follow(&mut self, objects: &Dictionary) -> JointCommand {
        let scale = &self.settings;
        let torque = |slot| scale.effort.value(objects.get_signed(slot));
        let most = objects.get(self.slots.max_velocity) as i64;
        let asked = |slot| objects.get_signed(slot);
        let offset = asked(self.slots.velocity_offset);
        let wanted = if self.mode == Mode::Csv { asked(self.slots.target_velocity) + offset } else { offset };
        let velocity = wanted.clamp(-most, most);
        let target = self.last_target.unwrap_or_else(|| self.seen.encoder.counts.last());
        let limited_target = self.limited_target(objects, target);
        let position = scale.position.value(limited_target);
        let damping = gain(objects, self.slots.damping);
        let command = match self.mode {
            Mode::Csp => JointCommand {
                position,
                velocity: scale.velocity.value(velocity),
                effort: torque(self.slots.torque_offset),
                stiffness: gain(objects, self.slots.stiffness),
                damping,
            },
            Mode::Csv => JointCommand {
                effort: torque(self.slots.torque_offset),
                ..JointCommand::turn(scale.velocity.value(velocity), damping)
            },
            Mode::Cst => JointCommand {
                effort: torque(self.slots.target_torque) + torque(self.slots.torque_offset),
                ..JointCommand::default()
            },
        };
        self.limited =
            self.mode != Mode::Cst && velocity != wanted || self.mode == Mode::Csp && limited_target != target;
        command
    }
}

/// A gain; one that is no number or negative is none.
fn gain(objects: &Dictionary, slot: Slot) -> f64 {
    let gain = f64::from(objects.get_f32(slot));
    if gain.is_finite() { gain.max(0.0) } else { 0.0 }
}

/// A power of ten, exact up to 10²².
fn ten_to(power: i64) -> f64 {
    (0..power.min(22)).fold(1.0, |product, _| product * 10.0)
}
