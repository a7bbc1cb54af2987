//! A colour camera.

use robot_io::{Image, Period, RandomStream, Sealed, State};
use robot_model::description::CameraMount;

use super::light::Light;
use super::picture::{Lens, Shutter, ShutterMemory, nearly_normal};
use super::scene::Scene;
use super::watch::{Leg, Mounted};

/// Farthest that a camera sees something else than sky [m].
const REACH: f64 = 200.0;

/// A camera whose rows are exposed one after the other, each in no time.
#[derive(Clone, Debug)]
pub(crate) struct Camera {
    pub mounted: Mounted,
    mount: CameraMount,
    shutter: Shutter,
    lens: Lens,
    light: Light,
    /// `None` for a perfect device.
    noise: Option<RandomStream>,
}

/// What a camera remembers.
#[derive(Clone, Debug, Default, State)]
pub(crate) struct ImageMemory {
    pub shutter: ShutterMemory,
    /// The rows of the picture in hand.
    #[state(packed)]
    rgb: Vec<u8>,
    /// The picture that waits to be read.
    pub complete: Option<Sealed<Image>>,
}

impl Camera {
    /// A camera that waits to be asked.
    pub fn new(mount: &CameraMount, mounted: Mounted, scene: &Scene, noise: Option<RandomStream>) -> Camera {
        let interval = Period::from_seconds(1.0 / mount.rate_hz);
        let shutter = Shutter { rows: mount.intrinsics.height, row_period: mount.row_period, interval };
        let lens = Lens::new(mount.intrinsics, REACH, scene.solids.len());
        Camera { mounted, mount: mount.clone(), shutter, lens, light: Light::new(scene), noise }
    }

    /// Exposes the rows that fall into a step.
    pub fn expose(&mut self, memory: &mut ImageMemory, leg: &Leg, scene: &Scene) {
        let (width, height) = (self.mount.intrinsics.width, self.mount.intrinsics.height);
        let done = memory.rgb.len() / (3 * width);
        let Some((stamp, rows)) = self.shutter.expose(&mut memory.shutter, done, leg) else { return };
        let (shutter, picture) = (self.shutter, memory.shutter.taken);
        let (light, noise, sigma) = (&mut self.light, self.noise.as_ref(), self.mount.noise);
        memory.rgb.reserve_exact(3 * width * height - memory.rgb.len());
        memory.rgb.resize(3 * width * rows.end, 0);
        let rgb = &mut memory.rgb;
        self.lens.look(
            scene,
            &self.mounted,
            leg,
            rows,
            |row| shutter.exposed_at(stamp, row),
            |tile| {
                light.shade(scene, tile, |pixel, color| {
                    let place = 3 * (pixel.row * width + pixel.column);
                    for (channel, level) in color.into_iter().enumerate() {
                        let index = (place + channel) as u32;
                        let noise = noise.map_or(0.0, |noise| sigma * nearly_normal(noise, picture, index));
                        rgb[place + channel] = (level + noise).round().clamp(0.0, 255.0) as u8;
                    }
                });
            },
        );
        if memory.rgb.len() == 3 * width * height {
            let rgb = core::mem::take(&mut memory.rgb);
            let row_period = self.shutter.row_period;
            memory.complete = Some(Sealed::new(Image { stamp, row_period, width, height, rgb }));
            memory.shutter.stamp = None;
        }
    }
}
