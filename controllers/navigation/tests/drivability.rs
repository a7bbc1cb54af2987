//! What is drivable of ground made from functions, and what is known of it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Vector3};
use navigation::{
    CostSettings, Ground, Heights, MapSettings, NavigationMap, Outcome, RobotFootprint, SearchSettings, plan,
};
use robot_io::{Digest, MapViews, RandomStream, StateReader, StateWriter, Time};
use support::{ROOM, Scene, centaur, goal, map_of, pose, sight};

fn scene() -> Scene {
    Scene::square(4.0)
}

/// The largest cost of the ground itself within a rectangle, unknown ground left out.
fn worst(map: &NavigationMap, x: [f64; 2], y: [f64; 2]) -> f64 {
    let frame = map.frame();
    let inside = |(u, v): &(f64, f64)| (x[0]..=x[1]).contains(u) && (y[0]..=y[1]).contains(v);
    let costs =
        (0..frame.len()).map(|cell| frame.center(cell)).filter(inside).filter_map(|(u, v)| map.ground_cost_at(u, v));
    costs.fold(0.0, f64::max)
}

#[test]
fn a_slope_of_15_degrees_is_drivable_with_care_and_one_of_35_is_not() {
    let slope = |degrees: f64| move |x: f64, y: f64| libm::tan(degrees.to_radians()) * (0.8 * x + 0.6 * y).max(0.0);
    let from = pose(-2.0, -2.0, 0.0);
    let gentle = worst(&map_of(&scene(), &from, slope(15.0)), [0.5, 3.0], [0.5, 3.0]);
    assert!((0.4..1.0).contains(&gentle), "15°: {gentle}");
    let steep = map_of(&scene(), &from, slope(35.0));
    let frame = steep.frame();
    let on_slope = (0..frame.len()).map(|cell| frame.center(cell)).filter(|(x, y)| 0.8 * x + 0.6 * y > 0.6);
    let costs: Vec<f64> = on_slope.filter_map(|(x, y)| steep.ground_cost_at(x, y)).collect();
    assert!(costs.len() > 1000 && costs.iter().all(|cost| *cost >= 1.0), "35° is forbidden everywhere");
}

#[test]
fn stones_of_4_cm_are_driven_over_and_those_of_12_cm_are_not() {
    let stone = |height: f64, radius: f64| {
        move |x: f64, y: f64| {
            let squared = (x * x + y * y) / (radius * radius);
            if squared < 1.0 { height * (1.0 - squared).sqrt() } else { 0.0 }
        }
    };
    let from = pose(-2.0, 0.0, 0.0);
    for radius in [0.1, 0.15, 0.25] {
        let low = worst(&map_of(&scene(), &from, stone(0.04, radius)), [-0.5, 0.5], [-0.5, 0.5]);
        assert!(low < 1.0, "4 cm, radius {radius} m: {low}");
        let high = worst(&map_of(&scene(), &from, stone(0.12, radius)), [-0.5, 0.5], [-0.5, 0.5]);
        assert_eq!(high, 1.0, "12 cm, radius {radius} m");
    }
}

#[test]
fn what_hangs_above_the_robot_is_no_obstacle_and_a_table_is() {
    let from = pose(-2.0, 0.0, 0.0);
    let under = |height: f64| {
        let roof = move |x: f64, y: f64| if x.abs() < 0.8 && y.abs() < 0.8 { height } else { f64::NAN };
        let mut views = scene().views(|_, _| 0.0);
        views.views.push(scene().view(1, Isometry3::identity(), roof));
        NavigationMap::build(&views, &centaur(&from, 0.0), Time::ZERO, &MapSettings::default())
    };
    let bridge = under(2.0);
    assert!(worst(&bridge, [-1.5, 1.5], [-1.5, 1.5]) < 0.3 && bridge.height_at(0.0, 0.0).unwrap().abs() < 0.02);
    assert_eq!(worst(&under(0.8), [-1.0, 1.0], [-1.0, 1.0]), 1.0);
}

