//! A plan is a way, a way is gone along within limits, and what is checked is what is gone.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use manipulation::{
    Checker, CollisionModel, CollisionSettings, JointPath, JointStates, MotionLimits, PathSettings, PlanError, Planner,
    PlannerSettings, Scene, Stop, Touching, Trajectory,
};
use nalgebra::Isometry3;
use proptest::prelude::*;
use robot_model::RobotModel;
use support::{Random, block, joints, model, robot, standing, table};

fn checker(robot: &RobotModel, model: &CollisionModel, limbs: &[&str], scene: &Scene) -> Checker {
    Checker::new(model, scene, &Isometry3::identity(), &joints(robot, limbs), &standing(robot)).unwrap()
}

fn free(checker: &mut Checker, random: &mut Random) -> Vec<f64> {
    let limits = checker.limits().to_vec();
    loop {
        let positions = random.within(&limits);
        if checker.hit(&positions).unwrap().is_none() {
            return positions;
        }
    }
}

fn limits(dof: usize, velocity: f64, acceleration: f64, jerk: f64) -> MotionLimits {
    MotionLimits { velocity: vec![velocity; dof], acceleration: vec![acceleration; dof], jerk: vec![jerk; dof] }
}

#[test]
fn a_plan_leads_from_start_to_goal_around_what_is_in_the_way_and_is_gone_without_a_touch() {
    for (name, limbs, top) in [
        ("centaur", &["left_arm"][..], 0.1),
        ("centaur", &["spine", "left_arm", "right_arm"], 0.1),
        ("humanoid", &["waist", "left_arm", "right_arm"], 0.0),
    ] {
        let robot = robot(name);
        let (model, scene) = (model(&robot), table(0.4, top));
        let mut checker = checker(&robot, &model, limbs, &scene);
        // between two looks the margin may be used up, but no more
        let bare = CollisionSettings { margin: 1e-4, ..CollisionSettings::default() };
        let bare = CollisionModel::new(&robot, &standing(&robot), bare, |_| None).unwrap();
        let mut touches = self::checker(&robot, &bare, limbs, &scene);
        let (mut planner, mut random) = (Planner::new(PlannerSettings::default()).unwrap(), Random(3));
        let limits = MotionLimits::of_joints(&robot.tree, checker.joints(), 0.5, 0.3).unwrap();
        let mut around = 0;
        while around < 8 {
            let (start, goal) = (free(&mut checker, &mut random), free(&mut checker, &mut random));
            let plan = planner.plan(&mut checker, &start, &[&goal]).unwrap();
            assert_eq!((plan.waypoints.first(), plan.waypoints.last()), (Some(&start), Some(&goal)));
            around += usize::from(plan.waypoints.len() > 2);
            let stops = vec![false; plan.waypoints.len()];
            let path =
                JointPath::through(&plan.waypoints, &stops, &PathSettings::default(), Some(&mut checker)).unwrap();
            assert_eq!(path.collision(&mut checker, None).unwrap(), None, "{name}: the way of a plan is free");
            let trajectory = Trajectory::new(path, &limits).unwrap();
            let mut states = JointStates::new(start.len());
            let mut time = 0.0;
            while time < trajectory.duration() {
                trajectory.at(time, &mut states).unwrap();
                assert_eq!(touches.hit(&states.positions).unwrap(), None, "{name} at {time} s");
                time += 0.02;
            }
            trajectory.at(trajectory.duration(), &mut states).unwrap();
            let gap = states.positions.iter().zip(&goal).map(|(one, two)| (one - two).abs()).fold(0.0, f64::max);
            assert!(gap < 1e-9, "{gap} from the goal");
        }
    }
}

