//! The centaur in physics, before an edge whose place the test knows.

use std::path::Path;

use estimation::OdometryEstimator;
use locomotion::{BodyTarget, CrossingFailure, CrossingPhase, CrossingStatus, Locomotion, Settings};
use plant::{Setup, SharedSimulation, SimClock, SimRobot, Simulation, plug};
use robot_io::{Clock, Commands, Event, Events, Pose2, Readings, RobotIo, RobotLayout, StepEdge, Twist};
use robot_model::RobotModel;
use worlds::World;

/// Where the edge is in the world, forward [m]: on a sample of the terrain, the face leans over one cell before it.
pub const EDGE: f64 = 1.5;
const CELL: f64 = 0.025;

/// What is in the way.
#[derive(Clone, Copy, Debug)]
pub enum Ground {
    /// A step so high [m]; negative for one down.
    Step(f64),
    /// A trench so wide [m], 0.3 m deep.
    Gap(f64),
}

impl Ground {
    fn world(self) -> World {
        let (region, height) = match self {
            Ground::Step(rise) if rise > 0.0 => ([EDGE, 9.0], rise),
            Ground::Step(rise) => ([-9.0, EDGE], -rise),
            Ground::Gap(width) => ([EDGE + CELL, EDGE + width - 2.0 * CELL], -0.3),
        };
        let [from, to] = region;
        let text = format!(
            "name = \"step\"\n[terrain]\ncell = {CELL}\nsize = [8.0, 4.0]\ncenter = [2.0, 0.0]\nmaterial = \"concrete\"\n\
             [[terrain.layer]]\nkind = \"flat\"\nheight = {height}\n\
             region = {{ rectangle = {{ min = [{from}, -9.0], max = [{to}, 9.0] }} }}\n"
        );
        World::from_str(&text, "step.toml", Path::new(".")).unwrap()
    }

    fn edge(self) -> StepEdge {
        let (rise, gap) = match self {
            Ground::Step(rise) => (rise, 0.0),
            Ground::Gap(width) => (0.0, width),
        };
        // the face leans over one cell: an edge is where the higher ground ends
        let x = match self {
            Ground::Step(rise) if rise > 0.0 => EDGE - CELL,
            Ground::Step(_) | Ground::Gap(_) => EDGE,
        };
        StepEdge { pose: Pose2 { x, y: 0.0, yaw: 0.0 }, rise, gap }
    }
}

/// What a crossing showed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown {
    /// How long it took [s].
    pub seconds: f64,
    /// How it ended.
    pub status: CrossingStatus,
    /// Largest tilt of the base [rad].
    pub tilt: f64,
    /// Largest effort of a leg's joint, as a share of its highest.
    pub effort: f64,
    /// Odometry against truth over the crossing: forward, left, up [m], heading [rad].
    pub drift: [f64; 4],
}

/// A robot with its skills.
pub struct Bench {
    pub model: RobotModel,
    robot: SimRobot,
    clock: SimClock,
    pub shared: SharedSimulation,
    pub readings: Readings,
    commands: Commands,
    pub estimator: OdometryEstimator,
    pub locomotion: Locomotion,
    pub target: BodyTarget,
    pub events: Events,
    ground: Ground,
}

impl Bench {
    /// In front of `ground` with the usual settings.
    pub fn new(ground: Ground, seed: u64) -> Bench {
        Bench::with(ground, seed, Pose2 { x: 0.85, y: 0.1, yaw: 0.0 }, Settings::default())
    }

    /// At a place in front of `ground`, standing until the gyroscope's bias is learnt.
    pub fn with(ground: Ground, seed: u64, spawn: Pose2, settings: Settings) -> Bench {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
        let model = RobotModel::load(&path).unwrap();
        let setup = Setup { seed, spawn, ..Setup::default() };
        let (mut robot, clock, shared) = plug(Simulation::new(&ground.world(), &model, &setup).unwrap());
        let mut readings = Readings::new(robot.layout());
        robot.bring_up().unwrap();
        robot.read(&mut readings).unwrap();
        let mut estimator = OdometryEstimator::new(&model, robot.layout()).unwrap();
        let mut locomotion = Locomotion::new(&model, robot.layout(), settings).unwrap();
        estimator.reset(&readings);
        locomotion.reset(&readings);
        let target = BodyTarget { height: locomotion.stance_height(), ..BodyTarget::default() };
        let (commands, events) = (Commands::new(robot.layout()), Events::new());
        #[rustfmt::skip]
        let mut bench = Bench {
            model, robot, clock, shared, readings, commands, estimator, locomotion, target, events, ground,
        };
        while bench.estimator.is_learning() {
            bench.step();
        }
        bench
    }

