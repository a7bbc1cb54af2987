//! A depth camera with structured light.

use robot_io::{DepthImage, Period, RandomStream, Sealed, State};
use robot_model::description::DepthCameraMount;

use super::picture::{Lens, Pixel, Shutter, ShutterMemory, nearly_normal};
use super::scene::Scene;
use super::watch::{Leg, Mounted};

/// Reflectivity of white paper.
const WHITE: f64 = 0.9;

/// A projector throws a pattern and a camera beside it finds it again: depth from disparity, coarser with the square of the
/// distance. Where the projector's light does not fall there is no depth, nor where too little comes back.
#[derive(Clone, Debug)]
pub(crate) struct DepthCamera {
    pub mounted: Mounted,
    mount: DepthCameraMount,
    shutter: Shutter,
    lens: Lens,
    /// `None` for a perfect device.
    noise: Option<RandomStream>,
    /// Disparities of the rows in hand [px]; zero where nothing comes back.
    disparities: Vec<f64>,
}

/// What a depth camera remembers.
#[derive(Clone, Debug, Default, State)]
pub(crate) struct DepthMemory {
    pub shutter: ShutterMemory,
    /// The rows of the picture in hand [mm].
    #[state(packed)]
    depths: Vec<u16>,
    /// The picture that waits to be read.
    pub complete: Option<Sealed<DepthImage>>,
}

impl DepthCamera {
    /// A camera that waits to be asked.
    pub fn new(mount: &DepthCameraMount, mounted: Mounted, solids: usize, noise: Option<RandomStream>) -> DepthCamera {
        let interval = Period::from_seconds(1.0 / mount.rate_hz);
        let shutter = Shutter { rows: mount.intrinsics.height, row_period: mount.row_period, interval };
        let lens = Lens::new(mount.intrinsics, mount.max_range, solids);
        DepthCamera { mounted, mount: mount.clone(), shutter, lens, noise, disparities: Vec::new() }
    }

    /// Exposes the rows that fall into a step.
    pub fn expose(&mut self, memory: &mut DepthMemory, leg: &Leg, scene: &Scene) {
        let width = self.mount.intrinsics.width;
        let done = memory.depths.len() / width;
        let Some((stamp, rows)) = self.shutter.expose(&mut memory.shutter, done, leg) else { return };
        let first = rows.start;
        self.disparities.clear();
        self.disparities.resize(rows.len() * width, 0.0);
        let (shutter, mount, noise, picture) = (self.shutter, &self.mount, &self.noise, memory.shutter.taken);
        let disparities = &mut self.disparities;
        self.lens.look(
            scene,
            &self.mounted,
            leg,
            rows,
            |row| shutter.exposed_at(stamp, row),
            |tile| {
                for pixel in &tile.pixels {
                    let place = (pixel.row - first) * width + pixel.column;
                    disparities[place] = disparity(mount, scene, pixel, noise.as_ref(), picture);
                }
            },
        );
        for (row, disparities) in self.disparities.chunks(width).enumerate() {
            self.find_depths(first + row, disparities, &mut memory.depths, picture);
        }
        if memory.depths.len() == width * self.shutter.rows {
            let depths = core::mem::take(&mut memory.depths);
            let (row_period, height) = (self.shutter.row_period, self.shutter.rows);
            memory.complete = Some(Sealed::new(DepthImage { stamp, row_period, width, height, depths }));
            memory.shutter.stamp = None;
        }
    }

    /// A row's depths. The projector is to the left of the camera: what lies behind the right edge of something near, as
    /// the projector sees it, is in its shadow. Along a row the projector's column is u − d.
    fn find_depths(&self, row: usize, disparities: &[f64], depths: &mut Vec<u16>, picture: u64) {
        let mount = &self.mount;
        let focal = mount.intrinsics.fx * mount.baseline;
        let mut farthest = f64::NEG_INFINITY;
        // the projector's light comes from the left, so its columns grow from left to right but in a shadow
        for (column, disparity) in disparities.iter().enumerate() {
            let lit = column as f64 + disparity;
            let is_lit = lit >= farthest - 1.0;
            farthest = if *disparity > 0.0 { farthest.max(lit) } else { farthest };
            let index = (row * mount.intrinsics.width + column) as u32;
            let noise = self.noise.as_ref().map_or(0.0, |noise| nearly_normal(noise, picture, 2 * index));
            let measured = disparity + mount.disparity_noise * noise;
            let step = mount.disparity_step;
            let depth = focal / ((measured / step).round() * step).max(1e-9);
            let is_measured = *disparity > 0.0 && is_lit && (mount.min_range..=mount.max_range).contains(&depth);
            depths.push(if is_measured { (1e3 * depth).round() as u16 } else { 0 });
        }
    }
}

/// The true disparity of a pixel [px]; zero if too little light comes back of it.
fn disparity(
    mount: &DepthCameraMount,
    scene: &Scene,
    pixel: &Pixel,
    noise: Option<&RandomStream>,
    picture: u64,
) -> f64 {
    let Some(hit) = &pixel.hit else { return 0.0 };
    let depth = (hit.distance / pixel.slant).max(1e-3);
    let reflected = scene.surface(hit.surface).reflectivity * hit.cosine(&pixel.ray).max(0.0);
    let strength = reflected / (hit.distance * hit.distance).max(1e-6);
    // half of it is lost at this strength, nearly all at half of it
    let ratio = WHITE / (mount.white_range * mount.white_range) / strength.max(1e-12);
    let seen = 1.0 / (1.0 + ratio * ratio * ratio * ratio);
    let index = (pixel.row * mount.intrinsics.width + pixel.column) as u32;
    let luck = noise.map_or(0.5, |noise| noise.uniform(picture, 2 * index + 1));
    if luck < seen { mount.intrinsics.fx * mount.baseline / depth } else { 0.0 }
}