#[test]
fn an_obstacle_that_moved_away_disappears_and_one_that_came_appears() {
    let from = pose(-2.0, 0.0, 0.0);
    let crate_at =
        |middle: f64| move |x: f64, y: f64| if (x - middle).abs() < 0.3 && y.abs() < 0.3 { 0.5 } else { 0.0 };
    let map = |views: Vec<f64>| {
        let view =
            |(number, middle): (usize, f64)| scene().view(number as u64, Isometry3::identity(), crate_at(middle));
        let views = MapViews { revision: 1, views: views.into_iter().enumerate().map(view).collect() };
        NavigationMap::build(&views, &centaur(&from, 0.0), Time::ZERO, &MapSettings::default())
    };
    let moved = map(vec![0.0, 0.0, 0.0, 2.0]);
    assert!(worst(&moved, [-0.9, 0.9], [-0.9, 0.9]) < 0.5, "where it was");
    assert!(moved.height_at(0.0, 0.0).unwrap().abs() < 0.02);
    assert_eq!(worst(&moved, [1.5, 2.5], [-0.5, 0.5]), 1.0, "where it is");
    assert!((moved.height_at(2.0, 0.0).unwrap() - 0.5).abs() < 0.02);
}

#[test]
fn gaps_are_filled_up_to_20_cm_and_stay_unknown_beyond() {
    let from = pose(-2.0, 0.0, 0.0);
    let holes = |x: f64, y: f64| {
        let narrow = (x - 1.0).abs() < 0.1 && y.abs() < 1.0;
        let wide = (x - 2.2).abs() < 0.5 && y.abs() < 1.0;
        if narrow || wide { f64::NAN } else { 0.1 * x }
    };
    let heights = Heights::build(&scene().views(holes), &centaur(&from, -0.2), &MapSettings::default().height);
    let at = |x: f64, y: f64| heights.frame.index_at(x, y).unwrap();
    assert_eq!(heights.ground[at(1.0, 0.0)], Ground::Filled);
    assert!((heights.height[at(1.0, 0.0)] - 0.1).abs() < 0.02, "{}", heights.height[at(1.0, 0.0)]);
    assert_eq!(heights.ground[at(2.2, 0.0)], Ground::Unknown);
    assert!(heights.height[at(2.2, 0.0)].is_nan());
}

#[test]
fn the_blind_spot_below_the_robot_is_the_plane_on_which_its_wheels_stand() {
    let from = pose(0.5, 0.5, 0.7);
    let blind = |x: f64, y: f64| if libm::hypot(x - 0.5, y - 0.5) < 0.9 { f64::NAN } else { 0.3 };
    let robot = centaur(&from, 0.3);
    let map = NavigationMap::build(&scene().views(blind), &robot, Time::ZERO, &MapSettings::default());
    assert!((map.height_at(0.5, 0.5).unwrap() - 0.3).abs() < 0.01);
    assert!(map.is_free(&from) && worst(&map, [-0.5, 1.5], [-0.5, 1.5]) < 0.3);
    // points on its own body are not believed
    let itself = |x: f64, y: f64| if libm::hypot(x - 0.5, y - 0.5) < 0.3 { 0.9 } else { 0.3 };
    let map = NavigationMap::build(&scene().views(itself), &robot, Time::ZERO, &MapSettings::default());
    assert!(map.is_free(&from) && (map.height_at(0.5, 0.5).unwrap() - 0.3).abs() < 0.01);
}

#[test]
fn unknown_ground_costs_more_or_is_forbidden_as_one_sets_it() {
    let from = pose(-3.0, 0.0, 0.0);
    // a band that nobody has seen; beyond it the ground goes on
    let ground = |x: f64, _: f64| if (x - 1.0).abs() < 0.6 { f64::NAN } else { 0.0 };
    let views = scene().views(ground);
    let with = |unknown: f64| {
        let cost = CostSettings { unknown, ..CostSettings::default() };
        let settings = MapSettings { cost, ..MapSettings::default() };
        let map = NavigationMap::build(&views, &centaur(&from, 0.0), Time::ZERO, &settings);
        plan(&map, &from, &goal(3.0, 0.0), ROOM, &SearchSettings::default())
    };
    let (easy, dear, forbidden) = (with(0.1), with(0.8), with(1.0));
    assert_eq!((easy.outcome, dear.outcome), (Outcome::ToGoal, Outcome::ToGoal));
    assert!(dear.cost > easy.cost + 2.0, "{} and {}", easy.cost, dear.cost);
    assert!((0.1..0.3).contains(&dear.unknown_share), "{}", dear.unknown_share);
    let Outcome::ToNearest { nearest, .. } = forbidden.outcome else { panic!("drove where nobody has looked") };
    assert!((-0.2..0.35).contains(&nearest.x) && forbidden.unknown_share == 0.0, "{nearest:?}");
}

