//! Worlds made of a few solids. A ray meets them where arithmetic says.

use nalgebra::{Isometry3, Point3, Vector3};
use robot_io::HeightMap;

/// Something solid.
#[derive(Clone, Debug)]
pub enum Solid {
    /// All that lies below a plane: its upward unit normal, and its distance from the origin along it [m].
    HalfSpace(Vector3<f64>, f64),
    /// A box by its middle's pose and half its edges [m].
    Block(Isometry3<f64>, Vector3<f64>),
    /// A ball by its middle and radius [m].
    Ball(Point3<f64>, f64),
    /// An upright column without end by its axis' place and radius [m].
    Column([f64; 2], f64),
}

/// Solids at rest, in the world frame.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub solids: Vec<Solid>,
}

impl World {
    /// A flat floor and nothing else.
    pub fn plain() -> World {
        World { solids: vec![Solid::HalfSpace(Vector3::z(), 0.0)] }
    }

    /// A room of 8 m by 6 m with a table, a cupboard and a pillar; the origin is not in its middle.
    pub fn room() -> World {
        World::plain()
            .wall([-3.0, -2.5], [5.0, -2.5], 3.0)
            .wall([5.0, -2.5], [5.0, 3.5], 3.0)
            .wall([5.0, 3.5], [-3.0, 3.5], 3.0)
            .wall([-3.0, 3.5], [-3.0, -2.5], 3.0)
            .block([3.5, 2.6, 0.4], [0.7, 0.4, 0.4], 0.2)
            .block([-2.6, 0.5, 1.0], [0.3, 0.6, 1.0], 0.0)
            .with(Solid::Column([2.0, -1.6], 0.15))
    }

    /// A flat arena of 20 m by 20 m inside a rim, with stones, blocks and a ramp.
    pub fn arena() -> World {
        let stones = [
            [3.0, 2.0, 0.5],
            [-4.0, 3.5, 0.7],
            [6.5, -3.0, 0.6],
            [-6.0, -5.5, 0.8],
            [1.0, -6.0, 0.4],
            [-1.5, 7.0, 0.5],
            [7.5, 6.5, 0.9],
            [-8.0, 1.0, 0.3],
        ];
        let mut arena = World::plain()
            .wall([-10.0, -10.0], [10.0, -10.0], 1.5)
            .wall([10.0, -10.0], [10.0, 10.0], 1.5)
            .wall([10.0, 10.0], [-10.0, 10.0], 1.5)
            .wall([-10.0, 10.0], [-10.0, -10.0], 1.5);
        for [x, y, radius] in stones {
            arena = arena.with(Solid::Ball(Point3::new(x, y, 0.3 * radius), radius));
        }
        let ramp = Isometry3::new(Vector3::new(4.5, -7.0, 0.0), Vector3::new(0.0, -0.2, 0.0));
        arena
            .with(Solid::Block(ramp, Vector3::new(1.8, 1.0, 0.3)))
            .block([-3.0, -2.5, 0.5], [0.6, 0.4, 0.5], 0.6)
            .block([-5.5, 8.0, 0.6], [1.2, 0.3, 0.6], -0.4)
            .block([8.5, 1.0, 0.4], [0.4, 0.9, 0.4], 0.3)
    }

    /// A straight corridor along x, 2.4 m wide, whose ends are out of sight: nothing holds along x.
    pub fn corridor() -> World {
        World::plain().wall([-100.0, -1.2], [100.0, -1.2], 2.5).wall([-100.0, 1.2], [100.0, 1.2], 2.5)
    }

    /// A square ring of corridors 3 m wide about a block of 9 m, with niches and pillars of their own: for going round
    /// once. Its middle line runs through (0, 0), (12, 0), (12, 12) and (0, 12).
    pub fn ring() -> World {
        World::plain()
            .wall([-1.5, -1.5], [13.5, -1.5], 2.5)
            .wall([13.5, -1.5], [13.5, 13.5], 2.5)
            .wall([13.5, 13.5], [-1.5, 13.5], 2.5)
            .wall([-1.5, 13.5], [-1.5, -1.5], 2.5)
            .block([6.0, 6.0, 1.25], [4.5, 4.5, 1.25], 0.0)
            .block([3.0, -1.3, 0.6], [0.5, 0.3, 0.6], 0.2)
            .block([9.5, -1.2, 1.0], [0.3, 0.4, 1.0], 0.0)
            .block([13.2, 4.0, 0.5], [0.4, 0.7, 0.5], -0.3)
            .block([13.3, 9.0, 1.2], [0.3, 0.3, 1.2], 0.4)
            .block([7.5, 13.2, 0.8], [0.8, 0.4, 0.8], 0.1)
            .block([2.0, 13.3, 0.4], [0.4, 0.3, 0.4], 0.7)
            .block([-1.2, 8.0, 0.9], [0.4, 0.4, 0.9], 0.3)
            .with(Solid::Column([6.0, 1.2], 0.15))
            .with(Solid::Column([10.9, 7.0], 0.2))
            .with(Solid::Column([4.0, 10.9], 0.15))
            .with(Solid::Column([1.1, 4.5], 0.2))
    }

