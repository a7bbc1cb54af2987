//! The emulated drive: its program.

use std::sync::Arc;

use robot_io::{Commands, JointCommand, JointStatus, Readings, StateVisitor, Time};

use super::allowance::Allowance;
use super::brake::BrakeState;
use super::dictionary::{Slots, build};
use super::homing::HomingRun;
use super::mode::Mode;
use super::options::stays;
use super::settings::Settings;
use super::start_up::tenths;
use super::state::{DriveState, control, status};
use super::trouble;
use crate::board::BoardFault;
use crate::board::encoder::{Encoder, visit_fault};
use crate::board::values::Values;
use crate::board::{Firmware, board_time};
use crate::coe::Dictionary;

/// How long a fault that was acknowledged may take to vanish [samples]: the robot behind the board resets in its own time.
const PATIENCE: u32 = 32;

/// A drive's program. See the README of this folder for what it does where the standard leaves room.
#[derive(Debug)]
pub(super) struct DriveFirmware {
    pub(super) settings: Arc<Settings>,
    pub(super) slots: Slots,
    values: Values,
    pub(super) state: DriveState,
    control: u16,
    pub(super) mode: Mode,
    /// The board's own clock at the last sample.
    clock: Time,
    /// A sample was taken since the last call of `react`, which then brings no new outputs.
    sampled: bool,
    /// Samples since outputs last arrived.
    pub(super) idle: u32,
    pub(super) seen: Seen,
    /// The last position target in CSP, without wraps [increments].
    pub(super) last_target: Option<i64>,
    /// Where it has got to going after a target that jumped within the following window [increments].
    pub(super) pursued: Option<i64>,
    /// How far the next one may be from it.
    pub(super) allowance: Allowance,
    /// The integral part of the drive's own loop [N·m].
    pub(super) integral: f64,
    /// How long the following error has been too large [s].
    pub(super) late: f64,
    /// The velocity at which it brakes by itself [rad/s].
    pub(super) ramp: Option<f64>,
    /// The position to which that has led from where it began, and at which it then holds [rad].
    pub(super) rest: f64,
    /// The latched fault.
    pub(super) trip: Option<u16>,
    /// A limit of the drive acts.
    pub(super) limited: bool,
    /// Samples for which an acknowledged fault may still vanish.
    patience: u32,
    wants_reset: bool,
    /// The last command to the robot.
    pub(super) held: JointCommand,
    pub(super) broken: Option<BoardFault>,
    pub(super) homing: HomingRun,
    pub(super) brake: BrakeState,
    /// The state to go to once at rest.
    pub(super) leaving: Option<DriveState>,
}

/// What the drive's sensors say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub encoder: Encoder,
    /// Winding [°C].
    pub temperature: f64,
    /// What the robot behind the board says.
    pub status: JointStatus,
}

impl DriveFirmware {
    pub fn new(settings: Arc<Settings>) -> DriveFirmware {
        let mut values = Values::default();
        let (_, slots) = build(&settings, &mut values);
        let seen = Seen { encoder: Encoder::new(settings.endless), ..Seen::default() };
        DriveFirmware {
            settings,
            slots,
            values,
            state: DriveState::default(),
            control: 0,
            mode: Mode::default(),
            clock: Time::ZERO,
            sampled: false,
            idle: 0,
            seen,
            last_target: None,
            pursued: None,
            allowance: Allowance::default(),
            integral: 0.0,
            late: 0.0,
            ramp: None,
            rest: 0.0,
            trip: None,
            limited: false,
            patience: 0,
            wants_reset: false,
            held: JointCommand::default(),
            broken: None,
            homing: HomingRun::default(),
            brake: BrakeState::at_power_on(),
            leaving: None,
        }
    }

    fn hangs(&self) -> bool {
        self.broken == Some(BoardFault::FrozenInputs)
    }

