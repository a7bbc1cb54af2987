//! Grasps from shapes: hands know how wide they are, grasps hold the object between the fingers and do not touch it before.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod support;

use manipulation::{Grasp, GraspObject, GraspSettings, Hand, ObjectPart, PartShape, grasps};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use support::{model, robot};

fn hand(name: &str, side: &str) -> Hand {
    let robot = robot(name);
    Hand::new(&robot, &format!("{side}_hand"), &model(&robot)).unwrap()
}

fn battery() -> GraspObject {
    GraspObject::of(PartShape::Box { size: Vector3::new(0.05, 0.05, 0.12) }).unwrap()
}

fn cup() -> GraspObject {
    GraspObject::of(PartShape::Cup { radius: 0.04, height: 0.1, wall: 0.004 }).unwrap()
}

fn planned(object: &GraspObject, hand: &Hand) -> Vec<Grasp> {
    grasps(object, hand, &GraspSettings::default()).unwrap()
}

#[test]
fn hands_say_how_wide_they_are_and_at_which_share_they_are_so_wide() {
    // by hand: 2 (40 + 50 sin 0.6 − 8.5) mm; 2 (40 − 50 sin 0.45 − 45 sin 0.15 − 8.5) mm; 88 − 18 mm between finger and thumb
    for (name, open, closed) in [("centaur", 0.1195, 0.0061), ("humanoid", 0.07, 0.0)] {
        for side in ["left", "right"] {
            let hand = hand(name, side);
            assert!((hand.width(0.0) - open).abs() < 1e-3, "{name}: {} m open", hand.width(0.0));
            assert!(hand.width(1.0) < closed + 1e-3, "{name}: {} m closed", hand.width(1.0));
            let mut before = f64::INFINITY;
            for step in 0..=200 {
                let width = hand.width(f64::from(step) / 200.0);
                assert!(width < before, "{name}: it only closes");
                before = width;
            }
            for width in [0.06, 0.05, 0.03, 0.015] {
                assert!((hand.width(hand.share_for(width)) - width).abs() < 1e-9, "{name}: {width}");
            }
            assert_eq!((hand.share_for(1.0), hand.share_for(-1.0)), (0.0, 1.0));
            assert!(hand.depth(0.5) > 0.05 && hand.depth(0.5) < 0.2, "{name}: fingers of {} m", hand.depth(0.5));
        }
    }
}

#[test]
fn what_has_grips_is_taken_by_them_alone() {
    let hand = hand("centaur", "left");
    let part = |x: f64, z: f64, size: [f64; 3]| ObjectPart {
        shape: PartShape::Box { size: size.into() },
        pose: Isometry3::translation(x, 0.0, z),
    };
    // a plate with a grip towards -x, as a door's or a valve's wheel's
    let parts = vec![part(0.0, 0.0, [0.02, 0.24, 0.24]), part(-0.055, 0.1, [0.09, 0.03, 0.07])];
    let door = GraspObject::new(parts, None).unwrap();
    assert!(door.clone().with_grips(&[2]).unwrap_err().to_string().contains("numbers of parts below 2"));
    let found = planned(&door.clone().with_grips(&[1]).unwrap(), &hand);
    let middle = |grasp: &Grasp| grasp.hand_in_object.translation.vector;
    assert!(found.iter().all(|grasp| middle(grasp).x < -0.01 && middle(grasp).z > 0.03));
    assert!(found.iter().any(|grasp| grasp.approach_in_object.x > 0.99), "from before it");
    assert!(planned(&door, &hand).len() > found.len());
}

#[test]
fn fingers_are_the_links_that_close() {
    let robot = robot("centaur");
    let hand = hand("centaur", "left");
    let names: Vec<&str> = hand.fingers().iter().map(|link| robot.tree.links[*link].name.as_str()).collect();
    assert_eq!(names.len(), 8);
    assert!(names.iter().all(|name| name.starts_with("left_hand_finger")), "{names:?}");
    assert_eq!(hand.joints(), robot.description.limb("left_hand").unwrap().joints);
}

#[test]
fn what_a_robot_does_not_have_is_refused() {
    let robot = robot("centaur");
    let error = Hand::new(&robot, "tail", &model(&robot)).unwrap_err().to_string();
    assert_eq!(error, "the robot: hand: expected one of left_hand, right_hand, found \"tail\"");
    let mut strong = robot.clone();
    strong.description.hands[0].force = 500.0;
    let error = Hand::new(&strong, "left_hand", &model(&robot)).unwrap_err().to_string();
    assert!(error.starts_with("hand \"left_hand\": force: expected at most"), "{error}");
}

