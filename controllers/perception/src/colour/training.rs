//! Classes from examples.

use nalgebra::{Matrix2, Vector2};

use super::classes::ColourClass;
use super::ellipse::Ellipse;
use super::yuv::yuv_of;
use crate::error::PerceptionError;

/// Fewest pixels that tell a colour.
const FEWEST: usize = 20;
/// Of the examples, those farther from the mean than this are left out when mean and covariance are found again.
const OUTLIER: f64 = 3.0;
/// The brightness may be so much beyond that of the examples, as objects turn to and from the light.
const LUMA_MARGIN: u8 = 15;

impl ColourClass {
    /// A class of one ellipse that holds `deviations` standard deviations of the examples (sRGB), in two passes, the second without
    /// outliers. One ellipse sufficed for each object of the SpaceBot Camp.
    pub fn train(name: &str, examples: &[[u8; 3]], deviations: f64) -> Result<ColourClass, PerceptionError> {
        if examples.len() < FEWEST {
            let expected = format!("at least {FEWEST} pixels of '{name}'");
            return Err(PerceptionError::value("examples", expected, examples.len()));
        }
        let all: Vec<[u8; 3]> = examples.iter().map(|rgb| yuv_of(*rgb)).collect();
        let (mean, covariance) = moments(&all);
        let near = Ellipse::of_distribution(mean, &covariance, OUTLIER);
        let is_near = |yuv: &[u8; 3]| near.contains(f64::from(yuv[1]), f64::from(yuv[2]));
        let kept: Vec<[u8; 3]> = all.iter().copied().filter(is_near).collect();
        let kept = if kept.len() < FEWEST { all } else { kept };
        let (mean, covariance) = moments(&kept);
        let (darkest, brightest) =
            kept.iter().fold((u8::MAX, 0), |(low, high), yuv| (yuv[0].min(low), yuv[0].max(high)));
        let luma = [darkest.saturating_sub(LUMA_MARGIN), brightest.saturating_add(LUMA_MARGIN)];
        Ok(ColourClass::new(name, vec![Ellipse::of_distribution(mean, &covariance, deviations)], luma))
    }
}

fn moments(colours: &[[u8; 3]]) -> (Vector2<f64>, Matrix2<f64>) {
    let count = colours.len() as f64;
    let at = |yuv: &[u8; 3]| Vector2::new(f64::from(yuv[1]), f64::from(yuv[2]));
    let mean = colours.iter().map(at).sum::<Vector2<f64>>() / count;
    let off = colours.iter().map(|yuv| at(yuv) - mean);
    (mean, off.map(|off| off * off.transpose()).sum::<Matrix2<f64>>() / count)
}
