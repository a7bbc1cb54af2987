//! Drives and sensors in a running simulation.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use plant::Simulation;
use robot_io::{Commands, Events, JointCommand, JointStatus, Severity, Subject};
use robot_model::RobotModel;
use support::{active, collision_box, floor, hinge, ideal_actuator, link, quiet, robot, run};

/// A stand with an arm of 3 kg that reaches 0.4 m out, and a force/torque cell in the shoulder.
fn arm(actuator: &str) -> RobotModel {
    let urdf = format!(
        "<robot name=\"a\">{}{}{}</robot>",
        link("stand", 300.0, [0.0; 3], 300.0, &collision_box(4.0, 4.0, 0.5)),
        link("arm", 3.0, [0.4, 0.0, 0.0], 0.02, ""),
        hinge("shoulder", "stand", "arm", [0.0, 0.0, 1.0]),
    );
    let toml = format!(
        "name = \"a\"\ncycle_period_us = 1000\n{actuator}[[joints]]\nnames = [\"shoulder\"]\nactuator = \"ideal\"\n\
         stiffness = 2000.0\ndamping = 40.0\n[[pose]]\nname = \"stand\"\n[[force_torque]]\nname = \"cell\"\n\
         joint = \"shoulder\"\nforce_noise = 0.0\ntorque_noise = 0.0\n"
    );
    robot(&urdf, &toml)
}

fn holding(robot: &RobotModel) -> Simulation {
    let mut simulation = active(&floor(), robot, &quiet("stand", 0.0, 0.0));
    let mut commands = Commands::new(simulation.layout());
    commands.joints[0] = JointCommand::hold(0.0, 2000.0, 40.0);
    simulation.command(&commands).unwrap();
    simulation
}

#[test]
fn a_cell_reads_the_weight_that_hangs_on_it() {
    let mut simulation = holding(&arm(&ideal_actuator(1e-5, 100.0)));
    run(&mut simulation, 3.0);
    let reading = simulation.readings().force_torques[0];
    let weight = 3.0 * 9.81;
    assert!((reading.force.z + weight).abs() < 0.01, "{}", reading.force);
    // the arm pulls its shoulder forward and down: about y, by 0.4 m
    assert!((reading.torque.y - weight * 0.4).abs() < 0.05, "{}", reading.torque);
    let truth = simulation.truth();
    assert!((truth.joint_efforts[0] + weight * 0.4).abs() < 0.05, "{}", truth.joint_efforts[0]);
}

#[test]
fn an_overloaded_drive_heats_up_loses_torque_and_says_so() {
    // 11.8 N·m on a winding of little heat capacity: 0.5 · 11.8² = 69 W on 1 K/W is more than 80 °C
    let hot = ideal_actuator(1e-5, 100.0)
        .replace("copper_loss = 0.0", "copper_loss = 0.5")
        .replace("capacitance = 100.0", "capacitance = 5.0");
    let mut simulation = holding(&arm(&hot
        .replace("peak_effort = 500.0", "peak_effort = 20.0")
        .replace("rated_effort = 500.0", "rated_effort = 10.0")));
    run(&mut simulation, 30.0);
    let reading = simulation.readings().joints[0];
    assert!(reading.temperature > 80.0, "{} °C", reading.temperature);
    assert!(reading.status.contains(JointStatus::DERATED), "{}", reading.status);
    let mut events = Events::new();
    simulation.drain_events(&mut events);
    assert!(
        events.iter().any(|event| event.severity == Severity::Warning && event.subject == Subject::Joint(0)),
        "{events:?}"
    );
}

