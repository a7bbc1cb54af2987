//! The robot maps nothing of itself: the simulated centaur on a pedestal turns every joint, and its laser looks on.
#![allow(clippy::unwrap_used, reason = "tests")]

use core::f64::consts::TAU;
use std::path::Path;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};
use plant::{Setup, Simulation};
use robot_io::{Commands, JointCommand, JointKind, Lifecycle, Odometry};
use robot_model::{Attached, Configuration, Data, Geometry, RobotModel, Shape, Source, forward_kinematics};
use slam::{AssemblySettings, Sweep, SweepAssembler};
use worlds::World;

/// Holds the robot up so that legs and wheels hang free; the laser does not see it.
const PEDESTAL: &str = r#"
  <link name="pedestal_link">
    <inertial><origin xyz="0 0 -1.2"/><mass value="800"/><inertia ixx="200" ixy="0" ixz="0" iyy="200" iyz="0" izz="200"/></inertial>
    <visual><origin xyz="0.02 0 0"/><geometry><box size="0.01 0.01 0.01"/></geometry></visual>
    <collision><origin xyz="0 0 -1.25"/><geometry><box size="1.6 1.6 0.1"/></geometry></collision>
  </link>
  <joint name="pedestal_mount" type="fixed"><parent link="base_link"/><child link="pedestal_link"/></joint>
"#;

/// In the left hand.
const STICK: &str = r#"
  <link name="stick_link">
    <inertial><mass value="0.1"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial>
    <visual><geometry><box size="0.05 0.5 0.05"/></geometry></visual>
  </link>
  <joint name="stick_mount" type="fixed"><parent link="left_hand_palm_link"/><child link="stick_link"/><origin xyz="0 0 -0.1"/></joint>
"#;

/// The centaur with more links.
fn centaur(more: &[&str]) -> RobotModel {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur");
    let [toml, urdf] = ["centaur.toml", "centaur.urdf"].map(|name| Source::read(&folder.join(name)).unwrap());
    let text = String::from_utf8(urdf.bytes.to_vec()).unwrap();
    let text = text.replace("</robot>", &format!("{}</robot>", more.concat()));
    RobotModel::from_sources(toml, Source { bytes: Arc::from(text.into_bytes()), ..urdf }).unwrap()
}

/// Level ground whose every echo is lost, or none, and what stands on it.
fn world(reflectivity: f64, objects: &str) -> World {
    let text = format!(
        "name = \"test\"\n[terrain]\ncell = 0.5\nsize = [30.0, 30.0]\nmaterial = \"floor\"\n\
         [[material]]\nname = \"floor\"\nbase = \"concrete\"\nreflectivity = {reflectivity:?}\n{objects}"
    );
    World::from_str(&text, "test.toml", Path::new(".")).unwrap()
}

/// A robot that turns its joints on the spot.
struct Gymnast {
    simulation: Simulation,
    assemblers: Vec<SweepAssembler>,
    commands: Commands,
    /// Lowest and highest position that each joint had [rad].
    ranges: Vec<[f64; 2]>,
    /// Echoes of all scans.
    echoes: usize,
    moves: bool,
}

impl Gymnast {
    /// `real` is what the plant has, `believed` what the assemblers believe, one each.
    fn new(real: &RobotModel, believed: &[&RobotModel], world: &World) -> Gymnast {
        let setup = Setup { seed: 5, sensors: vec!["laser".to_owned()], ..Setup::default() };
        let mut simulation = Simulation::new(world, real, &setup).unwrap();
        for state in [Lifecycle::Inactive, Lifecycle::Active] {
            simulation.transition(state).unwrap();
        }
        let layout = simulation.layout().clone();
        let assembler = |model: &&RobotModel| SweepAssembler::new(model, &layout, AssemblySettings::default()).unwrap();
        Gymnast {
            assemblers: believed.iter().map(assembler).collect(),
            commands: Commands::new(&layout),
            ranges: vec![[f64::INFINITY, f64::NEG_INFINITY]; layout.joints.len()],
            echoes: 0,
            moves: true,
            simulation,
        }
    }

    /// Every joint goes to and fro between its limits, each in its own time, so that all combinations come up.
    fn command(&mut self, model: &RobotModel) {
        let time = self.simulation.time().seconds();
        let start = &model.description.pose("stand").unwrap().positions;
        for (index, joint) in model.tree.joints.iter().enumerate() {
            let settings = &model.description.joints[index];
            let (stiffness, damping) = (settings.stiffness, settings.damping);
            self.commands.joints[index] = match joint.kind {
                JointKind::Continuous => JointCommand::turn(3.0, damping.max(1.0)),
                _ if !self.moves => JointCommand::hold(start[index], stiffness, damping),
                _ => {
                    let (middle, half) = (
                        0.5 * (joint.limits.lower + joint.limits.upper),
                        0.5 * (joint.limits.upper - joint.limits.lower),
                    );
                    let period = (8.0 + 0.37 * (index % 17) as f64).max(half * TAU / 2.0);
                    let phase = ((start[index] - middle) / half).clamp(-1.0, 1.0).asin();
                    let angle = middle + half * (phase + TAU * time / period).sin();
                    JointCommand::hold(angle, stiffness, damping)
                }
            };
        }
    }

