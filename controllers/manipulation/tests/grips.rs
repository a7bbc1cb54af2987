//! A hand that closes says what it has come to, by joints that measure with noise, and never presses harder than it is told.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use manipulation::{FingerDrive, Grip, GripMonitor, GripSettings, Hand};
use robot_io::{JointCommand, JointState, State, StateHasher};
use robot_model::RobotModel;
use support::{Random, model, robot};

/// Fingers without mass: each side follows its commands until something is between them.
struct Fingers {
    robot: RobotModel,
    hand: Hand,
    joints: Vec<JointState>,
    commands: Vec<JointCommand>,
    drive: FingerDrive,
    monitor: GripMonitor,
    grip: Grip,
    /// Where the sides are stopped, as shares.
    stops: [f64; 2],
    noise: Random,
    shares: [f64; 2],
}

const CYCLE: f64 = 0.004;

impl Fingers {
    fn new(name: &str, stops: [f64; 2], seed: u64) -> Fingers {
        let robot = robot(name);
        let hand = Hand::new(&robot, "left_hand", &model(&robot)).unwrap();
        let settings = GripSettings::default();
        let drive = FingerDrive::new(&hand, settings.clone()).unwrap();
        let count = robot.tree.dof();
        Fingers {
            hand,
            joints: vec![JointState::default(); count],
            commands: vec![JointCommand::default(); count],
            drive,
            monitor: GripMonitor::new(settings).unwrap(),
            grip: Grip::Open,
            stops,
            noise: Random(seed),
            shares: [0.0; 2],
            robot,
        }
    }

    fn close(&mut self, force: f64, expected: f64) {
        self.drive.close(&self.hand, force).unwrap();
        self.monitor.close(expected);
    }

    /// Sides go where the first joint of each is told, no faster than 0.5 a second, and not past their stops.
    fn cycle(&mut self) {
        let (open, closed) = (self.hand.positions(0.0), self.hand.positions(1.0));
        let (joints, half) = (self.hand.joints().to_vec(), open.len() / 2);
        for side in 0..2 {
            let place = if half == 0 { 0 } else { side * half };
            let told = (self.commands[joints[place]].position - open[place]) / (closed[place] - open[place]);
            let step = (told - self.shares[side]).clamp(-0.5 * CYCLE, 0.5 * CYCLE);
            let before = self.shares[side];
            self.shares[side] = (before + step).min(self.stops[side].max(before - 0.5 * CYCLE)).clamp(0.0, 1.0);
            let moved = (self.shares[side] - before) / CYCLE;
            let own = if half == 0 { 0..1 } else { side * half..(side + 1) * half };
            for place in own {
                let (range, joint) = (closed[place] - open[place], joints[place]);
                let state = &mut self.joints[joint];
                state.position = open[place] + range * self.shares[side] + 1e-3 * (self.noise.share() - 0.5);
                state.velocity = range * moved + 0.04 * (self.noise.share() - 0.5);
                state.effort = self.commands[joint].effort_at(state.position, state.velocity);
            }
        }
        self.grip = self.monitor.update(&self.hand, &self.joints, self.drive.share(), CYCLE);
        self.drive.update(&self.hand, &self.joints, &self.grip, CYCLE, &mut self.commands);
    }

    fn run(&mut self, seconds: f64) {
        (0..(seconds / CYCLE) as usize).for_each(|_| self.cycle());
    }
}

#[test]
fn what_is_between_the_fingers_is_held_with_the_force_that_was_asked_for() {
    for (name, stop, seed) in [("centaur", 0.4, 1), ("centaur", 0.4, 2), ("humanoid", 0.12, 3)] {
        let mut fingers = Fingers::new(name, [stop; 2], seed);
        fingers.run(0.2);
        assert_eq!(fingers.grip, Grip::Open);
        let (width, force) = (fingers.hand.width(stop), 0.7 * fingers.hand.force());
        fingers.close(force, width);
        fingers.run(0.3);
        assert!(matches!(fingers.grip, Grip::Closing { .. }), "{name}: {:?}", fingers.grip);
        fingers.run(3.0);
        let Grip::Holding { share, width: held, force: pressed } = fingers.grip else { panic!("{:?}", fingers.grip) };
        assert!((share - stop).abs() < 0.01 && (held - width).abs() < 0.001, "{name}: {share}, {held}");
        assert!((pressed - force).abs() < 0.15 * force, "{name}: {pressed} N of {force}");
        assert!(fingers.drive.is_done());
    }
}

#[test]
fn one_side_that_meets_something_waits_for_the_other() {
    let mut fingers = Fingers::new("centaur", [0.2, 0.6], 4);
    fingers.run(0.1);
    fingers.close(20.0, fingers.hand.width_of([0.2, 0.6]));
    fingers.run(1.8);
    assert!(matches!(fingers.grip, Grip::Closing { .. }), "{:?}", fingers.grip);
    fingers.run(2.0);
    assert!(matches!(fingers.grip, Grip::Holding { .. }), "{:?}", fingers.grip);
}

