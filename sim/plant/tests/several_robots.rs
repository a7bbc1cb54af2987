//! Several robots in one world: they push, feel and see each other.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::Vector3;
use plant::{Member, Push, RobotView, Setup, Simulation, Touched, plug};
use robot_io::conformance::{Plugged, Subject, check};
use robot_io::{Commands, Digest, Lifecycle, Pose2, Time};
use robot_model::RobotModel;
use robot_model::description::Base;
use support::{centaur, collision_box, floor, hinge, hold_pose, ideal_actuator, link, quiet, robot, run, shipped};
use worlds::World;

/// Robots that are switched on, each with the name of its number.
fn together(world: &World, robots: &[(&RobotModel, Setup)]) -> Simulation {
    let names: Vec<String> = (0..robots.len()).map(|number| format!("robot {number}")).collect();
    let name = |number: usize| if number > 0 { names[number].as_str() } else { "" };
    let members: Vec<Member> =
        robots.iter().enumerate().map(|(number, (robot, setup))| Member { name: name(number), robot, setup }).collect();
    let mut simulation = Simulation::with(world, &members).unwrap();
    for number in 0..robots.len() {
        simulation.transition_of(number, Lifecycle::Inactive).unwrap();
        simulation.transition_of(number, Lifecycle::Active).unwrap();
    }
    simulation
}

/// Two lumps on a hinge whose drive is off: what they do is mechanics alone.
fn tumbler() -> RobotModel {
    let urdf = format!(
        "<robot name=\"t\">{}{}{}</robot>",
        link("block", 5.0, [0.02, 0.0, 0.01], 0.2, &collision_box(0.4, 0.4, 0.4)),
        link(
            "rod",
            1.0,
            [0.3, 0.0, 0.0],
            0.03,
            &collision_box(0.6, 0.05, 0.05).replace("<geometry>", "<origin xyz=\"0.3 0 0\"/><geometry>")
        ),
        hinge("elbow", "block", "rod", [0.3, 0.0, 0.0]),
    );
    let toml = format!(
        "name = \"t\"\ncycle_period_us = 1000\n{}[[joints]]\nnames = [\"elbow\"]\nactuator = \"ideal\"\nstiffness = 100.0\n\
         damping = 1.0\n[[pose]]\nname = \"stand\"\n",
        ideal_actuator(0.0, 1.0)
    );
    robot(&urdf, &toml)
}

fn push(robot: &mut Simulation, number: usize, force: [f64; 3], until: f64) {
    let point_in_link = Vector3::new(0.0, 0.03, 0.0);
    let push = Push { link: 0, point_in_link, force_in_world: force.into(), until: Time::from_seconds(until) };
    robot.push_of(number, push);
}

fn sum<T: core::iter::Sum<T>>(simulation: &Simulation, value: impl Fn(RobotView) -> T) -> T {
    simulation.robots().map(value).sum()
}

#[test]
fn what_one_robot_loses_in_a_collision_the_other_gains_and_energy_never_grows() {
    let mut space = floor();
    space.gravity = 0.0;
    let model = tumbler();
    let facing = Setup { spawn: Pose2 { x: 1.5, y: 0.1, yaw: 3.0 }, ..quiet("stand", 0.0, 0.0) };
    let mut simulation = together(&space, &[(&model, quiet("stand", 0.0, 0.0)), (&model, facing)]);
    // away from the ground, and towards each other
    push(&mut simulation, 0, [30.0, 0.0, 30.0], 0.1);
    push(&mut simulation, 1, [-40.0, 5.0, 30.0], 0.1);
    run(&mut simulation, 0.11);
    let momenta = |simulation: &Simulation| {
        let linear: Vector3<f64> = sum(simulation, |robot| robot.momentum_in_world().0);
        let angular: Vector3<f64> = sum(simulation, |robot| robot.momentum_in_world().1);
        (linear, angular)
    };
    let energy = |simulation: &Simulation| sum(simulation, |robot| robot.mechanical_energy());
    let (linear, angular) = momenta(&simulation);
    let alone = simulation.momentum_in_world().0;
    let mut before = energy(&simulation);
    let (begin, mut touches) = (before, 0);
    for _ in 0..3_000 {
        simulation.step();
        let now = energy(&simulation);
        assert!(now <= before * (1.0 + 1e-6), "{before} J become {now} J at {}", simulation.time());
        before = now;
        let contact = simulation.truth().unwanted_contact;
        touches += usize::from(contact.is_some_and(|contact| matches!(contact.with, Touched::Robot { robot: 1, .. })));
        assert!(contact.is_none_or(|contact| contact.with != Touched::Ground), "nobody comes down");
    }
    assert!(
        touches > 0 && before < 0.9 * begin,
        "they hit each other: {touches} times, {begin} J before, {before} J after"
    );
    assert!((simulation.momentum_in_world().0 - alone).norm() > 0.5, "the first has been stopped");
    let (linear_after, angular_after) = momenta(&simulation);
    assert!((linear_after - linear).norm() < 1e-9, "{linear} {linear_after}");
    assert!((angular_after - angular).norm() < 1e-9, "{angular} {angular_after}");
}

