//! Plans over all kinds of ground.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

mod grounds;

use std::sync::Arc;

use footsteps::{FootstepPlan, FootstepSettings, HeightTerrain, Outcome, Planner, Query, Reason, TerrainSettings};
use grounds::{Case, assert_walkable, cases, feet, map, settings};
use robot_io::Pose2;
use robot_io::deadline::{DeadlineTask, InlineBoard};
use walking::swing::Swing;
use walking::{Footstep, Side, SwingSettings};

/// Points of a sole; half a cell around it is left out, as a map knows no edge better.
fn points(foot: &Footstep) -> Vec<nalgebra::Point3<f64>> {
    let grid = (-4..=4).flat_map(|k| (-2..=2).map(move |l| (0.25 * f64::from(k) * 0.15, 0.5 * f64::from(l) * 0.07)));
    grid.map(|(x, y)| foot.pose() * nalgebra::Point3::new(x, y, 0.0)).collect()
}

/// How far the true ground reaches into a sole at most [m].
fn into(ground: &grounds::Ground, foot: &Footstep) -> f64 {
    points(foot).iter().map(|point| ground(point.x, point.y) - point.z).fold(f64::NEG_INFINITY, f64::max)
}

/// No sole stands in the ground, and no swing with the clearance that the plan says goes through it.
fn assert_free(case: &Case, plan: &FootstepPlan, bump: f64) {
    for (number, step) in plan.steps.iter().enumerate() {
        let depth = into(&case.ground, &step.foot);
        assert!(depth < bump, "{}: step {number} stands {depth} m in the ground", case.name);
        let start = plan.feet_after(number)[step.foot.side.index()];
        let swing_settings = SwingSettings { clearance: step.clearance, ..SwingSettings::default() };
        let swing = Swing::new(start, step.foot, 0.6, &swing_settings);
        for look in 1..60 {
            let motion = swing.at(0.01 * f64::from(look), &swing_settings);
            let depth = into(&case.ground, &Footstep::at(start.side, &motion.pose));
            assert!(depth < bump, "{}: the swing of step {number} goes {depth} m into the ground", case.name);
        }
    }
}

#[test]
fn every_ground_is_crossed_by_steps_that_can_be_walked() {
    for case in cases() {
        let (planner, plan) = case.plan(0.04);
        assert_eq!(plan.outcome, Outcome::ToGoal, "{}", case.name);
        assert_walkable(case.name, &plan, &case.goal);
        let again = planner.parts().check_steps(&plan.feet, plan.footsteps(), 0).unwrap();
        assert_eq!(again, plan.steps, "{}", case.name);
        let sum: f64 = plan.steps.iter().map(|step| step.cost).sum();
        assert!((sum - plan.cost).abs() < 1e-9 && plan.bound >= 1.0, "{}", case.name);
    }
}

#[test]
fn soles_and_swings_keep_out_of_the_true_ground() {
    for case in cases() {
        let (_, plan) = case.plan(0.02);
        assert!(plan.is_to_goal(), "{}: {:?}", case.name, plan.outcome);
        // a foot is level with most of the ground, and rough ground is rough under it
        let bump = if case.name.starts_with("rough") { 0.035 } else { 0.021 };
        assert_free(&case, &plan, bump);
    }
}

