//! The start on a coarse height map that was known before.

use nalgebra::{Matrix4, Point3, Vector4};
use robot_io::math::{cos, sin};
use robot_io::{HeightMap, Pose2, Settings};
use serde::{Deserialize, Serialize};

use super::Relief;

/// How far the start may be moved, and what a fit has to be like.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct AlignSettings {
    /// How well the start was told: place [m], heading [rad], standard deviations. Where the map is flat, that stays.
    #[setting([0.3, 0.05], positive)]
    pub told_deviation: [f64; 2],
    /// The start is not moved farther than this: place [m], heading [rad].
    #[setting([2.0, 0.45], range = 0.0..=20.0)]
    pub bounds: [f64; 2],
    /// Cells within this distance of the robot are compared [m].
    #[setting(9.0, positive)]
    pub radius: f64,
    /// Heights off by more are something that the coarse map does not show [m].
    #[setting(0.1, positive)]
    pub scale: f64,
    /// At least this share of the cells has to agree within twice `scale`.
    #[setting(0.7, share)]
    pub least_share: f64,
    /// Fewest cells that are worth comparing.
    #[setting(80, positive)]
    pub least_cells: usize,
    /// Far from where it was told to be, the share has to be larger than that of any other place by so much.
    #[setting(0.08, share)]
    pub least_lead: f64,
    /// A start that fits as it was told is not moved for less of a gain, a squared Mahalanobis distance: χ² with the three degrees of
    /// freedom of place and heading, 99 %.
    #[setting(11.3, not_negative)]
    pub least_gain: f64,
    /// By how much a fit may lie off as a whole: place [m], heading [rad], standard deviations. The robot's surroundings are seen before its
    /// laser is calibrated.
    #[setting([0.05, 0.02], positive)]
    pub fit_errs: [f64; 2],
}

/// A start found on the prior map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alignment {
    /// The robot in the world.
    pub pose: Pose2,
    /// Height of the levelled frame's origin in the world [m].
    pub height: f64,
    /// Share of the cells that agree.
    pub share: f64,
    /// The same with the start as told and the best height.
    pub share_as_told: f64,
}

/// Where the robot starts, given where it was told that it does and the relief of its surroundings in a levelled frame at the
/// robot. The error says how large a share of the cells agreed with the best fit; it is no better than none, or out of bounds.
pub fn align_to_prior(
    prior: &HeightMap,
    around: &Relief,
    told: &Pose2,
    settings: &AlignSettings,
) -> Result<Alignment, f64> {
    /// So many starts are followed down, those that fit best as they are.
    const DESCENTS: usize = 27;
    let square = settings.radius * settings.radius;
    let cells: Vec<_> = around.tops().filter(|cell| cell.x * cell.x + cell.y * cell.y < square).collect();
    let fit = Fit { prior, cells: &cells, told, settings };
    let height = fit.best_height();
    let as_told = Vector4::new(told.x, told.y, told.yaw, height);
    if cells.len() < settings.least_cells {
        return Err(0.0);
    }
    let mut starts: Vec<_> = fit.starts(&as_told).into_iter().map(|start| (fit.cost(&start), start)).collect();
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let fits: Vec<Vector4<f64>> = starts.iter().take(DESCENTS).map(|(_, start)| fit.descend(*start)).collect();
    let best = *fits.iter().min_by(|a, b| fit.cost(a).total_cmp(&fit.cost(b))).unwrap_or(&as_told);
    let pose = Pose2 { x: best[0], y: best[1], yaw: best[2] };
    let (share, share_as_told) = (fit.share(&best), fit.share(&as_told));
    let moved_far = pose.distance(told) > settings.bounds[0] || (best[2] - told.yaw).abs() > settings.bounds[1];
    let gain = fit.gain(&best, &as_told);
    if share_as_told >= settings.least_share && (gain < settings.least_gain || share_as_told >= share) {
        return Ok(Alignment { pose: *told, height, share: share_as_told, share_as_told });
    }
    // of places alike, far from where it was told to be, none is believed
    let rival =
        fits.iter().filter(|other| fit.is_elsewhere(other, &best)).map(|other| fit.share(other)).fold(0.0, f64::max);
    let is_doubtful = fit.is_elsewhere(&best, &as_told) && share - rival < settings.least_lead;
    if moved_far || is_doubtful || share < settings.least_share || share < share_as_told {
        return Err(share);
    }
    Ok(Alignment { pose, height: best[3], share, share_as_told })
}