#[test]
fn two_whole_robots_that_are_thrown_at_each_other_only_lose_energy() {
    let mut space = floor();
    space.gravity = 0.0;
    let model = centaur();
    let [one, two] = face_to_face(1.6, &[]).map(|setup| Setup { noise: false, ..setup });
    let mut simulation = together(&space, &[(&model, one), (&model, two)]);
    for (number, along) in [(0, 300.0), (1, -300.0)] {
        // limp, and above the ground
        simulation.transition_of(number, Lifecycle::Inactive).unwrap();
        push(&mut simulation, number, [along, 0.0, 200.0], 0.2);
    }
    run(&mut simulation, 0.21);
    let energy = |simulation: &Simulation| sum(simulation, |robot| robot.mechanical_energy());
    let begin = energy(&simulation);
    let mut before = begin;
    for _ in 0..2_000 {
        simulation.step();
        let now = energy(&simulation);
        assert!(now - before < 1e-6 * begin, "{before} J become {now} J at {}", simulation.time());
        before = now;
    }
    assert!(before < 0.5 * begin, "they hit each other: {begin} J before, {before} J after");
}

/// A post that is fixed to the world, with a paddle screwed to it that feels.
fn post(surface: &str) -> RobotModel {
    let urdf = format!(
        "<robot name=\"p\">{}{}<joint name=\"flange\" type=\"fixed\"><parent link=\"post\"/><child link=\"paddle\"/>\
         <origin xyz=\"-0.3 0 0.2\"/></joint></robot>",
        link("post", 1.0, [0.0; 3], 0.01, ""),
        link("paddle", 0.5, [0.0; 3], 0.01, &collision_box(0.05, 0.6, 0.3)),
    );
    let toml = format!(
        "name = \"p\"\nbase = \"fixed\"\ncycle_period_us = 1000\n[[pose]]\nname = \"stand\"\n\
                [[contact]]\nname = \"skin\"\nlink = \"paddle\"\nthreshold = 1.0\nforce_noise = 0.0\n\
                [[force_torque]]\nname = \"wrist\"\njoint = \"flange\"\nforce_noise = 0.0\ntorque_noise = 0.0\n{surface}"
    );
    robot(&urdf, &toml)
}

/// A block with a skin.
fn block(surface: &str) -> RobotModel {
    let urdf =
        format!("<robot name=\"b\">{}</robot>", link("block", 5.0, [0.0; 3], 0.1, &collision_box(0.4, 0.4, 0.4)));
    let toml = format!(
        "name = \"b\"\ncycle_period_us = 1000\n[[pose]]\nname = \"stand\"\n\
                [[contact]]\nname = \"skin\"\nlink = \"block\"\nthreshold = 1.0\nforce_noise = 0.0\n{surface}"
    );
    robot(&urdf, &toml)
}

