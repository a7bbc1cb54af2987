//! A foot on the ground, and where the next one may stand.

mod manner;
mod path;
mod plan;
mod reach;
mod twist;

pub use manner::Manner;
pub(crate) use path::towards;
pub use path::{Place, plan_along};
pub use plan::Plan;
pub use reach::Reach;
pub use twist::Twist;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector2, Vector3};
use robot_io::State;

/// Left or right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub enum Side {
    /// Left: towards positive y.
    #[default]
    Left,
    /// Right: towards negative y.
    Right,
}

impl Side {
    /// Left, then right: the order of all pairs.
    pub const BOTH: [Side; 2] = [Side::Left, Side::Right];

    /// The other one.
    pub fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }

    /// Its place in a pair: 0 for the left.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The sign of y on this side.
    pub fn sign(self) -> f64 {
        match self {
            Side::Left => 1.0,
            Side::Right => -1.0,
        }
    }
}

/// Where a foot stands: the middle of its sole, in the odometry frame with z up.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct Footstep {
    /// Which foot.
    pub side: Side,
    /// Middle of the sole [m].
    pub position: Vector3<f64>,
    /// Heading [rad].
    pub yaw: f64,
    /// Unit normal of the ground.
    pub normal: Vector3<f64>,
}

impl Default for Footstep {
    fn default() -> Footstep {
        Footstep::flat(Side::Left, Vector3::zeros(), 0.0)
    }
}

/// A foot as seen from the other one. Outward is the side on which it belongs, so that both feet have the same bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stride {
    /// Along the other foot [m].
    pub forward: f64,
    /// Away from the other foot [m].
    pub outward: f64,
    /// Higher than the other foot [m].
    pub upward: f64,
    /// Toes outwards [rad].
    pub turning: f64,
}

impl Footstep {
    /// On level ground.
    pub fn flat(side: Side, position: Vector3<f64>, yaw: f64) -> Footstep {
        Footstep { side, position, yaw, normal: Vector3::z() }
    }

    /// Where a sole with this pose stands.
    pub fn at(side: Side, pose: &Isometry3<f64>) -> Footstep {
        let (ahead, normal) = (pose.rotation * Vector3::x(), pose.rotation * Vector3::z());
        Footstep { side, position: pose.translation.vector, yaw: libm::atan2(ahead.y, ahead.x), normal }
    }

    /// Both feet beside each other, `width` [m] between the middles of their soles; `middle` [m] is between them.
    pub fn stand(middle: Vector3<f64>, yaw: f64, width: f64) -> [Footstep; 2] {
        Side::BOTH.map(|side| {
            let across = turned(yaw, Vector2::new(0.0, 0.5 * width * side.sign()));
            Footstep::flat(side, middle + Vector3::new(across.x, across.y, 0.0), yaw)
        })
    }

    /// This foot as seen from `stance`, the other one.
    pub fn stride_from(&self, stance: &Footstep) -> Stride {
        let (off, sign) = (self.position - stance.position, self.side.sign());
        let local = turned(-stance.yaw, off.xy());
        let turning = wrapped(self.yaw - stance.yaw) * sign;
        Stride { forward: local.x, outward: local.y * sign, upward: off.z, turning }
    }

    /// The other foot, a stride from this one.
    pub fn stride(&self, stride: &Stride) -> Footstep {
        let side = self.side.other();
        let off = turned(self.yaw, Vector2::new(stride.forward, stride.outward * side.sign()));
        let position = self.position + Vector3::new(off.x, off.y, stride.upward);
        Footstep::flat(side, position, self.yaw + stride.turning * side.sign())
    }

    /// The other foot beside this one at `width` [m], on the same ground.
    pub fn beside(&self, width: f64) -> Footstep {
        Footstep { normal: self.normal, ..self.stride(&Stride { outward: width, ..Stride::default() }) }
    }

    /// Pose of the sole; its z axis is the ground's normal.
    pub fn pose(&self) -> Isometry3<f64> {
        Isometry3::from_parts(Translation3::from(self.position), self.rotation())
    }

    fn rotation(&self) -> UnitQuaternion<f64> {
        let tilt = UnitQuaternion::rotation_between(&Vector3::z(), &self.normal).unwrap_or_default();
        tilt * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), self.yaw)
    }
}

/// A vector in the ground plane, turned by an angle [rad].
pub(crate) fn turned(yaw: f64, vector: Vector2<f64>) -> Vector2<f64> {
    let (sin, cos) = libm::sincos(yaw);
    Vector2::new(cos * vector.x - sin * vector.y, sin * vector.x + cos * vector.y)
}

/// An angle between −π and π [rad].
pub(crate) fn wrapped(angle: f64) -> f64 {
    let (sin, cos) = libm::sincos(angle);
    libm::atan2(sin, cos)
}
