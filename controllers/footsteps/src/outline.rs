//! How much room a robot takes up.

use nalgebra::Vector3;
use robot_model::RobotModel;

/// Half the length and half the width of a robot in its first pose [m], about the middle between its feet, of all that is higher over its soles than
/// `bottom` [m]. None if nothing is.
pub(crate) fn half_body(model: &RobotModel, bottom: f64) -> Option<[f64; 2]> {
    let (tree, description) = (&model.tree, &model.description);
    let data = model.standing();
    let soles = description.feet.iter().map(|foot| data.link_in_base[foot.link].translation.vector);
    let middle = soles.sum::<Vector3<f64>>() / description.feet.len().max(1) as f64;
    let mut half: Option<[f64; 2]> = None;
    for (link, place) in tree.links.iter().zip(&data.link_in_base) {
        for corner in link.seen().flat_map(|geometry| geometry.corners_in_link()) {
            let off = (place * corner).coords - middle;
            if off.z > bottom {
                let [x, y] = half.unwrap_or_default();
                half = Some([x.max(off.x.abs()), y.max(off.y.abs())]);
            }
        }
    }
    half
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_humanoids_hands_are_within_and_nothing_is_as_high_as_the_sky() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/humanoid/humanoid.toml");
        let model = RobotModel::load(&file).unwrap();
        let [x, y] = half_body(&model, 0.5).unwrap();
        assert!((0.15..0.6).contains(&x) && (0.35..0.6).contains(&y), "{x} {y}");
        let [_, head] = half_body(&model, 1.75).unwrap();
        assert!(head < 0.2, "{head}");
        assert_eq!(half_body(&model, 10.0), None);
    }
}