    /// One cycle.
    pub fn step(&mut self) {
        self.sense();
        self.think();
        self.act();
    }

    /// Sensors and odometry.
    pub fn sense(&mut self) {
        self.robot.read(&mut self.readings).unwrap();
        if self.locomotion.is_crossing() {
            self.estimator.update_on_levels(&self.readings);
        } else {
            self.estimator.update(&self.readings);
        }
        self.commands.answer(&self.readings);
    }

    /// The locomotion.
    pub fn think(&mut self) {
        self.locomotion.set_target(self.target);
        self.locomotion.update(&self.readings, self.estimator.odometry(), &mut self.commands);
    }

    /// The plant.
    pub fn act(&mut self) {
        self.robot.write(&self.commands).unwrap();
        self.clock.advance().unwrap();
        self.locomotion.drain_events(&mut self.events);
    }

    /// So many seconds of driving or standing.
    pub fn run(&mut self, seconds: f64) {
        let end = self.clock.now().seconds() + seconds;
        while self.clock.now().seconds() < end {
            self.step();
        }
    }

    /// The robot's layout.
    pub fn layout(&self) -> &RobotLayout {
        self.robot.layout()
    }

    /// What the joints were last told.
    pub fn commands(&self) -> &Commands {
        &self.commands
    }

    /// The true pose of the base.
    pub fn truth(&self) -> (Pose2, f64) {
        let base = self.shared.truth().base_in_world;
        let (_, _, yaw) = base.rotation.euler_angles();
        (Pose2 { x: base.translation.x, y: base.translation.y, yaw }, base.translation.z)
    }

    /// Begins at the edge, seen too far by `error` [m] and higher by `higher` [m] than it is.
    pub fn begin(&mut self, error: f64, higher: f64) -> Result<(), CrossingFailure> {
        let mut edge = self.ground.edge();
        edge.pose.x += error;
        edge.rise += higher;
        let seen = StepEdge { pose: edge.pose.seen_from(&self.truth().0), ..edge };
        self.locomotion.begin_crossing(&seen, &self.readings, self.estimator.odometry())
    }

    /// Goes on until a phase of the crossing, at most for so long [s]; true if it came.
    pub fn until(&mut self, phase: CrossingPhase, seconds: f64) -> bool {
        let end = self.clock.now().seconds() + seconds;
        while self.clock.now().seconds() < end {
            self.step();
            if self.locomotion.crossing().is_some_and(|status| status.phase == phase) {
                return true;
            }
        }
        false
    }

    /// What happened, as text.
    pub fn story(&self) -> String {
        let name = |joint: usize| Some(self.model.tree.joints[joint].name.as_str());
        let line = |event: &Event| format!("{:7.2} {}\n", event.time.seconds(), event.describe(name));
        self.events.iter().map(line).collect()
    }

    /// Goes on until the crossing is over, or for so long [s].
    pub fn cross(&mut self, seconds: f64) -> Shown {
        let begin = self.clock.now().seconds();
        let (truth, odometry) = (self.truth(), *self.estimator.odometry());
        let mut shown = Shown::default();
        while self.clock.now().seconds() < begin + seconds {
            self.step();
            let now = self.shared.truth();
            let up = now.base_in_world.rotation * nalgebra::Vector3::z();
            shown.tilt = shown.tilt.max(up.z.min(1.0).acos());
            shown.effort = shown.effort.max(self.hardest());
            shown.status = self.locomotion.crossing().unwrap_or_default();
            if shown.status.is_done() || shown.status.failed().is_some() {
                break;
            }
        }
        shown.seconds = self.clock.now().seconds() - begin;
        let (true_pose, z) = self.truth();
        let after = self.estimator.odometry();
        let (moved, believed) = (true_pose.seen_from(&truth.0), after.pose().seen_from(&odometry.pose()));
        let up = after.base_in_odom.translation.z - odometry.base_in_odom.translation.z - (z - truth.1);
        shown.drift = [believed.x - moved.x, believed.y - moved.y, up, believed.yaw - moved.yaw];
        shown
    }

    /// Largest effort of a hip, knee or ankle, as a share of its highest.
    fn hardest(&self) -> f64 {
        let joints = self.model.tree.joints.iter().zip(&self.readings.joints);
        let legs = joints
            .filter(|(joint, _)| ["_hip_", "_knee_", "_ankle_pitch"].iter().any(|part| joint.name.contains(part)));
        legs.map(|(joint, state)| state.effort.abs() / joint.limits.effort).fold(0.0, f64::max)
    }

    /// Drives for so long [s], then stands for a second.
    pub fn drive(&mut self, twist: Twist, seconds: f64) {
        self.target.twist = twist;
        self.run(seconds);
        self.target.twist = Twist::default();
        self.run(1.0);
    }
}
