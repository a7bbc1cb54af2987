//! Every robot behind the plug passes the same suite: the dummy, the simulation, the simulation behind EtherCAT boards, a
//! replay, and each of them inside the wrappers. What a robot cannot do is listed, not passed over.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hil::bus_file::BusPlan;
use hil::main_device::EtherCat;
use hil::virtual_bus::{InProcess, VirtualBus};
use plant::{Setup, Simulation};
use replay::{Header, LogReader, LogWriter, Recorder, Replay};
use robot_io::conformance::{Abilities, Plugged, Probe, Subject, check};
use robot_io::{
    Clock, Commands, DummyRobot, FaultInjector, IoError, JointCommand, JointStatus, Lifecycle, Pose2, Readings,
    RobotIo, RobotLayout, SafetyFilter, SafetyLimits,
};
use robot_model::{RobotModel, Source};
use support::root;
use worlds::World;

/// Examines, and asserts that nothing was found and that exactly these checks were skipped.
fn assert_sound(mut subject: Subject<'_>, skipped: &[&str]) {
    let report = check(&mut subject);
    println!("{report}");
    assert!(report.is_sound(), "{report}");
    let found: Vec<&str> = report.skipped.iter().map(|skipped| skipped.check).collect();
    assert_eq!(found, skipped, "{report}");
}

/// What no robot here can be made to do.
const NO_FAULT: [&str; 2] =
    ["the life cycle in every order, from a fault", "after a fault it can be switched on again"];
const NO_BARE_TWIN: &str = "a robot without sensors has no entry for them";
const NO_EFFORT: &str = "effort points where the joint is pushed, in its unit";

/// A wrapper that the suite puts around a robot.
type Wrap = fn(Box<dyn RobotIo>) -> Box<dyn RobotIo>;

/// Bare, and with all that a session puts around it.
const WRAPPERS: [Wrap; 2] = [
    |robot| robot,
    |robot| {
        let injector = FaultInjector::new(robot, Vec::new(), 1).unwrap();
        Box::new(SafetyFilter::new(injector, SafetyLimits::default()))
    },
];

fn wrapped(wrap: Wrap, plugged: Plugged) -> Plugged {
    Plugged { robot: wrap(plugged.robot), ..plugged }
}

#[test]
fn the_dummy() {
    let hold = || {
        let hinge = JointCommand::hold(0.0, 100.0, 1.0);
        vec![hinge, hinge, JointCommand::turn(0.0, 1.0)]
    };
    let plug = |wrap: Wrap, layout: RobotLayout| {
        let (robot, clock) = DummyRobot::with_clock(layout);
        Ok(wrapped(wrap, Plugged::new(robot, clock)))
    };
    for wrap in WRAPPERS {
        let mut subject = Subject::new("DummyRobot", hold(), || plug(wrap, RobotLayout::example()));
        let mut blind = RobotLayout::example();
        (blind.imus, blind.contacts, blind.batteries) = (Vec::new(), Vec::new(), Vec::new());
        subject.without_sensors = Some(Box::new(move || plug(wrap, blind.clone())));
        subject.probes = vec![
            Probe { joint: 1, step: 0.2, effort: 0.0, cycles: 80, tolerance: 0.01 },
            Probe { joint: 2, step: 2.0, effort: 0.0, cycles: 80, tolerance: 0.01 },
        ];
        subject.abilities.measures_effort = false;
        assert_sound(subject, &[NO_FAULT[0], NO_FAULT[1], NO_EFFORT]);
    }
}

fn simulated(world: &World, robot: &RobotModel, setup: &Setup, wrap: Wrap) -> Plugged {
    let simulation = Simulation::new(world, robot, setup).unwrap();
    let (robot, clock, _) = plant::plug(simulation);
    wrapped(wrap, Plugged::new(robot, clock))
}

fn floor() -> World {
    let text = "name = \"t\"\n[terrain]\ncell = 0.5\nsize = [20.0, 20.0]\nmaterial = \"concrete\"\n";
    World::from_str(text, "t.toml", Path::new(".")).unwrap()
}

/// The centaur on level ground, held in the pose in which it starts, noise and all.
fn centaur() -> (World, RobotModel, Setup, Vec<JointCommand>) {
    let world = floor();
    let robot = RobotModel::load(&root().join("robot_models/centaur/centaur.toml")).unwrap();
    let setup = Setup { spawn: Pose2::default(), ..Setup::default() };
    let simulation = Simulation::new(&world, &robot, &setup).unwrap();
    let pose = simulation.truth().joint_positions;
    let settings = robot.description.joints.iter().zip(&pose);
    let mut hold: Vec<JointCommand> =
        settings.map(|(settings, at)| JointCommand::hold(*at, settings.stiffness, settings.damping)).collect();
    for wheel in &robot.description.wheels {
        hold[wheel.drive_joint] = JointCommand::turn(0.0, robot.description.joints[wheel.drive_joint].damping);
    }
    (world, robot, setup, hold)
}

