//! Sweeps of the simulated centaur against the true terrain.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use estimation::OdometryEstimator;
use locomotion::{BodyTarget, Locomotion, Settings};
use nalgebra::{Isometry3, Point3};
use plant::{Setup, Simulation};
use robot_io::{Commands, Lifecycle, Odometry, Pose2, Twist};
use robot_model::RobotModel;
use slam::{AssemblySettings, Sweep, SweepAssembler, SweepPoint};
use worlds::World;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The centaur with its own odometry, in a world that ships.
struct Run {
    simulation: Simulation,
    estimator: OdometryEstimator,
    locomotion: Locomotion,
    assembler: SweepAssembler,
    commands: Commands,
    odometry: Odometry,
    /// Takes the truth for odometry: what is off then is off in the assembly itself.
    cheats: bool,
}

impl Run {
    fn new(world: &World, spawn: Pose2, cheats: bool) -> Run {
        let model = RobotModel::load(&root().join("robot_models/centaur/centaur.toml")).unwrap();
        let setup = Setup { seed: 3, spawn, sensors: vec!["laser".to_owned()], ..Setup::default() };
        let mut simulation = Simulation::new(world, &model, &setup).unwrap();
        for state in [Lifecycle::Inactive, Lifecycle::Active] {
            simulation.transition(state).unwrap();
        }
        let layout = simulation.layout().clone();
        let mut locomotion = Locomotion::new(&model, &layout, Settings::default()).unwrap();
        let mut estimator = OdometryEstimator::new(&model, &layout).unwrap();
        locomotion.reset(simulation.readings());
        estimator.reset(simulation.readings());
        Run {
            assembler: SweepAssembler::new(&model, &layout, AssemblySettings::default()).unwrap(),
            commands: Commands::new(&layout),
            odometry: Odometry::default(),
            simulation,
            estimator,
            locomotion,
            cheats,
        }
    }

    /// One control cycle; with what it completes, a sweep and where the base was at its end.
    fn cycle(&mut self, twist: Twist) -> Option<(Sweep, Isometry3<f64>)> {
        let readings = self.simulation.readings();
        let base_in_world = self.simulation.truth().base_in_world;
        self.odometry = *self.estimator.update(readings);
        let turn = match self.cheats {
            true => self.assembler.update(readings, &Odometry { base_in_odom: base_in_world, ..self.odometry }),
            false => self.assembler.update(readings, &self.odometry),
        };
        self.commands.answer(readings);
        self.locomotion.set_target(BodyTarget { twist, ..*self.locomotion.target() });
        self.locomotion.update(readings, &self.odometry, &mut self.commands);
        self.assembler.spin(&mut self.commands);
        self.simulation.command(&self.commands).unwrap();
        let last = self.simulation.time();
        (0..self.simulation.steps_per_cycle()).for_each(|_| self.simulation.step());
        let sweep = turn?.sweep();
        // the scan arrives with the cycle: its end lies within the cycle before it
        let back = last.since(sweep.end).seconds();
        assert!((0.0..0.008).contains(&back), "{back} s");
        let truth = match self.cheats {
            true => sweep.base_in_odom,
            false => base_in_world * self.odometry.base_in_odom.inverse() * sweep.base_in_odom,
        };
        Some((sweep, truth))
    }

    /// The sweeps of so many seconds of a motion.
    fn sweeps(&mut self, seconds: f64, twist: Twist) -> Vec<(Sweep, Isometry3<f64>)> {
        (0..(seconds / 0.004) as usize).filter_map(|_| self.cycle(twist)).collect()
    }

    /// Root mean square distance of points from the terrain, across it, within 8 m [m]; and how many there were. What is
    /// farther off than 0.2 m is a stone or an object.
    fn roughness(
        &self,
        sweep: &Sweep,
        base_in_world: &Isometry3<f64>,
        place: fn(&SweepPoint) -> [f32; 3],
    ) -> (f64, usize) {
        let terrain = &self.simulation.world().terrain;
        let (mut squares, mut count) = (0.0, 0);
        for point in &sweep.points {
            let in_base = Point3::from(place(point)).cast::<f64>();
            let at = base_in_world * in_base;
            let (Some(height), Some(normal)) = (terrain.height_at(at.x, at.y), terrain.normal_at(at.x, at.y)) else {
                continue;
            };
            let distance = (at.z - height) * normal.z;
            if in_base.coords.norm() < 8.0 && distance.abs() < 0.2 {
                (squares, count) = (squares + distance * distance, count + 1);
            }
        }
        ((squares / f64::from(count.max(1))).sqrt(), count as usize)
    }

