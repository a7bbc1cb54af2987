//! A laser whose vertical scan plane turns about the vertical, over level ground with boxes that may move.

use nalgebra::{Point3, Vector3};
use navigation::{Glimpse, MovingObjects, MovingSettings};
use robot_io::Time;

/// How fast the plane turns [rad/s]: that of the centaur's laser.
const TURN_RATE: f64 = 3.7;
/// From one scan to the next [s].
const PERIOD: f64 = 0.025;
/// Height of the scanner [m].
const HEIGHT: f64 = 1.45;
const RANGE: f64 = 30.0;

/// A box on the ground.
pub struct Block {
    /// Along x and y, and its height [m].
    pub size: [f64; 3],
    /// Where its middle is at a time.
    pub place: Box<dyn Fn(f64) -> [f64; 2]>,
}

impl Block {
    /// One that stands.
    pub fn standing(x: f64, y: f64, size: [f64; 3]) -> Block {
        Block { size, place: Box::new(move |_| [x, y]) }
    }

    /// A cart of 0.6 × 0.8 × 0.9 m on its way.
    pub fn cart(place: impl Fn(f64) -> [f64; 2] + 'static) -> Block {
        Block { size: [0.6, 0.8, 0.9], place: Box::new(place) }
    }

    /// How far along a beam it is [m].
    fn range(&self, origin: &Point3<f64>, direction: &Vector3<f64>, time: f64) -> Option<f64> {
        let [x, y] = (self.place)(time);
        let [length, width, height] = self.size;
        let low = [x - 0.5 * length, y - 0.5 * width, 0.0];
        let high = [x + 0.5 * length, y + 0.5 * width, height];
        let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
        for axis in 0..3 {
            let (a, b) = ((low[axis] - origin[axis]) / direction[axis], (high[axis] - origin[axis]) / direction[axis]);
            (enter, leave) = (enter.max(a.min(b)), leave.min(a.max(b)));
        }
        (enter < leave && enter > 0.0).then_some(enter)
    }
}

/// The laser and what it looks at.
pub struct Scene {
    pub blocks: Vec<Block>,
    /// Where the robot is at a time.
    pub robot: Box<dyn Fn(f64) -> [f64; 2]>,
    random: u64,
}

impl Scene {
    pub fn new(seed: u64, blocks: Vec<Block>, robot: impl Fn(f64) -> [f64; 2] + 'static) -> Scene {
        Scene { blocks, robot: Box::new(robot), random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }

    /// Between −1 and 1, 0.41 of it standard deviation.
    fn noise(&mut self) -> f64 {
        let mut uniform = || {
            self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.random >> 33) as f64 / f64::from(1_u32 << 31)
        };
        uniform() + uniform() - 1.0
    }

    /// The scan that begins at a time.
    fn scan(&mut self, time: f64) -> Glimpse {
        let [x, y] = (self.robot)(time);
        let scanner = Point3::new(x, y, HEIGHT);
        let azimuth = TURN_RATE * time;
        let mut points = Vec::new();
        for beam in 0..1081 {
            let elevation = (-135.0 + 0.25 * f64::from(beam)).to_radians();
            let (flat, up) = (elevation.cos(), elevation.sin());
            let direction = Vector3::new(flat * azimuth.cos(), flat * azimuth.sin(), up);
            let ground = if up < -1e-6 { HEIGHT / -up } else { f64::INFINITY };
            let blocks = self.blocks.iter().filter_map(|block| block.range(&scanner, &direction, time));
            let range = blocks.fold(ground, f64::min);
            // what grazes is taken out before
            if range < RANGE && (range < ground || up < -0.1) {
                points.push(scanner + direction * (range + 0.025 * self.noise()));
            }
        }
        Glimpse { time: Time::from_seconds(time), scanner, points }
    }

    /// Looks from one time to another.
    pub fn watch(
        &mut self,
        objects: &mut MovingObjects,
        from: f64,
        to: f64,
        mut each: impl FnMut(f64, &MovingObjects),
    ) {
        let settings = MovingSettings::default();
        for scan in (from / PERIOD).round() as u64..(to / PERIOD).round() as u64 {
            let time = scan as f64 * PERIOD;
            objects.look(&self.scan(time), &settings);
            each(time, objects);
        }
    }
}

/// Four walls around a yard of this size [m].
pub fn walls(length: f64, width: f64) -> Vec<Block> {
    let (x, y) = (0.5 * length, 0.5 * width);
    vec![
        Block::standing(0.0, y, [length, 0.3, 1.4]),
        Block::standing(0.0, -y, [length, 0.3, 1.4]),
        Block::standing(x, 0.0, [0.3, width, 1.4]),
        Block::standing(-x, 0.0, [0.3, width, 1.4]),
    ]
}