#[test]
fn both_feel_a_contact_and_a_fixed_base_holds_it() {
    let mut space = floor();
    space.gravity = 0.0;
    let (block, post) = (block(""), post(""));
    assert_eq!(post.description.base, Base::Fixed);
    let mut simulation = together(&space, &[(&block, quiet("stand", 0.0, 0.0)), (&post, quiet("stand", 0.6, 0.0))]);
    let place = simulation.robot_at(1).unwrap().truth().base_in_world;
    let push = Push {
        link: 0,
        point_in_link: Vector3::zeros(),
        force_in_world: Vector3::x() * 20.0,
        until: Time::from_seconds(9.0),
    };
    simulation.push(push);
    run(&mut simulation, 3.0);
    let [first, second] = [0, 1].map(|number| simulation.robot_at(number).unwrap());
    for robot in [first, second] {
        let skin = robot.readings().contacts[0];
        assert!(skin.touching && (skin.force - 20.0).abs() < 0.01, "{} feels {} N", robot.model().name, skin.force);
    }
    let felt = second.readings().force_torques[0].force;
    assert!((felt - Vector3::x() * 20.0).norm() < 0.01, "{felt}");
    let paddle = post.tree.link("paddle").unwrap();
    let met = |robot: RobotView| robot.truth().unwanted_contact.map(|contact| (contact.link, contact.with));
    assert_eq!(met(first), Some((0, Touched::Robot { robot: 1, link: paddle })));
    assert_eq!(met(second), Some((paddle, Touched::Robot { robot: 0, link: 0 })));
    assert_eq!(second.truth().base_in_world, place, "nothing moves it");
    let mut frame = plant::Frame::default();
    simulation.frame(&mut frame);
    assert_eq!((frame.links_in_world.len(), frame.others_in_world.len()), (1, 2));
    assert_eq!(frame.others_in_world[paddle], second.link_in_world(paddle));
    assert!(frame.contacts.iter().all(|contact| contact.link == Some(0) && contact.force_in_world.x < 0.0));
}

/// A block of 40 cm that is pressed against a post feels so with the patch on the side that touches, and with no other.
#[test]
fn a_patch_of_skin_feels_what_touches_its_link_there() {
    let mut space = floor();
    space.gravity = 0.0;
    let patch = |name: &str, xyz: &str, out: &str| {
        format!(
            "[[skin]]\nname = \"{name}\"\nlink = \"block\"\nxyz = {xyz}\nout = {out}\nradius = 0.25\ndepth = 0.02\n\
             threshold = 1.0\nforce_noise = 0.0\n"
        )
    };
    let ahead = patch("ahead", "[0.2, 0.0, 0.0]", "[1.0, 0.0, 0.0]");
    let (block, post) = (block(&(ahead + &patch("behind", "[-0.2, 0.0, 0.0]", "[-1.0, 0.0, 0.0]"))), post(""));
    let feels = |sensors: &[&str]| {
        let on = sensors.iter().map(|name| (*name).to_owned()).collect();
        let setup = Setup { sensors: on, ..quiet("stand", 0.0, 0.0) };
        let mut simulation = together(&space, &[(&block, setup), (&post, quiet("stand", 0.6, 0.0))]);
        let force_in_world = Vector3::x() * 20.0;
        let until = Time::from_seconds(9.0);
        simulation.push(Push { link: 0, point_in_link: Vector3::zeros(), force_in_world, until });
        run(&mut simulation, 3.0);
        simulation.robot_at(0).unwrap().readings().contacts.clone()
    };
    let felt = feels(&["skin"]);
    assert_eq!(felt.len(), 3, "a switch and two patches");
    let (all, ahead, behind) = (felt[0], felt[1], felt[2]);
    assert!(ahead.touching && (ahead.force - 20.0).abs() < 0.01, "{ahead:?}");
    assert!(!behind.touching && behind.force == 0.0, "{behind:?}");
    assert_eq!(feels(&[]), [all], "what is switched off is not there");
}

