//! Ground that is cut: what it resists, where it goes, what it weighs.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::path::Path;

use plant::{Frame, Owner, Simulation};
use robot_io::{Commands, JointCommand};
use robot_model::RobotModel;
use support::{active, ideal_actuator, link, quiet, robot, run, trial_wedge};
use worlds::{Material, World};

const CELL: f64 = 0.02;
const GRAVITY: f64 = 9.81;
/// Of the joints [N/m, N·m/rad], [N·s/m, N·m·s/rad].
const STIFFNESS: [f64; 3] = [2e5, 2e5, 2e4];
const DAMPING: [f64; 3] = [4e3, 4e3, 400.0];
/// The tool's joints.
const TRAVEL: usize = 0;
const LIFT: usize = 1;
const CURL: usize = 2;

/// Level deformable ground with a layer of half a metre, 4 × 2 m.
fn ground(material: &str) -> World {
    World::from_str(&ground_text(material), "t.toml", Path::new(".")).unwrap()
}

fn ground_text(material: &str) -> String {
    let base = Material::preset(material).unwrap().sinkage;
    format!(
        "name = \"t\"\n[terrain]\ndeformable = true\ncell = {CELL}\nsize = [4.0, 2.0]\nmaterial = \"{material}\"\n\
         [[material]]\nname = \"{material}\"\nsinkage = {{ max_depth = 0.5, exponent = {:?} }}\n",
        base.exponent
    )
}

/// A box of these sizes at a place, turned about y.
fn part(size: [f64; 3], at: [f64; 3], pitch: f64) -> String {
    let ([a, b, c], [x, y, z]) = (size, at);
    format!(
        "<collision><origin xyz=\"{x} {y} {z}\" rpy=\"0 {pitch} 0\"/><geometry><box size=\"{a} {b} {c}\"/></geometry></collision>"
    )
}

/// A gantry that carries a tool along x, up and down, and turns it.
fn gantry(tool: &str) -> RobotModel {
    let slide = |name: &str, parent: &str, child: &str, axis: &str| {
        format!(
            "<joint name=\"{name}\" type=\"prismatic\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <axis xyz=\"{axis}\"/><limit lower=\"-3\" upper=\"3\" effort=\"1e5\" velocity=\"10\"/></joint>"
        )
    };
    let urdf = format!(
        "<robot name=\"g\">{}{}{}{}{}{}{}</robot>",
        link("frame", 100.0, [0.0; 3], 10.0, ""),
        link("sled", 10.0, [0.0; 3], 1.0, ""),
        link("mast", 10.0, [0.0; 3], 1.0, ""),
        link("tool", 5.0, [0.0; 3], 1.0, tool),
        slide("travel", "frame", "sled", "1 0 0"),
        slide("lift", "sled", "mast", "0 0 1"),
        "<joint name=\"curl\" type=\"revolute\"><parent link=\"mast\"/><child link=\"tool\"/><axis xyz=\"0 1 0\"/>\
         <limit lower=\"-3\" upper=\"3\" effort=\"1e5\" velocity=\"10\"/></joint>",
    );
    let actuator = ideal_actuator(0.0, 1.0).replace("_effort = 500.0", "_effort = 50000.0");
    let toml = format!(
        "name = \"g\"\nbase = \"fixed\"\ncycle_period_us = 1000\n{actuator}[[joints]]\nnames = [\"travel\", \"lift\", \"curl\"]\n\
         actuator = \"ideal\"\nstiffness = 2e4\ndamping = 400.0\n[[pose]]\nname = \"stand\"\npositions = {{ lift = 1.0 }}\n"
    );
    robot(&urdf, &toml)
}

/// Moves the tool to a place [m, m, rad] within so many seconds, evenly; what it costs to hold the joints on the way's last half, on average.
fn go(simulation: &mut Simulation, to: [f64; 3], seconds: f64) -> [f64; 3] {
    go_and_look(simulation, to, seconds, |_| {})
}

