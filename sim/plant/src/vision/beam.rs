//! One beam of a range finder: what comes back of it.

use nalgebra::{UnitQuaternion, Vector3};
use robot_io::RandomStream;
use robot_model::description::LaserMount;

use super::ray::{Hit, Ray};
use super::scene::Scene;

/// Reflectivity of the white paper that data sheets measure on (Kent sheet).
const WHITE: f64 = 0.9;
/// Intensity of white paper at 10 m: our unit, as Hokuyo names none.
const INTENSITY: f64 = 1000.0;
/// How far a beam's part may be from the plane that its middle meets before it counts as an edge [m].
const EDGE: f64 = 0.03;
/// Rays in which a beam at an edge is taken apart.
const PARTS: usize = 5;
/// Numbers drawn for a beam: two for each part, two for the noise, one for the loss.
const DRAWS: u32 = 16;

/// A beam on its way.
pub(crate) struct Beam<'a> {
    pub scene: &'a Scene,
    /// Which of the solids it can meet.
    pub candidates: &'a [usize],
    pub mount: &'a LaserMount,
    /// `None` for a perfect device.
    pub noise: Option<&'a RandomStream>,
    /// Number of the scan and of the beam, for the random numbers.
    pub scan: u64,
    pub index: usize,
    pub ray: Ray,
    /// The sensor in the world.
    pub rotation: UnitQuaternion<f64>,
}

/// What the device tells of a beam: range [mm] and intensity, both zero if nothing came back.
pub(crate) type Told = (u16, u16);

/// Light that came back together: range [m] and strength, relative to a perfect mirror of the lamp at 1 m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Echo {
    pub range: f64,
    pub strength: f64,
}

impl Beam<'_> {
    /// What the device tells.
    pub fn measure(&self) -> Told {
        let Some(noise) = self.noise else { return self.middle().map_or((0, 0), |echo| self.tell(echo, 0.0, 0.5)) };
        let Some(echo) = self.receive(noise) else { return (0, 0) };
        let first = self.draw(0);
        self.tell(echo, noise.normal(self.scan, first / 2 + 5), noise.uniform(self.scan, first + 12))
    }

    /// The echo of a beam without width.
    fn middle(&self) -> Option<Echo> {
        self.scene.cast(&self.ray, self.mount.geometry.max_range, self.candidates).map(|hit| self.echo(&self.ray, &hit))
    }

    /// The echo of the whole beam. Its middle and one other ray within it tell whether it straddles an edge; only then it
    /// is taken apart.
    fn receive(&self, noise: &RandomStream) -> Option<Echo> {
        let reach = self.mount.geometry.max_range;
        let middle = self.scene.cast(&self.ray, reach, self.candidates);
        let other = self.part(noise, 1);
        let met = self.scene.cast(&other, reach, self.candidates);
        if let (Some(a), Some(b)) = (&middle, &met)
            && same_surface(&self.ray, a, &other, b)
        {
            return Some(self.echo(&self.ray, a));
        }
        if middle.is_none() && met.is_none() {
            return None;
        }
        let mut echoes = [Echo::default(); PARTS];
        let mut count = 0;
        let mut receive = |ray: &Ray, hit: Option<Hit>| {
            if let Some(hit) = hit {
                echoes[count] = self.echo(ray, &hit);
                count += 1;
            }
        };
        receive(&self.ray, middle);
        receive(&other, met);
        for part in 2..PARTS as u32 {
            let ray = self.part(noise, part);
            receive(&ray, self.scene.cast(&ray, reach, self.candidates));
        }
        strongest(&mut echoes[..count], self.mount.pulse_length)
    }

    /// Lambert: what a surface scatters back falls with the cosine and the square of the distance.
    fn echo(&self, ray: &Ray, hit: &Hit) -> Echo {
        let reflectivity = self.scene.surface(hit.surface).reflectivity;
        let range = hit.distance.max(1e-3);
        Echo { range: hit.distance, strength: reflectivity * hit.cosine(ray).max(0.0) / (range * range) }
    }

    /// A ray somewhere within the beam, which is as wide as it is high.
    fn part(&self, noise: &RandomStream, part: u32) -> Ray {
        let half = 0.5 * self.mount.beam_divergence;
        let at = |axis: u32| half * (2.0 * noise.uniform(self.scan, self.draw(2 * (part - 1) + axis)) - 1.0);
        let up = self.rotation * Vector3::z();
        let aside = up.cross(&self.ray.direction);
        let direction = self.ray.direction + aside * at(0) + up * at(1);
        Ray { origin: self.ray.origin, direction: direction.normalize() }
    }

    fn draw(&self, index: u32) -> u32 {
        self.index as u32 * DRAWS + index
    }

    /// What the device makes of an echo, with a normal and a uniform number of its own.
    fn tell(&self, echo: Echo, normal: f64, uniform: f64) -> Told {
        let mount = self.mount;
        // half of the echoes are lost at this strength, nearly all at half of it, next to none at twice
        let faintest = WHITE / (mount.white_range * mount.white_range);
        let ratio = faintest / echo.strength.max(1e-12);
        let heard = 1.0 / (1.0 + ratio * ratio * ratio * ratio);
        let sigma = if echo.range <= mount.near_range { mount.range_noise_near } else { mount.range_noise_far };
        let range = echo.range + sigma * normal;
        let measured = mount.geometry.min_range <= range && range <= mount.geometry.max_range;
        if uniform >= heard || !measured {
            return (0, 0);
        }
        let intensity = INTENSITY * (echo.strength * (100.0 / WHITE)).sqrt();
        ((1e3 * range).round() as u16, intensity.round().clamp(1.0, f64::from(u16::MAX)) as u16)
    }
}