    /// Goes to another state and forgets what belonged to the last.
    pub(super) fn enter(&mut self, state: DriveState) {
        if state == self.state {
            return;
        }
        self.state = state;
        (self.last_target, self.late, self.ramp) = (None, 0.0, None);
        self.end_homing();
        self.leaving = None;
        if matches!(state, DriveState::QuickStopActive | DriveState::FaultReaction) {
            self.ramp = Some(self.seen.encoder.velocity);
            self.rest = self.settings.position.value(self.seen.encoder.counts.last());
        }
    }

    /// Obeys the controlword, one transition at most.
    fn obey(&mut self, objects: &Dictionary) {
        let word = objects.get(self.slots.control) as u16;
        let acknowledged = word & !self.control & control::FAULT_RESET != 0;
        self.control = word;
        if self.state == DriveState::Fault {
            self.acknowledge(objects, acknowledged);
            return;
        }
        let option = objects.get_signed(self.slots.quick_stop);
        let next = self.state.after(word, stays(option));
        let at_once = next == DriveState::QuickStopActive && option == 0;
        let next = self.leave_by_option(objects, next);
        self.enter(if at_once { DriveState::SwitchOnDisabled } else { next });
        self.choose_mode(objects);
        if self.state == DriveState::OperationEnabled && self.leaving.is_none() {
            self.halt(word & control::HALT != 0);
        }
        if self.is_homing() {
            self.obey_homing(objects, word);
        }
    }

    /// Leaves the fault if it was acknowledged and its cause is gone.
    fn acknowledge(&mut self, objects: &Dictionary, acknowledged: bool) {
        if acknowledged {
            self.patience = PATIENCE;
            self.wants_reset = self.seen.status.contains(JointStatus::FAULT);
        }
        if self.patience > 0 && self.cause(objects).is_none() {
            (self.patience, self.trip) = (0, None);
            self.enter(DriveState::SwitchOnDisabled);
        }
    }

    /// Takes over the mode asked for, if the drive has it.
    fn choose_mode(&mut self, objects: &Dictionary) {
        let asked = Mode::from_number(objects.get_signed(self.slots.mode));
        let settings = &self.settings;
        let has = |mode: &Mode| match mode {
            Mode::Homing => settings.homing.is_some(),
            cyclic => settings.modes.contains(*cyclic),
        };
        if let Some(mode) = asked.filter(|mode| has(mode) && *mode != self.mode) {
            (self.mode, self.last_target, self.late) = (mode, None, 0.0);
            self.end_homing();
            self.homing.rest(self.seen.encoder.position);
        }
    }

    fn halt(&mut self, wanted: bool) {
        match (wanted, self.ramp) {
            (true, None) => self.ramp = Some(self.seen.encoder.velocity),
            (false, Some(_)) => (self.ramp, self.last_target) = (None, None),
            _ => (),
        }
    }

    /// Outputs stay away: object 0x6007.
    fn without_bus(&mut self, objects: &Dictionary) {
        match (self.state, objects.get_signed(self.slots.bus_loss)) {
            (DriveState::OperationEnabled, 0) => (),
            (DriveState::OperationEnabled, 1) => self.trip(objects, trouble::BUS_LOST),
            (DriveState::OperationEnabled, 3) => self.enter(DriveState::QuickStopActive),
            (DriveState::OperationEnabled | DriveState::ReadyToSwitchOn | DriveState::SwitchedOn, _) => {
                self.enter(DriveState::SwitchOnDisabled);
            }
            _ => (),
        }
    }

    /// What a lost master last asked for is no reason to move when it is back.
    fn forget_motion(&self, objects: &mut Dictionary) {
        let Slots { target_velocity, velocity_offset, target_torque, torque_offset, .. } = self.slots;
        if self.state == DriveState::OperationEnabled {
            let motion = [target_velocity, velocity_offset, target_torque, torque_offset];
            motion.into_iter().for_each(|slot| objects.set(slot, 0));
        }
    }

