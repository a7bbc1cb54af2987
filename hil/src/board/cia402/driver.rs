//! The MainDevice's end of a drive.

use std::sync::Arc;

use robot_io::{Commands, JointCommand, JointStatus, Readings, State, StateVisitor, Time};

use super::brake::{BRAKE_BIT, BrakeDriver};
use super::mode::{Mode, Targets, choose};
use super::objects as o;
use super::settings::Settings;
use super::start_up::{downloads, tenths};
use super::state::{DriveState, control, status};
use crate::board::scaling::Unwrap;
use crate::board::{BoardDriver, BoardReport, Freshness, Homing, INVALID_INPUT, Order, SdoDownload};
use crate::pdo::{Field, PdoMap};

/// The error code of a drive that is in fault and does not say why.
const UNKNOWN_FAULT: u16 = 0xff00;

/// How many cycles the fault reset bit stays high, and then low, while a drive is in fault: drives that look at their
/// controlword less often than the bus comes by must see the edge too (KickCAT toggles at about 10 Hz).
const RESET_CYCLES: u32 = 16;

/// A driver. It takes one step of the drive's state machine per statusword, and nothing it sends makes torque unless the
/// drive says operation enabled.
#[derive(Debug)]
pub(super) struct Driver {
    settings: Arc<Settings>,
    places: Places,
    /// How far a position target may move in a cycle [increments].
    step: i64,
    /// The position as last decoded, without wraps [increments].
    position: Unwrap,
    /// The last position target [increments].
    target: Option<i64>,
    /// Cycles since the fault reset bit last rose; 0 if it is not asked for.
    resetting: u32,
    freshness: Freshness,
    homing: Homing,
    /// Cycles since homing was asked for.
    looking: u32,
    brake: BrakeDriver,
}

/// Where the objects lie in the process data; what is not mapped is `None`.
#[derive(Debug)]
struct Places {
    controlword: Option<Field>,
    mode: Option<Field>,
    mode_display: Option<Field>,
    target_position: Option<Field>,
    target_velocity: Option<Field>,
    velocity_offset: Option<Field>,
    target_torque: Option<Field>,
    torque_offset: Option<Field>,
    stiffness: Option<Field>,
    damping: Option<Field>,
    statusword: Option<Field>,
    position: Option<Field>,
    velocity: Option<Field>,
    torque: Option<Field>,
    error_code: Option<Field>,
    temperature: Option<Field>,
    sample_time: Option<Field>,
    digital_inputs: Option<Field>,
    digital_outputs: Option<Field>,
    sto: Option<Field>,
    contact_force: Option<Field>,
}

impl Places {
    fn of(settings: &Settings) -> Places {
        let map: &PdoMap = &settings.map;
        let by_bridge = settings.brake.is_some_and(|brake| brake.by_bridge);
        Places {
            controlword: map.output(o::CONTROLWORD, 0),
            mode: map.output(o::MODE, 0),
            mode_display: map.input(o::MODE_DISPLAY, 0),
            target_position: map.output(o::TARGET_POSITION, 0),
            target_velocity: map.output(o::TARGET_VELOCITY, 0),
            velocity_offset: map.output(o::VELOCITY_OFFSET, 0),
            target_torque: map.output(o::TARGET_TORQUE, 0),
            torque_offset: map.output(o::TORQUE_OFFSET, 0),
            stiffness: map.output(o::GAINS, 1),
            damping: map.output(o::GAINS, 2),
            statusword: map.input(o::STATUSWORD, 0),
            position: map.input(o::POSITION, 0),
            velocity: map.input(o::VELOCITY, 0),
            torque: map.input(o::TORQUE, 0),
            error_code: map.input(o::ERROR_CODE, 0),
            temperature: map.input(o::TEMPERATURE, 0),
            sample_time: map.input(o::SAMPLE_TIME, 0),
            digital_inputs: map.input(o::DIGITAL_INPUTS, 0),
            digital_outputs: map.output(o::DIGITAL_OUTPUTS, 1).filter(|_| by_bridge),
            sto: settings.sto.and_then(|sto| map.input(sto.index, sto.sub)),
            contact_force: map.input(o::CONTACT_FORCE, 0),
        }
    }
}

/// A mapped field's value; 0 if it is not mapped.
fn read(field: Option<Field>, data: &[u8]) -> i64 {
    field.map_or(0, |field| field.get_signed(data))
}

fn write(field: Option<Field>, data: &mut [u8], value: i64) {
    if let Some(field) = field {
        field.put(data, value as u64);
    }
}

