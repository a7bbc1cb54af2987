//! The search against another one, on maps made by chance.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use navigation::{
    FORBIDDEN, GridFrame, Ground, Heights, MapSettings, NavigationMap, Outcome, RobotFootprint, SearchSettings, plan,
};
use pathfinding::directed::dijkstra::dijkstra;
use proptest::prelude::*;
use support::{ROOM, base_at, goal, pose};

const SIDE: usize = 30;

/// A flat map with places that cost more and places that are forbidden, for a robot of a size.
fn map(length: f64, width: f64, places: &[(usize, usize, f32)]) -> NavigationMap {
    let frame = GridFrame { cell: 0.1, origin_x: 0.0, origin_y: 0.0, columns: SIDE, rows: SIDE };
    let cells = SIDE * SIDE;
    let heights = Heights {
        frame,
        height: vec![0.0; cells],
        ground: vec![Ground::Measured; cells],
        spread: vec![0.0; cells],
        thin: Vec::new(),
    };
    let mut settings = MapSettings::default();
    settings.cost.margin = 0.0;
    let robot = RobotFootprint::rectangle(length, width, 0.5, base_at(&pose(0.3, 0.3, 0.0), 0.0));
    let mut map = NavigationMap::from_heights(&heights, &robot, &settings);
    for (column, row, cost) in places {
        map.raise_cost([0.1 * *column as f64, 0.1 * *row as f64], 0.06, *cost);
    }
    map
}

/// What the cheapest way from cell to cell costs a robot that fits into one [µm of easy ground].
fn cheapest(map: &NavigationMap, from: usize, to: usize, caution: f64) -> Option<u64> {
    let (frame, costs) = (map.frame(), map.costs());
    let neighbours = |cell: &usize| {
        let cell = *cell;
        let steps = (-1..=1).flat_map(|along| (-1..=1).map(move |across| (across, along)));
        let others = steps.filter_map(move |(across, along)| {
            let other = frame.neighbour(cell, across, along).filter(|other| *other != cell)?;
            let ground = 0.5 * f64::from(costs.inflated[cell] + costs.inflated[other]);
            let length = 0.1 * f64::from(across * across + along * along).sqrt();
            (costs.inflated[other] < FORBIDDEN).then_some((other, (1e6 * length * (1.0 + caution * ground)) as u64))
        });
        others.collect::<Vec<_>>()
    };
    dijkstra(&from, neighbours, |cell| *cell == to).map(|(_, cost)| cost)
}

fn places() -> impl Strategy<Value = Vec<(usize, usize, f32)>> {
    proptest::collection::vec((0..SIDE, 0..SIDE, prop_oneof![Just(FORBIDDEN), 0.1_f32..0.9]), 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_search_finds_the_cheapest_way_if_there_is_one(places in places()) {
        let map = map(0.04, 0.04, &places);
        let from = pose(0.3, 0.3, 0.0);
        let settings = SearchSettings::default();
        let cell = |x: f64, y: f64| map.frame().index_at(x, y).unwrap();
        prop_assume!(map.cost_at(0.3, 0.3).unwrap() < 1.0 && map.cost_at(2.5, 2.3).unwrap() < 1.0);
        let way = plan(&map, &from, &goal(2.5, 2.3), -0.5 * map.frame().cell, &settings);
        match cheapest(&map, cell(0.3, 0.3), cell(2.5, 2.3), settings.caution) {
            Some(cost) => prop_assert!((way.cost - 1e-6 * cost as f64).abs() < 1e-3, "{} and {cost}", way.cost),
            None => prop_assert!(way.outcome != Outcome::ToGoal),
        }
    }

    #[test]
    fn no_pose_of_a_plan_touches_what_is_forbidden(places in places(), yaw in -3.1_f64..3.1) {
        let map = map(0.42, 0.22, &places);
        let from = pose(0.5, 0.5, yaw);
        prop_assume!(map.is_free(&from));
        let way = plan(&map, &from, &goal(2.4, 2.3), ROOM, &SearchSettings::default());
        let frame = map.frame();
        for pose in way.pieces.iter().flat_map(|piece| &piece.path.poses).skip(1) {
            // the search lays the outline on cells, at one of 16 headings: what is deeper inside than that is hit
            for (across, along) in [(0.0, 0.0), (0.06, 0.0), (-0.06, 0.0), (0.12, 0.0), (-0.12, 0.0)] {
                let place = robot_io::Pose2 { x: across, y: along, yaw: 0.0 }.placed_at(pose);
                if let Some(cell) = frame.index_at(place.x, place.y) {
                    prop_assert!(map.costs().cost[cell] < FORBIDDEN, "{pose:?} hits {:?}", frame.center(cell));
                }
            }
        }
    }
}
