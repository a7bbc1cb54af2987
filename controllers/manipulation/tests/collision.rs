//! What is called free is free, by exact shapes and the model's own kinematics; what is not is near; roles change what counts.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use manipulation::{Checker, Cloud, CollisionModel, Held, Hit, Object, Role, Scene, Solid, Surroundings, Touching};
use nalgebra::{Isometry3, Vector3};
use robot_io::HeightMap;
use robot_model::{Configuration, Data, RobotModel, forward_kinematics};
use support::{Random, block, joints, model, robot, standing, table};

/// Points on the surface of a solid, in its frame.
fn surface(solid: &Solid) -> Vec<Vector3<f64>> {
    let half = solid.half_extents();
    let steps = 6;
    let mut points = Vec::new();
    for [x, y, z] in (0..=steps).flat_map(|x| (0..=steps).flat_map(move |y| (0..=steps).map(move |z| [x, y, z]))) {
        let point = Vector3::new(f64::from(x), f64::from(y), f64::from(z)) * (2.0 / f64::from(steps));
        let point = (point - Vector3::repeat(1.0)).component_mul(&half);
        if solid.distance(&point) <= 1e-9 {
            points.push(point);
        }
    }
    points
}

/// The least distance of points of what moves from the solids from which it is kept apart [m]: never less than the exact one,
/// and more by less than the points are apart.
fn distance(robot: &RobotModel, model: &CollisionModel, checker: &Checker, scene: &Scene, joints: &[f64]) -> f64 {
    let mut configuration = Configuration::zero(&robot.tree);
    configuration.joints.copy_from_slice(joints);
    let mut data = Data::new(&robot.tree);
    forward_kinematics(&robot.tree, &configuration, &mut data);
    let moves = |link: usize| {
        let mut at = Some(link);
        while let Some(link) = at {
            if let robot_model::Motion::Joint(joint) = robot.tree.links[link].motion
                && checker.joints().contains(&joint)
            {
                return true;
            }
            at = robot.tree.links[link].parent;
        }
        false
    };
    let is_excluded = |one: usize, two: usize| {
        checker.excluded().iter().any(|pair| [(one, two), (two, one)].contains(&(pair.one, pair.two)))
    };
    let mut least = f64::INFINITY;
    for one in (0..robot.tree.links.len()).filter(|link| moves(*link)) {
        for placed in model.solids(one) {
            for point in surface(&placed.solid) {
                let at = data.link_in_world[one] * placed.pose * nalgebra::Point3::from(point);
                for other in (0..robot.tree.links.len()).filter(|other| model.keeps_apart(one, *other)) {
                    // links of one body with regard to the joints that move are one
                    if is_excluded(one, other) || (moves(other) && same_body(robot, checker, one, other)) {
                        continue;
                    }
                    let in_other = (data.link_in_world[other].inverse() * at).coords;
                    least = model.solids(other).iter().map(|solid| solid.distance(&in_other)).fold(least, f64::min);
                }
                for object in scene.objects() {
                    let in_object = (object.pose.inverse() * at).coords;
                    least = least.min(object.solid.distance(&in_object));
                }
            }
        }
    }
    least
}

fn same_body(robot: &RobotModel, checker: &Checker, one: usize, other: usize) -> bool {
    let carrier = |mut link: usize| {
        loop {
            match robot.tree.links[link].motion {
                robot_model::Motion::Joint(joint) if checker.joints().contains(&joint) => return Some(link),
                _ => link = robot.tree.links[link].parent?,
            }
        }
    };
    carrier(one) == carrier(other)
}