impl Driver {
    pub fn new(settings: Arc<Settings>) -> Driver {
        let reach = settings.limits.velocity * settings.period.seconds();
        // one less than the drive allows, which rounds up
        let step = (settings.position.span(reach) - 1).max(1);
        let places = Places::of(&settings);
        let (position, freshness) = (Unwrap::new(settings.endless), Freshness::default());
        let homing = if settings.homing.is_some() { Homing::Needed } else { Homing::NotNeeded };
        Driver {
            settings,
            places,
            step,
            position,
            target: None,
            resetting: 0,
            freshness,
            homing,
            looking: 0,
            brake: BrakeDriver::default(),
        }
    }

    /// The controlword that leads one step towards what is wanted.
    fn controlword(&mut self, order: Order, state: DriveState) -> u16 {
        if order != Order::Reset || state != DriveState::Fault {
            self.resetting = 0;
        }
        match (order, state) {
            (Order::Follow | Order::Home, DriveState::SwitchOnDisabled) => control::SHUTDOWN,
            (Order::Follow | Order::Home, DriveState::ReadyToSwitchOn) => control::SWITCH_ON,
            (Order::Follow | Order::Home, DriveState::SwitchedOn) => control::ENABLE_OPERATION,
            (Order::Follow | Order::Hold | Order::Damp, DriveState::OperationEnabled) => control::ENABLE_OPERATION,
            // it has held by itself, and is taken over without a gap
            (Order::Follow | Order::Hold | Order::Home, DriveState::QuickStopActive) => control::ENABLE_OPERATION,
            (Order::Home, DriveState::OperationEnabled) if self.looking > 0 => {
                control::ENABLE_OPERATION | control::START_HOMING
            }
            (Order::Home, DriveState::OperationEnabled) => control::ENABLE_OPERATION,
            (Order::Off, DriveState::OperationEnabled) => self.way_off(),
            // it brakes by itself; taking its voltage away would let it run
            (Order::Damp, DriveState::QuickStopActive) => control::QUICK_STOP,
            (Order::Reset, DriveState::Fault) => {
                let high = self.resetting < RESET_CYCLES;
                self.resetting = (self.resetting + 1) % (2 * RESET_CYCLES);
                if high { control::FAULT_RESET } else { control::DISABLE_VOLTAGE }
            }
            _ => control::DISABLE_VOLTAGE,
        }
    }

    /// Sets or releases a brake that is the bridge's to work. True while the drive has to hold until it has closed: what it was
    /// told last stays, without velocity.
    fn waits_for_brake(&mut self, order: Order, state: DriveState, outputs: &mut [u8]) -> bool {
        let Some(brake) = self.settings.brake else { return false };
        let (on, wanted) = (state == DriveState::OperationEnabled, !matches!(order, Order::Off | Order::Reset));
        let waits = self.brake.step(&brake, on, wanted, self.settings.period);
        write(self.places.digital_outputs, outputs, if on && wanted { 0 } else { BRAKE_BIT as i64 });
        if waits {
            write(self.places.controlword, outputs, control::ENABLE_OPERATION.into());
            write(self.places.target_velocity, outputs, 0);
            write(self.places.velocity_offset, outputs, 0);
        }
        waits
    }

    /// True for a joint without a brake, or with one that has had time to open.
    fn brake_is_open(&self) -> bool {
        self.settings.brake.is_none_or(|brake| self.brake.is_open(&brake, self.settings.period))
    }

    /// The controlword that takes a drive out of operation enabled: along a ramp, if the bus file says that it has one.
    fn way_off(&self) -> u16 {
        let options = &self.settings.options;
        match (options.disable_operation, options.shutdown) {
            (Some(1), _) => control::SWITCH_ON,
            (_, Some(1)) => control::SHUTDOWN,
            _ => control::DISABLE_VOLTAGE,
        }
    }

    fn is_in_homing_mode(&self, inputs: &[u8]) -> bool {
        self.places.mode_display.is_some_and(|field| field.get_signed(inputs) == Mode::Homing as i64)
    }

    /// What the drive says of its zero (CiA 402-2, "homing mode": statusword bits 10, 12 and 13). An error that is there
    /// before it was asked to look is an old one.
    fn note_homing(&mut self, statusword: u16, inputs: &[u8]) {
        if self.homing == Homing::NotNeeded || !self.is_in_homing_mode(inputs) {
            return;
        }
        let has = |bits: u16| statusword & bits == bits;
        if has(status::FOLLOWING_ERROR) {
            if self.looking > RESET_CYCLES {
                self.homing = Homing::Failed;
            }
        } else if has(status::FOLLOWS | status::REACHED) {
            self.homing = Homing::Done;
        }
    }