/// The joints of the centaur that are moved: one in an arm, and the one that bears both.
fn centaur_probes(layout: &RobotLayout) -> Vec<Probe> {
    let probe = |name: &str, step, effort| {
        let joint = layout.joint(name).unwrap();
        Probe { joint, step, effort, cycles: 250, tolerance: 0.03 }
    };
    vec![probe("left_arm_elbow_pitch", 0.2, 8.0), probe("spine_yaw", 0.1, 10.0)]
}

#[test]
fn the_simulated_centaur() {
    let (world, robot, setup, hold) = centaur();
    for wrap in WRAPPERS {
        let mut subject =
            Subject::new("SimRobot, the centaur", hold.clone(), || Ok(simulated(&world, &robot, &setup, wrap)));
        subject.probes = centaur_probes(&robot.layout());
        assert_sound(subject, &[NO_BARE_TWIN, NO_FAULT[0], NO_FAULT[1]]);
    }
}

/// A heavy stand with an arm that turns about the vertical, and a free wheel in the air; with an IMU or without.
fn turret(imu: &str) -> RobotModel {
    let link = |name: &str, mass: f64, at: &str, moment: f64, more: &str| {
        format!(
            "<link name=\"{name}\"><inertial><origin xyz=\"{at}\"/><mass value=\"{mass}\"/><inertia ixx=\"{moment}\" \
             ixy=\"0\" ixz=\"0\" iyy=\"{moment}\" iyz=\"0\" izz=\"{moment}\"/></inertial>{more}</link>"
        )
    };
    let foot = "<collision><geometry><box size=\"2 2 0.5\"/></geometry></collision>";
    let urdf = format!(
        "<robot name=\"turret\">{}{}{}\
         <joint name=\"turn\" type=\"revolute\"><parent link=\"stand\"/><child link=\"arm\"/><origin xyz=\"0 0 1\"/>\
         <axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\" effort=\"60\" velocity=\"4\"/></joint>\
         <joint name=\"spin\" type=\"continuous\"><parent link=\"arm\"/><child link=\"disc\"/><origin xyz=\"0.4 0 0\"/>\
         <axis xyz=\"0 1 0\"/><limit effort=\"60\" velocity=\"10\"/></joint></robot>",
        link("stand", 300.0, "0 0 0", 100.0, foot),
        link("arm", 3.0, "0.2 0 0", 0.1, ""),
        link("disc", 1.0, "0 0 0", 0.05, ""),
    );
    let toml = format!(
        "name = \"turret\"\ncycle_period_us = 2000\n\
         [[actuator]]\nname = \"geared\"\nrated_effort = 30.0\npeak_effort = 60.0\nno_load_speed = 12.0\n\
         gear_ratio = 100.0\nrotor_inertia = 1e-5\ncoulomb_friction = 0.3\nviscous_friction = 0.1\ndelay_us = 1000\n\
         backlash = 0.0005\nencoder_counts_per_turn = 100000\nposition_noise = 2e-5\nvelocity_noise = 0.002\n\
         effort_noise = 0.1\ntorque_constant = 0.1\nefficiency = 0.9\n\
         thermal = {{ resistance = 1.0, capacitance = 400.0, ambient = 20.0, derate_from = 80.0, trip_at = 100.0, \
         copper_loss = 0.01 }}\n\
         [[joints]]\nnames = [\"turn\", \"spin\"]\nactuator = \"geared\"\nstiffness = 300.0\ndamping = 20.0\n\
         [[pose]]\nname = \"stand\"\n{imu}"
    );
    let source = |name: &str, text: &str| Source { name: name.to_owned(), bytes: text.as_bytes().into() };
    RobotModel::from_sources(source("turret.toml", &toml), source("turret.urdf", &urdf)).unwrap()
}

#[test]
fn a_small_simulated_robot_with_sensors_and_without() {
    let world = floor();
    let imu = "[[imu]]\nname = \"imu\"\nlink = \"stand\"\nxyz = [0.0, 0.0, 0.0]\nrpy = [0.0, 0.0, 0.0]\ngyro_noise_density = 1e-4\n\
               gyro_turn_on_bias = 3e-3\naccel_turn_on_bias = 0.03\nscale_error = 2e-3\nmisalignment = 1e-3\n\
               attitude_time = 2.0\naccel_noise_density = 4e-3\ngyro_bias_walk = 0.0\naccel_bias_walk = 0.0\nrate_hz = 500.0\n";
    let (sighted, blind, setup) = (turret(imu), turret(""), Setup { pose: "stand".to_owned(), ..Setup::default() });
    let hold = vec![JointCommand::hold(0.0, 300.0, 20.0), JointCommand::turn(0.0, 20.0)];
    for wrap in WRAPPERS {
        let mut subject =
            Subject::new("SimRobot, a turret", hold.clone(), || Ok(simulated(&world, &sighted, &setup, wrap)));
        subject.without_sensors = Some(Box::new(|| Ok(simulated(&world, &blind, &setup, wrap))));
        subject.probes = vec![
            Probe { joint: 0, step: 0.3, effort: 10.0, cycles: 300, tolerance: 0.02 },
            Probe { joint: 1, step: 3.0, effort: 10.0, cycles: 300, tolerance: 0.15 },
        ];
        assert_sound(subject, &NO_FAULT);
    }
}

