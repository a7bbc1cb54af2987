//! Mirrors `src/graph`: loops close, wrong ones are told, covariances make sense, and none of it takes long.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests; one of them measures time")]

use core::f64::consts::TAU;

use nalgebra::{Isometry3, Matrix6, UnitQuaternion, Vector3, Vector6};
use robot_io::{RandomStream, StateReader, StateWriter};
use slam::graph::{Constraint, GraphSettings, Node, PoseGraph, UncertainPose, diagonal, difference, moved};

/// Where a robot on a circle of 10 m radius is.
fn on_circle(k: usize, nodes_per_lap: usize) -> Isometry3<f64> {
    let angle = TAU * k as f64 / nodes_per_lap as f64;
    let rotation = UnitQuaternion::from_euler_angles(0.0, 0.0, angle + TAU / 4.0);
    Isometry3::from_parts(Vector3::new(10.0 * angle.cos(), 10.0 * angle.sin(), 0.0).into(), rotation)
}

fn odometry_covariance() -> Matrix6<f64> {
    diagonal(0.02, 0.02, 0.004, 0.006)
}

fn loop_covariance() -> Matrix6<f64> {
    diagonal(0.01, 0.01, 0.002, 0.002)
}

struct Noise(RandomStream, u64);

impl Noise {
    fn new(seed: u64) -> Noise {
        Noise(RandomStream::new(seed, "graph"), 0)
    }

    fn next(&mut self) -> f64 {
        self.1 += 1;
        self.0.normal(self.1, 0)
    }

    /// One true pose as seen from another, with noise of the given covariance (diagonal).
    fn seen(&mut self, from: &Isometry3<f64>, to: &Isometry3<f64>, covariance: Matrix6<f64>) -> UncertainPose {
        let noise = Vector6::from_fn(|k, _| covariance[(k, k)].sqrt() * self.next());
        UncertainPose { pose: moved(&from.inv_mul(to), &noise), covariance }
    }
}

/// A robot that drove around a circle and knows it by noisy odometry alone.
fn driven(nodes: usize, per_lap: usize, seed: u64) -> PoseGraph {
    let mut noise = Noise::new(seed);
    let mut graph = PoseGraph::default();
    graph.add_node(Node { pose: on_circle(0, per_lap), up: None });
    for k in 1..nodes {
        let seen = noise.seen(&on_circle(k - 1, per_lap), &on_circle(k, per_lap), odometry_covariance());
        let pose = graph.nodes()[k - 1].pose * seen.pose;
        graph.add_node(Node { pose, up: None });
        assert!(graph.tie(Constraint { from: k - 1, to: k, to_in_from: seen, closes_loop: false }));
    }
    graph
}

fn loop_closure(noise: &mut Noise, from: usize, to: usize, per_lap: usize) -> Constraint {
    let seen = noise.seen(&on_circle(from, per_lap), &on_circle(to, per_lap), loop_covariance());
    Constraint { from, to, to_in_from: seen, closes_loop: true }
}

fn error_of(graph: &PoseGraph, node: usize, per_lap: usize) -> Vector6<f64> {
    difference(&graph.nodes()[node].pose, &on_circle(node, per_lap))
}

fn worst_error(graph: &PoseGraph, per_lap: usize) -> f64 {
    (0..graph.nodes().len()).map(|k| error_of(graph, k, per_lap).fixed_rows::<3>(0).norm()).fold(0.0, f64::max)
}

/// The covariance of the last node by compounding odometry alone.
fn chain(graph: &PoseGraph) -> UncertainPose {
    let begin = UncertainPose { pose: graph.nodes()[0].pose, ..UncertainPose::default() };
    graph.constraints().iter().fold(begin, |pose, constraint| pose.then(&constraint.to_in_from))
}

#[test]
fn a_noisy_circle_closes() {
    let settings = GraphSettings::default();
    let (mut before, mut after) = (0.0, 0.0);
    for seed in 0..5 {
        let mut graph = driven(60, 58, seed);
        before += worst_error(&graph, 58);
        for (from, to) in [(0, 58), (1, 59)] {
            let closure = loop_closure(&mut Noise::new(100 + seed), from, to, 58);
            assert!(graph.contradiction(&closure, &settings) < settings.consistency_limit, "a right loop is accepted");
            assert!(graph.tie(closure));
        }
        let done = graph.optimize(&settings);
        assert!(done.cost_after < done.cost_before);
        let end = error_of(&graph, 59, 58);
        assert!(end.fixed_rows::<3>(0).norm() < 0.06, "seed {seed}: {end:?}");
        after += worst_error(&graph, 58);
    }
    assert!(after < 0.5 * before, "sum of the worst errors: {before} -> {after}");
}

