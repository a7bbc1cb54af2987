//! The path to follow, by arc length.

use robot_io::math::{atan2, hypot};
use robot_io::{Digest, Path, Pose2};

/// Points of the path are this far apart [m].
const SPACING: f64 = 0.1;

/// A path as a line with arc length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Way {
    points: Vec<[f64; 2]>,
    /// Direction of the way from each point to the next [rad].
    directions: Vec<f64>,
    /// Heading that the robot shall have at each point [rad].
    headings: Vec<f64>,
    /// Arc length at each point [m].
    lengths: Vec<f64>,
    of: Option<Digest>,
}

/// A place on the way that is nearest to some other place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Foot {
    /// Arc length [m].
    pub along: f64,
    /// Distance from the way [m].
    pub beside: f64,
}

impl Way {
    /// The digest of the path that it was made of.
    pub fn of(&self) -> Option<Digest> {
        self.of
    }

    /// Takes up a path, with points at even distances.
    pub fn set(&mut self, path: &Path, digest: Digest) {
        self.of = Some(digest);
        self.points.clear();
        self.directions.clear();
        self.lengths.clear();
        self.headings.clear();
        if let Some(first) = path.poses.first() {
            self.points.push([first.x, first.y]);
            self.headings.push(first.yaw);
        }
        for pair in path.poses.windows(2) {
            let length = pair[0].distance(&pair[1]);
            let pieces = (length / SPACING).ceil().clamp(0.0, 1e4) as usize;
            for piece in 1..=pieces {
                let share = piece as f64 / pieces as f64;
                let between = |from: f64, to: f64| from + share * (to - from);
                self.points.push([between(pair[0].x, pair[1].x), between(pair[0].y, pair[1].y)]);
                self.headings.push(pair[1].yaw);
            }
            if let (0, Some(heading)) = (pieces, self.headings.last_mut()) {
                *heading = pair[1].yaw;
            }
        }
        let mut along = 0.0;
        for (index, point) in self.points.iter().enumerate() {
            self.lengths.push(along);
            let next = self.points.get(index + 1);
            if let Some(next) = next {
                along += hypot(next[0] - point[0], next[1] - point[1]);
            }
            let last = self.directions.last().copied().or(path.poses.first().map(|pose| pose.yaw)).unwrap_or(0.0);
            self.directions.push(next.map_or(last, |next| atan2(next[1] - point[1], next[0] - point[0])));
        }
    }

    /// Length of the way [m].
    pub fn length(&self) -> f64 {
        self.lengths.last().copied().unwrap_or(0.0)
    }

    /// The nearest place on the way between two arc lengths.
    pub fn nearest(&self, x: f64, y: f64, from: f64, to: f64) -> Foot {
        let last = self.points.len().saturating_sub(1);
        let (first, end) = (self.index_at(from), (self.index_at(to) + 1).min(last));
        let Some(start) = self.points.get(first) else { return Foot { along: 0.0, beside: 0.0 } };
        let mut best = Foot { along: self.lengths[first], beside: hypot(x - start[0], y - start[1]) };
        for index in first..end {
            let (a, b) = (self.points[index], self.points[index + 1]);
            let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
            let squared = (dx * dx + dy * dy).max(1e-12);
            let share = (((x - a[0]) * dx + (y - a[1]) * dy) / squared).clamp(0.0, 1.0);
            let beside = hypot(x - a[0] - share * dx, y - a[1] - share * dy);
            if beside < best.beside {
                best = Foot { along: self.lengths[index] + share * squared.sqrt(), beside };
            }
        }
        best
    }

    /// The place at an arc length, with the direction in which the way goes on.
    pub fn at(&self, along: f64) -> Pose2 {
        let index = self.index_at(along);
        let Some(point) = self.points.get(index) else { return Pose2::default() };
        let yaw = self.directions[index];
        let Some(next) = self.points.get(index + 1) else { return Pose2 { x: point[0], y: point[1], yaw } };
        let length = (self.lengths[index + 1] - self.lengths[index]).max(1e-12);
        let share = ((along - self.lengths[index]) / length).clamp(0.0, 1.0);
        Pose2 { x: point[0] + share * (next[0] - point[0]), y: point[1] + share * (next[1] - point[1]), yaw }
    }

