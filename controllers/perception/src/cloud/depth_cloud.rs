//! A depth picture as points.

use nalgebra::{Matrix3, Point3, Vector3};
use robot_io::{DepthImage, Settings};
use serde::{Deserialize, Serialize};

use crate::camera::{CameraView, DepthNoise};
use crate::error::PerceptionError;

/// How depths are smoothed, and normals found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct NormalSettings {
    /// A plane is laid through the pixels of a window that reaches so far to each side [px].
    #[setting(2, range = 1..=10)]
    pub reach: usize,
    /// Share of the window that must belong to the same surface.
    #[setting(0.6, share)]
    pub least_share: f64,
    /// Of one surface is what changes by no more than this from pixel to pixel, beside the noise [px of disparity].
    #[setting(0.4, positive)]
    pub most_slope: f64,
    /// A depth is that of a plane laid through the pixels of a window that reaches so far to each side, for cameras that are noisy; 0: as it was
    /// measured [px].
    #[setting(0, range = 0..=10)]
    pub smoothing: usize,
}

/// Share of a window that must belong to the same surface for a depth to be told by it: at a corner it is a quarter and a little.
const LEAST_SMOOTHED: f64 = 0.3;

/// The points of a depth picture in the fixed frame, in the picture's order. Filled anew with each picture; keeps its memory.
#[derive(Clone, Debug)]
pub struct DepthCloud {
    view: CameraView,
    /// As measured, and of its depths.
    measured: DepthNoise,
    noise: DepthNoise,
    settings: NormalSettings,
    /// Along the optical axis [m]; 0 for none.
    depths: Vec<f64>,
    /// Working memory.
    smoothed: Vec<f64>,
    points: Vec<Point3<f64>>,
}

impl DepthCloud {
    /// A cloud of a camera with this noise, without points yet.
    pub fn new(noise: DepthNoise, settings: NormalSettings) -> Result<DepthCloud, PerceptionError> {
        noise.check()?;
        settings.check()?;
        let view = CameraView::still(robot_io::Intrinsics::default(), nalgebra::Isometry3::identity());
        let (measured, noise) = (noise, noise.smoothed(settings.smoothing));
        Ok(DepthCloud { view, measured, noise, settings, depths: Vec::new(), smoothed: Vec::new(), points: Vec::new() })
    }

    /// Takes the points of a picture, each row from where the camera was when it was exposed.
    pub fn fill(&mut self, image: &DepthImage, view: &CameraView) -> Result<(), PerceptionError> {
        let (width, height) = (view.intrinsics.width, view.intrinsics.height);
        if image.depths.len() != width * height || image.width != width {
            let (expected, found) = (width * height, image.depths.len());
            return Err(PerceptionError::Picture { camera: "depth", expected, found });
        }
        self.view = *view;
        self.depths.clear();
        self.depths.extend(image.depths.iter().map(|depth| 1e-3 * f64::from(*depth)));
        if self.settings.smoothing > 0 {
            self.smooth();
        }
        self.points.clear();
        for (row, depths) in self.depths.chunks_exact(width.max(1)).enumerate() {
            let pose = view.pose_at(row as f64);
            let point = |(column, depth): (usize, &f64)| {
                pose * Point3::from(view.intrinsics.ray(column as f64, row as f64) * *depth)
            };
            self.points.extend(depths.iter().enumerate().map(point));
        }
        Ok(())
    }

    /// Takes each depth from the surface around it; one that is of none is lost.
    fn smooth(&mut self) {
        let scale = self.noise.disparity_at_one_metre(&self.view.intrinsics);
        let window = Window { reach: self.settings.smoothing, noise: self.measured, least_share: LEAST_SMOOTHED };
        let mut smoothed = core::mem::take(&mut self.smoothed);
        smoothed.clear();
        smoothed.extend((0..self.depths.len()).map(|pixel| {
            let fit = self.depth(pixel).and_then(|depth| self.fit(self.place(pixel), scale / depth, scale, &window));
            fit.filter(|fit| fit.value > 0.0).map_or(0.0, |fit| scale / fit.value)
        }));
        self.smoothed = core::mem::replace(&mut self.depths, smoothed);
    }

