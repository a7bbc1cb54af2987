//! The search's best way is that of a search that looks at everything.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::sync::Arc;

use nalgebra::Vector3;
use robot_io::{HeightMap, Pose2, RandomStream};
use walking::Footstep;

use super::*;
use crate::collision::LegsAndBody;
use crate::heuristic::{AroundObstacles, Straight};
use crate::reach::BoxReach;
use crate::search::{Event, Search};
use crate::settings::FootstepSettings;
use crate::standing::stand_at;
use crate::terrain::HeightTerrain;

/// A room of 3 × 2 m with blocks of up to 12 cm and some holes, level where feet begin and end.
fn room(seed: u64) -> HeightTerrain {
    let random = RandomStream::new(seed, "room");
    let (columns, rows, cell) = (75, 50, 0.04);
    let height = |k: usize| {
        let (x, y) = ((k % columns) as f64 * cell - 0.5, (k / columns) as f64 * cell - 1.0);
        let block = (libm::floor(x / 0.4) + 10.0) as u64 * 100 + (libm::floor(y / 0.4) + 10.0) as u64;
        let kind = random.uniform(block, 0);
        let level = x.abs().min((x - 1.5).abs()) < 0.3 && y.abs() < 0.4;
        if level {
            0.0
        } else if kind < 0.2 {
            -1.0
        } else {
            0.12 * random.uniform(block, 1)
        }
    };
    let heights = (0..columns * rows).map(height).collect();
    let map = HeightMap { cell, origin_x: -0.5, origin_y: -1.0, columns, rows, heights };
    HeightTerrain::from_map(&map, &FootstepSettings::default().terrain).unwrap()
}

/// A graph with few headings, so that all of it can be looked at. Feet are lifted as high as need be: then nothing depends on where a foot
/// comes from.
fn graph(seed: u64, informed: bool) -> StepGraph {
    let mut settings = FootstepSettings::default();
    (settings.search.spacing, settings.search.headings, settings.search.finer) = (0.14, 8, 1);
    settings.reach.upward = [-0.08, 0.08];
    (settings.collision.clearance, settings.collision.bump, settings.swing.clearance) = (0.5, 0.1, 0.5);
    let FootstepSettings { reach, swing, collision, cost, .. } = settings;
    let heuristic: Arc<dyn crate::Heuristic> =
        if informed { Arc::new(AroundObstacles::default()) } else { Arc::new(Straight) };
    let parts = Parts {
        terrain: Arc::new(room(seed)),
        reach: Arc::new(BoxReach { reach, strides: settings.strides }),
        collision: Arc::new(LegsAndBody::new(collision, swing, reach.half_sole, cost.width).unwrap()),
        cost: Arc::new(cost),
        heuristic,
        footing: settings.footing,
    };
    let stand = |x: f64| Footstep::stand(Vector3::new(x, 0.0, 0.0), 0.0, cost.width);
    let goal = stand(1.5).map(|foot| {
        let pose = Pose2 { x: foot.position.x, y: foot.position.y, yaw: 0.0 };
        stand_at(&parts, foot.side, &pose).unwrap()
    });
    StepGraph::new(parts, stand(0.0), goal, &settings.search)
}

/// Dijkstra's search without any bound.
fn everything(graph: &mut StepGraph) -> f64 {
    let mut costs: BTreeMap<u32, f64> = graph.starts(None).into_iter().map(|node| (node, 0.0)).collect();
    let mut open: std::collections::BTreeSet<(u64, u32)> = costs.keys().map(|node| (0, *node)).collect();
    let mut steps = Vec::new();
    while let Some((bits, node)) = open.pop_first() {
        if node == GOAL {
            return f64::from_bits(bits);
        }
        steps.clear();
        graph.expand(node, None, &|_, _| true, &mut steps);
        for (to, cost) in &steps {
            let total = f64::from_bits(bits) + cost;
            let before = costs.get(to).copied().unwrap_or(f64::INFINITY);
            if total < before {
                open.remove(&(before.to_bits(), *to));
                open.insert((total.to_bits(), *to));
                costs.insert(*to, total);
            }
        }
    }
    f64::INFINITY
}

#[test]
fn the_best_plan_costs_what_a_search_finds_that_looks_at_everything() {
    let mut ways = 0;
    for seed in 0..12 {
        let shortest = everything(&mut graph(seed, false));
        for informed in [false, true] {
            let mut graph = graph(seed, informed);
            let mut search = Search::new(&graph, &graph.starts(None), GOAL, &[3.0, 1.5]);
            let end = loop {
                match search.advance(&mut graph, 50) {
                    Event::Best => break search.way(GOAL).1,
                    Event::NoWay => break f64::INFINITY,
                    _ => assert!(search.least() <= shortest + 1e-9, "seed {seed}: the bound is wrong"),
                }
            };
            assert!(end == shortest || (end - shortest).abs() < 1e-9, "seed {seed}: {end}, {shortest}");
        }
        ways += usize::from(shortest.is_finite());
    }
    assert!(ways >= 6, "{ways} rooms have a way");
}

#[test]
fn the_bound_never_says_too_much_between_neighbours() {
    let mut graph = graph(3, false);
    let (mut steps, mut seen) = (Vec::new(), 0);
    let mut nodes = graph.starts(None);
    for _ in 0..3 {
        let mut next = Vec::new();
        for node in nodes.into_iter().take(40) {
            steps.clear();
            graph.expand(node, None, &|_, _| true, &mut steps);
            for (to, cost) in &steps {
                assert!(graph.bound(node) <= cost + graph.bound(*to) + 1e-9, "from {node} to {to}");
                next.push(*to);
                seen += 1;
            }
        }
        nodes = next;
    }
    assert!(seen > 500, "{seen}");
}