/// Records two seconds of the centaur standing.
fn recorded(folder: &Path) -> (PathBuf, Vec<JointCommand>) {
    let (world, robot, setup, hold) = centaur();
    let path = folder.join("run.mcap");
    let (robot, mut clock, _) = plant::plug(Simulation::new(&world, &robot, &setup).unwrap());
    let layout = robot.layout().clone();
    let log = LogWriter::create(&path, &Header::new(layout.clone(), "conformance", 1)).unwrap();
    let mut robot = Recorder::new(robot, log.clone());
    let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
    robot.bring_up().unwrap();
    for _ in 0..500 {
        robot.read(&mut readings).unwrap();
        commands.answer(&readings);
        commands.joints.copy_from_slice(&hold);
        robot.write(&commands).unwrap();
        clock.advance().unwrap();
    }
    log.finish().unwrap();
    (path, hold)
}

#[test]
fn a_replay() {
    let folder = tempfile::tempdir().unwrap();
    let (path, hold) = recorded(folder.path());
    let log = LogReader::open(&path).unwrap();
    for wrap in WRAPPERS {
        let mut subject = Subject::new("Replay", hold.clone(), || {
            let (robot, clock) = Replay::new(&log).map_err(robot_io::IoError::from)?;
            Ok(wrapped(wrap, Plugged::new(robot, clock)))
        });
        subject.abilities = Abilities { follows_commands: false, leaves_operator: false, ..Abilities::default() };
        assert_sound(
            subject,
            &[
                "an answer changes nothing before time passes",
                NO_BARE_TWIN,
                "what the operator does is left as it was",
                NO_FAULT[0],
                "commands act only while it is active",
                NO_FAULT[1],
                "a joint goes where it is told, in its unit",
                "velocity is how position changes",
                NO_EFFORT,
                "no command takes a joint outside its limits",
                "a command that is no number reaches no joint",
                "an emergency stop acts within two cycles",
                "an emergency stop acts through the safety filter",
            ],
        );
    }
}

/// A robot whose drives can be made to trip, until they are reset.
struct Sabotaged {
    inner: Box<dyn RobotIo + Send>,
    tripped: Arc<AtomicBool>,
}

impl RobotIo for Sabotaged {
    fn layout(&self) -> &RobotLayout {
        self.inner.layout()
    }

    fn lifecycle(&self) -> Lifecycle {
        self.inner.lifecycle()
    }

    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        self.tripped.store(false, Ordering::Relaxed);
        self.inner.transition(to)
    }

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        self.inner.read(readings)?;
        let status = &mut readings.joints[0].status;
        *status = status.with(JointStatus::FAULT, self.tripped.load(Ordering::Relaxed));
        Ok(())
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        self.inner.write(commands)
    }
}

#[test]
fn the_centaur_over_the_virtual_bus() {
    let (world, robot, setup, hold) = centaur();
    let layout = robot.layout_with(&[]);
    let file = root().join("robot_models/centaur/bus.toml");
    let plan = Arc::new(BusPlan::load(&file, &layout).unwrap());
    for wrap in WRAPPERS {
        let plug = || {
            let (inner, clock, _) = plant::plug(Simulation::new(&world, &robot, &setup).unwrap());
            let tripped = Arc::new(AtomicBool::new(false));
            let sabotaged = Sabotaged { inner: Box::new(inner), tripped: Arc::clone(&tripped) };
            let bus = VirtualBus::new(&plan, sabotaged, clock, Vec::new(), 1)?;
            let exchange = EtherCat::new(InProcess::new(bus), Arc::clone(&plan), layout.period)?;
            let (robot, clock) = hil::robot::plug(Box::new(exchange), Arc::clone(&plan), &layout);
            let plugged = Plugged::new(robot, clock).failing_by(move || tripped.store(true, Ordering::Relaxed));
            Ok(wrapped(wrap, plugged))
        };
        let mut subject = Subject::new("EtherCatRobot, the centaur", hold.clone(), plug);
        subject.probes = centaur_probes(&layout);
        subject.abilities.latency = 2;
        subject.can_fail = true;
        assert_sound(subject, &[NO_BARE_TWIN]);
    }
}
