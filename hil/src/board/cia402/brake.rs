//! Holding brakes: closed by a spring, opened by current, so that a joint without torque does not drop.
//!
//! Either the drive works its brake by itself, or the bridge does by object 0x60FE:1, bit 0 ("set brake"), once the mask in
//! 0x60FE:2 has taken that bit from the drive. The emulated brake is dry friction up to its torque, and the robot behind
//! the board makes that torque: in simulation no more than the joint's motor could.

use page::{Fault, Fields, Range};
use robot_io::{JointCommand, JointState, Period, State};

use super::firmware::DriveFirmware;
use super::state::DriveState;
use crate::board::fields::MOST;
use crate::coe::{Dictionary, Slot};

/// The brake's bit in object 0x60FE:1, and in its mask.
pub const BRAKE_BIT: u64 = 1;
/// How far a closed brake gives way before it slips [rad] or [m]. Chosen: the play of its spline.
const GIVE: f64 = 2e-3;
/// How fast a closed brake comes to rest within that [s]. Chosen.
const SETTLING: f64 = 0.01;

/// What a bus file says of a joint's brake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brake {
    /// What it holds [N·m] or [N].
    pub torque: f64,
    /// From being set until it holds [s].
    pub engage: f64,
    /// From being released until it is open [s].
    pub release: f64,
    /// The bridge sets and releases it; else the drive does.
    pub by_bridge: bool,
}

impl Brake {
    /// Reads `brake` from a board's fields.
    pub(super) fn read(fields: &mut Fields<'_>) -> Result<Option<Brake>, Fault> {
        let Some(value) = fields.get("brake") else { return Ok(None) };
        let mut fields = value.table()?;
        let time = Range::new(0.0, 2.0, "s");
        let brake = Brake {
            torque: fields.number("torque", Range::new(1e-3, MOST, "N·m"))?,
            engage: fields.number_or("engage", time, 0.05)?,
            release: fields.number_or("release", time, 0.05)?,
            by_bridge: fields.word_or("by", &[("drive", false), ("bridge", true)], false)?,
        };
        fields.finish()?;
        Ok(Some(brake))
    }
}

/// Where the emulated drive keeps object 0x60FE.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputSlots {
    pub outputs: Slot,
    pub mask: Slot,
}

/// The emulated brake.
#[derive(Clone, Copy, Debug, Default, State)]
pub(super) struct BrakeState {
    /// It was told to close.
    closing: bool,
    /// How long ago it was told [s].
    since: f64,
    /// It holds.
    pub holds: bool,
    /// Where it holds the joint [rad].
    anchor: f64,
    /// Where the joint is [rad], whatever its encoder says.
    position: f64,
    /// How fast it moves [rad/s].
    velocity: f64,
    /// Outputs arrive.
    operational: bool,
}

impl BrakeState {
    /// Without current it is closed.
    pub fn at_power_on() -> BrakeState {
        BrakeState { closing: true, since: f64::INFINITY, holds: true, ..BrakeState::default() }
    }
}

impl DriveFirmware {
    /// True while a brake keeps the joint from following.
    pub(super) fn is_braked(&self) -> bool {
        self.settings.brake.is_some() && self.brake.holds
    }

    /// Outputs have arrived, or are lost.
    pub(super) fn note_outputs(&mut self, objects: &Dictionary, arrived: bool, operational: bool) {
        self.brake.operational = operational;
        // between two samples time goes on by the cycle of the outputs, as while a bridge waits for its drives
        if arrived && self.idle == 0 {
            self.work_brake(objects, self.settings.period.seconds());
        }
    }

    /// The joint moves under the brake, and the brake opens or closes, as `elapsed` [s] pass.
    pub(super) fn sample_brake(&mut self, objects: &Dictionary, joint: &JointState, elapsed: f64) {
        if joint.position.is_finite() && joint.velocity.is_finite() {
            (self.brake.position, self.brake.velocity) = (joint.position, joint.velocity);
        }
        self.work_brake(objects, elapsed);
        let BrakeState { anchor, position, .. } = self.brake;
        self.brake.anchor = anchor.clamp(position - GIVE, position + GIVE);
    }