    /// The heading that the robot shall have at an arc length [rad].
    pub fn heading(&self, along: f64) -> f64 {
        let index = self.lengths.partition_point(|length| *length < along - 1e-9);
        self.headings.get(index).or(self.headings.last()).copied().unwrap_or(0.0)
    }

    /// Arc length of the first corner beyond another [m]: there the direction turns at once, by more than the angle of this cosine. The end, if
    /// there is none.
    pub fn next_corner(&self, beyond: f64, cosine: f64) -> f64 {
        let turns = |pair: &[f64]| robot_io::math::cos(pair[1] - pair[0]) < cosine;
        let corners = self.directions.windows(2).zip(&self.lengths[1.min(self.lengths.len())..]);
        let mut ahead = corners.filter(|(pair, along)| **along > beyond && turns(pair));
        ahead.next().map_or(self.length(), |(_, along)| *along)
    }

    fn index_at(&self, along: f64) -> usize {
        self.lengths.partition_point(|length| *length <= along).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::FRAC_PI_2;

    fn corner() -> Way {
        let pose = |x: f64, y: f64| Pose2 { x, y, yaw: 0.0 };
        let mut way = Way::default();
        way.set(&Path { poses: vec![pose(0.0, 0.0), pose(2.0, 0.0), pose(2.0, 1.0)] }, Digest(1));
        way
    }

    #[test]
    fn arc_length_goes_round_the_corner() {
        let way = corner();
        assert!((way.length() - 3.0).abs() < 1e-12);
        let foot = way.nearest(1.8, 0.6, 0.0, 3.0);
        assert!((foot.along - 2.6).abs() < 1e-9 && (foot.beside - 0.2).abs() < 1e-9, "{foot:?}");
        let early = way.nearest(1.8, 0.6, 0.0, 1.0);
        assert!(early.along <= 1.1 + 1e-9, "only as far as it may look: {early:?}");
        let at = way.at(2.5);
        assert!((at.x - 2.0).abs() < 1e-9 && (at.y - 0.5).abs() < 1e-9 && (at.yaw - FRAC_PI_2).abs() < 1e-9);
    }

    #[test]
    fn a_corner_is_where_the_direction_turns_at_once() {
        let way = corner();
        assert!((way.next_corner(0.5, 0.87) - 2.0).abs() < 1e-9, "{}", way.next_corner(0.5, 0.87));
        assert!((way.next_corner(2.05, 0.87) - 3.0).abs() < 1e-9, "then the end");
        assert_eq!(Way::default().next_corner(0.0, 0.87), 0.0);
    }

    #[test]
    fn the_ends_are_ends() {
        let way = corner();
        assert_eq!((way.at(-1.0).x, way.at(9.0).y), (0.0, 1.0));
        assert_eq!(Way::default().nearest(1.0, 1.0, 0.0, 1.0).along, 0.0);
        let mut place = Way::default();
        place.set(&Path { poses: vec![Pose2 { x: 1.0, y: 2.0, yaw: 0.5 }] }, Digest(1));
        assert_eq!((place.length(), place.at(0.0)), (0.0, Pose2 { x: 1.0, y: 2.0, yaw: 0.5 }));
    }

    #[test]
    fn the_headings_are_those_of_the_path() {
        let pose = |x: f64, yaw: f64| Pose2 { x, y: 0.0, yaw };
        let mut way = Way::default();
        way.set(&Path { poses: vec![pose(0.0, 0.1), pose(1.0, 0.2), pose(2.0, 0.3), pose(2.0, 0.4)] }, Digest(1));
        assert_eq!((way.heading(0.0), way.heading(0.55), way.heading(1.5)), (0.1, 0.2, 0.3));
        assert_eq!((way.heading(2.0), way.heading(9.0)), (0.4, 0.4), "a turn on the spot at the end");
    }
}