    /// Counts how long the drive has been looking, so that it is asked in its mode 6 only.
    fn look(&mut self, order: Order, state: DriveState, inputs: &[u8]) {
        let looks = order == Order::Home
            && self.homing == Homing::Needed
            && state == DriveState::OperationEnabled
            && self.is_in_homing_mode(inputs);
        self.looking = if looks { self.looking.saturating_add(1) } else { 0 };
        if order != Order::Home && self.homing == Homing::Failed {
            // the next start tries again
            self.homing = Homing::Needed;
        }
    }

    /// What the drive shall do, in the joint's units and within the joint's limits. A command with a number that is not finite
    /// is answered like [`Order::Damp`].
    fn wanted(&self, order: Order, command: &JointCommand, q: f64, q_dot: f64) -> Targets {
        let settings = &*self.settings;
        let follows = matches!(order, Order::Follow | Order::Hold) && command.is_finite();
        let mut command = if follows { *command } else { JointCommand::turn(0.0, settings.damp) };
        let limits = &settings.limits;
        command.stiffness = command.stiffness.max(0.0);
        command.damping = command.damping.max(0.0);
        command.position = command.position.max(limits.lower).min(limits.upper);
        command.velocity = command.velocity.max(-limits.velocity).min(limits.velocity);
        let mut targets = choose(settings.modes, settings.gains, &command, q, q_dot);
        targets.command.effort = targets.command.effort.max(-limits.effort).min(limits.effort);
        targets
    }

    /// The next position target: where the joint is, or, in CSP, towards the position wanted and no farther than the drive
    /// may move in a cycle.
    fn next_target(&mut self, wanted: Option<f64>, actual: i64) -> i64 {
        let base = self.target.unwrap_or(actual);
        let wanted = wanted.and_then(|position| self.settings.position.increments(position));
        let next = wanted
            .map_or(actual, |wanted| wanted.clamp(base.saturating_sub(self.step), base.saturating_add(self.step)));
        self.target = Some(next);
        next
    }

    fn put_targets(&self, targets: &Targets, position: i64, outputs: &mut [u8]) {
        let Targets { mode, command } = targets;
        let (settings, places) = (&*self.settings, &self.places);
        let velocity = settings.velocity.to_i32(command.velocity).unwrap_or(0);
        let torque = settings.effort.to_i16(command.effort).unwrap_or(0);
        let only = |wanted: Mode, value: i64| if *mode == wanted { value } else { 0 };
        write(places.mode, outputs, *mode as i64);
        write(places.target_position, outputs, position);
        write(places.target_velocity, outputs, only(Mode::Csv, velocity.into()));
        write(places.velocity_offset, outputs, only(Mode::Csp, velocity.into()));
        write(places.target_torque, outputs, only(Mode::Cst, torque.into()));
        write(places.torque_offset, outputs, i64::from(torque) - only(Mode::Cst, torque.into()));
        for (place, gain) in [(places.stiffness, command.stiffness), (places.damping, command.damping)] {
            if let Some(field) = place {
                field.put_f32(outputs, gain.min(f64::from(f32::MAX)) as f32);
            }
        }
    }

    fn status(&self, inputs: &[u8]) -> u16 {
        read(self.places.statusword, inputs) as u16
    }

    /// Whether the drive is enabled and follows its set-points.
    fn follows(&self, state: DriveState, statusword: u16) -> bool {
        let says_so = !self.settings.follow_bit || statusword & status::FOLLOWS != 0;
        state == DriveState::OperationEnabled && says_so
    }

    /// The error code of a drive in fault.
    fn fault(&self, state: DriveState, inputs: &[u8]) -> Option<u16> {
        let faulty = matches!(state, DriveState::Fault | DriveState::FaultReaction);
        let code = read(self.places.error_code, inputs) as u16;
        faulty.then_some(if code == 0 { UNKNOWN_FAULT } else { code })
    }

    /// Takes over the contact switch; false if its force is not a number.
    fn contact(&self, inputs: &[u8], stamp: Time, readings: &mut Readings) -> bool {
        let Some(contact) = self.settings.contact.and_then(|index| readings.contacts.get_mut(index)) else {
            return true;
        };
        let force = self.places.contact_force.map_or(0.0, |field| f64::from(field.get_f32(inputs)));
        if force.is_finite() {
            contact.stamp = stamp;
            contact.touching = read(self.places.digital_inputs, inputs) as u64 & o::CONTACT_BIT != 0;
            contact.force = force;
        }
        force.is_finite()
    }
}

