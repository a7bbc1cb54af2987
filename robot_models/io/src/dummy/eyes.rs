//! What a dummy sees: a round room of 2 m, and grey pictures once the last row is exposed.

use crate::{
    CameraLayout, Commands, DepthImage, Image, LaserScan, Period, Readings, RobotLayout, Sealed, State, StateVisitor,
    Time,
};

/// Distance to the wall of the room [mm].
const WALL: u16 = 2_000;

/// What the cameras have been asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Eyes {
    /// Colour cameras, then depth cameras.
    cameras: Vec<Camera>,
}

#[derive(Clone, Debug, Default)]
struct Camera {
    waits: bool,
    /// The cycle in which the last picture was taken.
    taken: Option<u64>,
    /// Cycles from taking a picture to its arrival.
    delay: u64,
    /// Fewest cycles from one picture to the next.
    spacing: u64,
}

impl Camera {
    fn new(camera: &CameraLayout, cycle: Period) -> Camera {
        let rows = camera.intrinsics.height as u64 * camera.row_period.nanoseconds();
        let delay = 1 + Period::from_nanoseconds(rows).cycles_of(cycle);
        let spacing = Period::from_seconds(1.0 / camera.rate_hz.max(1e-3)).cycles_of(cycle);
        Camera { delay, spacing: spacing.max(delay), ..Camera::default() }
    }
}

impl State for Eyes {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        for camera in &mut self.cameras {
            visitor.field("waits", &mut camera.waits);
            visitor.field("taken", &mut camera.taken);
        }
    }
}

impl Eyes {
    pub fn new(layout: &RobotLayout) -> Eyes {
        let cameras = layout.cameras.iter().chain(&layout.depth_cameras);
        Eyes { cameras: cameras.map(|camera| Camera::new(camera, layout.period)).collect() }
    }

    /// A request that comes too early waits.
    pub fn ask(&mut self, commands: &Commands) {
        let asked = commands.take_image.iter().chain(&commands.take_depth_image);
        self.cameras.iter_mut().zip(asked).for_each(|(camera, asked)| camera.waits |= asked);
    }

    /// Takes the pictures of the cycle that ends.
    pub fn pass(&mut self, cycle: u64) {
        for camera in self.cameras.iter_mut().filter(|camera| camera.waits) {
            if camera.taken.is_none_or(|last| cycle >= last + camera.spacing) {
                (camera.waits, camera.taken) = (false, Some(cycle));
            }
        }
    }

    /// Shows what is complete in the present cycle, and nothing else.
    pub fn show(&self, layout: &RobotLayout, readings: &mut Readings) {
        let (now, period) = (readings.time, layout.period);
        for (scan, laser) in readings.scans.iter_mut().zip(&layout.lasers) {
            let (every, lasts) = (laser.geometry.period.nanoseconds().max(1), laser.geometry.duration().nanoseconds());
            let begun = now.nanoseconds().checked_sub(lasts).map(|begin| begin / every * every);
            let fresh = begun.filter(|begin| begin + lasts + period.nanoseconds() > now.nanoseconds());
            *scan = fresh.map(|begin| {
                let (ranges, intensities) = (vec![WALL; laser.geometry.beams], vec![100; laser.geometry.beams]);
                let stamp = Time::from_nanoseconds(begin);
                Sealed::new(LaserScan { stamp, geometry: laser.geometry, ranges, intensities })
            });
        }
        let stamp_of = |camera: Option<&Camera>| {
            let camera = camera?;
            let taken = camera.taken?;
            (taken + camera.delay == readings.cycle).then(|| Time::from_nanoseconds(taken * period.nanoseconds()))
        };
        for (index, (image, camera)) in readings.images.iter_mut().zip(&layout.cameras).enumerate() {
            let (width, height) = (camera.intrinsics.width, camera.intrinsics.height);
            *image = stamp_of(self.cameras.get(index)).map(|stamp| {
                let rgb = vec![128; 3 * width * height];
                Sealed::new(Image { stamp, row_period: camera.row_period, width, height, rgb })
            });
        }
        let first = layout.cameras.len();
        for (index, (image, camera)) in readings.depth_images.iter_mut().zip(&layout.depth_cameras).enumerate() {
            let (width, height) = (camera.intrinsics.width, camera.intrinsics.height);
            *image = stamp_of(self.cameras.get(first + index)).map(|stamp| {
                let depths = vec![WALL; width * height];
                Sealed::new(DepthImage { stamp, row_period: camera.row_period, width, height, depths })
            });
        }
    }
}
