//! Layers with a closed form: flat ground, waves, craters, mounds and walls.

use std::f64::consts::{PI, TAU};

use crate::fields::{COORDINATE, DIRECTION, DISTANCE, HEIGHT, LENGTH};
use crate::route::segment_distance;
use page::{Fault, Fields};

use super::{Profile, direction};

/// Sets the height, whatever was there.
pub(super) struct Flat {
    height: f64,
}

/// Adds a plane sine wave.
pub(super) struct Waves {
    amplitude: f64,
    wavelength: f64,
    phase: f64,
    along: (f64, f64),
}

/// Adds a parabolic bowl with a raised rim that runs out at 1.5 radii.
pub(super) struct Crater {
    center: [f64; 2],
    radius: f64,
    depth: f64,
    rim: f64,
}

/// Adds a hill with a cosine profile; its steepest slope is π/2 × height / radius.
pub(super) struct Mound {
    center: [f64; 2],
    radius: f64,
    height: f64,
}

/// Adds a wall with vertical faces (as vertical as the grid can show).
pub(super) struct Wall {
    from: [f64; 2],
    to: [f64; 2],
    thickness: f64,
    height: f64,
}

impl Flat {
    pub(super) fn read(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        Ok(Self { height: fields.number_or("height", HEIGHT, 0.0)? })
    }
}

impl Waves {
    pub(super) fn read(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        Ok(Self {
            amplitude: fields.number("amplitude", DISTANCE)?,
            wavelength: fields.number("wavelength", LENGTH)?,
            phase: fields.number_or("phase_deg", DIRECTION, 0.0)?.to_radians(),
            along: direction(fields)?,
        })
    }
}

impl Crater {
    pub(super) fn read(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        Ok(Self {
            center: fields.vector("center", COORDINATE)?,
            radius: fields.number("radius", LENGTH)?,
            depth: fields.number("depth", DISTANCE)?,
            rim: fields.number_or("rim", DISTANCE, 0.0)?,
        })
    }
}

impl Mound {
    pub(super) fn read(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        Ok(Self {
            center: fields.vector("center", COORDINATE)?,
            radius: fields.number("radius", LENGTH)?,
            height: fields.number("height", HEIGHT)?,
        })
    }
}

impl Wall {
    pub(super) fn read(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        Ok(Self {
            from: fields.vector("from", COORDINATE)?,
            to: fields.vector("to", COORDINATE)?,
            thickness: fields.number("thickness", LENGTH)?,
            height: fields.number("height", HEIGHT)?,
        })
    }
}

impl Profile for Flat {
    fn height(&self, _: f64, _: f64, _: f64) -> f64 {
        self.height
    }
}

impl Profile for Waves {
    fn height(&self, x: f64, y: f64, height: f64) -> f64 {
        let s = x * self.along.0 + y * self.along.1;
        height + self.amplitude * libm::sin(TAU * s / self.wavelength + self.phase)
    }
}

impl Profile for Crater {
    fn height(&self, x: f64, y: f64, height: f64) -> f64 {
        let r = libm::hypot(x - self.center[0], y - self.center[1]) / self.radius;
        if r < 1.0 {
            return height - self.depth + (self.depth + self.rim) * r * r;
        }
        let left = (3.0 - 2.0 * r).max(0.0);
        height + self.rim * left * left
    }
}

impl Profile for Mound {
    fn height(&self, x: f64, y: f64, height: f64) -> f64 {
        let r = libm::hypot(x - self.center[0], y - self.center[1]) / self.radius;
        if r < 1.0 { height + 0.5 * self.height * (1.0 + libm::cos(PI * r)) } else { height }
    }
}

impl Profile for Wall {
    fn height(&self, x: f64, y: f64, height: f64) -> f64 {
        let inside = segment_distance([x, y], self.from, self.to) <= 0.5 * self.thickness;
        if inside { height + self.height } else { height }
    }
}