impl BoardDriver for Driver {
    fn start_up(&self) -> Vec<SdoDownload> {
        downloads(&self.settings)
    }

    fn encode(&mut self, order: Order, commands: &Commands, inputs: &[u8], outputs: &mut [u8]) {
        let statusword = self.status(inputs);
        let state = DriveState::from_statusword(statusword).unwrap_or_default();
        self.look(order, state, inputs);
        if self.waits_for_brake(order, state, outputs) {
            return;
        }
        let word = self.controlword(order, state);
        let actual = self.position.near(read(self.places.position, inputs) as i32);
        let q = self.settings.position.value(actual);
        let q_dot = self.settings.velocity.value(read(self.places.velocity, inputs));
        let limp = JointCommand::default();
        let command = commands.joints.get(self.settings.joint).unwrap_or(&limp);
        let mut targets = self.wanted(order, command, q, q_dot);
        // until the drive says that it follows, its targets are where it is, and it shall make no torque
        let takes_over = state == DriveState::QuickStopActive && word == control::ENABLE_OPERATION;
        let moves = self.brake_is_open() && !self.is_in_homing_mode(inputs);
        let follows = self.follows(state, statusword) && moves || takes_over;
        if !follows || matches!(order, Order::Off | Order::Reset | Order::Home) {
            targets.command = JointCommand { position: q, ..JointCommand::default() };
        }
        if order == Order::Home {
            targets.mode = Mode::Homing;
        }
        let holds = targets.mode == Mode::Csp && follows;
        let position = self.next_target(holds.then_some(targets.command.position), actual);
        self.put_targets(&targets, position, outputs);
        write(self.places.controlword, outputs, word.into());
    }

    fn decode(&mut self, inputs: &[u8], now: Time, readings: &mut Readings) -> BoardReport {
        let statusword = self.status(inputs);
        let state = DriveState::from_statusword(statusword).unwrap_or_default();
        let sample = self.places.sample_time.map(|field| field.get(inputs));
        let stamp = self.freshness.stamp(sample, now);
        let fault = self.fault(state, inputs);
        self.note_homing(statusword, inputs);
        let temperature = self.places.temperature.map(|field| tenths().value(field.get_signed(inputs)));
        let following = state == DriveState::OperationEnabled && self.brake_is_open();
        let scale = &self.settings;
        if let Some(joint) = readings.joints.get_mut(scale.joint) {
            joint.stamp = stamp;
            joint.position = scale.position.value(self.position.next(read(self.places.position, inputs) as i32));
            joint.velocity = scale.velocity.value(read(self.places.velocity, inputs));
            joint.effort = scale.effort.value(read(self.places.torque, inputs));
            joint.temperature = temperature.unwrap_or(0.0);
            joint.status = JointStatus::default()
                .with(JointStatus::ENABLED, following)
                .with(JointStatus::FAULT, fault.is_some())
                .with(JointStatus::DERATED, statusword & status::WARNING != 0)
                .with(JointStatus::SATURATED, statusword & status::LIMIT != 0);
        }
        let valid = self.contact(inputs, stamp, readings);
        let ignores_set_points = following && !self.follows(state, statusword) && !self.is_in_homing_mode(inputs);
        let fault = fault.or((!valid).then_some(INVALID_INPUT));
        let sto = self.settings.sto.zip(self.places.sto);
        let sto_open = sto.is_some_and(|(sto, field)| sto.is_open(field.get(inputs)));
        let homing = self.homing;
        BoardReport { following, ignores_set_points, fault, sample, temperature, homing, sto_open }
    }

    fn restarted(&mut self) {
        if self.homing != Homing::NotNeeded {
            self.homing = Homing::Needed;
        }
    }

    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("position", &mut self.position);
        let mut target = self.target.map(|target| target as u64);
        visitor.field("target", &mut target);
        self.target = target.map(|target| target as i64);
        visitor.field("resetting", &mut self.resetting);
        let mut homing = self.homing as u64;
        visitor.field("homing", &mut homing);
        self.homing = match homing {
            1 => Homing::Needed,
            2 => Homing::Done,
            3 => Homing::Failed,
            _ => Homing::NotNeeded,
        };
        visitor.field("looking", &mut self.looking);
        visitor.field("brake", &mut self.brake);
        self.freshness.visit_state(visitor);
    }
}