/// The same, with a look at every step.
fn go_and_look(simulation: &mut Simulation, to: [f64; 3], seconds: f64, mut look: impl FnMut(&Simulation)) -> [f64; 3] {
    let from = simulation.truth().joint_positions;
    let steps = (seconds * 1000.0) as usize;
    let mut efforts = [0.0; 3];
    for step in 1..=steps {
        let share = step as f64 / steps as f64;
        let mut commands = Commands::new(simulation.layout());
        for joint in [TRAVEL, LIFT, CURL] {
            let speed = (to[joint] - from[joint]) / seconds;
            let at = from[joint] + share * (to[joint] - from[joint]);
            commands.joints[joint] =
                JointCommand { velocity: speed, ..JointCommand::hold(at, STIFFNESS[joint], DAMPING[joint]) };
        }
        simulation.command(&commands).unwrap();
        simulation.step();
        look(simulation);
        if 2 * step > steps {
            let now = simulation.truth().joint_efforts;
            efforts.iter_mut().zip(&now).for_each(|(sum, effort)| *sum += effort * 2.0 / steps as f64);
        }
    }
    efforts
}

/// A tool that hangs over the ground at x.
fn over(world: &World, tool: &str, x: f64) -> Simulation {
    let mut simulation = active(world, &gantry(tool), &quiet("stand", x, 0.0));
    let base = simulation.truth().base_in_world.translation.z;
    assert!(base.abs() < 1e-9, "{base}");
    go(&mut simulation, [0.0, 0.5, 0.0], 0.5);
    simulation
}

/// How much soil there is more than before: on the ground and on the tool, and what has vanished [m³].
fn balance(simulation: &Simulation) -> f64 {
    let raised: f64 = simulation.world().terrain.heights.iter().sum();
    raised * CELL * CELL + payload(simulation).0 + simulation.vanished_soil()
}

/// Volume [m³] and mass [kg] on the tool.
fn payload(simulation: &Simulation) -> (f64, f64) {
    let tool = simulation.robot().tree.links.iter().position(|link| link.name == "tool").unwrap();
    let payload = simulation.payload(Owner::Link(tool));
    (payload.volume, payload.mass)
}

/// How high the ground is at x, in the middle across.
fn height(simulation: &Simulation, x: f64) -> f64 {
    simulation.world().terrain.height_at(x, 0.0).unwrap()
}

/// Force [N] on the tool along x by what is before and behind it, not below.
fn on_faces(simulation: &Simulation) -> f64 {
    let mut frame = Frame::default();
    simulation.frame(&mut frame);
    let upright = frame.contacts.iter().filter(|contact| contact.normal_in_world.z.abs() < 0.5);
    upright.map(|contact| contact.normal_in_world.x * contact.force_in_world.dot(&contact.normal_in_world)).sum()
}

/// An upright blade, so wide [m], whose lower edge is at the joints' height.
fn blade(width: f64) -> String {
    part([0.02, width, 0.6], [0.0, 0.0, 0.3], 0.0)
}

#[test]
fn a_blade_meets_what_the_equation_of_earthmoving_says() {
    for (material, depth) in [("sand", 0.05), ("soil", 0.08), ("gravel", 0.1)] {
        let mut simulation = over(&ground(material), &blade(0.4), -1.0);
        go(&mut simulation, [0.0, -depth, 0.0], 1.0);
        assert!(on_faces(&simulation).abs() < 5.0, "nothing pushes yet: {} N", on_faces(&simulation));
        let soil = Material::preset(material).unwrap().soil;
        go(&mut simulation, [0.02, -depth, 0.0], 0.2);
        // the columns next to the blade, across its width
        let wedges = |simulation: &Simulation, is_before: bool| {
            let joints = simulation.truth().joint_positions;
            let (at, bottom) = (joints[TRAVEL] - 1.0, joints[LIFT]);
            let beside = if is_before { ((at + 0.015) / CELL).ceil() } else { ((at - 0.015) / CELL).floor() };
            let across = (-10..=10).map(|row| CELL * f64::from(row));
            let height = |y: f64| simulation.world().terrain.height_at(CELL * beside, y).unwrap();
            let depths = across.map(|y| (height(y) - bottom).max(0.0));
            depths.map(|depth| 0.4 / 21.0 * trial_wedge(&soil, depth)).sum::<f64>()
        };
        let mut shares = Vec::new();
        go_and_look(&mut simulation, [0.12, -depth, 0.0], 1.0, |simulation| {
            let truth = simulation.truth();
            // once it is under way again
            if truth.joint_positions[TRAVEL] > 0.04 && truth.joint_velocities[TRAVEL] > 0.02 {
                shares.push(-on_faces(simulation) / wedges(simulation, true));
            }
        });
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        shares.sort_by(f64::total_cmp);
        let median = shares[shares.len() / 2];
        assert!((median - 1.0).abs() < 0.05 && (mean - 1.0).abs() < 0.1, "{material}: {median}, {mean} of the wedges");
        // in its own trench there is only what has slid down and round its ends
        let (mut backwards, mut most) = (Vec::new(), Vec::new());
        go_and_look(&mut simulation, [0.05, -depth, 0.0], 0.5, |simulation| {
            // once it is under way
            if simulation.truth().joint_velocities[TRAVEL] < -0.1 {
                backwards.push(on_faces(simulation));
                most.push(wedges(simulation, false));
            }
        });
        let mean = |forces: &[f64]| forces.iter().sum::<f64>() / forces.len() as f64;
        let (backwards, most) = (mean(&backwards), mean(&most));
        assert!(backwards < 1.1 * most, "{material}: {backwards} N backwards, wedges {most} N");
        assert!(balance(&simulation).abs() < 1e-12, "{} m³ came or went", balance(&simulation));
    }
}

