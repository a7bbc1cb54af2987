//! Ground that would be seen if it went on, and is not: drops, whose bottom lies in the shadow of their edge.
//!
//! A laser sees no hole, it sees nothing there; so nothing is what has to be looked for. From the ground that the robot can get
//! to, each unknown cell beside it is taken for ground that goes on, as steeply downwards as could be driven. If there is a free
//! line from where the laser was to that cell, near enough for beams to meet it for sure, and none has, then there is no ground.
//!
//! An edge is looked at steeply enough from one or two metres only, on the way to it. In front of it the robot's arms hide it, and the
//! views from the way are thinned out: so where the laser has looked is remembered for longer than what it has seen.

use std::collections::VecDeque;

use nalgebra::Point3;

use super::{GridFrame, Ground, HeightSettings, Heights, Looks};
use crate::RobotFootprint;

/// So far beyond the last ground that is seen one looks for more [m].
const REACH: f64 = 0.3;
/// A line of sight passes this much above the ground, or it is not free [m].
const CLEAR: f64 = 0.02;
/// Something that stands stands above a line of sight by this [m]: its cell hides what is behind the cells around it too. A line by the edge of
/// a wall is as well beside it as behind it, as far as cells can tell.
const STANDS: f64 = 0.15;
/// From so many looks a place must be visible: one may have been looked at past something that moved.
const FEWEST: usize = 2;
/// From one cell to the next the ground that the robot can get to rises or falls by no more than this, beside its slope [m].
const STEP: f64 = 0.06;
/// Around a cell, counter-clockwise.
const AROUND: [(i32, i32); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// The places from which the laser has looked.
pub(super) struct Sights<'a> {
    looks: &'a Looks,
    once_known: &'a dyn Fn(f64, f64) -> bool,
    /// Up to this height each cell hides what is behind it [m].
    hides: Vec<f64>,
    /// The laser in the base frame, and where it was in each look; none for a robot without one.
    eye: Point3<f64>,
    places: Vec<Point3<f64>>,
    settings: &'a HeightSettings,
    slope: f64,
}