#[test]
fn what_covers_both_decides_about_friction_between_robots() {
    // pressed with 20 N, and drawn along with 5 N
    let slides = |block_surface: &str, post_surface: &str, more: &str| {
        let mut space = support::world("concrete", more);
        space.gravity = 0.0;
        let covered = |name: &str, link: &str| match name {
            "" => String::new(),
            _ => format!("[[surface]]\nname = \"{name}\"\nlinks = [\"{link}\"]\nfriction = 0.2\n"),
        };
        let (block, post) = (block(&covered(block_surface, "block")), post(&covered(post_surface, "paddle")));
        let mut simulation = together(&space, &[(&block, quiet("stand", 0.0, 0.0)), (&post, quiet("stand", 0.6, 0.0))]);
        let until = Time::from_seconds(9.0);
        let force_in_world = Vector3::new(20.0, 0.0, 0.0);
        simulation.push(Push { link: 0, point_in_link: Vector3::zeros(), force_in_world, until });
        run(&mut simulation, 1.0);
        let before = simulation.truth().base_in_world.translation.y;
        // at the face, so that it does not turn
        let (point_in_link, force_in_world) = (Vector3::x() * 0.2, Vector3::new(0.0, 5.0, 0.0));
        simulation.push(Push { link: 0, point_in_link, force_in_world, until });
        run(&mut simulation, 0.3);
        simulation.truth().base_in_world.translation.y - before > 1e-3
    };
    assert!(!slides("", "", ""), "bare metal holds 5 N at 20 N: 0.3");
    assert!(slides("wax", "", ""), "wax on metal does not: 0.2");
    let felt = "[[material]]\nname = \"felt\"\nbase = \"concrete\"\n[[pair]]\nmaterials = [\"felt\", \"wax\"]\nfriction = 0.6\n";
    assert!(slides("wax", "felt", ""), "the smoother one decides");
    assert!(!slides("wax", "felt", felt), "but what is said of the two");
}

/// Two centaurs that look at each other.
fn face_to_face(apart: f64, sensors: &[&str]) -> [Setup; 2] {
    let sensors: Vec<String> = sensors.iter().map(|name| (*name).to_owned()).collect();
    [(0.0, 0.0), (apart, core::f64::consts::PI)].map(|(x, yaw)| Setup {
        spawn: Pose2 { x, y: 0.0, yaw },
        sensors: sensors.clone(),
        ..Setup::default()
    })
}

fn stand(simulation: &mut Simulation, speed: f64) {
    let count = simulation.robots().len();
    for number in 0..count {
        let commands = hold_pose(&simulation.robot_at(number).unwrap(), Some(speed));
        simulation.command_of(number, &commands).unwrap();
    }
}

#[test]
fn each_ones_laser_sees_the_other() {
    let (world, model) = (shipped("flat"), centaur());
    let ahead = |simulation: &mut Simulation, number: usize| {
        let mut scan = None;
        while scan.is_none() {
            (0..simulation.steps_per_cycle()).for_each(|_| simulation.step());
            scan = simulation.robot_at(number).unwrap().readings().scans[0].clone();
        }
        // straight ahead, and a little to both sides and down
        let scan = scan.unwrap();
        (480..600).filter_map(|beam| scan.range(beam)).fold(f64::INFINITY, f64::min)
    };
    let [one, two] = face_to_face(3.0, &["laser"]).map(|setup| Setup { noise: false, ..setup });
    let mut simulation = together(&world, &[(&model, one.clone()), (&model, two)]);
    stand(&mut simulation, 0.0);
    let laser = model.tree.link("laser_link").unwrap();
    let [first, second] = [0, 1].map(|number| simulation.robot_at(number).unwrap().link_in_world(laser).translation.x);
    let seen = [0, 1].map(|number| ahead(&mut simulation, number));
    for range in seen {
        assert!(range > 0.5 && range < second - first, "{seen:?} of {}", second - first);
    }
    assert!((seen[0] - seen[1]).abs() < 0.02, "both are alike: {seen:?}");
    let mut alone = together(&world, &[(&model, one)]);
    stand(&mut alone, 0.0);
    let empty = ahead(&mut alone, 0);
    assert!(empty > seen[0] + 0.5, "without the other {empty} m, with it {} m", seen[0]);
}

fn digests(simulation: &mut Simulation, cycles: usize) -> Vec<Digest> {
    let cycle = |_| {
        (0..simulation.steps_per_cycle()).for_each(|_| simulation.step());
        simulation.digest()
    };
    (0..cycles).map(cycle).collect()
}