/// From one start to the next: place [m], heading [rad].
const STEPS: [f64; 2] = [0.5, 0.09];

/// Unknown: x, y, heading and height of the robot in the world.
struct Fit<'a> {
    prior: &'a HeightMap,
    cells: &'a [Point3<f64>],
    told: &'a Pose2,
    settings: &'a AlignSettings,
}

impl Fit<'_> {
    /// Where to begin: places and headings all over the bounds, near enough for each other.
    fn starts(&self, as_told: &Vector4<f64>) -> Vec<Vector4<f64>> {
        let [place, turn] = self.settings.bounds;
        let steps = |bound: f64, reach: f64| {
            let count = (bound / reach).floor() as i32;
            (-count..=count).map(move |step| reach * f64::from(step))
        };
        let [near, little] = STEPS;
        let places = steps(place, near).flat_map(|x| steps(place, near).map(move |y| (x, y)));
        let all = places.flat_map(|(x, y)| steps(turn, little).map(move |yaw| Vector4::new(x, y, yaw, 0.0)));
        all.map(|offset| as_told + offset).collect()
    }

    /// True for places that no descent confuses.
    fn is_elsewhere(&self, a: &Vector4<f64>, b: &Vector4<f64>) -> bool {
        let [near, little] = STEPS.map(|step| 2.0 * step);
        libm::hypot(a[0] - b[0], a[1] - b[1]) > near || (a[2] - b[2]).abs() > little
    }

    /// The height with which most cells agree at the start as told: the median of the differences.
    fn best_height(&self) -> f64 {
        let start = Vector4::new(self.told.x, self.told.y, self.told.yaw, 0.0);
        let mut off: Vec<f64> = self.residuals(&start).map(|(residual, ..)| -residual).collect();
        off.sort_by(f64::total_cmp);
        off.get(off.len() / 2).copied().unwrap_or(0.0)
    }

    /// How much too high each cell is, with the derivatives of that, and the prior map's height there [m].
    fn residuals(&self, at: &Vector4<f64>) -> impl Iterator<Item = (f64, Vector4<f64>, f64)> {
        const STEP: f64 = 0.1;
        let (s, c) = (sin(at[2]), cos(at[2]));
        let at = *at;
        self.cells.iter().filter_map(move |cell| {
            let (dx, dy) = (c * cell.x - s * cell.y, s * cell.x + c * cell.y);
            let (x, y) = (at[0] + dx, at[1] + dy);
            let height = |x, y| self.prior.height_at(x, y);
            let along_x = (height(x + STEP, y)? - height(x - STEP, y)?) / (2.0 * STEP);
            let along_y = (height(x, y + STEP)? - height(x, y - STEP)?) / (2.0 * STEP);
            let on_prior = height(x, y)?;
            let jacobian = Vector4::new(-along_x, -along_y, along_x * dy - along_y * dx, 1.0);
            Some((cell.z + at[3] - on_prior, jacobian, on_prior))
        })
    }

    /// Gauss and Newton's method with Cauchy's kernel; what was told is one more measurement.
    fn descend(&self, start: Vector4<f64>) -> Vector4<f64> {
        const ITERATIONS: usize = 15;
        let (mut at, mut cost) = (start, self.cost(&start));
        for _ in 0..ITERATIONS {
            let (mut matrix, mut right_side) = self.told_equations(&at);
            for (residual, jacobian, _) in self.residuals(&at) {
                let weight = self.information() / (1.0 + self.scaled_square(residual));
                matrix += weight * jacobian * jacobian.transpose();
                right_side -= weight * residual * jacobian;
            }
            let Some(factor) = matrix.cholesky() else { break };
            let next = at + factor.solve(&right_side);
            let next_cost = self.cost(&next);
            if next_cost >= cost {
                break;
            }
            (at, cost) = (next, next_cost);
        }
        at
    }

    /// Neighbouring cells err alike: a dozen of them say as much as one.
    fn information(&self) -> f64 {
        const CELLS_PER_MEASUREMENT: f64 = 12.0;
        1.0 / (CELLS_PER_MEASUREMENT * self.settings.scale * self.settings.scale)
    }

    fn scaled_square(&self, residual: f64) -> f64 {
        residual * residual / (self.settings.scale * self.settings.scale)
    }

    fn told_equations(&self, at: &Vector4<f64>) -> (Matrix4<f64>, Vector4<f64>) {
        let [place, heading] = self.settings.told_deviation.map(|deviation| 1.0 / (deviation * deviation));
        let information = Vector4::new(place, place, heading, 1e-6);
        let off = Vector4::new(at[0] - self.told.x, at[1] - self.told.y, at[2] - self.told.yaw, 0.0);
        (Matrix4::from_diagonal(&information), -information.component_mul(&off))
    }

    /// Half the sum of weighted squares; cells that leave the prior map cost what a wrong one costs.
    fn cost(&self, at: &Vector4<f64>) -> f64 {
        const OUTSIDE: f64 = 10.0;
        let scale = self.information() * self.settings.scale * self.settings.scale;
        let (mut sum, mut count) = (0.0, 0_usize);
        for (residual, ..) in self.residuals(at) {
            sum += libm::log1p(self.scaled_square(residual));
            count += 1;
        }
        sum += libm::log1p(OUTSIDE) * (self.cells.len() - count) as f64;
        let (_, pull) = self.told_equations(at);
        let off = Vector4::new(at[0] - self.told.x, at[1] - self.told.y, at[2] - self.told.yaw, 0.0);
        0.5 * (scale * sum - pull.dot(&off))
    }

    /// How much better one place fits than another, as a χ²: the doubled logarithm of their likelihoods' ratio (Wilks 1938), as far as that is
    /// not made by what lies off as a whole. d²/σ² of the cells and d²/s² of the whole are d²/(σ² + s²) together.
    fn gain(&self, best: &Vector4<f64>, as_told: &Vector4<f64>) -> f64 {
        let [place, heading] = self.settings.fit_errs;
        let of_cells = 2.0 * (self.cost(as_told) - self.cost(best));
        let apart = (best - as_told).component_div(&Vector4::new(place, place, heading, f64::INFINITY));
        let product = of_cells * apart.norm_squared();
        if product > 0.0 { product / (of_cells + apart.norm_squared()) } else { 0.0 }
    }

    /// Share of the cells that agree with the prior map, of those that stand out of the ground at the robot on one map or the
    /// other: flat ground agrees with flat ground anywhere. Of all cells, if too few stand out.
    fn share(&self, at: &Vector4<f64>) -> f64 {
        const ENOUGH: f64 = 40.0;
        let ground = self.prior.height_at(at[0], at[1]).unwrap_or(0.0);
        let tolerance = 2.0 * self.settings.scale;
        let (mut all, mut standing_out) = ([0.0, 0.0_f64], [0.0, 0.0_f64]);
        for (residual, on_prior) in self.residuals(at).map(|(residual, _, on_prior)| (residual, on_prior)) {
            let agrees = f64::from(residual.abs() < tolerance);
            all = [all[0] + agrees, all[1] + 1.0];
            if (on_prior - ground).abs() > tolerance || (on_prior + residual - ground).abs() > tolerance {
                standing_out = [standing_out[0] + agrees, standing_out[1] + 1.0];
            }
        }
        let [agree, count] = if standing_out[1] < ENOUGH { all } else { standing_out };
        if all[1] < self.settings.least_cells as f64 { 0.0 } else { agree / count }
    }
}
