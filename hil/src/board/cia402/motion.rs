//! How the emulated drive moves: targets, limits, ramps.

use robot_io::JointCommand;

use super::firmware::DriveFirmware;
use super::mode::Mode;
use super::settings::{Gains, Settings};
use super::state::DriveState;
use super::trouble;
use crate::coe::{Dictionary, Slot};

/// A first target may be this many cycles' travel away: the bus is a cycle old in either direction, and the joint moves.
const ENTRY_CYCLES: u64 = 4;

/// A joint that is so near its target is there [increments]: without that it would creep about it for ever.
const REST: u64 = 2;

impl DriveFirmware {
    /// Looks at new targets. A position that is farther from the last than the joint may travel, and not within the following
    /// window either, trips the drive.
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
        let is_first = self.last_target.is_none();
        let (from, cycles) = match self.last_target {
            Some(last) => (last, self.allowance.cycles((self.cycle(objects) * 1e9) as u64).max(self.idle.into())),
            None => {
                self.allowance.forget();
                self.pursued = None;
                (self.seen.encoder.counts.last(), ENTRY_CYCLES)
            }
        };
        self.last_target = Some(target);
        let (distance, travel) = (target.abs_diff(from), self.travel(objects).unsigned_abs());
        if distance > travel.saturating_mul(cycles) {
            if !is_first && self.within_window(objects, target) {
                self.pursued = self.pursued.or(Some(from));
            } else {
                self.trip(objects, trouble::FOLLOWING_ERROR);
            }
        }
        self.allowance.use_up(distance.div_ceil(travel.max(1)));
    }

    /// Whether the joint is within the window of object 0x6065 of a target, so that a jump there is only a following error.
    fn within_window(&self, objects: &Dictionary, target: i64) -> bool {
        let window = objects.get(self.slots.following_window);
        let error = target.abs_diff(self.seen.encoder.counts.last());
        window != u64::from(u32::MAX) && error <= window
    }

    /// Goes after a target that jumped for `elapsed` [s], as fast as the joint may turn (object 0x607F).
    pub(super) fn pursue(&mut self, objects: &Dictionary, elapsed: f64) {
        let step = self.settings.position.span(self.speed(objects, self.slots.max_velocity) * elapsed);
        let target = self.last_target;
        let nearer = |from: i64, to: i64| from + (to - from).clamp(-step, step);
        self.pursued = self.pursued.zip(target).map(|(from, to)| nearer(from, to)).filter(|at| Some(*at) != target);
    }

    /// The position target, without wraps [increments].
    fn target(&self, objects: &Dictionary) -> i64 {
        self.seen.encoder.counts.near(objects.get_signed(self.slots.target_position) as i32)
    }

    /// The cycle of the set-points, object 0x60C2 [s].
    fn cycle(&self, objects: &Dictionary) -> f64 {
        let power = objects.get_signed(self.slots.cycle_power);
        let number = objects.get(self.slots.cycle_number) as f64;
        if power < 0 { number / ten_to(-power) } else { number * ten_to(power) }
    }

    /// How far the joint may travel in a cycle [increments].
    fn travel(&self, objects: &Dictionary) -> i64 {
        self.settings.position.span(self.speed(objects, self.slots.max_velocity) * self.cycle(objects))
    }

    /// An object in velocity units, or velocity units per second, as a speed [rad/s].
    pub(super) fn speed(&self, objects: &Dictionary, slot: Slot) -> f64 {
        self.settings.velocity.value(objects.get(slot) as i64).abs()
    }

    /// Brakes for `elapsed` [s], if the drive brakes by itself.
    pub(super) fn slow_down(&mut self, objects: &Dictionary, elapsed: f64) {
        let slot = if self.brakes_slowly(objects) { self.slots.options.slow_down } else { self.slots.deceleration };
        let change = self.speed(objects, slot) * elapsed;
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

    /// The integral part of a drive's own loop, for `elapsed` [s]: a position controller with the gain stiffness / damping
    /// asks for a velocity, and a velocity controller with an integral part makes the torque for it, whatever the friction.
    /// Its integral time, damping / (2·stiffness), leaves a loop with half of the critical damping stable.
    pub(super) fn integrate(&mut self, objects: &Dictionary, elapsed: f64) {
        let Some(target) = self.pursued.or(self.last_target).filter(|_| self.integrates()) else {
            self.integral = 0.0;
            return;
        };
        let Settings { position, velocity, effort, .. } = &*self.settings;
        let increments = self.limited_target(objects, target) - self.seen.encoder.counts.last();
        let [stiffness, damping] = [self.slots.stiffness, self.slots.damping].map(|slot| gain(objects, slot));
        if damping == 0.0 || increments.unsigned_abs() <= REST {
            return;
        }
        let error = position.value(increments) - position.value(0);
        let late = velocity.value(objects.get_signed(self.slots.velocity_offset)) - self.seen.encoder.velocity;
        let rate = 2.0 * stiffness / damping * (stiffness * error + damping * late);
        let most = effort.value(objects.get(self.slots.max_torque) as i64).abs();
        self.integral = (self.integral + rate * elapsed).clamp(-most, most);
    }

    fn integrates(&self) -> bool {
        let own = matches!(self.settings.gains, Gains::Drive { .. });
        own && self.state == DriveState::OperationEnabled && self.mode == Mode::Csp && self.ramp.is_none()
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
        if let Some(braked) = self.brake_command() {
            return self.within_brake(braked);
        }
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
            _ => return self.hold_for_brake(objects).unwrap_or_default(),
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
        let target = self.pursued.or(self.last_target).unwrap_or_else(|| self.seen.encoder.counts.last());
        let limited_target = self.limited_target(objects, target);
        let position = scale.position.value(limited_target);
        let damping = gain(objects, self.slots.damping);
        let command = match self.mode {
            Mode::Csp => JointCommand {
                position,
                velocity: scale.velocity.value(velocity),
                effort: torque(self.slots.torque_offset) + self.integral,
                stiffness: gain(objects, self.slots.stiffness),
                damping,
            },
            Mode::Csv => JointCommand {
                effort: torque(self.slots.torque_offset),
                ..JointCommand::turn(scale.velocity.value(velocity), damping)
            },
            Mode::Homing => {
                let [stiffness, braking] =
                    [self.slots.stiffness, self.slots.brake_damping].map(|slot| gain(objects, slot));
                self.homing_command(stiffness, damping, braking)
            }
            Mode::Cst => JointCommand {
                effort: torque(self.slots.target_torque) + torque(self.slots.torque_offset),
                ..JointCommand::default()
            },
        };
        self.limited = matches!(self.mode, Mode::Csp | Mode::Csv) && velocity != wanted
            || self.mode == Mode::Csp && limited_target != target;
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
