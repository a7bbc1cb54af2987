//! The calibration on the simulated centaur, with a laser that sits elsewhere than the controller is told:
//!
//! ```text
//! cargo run --release -p slam --example calibrate -- METRES SEED X Y Z ROLL PITCH YAW DELAY
//! ```
//!
//! The last seven are by how much what is told differs from the truth: millimetres and degrees, in the frame that turns, and the
//! delay of the scans' stamps in milliseconds.

#[path = "tour/route.rs"]
mod route;

use std::path::Path;

use estimation::OdometryEstimator;
use locomotion::{BodyTarget, FollowerSettings, Locomotion, PoseFollower, Settings};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use plant::{Setup, Simulation, plug};
use robot_io::deadline::InlineBoard;
use robot_io::{Clock, Commands, Pose2, Readings, RobotIo};
use robot_model::RobotModel;
use route::{Route, TOUR};
use slam::{Slam, SlamSettings};
use worlds::World;

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Fallible<()> {
    let numbers: Vec<f64> = std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let number = |index: usize| numbers.get(index).copied().unwrap_or_default();
    let wrong = Vector3::new(number(2), number(3), number(4)) * 1e-3;
    let turned = Vector3::new(number(5), number(6), number(7)).map(f64::to_radians);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let robot = RobotModel::load(&root.join("robot_models/centaur/centaur.toml"))?;
    let world = World::load(&root.join("worlds/spacebot.toml"))?;
    let spawn = Pose2 { x: TOUR[0][0], y: TOUR[0][1], yaw: 0.0 };
    let setup = Setup { seed: number(1) as u64, spawn, sensors: vec!["laser".to_owned()], ..Setup::default() };
    let (mut sim, mut clock, shared) = plug(Simulation::new(&world, &robot, &setup)?);
    let mut told = robot.clone();
    let link = told.tree.link(&sim.layout().lasers[0].frame).unwrap_or_default();
    let place = &mut told.tree.links[link].placement_in_parent;
    *place = Isometry3::from_parts(
        (place.translation.vector + wrong).into(),
        UnitQuaternion::from_scaled_axis(turned) * place.rotation,
    );
    let mut settings = SlamSettings::default();
    settings.assembly.scan_delay = 1e-3 * number(8);
    let calibration = settings.calibration;
    let mut slam = Slam::new(&told, sim.layout(), settings, spawn)?;
    let (mut readings, mut commands) = (Readings::new(sim.layout()), Commands::new(sim.layout()));
    let mut estimator = OdometryEstimator::new(&robot, sim.layout())?;
    let mut locomotion = Locomotion::new(&robot, sim.layout(), Settings::default())?;
    let mut follower = PoseFollower::new(FollowerSettings::default())?;
    let (mut route, mut board) = (Route::default(), InlineBoard::default());
    sim.bring_up()?;
    sim.read(&mut readings)?;
    estimator.reset(&readings);
    locomotion.reset(&readings);
    let (mut shown, mut track) = (-10.0, Vec::new());
    while route.driven < number(0) {
        sim.read(&mut readings)?;
        let odometry = *estimator.update(&readings);
        slam.update(&readings, &odometry);
        board.begin(readings.cycle);
        slam.exchange(&mut board);
        for event in slam.drain_events() {
            println!("     {:6.1} s {} {:.2} {:.2}", readings.time.seconds(), event.what, event.value, event.limit);
        }
        if route.driven >= shown + 5.0 {
            shown = route.driven;
            let (laser, axis) = (slam.calibration().laser(&calibration), slam.calibration().axis(&calibration));
            println!("{:5.1} m", route.driven);
            show("laser", laser.mean.as_slice(), laser.deviation.as_slice());
            show("axis ", axis.mean.as_slice(), axis.deviation.as_slice());
        }
        track.push((shared.truth().base_in_world, slam.localization().base_in_map, route.driven));
        let rests = readings.time.seconds() < 4.0;
        let twist = if rests { Default::default() } else { route.steer(&mut follower, &shared) };
        let height = locomotion.stance_height();
        locomotion.set_target(BodyTarget { twist, height, ..BodyTarget::default() });
        locomotion.update(&readings, &odometry, &mut commands);
        slam.spin(&mut commands);
        sim.write(&commands)?;
        clock.advance()?;
    }
    println!(
        "drift over 10 m pieces {:.3} % of the whole way, {:.3} % of its second half",
        drift(&track, 0),
        drift(&track, track.len() / 2)
    );
    Ok(())
}

/// Mean and deviation: three in mm, three in degrees, one in %, one in ms.
fn show(what: &str, mean: &[f64], deviation: &[f64]) {
    let scale = |index: usize| match index {
        3..=5 => 180.0 / core::f64::consts::PI,
        6 => 100.0,
        _ => 1e3,
    };
    let numbers = mean.iter().zip(deviation).enumerate();
    let words: Vec<String> = numbers
        .map(|(index, (mean, deviation))| format!("{:6.2} ± {:5.2}", mean * scale(index), deviation * scale(index)))
        .collect();
    println!("  {what} {}", words.join(", "));
}

/// Mean relative error of the place over pieces of 10 m [%].
fn drift(track: &[(Isometry3<f64>, Isometry3<f64>, f64)], from: usize) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for begin in (from..track.len()).step_by(250) {
        let end = track.partition_point(|(_, _, driven)| *driven < track[begin].2 + 10.0);
        let (Some(a), Some(b)) = (track.get(begin), track.get(end)) else { break };
        let off = a.0.inv_mul(&b.0).inverse() * a.1.inv_mul(&b.1);
        sum += off.translation.vector.norm() / 10.0;
        count += 1.0;
    }
    100.0 * sum / f64::max(count, 1.0)
}