#[test]
fn ground_that_falls_off_stays_so_until_something_is_measured_there() {
    // 0.8 m down at x = 1, and back up at x = 4
    let ground = |x: f64, _: f64| if (1.0..4.0).contains(&x) { -0.8 } else { 0.0 };
    let settings = MapSettings::default();
    let robot = |x: f64| RobotFootprint { eye: Some([0.0, 0.0, 0.8]), ..centaur(&pose(x, 0.0, 0.0), 0.0) };
    let views = |first: usize, places: &[f64]| {
        let view = |(number, x): (usize, &f64)| sight::view((first + number) as u64, *x, 0.0, ground);
        MapViews { revision: 1, views: places.iter().enumerate().map(view).collect() }
    };
    let missing = |map: &NavigationMap| {
        (0..5).filter(|step| map.ground_cost_at(1.1, 0.1 * f64::from(*step)) == Some(1.0)).count()
    };
    let near = NavigationMap::build(&views(0, &[-3.0, -0.5, -0.2]), &robot(-0.3), Time::ZERO, &settings);
    assert_eq!(missing(&near), 5, "from near the edge it is seen that there is nothing");
    let far = views(3, &[-3.0, -2.5]);
    let forgotten = NavigationMap::build(&far, &robot(-0.3), Time::ZERO, &settings);
    assert_eq!(missing(&forgotten), 0, "from afar it is not");
    let renewed = near.renewed(&far, &robot(-0.3), Time::ZERO, &settings);
    assert_eq!(missing(&renewed), 5, "but it has been seen");
    // somebody has laid a plank
    let level = MapViews { revision: 2, views: vec![sight::view(9, -0.5, 0.0, |_, _| 0.0)] };
    assert_eq!(missing(&renewed.renewed(&level, &robot(-0.3), Time::ZERO, &settings)), 0);
}

#[test]
fn the_same_views_make_the_same_map_and_a_saved_map_comes_back() {
    let from = pose(-2.0, 0.0, 0.0);
    let ground = |x: f64, y: f64| 0.05 * libm::sin(3.0 * x) * libm::cos(2.0 * y);
    let (mut map, mut again) = (map_of(&scene(), &from, ground), map_of(&scene(), &from, ground));
    assert_eq!(Digest::of(&mut map), Digest::of(&mut again));
    let mut restored = NavigationMap::default();
    StateReader::restore(&mut restored, &StateWriter::save(&mut map)).unwrap();
    assert_eq!(Digest::of(&mut restored), Digest::of(&mut map));
    let way = |map: &NavigationMap| plan(map, &from, &goal(3.0, 3.0), ROOM, &SearchSettings::default());
    assert_eq!(way(&restored), way(&map));
}

#[test]
fn a_place_can_be_made_dearer() {
    let from = pose(-2.0, 0.0, 0.0);
    let mut map = map_of(&scene(), &from, |_, _| 0.0);
    map.raise_cost([1.0, 0.0], 0.3, 1.0);
    assert!(!map.is_free(&pose(0.5, 0.0, 0.0)) && map.is_free(&pose(0.0, 0.0, 0.0)));
    assert_eq!(map.clearance_at(1.0, 0.0), Some(0.0));
    let footing = map.footing(&pose(0.5, 0.0, 0.0));
    assert!(footing.is_forbidden && footing.mean_cost < 0.5, "{footing:?}");
}

#[test]
fn views_whose_attitude_is_a_little_wrong_make_no_obstacles_of_flat_ground() {
    let wrong = RandomStream::new(7, "attitude");
    let view = |number: u64| {
        let mut view = sight::view(number, 2.0 * number as f64, 0.0, |_, _| 0.0);
        let error = |axis: u32| 0.3_f64.to_radians() * wrong.normal(number, axis);
        let shift = Vector3::new(
            0.02 * wrong.normal(number, 3),
            0.02 * wrong.normal(number, 4),
            0.015 * wrong.normal(number, 5),
        );
        view.base_in_map *= Isometry3::new(shift, Vector3::new(error(0), error(1), error(2)));
        view
    };
    let views = MapViews { revision: 1, views: (0..8).map(view).collect() };
    let map = NavigationMap::build(&views, &centaur(&pose(14.0, 0.0, 0.0), 0.0), Time::ZERO, &MapSettings::default());
    let forbidden = map.costs().cost.iter().filter(|cost| **cost >= 1.0).count();
    assert!(map.frame().len() > 50_000 && forbidden < 200, "{forbidden} of {} cells", map.frame().len());
    let along_the_way = worst(&map, [-1.0, 15.0], [-2.0, 2.0]);
    assert!(along_the_way < 0.8, "{along_the_way}");
}
