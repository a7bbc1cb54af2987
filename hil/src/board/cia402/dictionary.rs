//! The emulated drive's objects.

use super::brake::OutputSlots;
use super::homing::HomingSlots;
use super::mode::Mode;
use super::objects as o;
use super::options::OptionSlots;
use super::settings::Settings;
use super::start_up::{HomingParameters, Parameters, units};
use crate::board::values::{Name, Values};
use crate::coe::{Access, DataType, Dictionary, Slot};
use crate::pdo::{Pdo, PdoMap};

/// Where the firmware keeps what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    pub control: Slot,
    pub status: Slot,
    pub mode: Slot,
    pub mode_display: Slot,
    pub error_code: Slot,
    pub error_register: Slot,
    pub bus_loss: Slot,
    pub quick_stop: Slot,
    pub fault_reaction: Slot,
    pub deceleration: Slot,
    pub position: Slot,
    pub velocity: Slot,
    pub torque: Slot,
    pub temperature: Slot,
    pub sample_time: Slot,
    pub digital_inputs: Slot,
    pub contact_force: Slot,
    pub target_position: Slot,
    pub target_velocity: Slot,
    pub velocity_offset: Slot,
    pub target_torque: Slot,
    pub torque_offset: Slot,
    pub stiffness: Slot,
    pub damping: Slot,
    pub brake_damping: Slot,
    pub trip_temperature: Slot,
    pub max_torque: Slot,
    pub max_velocity: Slot,
    pub lowest: Slot,
    pub highest: Slot,
    pub following_window: Slot,
    pub following_time: Slot,
    pub following_error: Slot,
    pub cycle_number: Slot,
    pub cycle_power: Slot,
    pub homing: HomingSlots,
    pub options: OptionSlots,
    pub outputs: OutputSlots,
}

/// Adds objects to a dictionary and remembers them.
struct Shelf<'a> {
    objects: Dictionary,
    values: &'a mut Values,
}

impl Shelf<'_> {
    fn add(&mut self, name: Name, kind: DataType, access: Access, value: u64) -> Slot {
        self.values.add(&mut self.objects, name, kind, access, value)
    }

    /// An object that the MainDevice writes each cycle.
    fn output(&mut self, index: u16, name: &'static str, kind: DataType) -> Slot {
        self.add((index, 0, name), kind, Access::WriteMapped, 0)
    }

    /// An object that the MainDevice reads each cycle.
    fn input(&mut self, index: u16, name: &'static str, kind: DataType) -> Slot {
        self.add((index, 0, name), kind, Access::ReadMapped, 0)
    }

    /// A setting.
    fn setting(&mut self, name: Name, kind: DataType, value: u64) -> Slot {
        self.add(name, kind, Access::Write, value)
    }

    /// An option code.
    fn option(&mut self, index: u16, name: &'static str, code: i16) -> Slot {
        self.setting((index, 0, name), DataType::I16, code as u64)
    }

    /// A fact.
    fn fact(&mut self, name: Name, kind: DataType, value: u64) -> Slot {
        self.add(name, kind, Access::Read, value)
    }

    /// How many parts an object has.
    fn parts(&mut self, index: u16, name: &'static str, count: u64) {
        self.fact((index, 0, name), DataType::U8, count);
    }
}

