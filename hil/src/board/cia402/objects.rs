//! The objects of a drive: numbers and sizes (CiA 402-2; ours from 0x2010 on).

use crate::pdo::{Pdo, PdoEntry, PdoMap};

/// Device type, u32 (CiA 301): profile number and, in the high word, the kind.
pub const DEVICE_TYPE: u16 = 0x1000;
/// A servo drive after profile 402.
pub const SERVO_DRIVE: u32 = 0x0002_0192;
/// Controlword, u16.
pub const CONTROLWORD: u16 = 0x6040;
/// Statusword, u16.
pub const STATUSWORD: u16 = 0x6041;
/// Mode of operation, i8: the one asked for.
pub const MODE: u16 = 0x6060;
/// Mode of operation, i8: the one in force.
pub const MODE_DISPLAY: u16 = 0x6061;
/// Supported modes, u32: bit 7 CSP, bit 8 CSV, bit 9 CST.
pub const SUPPORTED_MODES: u16 = 0x6502;
/// Error code, u16.
pub const ERROR_CODE: u16 = 0x603f;
/// Error register, u8 (CiA 301).
pub const ERROR_REGISTER: u16 = 0x1001;
/// What happens when outputs stay away, i16: 0 nothing, 1 fault, 2 disable voltage, 3 quick stop.
pub const BUS_LOSS_OPTION: u16 = 0x6007;
/// Quick stop option, i16.
pub const QUICK_STOP_OPTION: u16 = 0x605a;
/// Quick stop option: brakes along the ramp of 0x6085 and stays in quick stop active, holding.
pub const QUICK_STOP_HOLDS: i16 = 6;
/// The same with damping alone; ours, from the maker's range.
pub const QUICK_STOP_DAMPS: i16 = -1;
/// Shutdown option, i16.
pub const SHUTDOWN_OPTION: u16 = 0x605b;
/// Disable operation option, i16.
pub const DISABLE_OPTION: u16 = 0x605c;
/// Halt option, i16.
pub const HALT_OPTION: u16 = 0x605d;
/// Fault reaction option, i16.
pub const FAULT_REACTION_OPTION: u16 = 0x605e;
/// Actual position, i32 [increments].
pub const POSITION: u16 = 0x6064;
/// Following error window, u32 [increments]; 0xFFFFFFFF switches the watch off.
pub const FOLLOWING_WINDOW: u16 = 0x6065;
/// How long the following error may last, u16 [ms].
pub const FOLLOWING_TIME: u16 = 0x6066;
/// Actual following error, i32 [increments].
pub const FOLLOWING_ERROR: u16 = 0x60f4;
/// Actual velocity, i32 [velocity units].
pub const VELOCITY: u16 = 0x606c;
/// Target torque, i16 [‰ of the rated torque].
pub const TARGET_TORQUE: u16 = 0x6071;
/// Most torque, u16 [‰ of the rated torque].
pub const MAX_TORQUE: u16 = 0x6072;
/// Rated current, u32 [mA].
pub const RATED_CURRENT: u16 = 0x6075;
/// Rated torque, u32 [mN·m], for prismatic joints [mN].
pub const RATED_TORQUE: u16 = 0x6076;
/// Actual torque, i16 [‰ of the rated torque].
pub const TORQUE: u16 = 0x6077;
/// Target position, i32 [increments].
pub const TARGET_POSITION: u16 = 0x607a;
/// Position limits, i32 [increments]: part 1 lowest, part 2 highest.
pub const POSITION_LIMITS: u16 = 0x607d;
/// Highest speed, u32 [velocity units].
pub const MAX_VELOCITY: u16 = 0x607f;
/// Deceleration of the slow-down ramp, u32 [velocity units per second].
pub const DECELERATION: u16 = 0x6084;
/// Deceleration of a quick stop, u32 [velocity units per second].
pub const QUICK_STOP_DECELERATION: u16 = 0x6085;
/// Homing method, i8.
pub const HOMING_METHOD: u16 = 0x6098;
/// Homing speeds, u32 [velocity units]: part 1 on to the switch, part 2 off it.
pub const HOMING_SPEEDS: u16 = 0x6099;
/// Homing acceleration, u32 [velocity units per second].
pub const HOMING_ACCELERATION: u16 = 0x609a;
/// Encoder: part 1 increments, part 2 turns.
pub const ENCODER_RESOLUTION: u16 = 0x608f;
/// Gear: part 1 turns of the motor, part 2 turns of the shaft.
pub const GEAR_RATIO: u16 = 0x6091;
/// SI unit of positions, u32 (CiA 303-2).
pub const POSITION_UNIT: u16 = 0x60a8;
/// SI unit of velocities, u32 (CiA 303-2).
pub const VELOCITY_UNIT: u16 = 0x60a9;
/// Velocity offset, i32 [velocity units].
pub const VELOCITY_OFFSET: u16 = 0x60b1;
/// Torque offset, i16 [‰ of the rated torque].
pub const TORQUE_OFFSET: u16 = 0x60b2;
/// Cycle of the set-points: part 1 a number u8, part 2 the power of ten i8 [s].
pub const CYCLE: u16 = 0x60c2;
/// Digital inputs, u32; ours has the contact switch in bit 16, the first of the maker's own.
pub const DIGITAL_INPUTS: u16 = 0x60fd;
/// Digital outputs, u32: part 1 their state, part 2 which of them the MainDevice has taken over; bit 0 sets the brake.
pub const DIGITAL_OUTPUTS: u16 = 0x60fe;
/// Target velocity, i32 [velocity units].
pub const TARGET_VELOCITY: u16 = 0x60ff;