proptest! {
    #[test]
    fn every_joint_keeps_its_limits_and_all_arrive_together(
        corners in prop::collection::vec(prop::array::uniform4(-2.0..2.0f64), 2..7),
        stops in prop::collection::vec(any::<bool>(), 7),
        velocity in prop::array::uniform4(0.3..3.0f64), acceleration in prop::array::uniform4(1.0..10.0f64),
        jerk in prop::array::uniform4(10.0..200.0f64),
    ) {
        let corners: Vec<Vec<f64>> = corners.iter().map(|corner| corner.to_vec()).collect();
        let path = JointPath::through(&corners, &stops[..corners.len()], &PathSettings::default(), None).unwrap();
        let limits = MotionLimits { velocity: velocity.into(), acceleration: acceleration.into(), jerk: jerk.into() };
        let trajectory = Trajectory::new(path, &limits).unwrap();
        let (mut states, mut before) = (JointStates::new(4), JointStates::new(4));
        let step = 1e-3;
        trajectory.at(0.0, &mut before).unwrap();
        prop_assert!(before.velocities.iter().all(|velocity| *velocity == 0.0));
        let mut time = step;
        while time < trajectory.duration() + step {
            trajectory.at(time, &mut states).unwrap();
            for joint in 0..4 {
                prop_assert!(states.velocities[joint].abs() <= velocity[joint] * (1.0 + 1e-9));
                prop_assert!(states.accelerations[joint].abs() <= acceleration[joint] * (1.0 + 1e-6));
                let jerked = (states.accelerations[joint] - before.accelerations[joint]).abs() / step;
                prop_assert!(jerked <= jerk[joint] * (1.0 + 1e-6) + 1e-6, "joint {} jerks by {} at {}", joint, jerked, time);
                let moved = states.positions[joint] - before.positions[joint];
                let fast = 0.5 * (states.velocities[joint] + before.velocities[joint]);
                prop_assert!((moved - fast * step).abs() < 1e-7, "joint {} hops at {}", joint, time);
            }
            core::mem::swap(&mut states, &mut before);
            time += step;
        }
        trajectory.at(trajectory.duration(), &mut states).unwrap();
        for (position, goal) in states.positions.iter().zip(&corners[corners.len() - 1]) {
            prop_assert!((position - goal).abs() < 1e-9);
        }
        prop_assert!(states.velocities.iter().all(|velocity| velocity.abs() < 1e-6), "{:?}", states.velocities);
    }
}

#[test]
fn a_single_joint_goes_as_fast_as_its_limits_allow() {
    // 1 rad at 1 rad/s, 4 rad/s² and 40 rad/s³: 1 s, and 0.35 s until it is fast and again until it rests
    let path = JointPath::through(&[vec![0.0], vec![1.0]], &[false; 2], &PathSettings::default(), None).unwrap();
    let trajectory = Trajectory::new(path, &limits(1, 1.0, 4.0, 40.0)).unwrap();
    assert!((trajectory.duration() - 1.35).abs() < 1e-9, "{}", trajectory.duration());
}

#[test]
fn a_corner_is_rounded_unless_everything_is_to_stop_there() {
    let corners = [vec![0.0, 0.0], vec![1.0, 0.0], vec![1.0, 1.0]];
    let make =
        |stops: bool| JointPath::through(&corners, &[false, stops, false], &PathSettings::default(), None).unwrap();
    let limits = limits(2, 1.0, 4.0, 40.0);
    let [through, stopping] = [false, true].map(|stops| Trajectory::new(make(stops), &limits).unwrap());
    assert!(through.duration() < stopping.duration() - 0.2, "{} and {}", through.duration(), stopping.duration());
    assert_eq!((make(false).stops().count(), make(true).stops().collect::<Vec<_>>()), (0, vec![1.0]));
    let mut nearest = f64::INFINITY;
    let mut states = JointStates::new(2);
    for look in 0..1000 {
        through.at(f64::from(look) * 1e-3 * through.duration(), &mut states).unwrap();
        nearest = nearest.min(libm::hypot(states.positions[0] - 1.0, states.positions[1]));
    }
    assert!(nearest > 0.01 && nearest < 0.1 + 1e-3, "{nearest} from the corner");
}

