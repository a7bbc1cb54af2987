//! Whether the depth picture agrees with a pose.

use super::seen::SeenPoint;
use crate::cloud::DepthCloud;

/// How well a registered model fits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fitness {
    /// Share of the cluster's points that lie on the model.
    pub matched: f64,
    /// Of the model's points that should be seen, share of those that are. What something else hides, or has no depth, is not counted.
    pub agreement: f64,
    /// Of the model's points that face the camera, share of those that are seen; the others are hidden, contradicted, or have no depth.
    pub shown: f64,
    /// Points of the model that were seen.
    pub seen: usize,
    /// Root mean square distance of the points from the surface [m].
    pub distance: f64,
    /// The same in standard deviations of the sensor.
    pub misfit: f64,
}

impl Fitness {
    /// A number by which poses of one model are compared; larger is better.
    pub(crate) fn score(&self) -> f64 {
        self.matched * self.agreement - 0.02 * self.misfit.min(10.0)
    }
}

/// What the depth picture says about the points of a model.
pub(super) struct Agreement {
    pub share: f64,
    pub shown: f64,
    pub seen: usize,
}

/// Surfaces that are met at a flatter angle may have no depth, or that of what is behind them: cosine of 80°.
const LEAST_COSINE: f64 = 0.17;

/// Looks up each point of the model: measured there, measured behind it (the ray went through), or hidden by something nearer. What is hidden by
/// points of the model's own cluster contradicts it, too.
pub(super) fn agreement(seen: &[SeenPoint], cloud: &DepthCloud, is_own: impl Fn(usize) -> bool) -> Agreement {
    let (mut agree, mut contradict, mut all) = (0_usize, 0_usize, 0_usize);
    for point in seen.iter().filter(|point| point.cosine >= LEAST_COSINE) {
        all += 1;
        match look(point, cloud, &is_own) {
            Some(Look::Agrees) => agree += 1,
            Some(Look::Contradicts) => contradict += 1,
            Some(Look::Hidden) | None => {}
        }
    }
    let share = |of: usize| agree as f64 / of.max(1) as f64;
    Agreement { share: share(agree + contradict), shown: share(all), seen: agree }
}

enum Look {
    Agrees,
    Contradicts,
    Hidden,
}

/// `None` where no depth was measured. At an outline a point falls into a pixel of the background, so the pixels beside it count as well.
fn look(point: &SeenPoint, cloud: &DepthCloud, is_own: &impl Fn(usize) -> bool) -> Option<Look> {
    let view = cloud.view();
    let pixel = view.pixel(point.place.0, point.place.1)?;
    let slope = (1.0 - point.cosine * point.cosine).max(0.0).sqrt() / point.cosine;
    let tolerance = 0.004 + 3.0 * cloud.deviation(point.depth) + slope * point.depth / view.intrinsics.fx;
    let is_near = |pixel: usize| cloud.depth(pixel).is_some_and(|depth| (depth - point.depth).abs() <= tolerance);
    let around = (-1..=1).flat_map(|row| (-1..=1).map(move |column| (column, row)));
    let beside =
        |(column, row): (i32, i32)| view.pixel(point.place.0 + f64::from(column), point.place.1 + f64::from(row));
    if around.filter_map(beside).any(is_near) {
        return Some(Look::Agrees);
    }
    let measured = cloud.depth(pixel)?;
    let is_hidden = measured < point.depth && !is_own(pixel);
    Some(if is_hidden { Look::Hidden } else { Look::Contradicts })
}
