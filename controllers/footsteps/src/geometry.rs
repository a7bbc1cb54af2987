//! Rectangles on the ground, seen from above.

use nalgebra::Vector2;
use robot_io::Pose2;
use walking::Footstep;

/// A rectangle on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// Its middle [m].
    pub centre: Vector2<f64>,
    /// The direction of its length: a unit vector.
    pub ahead: Vector2<f64>,
    /// Half its length and half its width [m].
    pub half: Vector2<f64>,
}

impl Rectangle {
    /// Around a pose, with half its length and half its width [m].
    pub fn at(pose: &Pose2, half: [f64; 2]) -> Rectangle {
        Rectangle { centre: Vector2::new(pose.x, pose.y), ahead: ahead(pose.yaw), half: Vector2::from(half) }
    }

    /// Under a foot whose sole has half this length and half this width [m].
    pub fn sole(foot: &Footstep, half: [f64; 2]) -> Rectangle {
        Rectangle { centre: foot.position.xy(), ahead: ahead(foot.yaw), half: Vector2::from(half) }
    }

    /// What a strip of half width `across` [m] covers that begins `beyond` [m] before `from` and ends so far behind `to`. Where both are the
    /// same, `ahead` says how it lies.
    pub fn strip(from: &Vector2<f64>, to: &Vector2<f64>, ahead: &Vector2<f64>, beyond: f64, across: f64) -> Rectangle {
        let way = to - from;
        let length = way.norm();
        let ahead = if length > 1e-9 { way / length } else { *ahead };
        let half = Vector2::new((0.5 * length + beyond).max(0.0), across);
        Rectangle { centre: from + 0.5 * way, ahead, half }
    }

    /// The same, larger by so much on every side [m].
    #[must_use]
    pub fn grown(&self, by: f64) -> Rectangle {
        Rectangle { half: self.half.add_scalar(by), ..*self }
    }

    /// A point as seen from the middle: along its length and across it, to the left [m].
    pub fn local(&self, x: f64, y: f64) -> Vector2<f64> {
        let (dx, dy) = (x - self.centre.x, y - self.centre.y);
        Vector2::new(dx * self.ahead.x + dy * self.ahead.y, dy * self.ahead.x - dx * self.ahead.y)
    }

    /// Where a point that is seen from the middle lies [m].
    pub fn place(&self, along: f64, across: f64) -> Vector2<f64> {
        self.centre + self.ahead * along + Vector2::new(-self.ahead.y, self.ahead.x) * across
    }

    /// Whether a point is in it.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        let local = self.local(x, y);
        local.x.abs() <= self.half.x && local.y.abs() <= self.half.y
    }

    /// How far it reaches from its middle along x and along y [m].
    pub fn extent(&self) -> Vector2<f64> {
        let (c, s) = (self.ahead.x.abs(), self.ahead.y.abs());
        Vector2::new(c * self.half.x + s * self.half.y, s * self.half.x + c * self.half.y)
    }
}

/// The direction of a heading [rad].
pub fn ahead(yaw: f64) -> Vector2<f64> {
    let (sin, cos) = libm::sincos(yaw);
    Vector2::new(cos, sin)
}

/// Where the middle between both feet is if the other one stands beside this one [m]; `width` [m] is between them.
pub fn middle_beside(foot: &Footstep, width: f64) -> Vector2<f64> {
    let ahead = ahead(foot.yaw);
    foot.position.xy() - Vector2::new(-ahead.y, ahead.x) * (0.5 * width * foot.side.sign())
}

/// Midway between two feet, looking as they do on average.
pub fn midway(one: &Footstep, other: &Footstep) -> Pose2 {
    let middle = (one.position + other.position) * 0.5;
    let yaw = one.yaw + 0.5 * robot_io::math::wrap_angle(other.yaw - one.yaw);
    Pose2 { x: middle.x, y: middle.y, yaw }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_rectangle_holds_what_lies_in_it() {
        let area = Rectangle::at(&Pose2 { x: 1.0, y: 2.0, yaw: core::f64::consts::FRAC_PI_2 }, [0.5, 0.1]);
        assert!(area.contains(1.05, 2.45) && !area.contains(1.45, 2.05));
        assert!((area.extent() - Vector2::new(0.1, 0.5)).norm() < 1e-12);
        let there = area.place(0.3, 0.1);
        assert!((there - Vector2::new(0.9, 2.3)).norm() < 1e-12);
        assert!((area.local(there.x, there.y) - Vector2::new(0.3, 0.1)).norm() < 1e-12);
    }

    #[test]
    fn a_strip_ends_beyond_both_ends() {
        let strip = Rectangle::strip(&Vector2::zeros(), &Vector2::new(1.0, 0.0), &Vector2::new(0.0, 1.0), 0.2, 0.1);
        assert!(strip.contains(-0.19, 0.09) && strip.contains(1.19, 0.0) && !strip.contains(1.21, 0.0));
        let spot = Rectangle::strip(&Vector2::zeros(), &Vector2::zeros(), &Vector2::new(0.0, 1.0), 0.2, 0.1);
        assert!(spot.contains(0.0, 0.19) && !spot.contains(0.19, 0.0));
    }
}
