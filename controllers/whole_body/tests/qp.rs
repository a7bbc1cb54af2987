//! The quadratic program against clarabel and against the conditions of Karush, Kuhn and Tucker.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use proptest::prelude::*;
use support::{Dice, witness};
use whole_body::{Constraints, Limits, QpError, Quadratic, Rows, Side, Solver, Working};

struct Program {
    hessian: Rows,
    gradient: Vec<f64>,
    rows: Rows,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// A program that keeps at least one point feasible. Of its rows some are equalities, some copies and sums of others,
/// some bounds of one variable, and some are active at the feasible point.
fn program(seed: u64, variables: usize, constraints: usize) -> Program {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let factor: Vec<Vec<f64>> = (0..variables).map(|_| dice.row(variables)).collect();
    let mut hessian = Rows::new(variables, variables);
    for i in 0..variables {
        let row = hessian.push();
        for (k, entry) in row.iter_mut().enumerate() {
            *entry = factor.iter().map(|line| line[i] * line[k]).sum::<f64>() + if i == k { 0.05 } else { 0.0 };
        }
    }
    let gradient: Vec<f64> = dice.row(variables).iter().map(|g| 10.0 * g).collect();
    let inside = dice.row(variables);
    let equalities = dice.below(variables / 3 + 1);
    let mut rows = Rows::new(constraints, variables);
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for index in 0..constraints {
        let row = match (index, dice.below(6)) {
            (2.., 0) => rows.row(dice.below(index)).to_vec(),
            (2.., 1) => {
                let (one, other) = (dice.below(index), dice.below(index));
                rows.row(one).iter().zip(rows.row(other)).map(|(a, b)| a - 2.0 * b).collect()
            }
            (_, 2) => {
                let chosen = dice.below(variables);
                (0..variables).map(|k| if k == chosen { 1.0 } else { 0.0 }).collect()
            }
            _ => dice.row(variables),
        };
        let value: f64 = row.iter().zip(&inside).map(|(c, x)| c * x).sum();
        let room = |dice: &mut Dice| if dice.below(4) == 0 { 0.0 } else { dice.next().abs() };
        let (mut low, mut high) = (value - room(&mut dice), value + room(&mut dice));
        if index < equalities {
            (low, high) = (value, value);
        } else {
            match dice.below(3) {
                0 => low = f64::NEG_INFINITY,
                1 => high = f64::INFINITY,
                _ => {}
            }
        }
        rows.push().copy_from_slice(&row);
        lower.push(low);
        upper.push(high);
    }
    Program { hessian, gradient, rows, lower, upper }
}

impl Program {
    fn limits(&self) -> Limits {
        Limits::of_rows(&self.rows, &self.lower, &self.upper)
    }

    fn quadratic(&self) -> Quadratic<'_> {
        Quadratic { hessian: &self.hessian, gradient: &self.gradient }
    }

    fn slope(&self, x: &[f64]) -> Vec<f64> {
        let product = |i: usize| x.iter().zip(self.hessian.row(i)).map(|(x, h)| x * h).sum::<f64>();
        (0..x.len()).map(|i| product(i) + self.gradient[i]).collect()
    }

    fn objective(&self, x: &[f64]) -> f64 {
        let slope = self.slope(x);
        x.iter().zip(slope.iter().zip(&self.gradient)).map(|(x, (s, g))| 0.5 * x * (s + g)).sum()
    }
}

