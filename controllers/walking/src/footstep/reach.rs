//! How far the next foot may stand from the other one.

use nalgebra::Vector2;
use robot_io::Settings;
use serde::{Deserialize, Serialize};

use super::{Footstep, Stride};
use crate::error::WalkingError;
use crate::polygon::Polygon;

/// Least and most of a stride. The kind of bounds is that of Herdt et al., "Online walking motion generation with automatic
/// foot step placement" (2010); the figures suit a robot with legs of 0.9 m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct Reach {
    /// Along the other foot, least and most [m].
    #[setting([-0.45, 0.7], range = -2.0..=2.0)]
    pub forward: [f64; 2],
    /// Away from the other foot, least and most [m]. The least is positive: feet never cross.
    #[setting([0.19, 0.55], range = 0.02..=2.0)]
    pub outward: [f64; 2],
    /// Higher than the other foot, least and most [m].
    #[setting([-0.25, 0.25], range = -1.0..=1.0)]
    pub upward: [f64; 2],
    /// Toes outwards, least and most [rad].
    #[setting([-0.15, 0.6], range = -1.5..=1.5)]
    pub turning: [f64; 2],
    /// Half the length and half the width of a sole [m].
    #[setting([0.15, 0.08], range = 0.01..=0.5)]
    pub half_sole: [f64; 2],
}

impl Reach {
    /// Refuses a step that is out of reach from `stance`; `number` is for the message.
    pub fn check(&self, number: usize, stance: &Footstep, step: &Footstep) -> Result<(), WalkingError> {
        let stride = step.stride_from(stance);
        if step.side == stance.side {
            let (expected, found) = (format!("{:?}", stance.side.other()), format!("{:?}", step.side));
            return Err(WalkingError::Step { step: number, field: "side", expected, found });
        }
        let upright = (step.normal.norm() - 1.0).abs() < 1e-6 && step.normal.z > 0.5;
        let figures = [
            ("forward [m]", self.forward, stride.forward),
            ("outward [m]", self.outward, stride.outward),
            ("upward [m]", self.upward, stride.upward),
            ("turning [rad]", self.turning, stride.turning),
            ("normal: upward part", [0.5, 1.0], if upright { step.normal.z.min(1.0) } else { f64::NAN }),
        ];
        for (field, [least, most], found) in figures {
            const ROUNDING: f64 = 1e-9;
            if !(least - ROUNDING..=most + ROUNDING).contains(&found) {
                let expected = format!("{least} to {most}");
                return Err(WalkingError::Step { step: number, field, expected, found: format!("{found:.4}") });
            }
        }
        self.check_apart(number, stance, step)
    }

    /// Turned soles can touch although their middles are apart.
    fn check_apart(&self, number: usize, stance: &Footstep, step: &Footstep) -> Result<(), WalkingError> {
        let common = self.sole(stance).common(&self.sole(step)).area();
        if common > 1e-9 {
            let (expected, found) = ("none".to_owned(), format!("{common:.4}"));
            return Err(WalkingError::Step { step: number, field: "ground under both soles [m²]", expected, found });
        }
        Ok(())
    }

    /// How far away from the other foot one that is turned by `turning` [rad] stands at least [m], that the corners of its sole
    /// are no nearer to the other sole than its side is when it is not turned.
    pub fn least_outward(&self, turning: f64) -> f64 {
        let [length, width] = self.half_sole;
        let (sin, cos) = libm::sincos(turning);
        self.outward[0] + length * sin.abs() + width * (cos.abs() - 1.0)
    }

    /// The ground under a sole.
    pub fn sole(&self, foot: &Footstep) -> Polygon {
        Polygon::rectangle(foot.position.xy(), foot.yaw, Vector2::new(self.half_sole[0], self.half_sole[1]))
    }

    /// The nearest step in reach of `stance`. Its ground is taken as it is where its height is in reach.
    pub fn nearest(&self, stance: &Footstep, step: &Footstep) -> Footstep {
        let wanted = step.stride_from(stance);
        let within = |[least, most]: [f64; 2], value: f64| value.max(least).min(most);
        let stride = Stride {
            forward: within(self.forward, wanted.forward),
            outward: within(self.outward, wanted.outward),
            upward: within(self.upward, wanted.upward),
            turning: within(self.turning, wanted.turning),
        };
        if stride == wanted { *step } else { Footstep { normal: step.normal, ..stance.stride(&stride) } }
    }
}
