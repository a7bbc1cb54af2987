use std::path::Path;

use super::*;

/// The centaur's motors, all watched and enabled, cycle by cycle.
struct Bench {
    health: DriveHealth,
    readings: Readings,
    commands: Commands,
    joint: usize,
    /// In cycles.
    latency: usize,
    dt: f64,
}

impl Bench {
    fn with(joint: &str) -> Bench {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
        let model = RobotModel::load(&path).unwrap();
        let layout = model.layout();
        let joint = model.tree.joint(joint).unwrap();
        let joints: Vec<usize> = (0..layout.joints.len()).collect();
        let health = DriveHealth::new(&model, &layout, &joints, HealthSettings::default());
        let (mut readings, commands) = (Readings::new(&layout), Commands::new(&layout));
        readings.joints.iter_mut().for_each(|joint| joint.status = JointStatus::ENABLED);
        let latency = layout.joints[joint].latency as usize;
        Bench { health, readings, commands, joint, latency, dt: layout.period.seconds() }
    }

    /// Cycles in so many seconds.
    fn cycles(&self, seconds: f64) -> u64 {
        (seconds / self.dt) as u64
    }

    fn state(&mut self, cycle: u64) -> &mut JointState {
        let state = &mut self.readings.joints[self.joint];
        state.stamp = robot_io::Time::from_seconds(self.dt * cycle as f64);
        state
    }

    fn command(&mut self) -> &mut JointCommand {
        &mut self.commands.joints[self.joint]
    }

    fn observe(&mut self) {
        self.health.observe(&self.readings, &self.commands, self.dt);
    }
}

/// What is found of a wheel that is told one speed and turns at another [rad/s] for 5 s, with the effort that is asked of it.
fn found(told: f64, turns: f64) -> Option<DriveFault> {
    let mut bench = Bench::with("rear_left_wheel_left");
    let command = JointCommand { velocity: told, damping: 1.2, ..JointCommand::default() };
    *bench.command() = command;
    let dt = bench.dt;
    for cycle in 0..bench.cycles(5.0) {
        let state = bench.state(cycle);
        state.velocity = turns;
        state.position += turns * dt;
        state.effort = command.effort_at(state.position, turns);
        bench.observe();
    }
    bench.health.fault()
}

/// What is found of a joint that is asked for 40 N·m and is at its limit with 10 for a second, and then asked for 1 and gives a share of it.
fn found_after_limit(share: f64) -> Option<DriveFault> {
    let mut bench = Bench::with("front_left_ankle_yaw");
    for cycle in 0..bench.cycles(3.0) {
        let at_limit = cycle < bench.cycles(1.0);
        bench.command().effort = if at_limit { 40.0 } else { 1.0 };
        let state = bench.state(cycle);
        state.effort = if at_limit { 10.0 } else { share };
        state.status = JointStatus::ENABLED.with(JointStatus::SATURATED, at_limit);
        bench.observe();
    }
    bench.health.fault()
}

/// A steering motor that had been at its limit for 0.4 s was taken to be broken 0.6 s later, by what was remembered of that time.
#[test]
fn a_motor_that_was_at_its_limit_is_sound_afterwards() {
    assert_eq!(found_after_limit(1.0), None);
    assert_eq!(found_after_limit(0.0).map(|fault| fault.kind), Some(DriveFaultKind::Effort));
}

/// Uphill at full speed, as three wheels of four were seen to turn on a slope of 15°.
#[test]
fn a_wheel_that_pushes_uphill_and_falls_behind_is_sound() {
    assert_eq!(found(11.2, 7.0), None);
    assert_eq!(found(-11.2, -7.0), None);
}

#[test]
fn a_wheel_that_hardly_turns_runs_away_or_turns_the_wrong_way_is_not() {
    for (told, turns) in [(11.0, 1.0), (4.0, 0.3), (1.0, 5.0), (3.0, -3.0), (0.0, 4.0)] {
        let fault = found(told, turns).unwrap();
        assert_eq!(fault.kind, DriveFaultKind::Speed, "told {told}, turns {turns}: {fault:?}");
    }
}

