//! Ramps, steps and the rim of an arena: layers that lift one level to another.

use crate::fields::{COORDINATE, DISTANCE, HEIGHT, INCLINE, LENGTH};
use page::{Fault, Fields, Range};

use super::{Profile, direction};

/// An embankment's frame and flanks, shared by ramps and steps: it starts at `start`, runs along a direction, is
/// `width` wide on top and falls off at its sides, and behind its plateau, at given angles.
struct Embankment {
    start: [f64; 2],
    along: (f64, f64),
    width: f64,
    side: f64,
    plateau: f64,
    end: f64,
}

/// An inclined plane with rounded ends and a plateau behind it.
pub(super) struct Ramp {
    bank: Embankment,
    slope: f64,
    length: f64,
    blend: f64,
}

/// Stairs with a plateau behind them.
pub(super) struct Steps {
    bank: Embankment,
    count: f64,
    riser: f64,
    tread: f64,
}

/// A slope that climbs towards all four edges of the grid.
pub(super) struct Rim {
    x: (f64, f64),
    y: (f64, f64),
    width: f64,
    slope: f64,
    top: f64,
}

impl Embankment {
    fn read(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        Ok(Self {
            start: fields.vector("start", COORDINATE)?,
            along: direction(fields)?,
            width: fields.number("width", LENGTH)?,
            side: libm::tan(fields.number_or("side_angle_deg", INCLINE, 60.0)?.to_radians()),
            plateau: fields.number_or("plateau", DISTANCE, DISTANCE.high)?,
            end: libm::tan(fields.number_or("end_angle_deg", INCLINE, 60.0)?.to_radians()),
        })
    }

    /// (distance along, distance beyond the side's edge) [m].
    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let (dx, dy) = (x - self.start[0], y - self.start[1]);
        let across = -dx * self.along.1 + dy * self.along.0;
        (dx * self.along.0 + dy * self.along.1, (across.abs() - 0.5 * self.width).max(0.0))
    }

    /// What the flanks leave of a height [m] at `along` when the plateau begins at `length`.
    fn trim(&self, height: f64, along: f64, beyond: f64, length: f64) -> f64 {
        let behind = (along - length - self.plateau).max(0.0);
        (height - self.side * beyond - self.end * behind).max(0.0)
    }
}

impl Ramp {
    pub(super) fn read(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        let ramp = Self {
            bank: Embankment::read(fields)?,
            slope: libm::tan(fields.angle("angle_deg", INCLINE)?),
            length: fields.number("length", LENGTH)?,
            blend: fields.number_or("blend", DISTANCE, 0.0)?,
        };
        if ramp.blend > ramp.length {
            let found = format!("blend {} m, length {} m", ramp.blend, ramp.length);
            return Err(fields.error("a blend that is not longer than the ramp", &found));
        }
        Ok(ramp)
    }

    /// max(s, 0) averaged over a window of the blend's length: a parabola joins the level to the slope.
    fn soft(&self, s: f64) -> f64 {
        let half = 0.5 * self.blend;
        if s <= -half {
            0.0
        } else if s >= half {
            s
        } else {
            (s + half) * (s + half) / (2.0 * self.blend)
        }
    }
}

impl Steps {
    pub(super) fn read(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        Ok(Self {
            bank: Embankment::read(fields)?,
            count: fields.whole("count", 0..=1000)? as f64,
            riser: fields.number("riser", Range::new(1e-3, 10.0, "m"))?,
            tread: fields.number("tread", LENGTH)?,
        })
    }
}

impl Rim {
    pub(super) fn read(fields: &mut Fields<'_>, extent: ((f64, f64), (f64, f64))) -> Result<Self, Fault> {
        Ok(Self {
            x: extent.0,
            y: extent.1,
            width: fields.number("width", LENGTH)?,
            slope: libm::tan(fields.angle("angle_deg", INCLINE)?),
            top: fields.number_or("top", HEIGHT, HEIGHT.high)?,
        })
    }
}

impl Profile for Ramp {
    fn height(&self, x: f64, y: f64, height: f64) -> f64 {
        let (s, beyond) = self.bank.place(x, y);
        let rise = self.slope * (self.soft(s) - self.soft(s - self.length));
        height + self.bank.trim(rise, s, beyond, self.length)
    }
}

impl Profile for Steps {
    fn height(&self, x: f64, y: f64, height: f64) -> f64 {
        let (s, beyond) = self.bank.place(x, y);
        let climbed = (libm::floor(s / self.tread) + 1.0).clamp(0.0, self.count);
        height + self.bank.trim(climbed * self.riser, s, beyond, self.count * self.tread)
    }
}

impl Profile for Rim {
    fn height(&self, x: f64, y: f64, height: f64) -> f64 {
        let edge = (x - self.x.0).min(self.x.1 - x).min(y - self.y.0).min(self.y.1 - y);
        let bank = (self.slope * (self.width - edge)).min(self.top);
        if edge < self.width { height.max(bank) } else { height }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bank() -> Embankment {
        Embankment { start: [1.0, 0.0], along: (1.0, 0.0), width: 2.0, side: 1.0, plateau: 3.0, end: 2.0 }
    }

    #[test]
    fn a_ramp_climbs_at_its_angle_and_stays_smooth() {
        let ramp = Ramp { bank: bank(), slope: 0.25, length: 4.0, blend: 0.8 };
        assert_eq!(ramp.height(0.0, 0.0, 0.1), 0.1);
        assert!((ramp.height(3.0, 0.0, 0.0) - 0.5).abs() < 1e-12);
        assert!((ramp.height(4.0, 0.9, 0.0) - ramp.height(3.0, 0.9, 0.0) - 0.25).abs() < 1e-12);
        assert!((ramp.height(6.0, 0.0, 0.0) - 1.0).abs() < 1e-12, "plateau");
        assert!((ramp.height(6.0, 1.5, 0.0) - 0.5).abs() < 1e-12, "half way down the 45° side");
        assert!((ramp.height(8.25, 0.0, 0.0) - 0.5).abs() < 1e-12, "half way down the back");
        let slope_at = |x: f64| (ramp.height(x + 1e-6, 0.0, 0.0) - ramp.height(x - 1e-6, 0.0, 0.0)) / 2e-6;
        assert!((slope_at(1.0) - 0.125).abs() < 1e-6, "half the slope in the middle of the blend");
    }

    #[test]
    fn stairs_have_whole_steps() {
        let steps = Steps { bank: bank(), count: 3.0, riser: 0.1, tread: 0.3 };
        for (x, expected) in [(0.9, 0.0), (1.1, 0.1), (1.4, 0.2), (1.7, 0.3), (4.0, 0.3)] {
            assert!((steps.height(x, 0.0, 0.0) - expected).abs() < 1e-12, "at {x}");
        }
    }

    #[test]
    fn a_rim_keeps_what_is_higher_and_stops_at_its_top() {
        let rim = Rim { x: (-5.0, 5.0), y: (-5.0, 5.0), width: 2.0, slope: 1.0, top: 1.5 };
        assert_eq!(rim.height(0.0, 0.0, -0.4), -0.4);
        assert_eq!(rim.height(4.0, 0.0, 0.0), 1.0);
        assert_eq!(rim.height(4.0, 0.0, 1.2), 1.2);
        assert_eq!(rim.height(0.0, -5.0, 0.0), 1.5);
    }
}