#[test]
fn a_stop_comes_to_rest_on_the_way() {
    let corners = [vec![0.0, 0.0], vec![1.0, 0.3], vec![1.5, -1.0]];
    let path = JointPath::through(&corners, &[false; 3], &PathSettings::default(), None).unwrap();
    let limits = limits(2, 1.0, 4.0, 40.0);
    let trajectory = Trajectory::new(path, &limits).unwrap();
    for begins in [0.05, 0.6, 1.3, trajectory.duration()] {
        let stop = Stop::new(&trajectory, &limits, begins).unwrap();
        let (mut states, mut before) = (JointStates::new(2), JointStates::new(2));
        trajectory.at(begins, &mut before).unwrap();
        let looks = 2000;
        for look in 1..=looks {
            let since = stop.lasts() * f64::from(look) / f64::from(looks);
            stop.at(&trajectory, since, &mut states).unwrap();
            let step = stop.lasts() / f64::from(looks);
            for joint in 0..2 {
                let fast = (states.positions[joint] - before.positions[joint]) / step;
                assert!((fast - 0.5 * (states.velocities[joint] + before.velocities[joint])).abs() < 1e-4);
                assert!(states.accelerations[joint].abs() < 2.0 * 4.0 + 1e-6, "{:?}", states.accelerations);
            }
            core::mem::swap(&mut states, &mut before);
        }
        assert!(before.velocities.iter().all(|velocity| velocity.abs() < 1e-9), "{before:?}");
        trajectory.at(stop.ends(), &mut states).unwrap();
        let gap =
            states.positions.iter().zip(&before.positions).map(|(one, two)| (one - two).abs()).fold(0.0, f64::max);
        assert!(gap < 1e-9, "{gap} from the way");
    }
}

#[test]
fn what_comes_into_the_way_is_seen_ahead_and_what_is_behind_is_not() {
    let robot = robot("centaur");
    let model = model(&robot);
    let mut empty = checker(&robot, &model, &["left_arm"], &Scene::default());
    let start: Vec<f64> = empty.joints().iter().map(|joint| standing(&robot)[*joint]).collect();
    let mut goal = start.clone();
    goal[0] = -2.2;
    let path = JointPath::through(&[start.clone(), goal], &[false; 2], &PathSettings::default(), None).unwrap();
    let limits = MotionLimits::of_joints(&robot.tree, empty.joints(), 0.3, 0.3).unwrap();
    let trajectory = Trajectory::new(path, &limits).unwrap();
    let end = trajectory.duration();
    assert_eq!(trajectory.collision_ahead(&mut empty, [0.0, end], &start).unwrap(), None);

    // a box where the hand comes to half way
    let chain = support::chain(&robot, "base_link", "left");
    let mut states = JointStates::new(start.len());
    trajectory.at(0.5 * end, &mut states).unwrap();
    let mut all = standing(&robot);
    empty.joints().iter().zip(&states.positions).for_each(|(joint, position)| all[*joint] = *position);
    let hand = chain.forward(&chain.of_all(&all).unwrap()).unwrap().translation.vector;
    let mut scene = Scene::default();
    scene.add(block("box", [0.05; 3], hand.into())).unwrap();
    let mut seen = checker(&robot, &model, &["left_arm"], &scene);
    let hit = trajectory.collision_ahead(&mut seen, [0.0, end], &start).unwrap().unwrap();
    assert_eq!(hit.hit.other, Touching::Object(0));
    assert_eq!(
        trajectory.collision_ahead(&mut seen, [0.0, 0.2 * end], &start).unwrap(),
        None,
        "it is not that near yet"
    );
    trajectory.at(end, &mut states).unwrap();
    let behind = trajectory.collision_ahead(&mut seen, [end, 1.0], &states.positions).unwrap();
    assert_eq!(behind, None, "it is behind");
    // a hand that hangs back where the box is now
    trajectory.at(0.5 * end, &mut states).unwrap();
    let met = trajectory.collision_ahead(&mut seen, [end, 1.0], &states.positions).unwrap();
    assert!(met.is_some(), "where the joints really are counts");
}