    /// The largest roughness of some sweeps: placed, and as measured [m].
    fn worst(&self, sweeps: &[(Sweep, Isometry3<f64>)]) -> [f64; 2] {
        let mut worst = [0.0_f64; 2];
        for (sweep, truth) in sweeps {
            let (placed, count) = self.roughness(sweep, truth, |point| point.position);
            let (measured, _) = self.roughness(sweep, truth, |point| point.as_measured);
            let (placed_mm, measured_mm) = (1e3 * placed, 1e3 * measured);
            println!("{count} of {} points: {placed_mm:.1} mm, not undone {measured_mm:.1} mm", sweep.points.len());
            assert!(count > 5_000, "{count}");
            worst = [worst[0].max(placed), worst[1].max(measured)];
        }
        worst
    }
}

const AHEAD: Twist = Twist { x: 0.35, y: 0.0, yaw: 0.0 };
const ROUND: Twist = Twist { x: 0.2, y: 0.0, yaw: 0.3 };

#[test]
fn points_lie_on_the_true_ground_standing_and_driving() {
    let world = World::load(&root().join("worlds/spacebot.toml")).unwrap();
    let place = &world.spawns[0];
    let spawn = Pose2 { x: place.x, y: place.y, yaw: place.yaw };
    for cheats in [true, false] {
        let mut run = Run::new(&world, spawn, cheats);
        run.sweeps(1.0, Twist::default());
        for twist in [Twist::default(), AHEAD, ROUND] {
            let sweeps = run.sweeps(4.0, twist);
            let [placed, measured] = run.worst(&sweeps);
            // the scanner's own noise is 10 mm along the beam
            assert!(placed < 0.011, "{twist:?}: {placed} m");
            assert!(twist.is_zero() || measured > 0.03, "{twist:?}: {measured} m");
        }
    }
}

/// Walls all round at 5 m, which show an error of the axis' angle: a corner moves by 7 mm per mrad.
#[test]
fn points_lie_on_the_true_walls() {
    let wall = |name: &str, size: [f64; 2], place: [f64; 2]| {
        let ([a, b], [x, y]) = (size, place);
        format!(
            "[[object]]\nname = \"{name}\"\nbox = {{ size = [{a:.1}, {b:.1}, 3.0] }}\nplace = [{x:.1}, {y:.1}]\nmaterial = \"concrete\"\n"
        )
    };
    let text = format!(
        "name = \"room\"\n[terrain]\ncell = 0.1\nsize = [20.0, 20.0]\nmaterial = \"concrete\"\n{}{}{}{}",
        wall("east", [0.2, 10.4], [5.1, 0.0]),
        wall("west", [0.2, 10.4], [-5.1, 0.0]),
        wall("north", [10.0, 0.2], [0.0, 5.1]),
        wall("south", [10.0, 0.2], [0.0, -5.1]),
    );
    let world = World::from_str(&text, "room.toml", Path::new(".")).unwrap();
    let mut run = Run::new(&world, Pose2 { x: -1.0, y: 0.5, yaw: 0.3 }, true);
    run.sweeps(1.0, Twist::default());
    for twist in [Twist::default(), ROUND] {
        for (sweep, truth) in run.sweeps(4.0, twist) {
            let (mut squares, mut lean, mut count) = (0.0, 0.0, 0);
            for point in &sweep.points {
                let at = truth * Point3::from(point.position).cast::<f64>();
                let (across, along, sign) = match at.x.abs() > at.y.abs() {
                    true => (at.x.abs() - 5.0, at.y - truth.translation.y, at.x.signum()),
                    false => (at.y.abs() - 5.0, at.x - truth.translation.x, -at.y.signum()),
                };
                if at.z > 0.3 && across.abs() < 0.2 {
                    // turning by a moves a place on a wall by −a·along across it
                    lean += -sign * across * along / 8.0;
                    (squares, count) = (squares + across * across, count + 1);
                }
            }
            let (rms, lean) = ((squares / f64::from(count)).sqrt(), lean / f64::from(count));
            println!("{twist:?}: {count} points on walls, {:.1} mm, turned by about {:.2} mrad", 1e3 * rms, 1e3 * lean);
            assert!(rms < 0.011 && count > 4_000, "{rms} m of {count}");
            assert!(lean.abs() < 1e-3, "{lean} rad");
        }
    }
}