#[test]
fn what_is_free_has_its_margin_and_what_is_not_is_near_something() {
    let cases: [(&str, &[&str], f64); 4] = [
        ("centaur", &["left_arm"], 0.1),
        ("centaur", &["spine", "left_arm", "right_arm"], 0.1),
        ("humanoid", &["right_arm"], 0.0),
        ("humanoid", &["waist", "left_arm", "right_arm"], 0.0),
    ];
    for (name, limbs, top) in cases {
        let (robot, scene) = (robot(name), table(0.4, top));
        let (model, stand, group) = (model(&robot), standing(&robot), joints(&robot, limbs));
        let mut checker = Checker::new(&model, &scene, &Isometry3::identity(), &group, &stand).unwrap();
        let rests: Vec<f64> = group.iter().map(|joint| stand[*joint]).collect();
        let mut alone = Checker::new(&model, &Scene::default(), &Isometry3::identity(), &group, &stand).unwrap();
        assert_eq!(alone.hit(&rests).unwrap(), None, "{name} {limbs:?}: where it stands it is free");
        assert!(checker.excluded().is_empty(), "{name} {limbs:?}: {:?}", checker.excluded());
        let (limits, mut random) = (checker.limits().to_vec(), Random(9));
        let (mut free, mut far) = (0, 0);
        for _ in 0..30 {
            let positions = random.within(&limits);
            let mut all = stand.clone();
            group.iter().zip(&positions).for_each(|(joint, position)| all[*joint] = *position);
            let distance = distance(&robot, &model, &checker, &scene, &all);
            let settings = model.settings();
            match checker.hit(&positions).unwrap() {
                None => {
                    free += 1;
                    assert!(distance > settings.margin, "{name} {limbs:?}: free, but {distance} m away");
                }
                // the sphere's excess, margins of both, and how coarse the points of the measure are
                Some(_) => far += usize::from(distance > settings.excess + 2.0 * settings.margin + 0.04),
            }
        }
        assert!(free > 3 && free < 30 && far == 0, "{name} {limbs:?}: {free} free, {far} far away but not free");
    }
}

fn arm_checker(robot: &RobotModel, scene: &Scene) -> Checker {
    let (model, stand) = (model(robot), standing(robot));
    Checker::new(&model, scene, &Isometry3::identity(), &joints(robot, &["left_arm"]), &stand).unwrap()
}

/// Where the left hand grasps when the robot stands, in the base's frame, and its link.
fn hand(robot: &RobotModel) -> (Isometry3<f64>, usize) {
    let chain = support::chain(robot, "base_link", "left");
    (chain.forward(&chain.of_all(&standing(robot)).unwrap()).unwrap(), chain.tip())
}

fn at_rest(robot: &RobotModel, scene: &Scene) -> Option<Hit> {
    let stand = standing(robot);
    let positions: Vec<f64> = joints(robot, &["left_arm"]).iter().map(|joint| stand[*joint]).collect();
    arm_checker(robot, scene).hit(&positions).unwrap()
}

#[test]
fn a_cup_is_an_obstacle_then_a_target_then_held_and_each_counts_differently() {
    let robot = robot("centaur");
    let (grasp, hand) = hand(&robot);
    let mut scene = Scene::default();
    let cup = Solid::Cylinder { radius: 0.03, length: 0.1 };
    scene.add(Object::obstacle("cup", cup, Isometry3::from(grasp.translation))).unwrap();
    let met = at_rest(&robot, &scene).unwrap();
    assert_eq!(met.other, Touching::Object(0), "a hand may not stand in an obstacle");

    scene.set_role("cup", Role::Target { hand }).unwrap();
    assert_eq!(at_rest(&robot, &scene), None, "a hand may touch what it is to grasp");
    scene.set_role("cup", Role::Target { hand: 0 }).unwrap();
    assert_eq!(at_rest(&robot, &scene), None, "all of the robot hangs on its base");
    let other = robot.description.end_effector("right_hand").unwrap().link;
    scene.set_role("cup", Role::Target { hand: other }).unwrap();
    assert!(at_rest(&robot, &scene).is_some(), "the other hand's target is in the way");
    scene.set_role("cup", Role::Ignored).unwrap();
    assert_eq!(at_rest(&robot, &scene), None);

    scene.attach("cup", Held { link: hand, pose_in_link: Isometry3::identity(), also: None }).unwrap();
    assert_eq!(at_rest(&robot, &scene), None, "what a hand holds may touch that hand");
}