/// All objects of a drive with these settings, at power-on.
pub(super) fn build(settings: &Settings, values: &mut Values) -> (Dictionary, Slots) {
    use DataType::{F32, I8, I16, I32, U8, U16, U32};
    *values = Values::default();
    let mut shelf = Shelf { objects: Dictionary::default(), values };
    let p = Parameters::of(settings);
    let (lowest, highest) = p.position_limits.unwrap_or((i32::MIN, i32::MAX));
    facts(&mut shelf, settings);
    let gain = |shelf: &mut Shelf<'_>, sub, name, value: f32| {
        shelf.add((o::GAINS, sub, name), F32, Access::WriteMapped, value.to_bits().into())
    };
    let damp = u64::from((settings.damp as f32).to_bits());
    let slots = Slots {
        control: shelf.output(o::CONTROLWORD, "controlword", U16),
        status: shelf.input(o::STATUSWORD, "statusword", U16),
        mode: shelf.output(o::MODE, "modes of operation", I8),
        mode_display: shelf.input(o::MODE_DISPLAY, "modes of operation display", I8),
        error_code: shelf.input(o::ERROR_CODE, "error code", U16),
        error_register: shelf.input(o::ERROR_REGISTER, "error register", U8),
        bus_loss: shelf.setting((o::BUS_LOSS_OPTION, 0, "abort connection option"), I16, settings.bus_loss as u64),
        quick_stop: shelf.option(o::QUICK_STOP_OPTION, "quick stop option", settings.quick_stop),
        fault_reaction: shelf.option(
            o::FAULT_REACTION_OPTION,
            "fault reaction option",
            settings.options.fault_reaction,
        ),
        deceleration: shelf.setting(
            (o::QUICK_STOP_DECELERATION, 0, "quick stop deceleration"),
            U32,
            p.deceleration.into(),
        ),
        position: shelf.input(o::POSITION, "position actual value", I32),
        velocity: shelf.input(o::VELOCITY, "velocity actual value", I32),
        torque: shelf.input(o::TORQUE, "torque actual value", I16),
        temperature: shelf.input(o::TEMPERATURE, "winding temperature [0.1 °C]", I16),
        sample_time: shelf.input(o::SAMPLE_TIME, "sample time [µs]", U16),
        digital_inputs: shelf.input(o::DIGITAL_INPUTS, "digital inputs", U32),
        contact_force: shelf.input(o::CONTACT_FORCE, "contact force [N]", F32),
        target_position: shelf.output(o::TARGET_POSITION, "target position", I32),
        target_velocity: shelf.output(o::TARGET_VELOCITY, "target velocity", I32),
        velocity_offset: shelf.output(o::VELOCITY_OFFSET, "velocity offset", I32),
        target_torque: shelf.output(o::TARGET_TORQUE, "target torque", I16),
        torque_offset: shelf.output(o::TORQUE_OFFSET, "torque offset", I16),
        stiffness: gain(&mut shelf, 1, "stiffness [N·m/rad]", p.gains.0),
        damping: gain(&mut shelf, 2, "damping [N·m·s/rad]", p.gains.1),
        brake_damping: shelf.setting((o::BRAKE_DAMPING, 0, "brake damping [N·m·s/rad]"), F32, damp),
        trip_temperature: shelf.setting((o::TRIP_TEMPERATURE, 0, "trip temperature [0.1 °C]"), I16, p.trip as u64),
        max_torque: shelf.setting((o::MAX_TORQUE, 0, "max torque"), U16, p.max_torque.into()),
        max_velocity: shelf.setting((o::MAX_VELOCITY, 0, "max profile velocity"), U32, p.max_velocity.into()),
        lowest: shelf.setting((o::POSITION_LIMITS, 1, "min position limit"), I32, lowest as u64),
        highest: shelf.setting((o::POSITION_LIMITS, 2, "max position limit"), I32, highest as u64),
        following_window: shelf.setting(
            (o::FOLLOWING_WINDOW, 0, "following error window"),
            U32,
            p.following_window.into(),
        ),
        following_time: shelf.setting((o::FOLLOWING_TIME, 0, "following error time out"), U16, p.following_time.into()),
        following_error: shelf.input(o::FOLLOWING_ERROR, "following error actual value", I32),
        cycle_number: shelf.setting((o::CYCLE, 1, "interpolation time period value"), U8, p.cycle.0.into()),
        cycle_power: shelf.setting((o::CYCLE, 2, "interpolation time index"), I8, p.cycle.1 as u64),
        homing: homing(&mut shelf, &p.homing),
        options: options(&mut shelf, settings, &p),
        outputs: digital_outputs(&mut shelf, &settings.map),
    };
    others(&mut shelf, &settings.map.outputs, Access::WriteMapped);
    others(&mut shelf, &settings.map.inputs, Access::ReadMapped);
    own_settings(&mut shelf, settings);
    (shelf.objects, slots)
}

/// How it leaves operation enabled. Where the bus file says nothing: at once, and a halt by the quick stop's ramp.
fn options(shelf: &mut Shelf<'_>, settings: &Settings, p: &Parameters) -> OptionSlots {
    let codes = settings.options;
    OptionSlots {
        shutdown: shelf.option(o::SHUTDOWN_OPTION, "shutdown option", codes.shutdown.unwrap_or(0)),
        disable_operation: shelf.option(
            o::DISABLE_OPTION,
            "disable operation option",
            codes.disable_operation.unwrap_or(0),
        ),
        halt: shelf.option(o::HALT_OPTION, "halt option", codes.halt.unwrap_or(2)),
        slow_down: shelf.setting((o::DECELERATION, 0, "profile deceleration"), DataType::U32, p.slow_down.into()),
    }
}

