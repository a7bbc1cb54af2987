//! Strict priority: what a level says holds for all below it, and the outcome is the lexicographic optimum.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use proptest::prelude::*;
use support::{Dice, witness};
use whole_body::{Constraints, Hierarchy, HierarchyError, Level, Limits, Problem, QpError, Rows};

const DAMPING: f64 = 1e-4;

/// Levels whose rows repeat themselves at times, limits that a point keeps, equalities that it meets.
fn problem(seed: u64, variables: usize, levels: usize, constraints: usize) -> (Problem, Vec<Vec<f64>>) {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let inside = dice.row(variables);
    let value = |row: &[f64]| row.iter().zip(&inside).map(|(c, x)| c * x).sum::<f64>();
    let mut equalities = Level::new(variables, variables);
    for _ in 0..dice.below(variables / 2 + 1) {
        let row = dice.row(variables);
        equalities.push(value(&row)).copy_from_slice(&row);
    }
    if !equalities.targets.is_empty() {
        let (row, target) = (equalities.rows.row(0).to_vec(), equalities.targets[0]);
        equalities.push(2.0 * target).iter_mut().zip(row).for_each(|(to, from)| *to = 2.0 * from);
    }
    let mut limits = Limits::new(variables, constraints, constraints * variables);
    let mut limit_rows = Vec::new();
    for _ in 0..constraints {
        let row = dice.row(variables);
        let (room, above) = (dice.next().abs(), dice.next().abs());
        limits.push(0, value(&row) - room, value(&row) + above, row.iter().copied());
        limit_rows.push(row);
    }
    for (variable, value) in inside.iter().enumerate() {
        limits.bound(variable, value - 1.0, value + 1.5);
    }
    let wanted = (0..levels).map(|_| {
        let mut level = Level::new(variables, variables);
        for index in 0..dice.below(variables.min(5)) {
            let mut row = dice.row(variables);
            if index > 0 && dice.below(4) == 0 {
                row = level.rows.row(index - 1).iter().map(|a| -1.5 * a).collect();
            }
            level.push(2.0 * dice.next()).copy_from_slice(&row);
        }
        level
    });
    let levels = wanted.collect();
    (Problem { variables, equalities, levels, limits }, limit_rows)
}

fn solver(problem: &Problem) -> Hierarchy {
    Hierarchy::new(problem.variables, problem.limits.count(), problem.levels.len(), 2 * problem.variables, DAMPING)
}

fn values(level: &Level, x: &[f64]) -> Vec<f64> {
    let value = |row: usize| level.rows.row(row).iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    (0..level.targets.len()).map(value).collect()
}

fn missed(level: &Level, x: &[f64]) -> f64 {
    values(level, x).iter().zip(&level.targets).map(|(value, target)| (value - target).powi(2)).sum::<f64>().sqrt()
}

/// All limits and equalities as rows with their lower and upper values.
fn all_rows(problem: &Problem, limit_rows: &[Vec<f64>]) -> (Rows, Vec<f64>, Vec<f64>) {
    let n = problem.variables;
    let mut rows = Rows::new(0, n);
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for k in 0..n {
        rows.push()[k] = 1.0;
        lower.push(problem.limits.range(k).0);
        upper.push(problem.limits.range(k).1);
    }
    for (number, row) in limit_rows.iter().enumerate() {
        rows.push().copy_from_slice(row);
        lower.push(problem.limits.range(n + number).0);
        upper.push(problem.limits.range(n + number).1);
    }
    // an interior-point method does not like the same equality twice
    for (number, target) in problem.equalities.targets.iter().enumerate() {
        if number + 1 < problem.equalities.targets.len() {
            rows.push().copy_from_slice(problem.equalities.rows.row(number));
            lower.push(*target);
            upper.push(*target);
        }
    }
    (rows, lower, upper)
}

/// What each level misses at the lexicographic optimum, by one interior-point program after the other.
fn lexicographic(problem: &Problem, limit_rows: &[Vec<f64>]) -> Option<Vec<f64>> {
    let n = problem.variables;
    let (mut rows, mut lower, mut upper) = all_rows(problem, limit_rows);
    let mut all = Vec::new();
    for level in &problem.levels {
        let mut hessian = Rows::new(n, n);
        for i in 0..n {
            let row = hessian.push();
            for (k, entry) in row.iter_mut().enumerate() {
                let product = |l: usize| level.rows.row(l)[i] * level.rows.row(l)[k];
                *entry = (0..level.targets.len()).map(product).sum::<f64>() + if i == k { 1e-11 } else { 0.0 };
            }
        }
        let product = |i: usize, l: usize| level.rows.row(l)[i] * level.targets[l];
        let gradient: Vec<f64> =
            (0..n).map(|i| -(0..level.targets.len()).map(|l| product(i, l)).sum::<f64>()).collect();
        let found = witness::solve(&hessian, &gradient, &rows, &lower, &upper);
        if found.status != clarabel::solver::SolverStatus::Solved {
            return None;
        }
        all.push(missed(level, &found.x));
        for (number, value) in values(level, &found.x).into_iter().enumerate() {
            rows.push().copy_from_slice(level.rows.row(number));
            lower.push(value - 1e-8);
            upper.push(value + 1e-8);
        }
    }
    Some(all)
}