#[test]
fn a_command_that_is_no_number_latches_a_fault_until_reset() {
    let mut simulation = holding(&arm(&ideal_actuator(1e-5, 100.0)));
    run(&mut simulation, 0.5);
    let mut commands = Commands::new(simulation.layout());
    commands.joints[0] = JointCommand::hold(f64::NAN, 2000.0, 40.0);
    simulation.command(&commands).unwrap();
    run(&mut simulation, 0.01);
    assert!(simulation.readings().joints[0].status.contains(JointStatus::FAULT));
    commands.joints[0] = JointCommand::hold(0.0, 2000.0, 40.0);
    simulation.command(&commands).unwrap();
    run(&mut simulation, 0.5);
    assert!(simulation.truth().joint_positions[0].abs() > 0.5, "the arm hangs: a latched drive gives no torque");
    let mut events = Events::new();
    simulation.drain_events(&mut events);
    assert!(events.iter().any(|event| event.severity == Severity::Error), "{events:?}");
    simulation.transition(robot_io::Lifecycle::Inactive).unwrap();
    simulation.transition(robot_io::Lifecycle::Active).unwrap();
    simulation.command(&commands).unwrap();
    run(&mut simulation, 3.0);
    assert!(simulation.truth().joint_positions[0].abs() < 0.05, "reset, it lifts the arm again");
}

#[test]
fn play_and_friction_show_at_a_reversal() {
    let worn = ideal_actuator(1e-5, 100.0).replace("backlash = 0.0", "backlash = 0.02");
    let mut simulation = holding(&arm(&worn));
    run(&mut simulation, 2.0);
    // hanging on one flank: the motor's encoder is half the play off the link
    let gap = simulation.readings().joints[0].position - simulation.truth().joint_positions[0];
    assert!((gap.abs() - 0.01).abs() < 1e-4, "{gap} rad");
}

#[test]
fn an_elastic_drive_sags_by_its_spring() {
    let elastic = ideal_actuator(1e-5, 100.0) + "spring = 500.0\n";
    let mut simulation = holding(&arm(&elastic));
    run(&mut simulation, 5.0);
    let truth = simulation.truth();
    let load = 3.0 * 9.81 * 0.4;
    // motor and link in series: servo 2000 and spring 500 N·m/rad
    let expected = load / 2000.0 + load / 500.0;
    assert!(
        (truth.joint_positions[0] - expected).abs() < 1e-3,
        "{} rad, expected {expected}",
        truth.joint_positions[0]
    );
}

#[test]
fn an_elastic_drive_with_an_encoder_on_its_link_tells_where_that_is_and_what_pulls_it() {
    let elastic = ideal_actuator(1e-5, 100.0) + "spring = 3000.0\nencoder_at = \"link\"\n";
    let mut simulation = holding(&arm(&elastic));
    run(&mut simulation, 5.0);
    let (reading, truth) = (simulation.readings().joints[0], simulation.truth());
    let load = 3.0 * 9.81 * 0.4;
    // the spring is within the servo's loop
    assert!((reading.position - load / 2000.0).abs() < 1e-4, "{} rad, expected {}", reading.position, load / 2000.0);
    assert!((reading.position - truth.joint_positions[0]).abs() < 1e-8, "{} rad off", reading.position);
    assert!((reading.effort + load).abs() < 0.02, "{} N·m, expected {load}", reading.effort);
    assert!((reading.effort - truth.joint_efforts[0]).abs() < 0.02, "{} N·m", truth.joint_efforts[0]);
}

#[test]
fn a_servo_on_its_links_encoder_has_to_be_softer_than_the_spring() {
    let elastic = ideal_actuator(1e-5, 100.0) + "spring = 1999.0\nencoder_at = \"link\"\n";
    let error = Simulation::new(&floor(), &arm(&elastic), &quiet("stand", 0.0, 0.0)).err().unwrap().to_string();
    assert!(error.contains("shoulder") && error.contains("less than the spring's 1999 N·m/rad"), "{error}");
}