#[test]
fn why_there_is_no_plan_is_told() {
    let robot = robot("centaur");
    let (model, scene) = (model(&robot), Scene::default());
    let settings = PlannerSettings { most_iterations: 50, ..PlannerSettings::default() };
    let mut planner = Planner::new(settings).unwrap();
    let mut open = checker(&robot, &model, &["left_arm"], &scene);
    let start: Vec<f64> = open.joints().iter().map(|joint| standing(&robot)[*joint]).collect();
    let (limits, mut random) = (open.limits().to_vec(), Random(1));
    let mut folded = start.clone();
    while open.hit(&folded).unwrap().is_none() {
        folded = random.within(&limits);
    }
    assert!(matches!(planner.plan(&mut open, &start, &[&folded]), Err(PlanError::Goal(_))), "the arm is in itself");
    assert!(matches!(planner.plan(&mut open, &folded, &[&start]), Err(PlanError::Start(_))));
    assert_eq!(planner.plan(&mut open, &start, &[]), Err(PlanError::NoGoal));
    let mut far = start.clone();
    far[1] = 4.0;
    let refused = planner.plan(&mut open, &start, &[&far]).unwrap_err().to_string();
    assert!(refused.starts_with("joint 1 of the group: expected a position from -0.3 to 2.9"), "{refused}");
    let plan = planner.plan(&mut open, &start, &[&folded, &start]).unwrap();
    assert_eq!(plan.goal, 1, "a goal that is not free is left out");
}

#[test]
fn a_search_for_a_way_that_is_not_there_ends() {
    let text = r#"<robot name="pointer"><link name="base_link"/>
        <link name="arm_link"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.05 0.05"/></geometry></collision></link>
        <joint name="turn" type="revolute"><parent link="base_link"/><child link="arm_link"/><axis xyz="0 0 1"/>
        <limit lower="-1.5" upper="1.5" effort="1" velocity="1"/></joint></robot>"#;
    let source = robot_model::Source { name: "pointer.urdf".to_owned(), bytes: text.as_bytes().into() };
    let robot = RobotModel::from_urdf(source).unwrap();
    let model = CollisionModel::new(&robot, &[0.0], CollisionSettings::default(), |_| None).unwrap();
    let mut scene = Scene::default();
    scene.add(block("post", [0.1; 3], [0.8, 0.0, 0.0])).unwrap();
    let mut checker = Checker::new(&model, &scene, &Isometry3::identity(), &[0], &[0.0]).unwrap();
    let settings = PlannerSettings { most_iterations: 200, ..PlannerSettings::default() };
    let mut planner = Planner::new(settings).unwrap();
    match planner.plan(&mut checker, &[-1.0], &[&[1.0]]) {
        Err(PlanError::NotFound { iterations, nodes }) => assert!(iterations == 200 && nodes >= 2, "{nodes}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(planner.plan(&mut checker, &[-1.0], &[&[1.0], &[-0.5]]).unwrap().goal, 1);
}

#[test]
fn a_way_to_where_one_is_takes_no_time() {
    let here = vec![0.3, -0.2];
    let path = JointPath::through(&[here.clone(), here.clone()], &[false; 2], &PathSettings::default(), None).unwrap();
    let limits = limits(2, 1.0, 4.0, 40.0);
    let trajectory = Trajectory::new(path, &limits).unwrap();
    let mut states = JointStates::new(2);
    trajectory.at(1.0, &mut states).unwrap();
    assert_eq!((trajectory.duration(), &states.positions, states.velocities[0]), (0.0, &here, 0.0));
    let stop = Stop::new(&trajectory, &limits, 0.0).unwrap();
    stop.at(&trajectory, 0.1, &mut states).unwrap();
    assert_eq!(states.positions, here);
    let there_and_back = [here.clone(), vec![1.0, 0.0], here.clone()];
    let path = JointPath::through(&there_and_back, &[false; 3], &PathSettings::default(), None).unwrap();
    let trajectory = Trajectory::new(path, &limits).unwrap();
    trajectory.at(trajectory.duration(), &mut states).unwrap();
    assert!((states.positions[0] - 0.3).abs() < 1e-9 && trajectory.duration() > 1.0);
}
