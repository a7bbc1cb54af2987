//! All settings of a planner.

use robot_io::Settings;
use robot_model::RobotModel;
use serde::{Deserialize, Serialize};
use walking::{GaitSettings, Reach, SwingSettings};

use crate::collision::CollisionSettings;
use crate::cost::StepCost;
use crate::error::FootstepError;
use crate::heuristic::GuideSettings;
use crate::outline::half_body;
use crate::reach::StrideSettings;
use crate::search::SearchSettings;
use crate::terrain::{FootingSettings, TerrainSettings};

/// All settings of a planner whose parts are the ones that come with this crate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct FootstepSettings {
    /// Which steps legs can take: the same as the gait's.
    pub reach: Reach,
    /// How feet swing: the same as the gait's.
    pub swing: SwingSettings,
    /// How height maps are read.
    pub terrain: TerrainSettings,
    /// Which ground carries a foot.
    pub footing: FootingSettings,
    /// Which strides are tried.
    pub strides: StrideSettings,
    /// How large legs and body are.
    pub collision: CollisionSettings,
    /// What steps cost.
    pub cost: StepCost,
    /// How a coarse map of ways is made.
    pub guide: GuideSettings,
    /// How long is searched.
    pub search: SearchSettings,
}

impl FootstepSettings {
    /// For a robot that walks with this gait: soles, and the room that the body takes up, are those of its model in its first pose; lengths of legs and of
    /// strides go with the height of its centre of mass; all else is the default.
    pub fn for_robot(model: &RobotModel, gait: &GaitSettings) -> Result<FootstepSettings, FootstepError> {
        let refused = |field, expected: &str, found: String| {
            Err(FootstepError::Robot { field, expected: expected.to_owned(), found })
        };
        let [left, right] = &model.description.feet[..] else {
            return refused("feet", "2", model.description.feet.len().to_string());
        };
        if (left.length, left.width) != (right.length, right.width) {
            let found = format!("{} × {} and {} × {}", left.length, left.width, right.length, right.width);
            return refused("soles [m]", "two alike", found);
        }
        if !(left.length > 0.0 && left.width > 0.0) {
            return refused("soles [m]", "a length and a width", format!("{} × {}", left.length, left.width));
        }
        let reach = Reach { half_sole: [0.5 * left.length, 0.5 * left.width], ..gait.reach };
        let cost = StepCost { width: gait.width, ..StepCost::default() };
        let size = gait.com_height / GaitSettings::default().com_height;
        let mut collision = CollisionSettings::default();
        for length in [&mut collision.bottom, &mut collision.ankle, &mut collision.knee, &mut collision.shin] {
            *length *= size;
        }
        let mut strides = StrideSettings::default();
        for length in [&mut strides.backward, &mut strides.outward, &mut strides.forward_turning, &mut strides.apart] {
            *length *= size;
        }
        if let Some(body) = half_body(model, collision.bottom) {
            collision.body = body;
        }
        let settings =
            FootstepSettings { reach, swing: gait.swing, cost, collision, strides, ..FootstepSettings::default() };
        settings.check()?;
        Ok(settings)
    }
}
