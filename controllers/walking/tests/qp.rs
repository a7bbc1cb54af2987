//! The small quadratic program against a solver for large ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};
use nalgebra::{Matrix3, Matrix5x3, Vector3, Vector5};
use proptest::prelude::*;
use walking::adjust::Program;

/// Its solution, and the sum of its multipliers.
fn clarabel(program: &Program) -> Option<(Vector3<f64>, f64)> {
    let weight: Vec<Vec<f64>> = (0..3).map(|r| (0..3).map(|c| 2.0 * program.weight[(r, c)]).collect()).collect();
    let linear: Vec<f64> = (-2.0 * program.weight * program.wanted).iter().copied().collect();
    let both = [1.0, -1.0];
    let rows: Vec<Vec<f64>> =
        both.iter().flat_map(|s| (0..5).map(move |r| (0..3).map(|c| s * program.rows[(r, c)]).collect())).collect();
    let bounds: Vec<f64> = program.most.iter().copied().chain(program.least.iter().map(|least| -least)).collect();
    // by default its solution is off by up to √(1e-8 / least eigenvalue)
    let (tol_gap_abs, tol_gap_rel, tol_feas) = (1e-12, 1e-12, 1e-12);
    let settings = DefaultSettings { verbose: false, tol_gap_abs, tol_gap_rel, tol_feas, ..DefaultSettings::default() };
    let (weight, rows) = (CscMatrix::from(&weight).to_triu(), CscMatrix::from(&rows));
    let mut solver = DefaultSolver::new(&weight, &linear, &rows, &bounds, &[NonnegativeConeT(10)], settings).unwrap();
    solver.solve();
    let multipliers = solver.solution.z.iter().sum();
    (solver.solution.status == SolverStatus::Solved)
        .then(|| (Vector3::from_column_slice(&solver.solution.x), multipliers))
}

fn cost(program: &Program, x: &Vector3<f64>) -> f64 {
    (x - program.wanted).dot(&(program.weight * (x - program.wanted)))
}

prop_compose! {
    fn programs()(
        root in prop::array::uniform9(-1.0..1.0f64),
        wanted in prop::array::uniform3(-2.0..2.0f64),
        rows in prop::array::uniform6(-3.0..3.0f64),
        middle in prop::array::uniform5(-1.0..1.0f64),
        half in prop::array::uniform5(0.0..1.0f64),
    ) -> Program {
        let root = Matrix3::from_row_slice(&root);
        let mut all = Matrix5x3::zeros();
        all.fixed_view_mut::<3, 3>(0, 0).copy_from(&Matrix3::identity());
        (0..6).for_each(|k| all[(3 + k / 3, k % 3)] = rows[k]);
        let (middle, half) = (Vector5::from(middle), Vector5::from(half));
        Program {
            weight: root.transpose() * root + Matrix3::identity() * 0.05,
            wanted: Vector3::from(wanted),
            rows: all,
            least: middle - half,
            most: middle + half,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn finds_what_clarabel_finds(program in programs()) {
        match (program.solve(), clarabel(&program)) {
            (Some(ours), Some((theirs, multipliers))) => {
                prop_assert!((ours - theirs).norm() < 1e-5, "{ours} {theirs}");
                // a bound that is kept to by 1e-11 changes the cost by its multiplier times that: thousands where bounds depend on each other
                let rounding = 1e-8 + 1e-11 * multipliers;
                let off = (cost(&program, &ours) - cost(&program, &theirs)).abs();
                prop_assert!(off < rounding, "{off} {rounding}");
            }
            (None, None) => {}
            // bounds that only just leave room: ours keeps to them by 1e-9, theirs by 1e-8 of their size
            (ours, theirs) => {
                let room = |x: &Vector3<f64>| {
                    let value = program.rows * x;
                    (0..5).map(|k| (value[k] - program.least[k]).min(program.most[k] - value[k])).fold(f64::INFINITY, f64::min)
                };
                prop_assert!(room(&ours.or(theirs.map(|(x, _)| x)).unwrap()) < 1e-6, "{ours:?} {theirs:?}");
            }
        }
    }
}

#[test]
fn bounds_that_contradict_each_other_are_told() {
    let rows = Matrix5x3::new(1., 0., 0., 0., 1., 0., 0., 0., 1., 1., 1., 0., 0., 0., 1.);
    let (least, most) = (Vector5::new(0., 0., 0., 3., 0.), Vector5::new(1., 1., 1., 4., 1.));
    let program = Program { weight: Matrix3::identity(), wanted: Vector3::zeros(), rows, least, most };
    assert_eq!(program.solve(), None);
}
