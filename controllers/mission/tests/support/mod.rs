//! A cart that rolls exactly as it is told, and a bench on which a mission drives it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    dead_code,
    reason = "tests, each of which uses a part"
)]

pub mod served;

use std::sync::{Arc, Mutex};

use mission::{
    BaseTarget, DriveFault, Look, Mission, MissionError, MissionPlan, MissionSettings, MissionStatus, Mobility, Skills,
    Stance,
};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use robot_io::deadline::{Delivered, Job, TaskBoard};
use robot_io::math::{cos, hypot, sin};
use robot_io::{
    Commands, Controller, Event, Events, HeightMap, JointCommand, Keeper, Odometry, OperatorInput, OperatorRequest,
    Pool, Pose2, Readings, RobotLayout, Saved, State, Telemetry, Time, Twist,
};
use robot_model::{RobotModel, Source};

const URDF: &[u8] = br#"<robot name="cart">
  <link name="base"/> <link name="fork"/> <link name="wheel"/> <link name="upper_arm"/> <link name="forearm"/>
  <joint name="steer" type="revolute"><parent link="base"/><child link="fork"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="10" velocity="5"/></joint>
  <joint name="roll" type="continuous"><parent link="fork"/><child link="wheel"/><axis xyz="0 1 0"/>
    <limit effort="10" velocity="20"/></joint>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper_arm"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="40" velocity="3"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper_arm"/><child link="forearm"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="40" velocity="3"/></joint>
</robot>"#;

const TOML: &[u8] = br#"name = "cart"
urdf = "cart.urdf"
cycle_period_us = 4000

[[actuator]]
name = "servo"
rated_effort = 20.0
peak_effort = 40.0
no_load_speed = 3.5
gear_ratio = 100
rotor_inertia = 1e-6
coulomb_friction = 0.5
viscous_friction = 0.1
delay_us = 2000
backlash = 0.001
encoder_counts_per_turn = 4096
position_noise = 1e-4
velocity_noise = 1e-2
effort_noise = 0.1
torque_constant = 0.013
efficiency = 0.7
thermal = { resistance = 1.0, capacitance = 400, ambient = 25.0, derate_from = 80.0, trip_at = 100.0, copper_loss = 0.02 }

[[joints]]
names = ["steer", "roll", "shoulder", "elbow"]
actuator = "servo"
stiffness = 100.0
damping = 5.0

[[limb]]
name = "leg"
joints = ["steer", "roll"]

[[pose]]
name = "rest"

[[pose]]
name = "ready"
[pose.positions]
shoulder = 1.0
elbow = -0.5

[[wheel]]
name = "wheel"
limb = "leg"
steer_joint = "steer"
drive_joint = "roll"
radius = 0.1
width = 0.03

[[battery]]
name = "battery"
energy_wh = 355.0
voltage = 22.2
internal_resistance = 0.03
idle_power_w = 120.0
"#;

pub const ROLL: usize = 1;
pub const SHOULDER: usize = 2;
pub const ELBOW: usize = 3;

/// What a test does to the cart while it drives.
#[derive(Clone, Copy, Debug)]
pub struct Knobs {
    /// The share of the velocity that arrives at the ground.
    pub grip: f64,
    /// The tip-over margin that the cart reports [m].
    pub margin: f64,
    /// The fault that it reports.
    pub fault: Option<DriveFault>,
    /// No measurement is younger than this time.
    pub blind_since: Option<Time>,
    /// Battery charge, 0 to 1.
    pub charge: f64,
    /// It does not know yet how it moves.
    pub learns: bool,
}

impl Default for Knobs {
    fn default() -> Knobs {
        Knobs { grip: 1.0, margin: 0.35, fault: None, blind_since: None, charge: 0.9, learns: false }
    }
}

/// The knobs of a cart that may be on another thread.
#[derive(Clone, Debug, Default)]
pub struct Shared(Arc<Mutex<Knobs>>);

impl Shared {
    pub fn get(&self) -> Knobs {
        *self.0.lock().unwrap()
    }

    pub fn set(&self, knobs: Knobs) {
        *self.0.lock().unwrap() = knobs;
    }
}

/// A base without mass that rolls exactly as it is told.
#[derive(Debug, State)]
pub struct Roller {
    #[state(skip = "the test's")]
    pub knobs: Shared,
    pose: Pose2,
    twist: Twist,
    height: f64,
    stamp: Time,
}

impl Roller {
    pub fn new(knobs: Shared) -> Roller {
        Roller { knobs, pose: Pose2::default(), twist: Twist::default(), height: 0.5, stamp: Time::ZERO }
    }
}