    /// Transitions that come by themselves.
    fn move_on(&mut self, objects: &Dictionary) {
        let at_rest = self.ramp.is_none_or(|velocity| velocity == 0.0);
        let stays = stays(objects.get_signed(self.slots.quick_stop));
        match self.state {
            DriveState::NotReady => self.enter(DriveState::SwitchOnDisabled),
            DriveState::QuickStopActive if at_rest && !stays => self.enter(DriveState::SwitchOnDisabled),
            DriveState::FaultReaction if at_rest => self.enter(DriveState::Fault),
            _ => {
                if let Some(state) = self.leaving.filter(|_| at_rest) {
                    self.enter(state);
                }
            }
        }
        self.obey_sto();
    }

    fn publish(&self, objects: &mut Dictionary, operational: bool) {
        let runs = self.state == DriveState::OperationEnabled;
        let halted = runs && self.ramp == Some(0.0);
        let moves = runs && self.ramp.is_none() && self.mode != Mode::Homing && !self.is_braked();
        let follows = moves && self.settings.follow_bit;
        let limit = self.limited || self.seen.status.contains(JointStatus::SATURATED);
        let code = self.trip.unwrap_or(0);
        let word = [
            (true, self.state.statusword() | status::VOLTAGE),
            (operational, status::REMOTE),
            (self.seen.status.contains(JointStatus::DERATED), status::WARNING),
            (limit, status::LIMIT),
            (follows, status::FOLLOWS),
            (self.is_homing(), self.homing_bits()),
            (halted, status::REACHED),
            (code == trouble::FOLLOWING_ERROR, status::FOLLOWING_ERROR),
        ];
        let word = word.iter().filter(|(set, _)| *set).fold(0, |word, (_, bits)| word | bits);
        objects.set(self.slots.status, word.into());
        objects.set(self.slots.mode_display, self.mode as u64);
        objects.set(self.slots.error_code, code.into());
        objects.set(self.slots.error_register, trouble::register(code).into());
        self.publish_sto(objects);
    }
}

impl Firmware for DriveFirmware {
    fn dictionary(&mut self) -> Dictionary {
        let (objects, slots) = build(&self.settings, &mut self.values);
        self.slots = slots;
        objects
    }

    fn react(&mut self, objects: &mut Dictionary, operational: bool) {
        if self.hangs() {
            return;
        }
        let arrived = operational && !self.sampled;
        self.sampled = false;
        if let Some(code) = self.cause(objects) {
            self.trip(objects, code);
        }
        if operational {
            self.obey(objects)
        } else {
            self.forget_motion(objects);
            self.without_bus(objects)
        }
        self.note_outputs(objects, arrived, operational);
        if arrived {
            self.take_targets(objects);
            self.idle = 0;
        }
        self.move_on(objects);
        self.publish(objects, operational);
    }

    fn outputs_at(&mut self, now: Time) {
        self.allowance.arrive(now.nanoseconds());
    }

    fn sample(&mut self, objects: &mut Dictionary, readings: &Readings, now: Time) {
        let Some(joint) = readings.joints.get(self.settings.joint).filter(|_| !self.hangs()) else { return };
        let elapsed = now.since(self.clock).seconds();
        (self.clock, self.sampled) = (now, true);
        (self.idle, self.patience) = (self.idle.saturating_add(1), self.patience.saturating_sub(1));
        self.seen.encoder.read(joint, &self.settings.position, self.broken);
        self.search(objects, elapsed);
        let heated =
            if let Some(BoardFault::Hot { temperature }) = self.broken { temperature } else { joint.temperature };
        (self.seen.temperature, self.seen.status) = (heated, joint.status);
        let settings = &self.settings;
        objects.set(self.slots.position, self.seen.encoder.counts.last() as u64);
        let velocity = settings.velocity.to_i32(self.seen.encoder.velocity).unwrap_or(0);
        objects.set(self.slots.velocity, velocity as u64);
        // the brake makes the torque that the robot behind the board shows then
        let torque = if self.is_braked() { 0.0 } else { joint.effort };
        let slots = [(self.slots.torque, settings.effort.to_i16(torque))];
        for (slot, value) in slots.into_iter().chain([(self.slots.temperature, tenths().to_i16(heated))]) {
            // what is no number leaves the last value
            if let Some(value) = value {
                objects.set(slot, value as u64);
            }
        }
        let measured = board_time(readings, joint.stamp, now);
        objects.set(self.slots.sample_time, measured.nanoseconds() / 1000);
        self.read_contact(objects, readings);
        self.slow_down(objects, elapsed);
        self.sample_brake(objects, joint, elapsed);
        self.pursue(objects, elapsed);
        self.integrate(objects, elapsed);
        self.watch(objects, elapsed);
    }