/// Gains of the drive's own loop, f32: part 1 stiffness [N·m/rad], part 2 damping [N·m·s/rad]; ours.
pub const GAINS: u16 = 0x2010;
/// Damping with which the drive brakes by itself (quick stop, halt), f32 [N·m·s/rad]; ours.
pub const BRAKE_DAMPING: u16 = 0x2012;
/// Winding temperature, i16 [0.1 °C]; ours.
pub const TEMPERATURE: u16 = 0x2020;
/// When the drive measured, u16 [µs] of its own clock, wraps around; ours.
pub const SAMPLE_TIME: u16 = 0x2021;
/// Force on the contact switch, f32 [N]; ours.
pub const CONTACT_FORCE: u16 = 0x2022;
/// Temperature from which on the drive trips, i16 [0.1 °C]; ours.
pub const TRIP_TEMPERATURE: u16 = 0x2023;

/// The contact's bit in [`DIGITAL_INPUTS`].
pub const CONTACT_BIT: u64 = 1 << 16;

/// How many bits an object that the driver knows has in process data.
pub fn bits(index: u16) -> Option<u8> {
    match index {
        MODE | MODE_DISPLAY => Some(8),
        CONTROLWORD | STATUSWORD | ERROR_CODE | TARGET_TORQUE | TORQUE | TORQUE_OFFSET => Some(16),
        TEMPERATURE | SAMPLE_TIME => Some(16),
        POSITION | VELOCITY | TARGET_POSITION | TARGET_VELOCITY | VELOCITY_OFFSET => Some(32),
        DIGITAL_INPUTS | GAINS | CONTACT_FORCE => Some(32),
        _ => None,
    }
}

/// Entries with the sizes from [`bits`].
fn entries(objects: &[(u16, u8)]) -> Vec<PdoEntry> {
    objects.iter().filter_map(|&(index, sub)| Some(PdoEntry::new(index, sub, bits(index)?))).collect()
}

/// The map of a drive of ours: with gains in the outputs, with a contact switch in the inputs.
pub fn standard_map(gains: bool, contact: bool, extensions: bool) -> PdoMap {
    let mut outputs = vec![CONTROLWORD, MODE, TARGET_POSITION, TARGET_VELOCITY, VELOCITY_OFFSET];
    outputs.extend([TARGET_TORQUE, TORQUE_OFFSET]);
    let mut outputs: Vec<(u16, u8)> = outputs.into_iter().map(|index| (index, 0)).collect();
    if gains {
        outputs.extend([(GAINS, 1), (GAINS, 2)]);
    }
    let mut inputs = vec![STATUSWORD, MODE_DISPLAY, POSITION, VELOCITY, TORQUE, ERROR_CODE];
    if extensions {
        inputs.extend([TEMPERATURE, SAMPLE_TIME]);
    }
    if contact {
        inputs.extend([DIGITAL_INPUTS, CONTACT_FORCE]);
    }
    let inputs: Vec<(u16, u8)> = inputs.into_iter().map(|index| (index, 0)).collect();
    PdoMap {
        outputs: vec![Pdo { index: 0x1600, entries: entries(&outputs) }],
        inputs: vec![Pdo { index: 0x1a00, entries: entries(&inputs) }],
    }
}