/// As many bits of part 1 as the map has.
fn digital_outputs(shelf: &mut Shelf<'_>, map: &PdoMap) -> OutputSlots {
    let mut mapped = map.outputs.iter().flat_map(|pdo| &pdo.entries);
    let bits = mapped.find(|entry| (entry.index, entry.sub) == (o::DIGITAL_OUTPUTS, 1)).map(|entry| entry.bits);
    shelf.parts(o::DIGITAL_OUTPUTS, "digital outputs", 2);
    OutputSlots {
        outputs: shelf.add(
            (o::DIGITAL_OUTPUTS, 1, "physical outputs"),
            kind(bits.unwrap_or(32)),
            Access::WriteMapped,
            0,
        ),
        mask: shelf.setting((o::DIGITAL_OUTPUTS, 2, "bit mask"), DataType::U32, 0),
    }
}

/// The type with room for so many bits.
fn kind(bits: u8) -> DataType {
    match bits {
        0..=8 => DataType::U8,
        9..=16 => DataType::U16,
        17..=32 => DataType::U32,
        _ => DataType::U64,
    }
}

fn homing(shelf: &mut Shelf<'_>, p: &HomingParameters) -> HomingSlots {
    use DataType::{I8, U32};
    shelf.parts(o::HOMING_SPEEDS, "homing speeds", 2);
    HomingSlots {
        method: shelf.setting((o::HOMING_METHOD, 0, "homing method"), I8, p.method as u64),
        search_speed: shelf.setting((o::HOMING_SPEEDS, 1, "speed during search for switch"), U32, p.speeds.0.into()),
        zero_speed: shelf.setting((o::HOMING_SPEEDS, 2, "speed during search for zero"), U32, p.speeds.1.into()),
        acceleration: shelf.setting((o::HOMING_ACCELERATION, 0, "homing acceleration"), U32, p.acceleration.into()),
    }
}

/// What the drive is: nothing writes it.
fn facts(shelf: &mut Shelf<'_>, settings: &Settings) {
    use DataType::U32;
    let milli = |value: f64| libm::rint((value * 1000.0).clamp(0.0, f64::from(u32::MAX))) as u64;
    let (position_unit, velocity_unit) = units(settings);
    shelf.fact((o::DEVICE_TYPE, 0, "device type"), U32, o::SERVO_DRIVE.into());
    let homes = if settings.homing.is_some() { Mode::Homing.supported_bit() } else { 0 };
    shelf.fact((o::SUPPORTED_MODES, 0, "supported drive modes"), U32, (settings.modes.bits() | homes).into());
    shelf.fact((o::RATED_TORQUE, 0, "motor rated torque"), U32, milli(settings.rated_torque));
    // one ampere per newton metre: what a current is worth matters to nobody behind the torque objects
    shelf.fact((o::RATED_CURRENT, 0, "motor rated current"), U32, milli(settings.rated_torque));
    shelf.fact((o::POSITION_UNIT, 0, "SI unit position"), U32, position_unit.into());
    shelf.fact((o::VELOCITY_UNIT, 0, "SI unit velocity"), U32, velocity_unit.into());
    shelf.parts(o::ENCODER_RESOLUTION, "position encoder resolution", 2);
    shelf.fact((o::ENCODER_RESOLUTION, 1, "encoder increments"), U32, settings.encoder.counts.into());
    shelf.fact((o::ENCODER_RESOLUTION, 2, "motor revolutions"), U32, 1);
    shelf.parts(o::POSITION_LIMITS, "software position limits", 2);
    shelf.parts(o::CYCLE, "interpolation time period", 2);
    shelf.parts(o::GAINS, "gains", 2);
    shelf.parts(o::GEAR_RATIO, "gear ratio", 2);
    shelf.fact((o::GEAR_RATIO, 1, "motor revolutions"), U32, settings.encoder.gear.0.into());
    shelf.fact((o::GEAR_RATIO, 2, "shaft revolutions"), U32, settings.encoder.gear.1.into());
}

/// Objects of a map of another maker's that mean nothing to this firmware, so that the map is complete.
fn others(shelf: &mut Shelf<'_>, pdos: &[Pdo], access: Access) {
    for entry in pdos.iter().flat_map(|pdo| &pdo.entries) {
        if entry.index == 0 || shelf.objects.slot(entry.index, entry.sub).is_some() {
            continue;
        }
        shelf.add((entry.index, entry.sub, "of no function here"), kind(entry.bits), access, 0);
    }
}

/// Objects that the bus file writes and this firmware does not know.
fn own_settings(shelf: &mut Shelf<'_>, settings: &Settings) {
    for download in &settings.sdo {
        if shelf.objects.slot(download.index, download.sub).is_none() {
            let kind = match download.value.len() {
                1 => DataType::U8,
                2 => DataType::U16,
                _ => DataType::U32,
            };
            shelf.setting((download.index, download.sub, "of no function here"), kind, 0);
        }
    }
}