    /// One cycle; the sweeps that it completes, one for each assembler.
    fn cycle(&mut self, model: &RobotModel) -> Option<Vec<Sweep>> {
        let base_in_odom = self.simulation.truth().base_in_world;
        let readings = self.simulation.readings();
        let odometry = Odometry { stamp: readings.time, base_in_odom, ..Odometry::default() };
        for (joint, range) in readings.joints.iter().zip(&mut self.ranges) {
            *range = [range[0].min(joint.position), range[1].max(joint.position)];
        }
        if let Some(scan) = &readings.scans[0] {
            self.echoes += scan.ranges.iter().filter(|range| **range > 0).count();
        }
        // every one of them, also if the first has nothing to tell
        let turns: Vec<_> = self.assemblers.iter_mut().map(|one| one.update(readings, &odometry)).collect();
        let sweeps: Option<Vec<Sweep>> = turns.into_iter().map(|turn| turn.map(|turn| turn.sweep())).collect();
        self.commands.answer(self.simulation.readings());
        self.command(model);
        self.assemblers[0].spin(&mut self.commands);
        self.simulation.command(&self.commands).unwrap();
        (0..self.simulation.steps_per_cycle()).for_each(|_| self.simulation.step());
        sweeps
    }

    fn sweeps(&mut self, model: &RobotModel, seconds: f64) -> Vec<Vec<Sweep>> {
        (0..(seconds / 0.004) as usize).filter_map(|_| self.cycle(model)).collect()
    }

    /// Joints that have not been through nine tenths of their range, by name.
    fn lazy(&self, model: &RobotModel) -> Vec<String> {
        let joints = model.tree.joints.iter().zip(&self.ranges);
        let lazy = joints.filter(|(joint, [low, high])| {
            let all = (joint.limits.upper - joint.limits.lower).min(TAU);
            high - low < 0.9 * all
        });
        lazy.map(|(joint, range)| format!("{} {range:?} of {:?}", joint.name, joint.limits)).collect()
    }
}

/// Points within the robot's reach that are higher above level ground than noise lifts them.
fn off_the_ground(sweep: &Sweep) -> Vec<Point3<f64>> {
    let in_world = sweep.points.iter().map(|point| sweep.base_in_odom * Point3::from(point.position).cast::<f64>());
    let base = Point3::from(sweep.base_in_odom.translation.vector);
    in_world.filter(|point| point.z.abs() > 0.08 && (point - base).norm() < 3.0).collect()
}

#[test]
fn whatever_is_sensed_of_the_robot_itself_is_taken_out() {
    let mut model = centaur(&[PEDESTAL]);
    // every joint goes to its ends whatever the others do: through the robot itself, where they meet
    model.description.no_contact = vec![(0..model.tree.links.len()).collect()];
    // what a filter would know that goes by what the robot can bump into
    let mut bumps = model.clone();
    bumps.tree.links.iter_mut().for_each(|link| link.visuals = link.collisions.clone());
    // on ground that gives no echo every point is one of the robot; on bright ground there are mixtures of both
    for (reflectivity, own) in
        [(0.0, (|sweep| sweep.points.len()) as fn(&Sweep) -> usize), (0.8, |sweep| off_the_ground(sweep).len())]
    {
        let mut gymnast = Gymnast::new(&model, &[&model, &bumps], &world(reflectivity, ""));
        let sweeps = gymnast.sweeps(&model, 24.0);
        let left: Vec<usize> = sweeps.iter().map(|sweeps| own(&sweeps[0])).collect();
        let kept: usize = sweeps.iter().map(|sweeps| sweeps[0].points.len()).sum();
        let by_bumps: usize = sweeps.iter().map(|sweeps| own(&sweeps[1])).sum();
        println!("by collision shapes alone {} own points a sweep stay", by_bumps / sweeps.len());
        println!(
            "{reflectivity}: {} echoes in {} sweeps, {kept} points kept, own: {left:?}",
            gymnast.echoes,
            sweeps.len()
        );
        assert!(gymnast.lazy(&model).is_empty(), "{:?}", gymnast.lazy(&model));
        assert!(sweeps.len() >= 12 && gymnast.echoes > 20_000, "{} echoes", gymnast.echoes);
        assert!(by_bumps > 10 * sweeps.len(), "the laser does see the robot: {by_bumps}");
        assert_eq!(left.iter().sum::<usize>(), 0, "points of the robot itself, sweep by sweep: {left:?}");
    }
}