    /// The same world with one more solid.
    pub fn with(mut self, solid: Solid) -> World {
        self.solids.push(solid);
        self
    }

    /// The same world with an upright block more: middle, half edges [m] and heading [rad].
    pub fn block(self, middle: [f64; 3], half: [f64; 3], yaw: f64) -> World {
        let pose = Isometry3::new(Vector3::from(middle), Vector3::z() * yaw);
        self.with(Solid::Block(pose, Vector3::from(half)))
    }

    /// The same world with a wall 0.2 m thick between two places; its surfaces are 0.1 m beside the line.
    pub fn wall(self, from: [f64; 2], to: [f64; 2], height: f64) -> World {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let (length, yaw) = (libm::hypot(dx, dy), libm::atan2(dy, dx));
        let middle = [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]), 0.5 * height];
        self.block(middle, [0.5 * length + 0.1, 0.1, 0.5 * height], yaw)
    }

    /// A coarse map of it as somebody else has made it: samples every 50 cm.
    pub fn prior_map(&self) -> HeightMap {
        let samples = 45;
        let at = |k: usize| -11.0 + 0.5 * k as f64;
        let height = |x: f64, y: f64| 5.0 - self.cast(&Point3::new(x, y, 5.0), &-Vector3::z()).unwrap();
        let places = (0..samples).flat_map(|row| (0..samples).map(move |column| (row, column)));
        let heights = places.map(|(row, column)| height(at(column), at(row))).collect();
        HeightMap { cell: 0.5, origin_x: -11.0, origin_y: -11.0, columns: samples, rows: samples, heights }
    }

    /// Distance to the first surface along a ray with a direction of length one [m].
    pub fn cast(&self, origin: &Point3<f64>, direction: &Vector3<f64>) -> Option<f64> {
        let hits = self.solids.iter().filter_map(|solid| solid.cast(origin, direction));
        hits.fold(None, |nearest: Option<f64>, hit| Some(nearest.map_or(hit, |nearest| nearest.min(hit))))
    }

    /// Distance of a place from the nearest surface [m].
    pub fn distance(&self, place: &Point3<f64>) -> f64 {
        self.solids.iter().map(|solid| solid.distance(place)).fold(f64::INFINITY, f64::min)
    }
}

impl Solid {
    fn cast(&self, origin: &Point3<f64>, direction: &Vector3<f64>) -> Option<f64> {
        match self {
            Solid::HalfSpace(normal, offset) => {
                let speed = normal.dot(direction);
                let distance = (offset - normal.dot(&origin.coords)) / speed;
                (speed < 0.0 && distance > 0.0).then_some(distance)
            }
            Solid::Block(pose, half) => {
                let (origin, direction) = (pose.inverse() * origin, pose.rotation.inverse() * direction);
                cast_box(&origin, &direction, half)
            }
            Solid::Ball(middle, radius) => {
                let offset = origin - middle;
                first_root(1.0, offset.dot(direction), offset.norm_squared() - radius * radius)
            }
            Solid::Column([x, y], radius) => {
                let (dx, dy) = (origin.x - x, origin.y - y);
                let across = direction.x * direction.x + direction.y * direction.y;
                let along = dx * direction.x + dy * direction.y;
                first_root(across, along, dx * dx + dy * dy - radius * radius)
            }
        }
    }

    fn distance(&self, place: &Point3<f64>) -> f64 {
        match self {
            Solid::HalfSpace(normal, offset) => (normal.dot(&place.coords) - offset).abs(),
            Solid::Block(pose, half) => {
                let beyond = (pose.inverse() * place).coords.abs() - half;
                let outside = beyond.map(|beyond| beyond.max(0.0)).norm();
                (outside + beyond.max().min(0.0)).abs()
            }
            Solid::Ball(middle, radius) => ((place - middle).norm() - radius).abs(),
            Solid::Column([x, y], radius) => (libm::hypot(place.x - x, place.y - y) - radius).abs(),
        }
    }
}

/// The first positive t with a·t² + 2b·t + c = 0.
fn first_root(a: f64, b: f64, c: f64) -> Option<f64> {
    let discriminant = b * b - a * c;
    let root = (-b - discriminant.max(0.0).sqrt()) / a;
    (discriminant > 0.0 && a > 0.0 && root > 0.0).then_some(root)
}

/// By slabs.
fn cast_box(origin: &Point3<f64>, direction: &Vector3<f64>, half: &Vector3<f64>) -> Option<f64> {
    let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
    for axis in 0..3 {
        if direction[axis].abs() < 1e-12 {
            if origin[axis].abs() > half[axis] {
                return None;
            }
            continue;
        }
        let (a, b) = ((-half[axis] - origin[axis]) / direction[axis], (half[axis] - origin[axis]) / direction[axis]);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    (enter <= leave && enter > 0.0).then_some(enter)
}