    fn work_brake(&mut self, objects: &Dictionary, elapsed: f64) {
        let Some(brake) = self.settings.brake else { return };
        let closing = self.brake_is_set(objects);
        if closing == self.brake.closing {
            self.brake.since += elapsed;
        } else {
            (self.brake.closing, self.brake.since) = (closing, 0.0);
        }
        let time = if closing { brake.engage } else { brake.release };
        if self.brake.since >= time {
            if closing && !self.brake.holds {
                self.brake.anchor = self.brake.position;
            }
            self.brake.holds = closing;
        }
    }

    /// By the bridge, if it has taken the output over; by the drive itself whenever it makes no torque.
    fn brake_is_set(&self, objects: &Dictionary) -> bool {
        let OutputSlots { outputs, mask } = self.slots.outputs;
        if objects.get(mask) & BRAKE_BIT != 0 {
            return !self.brake.operational || objects.get(outputs) & BRAKE_BIT != 0;
        }
        let on = [DriveState::OperationEnabled, DriveState::QuickStopActive, DriveState::FaultReaction];
        !on.contains(&self.state)
    }

    /// What the joint feels of a closed brake: a stiff hold that slips at the brake's torque.
    pub(super) fn brake_command(&self) -> Option<JointCommand> {
        let brake = self.settings.brake.filter(|_| self.brake.holds)?;
        let stiffness = brake.torque / GIVE;
        Some(JointCommand::hold(self.brake.anchor, stiffness, stiffness * SETTLING))
    }

    /// A closed brake at the joint's true position gives no more than its torque.
    pub(super) fn within_brake(&self, command: JointCommand) -> JointCommand {
        let most = self.settings.brake.map_or(0.0, |brake| brake.torque);
        let effort = command.effort_at(self.brake.position, self.brake.velocity);
        if effort.abs() <= most {
            return command;
        }
        JointCommand { effort: effort.clamp(-most, most), ..JointCommand::default() }
    }

    /// While a brake of its own closes, a sound drive goes on holding: it drops nothing.
    pub(super) fn hold_for_brake(&self, objects: &Dictionary) -> Option<JointCommand> {
        let own = self.settings.brake.is_some_and(|brake| !brake.by_bridge);
        let closes =
            own && self.brake_is_set(objects) && !self.brake.holds && self.trip.is_none() && !self.sto_is_open();
        closes.then_some(JointCommand { velocity: 0.0, ..self.held })
    }
}

/// The bridge's side of a brake: what is sent, and how long is waited.
#[derive(Clone, Copy, Debug, Default, State)]
pub(super) struct BrakeDriver {
    /// Cycles since the drive was on and its brake released.
    open_for: u64,
    /// Cycles since the brake was set while the drive still holds.
    closing: u64,
}

impl BrakeDriver {
    /// One cycle with a drive that is `on` or not, and wanted to follow or not. True while the drive has to go on holding,
    /// because its brake, worked by the bridge, has not closed yet.
    pub fn step(&mut self, brake: &Brake, on: bool, wanted: bool, period: Period) -> bool {
        if on && wanted {
            *self = BrakeDriver { open_for: self.open_for.saturating_add(1), closing: 0 };
            return false;
        }
        self.closing = if on { self.closing + 1 } else { 0 };
        self.open_for = if on { self.open_for } else { 0 };
        brake.by_bridge && on && self.closing <= cycles(brake.engage, period)
    }

    /// True once the brake has had time to open.
    pub fn is_open(&self, brake: &Brake, period: Period) -> bool {
        self.open_for >= cycles(brake.release, period)
    }
}

fn cycles(time: f64, period: Period) -> u64 {
    libm::ceil(time / period.seconds()) as u64
}