    /// From where the picture was taken.
    pub fn view(&self) -> &CameraView {
        &self.view
    }

    /// Pixels of the picture.
    pub fn len(&self) -> usize {
        self.depths.len()
    }

    /// True before the first picture.
    pub fn is_empty(&self) -> bool {
        self.depths.is_empty()
    }

    /// Distance along the optical axis of a pixel [m]; `None` where nothing was measured or outside the picture.
    pub fn depth(&self, pixel: usize) -> Option<f64> {
        self.depths.get(pixel).copied().filter(|depth| *depth > 0.0)
    }

    /// The point of a pixel in the fixed frame.
    pub fn point(&self, pixel: usize) -> Option<Point3<f64>> {
        self.depth(pixel)?;
        self.points.get(pixel).copied()
    }

    /// How exact its points are.
    pub fn noise(&self) -> &DepthNoise {
        &self.noise
    }

    /// Standard deviation of a depth [m].
    pub fn deviation(&self, depth: f64) -> f64 {
        self.noise.deviation(&self.view.intrinsics, depth)
    }

    /// Covariance of the point of a pixel [m²], along the axes of the fixed frame.
    pub fn covariance(&self, pixel: usize) -> Option<Matrix3<f64>> {
        let depth = self.depth(pixel)?;
        let (column, row) = self.place(pixel);
        let (_, ray) = self.view.ray(column as f64, row as f64);
        Some(self.noise.covariance(&self.view.intrinsics, &ray, depth))
    }

    /// The normal of the surface at a pixel in the fixed frame, towards the camera; `None` at edges.
    ///
    /// Disparity is linear in column and row on a plane, and its noise is the same everywhere, so the plane is a linear fit
    /// to the disparities of the window.
    pub fn normal(&self, pixel: usize) -> Option<Vector3<f64>> {
        let intrinsics = &self.view.intrinsics;
        let middle = self.depth(pixel)?;
        let (column, row) = self.place(pixel);
        let scale = self.noise.disparity_at_one_metre(intrinsics);
        let NormalSettings { reach, least_share, .. } = self.settings;
        let fit = self.fit((column, row), scale / middle, scale, &Window { reach, noise: self.noise, least_share })?;
        let local = Vector3::new(
            fit.value + fit.slopes[0] * (intrinsics.cx - column as f64) + fit.slopes[1] * (intrinsics.cy - row as f64),
            -fit.slopes[0] * intrinsics.fx,
            -fit.slopes[1] * intrinsics.fy,
        );
        let ray = intrinsics.ray(column as f64, row as f64);
        let normal = self.view.pose_at(row as f64).rotation * local.try_normalize(1e-12)?;
        Some(if local.dot(&ray) > 0.0 { -normal } else { normal })
    }

    /// Column and row of a pixel.
    pub fn place(&self, pixel: usize) -> (usize, usize) {
        let width = self.view.intrinsics.width.max(1);
        (pixel % width, pixel / width)
    }

    /// Least squares of disparity = value + slopes · (column, row) about a pixel.
    fn fit(&self, (column, row): (usize, usize), middle: f64, scale: f64, window: &Window) -> Option<Fit> {
        let (width, height) = (self.view.intrinsics.width, self.view.intrinsics.height);
        let Window { reach, noise, least_share } = *window;
        let gate = 3.5 * core::f64::consts::SQRT_2 * noise.disparity_deviation;
        let mut sums = Sums::default();
        for other_row in row.saturating_sub(reach)..=(row + reach).min(height - 1) {
            for other in column.saturating_sub(reach)..=(column + reach).min(width - 1) {
                let depth = self.depths[other_row * width + other];
                let (u, v) = (other as f64 - column as f64, other_row as f64 - row as f64);
                let value = scale / depth - middle;
                if depth > 0.0 && value.abs() <= gate + self.settings.most_slope * u.abs().max(v.abs()) {
                    sums.add(u, v, value);
                }
            }
        }
        let window = (2 * reach + 1) as f64;
        let is_enough = sums.count >= least_share * window * window;
        let Fit { value, slopes } = sums.solve().filter(|_| is_enough)?;
        Some(Fit { value: value + middle, slopes })
    }
}