#[test]
fn nothing_in_the_hand_is_told() {
    for (stop, expected) in [(1.0, 0.05), (1.0, 0.0), (0.9, 0.05)] {
        let mut fingers = Fingers::new("centaur", [stop; 2], 5);
        fingers.run(0.1);
        fingers.close(20.0, expected);
        fingers.run(6.0);
        assert!(matches!(fingers.grip, Grip::Empty { .. }), "{stop}, {expected}: {:?}", fingers.grip);
    }
}

#[test]
fn fingers_that_move_on_after_they_held_are_told() {
    let mut fingers = Fingers::new("centaur", [0.5; 2], 6);
    fingers.run(0.1);
    fingers.close(20.0, fingers.hand.width(0.5));
    fingers.run(4.0);
    assert!(matches!(fingers.grip, Grip::Holding { .. }), "{:?}", fingers.grip);
    fingers.run(60.0);
    assert!(matches!(fingers.grip, Grip::Holding { .. }), "noise is no slip: {:?}", fingers.grip);
    fingers.stops = [0.53; 2];
    fingers.run(0.5);
    assert!(matches!(fingers.grip, Grip::Slipping { by, .. } if by > 0.003), "{:?}", fingers.grip);
    fingers.stops = [1.0; 2];
    fingers.run(1.0);
    assert!(matches!(fingers.grip, Grip::Lost { .. }), "{:?}", fingers.grip);
    fingers.monitor.open();
    fingers.drive.open(0.1).unwrap();
    fingers.run(3.0);
    assert_eq!(fingers.grip, Grip::Open);
    assert!(fingers.drive.is_done() && (fingers.shares[0] - 0.1).abs() < 0.02, "{:?}", fingers.shares);
}

#[test]
fn padding_that_gives_way_loses_nothing() {
    let mut fingers = Fingers::new("humanoid", [0.0; 2], 7);
    let share_at = |hand: &Hand, width: f64| {
        (0..=1000).map(|share| f64::from(share) / 1000.0).find(|share| hand.width(*share) < width).unwrap()
    };
    let (met, pressed) = (share_at(&fingers.hand, 0.014), share_at(&fingers.hand, 0.005));
    fingers.stops = [met; 2];
    fingers.run(0.1);
    fingers.close(20.0, fingers.hand.width(met));
    fingers.run(3.0);
    fingers.stops = [pressed; 2];
    fingers.run(2.0);
    let is_there = matches!(fingers.grip, Grip::Holding { .. } | Grip::Slipping { .. });
    assert!(is_there, "5 mm of 14 are thin, but they have come together by 9 only: {:?}", fingers.grip);
}

#[test]
fn no_joint_is_asked_for_more_than_the_force_takes() {
    for seed in 1..=20 {
        let mut random = Random(seed);
        let stops = [random.share(), random.share()];
        let mut fingers = Fingers::new(if seed % 2 == 0 { "humanoid" } else { "centaur" }, stops, seed);
        fingers.run(0.1);
        let force = random.share() * fingers.hand.force();
        fingers.close(force, 0.0);
        for _ in 0..800 {
            fingers.cycle();
            for joint in fingers.hand.joints() {
                let (command, state) = (&fingers.commands[*joint], &fingers.joints[*joint]);
                let rated = fingers.robot.description.actuator_of(*joint).unwrap().rated_effort;
                let asked = (command.stiffness * (command.position - state.position)).abs();
                assert!(asked < 1.1 * rated, "seed {seed}: {asked} N·m of {rated}");
            }
        }
    }
}

#[test]
fn too_much_force_and_no_share_are_refused() {
    let mut fingers = Fingers::new("centaur", [1.0; 2], 7);
    let error = fingers.drive.close(&fingers.hand, 1e3).unwrap_err().to_string();
    assert_eq!(error, "left_hand: force: expected a number from 0 to 36 [N], found 1000");
    assert!(fingers.drive.open(1.2).is_err());
    assert!(GripMonitor::new(GripSettings { touch: 2.0, ..GripSettings::default() }).is_err());
}

#[test]
fn what_is_remembered_goes_on_alike_elsewhere() {
    let mut fingers = Fingers::new("centaur", [0.5; 2], 8);
    fingers.run(0.1);
    fingers.close(20.0, fingers.hand.width(0.5));
    fingers.run(2.0);
    let (mut drive, mut monitor) = (fingers.drive.clone(), fingers.monitor.clone());
    let digest = |drive: &mut FingerDrive, monitor: &mut GripMonitor| {
        let mut hasher = StateHasher::default();
        drive.visit_state(&mut hasher);
        monitor.visit_state(&mut hasher);
        hasher.finish()
    };
    let before = digest(&mut drive, &mut monitor);
    assert_eq!(before, digest(&mut fingers.drive, &mut fingers.monitor));
    fingers.run(1.0);
    assert_ne!(before, digest(&mut fingers.drive, &mut fingers.monitor));
}
