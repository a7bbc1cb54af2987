use super::*;

fn question(movers: Movers) -> Question {
    let pose = |x: f64, y: f64| Pose2 { x, y, yaw: 0.0 };
    Question {
        start: Start::default(),
        outer: 0.5,
        inner: 0.4,
        movers,
        map: Sealed::default(),
        trail: Path { poses: (0..150).map(|step| pose(-0.1 * f64::from(step), 0.0)).collect() },
        way: Path { poses: vec![pose(0.0, 0.0), pose(4.0, 0.0)] },
        speed: 0.4,
        present: None,
        gives_way: false,
        settings: GivingWaySettings::default(),
    }
}

#[test]
fn what_passes_far_away_or_leaves_is_let_pass() {
    for (place, velocity) in [([5.0, 6.0], [-1.0, 0.0]), ([2.0, 0.0], [1.0, 0.0]), ([-3.0, 0.0], [-1.0, 0.0])] {
        let answer = question(Movers::one(place, velocity, 0.45)).answer();
        assert_eq!((answer.advice, answer.met_in), (Advice::GoOn, f64::INFINITY), "{place:?}");
    }
}

#[test]
fn it_stands_for_what_crosses_ahead() {
    let answer = question(Movers::one([2.0, -3.0], [0.0, 0.8], 0.45)).answer();
    assert_eq!(answer.advice, Advice::Stand);
    assert!((2.0..5.0).contains(&answer.met_in), "{answer:?}");
}

#[test]
fn before_what_would_pass_closely_it_goes_back_a_little() {
    // to stand would do if the thing kept its course to the end
    let answer = question(Movers::one([1.55, -3.0], [0.0, 0.8], 0.45)).answer();
    let end = answer.path.poses.last().copied().unwrap_or_default();
    assert!(answer.advice == Advice::Leave && (-2.0..-0.4).contains(&end.x), "{answer:?}");
}

#[test]
fn out_of_the_way_and_with_no_way_to_go_on_it_keeps_clear_until_the_thing_has_passed() {
    // it would pass at 0.6 m, if it kept its course
    let aside = Question {
        trail: Path::default(),
        way: Path { poses: vec![Pose2::default()] },
        gives_way: true,
        ..question(Movers::one([4.0, 1.6], [-1.0, 0.0], 0.45))
    };
    assert_ne!(aside.answer().advice, Advice::GoOn);
    assert_eq!(Question { gives_way: false, ..aside.clone() }.answer().advice, Advice::GoOn, "it stands there anyway");
    let passed = Question { movers: Movers::one([-1.9, 1.6], [-1.0, 0.0], 0.45), ..aside };
    assert_eq!(passed.answer().advice, Advice::GoOn);
}

#[test]
fn a_way_out_is_not_broken_off_for_a_way_on_that_is_clear_only_for_a_while() {
    // going on, it would be met after more than the six seconds that it looks ahead
    let goes_on = question(Movers::one([10.5, 0.0], [-1.0, 0.0], 0.45));
    assert_eq!(goes_on.answer().advice, Advice::GoOn);
    let present = Path { poses: vec![Pose2::default(), Pose2 { x: -6.0, y: 0.0, yaw: 0.0 }] };
    let leaves = Question { present: Some(present), gives_way: true, ..goes_on };
    assert_eq!(leaves.answer().advice, Advice::Leave);
    let passed = Question { movers: Movers::one([-3.0, 0.0], [-1.0, 0.0], 0.45), ..leaves };
    assert_eq!(passed.answer().advice, Advice::GoOn);
}

#[test]
fn in_a_lane_it_goes_back_along_the_trail_before_what_comes() {
    // nothing is known beside the trail
    for speed in [0.5, 0.8, 1.0] {
        let answer = question(Movers::one([5.0, 0.0], [-speed, 0.0], 0.45)).answer();
        assert_eq!(answer.advice, Advice::Leave, "{speed}");
        let end = answer.path.poses.last().copied().unwrap_or_default();
        // as far as the thing comes in ten seconds, less where it begins
        assert!(end.x <= 5.0 - 10.0 * speed && end.x < -1.5 && end.y.abs() < 0.1, "{speed}: {end:?}");
    }
}

#[test]
fn before_nobody_can_get_away_it_still_goes_back() {
    let question = Question { start: Start::default(), ..question(Movers::one([1.6, 0.0], [-1.0, 0.0], 0.45)) };
    let answer = question.answer();
    assert!(answer.advice == Advice::Leave && answer.met_in < 2.0, "{answer:?}");
    assert!(answer.path.poses.last().is_some_and(|end| end.x < -1.0), "{:?}", answer.path.poses.last());
}

#[test]
fn it_does_not_cross_the_lane_of_what_has_just_come_to_rest() {
    let beside = Movers::one_at_rest([2.0, 1.8], [0.0, 0.4], 0.45);
    let answer = question(beside.clone()).answer();
    assert!(answer.advice == Advice::Stand && answer.met_in > 1.0, "{answer:?}");
    let along = Movers::one_at_rest([2.0, 1.8], [0.4, 0.0], 0.45);
    assert_eq!(question(along).answer().advice, Advice::GoOn, "its lane lies beside the way");
    let far = Movers::one_at_rest([2.0, 5.0], [0.0, 0.4], 0.45);
    assert_eq!(question(far).answer().advice, Advice::GoOn, "it could not be there in time");
}

#[test]
fn in_the_lane_of_what_has_come_to_rest_it_does_not_stay() {
    let lane = Movers::one_at_rest([0.0, 1.4], [0.0, 0.4], 0.45);
    let answer = question(lane).answer();
    assert_eq!(answer.advice, Advice::Leave, "{answer:?}");
}

#[test]
fn what_is_too_near_to_be_avoided_is_not_driven_at() {
    // it comes from aside across the way ahead, and the robot still rolls
    for (x, y) in [(1.0, 0.9), (1.1, 0.5), (1.2, 0.4), (1.3, 0.7)] {
        let start = Start { velocity: [0.3, 0.0], ..Start::default() };
        let answer = Question { start, ..question(Movers::one([x, y], [0.0, -0.43], 0.48)) }.answer();
        let end = answer.path.poses.last().copied().unwrap_or_default();
        assert!(answer.advice != Advice::GoOn && end.x <= 0.0, "({x}, {y}): {answer:?}");
    }
}

#[test]
fn the_last_centimetres_onto_a_way_are_no_turn() {
    // it drives away from what follows it as fast; the way lies 8 cm to its left
    let start = Start { velocity: [-0.8, 0.0], rolls: core::f64::consts::PI, ..Start::default() };
    let follows = Question { start, ..question(Movers::one([3.0, 0.0], [-0.8, 0.0], 0.45)) };
    let way = |points: &[[f64; 2]]| follows.try_way(points.to_vec(), None, 0.85, 0.0).trial.met_in;
    assert_eq!(way(&[[0.0, 0.0], [-0.06, 0.08], [-0.4, 0.08], [-9.0, 0.08]]), f64::INFINITY);
    assert!(way(&[[0.0, 0.0], [-0.5, 0.7], [-7.0, 5.0]]) < 10.0, "to turn it has to stop");
}