#[test]
fn what_a_hand_holds_is_no_part_of_the_world_once_it_is_told() {
    let (real, believed) = (centaur(&[PEDESTAL, STICK]), centaur(&[PEDESTAL]));
    let mut gymnast = Gymnast::new(&real, &[&believed, &believed], &world(0.0, ""));
    let stick = Attached {
        link: believed.tree.link("left_hand_palm_link").unwrap(),
        geometry: Geometry {
            shape: Shape::Box { size: Vector3::new(0.05, 0.5, 0.05) },
            pose_in_link: Isometry3::translation(0.0, 0.0, -0.1),
            color: None,
        },
    };
    gymnast.assemblers[0].hold(&[stick]).unwrap();
    let sweeps = gymnast.sweeps(&real, 12.0);
    let points = |which: usize| sweeps.iter().map(|sweeps| sweeps[which].points.len()).sum::<usize>();
    println!("{} points told, {} not told", points(0), points(1));
    assert_eq!(points(0), 0);
    assert!(points(1) > 100, "the laser sees it: {}", points(1));
    gymnast.assemblers[0].hold(&[]).unwrap();
    let mesh = Shape::Mesh { uri: "stick.stl".to_owned(), scale: Vector3::repeat(1.0) };
    let geometry = Geometry { shape: mesh, pose_in_link: Isometry3::identity(), color: None };
    let refused = gymnast.assemblers[0].hold(&[Attached { link: 0, geometry }]).unwrap_err().to_string();
    assert!(refused.contains("found a mesh on link \"base_link\""), "{refused}");
}

/// How far the robot reaches to its left in a posture [m].
fn left_end(model: &RobotModel, joints: &[f64]) -> f64 {
    let mut data = Data::new(&model.tree);
    let configuration = Configuration { base_in_world: Isometry3::identity(), joints: joints.to_vec() };
    forward_kinematics(&model.tree, &configuration, &mut data);
    let shapes = model
        .tree
        .links
        .iter()
        .zip(&data.link_in_base)
        .flat_map(|(link, pose)| link.seen().map(move |shape| (shape, pose)));
    let end = |(geometry, link): (&Geometry, &Isometry3<f64>)| {
        let pose = link * geometry.pose_in_link;
        let left = pose.rotation.inverse() * Vector3::y();
        let extent = match &geometry.shape {
            Shape::Box { size } => 0.5 * size.dot(&left.abs()),
            Shape::Cylinder { radius, length } => radius * left.xy().norm() + 0.5 * length * left.z.abs(),
            Shape::Capsule { radius, length } => radius + 0.5 * length * left.z.abs(),
            Shape::Sphere { radius } => *radius,
            Shape::Mesh { .. } => 0.0,
        };
        pose.translation.y + extent
    };
    shapes.map(end).fold(0.0, f64::max)
}

#[test]
fn a_wall_that_nearly_touches_the_robot_stays_in_the_sweep() {
    let model = centaur(&[]);
    let mut blind = model.clone();
    for link in &mut blind.tree.links {
        (link.visuals, link.collisions) = (Vec::new(), Vec::new());
    }
    let end = left_end(&model, &model.description.pose("stand").unwrap().positions);
    // the rest lies in line with the rim of an arm, so near behind it that its echo may be half the arm's
    for (gap, least) in [(0.02, 0.7), (0.05, 0.7), (0.1, 0.7)] {
        let face = end + gap;
        let wall = format!(
            "[[object]]\nname = \"wall\"\nbox = {{ size = [4.0, 0.1, 1.2] }}\nplace = [0.0, {:.4}]\nmaterial = \"concrete\"\n",
            face + 0.05
        );
        let mut gymnast = Gymnast::new(&model, &[&model, &blind], &world(0.0, &wall));
        gymnast.moves = false;
        let sweeps = gymnast.sweeps(&model, 4.0);
        let on_wall = |sweep: &Sweep| {
            let in_world = |position: [f32; 3]| sweep.base_in_odom * Point3::from(position).cast::<f64>();
            sweep.points.iter().filter(|point| (in_world(point.position).y - face).abs() < 0.03).count()
        };
        let [kept, seen] = [0, 1].map(|which| sweeps.iter().map(|sweeps| on_wall(&sweeps[which])).sum::<usize>());
        println!("wall {gap} m beside the robot: {kept} of {seen} points kept");
        assert!(seen > 5000 && kept as f64 > least * seen as f64, "{kept} of {seen} at {gap} m");
    }
}