#[test]
fn what_a_blade_pushes_heaps_up_before_it_as_steep_as_it_stays() {
    // so wide that what goes round its ends does not come to the middle
    let mut simulation = over(&ground("sand"), &blade(1.0), -1.0);
    go(&mut simulation, [0.0, -0.05, 0.0], 1.0);
    go(&mut simulation, [0.4, -0.05, 0.0], 3.0);
    // what slides takes a while
    go(&mut simulation, [0.4, -0.05, 0.0], 1.0);
    let front = -0.6 + 0.01 + CELL;
    let heap = height(&simulation, front);
    let behind = height(&simulation, -0.8);
    assert!(heap > 0.08 && behind < -0.045, "{heap} m before, {behind} m behind");
    let slope = (heap - height(&simulation, front + 0.1)) / 0.1;
    let stays = libm::tan(Material::preset("sand").unwrap().soil.friction_angle);
    assert!((slope / stays - 1.0).abs() < 0.1, "as steep as {slope}, stays at {stays}");
    // and when it is lifted nothing is steeper, but where undisturbed sand stands
    go(&mut simulation, [0.4, 0.3, 0.0], 1.0);
    run(&mut simulation, 1.0);
    let terrain = &simulation.world().terrain;
    let raised = (0..terrain.columns).filter(|column| terrain.height(terrain.rows / 2, *column) > 0.005);
    for column in raised {
        let drop = terrain.height(terrain.rows / 2, column) - terrain.height(terrain.rows / 2, column + 1);
        assert!(drop.abs() < stays * CELL + 1e-3, "{drop} m in {CELL} m");
    }
    assert!(balance(&simulation).abs() < 1e-12, "{} m³ came or went", balance(&simulation));
}

/// A bucket, 0.3 m wide, open in front and above.
fn bucket() -> String {
    [
        part([0.3, 0.3, 0.01], [0.0, 0.0, 0.0], 0.0),
        part([0.01, 0.3, 0.2], [-0.15, 0.0, 0.1], 0.0),
        part([0.3, 0.01, 0.2], [0.0, 0.15, 0.1], 0.0),
        part([0.3, 0.01, 0.2], [0.0, -0.15, 0.1], 0.0),
    ]
    .concat()
}

/// A bucket that has been driven through sand and lifted.
fn filled() -> Simulation {
    filled_over(&ground("sand"))
}

fn filled_over(world: &World) -> Simulation {
    let mut simulation = over(world, &bucket(), -1.0);
    go(&mut simulation, [0.0, -0.1, 0.3], 2.0);
    go(&mut simulation, [0.6, -0.1, 0.0], 3.0);
    go(&mut simulation, [0.6, -0.1, -0.5], 1.0);
    go(&mut simulation, [0.6, 0.5, -0.5], 2.0);
    simulation
}