#[test]
fn what_a_hand_holds_meets_what_the_hand_alone_would_not() {
    let robot = robot("centaur");
    let (grasp, hand) = hand(&robot);
    let mut scene = Scene::default();
    let ahead = grasp.translation.vector + Vector3::new(0.45, 0.0, 0.0);
    scene.add(block("wall", [0.02, 1.0, 1.0], ahead.into())).unwrap();
    assert_eq!(at_rest(&robot, &scene), None);
    let pole = Object::obstacle("pole", Solid::Capsule { radius: 0.01, length: 1.0 }, Isometry3::identity());
    scene.add(pole).unwrap();
    let along_x =
        grasp.rotation.inverse() * nalgebra::UnitQuaternion::from_euler_angles(0.0, core::f64::consts::FRAC_PI_2, 0.0);
    let held = Held { link: hand, pose_in_link: Isometry3::from_parts(Default::default(), along_x), also: None };
    scene.attach("pole", held).unwrap();
    let met = at_rest(&robot, &scene).unwrap();
    assert_eq!(met.one, Touching::Object(1), "{met:?}");
    scene.set_role("wall", Role::Ignored).unwrap();
    let met = at_rest(&robot, &scene);
    assert!(met.is_none_or(|met| met.other != Touching::Object(0)), "{met:?}");
}

#[test]
fn ground_and_points_are_met_like_shapes() {
    let robot = robot("centaur");
    let (grasp, _) = hand(&robot);
    let at = grasp.translation.vector;
    let ground = |height: f64| {
        let mut scene = Scene::default();
        let heights = vec![height; 40 * 40];
        let map = HeightMap { cell: 0.05, origin_x: -1.0, origin_y: -1.0, columns: 40, rows: 40, heights };
        scene.surround(Surroundings::Heights(map)).unwrap();
        scene
    };
    assert_eq!(at_rest(&robot, &ground(at.z - 0.4)), None);
    assert_eq!(at_rest(&robot, &ground(f64::NAN)), None, "nothing is known, and nothing met");
    assert_eq!(at_rest(&robot, &ground(at.z)).unwrap().other, Touching::Surroundings(0));

    let points = |z: f64| {
        let grid = (0..30).flat_map(|x| (0..30).map(move |y| [x, y]));
        let point =
            |[x, y]: [i32; 2]| [at.x as f32 + 0.02 * (x - 15) as f32, at.y as f32 + 0.02 * (y - 15) as f32, z as f32];
        let mut points: Vec<[f32; 3]> = grid.map(point).collect();
        points.push([f32::NAN; 3]);
        let mut scene = Scene::default();
        scene.surround(Surroundings::Cloud(Cloud::new(&points, 0.01, 0.2).unwrap())).unwrap();
        scene
    };
    assert_eq!(at_rest(&robot, &points(at.z - 0.4)), None);
    assert_eq!(at_rest(&robot, &points(at.z)).unwrap().other, Touching::Surroundings(0));
}

#[test]
fn eight_at_once_find_what_one_after_the_other_finds() {
    let (robot, scene) = (robot("centaur"), table(0.45, 0.1));
    let (model, stand) = (model(&robot), standing(&robot));
    let group = joints(&robot, &["spine", "left_arm", "right_arm"]);
    let mut checker = Checker::new(&model, &scene, &Isometry3::identity(), &group, &stand).unwrap();
    let (limits, mut random) = (checker.limits().to_vec(), Random(2));
    let (mut free, mut met) = (0, 0);
    while free < 40 || met < 40 {
        let from = random.within(&limits);
        let to: Vec<f64> = from.iter().zip(random.within(&limits)).map(|(from, to)| from + 0.3 * (to - from)).collect();
        if checker.hit(&from).unwrap().is_some() {
            continue;
        }
        let at =
            |share: f64| -> Vec<f64> { from.iter().zip(&to).map(|(from, to)| from + share * (to - from)).collect() };
        let one_by_one = (1..=400).any(|look| checker.hit(&at(f64::from(look) / 400.0)).unwrap().is_some());
        let found = checker.hit_between(&from, &to).unwrap();
        // fewer looks may pass by what is nearer than the margin, but not the other way round
        assert!(one_by_one || found.is_none(), "{found:?} where nothing is");
        (free, met) = (free + usize::from(found.is_none()), met + usize::from(found.is_some()));
    }
}

