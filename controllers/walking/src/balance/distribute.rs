//! The wanted force on the ground, shared by two feet.

use nalgebra::Vector2;
use robot_io::State;

use crate::footstep::{Footstep, Reach, turned};

/// What one foot carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct FootLoad {
    /// Share of the vertical force: 0 to 1.
    pub share: f64,
    /// Point of pressure under this foot, in its own frame [m].
    pub pressure: Vector2<f64>,
}

/// The shares of two feet that stand, so that together their pressure is at `zmp` [m].
///
/// As by Kajita et al., "Biped walking stabilization based on linear inverted pendulum tracking" (2010): the share follows from where
/// the ZMP is between the middles of both soles, as far as soles are large enough for what remains. What remains shifts the pressure under both feet; what one sole cannot take, the
/// other one takes. Exact for every ZMP in the support if the feet are parallel.
pub fn distribute(zmp: &Vector2<f64>, feet: &[Footstep; 2], reach: &Reach) -> [FootLoad; 2] {
    let [left, right] = [feet[0].position.xy(), feet[1].position.xy()];
    let across = left - right;
    let share = share_in_reach(&(zmp - right), &across, feet, reach);
    let shares = [share, 1.0 - share];
    let rest = zmp - (left * shares[0] + right * shares[1]);
    let mut pressure = [Vector2::zeros(); 2];
    let mut open = rest;
    for _ in 0..2 {
        for (k, foot) in feet.iter().enumerate() {
            pressure[k] = on_sole(foot, &(pressure[k] + open), reach);
        }
        open = rest - (pressure[0] * shares[0] + pressure[1] * shares[1]);
    }
    let local = |k: usize| turned(-feet[k].yaw, pressure[k]);
    [FootLoad { share: shares[0], pressure: local(0) }, FootLoad { share: shares[1], pressure: local(1) }]
}

/// The left foot's share for a ZMP at `off` from the right foot; `across` is from right to left [m].
fn share_in_reach(off: &Vector2<f64>, across: &Vector2<f64>, feet: &[Footstep; 2], reach: &Reach) -> f64 {
    const SMALL: f64 = 1e-9;
    let (mut least, mut most) = (0.0_f64, 1.0_f64);
    for foot in feet {
        let (off, across) = (turned(-foot.yaw, *off), turned(-foot.yaw, *across));
        for axis in (0..2).filter(|axis| across[*axis].abs() > SMALL) {
            let ends = [-1.0, 1.0].map(|sign| (off[axis] + sign * reach.half_sole[axis]) / across[axis]);
            (least, most) = (least.max(ends[0].min(ends[1])), most.min(ends[0].max(ends[1])));
        }
    }
    let between = off.dot(across) / across.norm_squared().max(SMALL);
    if least <= most { between.clamp(least, most) } else { between.clamp(0.0, 1.0) }
}

/// The nearest point on the sole, both from its middle in the odometry frame [m].
fn on_sole(foot: &Footstep, point: &Vector2<f64>, reach: &Reach) -> Vector2<f64> {
    let half = Vector2::from(reach.half_sole);
    turned(foot.yaw, turned(-foot.yaw, *point).sup(&-half).inf(&half))
}