/// The largest violation of feasibility, stationarity, and of the multipliers' signs.
fn residual(program: &Program, solver: &Solver, working: &Working) -> f64 {
    let mut limits = program.limits();
    let mut values = vec![0.0; limits.count()];
    let x = solver.solution();
    limits.evaluate(x, &mut values);
    let ranges = |row| limits.range(row);
    let mut worst: f64 = 0.0;
    for (row, value) in values.iter().enumerate() {
        worst = worst.max(ranges(row).0 - value).max(value - ranges(row).1);
    }
    let mut slope = program.slope(x);
    let mut normal = vec![0.0; x.len()];
    for ((row, side), multiplier) in working.active().iter().zip(solver.multipliers()) {
        let (lower, upper) = program.limits().range(*row);
        let sign = if *side == Side::Lower { 1.0 } else { -1.0 };
        let limit = if *side == Side::Lower { lower } else { upper };
        worst = worst.max((values[*row] - limit).abs());
        if lower != upper {
            worst = worst.max(-multiplier);
        }
        program.limits().normal(*row, &mut normal);
        slope.iter_mut().zip(&normal).for_each(|(s, n)| *s -= sign * multiplier * n);
    }
    slope.iter().fold(worst, |worst, s| worst.max(s.abs()))
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_finds_what_clarabel_finds(seed in 1_u64.., variables in 1_usize..=60, constraints in 0_usize..=150) {
        let program = program(seed, variables, constraints);
        let mut solver = Solver::new(variables, variables + constraints);
        let mut working = Working::new(variables);
        let outcome = solver.solve(&program.quadratic(), &mut program.limits(), &mut working);
        prop_assert!(outcome.is_ok(), "{outcome:?}");
        let residual = residual(&program, &solver, &working);
        prop_assert!(residual < 1e-7, "residual {residual}");
        let witness =
            witness::solve(&program.hessian, &program.gradient, &program.rows, &program.lower, &program.upper);
        let (ours, theirs) = (program.objective(solver.solution()), witness.objective);
        if witness.status == clarabel::solver::SolverStatus::Solved {
            prop_assert!((ours - theirs).abs() < 1e-6 * (1.0 + theirs.abs()), "{ours} against {theirs}");
            prop_assert!(distance(solver.solution(), &witness.x) < 1e-4, "{}", distance(solver.solution(), &witness.x));
        }
    }

    #[test]
    fn a_warm_start_changes_nothing_but_the_time(
        seed in 1_u64.., variables in 2_usize..=60, constraints in 1_usize..=150, change in 0.0..0.3_f64,
    ) {
        let mut program = program(seed, variables, constraints);
        let mut warm = Solver::new(variables, variables + constraints);
        let mut working = Working::new(variables);
        warm.solve(&program.quadratic(), &mut program.limits(), &mut working).unwrap();
        let mut dice = Dice(seed | 1);
        for _ in 0..3 {
            program.gradient.iter_mut().for_each(|g| *g += change * dice.next());
            let mut cold = Solver::new(variables, variables + constraints);
            cold.solve(&program.quadratic(), &mut program.limits(), &mut Working::default()).unwrap();
            let outcome = warm.solve(&program.quadratic(), &mut program.limits(), &mut working);
            prop_assert!(outcome.is_ok(), "{outcome:?}");
            prop_assert!(distance(warm.solution(), cold.solution()) < 1e-8);
            prop_assert!(residual(&program, &warm, &working) < 1e-7);
        }
    }

    #[test]
    fn nonsense_to_begin_with_does_no_harm(seed in 1_u64.., variables in 2_usize..=40, constraints in 1_usize..=100) {
        let [one, other] = [seed, seed ^ 0xABCD].map(|seed| program(seed, variables, constraints));
        let mut working = Working::default();
        let mut solver = Solver::new(variables, variables + constraints);
        solver.solve(&other.quadratic(), &mut other.limits(), &mut working).unwrap();
        let outcome = solver.solve(&one.quadratic(), &mut one.limits(), &mut working);
        prop_assert!(outcome.is_ok(), "{outcome:?}");
        let mut cold = Solver::new(variables, variables + constraints);
        cold.solve(&one.quadratic(), &mut one.limits(), &mut Working::default()).unwrap();
        prop_assert!(distance(solver.solution(), cold.solution()) < 1e-8);
    }

    #[test]
    fn what_nothing_meets_is_refused(seed in 1_u64.., variables in 1_usize..=30, constraints in 2_usize..=60) {
        let mut program = program(seed, variables, constraints);
        let row = Dice(seed).below(constraints);
        let opposite: Vec<f64> = program.rows.row(row).to_vec();
        let length = opposite.iter().map(|c| c * c).sum::<f64>().sqrt();
        prop_assume!(length > 1e-3);
        program.rows.push().copy_from_slice(&opposite);
        (program.lower[row], program.upper[row]) = (f64::NEG_INFINITY, 1.0);
        program.lower.push(1.5);
        program.upper.push(f64::INFINITY);
        let mut solver = Solver::new(variables, variables + constraints + 1);
        let outcome = solver.solve(&program.quadratic(), &mut program.limits(), &mut Working::default());
        prop_assert!(matches!(outcome, Err(QpError::Infeasible { by, .. }) if by > 0.0), "{outcome:?}");
    }
}

#[test]
fn a_hessian_that_is_flat_is_refused() {
    let mut hessian = Rows::new(2, 2);
    hessian.push()[0] = 1.0;
    hessian.push();
    let problem = Quadratic { hessian: &hessian, gradient: &[1.0, 1.0] };
    let outcome = Solver::new(2, 2).solve(&problem, &mut Limits::new(2, 0, 0), &mut Working::default());
    assert_eq!(outcome, Err(QpError::NotConvex { variable: 1, found: 0.0 }));
}

#[test]
fn bounds_need_no_rows() {
    let mut hessian = Rows::new(3, 3);
    (0..3).for_each(|k| hessian.push()[k] = 2.0);
    let mut limits = Limits::new(3, 0, 0);
    limits.bound(0, -1.0, 1.0);
    limits.bound(2, 5.0, f64::INFINITY);
    let mut solver = Solver::new(3, 3);
    let problem = Quadratic { hessian: &hessian, gradient: &[-10.0, -2.0, 0.0] };
    solver.solve(&problem, &mut limits, &mut Working::default()).unwrap();
    assert!(distance(solver.solution(), &[1.0, 1.0, 5.0]) < 1e-14, "{:?}", solver.solution());
}
