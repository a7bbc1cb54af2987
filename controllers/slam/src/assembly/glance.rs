//! One scan as others may look at it, before the turn that it belongs to is complete.

use nalgebra::{Isometry3, Point3};
use robot_io::{Period, Sealed, State, Time};

use super::turn::ScanPoints;

/// What one scan met: jump edges and the robot itself are taken out. Cheap to clone and to wait with.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Glance {
    scan: Sealed<ScanPoints>,
}

impl Glance {
    pub(super) fn of(scan: &Sealed<ScanPoints>) -> Glance {
        Glance { scan: scan.clone() }
    }

    /// The time half way between its first and its last beam.
    pub fn time(&self) -> Time {
        self.scan.begin + Period::from_seconds(0.5 * self.scan.end.since(self.scan.begin).seconds())
    }

    /// Where the scanner was when it began, in the odometry frame [m].
    pub fn scanner_in_odom(&self) -> Point3<f64> {
        self.scan.begin_in_odom * Point3::from(self.scan.origin).cast::<f64>()
    }

    /// What it met, in the order of its beams, in the odometry frame, the robot's motion meanwhile undone [m].
    pub fn points_in_odom(&self) -> impl Iterator<Item = Point3<f64>> + '_ {
        let base: Isometry3<f64> = self.scan.begin_in_odom;
        self.scan.points.iter().map(move |point| base * Point3::from(point.position).cast::<f64>())
    }
}