#[test]
fn the_same_question_has_the_same_answer_in_pieces_or_at_once() {
    for case in cases().into_iter().take(6) {
        let planner = case.planner(0.04, &settings());
        let (at_once, mut planning) = (planner.plan(&case.query()), planner.begin(&case.query()));
        while planning.expansions() < settings().search.expansions && planning.advance(7) {}
        let mut pieces = planning.plan();
        // the last piece may reach beyond
        pieces.expansions = at_once.expansions.min(pieces.expansions);
        let bits = |plan: &FootstepPlan| -> Vec<u64> {
            plan.steps
                .iter()
                .flat_map(|step| step.foot.position.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
                .collect()
        };
        assert_eq!(bits(&pieces), bits(&at_once), "{}", case.name);
    }
}

#[test]
fn a_plan_comes_when_a_deadline_task_has_promised_it() {
    let case = &cases()[0];
    let (planner, query) = (case.planner(0.04, &settings()), case.query());
    let expected = planner.plan(&query);
    let (mut board, mut task) = (InlineBoard::default(), DeadlineTask::<FootstepPlan>::new("footsteps", 400));
    board.begin(10);
    assert!(task.release(&mut board, move || planner.plan(&query)));
    board.begin(409);
    assert_eq!(task.collect(&mut board), None);
    board.begin(410);
    assert_eq!(task.collect(&mut board), Some(expected));
}

#[test]
fn a_plan_never_gets_worse_and_its_bound_never_looser() {
    let case = &cases()[0];
    let planner = case.planner(0.04, &settings());
    let mut planning = planner.begin(&case.query());
    let (mut cost, mut bound, mut better) = (f64::INFINITY, f64::INFINITY, 0);
    let mut goes_on = true;
    while goes_on {
        goes_on = planning.advance(20);
        let plan = planning.plan();
        if plan.is_to_goal() {
            assert!(plan.cost <= cost + 1e-9 && plan.bound <= bound + 1e-9, "{} after {cost}", plan.cost);
            better += usize::from(plan.cost < cost);
            (cost, bound) = (plan.cost, plan.bound);
        }
    }
    assert!(planning.is_done() && planning.plan().bound == 1.0 && better > 1, "{bound}, {better} times better");
}

#[test]
fn twenty_steps_on_level_ground_are_a_straight_walk() {
    let case = &cases()[0];
    let plan = case.planner(0.04, &settings()).plan(&case.query());
    assert!((18..=26).contains(&plan.steps.len()), "{}", plan.steps.len());
    assert_eq!(plan.bound, 1.0, "the best way is known");
    for step in &plan.steps {
        let off = step.foot.position.y - 0.14 * step.foot.side.sign();
        assert!(off.abs() < 1e-6 && step.foot.yaw.abs() < 1e-9, "{:?}", step.foot);
        assert!((step.support, step.unseen, step.clearance) == (1.0, 0.0, 0.06), "{step:?}");
    }
}

#[test]
fn each_foot_stands_on_one_tread_and_most_of_it_is_carried() {
    let case = cases().into_iter().find(|case| case.name == "five stairs of 18.5 cm up").unwrap();
    let (_, plan) = case.plan(0.02);
    let mut treads: Vec<i64> = Vec::new();
    for step in &plan.steps {
        let tread = step.foot.position.z / 0.185;
        assert!((tread - tread.round()).abs() < 0.01 && step.foot.normal.z > 0.999, "{:?}", step.foot);
        assert!(step.support >= 0.8, "{step:?}");
        treads.push(tread.round() as i64);
    }
    treads.dedup();
    assert_eq!(treads, [1, 2, 3, 4, 5], "one stair with each step");
}

#[test]
fn feet_are_lifted_over_hurdles_and_never_set_on_them() {
    let case = cases().into_iter().find(|case| case.name == "three hurdles of 10 cm").unwrap();
    let (_, plan) = case.plan(0.02);
    assert!(plan.steps.iter().all(|step| step.foot.position.z.abs() < 0.001));
    let high = plan.steps.iter().filter(|step| step.clearance >= 0.11).count();
    assert!((6..=8).contains(&high), "each foot is lifted over each hurdle: {high}");
    assert!(plan.clearance() <= settings().collision.clearance);
}

#[test]
fn stones_are_met() {
    let case = cases().into_iter().find(|case| case.name == "stepping stones").unwrap();
    let (_, plan) = case.plan(0.02);
    let on_stones = plan.steps.iter().filter(|step| (0.5..7.5).contains(&step.foot.position.x));
    assert!(on_stones.clone().count() >= 15);
    for step in on_stones {
        assert!(grounds::stones(step.foot.position.x, step.foot.position.y) > -0.1, "{:?}", step.foot);
    }
}

#[test]
fn what_cannot_be_reached_is_told_with_what_stopped_it() {
    let mut ditch = Case::new("ditch", 4.0, |x, _| if (1.5..2.9).contains(&x) { -1.0 } else { 0.0 });
    (ditch.low, ditch.high) = ([-0.4, -0.6], [4.6, 0.6]);
    let mut settings = settings();
    (settings.search.expansions, settings.search.spacing, settings.search.headings) = (20_000, 0.09, 8);
    let plan = ditch.planner(0.04, &settings).plan(&ditch.query());
    let Outcome::Unreached { nearest, refusal, exhausted, .. } = plan.outcome else { panic!("{:?}", plan.outcome) };
    assert!(exhausted && plan.steps.is_empty());
    assert!((1.0..1.5).contains(&nearest.x), "{nearest:?}");
    assert!([Reason::Upward, Reason::Tilt, Reason::Support, Reason::Quarter].contains(&refusal.reason), "{refusal}");

    let high = Case::new("table", 3.0, |x, _| if x > 2.0 { 0.6 } else { 0.0 });
    let plan = high.planner(0.04, &settings).plan(&high.query());
    let Outcome::Unreached { nearest, .. } = plan.outcome else { panic!("{:?}", plan.outcome) };
    assert!(nearest.x < 2.0, "{nearest:?}");
}

#[test]
fn a_goal_where_no_foot_can_stand_is_refused_with_the_foot() {
    let edge = Case::new("edge", 3.0, |x, y| if x > 2.0 && y > 0.14 { -0.5 } else { 0.0 });
    let (_, plan) = edge.plan(0.04);
    let Outcome::GoalRefused { side, refusal } = plan.outcome else { panic!("{:?}", plan.outcome) };
    assert_eq!(side, Side::Left);
    assert!([Reason::Support, Reason::Quarter, Reason::Tilt].contains(&refusal.reason), "{refusal}");
    let nowhere = Query { goal: Pose2 { x: 50.0, y: 0.0, yaw: 0.0 }, ..edge.query() };
    let plan = edge.planner(0.04, &settings()).plan(&nowhere);
    assert!(matches!(plan.outcome, Outcome::GoalRefused { refusal, .. } if refusal.reason == Reason::NoGround));
}

#[test]
fn feet_that_stand_nowhere_are_refused() {
    let case = &cases()[0];
    let planner = case.planner(0.04, &settings());
    let with = |change: fn(&mut Query)| {
        let mut query = case.query();
        change(&mut query);
        match planner.plan(&query).outcome {
            Outcome::FeetRefused { side, refusal } => (side, refusal.reason, refusal.to_string()),
            other => panic!("{other:?}"),
        }
    };
    let (side, reason, text) = with(|query| query.feet[0].position.x = 1e12);
    assert_eq!((side, reason), (Side::Left, Reason::Far), "{text}");
    assert!(text.starts_with("from the foot to the goal [m]: expected 0 to 1000, found"), "{text}");
    assert_eq!(with(|query| query.feet[1].yaw = f64::NAN).1, Reason::Far);
    assert_eq!(with(|query| query.goal.x = f64::INFINITY).1, Reason::Far);
    assert_eq!(with(|query| query.feet.swap(0, 1)).1, Reason::Side);
    assert_eq!(with(|query| query.feet[1].normal = nalgebra::Vector3::x()).1, Reason::Tilt);
    assert_eq!(with(|query| query.feet[1].normal = nalgebra::Vector3::zeros()).1, Reason::Tilt);
}

#[test]
fn who_stands_at_the_goal_takes_no_step() {
    let case = &cases()[0];
    let here = Query { goal: Pose2::default(), ..case.query() };
    let plan = case.planner(0.04, &settings()).plan(&here);
    assert_eq!((plan.outcome, plan.steps.len(), plan.cost), (Outcome::ToGoal, 0, 0.0));
}

#[test]
fn nobody_steps_on_ground_that_nobody_knows_unless_the_settings_say_so() {
    let strip =
        |wide: f64| Case::new("unknown", 4.0, move |x, _| if (1.5..1.5 + wide).contains(&x) { f64::NAN } else { 0.0 });
    let over = strip(0.25).plan(0.04).1;
    assert!(
        over.is_to_goal() && over.steps.iter().all(|step| step.unseen <= 0.1),
        "a step leads over it: {:?}",
        over.outcome
    );
    let wide = strip(1.2);
    assert!(matches!(wide.plan(0.04).1.outcome, Outcome::Unreached { .. }));
    let mut settings = settings();
    settings.terrain.assume = 0.7;
    let map = map(&wide.ground, wide.low, wide.high, 0.04);
    let terrain = HeightTerrain::from_map(&map, &settings.terrain).unwrap();
    let plan = Planner::new(Arc::new(terrain), &settings).unwrap().plan(&wide.query());
    assert!(plan.is_to_goal(), "{:?}", plan.outcome);
    let unseen = plan.steps.iter().filter(|step| step.unseen > 0.9).count();
    assert!((1..=4).contains(&unseen), "it says where it has not seen the ground: {unseen}");
}

#[test]
fn maps_that_are_no_ground_are_refused_by_name() {
    let flat = |_: f64, _: f64| 0.0;
    let refused = |map| HeightTerrain::from_map(&map, &TerrainSettings::default()).unwrap_err().to_string();
    let coarse = map(&flat, [0.0; 2], [1.0; 2], 0.1);
    assert_eq!(refused(coarse), "terrain: cell [m]: expected more than 0, at most 0.08, found 0.1");
    let mut short = map(&flat, [0.0; 2], [1.0; 2], 0.05);
    short.heights.pop();
    assert_eq!(refused(short), "terrain: heights: expected 20 × 20 = 400, found 399");
    let mut high = map(&flat, [0.0; 2], [1.0; 2], 0.05);
    high.heights[7] = f64::INFINITY;
    assert_eq!(refused(high), "terrain: heights [m]: expected finite, or not-a-number where unknown, found inf");
    let empty =
        HeightTerrain::from_map(&robot_io::HeightMap { cell: 0.04, ..Default::default() }, &TerrainSettings::default());
    let planner = Planner::new(Arc::new(empty.unwrap()), &settings()).unwrap();
    let query = Query { feet: feet(&flat), first: None, goal: Pose2 { x: 1.0, ..Pose2::default() } };
    assert!(matches!(planner.plan(&query).outcome, Outcome::GoalRefused { .. }), "on no ground nobody walks");
}

#[test]
fn a_setting_out_of_bounds_is_refused_by_name() {
    let mut wrong = settings();
    wrong.search.spacing = 0.0;
    let terrain = Arc::new(cases()[0].terrain(0.04));
    let error = Planner::new(terrain, &wrong).unwrap_err().to_string();
    assert!(error.contains("spacing [m]") && error.contains("found 0"), "{error}");
    assert!(robot_io::Settings::check(&FootstepSettings::default()).is_ok());
}