/// A limp elastic joint of a balanced arm, 0.8 s after its motor was pushed: period of the spring's torque [s], and by which factor it
/// becomes less from swing to swing.
fn swing(spring: f64, rotor: f64, moment: f64) -> (f64, f64) {
    let urdf = format!(
        "<robot name=\"a\">{}{}{}</robot>",
        link("stand", 300.0, [0.0; 3], 300.0, ""),
        link("arm", 3.0, [0.0; 3], moment, ""),
        hinge("shoulder", "stand", "arm", [0.0, 0.0, 1.0]),
    );
    let actuator = ideal_actuator(rotor / 1e4, 100.0) + &format!("spring = {spring}\nencoder_at = \"link\"\n");
    let toml = format!(
        "name = \"a\"\nbase = \"fixed\"\ncycle_period_us = 1000\n{actuator}[[joints]]\nnames = [\"shoulder\"]\n\
         actuator = \"ideal\"\nstiffness = 1.0\ndamping = 0.1\n[[pose]]\nname = \"stand\"\n"
    );
    let mut simulation = active(&floor(), &robot(&urdf, &toml), &quiet("stand", 0.0, 0.0));
    let mut commands = Commands::new(simulation.layout());
    commands.joints[0].effort = 20.0;
    simulation.command(&commands).unwrap();
    run(&mut simulation, 0.02);
    commands.joints[0].effort = 0.0;
    simulation.command(&commands).unwrap();
    let torques: Vec<f64> = (0..800)
        .map(|_| {
            simulation.step();
            simulation.readings().joints[0].effort
        })
        .collect();
    let rises = (1..torques.len()).filter(|&k| torques[k - 1] < 0.0 && torques[k] >= 0.0);
    let rises: Vec<f64> = rises.map(|k| k as f64 - torques[k] / (torques[k] - torques[k - 1])).collect();
    let peak = |from: f64, to: f64| torques[from as usize..to as usize].iter().copied().fold(0.0, f64::max);
    let last = rises.len() - 1;
    let (swings, whole) = (last - 1, 1e-3 * (rises[last] - rises[0]));
    let fading = (peak(rises[last - 1], rises[last]) / peak(rises[0], rises[1])).powf(1.0 / swings as f64);
    (whole / last as f64, fading)
}

/// Motor and link on the two ends of a spring: ω² = k (1/J_motor + 1/J_link), damped by the spring's own c, 2ζω = c (1/J_motor + 1/J_link).
#[test]
fn motor_and_link_swing_against_each_other_as_two_masses_do() {
    for (spring, rotor, moment) in [(500.0, 0.1, 0.5), (2_000.0, 0.3, 0.1), (800.0, 0.05, 2.0)] {
        let (period, fading) = swing(spring, rotor, moment);
        let both = 1.0 / rotor + 1.0 / moment;
        let (omega, c) = ((spring * both).sqrt(), 0.1 * (spring * rotor).sqrt());
        let zeta = 0.5 * c * both / omega;
        let damped = omega * (1.0 - zeta * zeta).sqrt();
        let (expected, expected_fading) = (core::f64::consts::TAU / damped, (-zeta * omega * period).exp());
        assert!((period / expected - 1.0).abs() < 0.003, "{period} s, expected {expected} s");
        assert!((fading / expected_fading - 1.0).abs() < 0.01, "{fading}, expected {expected_fading}");
    }
}

/// A spring so stiff that motor and link turn as one within a step: k h² is ten times the rotor's inertia, and a thousand times.
#[test]
fn a_spring_stiffer_than_the_step_can_follow_is_as_good_as_none() {
    for spring in [1e6, 1e8] {
        let elastic = ideal_actuator(1e-5, 100.0) + &format!("spring = {spring:.1}\nencoder_at = \"link\"\n");
        let mut simulation = holding(&arm(&elastic));
        run(&mut simulation, 5.0);
        let (sag, expected) = (simulation.truth().joint_positions[0], 3.0 * 9.81 * 0.4 / 2000.0);
        assert!((sag - expected).abs() < 1e-4, "{spring} N·m/rad: {sag} rad, expected {expected}");
    }
}

#[test]
fn a_joint_stops_at_its_limit() {
    let mut robot = arm(&ideal_actuator(1e-5, 100.0));
    robot.tree.joints[0].limits.upper = 0.3;
    robot.tree.joints[0].limits.lower = -0.3;
    let mut simulation = Simulation::new(&floor(), &robot, &quiet("stand", 0.0, 0.0)).unwrap();
    run(&mut simulation, 3.0);
    let position = simulation.truth().joint_positions[0];
    assert!((0.299..0.31).contains(&position), "{position}");
}

