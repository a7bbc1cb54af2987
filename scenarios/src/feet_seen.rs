//! What a run on feet has shown of its steps and its balance, as far as the report draws it.

use std::sync::Arc;

use robot_io::{Layer, Path, Pose2};

use crate::checks::{Observation, pose_of};

/// A foot that is set down nearer than this to where it stood stands there still [m].
const SAME_PLACE: f64 = 0.01;

/// What a controller calls the pose of a sole, whether it carries, and its force.
const SOLES: [[&str; 5]; 2] = [
    ["left_sole_x [m]", "left_sole_y [m]", "left_sole_yaw [rad]", "left_sole_carries", "left_sole_force [N]"],
    ["right_sole_x [m]", "right_sole_y [m]", "right_sole_yaw [rad]", "right_sole_carries", "right_sole_force [N]"],
];
/// What it calls what is balanced.
const BALANCE: [[&str; 2]; 3] =
    [["com_x [m]", "com_y [m]"], ["dcm_x [m]", "dcm_y [m]"], ["zmp_wanted_x [m]", "zmp_wanted_y [m]"]];
/// What it calls the errors of its body's tasks: of places, and of angles.
const PLACE_ERRORS: [&str; 3] = ["left_foot_error [m]", "right_foot_error [m]", "height_error [m]"];
const TURN_ERRORS: [&str; 3] = ["left_foot_error [rad]", "right_foot_error [rad]", "trunk_error [rad]"];

/// Soles, and what is balanced over them, all in the world.
#[derive(Clone, Debug, Default)]
pub struct FeetSeen {
    /// Length and width of a sole [m].
    pub sole: [f64; 2],
    /// Where soles stood, one after the other: 0 for the left foot, 1 for the right one, and the place of its middle.
    pub stood: Vec<(usize, Pose2)>,
    /// Where soles were planned to stand.
    pub planned: Vec<Pose2>,
    /// Centre of mass, capture point (divergent component of motion) and the zero-moment point that is wanted, over time.
    pub balance: [Vec<Pose2>; 3],
    /// Vertical forces on the soles over time [N].
    pub forces: [Vec<f64>; 2],
    /// By how much the feet and the height of the centre of mass are off what is wanted, over time [m].
    pub place_errors: [Vec<f64>; 3],
    /// By how much the feet and the trunk are, over time [rad].
    pub turn_errors: [Vec<f64>; 3],
    carried: [bool; 2],
    plan: Option<Arc<Path>>,
}

impl FeetSeen {
    /// True if a robot has walked.
    pub fn is_empty(&self) -> bool {
        self.stood.is_empty()
    }

    /// Takes note of one cycle; `is_sample`: also of what is drawn over time.
    pub fn observe(&mut self, seen: &Observation<'_>, is_sample: bool) {
        let scalars = &seen.telemetry.scalars;
        let number =
            |name: &str| scalars.iter().find(|(known, _)| *known == name).map_or(f64::NAN, |(_, value)| *value);
        let sole = ["sole_length [m]", "sole_width [m]"].map(number);
        if !sole.iter().all(|side| side.is_finite()) {
            return;
        }
        self.sole = sole;
        let start = pose_of(seen.start);
        for (foot, [x, y, yaw, carries, force]) in SOLES.into_iter().enumerate() {
            let carries = number(carries) > 0.5;
            if carries && !self.carried[foot] {
                let place = Pose2 { x: number(x), y: number(y), yaw: number(yaw) };
                self.stand(foot, place.placed_at(&start));
            }
            self.carried[foot] = carries;
            if is_sample {
                self.forces[foot].push(number(force));
            }
        }
        self.observe_plan(seen, &start);
        if is_sample {
            for (track, [x, y]) in self.balance.iter_mut().zip(BALANCE) {
                let Pose2 { x, y, .. } = Pose2 { x: number(x), y: number(y), yaw: 0.0 }.placed_at(&start);
                track.push(Pose2 { x, y, yaw: 0.0 });
            }
            let errors = self.place_errors.iter_mut().chain(&mut self.turn_errors);
            errors.zip(PLACE_ERRORS.into_iter().chain(TURN_ERRORS)).for_each(|(track, name)| track.push(number(name)));
        }
    }

    fn stand(&mut self, foot: usize, place: Pose2) {
        let last = self.stood.iter().rev().find(|(other, _)| *other == foot);
        if last.is_none_or(|(_, before)| before.distance(&place) > SAME_PLACE) {
            self.stood.push((foot, place));
        }
    }

    /// A new plan adds its steps.
    fn observe_plan(&mut self, seen: &Observation<'_>, start: &Pose2) {
        let plan = seen.telemetry.layers.iter().find_map(|(name, layer)| match layer {
            Layer::Path(path) if *name == "footsteps" => Some(path),
            _ => None,
        });
        let Some(plan) = plan.filter(|plan| !self.plan.as_ref().is_some_and(|known| Arc::ptr_eq(known, plan))) else {
            return;
        };
        for step in &plan.poses {
            let step = step.placed_at(start);
            if self.planned.iter().all(|known| known.distance(&step) > SAME_PLACE) {
                self.planned.push(step);
            }
        }
        self.plan = Some(plan.clone());
    }
}