impl<'a> Sights<'a> {
    /// Where the robot's laser was in each look.
    pub fn new(
        heights: &Heights,
        looks: &'a Looks,
        once_known: &'a dyn Fn(f64, f64) -> bool,
        robot: &RobotFootprint,
        settings: &'a HeightSettings,
    ) -> Sights<'a> {
        let eye = robot.eye.map(Point3::from);
        let places = eye.into_iter().flat_map(|eye| looks.poses().map(move |base_in_map| base_in_map * eye));
        Sights {
            looks,
            once_known,
            hides: hides(heights),
            eye: eye.unwrap_or_default(),
            places: places.collect(),
            settings,
            slope: robot_io::math::tan(settings.steepest_slope_deg.to_radians()),
        }
    }

    /// Marks what is missing beside the ground that the robot can get to.
    pub fn mark_missing(&self, heights: &mut Heights, robot: &RobotFootprint) {
        if self.places.len() < FEWEST {
            return;
        }
        let reached = self.reached(heights, robot);
        let (frame, rings) = (heights.frame, heights.frame.cells(REACH));
        let mut level = vec![f64::NAN; frame.len()];
        let mut nearer = vec![usize::MAX; frame.len()];
        let mut ring: Vec<usize> = reached.clone();
        reached.iter().for_each(|cell| level[*cell] = heights.height[*cell]);
        let mut missing = Vec::new();
        for _ in 0..rings {
            let mut next = Vec::new();
            for cell in ring {
                for (across, along) in AROUND {
                    let Some(other) = frame.neighbour(cell, across, along) else { continue };
                    if level[other].is_nan() && heights.ground[other] == Ground::Unknown {
                        let away = frame.cell * f64::from(across * across + along * along).sqrt();
                        (level[other], nearer[other]) = (level[cell] - self.slope * away, cell);
                        next.push(other);
                        let (x, y) = frame.center(other);
                        if self.could_see(heights, x, y, level[other]) {
                            missing.push(other);
                        }
                    }
                }
            }
            ring = next;
        }
        // and so is what lies between it and the last ground that is seen
        for mut cell in missing {
            while heights.ground[cell] == Ground::Unknown {
                let (x, y) = frame.center(cell);
                if (self.once_known)(x, y) {
                    break;
                }
                heights.ground[cell] = Ground::Missing;
                cell = nearer[cell];
            }
        }
    }

    /// True if ground of this height at a place would have been seen.
    pub fn could_see(&self, heights: &Heights, x: f64, y: f64, height: f64) -> bool {
        let place = Point3::new(x, y, height);
        let is_known_no_more = (self.once_known)(x, y);
        let sees = |(look, eye): &(usize, &Point3<f64>)| {
            let distance = libm::hypot(eye.x - x, eye.y - y);
            let in_range = (self.settings.blind_radius..=self.settings.sure_range).contains(&distance);
            in_range
                && !(is_known_no_more && self.looks.is_past(*look))
                && self.looks.is_seen(*look, &self.eye, &place)
                && is_free(&heights.frame, &self.hides, eye, &place)
        };
        self.places.iter().enumerate().rev().filter(sees).take(FEWEST).count() == FEWEST
    }

    /// The cells of the ground that the robot can get to over ground that is known, in the order in which it gets there.
    fn reached(&self, heights: &Heights, robot: &RobotFootprint) -> Vec<usize> {
        let Some(plane) = robot.contact_plane() else { return Vec::new() };
        let (frame, here) = (heights.frame, robot.pose());
        let is_ground = |cell: usize| heights.ground[cell] >= Ground::Filled;
        let steepest = STEP + self.slope * frame.cell;
        let begins = |cell: &usize| {
            let (x, y) = frame.center(*cell);
            is_ground(*cell) && (heights.height[*cell] - plane.height_at(x, y)).abs() <= steepest
        };
        let mut is_reached = vec![false; frame.len()];
        let mut queue: VecDeque<usize> =
            frame.square(here.x, here.y, self.settings.blind_radius).filter(begins).collect();
        queue.iter().for_each(|cell| is_reached[*cell] = true);
        let mut reached = Vec::new();
        while let Some(cell) = queue.pop_front() {
            reached.push(cell);
            for (across, along) in AROUND {
                let Some(other) = frame.neighbour(cell, across, along) else { continue };
                let level = (heights.height[other] - heights.height[cell]).abs() <= steepest;
                if level && is_ground(other) && !is_reached[other] {
                    is_reached[other] = true;
                    queue.push_back(other);
                }
            }
        }
        reached
    }
}

/// Up to which height each cell hides what is behind it [m]. What is not known hides nothing.
fn hides(heights: &Heights) -> Vec<f64> {
    let height = |cell: usize| Some(heights.height[cell]).filter(|height| !height.is_nan());
    let around = |cell: usize| {
        let others = AROUND.into_iter().filter_map(move |(across, along)| heights.frame.neighbour(cell, across, along));
        others.filter_map(height).fold(f64::NEG_INFINITY, f64::max) - STANDS
    };
    let own = |cell: usize| height(cell).map_or(f64::NEG_INFINITY, |height| height + CLEAR);
    (0..heights.frame.len()).map(|cell| own(cell).max(around(cell))).collect()
}

/// True if nothing that is known stands between an eye and a place.
fn is_free(frame: &GridFrame, hides: &[f64], eye: &Point3<f64>, place: &Point3<f64>) -> bool {
    let (dx, dy) = (place.x - eye.x, place.y - eye.y);
    let distance = libm::hypot(dx, dy);
    if eye.z <= place.z + CLEAR || distance < frame.cell {
        return false;
    }
    let steps = (distance / frame.cell) as usize;
    (1..=steps).all(|step| {
        let back = step as f64 * frame.cell / distance;
        let line = place.z + back * (eye.z - place.z);
        let cell = frame.index_at(place.x - back * dx, place.y - back * dy);
        cell.is_none_or(|cell| hides[cell] < line)
    })
}
