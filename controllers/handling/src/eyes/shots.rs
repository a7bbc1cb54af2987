//! Pictures on their way: those of the depth camera and of the colour camera beside it belong together.

use nalgebra::Isometry3;
use robot_io::{DepthImage, Image, Period, Sealed, State, Time};

use super::trail::Trail;

/// A depth picture waits so long for the colour picture that was asked for with it [s].
const PATIENCE: f64 = 0.1;

/// A depth picture, where the base was when it was taken, and where the joints were when it came.
#[derive(Clone, Debug, State)]
pub(super) struct Shot {
    pub picture: Sealed<DepthImage>,
    pub rows: Rows,
    pub base_in_odom: Isometry3<f64>,
    pub joints: Vec<f64>,
    came: Time,
}

/// A colour picture.
#[derive(Clone, Debug, Default, State)]
pub(super) struct ColourShot {
    pub picture: Sealed<Image>,
    pub rows: Rows,
}

/// Where a camera was when the first and the last row of a picture were exposed, in the odometry frame.
#[derive(Clone, Copy, Debug, State)]
pub(super) struct Rows {
    pub first: Isometry3<f64>,
    pub last: Isometry3<f64>,
}

/// Pictures that wait to be looked at.
#[derive(Clone, Debug, Default, State)]
pub(super) struct Shots {
    depth: Option<Shot>,
    colour: Option<ColourShot>,
}

impl Shots {
    pub fn is_empty(&self) -> bool {
        self.depth.is_none()
    }

    /// A new moment: what came too late for the last one is of no use.
    pub fn begin(&mut self) {
        *self = Shots::default();
    }

    pub fn take_depth(
        &mut self,
        now: Time,
        picture: &Sealed<DepthImage>,
        trail: &Trail,
        base_in_odom: &Isometry3<f64>,
        joints: Vec<f64>,
    ) {
        let rows = rows(trail, picture.stamp, picture.row_period, picture.height);
        let (picture, came) = (picture.clone(), now);
        self.depth = rows.zip(trail.last()).map(|(rows, camera)| {
            // a base that moves, as that of a robot that walks, has taken the camera along since
            let base_in_odom = rows.first * (camera.inverse() * base_in_odom);
            Shot { picture, rows, base_in_odom, joints, came }
        });
    }

    pub fn take_colour(&mut self, picture: &Sealed<Image>, trail: &Trail) {
        let rows = rows(trail, picture.stamp, picture.row_period, picture.height);
        self.colour = rows.map(|rows| ColourShot { picture: picture.clone(), rows });
    }

    /// Whether the pictures can be looked at: both are there, or nobody waits for the second any more.
    pub fn are_complete(&self, with_colour: bool, now: Time) -> bool {
        let is_late = |shot: &Shot| now.since(shot.came).seconds() >= PATIENCE;
        self.depth.as_ref().is_some_and(|shot| !with_colour || self.colour.is_some() || is_late(shot))
    }

    /// The pictures.
    pub fn take(&mut self) -> Option<(Shot, Option<ColourShot>)> {
        let colour = self.colour.take();
        self.depth.take().map(|depth| (depth, colour))
    }
}

fn rows(trail: &Trail, stamp: Time, row_period: Period, height: usize) -> Option<Rows> {
    let ends = stamp + Period::from_nanoseconds(row_period.nanoseconds() * height.saturating_sub(1) as u64);
    Some(Rows { first: trail.at(stamp)?, last: trail.at(ends)? })
}

impl Default for Rows {
    fn default() -> Self {
        Rows { first: Isometry3::identity(), last: Isometry3::identity() }
    }
}

impl Default for Shot {
    fn default() -> Self {
        let (picture, joints, came) = (Sealed::default(), Vec::new(), Time::ZERO);
        Shot { picture, rows: Rows::default(), base_in_odom: Isometry3::identity(), joints, came }
    }
}