    fn act(&mut self, objects: &Dictionary, commands: &mut Commands) {
        if !self.hangs() {
            self.held = self.command(objects);
        }
        if let Some(command) = commands.joints.get_mut(self.settings.joint) {
            *command = self.held;
        }
    }

    fn take_reset(&mut self) -> bool {
        core::mem::take(&mut self.wants_reset)
    }

    fn error(&self, objects: &Dictionary) -> Option<(u16, u8)> {
        Some((objects.get(self.slots.error_code) as u16, objects.get(self.slots.error_register) as u8))
    }

    fn set_fault(&mut self, fault: Option<BoardFault>) {
        self.broken = fault;
    }

    fn power_on(&mut self, objects: &mut Dictionary) {
        self.values.restore(objects);
        let fresh = DriveFirmware::new(self.settings.clone());
        let (slots, values, broken) = (self.slots, core::mem::take(&mut self.values), self.broken);
        *self = DriveFirmware { slots, values, broken, ..fresh };
    }

    fn visit_state(&mut self, objects: &mut Dictionary, visitor: &mut dyn StateVisitor) {
        self.values.visit(objects, visitor);
        self.visit_memory(visitor);
    }
}

impl DriveFirmware {
    fn visit_memory(&mut self, visitor: &mut dyn StateVisitor) {
        let mut state = self.state.number();
        visitor.field("state", &mut state);
        self.state = DriveState::from_number(state);
        let mut mode = self.mode as u64;
        visitor.field("mode", &mut mode);
        self.mode = Mode::from_number(mode as i64).unwrap_or_default();
        visitor.field("control", &mut self.control);
        visitor.field("clock", &mut self.clock);
        visitor.field("sampled", &mut self.sampled);
        visitor.field("idle", &mut self.idle);
        visitor.field("encoder", &mut self.seen.encoder);
        visitor.field("temperature", &mut self.seen.temperature);
        visitor.field("status", &mut self.seen.status.0);
        for (name, place) in [("last_target", &mut self.last_target), ("pursued", &mut self.pursued)] {
            let mut target = place.map(|target| target as u64);
            visitor.field(name, &mut target);
            *place = target.map(|target| target as i64);
        }
        visitor.field("allowance", &mut self.allowance);
        visitor.field("integral", &mut self.integral);
        visitor.field("late", &mut self.late);
        visitor.field("ramp", &mut self.ramp);
        visitor.field("rest", &mut self.rest);
        visitor.field("trip", &mut self.trip);
        visitor.field("limited", &mut self.limited);
        visitor.field("patience", &mut self.patience);
        visitor.field("wants_reset", &mut self.wants_reset);
        visitor.field("held", &mut self.held);
        visitor.field("homing", &mut self.homing);
        visitor.field("brake", &mut self.brake);
        let mut leaving = self.leaving.map(DriveState::number);
        visitor.field("leaving", &mut leaving);
        self.leaving = leaving.map(DriveState::from_number);
        visit_fault(&mut self.broken, visitor);
    }
}