/// The pixels around one.
struct Window {
    reach: usize,
    noise: DepthNoise,
    least_share: f64,
}

struct Fit {
    value: f64,
    slopes: [f64; 2],
}

#[derive(Default)]
struct Sums {
    count: f64,
    u: f64,
    v: f64,
    uu: f64,
    uv: f64,
    vv: f64,
    d: f64,
    ud: f64,
    vd: f64,
}

impl Sums {
    fn add(&mut self, u: f64, v: f64, d: f64) {
        self.count += 1.0;
        self.u += u;
        self.v += v;
        self.uu += u * u;
        self.uv += u * v;
        self.vv += v * v;
        self.d += d;
        self.ud += u * d;
        self.vd += v * d;
    }

    fn solve(&self) -> Option<Fit> {
        let n = self.count;
        let (uu, uv, vv) =
            (self.uu - self.u * self.u / n, self.uv - self.u * self.v / n, self.vv - self.v * self.v / n);
        let (ud, vd) = (self.ud - self.u * self.d / n, self.vd - self.v * self.d / n);
        let determinant = uu * vv - uv * uv;
        // pixels of one line tell no plane
        if n < 3.0 || determinant <= 0.05 * uu.max(vv) * uu.max(vv) {
            return None;
        }
        let slopes = [(vv * ud - uv * vd) / determinant, (uu * vd - uv * ud) / determinant];
        Some(Fit { value: (self.d - slopes[0] * self.u - slopes[1] * self.v) / n, slopes })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use nalgebra::Isometry3;
    use robot_io::{Intrinsics, RandomStream};

    use super::*;

    const SIDE: usize = 60;

    /// A picture of two walls, 1 m and 1.3 m ahead, side by side, by a camera of this noise; and its view.
    fn walls(noise: &DepthNoise) -> (DepthImage, CameraView) {
        let intrinsics = Intrinsics::with_field_of_view(SIDE, SIDE, 0.2);
        let (random, scale) = (RandomStream::new(3, "walls"), noise.disparity_at_one_metre(&intrinsics));
        let depth = |pixel: usize| {
            let disparity = scale / wall(pixel) + noise.disparity_deviation * random.normal(0, pixel as u32);
            (1e3 * scale / disparity).round() as u16
        };
        let depths = (0..SIDE * SIDE).map(depth).collect();
        let image = DepthImage { width: SIDE, height: SIDE, depths, ..DepthImage::default() };
        (image, CameraView::still(intrinsics, Isometry3::identity()))
    }

    fn wall(pixel: usize) -> f64 {
        if pixel % SIDE < SIDE / 2 { 1.0 } else { 1.3 }
    }

    /// Root mean square of the errors of depths [m], and the largest.
    fn errors(noise: DepthNoise, smoothing: usize) -> (f64, f64) {
        let (image, view) = walls(&noise);
        let mut cloud = DepthCloud::new(noise, NormalSettings { smoothing, ..NormalSettings::default() }).unwrap();
        cloud.fill(&image, &view).unwrap();
        let errors = || (0..cloud.len()).filter_map(|pixel| Some((cloud.depth(pixel)? - wall(pixel)).abs()));
        let mean = errors().map(|error| error * error).sum::<f64>() / errors().count() as f64;
        (mean.sqrt(), errors().fold(0.0, f64::max))
    }

    #[test]
    fn smoothing_takes_noise_away_and_keeps_edges() {
        let noise = DepthNoise { disparity_deviation: 0.25, ..DepthNoise::default() };
        let ((raw, _), (smooth, most)) = (errors(noise, 0), errors(noise, 2));
        assert!(smooth < 0.4 * raw, "{smooth} m of {raw} m");
        assert!(most < 0.1, "a place between the two walls is off by {most} m");
    }
}