#[test]
fn a_battery_is_grasped_by_its_narrow_sides_about_its_middle() {
    for name in ["centaur", "humanoid"] {
        let found = planned(&battery(), &hand(name, "left"));
        println!("{name}: {} grasps, the best {:?}", found.len(), found.first());
        assert!(found.len() > 20, "{name}: {}", found.len());
        assert!(found.windows(2).all(|pair| pair[0].quality >= pair[1].quality), "{name}: the best first");
        let opening = if name == "centaur" { Vector3::z() } else { Vector3::y() };
        for grasp in &found {
            let across = grasp.hand_in_object.rotation * opening;
            assert!(across.z.abs() < 1e-9, "{name}: 120 mm are not taken");
            assert!(across.x.abs().max(across.y.abs()) > 1.0 - 1e-9, "{name}: parallel sides");
            let ahead = grasp.hand_in_object.rotation * Vector3::x();
            assert!((ahead - grasp.approach_in_object.into_inner()).norm() < 1e-9);
            let before = grasp.before(0.1);
            let way = grasp.hand_in_object.translation.vector - before.translation.vector;
            assert!((way - ahead * 0.1).norm() < 1e-12);
            assert!(grasp.width > 0.03 && grasp.width < 0.0501, "{name}: {} m", grasp.width);
            assert!(grasp.preshape < grasp.closed);
        }
    }
}

#[test]
fn a_cup_is_grasped_from_all_around_and_by_its_sides() {
    let found = planned(&cup(), &hand("centaur", "left"));
    for direction in 0..12 {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(direction) / 12.0).sin_cos();
        let from = Vector3::new(cos, sin, 0.0);
        let there = found.iter().filter(|grasp| grasp.approach_in_object.dot(&from) > 0.99).count();
        assert!(there > 0, "from {direction}");
    }
    let slanting = found.iter().filter(|grasp| grasp.approach_in_object.z < -0.4).count();
    assert!(slanting > 0, "and from above at a slant");
    for grasp in &found {
        assert!((grasp.hand_in_object.rotation * Vector3::z()).z.abs() < 1e-9, "never by foot and rim");
        assert!(grasp.width < 0.081 && grasp.width > 0.05, "{} m", grasp.width);
    }
}

#[test]
fn what_does_not_fit_has_no_grasp() {
    let block = GraspObject::of(PartShape::Box { size: Vector3::repeat(0.15) }).unwrap();
    assert!(planned(&block, &hand("centaur", "left")).is_empty());
    // a thin plate against a wall as long as itself has one free side
    let wall = Isometry3::translation(0.0, 0.0, -0.11);
    let parts = vec![
        ObjectPart { shape: PartShape::Box { size: Vector3::new(0.2, 0.2, 0.02) }, pose: Isometry3::identity() },
        ObjectPart { shape: PartShape::Box { size: Vector3::new(0.6, 0.6, 0.2) }, pose: wall },
    ];
    let plate = GraspObject::new(parts, None).unwrap();
    let found = planned(&plate, &hand("centaur", "left"));
    assert!(found.is_empty(), "{:?}", found.first());
}

#[test]
fn open_fingers_do_not_touch_and_closing_ones_do() {
    let robot = robot("centaur");
    let (hand, model) = (hand("centaur", "left"), model(&robot));
    let (object, settings) = (cup(), GraspSettings::default());
    let mut all = support::standing(&robot);
    // corners of boxes of the hand's links, in the hand's frame, at a share
    let mut corners = |share: f64| -> Vec<Point3<f64>> {
        hand.joints().iter().zip(hand.positions(share)).for_each(|(joint, position)| all[*joint] = position);
        let at = |link: usize| robot_model::Chain::new(&robot.tree, 0, link).unwrap().tip_in_root(&robot.tree, &all);
        let base = at(hand.link());
        let of_link = |link: &usize| {
            let pose = base.inv_mul(&at(*link));
            robot.tree.links[*link]
                .collisions
                .iter()
                .flat_map(|shape| shape.corners_in_link())
                .map(move |corner| pose * corner)
                .collect::<Vec<_>>()
        };
        hand.fingers().iter().flat_map(of_link).collect()
    };
    assert!(!model.solids(hand.fingers()[0]).is_empty());
    for grasp in planned(&object, &hand).iter().step_by(17) {
        let nearest = |points: Vec<Point3<f64>>| {
            let distance = |point: &Point3<f64>| object.distance(&(grasp.hand_in_object * point).coords);
            points.iter().map(distance).fold(f64::INFINITY, f64::min)
        };
        assert!(nearest(corners(grasp.preshape)) >= settings.clearance - 1e-9);
        let closed = nearest(corners(grasp.closed));
        assert!(closed > -0.004 && closed < 0.012, "{closed} m with the cup between the fingers");
    }
}

#[test]
fn the_same_question_has_the_same_answer_and_turns_with_the_object() {
    let hand = hand("centaur", "left");
    let (one, two) = (planned(&battery(), &hand), planned(&battery(), &hand));
    assert_eq!(one, two);
    let turn =
        Isometry3::from_parts(Vector3::new(0.1, 0.2, -0.3).into(), UnitQuaternion::from_euler_angles(0.3, 0.5, -0.7));
    let part = ObjectPart { shape: PartShape::Box { size: Vector3::new(0.05, 0.05, 0.12) }, pose: turn };
    let turned = planned(&GraspObject::new(vec![part], None).unwrap(), &hand);
    assert!((one[0].quality - turned[0].quality).abs() < 1e-9, "a part that is turned is grasped as well");
    assert!(turned.len().abs_diff(one.len()) < one.len() / 20, "{} and {}", one.len(), turned.len());
}
