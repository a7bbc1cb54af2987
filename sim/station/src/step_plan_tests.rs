#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;

use nalgebra::Isometry3;
use robot_io::{Odometry, Time};

use super::*;
use crate::soles::SOLES;

/// A robot that has drifted: its base stands 1 m farther along y than it believes. Its right foot is in the air.
fn walking(steps: &[(f64, f64)], begun: f64) -> StationFrame {
    let mut shown = StationFrame::default();
    shown.frame.links_in_world = vec![Isometry3::translation(0.0, 1.0, 0.9)];
    shown.telemetry.odometry = Some(Odometry {
        stamp: Time::ZERO,
        base_in_odom: Isometry3::translation(0.0, 0.0, 0.9),
        linear_velocity_in_base: Vector3::zeros(),
        angular_velocity_in_base: Vector3::zeros(),
    });
    for ([x, y, yaw, carries], (left, load)) in SOLES.into_iter().zip([(0.1, 1.0), (-0.1, 0.0)]) {
        for (name, value) in [(x, 0.0), (y, left), (yaw, 0.0), (carries, load)] {
            shown.telemetry.scalar(name, value);
        }
    }
    shown.telemetry.scalar("sole_length [m]", 0.3);
    shown.telemetry.scalar("sole_width [m]", 0.12);
    shown.telemetry.scalar("footsteps_begun", begun);
    let poses = steps.iter().map(|(x, y)| Pose2 { x: *x, y: *y, yaw: 0.0 }).collect();
    shown.telemetry.layers.push((FOOTSTEPS, Layer::Path(Arc::new(Path { poses }))));
    shown
}

#[test]
fn steps_are_planned_where_the_robot_really_is() {
    let shown = walking(&[(0.2, -0.1), (0.4, 0.1), (0.6, -0.1)], 0.0);
    assert_eq!(size(&shown.telemetry), Some([0.3, 0.12]));
    assert_eq!(standing(&shown).collect::<Vec<_>>(), [Sole { side: 0, pose: Pose2 { x: 0.0, y: 1.1, yaw: 0.0 } }]);
    let planned: Vec<(usize, f64, f64)> =
        to_come(&shown).iter().map(|step| (step.side, step.pose.x, step.pose.y)).collect();
    assert_eq!(planned, [(1, 0.2, 0.9), (0, 0.4, 1.1), (1, 0.6, 0.9)]);
}

#[test]
fn a_step_is_to_come_until_its_foot_carries() {
    let steps = [(0.2, -0.1), (0.4, 0.1), (0.6, -0.1)];
    let left = |shown: &StationFrame| to_come(shown).iter().map(|step| step.pose.x).collect::<Vec<_>>();
    let mut shown = walking(&steps, 1.0);
    assert_eq!(left(&shown), [0.2, 0.4, 0.6], "the right foot is on its way");
    let carries = shown.telemetry.scalars.iter_mut().find(|(name, _)| *name == SOLES[1][3]).unwrap();
    carries.1 = 1.0;
    assert_eq!(left(&shown), [0.4, 0.6], "it has arrived");
    assert!(left(&walking(&steps[..2], 3.0)).is_empty(), "more begun than planned is no reason to fail");
}

#[test]
fn the_side_of_a_plan_is_found_from_its_steps() {
    let soles = [Pose2 { x: 0.0, y: 0.1, yaw: 0.0 }, Pose2 { x: 0.0, y: -0.1, yaw: 0.0 }];
    let at = |x, y| Pose2 { x, y, yaw: 0.0 };
    let sides = |steps: &[Pose2]| sided(steps, &soles).map(|step| step.side).collect::<Vec<_>>();
    // sideways to the left: the left foot goes first, the right one follows
    assert_eq!(sides(&[at(0.0, 0.2), at(0.0, 0.0), at(0.0, 0.3)]), [0, 1, 0]);
    assert_eq!((sides(&[at(0.3, -0.1)]), sides(&[at(0.3, 0.1)])), (vec![1], vec![0]));
    assert!(sides(&[]).is_empty());
}

#[test]
fn without_soles_in_telemetry_nothing_stands_and_nothing_is_planned() {
    let mut shown = walking(&[(0.2, -0.1)], 0.0);
    shown.telemetry.scalars.clear();
    assert_eq!((size(&shown.telemetry), standing(&shown).count(), to_come(&shown).len()), (None, 0, 0));
}

#[test]
fn a_sole_follows_the_ground_and_hangs_level_over_an_edge() {
    let text = "name = \"edge\"\n[terrain]\ncell = 0.05\nsize = [4.0, 4.0]\nmaterial = \"concrete\"\n\
                [[terrain.layer]]\nkind = \"flat\"\nheight = 0.2\nregion = { rectangle = { min = [1.0, -9.0], max = [9.0, 9.0] } }\n";
    let world = worlds::World::from_str(text, "edge.toml", std::path::Path::new(".")).unwrap();
    let at = |x: f64, ahead: f64| on_ground(&world.terrain, &Pose2 { x, y: 0.0, yaw: 0.0 }, ahead, 0.0);
    assert_eq!(at(0.0, 0.15), Vector3::new(0.15, 0.0, 0.0));
    let heel = at(1.1, -0.2);
    assert!((heel - Vector3::new(0.9, 0.0, 0.2)).norm() < 1e-9, "{heel}");
    let beyond = at(1.9, 0.3);
    assert!((beyond.z - 0.2).abs() < 1e-9, "beyond the world it is level: {beyond}");
}