#[test]
fn two_that_drive_into_each_other_do_so_again_to_the_bit_also_through_a_snapshot() {
    let (world, model) = (shipped("flat"), centaur());
    let begin = || {
        let [one, two] = face_to_face(1.6, &["laser"]);
        let mut simulation = together(&world, &[(&model, one), (&model, two)]);
        stand(&mut simulation, 0.5);
        simulation
    };
    let mut whole = begin();
    let before = digests(&mut whole, 200);
    let saved = whole.snapshot();
    let expected = digests(&mut whole, 200);
    let touched = whole.robots().filter(|robot| robot.truth().unwanted_contact.is_some()).count();
    assert_eq!(touched, 2, "they push each other");
    let mut fresh = begin();
    assert_eq!(digests(&mut fresh, 200), before);
    let mut fresh = begin();
    fresh.restore(&saved).unwrap();
    assert_eq!(fresh.snapshot(), saved, "a restored snapshot saves the same bytes");
    assert_eq!(digests(&mut fresh, 200), expected);
    whole.restore(&saved).unwrap();
    assert_eq!(digests(&mut whole, 200), expected);
    // of the second robot every field counts: without its commands it is another run
    let mut other = begin();
    other.command_of(1, &Commands::new(other.robot_at(1).unwrap().layout())).unwrap();
    assert_ne!(digests(&mut other, 1), before[..1]);
    let [one, _] = face_to_face(1.6, &["laser"]);
    let mut alone = together(&world, &[(&model, one)]);
    let refused = alone.restore(&saved).unwrap_err().to_string();
    assert!(refused.contains("robot, world and set-up"), "{refused}");
}

#[test]
fn robots_of_one_model_and_one_seed_have_noise_of_their_own() {
    let (world, model) = (floor(), centaur());
    let [one, two] = face_to_face(3.0, &[]);
    let mut simulation = together(&world, &[(&model, one), (&model, two)]);
    stand(&mut simulation, 0.0);
    run(&mut simulation, 0.02);
    let [first, second] = [0, 1].map(|number| simulation.robot_at(number).unwrap().readings().imus[0].angular_velocity);
    assert!((first - second).norm() > 1e-6, "{first} {second}");
}

#[test]
fn robots_that_begin_in_each_other_or_keep_another_time_are_refused() {
    let (world, model, block) = (floor(), centaur(), block(""));
    let refused = |robots: [(&RobotModel, Setup); 2]| {
        let members = [0, 1].map(|number| {
            let (robot, setup) = &robots[number];
            Member { name: ["", "porter"][number], robot, setup }
        });
        Simulation::with(&world, &members).err().unwrap().to_string()
    };
    let cycle = model.description.cycle_period;
    let beside = |x| Setup { cycle_period: Some(cycle), ..quiet("stand", x, 0.0) };
    let message = refused([(&model, quiet("stand", 0.0, 0.0)), (&block, beside(0.3))]);
    assert!(
        message.contains("spawn: expected robots that begin apart") && message.contains("block of 'porter'"),
        "{message}"
    );
    let message = refused([(&model, quiet("stand", 0.0, 0.0)), (&block, quiet("stand", 3.0, 0.0))]);
    assert!(message.contains("for all robots, found") && message.contains("'porter'"), "{message}");
}

#[test]
fn the_second_robot_is_a_plug_like_the_first() {
    let (world, model) = (floor(), centaur());
    let setups = face_to_face(3.0, &["laser"]);
    let begin = || {
        let member = |number: usize| Member { name: ["", "other"][number], robot: &model, setup: &setups[number] };
        let (_, clock, shared) = plug(Simulation::with(&world, &[member(0), member(1)]).unwrap());
        Ok(Plugged::new(shared.robot(1).unwrap(), clock))
    };
    let alone = Simulation::new(&world, &model, &setups[1]).unwrap();
    let still = hold_pose(&alone.robot_at(0).unwrap(), Some(0.0)).joints;
    let report = check(&mut Subject::new("the second of two", still, begin));
    assert!(report.is_sound(), "{report}");
    let (_, _, shared) = plug(alone);
    assert!(shared.robot(1).is_none());
}