#[test]
fn a_bucket_fills_weighs_and_is_emptied() {
    let mut simulation = filled();
    let (volume, mass) = payload(&simulation);
    assert!(volume > 0.005 && volume < 0.015 && (mass / volume - 1600.0).abs() < 1e-6, "{volume} m³, {mass} kg");
    // the lift carries the mast, the tool and what is in it
    go(&mut simulation, [0.6, 0.5, -0.5], 2.0);
    let [_, lift, curl] = go(&mut simulation, [0.6, 0.5, -0.5], 1.0);
    let expected = (15.0 + mass) * GRAVITY;
    assert!((lift / expected - 1.0).abs() < 1e-3, "{lift} N, expected {expected} N");
    assert!(curl.abs() > 2.0, "it lies off the axis: {curl} N·m");
    assert!(balance(&simulation).abs() < 1e-12, "{} m³ came or went", balance(&simulation));
    // it is poured out where it is turned over
    go(&mut simulation, [1.2, 0.5, -0.5], 2.0);
    assert_eq!(payload(&simulation), (volume, mass), "nothing is lost on the way");
    go(&mut simulation, [1.2, 0.5, 1.2], 2.0);
    run(&mut simulation, 1.0);
    assert_eq!(payload(&simulation), (0.0, 0.0));
    let heap = (0..40).map(|place| height(&simulation, CELL * f64::from(place))).fold(0.0, f64::max);
    assert!(heap > 0.05, "a heap of {heap} m");
    assert!(balance(&simulation).abs() < 1e-12, "{} m³ came or went", balance(&simulation));
    let [_, lift, _] = go(&mut simulation, [1.2, 0.5, 1.2], 1.0);
    assert!((lift / (15.0 * GRAVITY) - 1.0).abs() < 1e-3, "{lift} N");
}

/// So long is the side of a plate onto which a bucket is poured out [m].
const PLATE: f64 = 0.5;

/// Soil on the first object of the world [m³].
fn on_object(simulation: &Simulation) -> f64 {
    simulation.payload(Owner::Object(0)).volume
}

#[test]
fn what_is_poured_out_lies_on_what_is_below_and_runs_off_where_that_is_full() {
    let plate = format!(
        "[[object]]\nname = \"plate\"\nbox = {{ size = [{PLATE}, {PLATE}, 0.02] }}\nplace = [0.3, 0.0]\nmass = 1.0\nmaterial = \"rock\"\n"
    );
    let world = World::from_str(&format!("{}{plate}", ground_text("sand")), "t.toml", Path::new(".")).unwrap();
    let mut simulation = filled_over(&world);
    let (volume, _) = payload(&simulation);
    go(&mut simulation, [1.2, 0.5, -0.5], 2.0);
    let before = on_object(&simulation);
    go(&mut simulation, [1.2, 0.5, 1.2], 2.0);
    run(&mut simulation, 0.2);
    let after = on_object(&simulation);
    assert_eq!(payload(&simulation), (0.0, 0.0));
    // a pyramid as steep as sand stays, whose foot is half a cell within the plate's rim: the bucket's lip is above the plate all the while
    let (slope, foot) = (libm::tan(Material::preset("sand").unwrap().soil.friction_angle), PLATE * 27.0 / 28.0);
    let most = foot * foot * (0.5 * foot * slope) / 3.0;
    assert!(before == 0.0 && volume > 1.05 * most, "{before} m³ before, {volume} m³ for {most} m³");
    assert!((after / most - 1.0).abs() < 0.01, "{after} of {volume} m³ are on the plate, it holds {most} m³");
    let sum = balance(&simulation) + after;
    assert!(sum.abs() < 1e-12, "{sum} m³ came or went");
    let mass = simulation.payload(Owner::Object(0)).mass;
    assert!((mass / after - 1600.0).abs() < 1e-6, "{mass} kg");
}

#[test]
fn a_snapshot_holds_the_heap_and_the_load() {
    let mut simulation = filled();
    let saved = simulation.snapshot();
    go(&mut simulation, [1.0, 0.3, 0.5], 1.0);
    let (digest, terrain, load) = (simulation.digest(), simulation.world().terrain.clone(), payload(&simulation));
    simulation.restore(&saved).unwrap();
    go(&mut simulation, [1.0, 0.3, 0.5], 1.0);
    assert_eq!((simulation.digest(), &simulation.world().terrain, payload(&simulation)), (digest, &terrain, load));
    let mut fresh = active(&ground("sand"), &gantry(&bucket()), &quiet("stand", -1.0, 0.0));
    fresh.restore(&saved).unwrap();
    go(&mut fresh, [1.0, 0.3, 0.5], 1.0);
    assert_eq!((fresh.digest(), &fresh.world().terrain, payload(&fresh)), (digest, &terrain, load));
    // and back to one that was empty
    let mut empty = over(&ground("sand"), &bucket(), -1.0);
    let before = empty.snapshot();
    let [_, lift, _] = go(&mut empty, [0.0, 0.5, 0.0], 1.0);
    fresh.restore(&before).unwrap();
    assert_eq!(go(&mut fresh, [0.0, 0.5, 0.0], 1.0)[LIFT], lift);
}
