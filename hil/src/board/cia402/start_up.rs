//! What is written to a drive before it runs.

use super::Gains;
use super::brake::BRAKE_BIT;
use super::mode::Mode;
use super::objects as o;
use super::options::OptionCodes;
use super::settings::{Settings, cycle_words};
use crate::board::SdoDownload;
use crate::board::scaling::Scale;

/// Tenths of a degree, as the temperature objects count.
pub(super) fn tenths() -> Scale {
    Scale::of_unit(0.1)
}

/// The settings of a drive in its own units, as its parameters take them. One place for both ends: what the MainDevice
/// writes is what the emulated drive has at power-on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameters {
    pub max_torque: u16,
    pub max_velocity: u32,
    pub deceleration: u32,
    pub slow_down: u32,
    pub position_limits: Option<(i32, i32)>,
    pub following_window: u32,
    pub following_time: u16,
    pub cycle: (u8, i8),
    pub trip: i16,
    pub gains: (f32, f32),
    pub homing: HomingParameters,
}

/// The settings of homing in the drive's own units.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HomingParameters {
    pub method: i8,
    pub speeds: (u32, u32),
    pub acceleration: u32,
}

impl Parameters {
    pub fn of(settings: &Settings) -> Parameters {
        let velocity = |speed: f64| u32::try_from(settings.velocity.span(speed)).unwrap_or(u32::MAX);
        let limits = settings.limits;
        let ends = [limits.lower, limits.upper].map(|end| settings.position.to_i32(end).unwrap_or(0));
        let limited = !settings.endless && (limits.lower.is_finite() || limits.upper.is_finite());
        let (window, time) = settings.following.map_or((u32::MAX, 0), |(window, time)| {
            let window = settings.position.span(window).min(i64::from(u32::MAX) - 1);
            (window as u32, libm::rint(time * 1000.0) as u16)
        });
        Parameters {
            max_torque: settings.effort.span(limits.effort).min(u16::MAX.into()) as u16,
            max_velocity: velocity(limits.velocity),
            deceleration: velocity(settings.deceleration),
            slow_down: velocity(settings.options.slow_down.unwrap_or(settings.deceleration)),
            position_limits: limited.then(|| (ends[0].min(ends[1]), ends[0].max(ends[1]))),
            following_window: window,
            following_time: time,
            cycle: cycle_words(settings.period).unwrap_or((0, 0)),
            trip: tenths().to_i16(settings.trip_temperature).unwrap_or(i16::MAX),
            gains: match settings.gains {
                Gains::Drive { stiffness, damping } => (stiffness as f32, damping as f32),
                Gains::Mapped | Gains::Host => (0.0, 0.0),
            },
            homing: settings.homing.map_or(HomingParameters::default(), |homing| HomingParameters {
                method: homing.method,
                speeds: (velocity(homing.search_speed), velocity(homing.zero_speed)),
                acceleration: velocity(homing.acceleration),
            }),
        }
    }
}

/// All downloads in order.
pub(super) fn downloads(settings: &Settings) -> Vec<SdoDownload> {
    let p = Parameters::of(settings);
    let mut list: Vec<SdoDownload> = Vec::new();
    let mut write = |index: u16, sub: u8, value: &[u8]| list.push(SdoDownload { index, sub, value: value.to_vec() });
    let first = [Mode::Csp, Mode::Csv, Mode::Cst].into_iter().find(|mode| settings.modes.contains(*mode));
    write(o::MODE, 0, &(first.unwrap_or_default() as i8).to_le_bytes());
    write(o::CYCLE, 1, &p.cycle.0.to_le_bytes());
    write(o::CYCLE, 2, &p.cycle.1.to_le_bytes());
    write(o::MAX_TORQUE, 0, &p.max_torque.to_le_bytes());
    write(o::MAX_VELOCITY, 0, &p.max_velocity.to_le_bytes());
    if let Some((low, high)) = p.position_limits {
        write(o::POSITION_LIMITS, 1, &low.to_le_bytes());
        write(o::POSITION_LIMITS, 2, &high.to_le_bytes());
    }
    if settings.following.is_some() {
        write(o::FOLLOWING_WINDOW, 0, &p.following_window.to_le_bytes());
        write(o::FOLLOWING_TIME, 0, &p.following_time.to_le_bytes());
    }
    write(o::BUS_LOSS_OPTION, 0, &settings.bus_loss.to_le_bytes());
    write(o::QUICK_STOP_OPTION, 0, &settings.quick_stop.to_le_bytes());
    write(o::FAULT_REACTION_OPTION, 0, &settings.options.fault_reaction.to_le_bytes());
    write(o::QUICK_STOP_DECELERATION, 0, &p.deceleration.to_le_bytes());
    let OptionCodes { shutdown, disable_operation, halt, slow_down, .. } = settings.options;
    let options = [(o::SHUTDOWN_OPTION, shutdown), (o::DISABLE_OPTION, disable_operation), (o::HALT_OPTION, halt)];
    for (index, option) in options {
        if let Some(option) = option {
            write(index, 0, &option.to_le_bytes());
        }
    }
    if slow_down.is_some() {
        write(o::DECELERATION, 0, &p.slow_down.to_le_bytes());
    }
    if settings.brake.is_some_and(|brake| brake.by_bridge) {
        // set before it is taken over from the drive: the other way round it would open
        let bits = settings.map.output(o::DIGITAL_OUTPUTS, 1).map_or(32, |field| field.bits);
        let bytes = usize::from(bits).div_ceil(8).next_power_of_two().min(4);
        write(o::DIGITAL_OUTPUTS, 1, &(BRAKE_BIT as u32).to_le_bytes()[..bytes]);
        write(o::DIGITAL_OUTPUTS, 2, &(BRAKE_BIT as u32).to_le_bytes());
    }
    if settings.homing.is_some() {
        write(o::HOMING_METHOD, 0, &p.homing.method.to_le_bytes());
        write(o::HOMING_SPEEDS, 1, &p.homing.speeds.0.to_le_bytes());
        write(o::HOMING_SPEEDS, 2, &p.homing.speeds.1.to_le_bytes());
        write(o::HOMING_ACCELERATION, 0, &p.homing.acceleration.to_le_bytes());
    }
    if settings.extensions {
        write(o::BRAKE_DAMPING, 0, &(settings.damp as f32).to_le_bytes());
        write(o::TRIP_TEMPERATURE, 0, &p.trip.to_le_bytes());
        if let Gains::Drive { .. } = settings.gains {
            write(o::GAINS, 1, &p.gains.0.to_le_bytes());
            write(o::GAINS, 2, &p.gains.1.to_le_bytes());
        }
    }
    list.retain(|download| !settings.omit.contains(&(download.index, download.sub)));
    list.extend(settings.sdo.iter().cloned());
    list
}

/// SI units of positions and velocities (CiA 303-2: prefix, numerator, denominator, reserved). Positions are increments;
/// velocities are radians or metres per second, with a prefix if the unit is a power of ten of that.
pub(super) fn units(settings: &Settings) -> (u32, u32) {
    const INCREMENTS: u32 = 0xb5 << 16;
    const RADIAN: u32 = 0x10 << 16;
    const METRE: u32 = 0x01 << 16;
    const PER_SECOND: u32 = 0x03 << 8;
    let power = libm::log10(settings.velocity.value(1).abs());
    let whole = libm::rint(power);
    let prefix = if (power - whole).abs() < 1e-9 { whole as i8 as u8 } else { 0 };
    let unit = if settings.encoder.feed.is_some() { METRE } else { RADIAN };
    (INCREMENTS, u32::from(prefix) << 24 | unit | PER_SECOND)
}