impl Mobility for Roller {
    fn reset(&mut self, readings: &Readings) {
        (self.pose, self.stamp) = (Pose2::default(), readings.time);
    }

    fn take_up(&mut self, _: &Readings) {}

    fn estimate(&mut self, readings: &Readings) -> Odometry {
        let dt = readings.time.since(self.stamp).seconds() * self.knobs.get().grip;
        let (s, c) = (sin(self.pose.yaw), cos(self.pose.yaw));
        self.pose.x += dt * (c * self.twist.x - s * self.twist.y);
        self.pose.y += dt * (s * self.twist.x + c * self.twist.y);
        self.pose.yaw = robot_io::math::wrap_angle(self.pose.yaw + dt * self.twist.yaw);
        self.stamp = readings.time;
        self.odometry()
    }

    fn odometry(&self) -> Odometry {
        let place = Translation3::new(self.pose.x, self.pose.y, self.height);
        let heading = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), self.pose.yaw);
        Odometry { stamp: self.stamp, base_in_odom: Isometry3::from_parts(place, heading), ..Odometry::default() }
    }

    fn sensed_at(&self, readings: &Readings) -> Time {
        self.knobs.get().blind_since.map_or(readings.time, |since| since.min(readings.time))
    }

    fn is_learning(&self) -> bool {
        self.knobs.get().learns
    }

    fn steer(&mut self, odometry: &Odometry, goal_in_odom: &Pose2, _look: Look, speed: f64) -> Twist {
        let ahead = goal_in_odom.seen_from(&odometry.pose());
        let distance = hypot(ahead.x, ahead.y);
        let share = speed.min((0.6 * distance).sqrt()).min(5.0 * distance) / distance.max(1e-9);
        Twist { x: share * ahead.x, y: share * ahead.y, yaw: (2.0 * ahead.yaw).clamp(-0.8, 0.8) }
    }

    fn act(&mut self, target: &BaseTarget, _readings: &Readings, commands: &mut Commands) {
        (self.twist, self.height) = (target.twist, target.stance.height);
        commands.joints[0] = JointCommand::hold(target.twist.yaw, 10.0, 1.0);
        commands.joints[ROLL] = JointCommand::turn(hypot(target.twist.x, target.twist.y) / 0.1, 5.0);
    }

    fn tip_over_margin(&self) -> f64 {
        self.knobs.get().margin
    }

    fn drive_fault(&self) -> Option<DriveFault> {
        self.knobs.get().fault
    }

    fn show(&self, telemetry: &mut Telemetry) {
        telemetry.scalar("tip_over_margin [m]", self.knobs.get().margin);
    }

    fn usual_stance(&self) -> Stance {
        Stance { height: 0.5, ..Stance::default() }
    }
}

/// A board that can be copied, as a session's snapshot copies it.
#[derive(Clone, Debug, Default)]
pub struct CopyBoard {
    pub cycle: u64,
    pub due: Vec<(u64, &'static str, Saved, Pool)>,
}

impl TaskBoard for CopyBoard {
    fn release(&mut self, task: &'static str, latency_cycles: u64, job: Job) {
        let nothing = Pool::default();
        let mut keeper = Keeper::new(&nothing);
        let saved = keeper.save(job().as_mut());
        self.due.push((self.cycle + latency_cycles, task, saved, keeper.finish()));
    }

    fn collect(&mut self, task: &'static str) -> Option<Delivered> {
        let ready = self.due.iter().position(|(due, name, ..)| *name == task && *due == self.cycle)?;
        let (_, _, saved, pool) = self.due.remove(ready);
        Some(Delivered::Saved(saved, pool))
    }
}

/// A cart, its mission, and the loop around them.
pub struct Bench {
    pub mission: Mission<Roller>,
    pub knobs: Shared,
    pub board: CopyBoard,
    pub readings: Readings,
    pub commands: Commands,
    pub events: Events,
    pub operator: OperatorInput,
    pub layout: RobotLayout,
    pub cycle: u64,
    pub allocations_counted_by: Option<fn() -> u64>,
    pub allocations: u64,
    /// A joint that is somewhere else than it is told to be [rad].
    pub sunk: Option<(usize, f64)>,
}

/// What a bench is made from, so that a test can change it.
#[derive(Default)]
pub struct Setup {
    pub settings: MissionSettings,
    pub start_in_world: Pose2,
    pub prior: Option<HeightMap>,
    pub skills: Skills,
}

pub fn cart() -> RobotModel {
    let source = |name: &str, bytes: &[u8]| Source { name: name.to_owned(), bytes: bytes.into() };
    RobotModel::from_sources(source("cart.toml", TOML), source("cart.urdf", URDF)).unwrap()
}

pub fn plan(steps: &str, skills: &Skills) -> Result<MissionPlan, MissionError> {
    let text = format!(
        "[mission]\nname = 'test'\n{}",
        steps.replace("[[steps]]", "[[mission.steps]]").replace("[progress]", "[mission.progress]")
    );
    let mut plan = MissionPlan::parse_embedded(&text, "test.toml", "mission")?.unwrap();
    plan.find_skills(skills)?;
    Ok(plan)
}

impl Bench {
    pub fn new(steps: &str) -> Bench {
        Bench::with(steps, Setup::default()).unwrap()
    }