#[test]
fn a_wrong_loop_is_told_and_if_not_bends_little() {
    let settings = GraphSettings::default();
    let mut graph = driven(60, 58, 7);
    for (from, to) in [(0, 58), (1, 59)] {
        assert!(graph.tie(loop_closure(&mut Noise::new(8), from, to, 58)));
    }
    graph.optimize(&settings);
    let good = graph.clone();
    let wrong = UncertainPose { pose: Isometry3::translation(1.0, 0.5, 0.0), covariance: loop_covariance() };
    let wrong = Constraint { from: 10, to: 40, to_in_from: wrong, closes_loop: true };
    assert!(graph.contradiction(&wrong, &settings) > 100.0 * settings.consistency_limit);
    assert!(graph.tie(wrong));
    graph.optimize(&settings);
    let bent = (0..60).map(|k| difference(&graph.nodes()[k].pose, &good.nodes()[k].pose).norm()).fold(0.0, f64::max);
    assert!(bent < 0.05, "the kernel holds it off: {bent}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut graph = driven(3, 58, 1);
    let there = UncertainPose { pose: Isometry3::identity(), covariance: Matrix6::zeros() };
    assert!(!graph.tie(Constraint { from: 0, to: 2, to_in_from: there, closes_loop: true }), "no covariance");
    let there = UncertainPose { covariance: loop_covariance(), ..there };
    assert!(!graph.tie(Constraint { from: 0, to: 3, to_in_from: there, closes_loop: true }), "no such node");
}

#[test]
fn covariances_tell_the_size_of_errors() {
    let settings = GraphSettings::default();
    let drives = 60;
    let squared = (0..drives).map(|seed| {
        let graph = driven(30, 58, 1000 + seed);
        let marginals = graph.marginals(&settings).unwrap();
        let end = marginals.of(&graph, 29);
        assert!(end.translation_deviation() > marginals.of(&graph, 10).translation_deviation());
        let truth = UncertainPose { pose: on_circle(29, 58), ..UncertainPose::default() };
        end.distance_squared(&truth)
    });
    let mean = squared.sum::<f64>() / drives as f64;
    assert!((4.5..7.5).contains(&mean), "mean of a squared Mahalanobis distance of six numbers: {mean}");
}

#[test]
fn without_loops_marginals_are_the_chain_s_and_a_loop_makes_them_smaller() {
    let settings = GraphSettings::default();
    let mut graph = driven(30, 28, 3);
    let of_chain = chain(&graph).covariance;
    let marginals = graph.marginals(&settings).unwrap();
    assert!((marginals.of(&graph, 29).covariance - of_chain).norm() < 1e-9 * of_chain.norm());
    assert!((marginals.relative(&graph, 0, 29).covariance.trace() - of_chain.trace()).abs() < 1e-9);
    graph.tie(loop_closure(&mut Noise::new(4), 1, 29, 28));
    let with_loop = graph.marginals(&settings).unwrap().of(&graph, 29).covariance;
    assert!(with_loop.trace() < 0.2 * of_chain.trace());
}

#[test]
fn the_imu_holds_the_tilt() {
    let settings = GraphSettings { up_deviation: 0.003, ..GraphSettings::default() };
    let graph = driven(58, 58, 11);
    let mut held = PoseGraph::default();
    graph.nodes().iter().for_each(|node| {
        held.add_node(Node { up: Some(Vector3::z()), ..*node });
    });
    graph.constraints().iter().for_each(|constraint| assert!(held.tie(*constraint)));
    held.optimize(&settings);
    let tilt = |graph: &PoseGraph| {
        let ups = graph.nodes().iter().map(|node| node.pose.rotation * Vector3::z());
        ups.map(|up| up.x.hypot(up.y)).fold(0.0, f64::max)
    };
    assert!(tilt(&held) < 0.006 && tilt(&held) < 0.5 * tilt(&graph), "{} {}", tilt(&held), tilt(&graph));
}

/// 200 nodes, three laps, 140 loop closures: the time says something in a release build only.
#[test]
fn two_hundred_nodes_take_few_iterations() {
    let settings = GraphSettings::default();
    let mut graph = driven(200, 60, 5);
    let mut noise = Noise::new(6);
    for to in 60..200 {
        assert!(graph.tie(loop_closure(&mut noise, to - 60, to, 60)));
    }
    let saved = StateWriter::save(&mut graph.clone());
    let done = graph.optimize(&settings);
    println!("200 nodes, 339 edges: {done:?}");
    assert!(done.iterations <= 15, "{done:?}");
    assert!(worst_error(&graph, 60) < 0.35, "{}", worst_error(&graph, 60));
    let mut again = PoseGraph::default();
    StateReader::restore(&mut again, &saved).unwrap();
    again.optimize(&settings);
    assert_eq!(again, graph, "the same to the bit");
}