/// How long [s] after its death the motor of a wheel is found dead that the others drag along at the speed that it is told, while its drive
/// measures at a `moment` of the cycle, 0 to 1; it had been `behind` its target [rad], and loses that slowly.
fn found_dead_after(moment: f64, behind: f64) -> Option<f64> {
    const SPEED: f64 = 5.0;
    const DIES_AT: f64 = 4.0;
    let mut bench = Bench::with("rear_left_wheel_left");
    let mut on_the_way = vec![JointCommand::default(); bench.latency];
    let noise = robot_io::RandomStream::new(1, "effort");
    let dt = bench.dt;
    for cycle in 0..bench.cycles(8.0) {
        let time = dt * cycle as f64;
        let acting = pass(&mut on_the_way, *bench.command());
        let state = bench.state(cycle);
        (state.position, state.velocity) = (SPEED * time, SPEED);
        let at = state.position - (1.0 - moment) * SPEED * dt;
        let given = if time < DIES_AT { acting.effort_at(at, SPEED) } else { 0.0 };
        state.effort = given + 0.1 * noise.normal(cycle, 0);
        bench.observe();
        if let Some(fault) = bench.health.fault() {
            assert_eq!(fault.kind, DriveFaultKind::Effort);
            return Some(time - DIES_AT);
        }
        let left = behind - 0.0065 * (time - DIES_AT).max(0.0);
        let position = SPEED * time + dt * SPEED * bench.latency as f64 + left;
        *bench.command() =
            JointCommand { position, velocity: SPEED, stiffness: 60.0, damping: 4.0, ..JointCommand::default() };
    }
    None
}

/// A wheel of `centaur_motor_fault`, seed 1, was dragged along unnoticed for 4 s.
#[test]
fn a_dead_motor_is_found_though_its_wheel_is_dragged_along() {
    for moment in [0.0, 0.4, 1.0] {
        let after = found_dead_after(moment, 0.026).unwrap();
        assert!(after > 0.0 && after < 1.5, "measured at {moment}: found after {after} s");
    }
}

/// What is found of a wheel that drives for 4 s, brakes at 10.5 rad/s² and backs, while the velocity that its drive tells is 5 ms old; from
/// where it brakes it gives so much `more` effort than is asked of it [N·m].
fn found_while_braking(more: f64) -> Option<DriveFault> {
    const BRAKES_AT: f64 = 4.0;
    const BACKS_AT: f64 = BRAKES_AT + 10.0 / 10.5;
    let speed = |time: f64| 8.0 - 10.5 * (time.min(BACKS_AT) - BRAKES_AT).max(0.0);
    let mut bench = Bench::with("rear_left_wheel_left");
    let mut on_the_way = vec![JointCommand::default(); bench.latency];
    let (mut position, dt) = (0.0, bench.dt);
    for cycle in 0..bench.cycles(6.0) {
        let time = dt * cycle as f64;
        let acting = pass(&mut on_the_way, *bench.command());
        let (last, velocity) = (position, speed(time));
        position += velocity * dt;
        let state = bench.state(cycle);
        (state.position, state.velocity) = (position, speed(time - 0.005));
        let given = acting.effort_at(last + 0.75 * (position - last), velocity);
        state.effort = if time < BRAKES_AT { given } else { given + more };
        bench.observe();
        let target = position + dt * velocity * bench.latency as f64 + 0.02 * (velocity / 8.0);
        *bench.command() =
            JointCommand { position: target, velocity, stiffness: 60.0, damping: 4.0, ..JointCommand::default() };
    }
    bench.health.fault()
}

/// The wheel of a robot that braked was taken to be broken, because its drive tells its velocity late.
#[test]
fn a_wheel_that_brakes_is_sound_though_its_drive_tells_its_velocity_late() {
    assert_eq!(found_while_braking(0.0), None);
    assert_eq!(found_while_braking(0.4).map(|fault| fault.kind), Some(DriveFaultKind::Effort));
}