    pub fn with(steps: &str, setup: Setup) -> Result<Bench, MissionError> {
        let model = cart();
        let layout = model.layout();
        let knobs = Shared::default();
        let roller = Roller::new(knobs.clone());
        let Setup { settings, start_in_world, prior, skills } = setup;
        let plan = plan(steps, &skills)?;
        let mission = Mission::with_mobility(roller, &model, &layout, &plan, start_in_world, prior, &settings)?;
        let mut bench = Bench {
            mission,
            knobs,
            board: CopyBoard::default(),
            readings: Readings::new(&layout),
            commands: Commands::new(&layout),
            events: Events::with_capacity(1_000),
            operator: OperatorInput::default(),
            layout,
            cycle: 0,
            allocations_counted_by: None,
            allocations: 0,
            sunk: None,
        };
        bench.mission.reset(&bench.readings);
        Ok(bench)
    }

    /// One cycle; a request of the operator lasts for one cycle, the stick until it is released.
    pub fn cycle(&mut self) {
        let period = self.layout.period.nanoseconds();
        self.readings.cycle = self.cycle;
        self.readings.time = Time::from_nanoseconds(self.cycle * period);
        for (joint, command) in self.readings.joints.iter_mut().zip(&self.commands.joints) {
            joint.stamp = self.readings.time;
            joint.position = command.position;
        }
        if let Some((joint, position)) = self.sunk {
            self.readings.joints[joint].position = position;
        }
        self.readings.batteries[0].charge = self.knobs.get().charge;
        self.readings.operator = self.operator;
        self.operator.request = None;
        self.board.cycle = self.cycle;
        self.mission.exchange_tasks(self.cycle, &mut self.board);
        let before = self.allocations_counted_by.map_or(0, |count| count());
        self.mission.update(&self.readings, &mut self.commands);
        self.mission.drain_events(&mut self.events);
        self.allocations += self.allocations_counted_by.map_or(0, |count| count()) - before;
        self.cycle += 1;
    }

    pub fn run(&mut self, seconds: f64) {
        let cycles = (seconds / self.layout.period.seconds()).round() as u64;
        (0..cycles).for_each(|_| self.cycle());
    }

    /// Runs until the mission is done; false if it takes longer than `seconds`.
    pub fn run_until_done(&mut self, seconds: f64) -> bool {
        let end = self.cycle + (seconds / self.layout.period.seconds()) as u64;
        while self.cycle < end && !self.status().is_done() {
            self.cycle();
        }
        self.status().is_done()
    }

    pub fn press(&mut self, request: OperatorRequest) {
        self.operator.request = Some(request);
        self.cycle();
    }

    pub fn turn(&mut self, turn: impl FnOnce(&mut Knobs)) {
        let mut knobs = self.knobs.get();
        turn(&mut knobs);
        self.knobs.set(knobs);
    }

    pub fn status(&self) -> MissionStatus<'_> {
        self.mission.status()
    }

    pub fn telemetry(&self) -> Telemetry {
        let mut telemetry = Telemetry::default();
        self.mission.show(&mut telemetry);
        telemetry
    }

    pub fn pose(&self) -> Pose2 {
        self.telemetry().odometry.unwrap().pose()
    }

    pub fn speed(&self) -> f64 {
        let twist = self.telemetry().twist.unwrap();
        hypot(twist.x, twist.y)
    }

    pub fn said(&self, what: &str) -> Vec<&Event> {
        self.events.iter().filter(|event| event.what.starts_with(what)).collect()
    }

    pub fn lines(&self) -> Vec<String> {
        let name = |joint: usize| self.layout.joints.get(joint).map(|joint| joint.name.as_str());
        self.events.iter().map(|event| event.describe(name)).collect()
    }
}

impl Bench {
    /// Telemetry as a session collects it, into a buffer that is used again.
    pub fn mission_shows(&self, telemetry: &mut Telemetry) {
        telemetry.clear();
        self.mission.show(telemetry);
    }
}