/// What the arm's drive tells and where the arm is, in each cycle while it is swung to and fro.
fn told_and_true(actuator: &str) -> Vec<(f64, f64)> {
    let mut simulation = holding(&arm(actuator));
    let mut commands = Commands::new(simulation.layout());
    let cycles = (0..600).map(|cycle| {
        commands.joints[0] = JointCommand::hold(0.5 * (0.01 * f64::from(cycle)).sin(), 2000.0, 40.0);
        simulation.command(&commands).unwrap();
        simulation.step();
        (simulation.readings().joints[0].position, simulation.truth().joint_positions[0])
    });
    cycles.collect()
}

#[test]
fn readings_are_as_old_as_the_robots_file_says() {
    let ideal = ideal_actuator(1e-5, 100.0);
    let late = told_and_true(&ideal.replace("backlash", "feedback_delay_us = 4000\nbacklash"));
    let at_once = told_and_true(&ideal);
    // to single precision, as on the bus
    assert!(at_once.iter().all(|(told, truth)| (told - truth).abs() < 1e-6));
    assert!((4..600).all(|cycle| (late[cycle].0 - late[cycle - 4].1).abs() < 1e-6));
    assert!(
        late.iter().zip(&at_once).all(|((_, late), (_, at_once))| late == at_once),
        "the servo itself does not wait"
    );
}

#[test]
fn few_counts_make_a_servo_hum_and_a_filter_calms_it() {
    let swing = |counts: u32, filter: &str| {
        let actuator = ideal_actuator(1e-5, 100.0)
            .replace("counts_per_turn = 1000000000", &format!("counts_per_turn = {counts}"))
            .replace("backlash", &format!("{filter}backlash"));
        let mut simulation = holding(&arm(&actuator));
        run(&mut simulation, 2.0);
        let mut commands = Commands::new(simulation.layout());
        let efforts: Vec<f64> = (0..1_000)
            .map(|cycle| {
                commands.joints[0] = JointCommand::hold(0.2 * 0.001 * f64::from(cycle), 2000.0, 40.0);
                simulation.command(&commands).unwrap();
                simulation.step();
                simulation.readings().joints[0].effort
            })
            .collect();
        efforts.windows(2).skip(500).map(|two| (two[1] - two[0]).abs()).fold(0.0, f64::max)
    };
    let (fine, coarse, calmed) =
        (swing(1_000_000_000, ""), swing(10_000, ""), swing(10_000, "velocity_filter_us = 5000\n"));
    // a count in a step is 0.63 rad/s of 10,000, so 25 N·m by the damping of 40 N·m·s/rad
    assert!(coarse > 10.0 && coarse > 10.0 * fine && calmed < 0.4 * coarse, "{fine} {coarse} {calmed} N·m");
}

#[test]
fn a_battery_that_sags_makes_a_motor_slower() {
    let speed = |resistance: f64| {
        let actuator = ideal_actuator(1e-5, 100.0)
            .replace("no_load_speed = 1000.0", "no_load_speed = 20.0")
            .replace("viscous_friction = 0.0", "viscous_friction = 1.0");
        let battery = format!(
            "[[battery]]\nname = \"battery\"\nenergy_wh = 100.0\nvoltage = 22.2\ninternal_resistance = {resistance}\n\
             idle_power_w = 0.0\n"
        );
        let mut simulation = active(&floor(), &arm(&(battery + &actuator)), &quiet("stand", 0.0, 0.0));
        let mut commands = Commands::new(simulation.layout());
        commands.joints[0] = JointCommand::turn(100.0, 40.0);
        simulation.command(&commands).unwrap();
        run(&mut simulation, 3.0);
        let (mut speed, mut voltage) = (0.0, 0.0);
        for _ in 0..1_000 {
            simulation.step();
            speed += simulation.readings().joints[0].velocity / 1_000.0;
            voltage += simulation.readings().batteries[0].voltage / 1_000.0;
        }
        (speed, voltage)
    };
    let ((stiff, _), (weak, voltage)) = (speed(0.0), speed(0.2));
    assert!(stiff > 18.0 && voltage < 20.0, "{stiff} rad/s, {voltage} V");
    // the torque–speed line moves down with the voltage
    assert!((weak / stiff - voltage / 22.2).abs() < 0.05, "{weak} of {stiff} rad/s at {voltage} V");
}
