//! The SpaceBot arena, seen from places along its tour.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::path::Path;

use navigation::{MapSettings, NavigationMap, Outcome, SearchSettings, plan};
use robot_io::Time;
use support::{ROOM, centaur, goal, pose, sight};
use worlds::World;

#[test]
fn the_tour_is_plannable_and_no_great_detour() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../worlds/spacebot.toml");
    let world = World::load(&file).unwrap();
    let tour = &world.route("tour").unwrap().points;
    let ground = |x: f64, y: f64| world.terrain.height_at(x, y).unwrap_or(f64::NAN);
    let views = sight::along(tour, 3.0, ground);
    let robot = centaur(&pose(tour[0][0], tour[0][1], 0.0), ground(tour[0][0], tour[0][1]));
    let map = NavigationMap::build(&views, &robot, Time::ZERO, &MapSettings::default());
    assert!(map.edges.is_empty(), "there are no straight steps: {:?}", map.edges);
    for leg in tour.windows(2) {
        let from = pose(leg[0][0], leg[0][1], 0.0);
        let to = goal(leg[1][0], leg[1][1]);
        let way = plan(&map, &from, &to, ROOM, &SearchSettings::default());
        assert_eq!(way.outcome, Outcome::ToGoal, "{leg:?}");
        let path = &way.pieces[0].path;
        let straight = from.distance(&to.pose_in_map);
        assert!(path.length() < 1.15 * straight, "{leg:?}: {} m of {straight} m", path.length());
        assert!(path.poses.iter().skip(1).all(|pose| map.is_free(pose)), "{leg:?}");
    }
    // neither the rim nor a crater's wall nor the plateau's side
    for (x, y) in [(-8.0, -10.7), (-5.3, -3.0), (3.6, 6.0)] {
        assert_eq!(map.cost_at(x, y), Some(1.0), "({x}, {y})");
    }
}