fn excess(problem: &mut Problem, x: &[f64]) -> f64 {
    let mut all = vec![0.0; problem.limits.count()];
    problem.limits.evaluate(x, &mut all);
    let ranges = all.iter().enumerate().map(|(row, value)| (problem.limits.range(row), value));
    ranges.map(|((lower, upper), value)| (lower - value).max(value - upper)).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_lower_level_never_worsens_a_higher_one_and_limits_hold(
        seed in 1_u64.., variables in 2_usize..=40, levels in 1_usize..=4, constraints in 0_usize..=60,
    ) {
        let (mut whole, _) = problem(seed, variables, levels, constraints);
        let mut hierarchy = solver(&whole);
        for upto in 1..=levels {
            let mut part = whole.clone();
            part.levels.truncate(upto);
            let mut fresh = solver(&part);
            let outcome = fresh.solve(&mut part);
            prop_assert!(outcome.is_ok(), "{outcome:?}");
            let outcome = hierarchy.solve(&mut whole);
            prop_assert!(outcome.is_ok(), "{outcome:?}");
            for level in &part.levels {
                let (alone, with_more) = (missed(level, fresh.solution()), missed(level, hierarchy.solution()));
                prop_assert!(with_more <= alone + 1e-8, "{with_more} against {alone}");
            }
        }
        let x = hierarchy.solution().to_vec();
        prop_assert!(excess(&mut whole, &x) < 1e-8, "{}", excess(&mut whole, &x));
        prop_assert!(missed(&whole.equalities, &x) < 1e-8, "{}", missed(&whole.equalities, &x));
    }

    #[test]
    fn it_is_the_lexicographic_optimum(
        seed in 1_u64.., variables in 2_usize..=12, levels in 1_usize..=3, constraints in 0_usize..=15,
    ) {
        let (mut whole, limit_rows) = problem(seed, variables, levels, constraints);
        let mut hierarchy = solver(&whole);
        hierarchy.solve(&mut whole).unwrap();
        let Some(optimum) = lexicographic(&whole, &limit_rows) else { return Ok(()) };
        for (level, theirs) in whole.levels.iter().zip(optimum) {
            let ours = missed(level, hierarchy.solution());
            prop_assert!((ours - theirs).abs() < 2e-4, "{ours} against {theirs}, {whole:?} {:?}", hierarchy.solution());
        }
    }
}

#[test]
fn where_equalities_decide_all_limits_still_count() {
    let mut equalities = Level::new(2, 2);
    equalities.push(1.0).copy_from_slice(&[1.0, 1.0]);
    equalities.push(3.0).copy_from_slice(&[1.0, -1.0]);
    let mut problem = Problem { variables: 2, equalities, levels: Vec::new(), limits: Limits::new(2, 0, 0) };
    problem.limits.bound(0, 0.0, 2.0);
    let mut hierarchy = solver(&problem);
    hierarchy.solve(&mut problem).unwrap();
    assert!((hierarchy.solution()[0] - 2.0).abs() < 1e-12 && (hierarchy.solution()[1] + 1.0).abs() < 1e-12);
    problem.limits.bound(0, 0.0, 1.5);
    let error = hierarchy.solve(&mut problem).unwrap_err();
    let HierarchyError::Level { level: 0, error: QpError::Infeasible { row: 0, by } } = error else {
        panic!("{error}")
    };
    assert!((by - 0.5).abs() < 1e-12, "{by}");
}

#[test]
fn equalities_that_contradict_are_named() {
    let mut equalities = Level::new(2, 2);
    equalities.push(1.0).copy_from_slice(&[1.0, 1.0]);
    equalities.push(3.0).copy_from_slice(&[2.0, 2.0]);
    let mut problem = Problem { variables: 2, equalities, levels: Vec::new(), limits: Limits::new(2, 0, 0) };
    let error = solver(&problem).solve(&mut problem).unwrap_err();
    assert_eq!(error.to_string(), "equality 0 contradicts others, by 0.5");
}
