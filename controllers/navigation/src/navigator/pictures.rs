//! What the navigator shows: made new only where something is new.

use std::sync::Arc;

use robot_io::math::{cos, sin};
use robot_io::{Digest, Grid, Layer, Marker, Path, Period, Pose2, Sealed, Telemetry, Time};

use crate::{Footprint, GlobalPlan, Goal, NavigationMap, Outcome};

/// Rollout and footprint are drawn anew after this time.
const INTERVAL: Period = Period::from_milliseconds(400);

/// Pictures for viewers, reports and logs. They are no state: nothing depends on them.
#[derive(Clone, Debug, Default)]
pub(super) struct Pictures {
    map: Sealed<NavigationMap>,
    costs: Arc<Grid>,
    plan: Option<Digest>,
    global: Arc<Path>,
    local: Arc<Path>,
    outline: Arc<Vec<[f64; 2]>>,
    drawn: Time,
}

impl Pictures {
    /// Draws what is new.
    pub fn draw(
        &mut self,
        now: Time,
        map: &Sealed<NavigationMap>,
        plan: &Sealed<GlobalPlan>,
        rollout: &[Pose2],
        (pose, footprint): (&Pose2, &Footprint),
    ) {
        if !self.map.is_same(map) {
            (self.map, self.costs) = (map.clone(), map.cost_grid());
        }
        if self.plan != Some(plan.digest()) {
            let poses = plan.pieces.iter().flat_map(|piece| piece.path.poses.iter().copied()).collect();
            (self.plan, self.global) = (Some(plan.digest()), Arc::new(Path { poses }));
        }
        if now.since(self.drawn) >= INTERVAL || now < self.drawn {
            self.drawn = now;
            self.local = Arc::new(Path { poses: rollout.to_vec() });
            self.outline = Arc::new(footprint.outline.iter().map(|corner| on_map(pose, corner)).collect());
        }
    }

    /// Shows them.
    pub fn show(&self, goal: Option<Goal>, outcome: &Outcome, telemetry: &mut Telemetry) {
        if !self.map.is_empty() {
            telemetry.layers.push(("height_map", Layer::Heights(self.map.heights().clone())));
            telemetry.layers.push(("cost_map", Layer::Grid(Arc::clone(&self.costs))));
        }
        if !self.global.poses.is_empty() {
            telemetry.layers.push(("global_path", Layer::Path(Arc::clone(&self.global))));
        }
        if !self.local.poses.is_empty() {
            telemetry.layers.push(("local_path", Layer::Path(Arc::clone(&self.local))));
        }
        if !self.outline.is_empty() {
            telemetry.layers.push(("footprint", Layer::Outline(Arc::clone(&self.outline))));
        }
        let mut markers = Vec::new();
        if let Some(goal) = goal {
            markers.push(Marker { label: "goal", pose: goal.pose_in_map });
            if let Outcome::ToNearest { nearest, .. } = *outcome {
                markers.push(Marker { label: "nearest reachable", pose: nearest });
            }
        }
        if !markers.is_empty() {
            telemetry.layers.push(("navigation_markers", Layer::Markers(Arc::new(markers))));
        }
    }
}

fn on_map(pose: &Pose2, [x, y]: &[f64; 2]) -> [f64; 2] {
    let (s, c) = (sin(pose.yaw), cos(pose.yaw));
    [pose.x + c * x - s * y, pose.y + s * x + c * y]
}
