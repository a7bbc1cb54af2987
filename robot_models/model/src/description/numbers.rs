//! Numbers that know what they may be, so that the parser itself points at the ones that make no sense. The bounds are
//! wider than any robot; beyond them a number is a typing error or a wrong unit, and physics would end in no number at all.

use serde::de::{Deserialize, Deserializer, Error, Unexpected};

/// A kind of number: its name here, the least and the most that it may be, its unit.
macro_rules! quantities {
    ($($(#[$doc:meta])* $name:ident: $least:literal to $most:literal, $unit:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(super) struct $name(pub f64);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
                let expected = concat!("a number, ", $least, " to ", $most, " [", $unit, "]");
                number(source, expected, |value| ($least..=$most).contains(&value)).map($name)
            }
        }
    )*};
}

quantities! {
    /// A torque or force that a drive gives.
    Effort: 1e-9 to 1e6, "N·m or N";
    /// How fast a drive turns.
    Speed: 1e-6 to 1e5, "rad/s or m/s";
    /// Turns of the rotor for one of the joint.
    GearRatio: 1e-4 to 1e5, "1";
    /// Of a rotor.
    RotorInertia: 0.0 to 100.0, "kg·m²";
    /// Of a gear.
    Friction: 0.0 to 1e6, "N·m or N·m·s/rad";
    /// How far a gear turns before it takes its load along.
    Backlash: 0.0 to 1.0, "rad or m";
    /// A standard deviation, a noise density or a random walk, whatever its unit.
    Noise: 0.0 to 1e4, "its unit";
    /// Torque of a motor for its current.
    TorqueConstant: 1e-6 to 1e4, "N·m/A";
    /// A temperature.
    Temperature: -273.15 to 2000.0, "°C";
    /// From a winding to the air.
    ThermalResistance: 1e-6 to 1e4, "K/W";
    /// Of a winding.
    ThermalCapacitance: 1e-6 to 1e7, "J/K";
    /// Heat of a winding for the square of its torque.
    CopperLoss: 0.0 to 1e6, "W/(N·m)²";
    /// Of a spring.
    Spring: 1e-3 to 1e9, "N·m/rad or N/m";
    /// Stiffness or damping of a servo.
    Gain: 0.0 to 1e8, "N·m/rad or N·m·s/rad";
    /// Coulomb's coefficient of friction.
    Grip: 0.0 to 10.0, "1";
    /// A share.
    Share: 0.0 to 1.0, "1";
    /// A torque for a force.
    Arm: 0.0 to 10.0, "m";
    /// How far something gives way.
    Give: 0.0 to 1.0, "m";
    /// A joint's position.
    Position: -1e4 to 1e4, "rad or m";
    /// A size.
    Length: 1e-6 to 100.0, "m";
    /// A distance that may be none.
    Distance: 0.0 to 1e4, "m";
    /// Where something sits on its link.
    Offset: -100.0 to 100.0, "m";
    /// A turn.
    Angle: -100.0 to 100.0, "rad";
    /// An angle in degrees.
    Degrees: -3600.0 to 3600.0, "deg";
    /// An opening in degrees.
    Opening: 1e-6 to 360.0, "deg";
    /// Full opening of a beam.
    Divergence: 0.0 to 1.0, "rad";
    /// Samples per second.
    Rate: 1e-3 to 1e6, "Hz";
    /// How long something takes.
    Duration: 1e-4 to 1e4, "s";
    /// A force from which something happens.
    Threshold: 0.0 to 1e6, "N";
    /// Of a battery.
    Energy: 1e-6 to 1e9, "W·h";
    /// Of a battery.
    Voltage: 1e-3 to 1e5, "V";
    /// Of a battery.
    Resistance: 0.0 to 1e4, "Ω";
    /// That is drawn.
    Power: 0.0 to 1e7, "W";
    /// A part of a pixel, or several.
    Pixels: 1e-6 to 1e3, "px";
    /// A share.
    Fraction: 1e-6 to 1.0, "1";
}

/// Whole microseconds, at least 1 and at most a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Microseconds(pub u64);

/// Whole counts, at least 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Counts(pub u32);

fn number<'de, D: Deserializer<'de>>(
    source: D,
    expected: &'static str,
    sensible: fn(f64) -> bool,
) -> Result<f64, D::Error> {
    let value = f64::deserialize(source)?;
    if sensible(value) { Ok(value) } else { Err(D::Error::invalid_value(Unexpected::Float(value), &expected)) }
}

fn whole<'de, D: Deserializer<'de>>(source: D, expected: &'static str, most: u64) -> Result<u64, D::Error> {
    let value = i64::deserialize(source)?;
    let sensible = u64::try_from(value).ok().filter(|value| (1..=most).contains(value));
    sensible.ok_or_else(|| D::Error::invalid_value(Unexpected::Signed(value), &expected))
}

impl<'de> Deserialize<'de> for Microseconds {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        whole(source, "whole microseconds, 1 to 1000000", 1_000_000).map(Microseconds)
    }
}

impl<'de> Deserialize<'de> for Counts {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let counts = whole(source, "a whole number, 1 to 4294967295", u64::from(u32::MAX))?;
        Ok(Counts(u32::try_from(counts).unwrap_or(u32::MAX)))
    }
}