/// Whether a second ray meets what the first one's plane makes one expect.
fn same_surface(first: &Ray, hit: &Hit, second: &Ray, met: &Hit) -> bool {
    let approach = hit.normal.dot(&second.direction);
    let expected = hit.normal.dot(&(first.at(hit.distance) - second.origin)) / approach;
    // steeper than this the plane is no help: 1 cm of roughness moves the end by a metre
    let grazing = 0.01 / approach.abs().max(0.01);
    (met.distance - expected).abs() <= EDGE + grazing
}

/// Echoes within a pulse's length of the first one melt into one at their mean, weighted by strength; of those that stay
/// apart the strongest is told. The strength is that of the whole beam.
fn strongest(echoes: &mut [Echo], pulse: f64) -> Option<Echo> {
    echoes.sort_unstable_by(|a, b| a.range.total_cmp(&b.range));
    let mut best: Option<Echo> = None;
    let mut rest = &echoes[..];
    while let Some(first) = rest.first() {
        let together = rest.iter().take_while(|echo| echo.range - first.range <= pulse).count();
        let (group, others) = rest.split_at(together);
        rest = others;
        let strength: f64 = group.iter().map(|echo| echo.strength).sum();
        let moment: f64 = group.iter().map(|echo| echo.strength * echo.range).sum();
        let range = if strength > 0.0 { moment / strength } else { first.range };
        let echo = Echo { range, strength: strength / PARTS as f64 };
        if best.is_none_or(|best| echo.strength > best.strength) {
            best = Some(echo);
        }
    }
    best
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn echo(range: f64, strength: f64) -> Echo {
        Echo { range, strength }
    }

    #[test]
    fn near_echoes_melt_and_far_ones_stay_apart() {
        let mixed = strongest(&mut [echo(2.5, 1.0), echo(2.0, 3.0)], 0.75).unwrap();
        assert_eq!((mixed.range, mixed.strength), (2.125, 0.8));
        let apart = strongest(&mut [echo(5.0, 1.0), echo(2.0, 3.0)], 0.75).unwrap();
        assert_eq!(apart.range, 2.0);
        let behind = strongest(&mut [echo(2.0, 1.0), echo(5.0, 2.0), echo(5.1, 2.0)], 0.75).unwrap();
        assert_eq!(behind.range, 5.05);
        assert_eq!(strongest(&mut [], 0.75), None);
    }
}