#[test]
fn a_way_that_is_free_is_free_everywhere_by_exact_shapes() {
    let (robot, scene) = (robot("centaur"), table(0.45, 0.1));
    let (model, stand, group) = (model(&robot), standing(&robot), joints(&robot, &["left_arm"]));
    let mut checker = Checker::new(&model, &scene, &Isometry3::identity(), &group, &stand).unwrap();
    let (limits, mut random) = (checker.limits().to_vec(), Random(4));
    let mut ways = 0;
    while ways < 6 {
        let (from, to) = (random.within(&limits), random.within(&limits));
        if checker.hit(&from).unwrap().is_some() || checker.hit_between(&from, &to).unwrap().is_some() {
            continue;
        }
        ways += 1;
        for look in 0..=25 {
            let share = f64::from(look) / 25.0;
            let mut all = stand.clone();
            for ((joint, from), to) in group.iter().zip(&from).zip(&to) {
                all[*joint] = from + share * (to - from);
            }
            let distance = distance(&robot, &model, &checker, &scene, &all);
            assert!(distance > 0.5 * model.settings().margin, "{distance} m at {share} of a way that is free");
        }
    }
}

#[test]
fn scenes_and_groups_that_make_no_sense_are_refused_by_name() {
    let robot = robot("centaur");
    let (model, stand) = (model(&robot), standing(&robot));
    let mut scene = Scene::default();
    scene.add(block("box", [0.1; 3], [0.0; 3])).unwrap();
    let again = scene.add(block("box", [0.1; 3], [0.0; 3])).unwrap_err().to_string();
    assert_eq!(again, "object \"box\": name: expected a name of its own, found one that is taken");
    let flat = scene.add(block("flat", [0.1, -0.1, 0.1], [0.0; 3])).unwrap_err().to_string();
    assert!(flat.starts_with("object \"flat\": size: expected a number"), "{flat}");
    assert!(scene.set_role("cup", Role::Ignored).unwrap_err().to_string().contains("one of box"));
    let make = |group: &[usize], at: &[f64]| Checker::new(&model, &scene, &Isometry3::identity(), group, at);
    assert!(make(&[], &stand).is_err() && make(&[1, 1], &stand).is_err() && make(&[1_000], &stand).is_err());
    assert!(make(&[1], &stand[1..]).unwrap_err().to_string().contains("positions"));
    let (far, mut wrong) = (scene.clone(), scene.clone());
    wrong.attach("box", Held { link: 9_999, pose_in_link: Isometry3::identity(), also: None }).unwrap();
    assert!(
        Checker::new(&model, &wrong, &Isometry3::identity(), &[1], &stand).unwrap_err().to_string().contains("9999")
    );
    assert!(Checker::new(&model, &far, &Isometry3::identity(), &[1], &stand).is_ok());
}

#[test]
fn a_mesh_is_the_box_around_its_corners_and_none_without_corners() {
    let text = r#"<robot name="meshed"><link name="base_link"/>
        <link name="arm_link"><collision><geometry><mesh filename="arm.stl" scale="2 2 2"/></geometry></collision></link>
        <joint name="turn" type="revolute"><parent link="base_link"/><child link="arm_link"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"#;
    let source = robot_model::Source { name: "meshed.urdf".to_owned(), bytes: text.as_bytes().into() };
    let robot = RobotModel::from_urdf(source).unwrap();
    let make = |corners: Option<Vec<Vector3<f64>>>| {
        CollisionModel::new(&robot, &[0.0], Default::default(), |_| corners.clone())
    };
    let refused = make(None).unwrap_err().to_string();
    assert_eq!(refused, "link \"arm_link\": mesh: expected the corners of arm.stl, found none");
    let model = make(Some(vec![Vector3::zeros(), Vector3::new(0.1, 0.2, 0.3)])).unwrap();
    assert_eq!(model.solids(1)[0].solid, Solid::Box { size: Vector3::new(0.2, 0.4, 0.6) });
    assert!((model.solids(1)[0].pose.translation.vector - Vector3::new(0.1, 0.2, 0.3)).norm() < 1e-12);
}
