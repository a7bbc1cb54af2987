//! Ground from robots' files, worlds and navigation's maps.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

mod grounds;

use std::path::Path;
use std::sync::Arc;

use footsteps::{FootstepSettings, HeightTerrain, Planner, Query, Rectangle, Terrain, TerrainSettings};
use grounds::{assert_walkable, feet, map};
use navigation::{GridFrame, Ground, Heights};
use robot_io::Pose2;
use robot_model::RobotModel;
use walking::GaitSettings;

fn model(robot: &str) -> RobotModel {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models");
    RobotModel::load(&folder.join(robot).join(format!("{robot}.toml"))).unwrap()
}

#[test]
fn the_humanoid_has_the_soles_of_its_file_and_the_centaur_no_feet() {
    let settings = FootstepSettings::for_robot(&model("humanoid"), &GaitSettings::default()).unwrap();
    assert_eq!(settings.reach.half_sole, [0.16, 0.08]);
    assert_eq!(settings.cost.width, GaitSettings::default().width);
    let error = FootstepSettings::for_robot(&model("centaur"), &GaitSettings::default()).unwrap_err();
    assert_eq!(error.to_string(), "robot: feet: expected 2, found 0");
}

#[test]
fn a_robot_of_half_the_height_has_legs_and_strides_of_half_the_length() {
    let usual = FootstepSettings::for_robot(&model("humanoid"), &GaitSettings::default()).unwrap();
    let gait = GaitSettings { com_height: 0.5 * GaitSettings::default().com_height, ..GaitSettings::default() };
    let low = FootstepSettings::for_robot(&model("humanoid"), &gait).unwrap();
    assert_eq!(usual.strides, FootstepSettings::default().strides);
    assert_eq!([low.collision.knee, low.collision.shin], [0.5 * usual.collision.knee, 0.5 * usual.collision.shin]);
    assert_eq!([low.strides.backward, low.strides.apart], [0.5 * usual.strides.backward, 0.5 * usual.strides.apart]);
}

#[test]
fn the_ground_of_a_world_is_walked() {
    let text = r#"
        name = "ramp"
        [terrain]
        cell = 0.05
        size = [10.0, 4.0]
        material = "concrete"
        [[terrain.layer]]
        kind = "ramp"
        start = [-3.0, 0.0]
        direction_deg = 0.0
        angle_deg = 8.0
        length = 4.0
        width = 3.0
        blend = 0.4
        [[terrain.layer]]
        kind = "roughness"
        amplitude = 0.01
        wavelength = 0.5
        [[spawn]]
        name = "start"
        position = [-4.0, 0.0]
    "#;
    let world = worlds::World::from_str(text, "ramp.toml", Path::new(".")).unwrap();
    let ground = |x: f64, y: f64| world.terrain.height_at(x, y).unwrap_or(f64::NAN);
    let terrain = map(&ground, [-4.9, -1.9], [4.9, 1.9], 0.04);
    let settings = FootstepSettings::for_robot(&model("humanoid"), &GaitSettings::default()).unwrap();
    let planner =
        Planner::new(Arc::new(HeightTerrain::from_map(&terrain, &settings.terrain).unwrap()), &settings).unwrap();
    let feet = feet(&|_, _| 0.0).map(|mut foot| {
        foot.position.x -= 4.0;
        foot.position.z = ground(foot.position.x, foot.position.y);
        foot
    });
    let goal = Pose2 { x: 0.5, y: 0.0, yaw: 0.0 };
    let plan = planner.plan(&Query { feet, first: None, goal });
    assert!(plan.is_to_goal(), "{:?}", plan.outcome);
    assert_walkable("ramp", &plan, &goal);
    assert!(plan.steps.iter().any(|step| step.foot.normal.x < -0.1), "it leans with the ramp");
}

fn heights() -> Heights {
    let frame = GridFrame { cell: 0.04, origin_x: 0.0, origin_y: 0.0, columns: 50, rows: 50 };
    Heights {
        frame,
        height: vec![0.0; frame.len()],
        ground: vec![Ground::Measured; frame.len()],
        spread: vec![0.0; frame.len()],
        thin: Vec::new(),
    }
}

#[test]
fn walls_poles_and_what_was_assumed_are_read_from_navigations_heights() {
    let mut heights = heights();
    let at = |x: f64, y: f64| heights.frame.index_at(x, y).unwrap();
    let (wall, stair, pole, assumed) = (at(0.4, 0.4), at(0.4, 1.2), at(1.2, 0.4), at(1.2, 1.2));
    (heights.spread[wall], heights.spread[stair]) = (1.4, 0.185);
    heights.thin.push(pole);
    heights.ground[assumed] = Ground::Assumed;
    let terrain = HeightTerrain::from_heights(&heights, &TerrainSettings::default()).unwrap();
    let around = |x: f64, y: f64| Rectangle::at(&Pose2 { x, y, yaw: 0.3 }, [0.16, 0.08]);
    assert!(terrain.rises_above(&around(0.4, 0.4), 0.5).unwrap() > 1.3);
    assert!(terrain.rises_above(&around(1.2, 0.4), 0.5).unwrap() > 0.9);
    assert_eq!(terrain.rises_above(&around(0.4, 1.2), 0.1), None, "a cell on a stair's edge holds no wall");
    assert_eq!(terrain.height_at(1.2, 0.4), Some(0.0), "what stands there is no ground");
    assert!(terrain.foothold(&around(1.2, 1.2)).unwrap().assumed > 0.0);
    let free = terrain.foothold(&around(0.8, 0.8)).unwrap();
    assert_eq!((free.support, free.assumed, free.unknown), (1.0, 0.0, 0.0));
    let on_pole = terrain.foothold(&around(1.2, 0.4));
    assert!(on_pole.is_none_or(|foothold| foothold.support < 0.5), "{on_pole:?}");
}

#[test]
fn navigations_map_is_ground_too() {
    let footprint = navigation::RobotFootprint::default();
    let map = navigation::NavigationMap::from_heights(&heights(), &footprint, &navigation::MapSettings::default());
    let terrain = HeightTerrain::from_navigation(&map, &TerrainSettings::default()).unwrap();
    assert_eq!((terrain.height_at(1.0, 1.0), terrain.height_at(-1.0, 1.0)), (Some(0.0), None));
}

#[test]
fn ground_is_assumed_as_far_as_the_settings_say() {
    let known = map(&|x, _| if x < 1.0 { 0.1 } else { f64::NAN }, [0.0, 0.0], [2.0, 1.0], 0.04);
    let terrain = |assume: f64| {
        HeightTerrain::from_map(&known, &TerrainSettings { assume, ..TerrainSettings::default() }).unwrap()
    };
    assert_eq!(terrain(0.0).height_at(1.2, 0.5), None);
    assert_eq!((terrain(0.4).height_at(1.2, 0.5), terrain(0.4).height_at(1.6, 0.5)), (Some(0.1), None));
}
