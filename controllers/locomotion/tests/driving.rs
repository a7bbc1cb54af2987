//! The loop closed over ideal wheels: what a user of the locomotion notices.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, reason = "tests")]

mod rolling;

use locomotion::{
    BodySettings, BodyTarget, DriveFaultKind, DriveMode, FollowerSettings, Goal, Heading, Locomotion, PoseFollower,
    Settings,
};
use robot_io::{Digest, Pose2, StateReader, StateWriter, Twist};
use robot_model::{Configuration, Data, center_of_mass_in_world, forward_kinematics};
use rolling::Rolling;

fn flat() -> Rolling {
    Rolling::new(0.0, 0.0, Settings::default())
}

fn standing(rolling: &Rolling) -> BodyTarget {
    BodyTarget { height: rolling.locomotion.stance_height(), ..BodyTarget::default() }
}

/// Drives to a pose; returns the time it took.
fn drive_to(rolling: &mut Rolling, follower: &mut PoseFollower, pose: Pose2, heading: Heading) -> f64 {
    follower.set_goal(Goal { pose, heading, pass: false });
    let (begun, still) = (rolling.time(), standing(rolling));
    loop {
        let twist = follower.update(&rolling.odometry.pose(), 1.0);
        rolling.step(BodyTarget { twist, ..still });
        let took = rolling.time() - begun;
        assert!(took < 60.0, "not at {pose:?} but at {:?}", rolling.odometry.pose());
        if follower.is_reached() && rolling.locomotion.drive_mode() == DriveMode::Holding {
            return took;
        }
    }
}

#[test]
fn a_square_sideways_and_turning_ends_within_a_centimetre_of_its_start() {
    let mut rolling = flat();
    let with = FollowerSettings { distance_tolerance: 0.005, heading_tolerance: 0.01, ..FollowerSettings::default() };
    let mut follower = PoseFollower::new(with).unwrap();
    let corners = [
        (2.0, 0.0, 0.0, Heading::Keep),
        (2.0, 2.0, 0.0, Heading::Keep),
        (0.0, 2.0, 3.0, Heading::Goal),
        (0.0, 0.0, 0.0, Heading::Travel),
    ];
    let mut total = 0.0;
    for (x, y, yaw, heading) in corners {
        total += drive_to(&mut rolling, &mut follower, Pose2 { x, y, yaw }, heading);
    }
    let end = rolling.odometry.pose();
    assert!(end.distance(&Pose2::default()) < 0.01, "{end:?}");
    assert!(end.yaw.abs() < 0.02, "{end:?}");
    assert!(total < 60.0, "{total} s for 8 m");
}

#[test]
fn the_base_moves_as_it_is_told_in_every_direction() {
    for (x, y, yaw) in [(0.3, 0.0, 0.0), (0.0, -0.3, 0.0), (0.1, 0.2, 0.3), (0.0, 0.0, -0.5), (-0.2, 0.1, 0.1)] {
        let mut rolling = flat();
        let target = BodyTarget { twist: Twist { x, y, yaw }, ..standing(&rolling) };
        rolling.run(target, 4.0);
        let before = rolling.base;
        rolling.run(target, 0.04);
        let moved = before.inverse() * rolling.base;
        let velocity = moved.translation.vector / 0.04;
        let (_, _, turned) = moved.rotation.euler_angles();
        assert!((velocity.x - x).abs() < 0.01 && (velocity.y - y).abs() < 0.01, "{x} {y} {yaw}: {velocity}");
        assert!((turned / 0.04 - yaw).abs() < 0.01, "{x} {y} {yaw}: {turned}");
        assert!(rolling.slip < 0.01, "{x} {y} {yaw}: slip {}", rolling.slip);
    }
}

#[test]
fn while_the_pairs_turn_the_base_stands_still() {
    let mut rolling = flat();
    let start = rolling.base;
    let target = BodyTarget { twist: Twist { y: 0.3, ..Twist::default() }, ..standing(&rolling) };
    let mut steered = 0.0;
    while rolling.locomotion.drive_mode() != DriveMode::Rolling {
        rolling.step(target);
        steered += rolling.dt();
        assert!(steered < 2.0);
    }
    let moved = (rolling.base.translation.vector - start.translation.vector).norm();
    assert!(steered > 0.5 && moved < 2e-3, "{moved} m in {steered} s");
}

/// How level the base is when the control has nothing more to do [rad].
fn level_within() -> f64 {
    BodySettings::default().deadband + 3e-3
}

#[test]
fn on_a_slope_it_levels_pitch_and_roll_and_keeps_its_height_and_its_steering_axes_vertical() {
    let mut rolling = Rolling::new(0.1, -15_f64.to_radians(), Settings::default());
    let target = standing(&rolling);
    rolling.run(target, 10.0);
    let (roll, pitch) = rolling.attitude();
    assert!(pitch.abs() < level_within() && roll.abs() < level_within(), "{roll} {pitch}");
    assert!((rolling.height() - target.height).abs() < 0.02, "{} m", rolling.height());
    let climb = BodyTarget { twist: Twist { x: 0.3, ..Twist::default() }, ..target };
    rolling.run(climb, 4.0);
    let before = rolling.base.translation.vector;
    rolling.run(climb, 1.0);
    let moved = rolling.base.translation.vector - before;
    assert!((moved.x - 0.3).abs() < 0.01, "horizontally: {moved}");
    assert!(moved.z > 0.06, "uphill: {moved}");
}

#[test]
fn the_papers_controller_keeps_8_3_degrees_on_15() {
    let body = BodySettings { integral: 0.0, deadband: 0.0, ..BodySettings::default() };
    let mut rolling = Rolling::new(0.0, -15_f64.to_radians(), Settings { body, ..Settings::default() });
    let target = standing(&rolling);
    rolling.run(target, 10.0);
    let error = rolling.attitude().1.to_degrees();
    assert!((error + 8.33).abs() < 0.3, "equation (6): {error}°");
}

#[test]
fn the_base_pitches_rolls_and_sinks_on_demand() {
    let mut rolling = flat();
    let target =
        BodyTarget { height: rolling.locomotion.stance_height() - 0.08, pitch: 0.1, roll: -0.08, ..standing(&rolling) };
    rolling.run(target, 8.0);
    let (roll, pitch) = rolling.attitude();
    assert!((pitch - 0.1).abs() < level_within() && (roll + 0.08).abs() < level_within(), "{roll} {pitch}");
    assert!((rolling.height() - target.height).abs() < 0.01, "{}", rolling.height());
    let wheel_pair = rolling.model.tree.link("front_left_wheel_pair_link").unwrap();
    assert!(wheel_pair > 0);
}

#[test]
fn turning_on_a_slope_keeps_the_base_level_on_the_way() {
    let mut rolling = Rolling::new(0.0, -0.2, Settings::default());
    let target = standing(&rolling);
    rolling.run(target, 8.0);
    let turning = BodyTarget { twist: Twist { yaw: 0.3, ..Twist::default() }, ..target };
    let mut worst: f64 = 0.0;
    for _ in 0..2000 {
        rolling.step(turning);
        let (roll, pitch) = rolling.attitude();
        worst = worst.max(roll.abs()).max(pitch.abs());
    }
    assert!(worst.to_degrees() < 3.0, "{}°", worst.to_degrees());
}

#[test]
fn standing_sends_no_wheel_anywhere() {
    let mut rolling = flat();
    let target = standing(&rolling);
    rolling.run(target, 1.0);
    let before = rolling.base;
    rolling.run(target, 5.0);
    assert!((rolling.base.translation.vector - before.translation.vector).norm() < 1e-6);
    for wheel in &rolling.model.description.wheels {
        let command = rolling.commands.joints[wheel.drive_joint];
        assert!(command.velocity == 0.0 && command.stiffness > 0.0, "held: {command:?}");
    }
    assert!(rolling.commands.joints.iter().all(robot_io::JointCommand::is_finite));
}

#[test]
fn the_efforts_fed_forward_do_the_work_of_lifting_the_robot() {
    let mut rolling = Rolling::new(0.06, -0.15, Settings::default());
    let middle = rolling.locomotion.stance_height();
    let mut at = |height: f64| {
        rolling.run(BodyTarget { height, ..BodyTarget::default() }, 6.0);
        let positions: Vec<f64> = rolling.readings.joints.iter().map(|joint| joint.position).collect();
        let efforts: Vec<f64> = rolling.commands.joints.iter().map(|command| command.effort).collect();
        let configuration = Configuration { base_in_world: rolling.base, joints: positions.clone() };
        let mut data = Data::new(&rolling.model.tree);
        forward_kinematics(&rolling.model.tree, &configuration, &mut data);
        (positions, efforts, center_of_mass_in_world(&rolling.model.tree, &data).z)
    };
    let (low, _, low_com) = at(middle - 0.01);
    let (_, efforts, _) = at(middle);
    let (high, _, high_com) = at(middle + 0.01);
    // the laser's joint turns all the time without doing work; wheels do none while they stand
    let turns = |joint: &usize| (high[*joint] - low[*joint]).abs() < 0.5;
    let work: f64 = (0..low.len()).filter(turns).map(|joint| efforts[joint] * (high[joint] - low[joint])).sum();
    let lifted = rolling.model.tree.mass() * 9.81 * (high_com - low_com);
    assert!(lifted > 6.0, "2 cm, the legs less: {lifted} J");
    assert!((work - lifted).abs() < 0.03 * lifted, "virtual work: {work} J for {lifted} J");
}

#[test]
fn feet_that_start_elsewhere_roll_home() {
    let mut rolling = flat();
    let hip = rolling.joint("front_left_hip_pitch");
    let home = rolling.readings.joints[hip].position;
    for leg in ["front_left", "front_right"] {
        let [hip, ankle] = ["hip", "ankle"].map(|part| rolling.joint(&format!("{leg}_{part}_pitch")));
        rolling.readings.joints[hip].position += 0.1;
        rolling.readings.joints[ankle].position -= 0.1;
    }
    rolling.locomotion.reset(&rolling.readings);
    let target = standing(&rolling);
    rolling.run(target, 6.0);
    assert!((rolling.readings.joints[hip].position - home).abs() < 0.02, "{}", rolling.readings.joints[hip].position);
    assert!(rolling.slip < 1e-3);
}

#[test]
fn the_margin_is_that_of_the_stance_and_falls_when_the_base_is_tilted() {
    let mut rolling = flat();
    let target = standing(&rolling);
    rolling.run(target, 0.1);
    let level = rolling.locomotion.margin();
    assert!(level.distance > 0.2 && level.distance < 0.4, "{level:?}");
    assert!(level.angle > 0.3 && level.angle < 0.9, "{level:?}");
    let body = BodySettings { gain: 0.0, integral: 0.0, ..BodySettings::default() };
    let mut tilted = Rolling::new(0.3, 0.0, Settings { body, ..Settings::default() });
    tilted.run(target, 0.1);
    assert!(tilted.locomotion.margin().angle < level.angle - 0.2, "{:?}", tilted.locomotion.margin());
}

#[test]
fn near_tipping_over_it_slows_down_and_says_so_once() {
    let body = BodySettings { gain: 0.0, integral: 0.0, ..BodySettings::default() };
    let mut settings = Settings { body, ..Settings::default() };
    settings.margin.slow_angle = 0.5;
    let mut rolling = Rolling::new(0.3, 0.0, settings);
    let target = BodyTarget { twist: Twist { x: 0.3, ..Twist::default() }, ..standing(&rolling) };
    rolling.run(target, 3.0);
    assert!(rolling.locomotion.commanded_twist().x < 0.2, "{:?}", rolling.locomotion.commanded_twist());
    let mut events = Vec::new();
    rolling.locomotion.drain_events(&mut events);
    let told = events.iter().filter(|event| event.what.contains("margin")).count();
    assert_eq!(told, 1, "{events:?}");
}

#[test]
fn a_dead_wheel_motor_is_noticed_on_a_slope_named_and_stops_the_robot() {
    let mut rolling = Rolling::new(0.0, -0.2, Settings::default());
    let drive = BodyTarget { twist: Twist { x: 0.3, ..Twist::default() }, ..standing(&rolling) };
    rolling.run(drive, 6.0);
    assert_eq!(rolling.locomotion.drive_fault(), None);
    let wheel = rolling.joint("rear_left_wheel_right");
    rolling.dead.push(wheel);
    rolling.run(drive, 2.0);
    let fault = rolling.locomotion.drive_fault().expect("noticed within two seconds");
    assert_eq!((fault.joint, fault.kind), (wheel, DriveFaultKind::Effort));
    assert!(fault.residual > fault.threshold);
    rolling.run(drive, 2.0);
    assert_eq!(rolling.locomotion.drive_mode(), DriveMode::Holding, "stopped");
    let mut events = Vec::new();
    rolling.locomotion.drain_events(&mut events);
    rolling.locomotion.drain_events(&mut events);
    assert_eq!(events.iter().filter(|event| event.what.contains("effort")).count(), 1, "reported once: {events:?}");
}

#[test]
fn a_drive_that_switches_itself_off_is_noticed_at_once_but_an_emergency_stop_is_nobodys_fault() {
    let mut rolling = flat();
    let target = standing(&rolling);
    rolling.run(target, 1.0);
    let knee = rolling.joint("front_right_knee_pitch");
    rolling.readings.joints[knee].status = Default::default();
    rolling.run(target, 0.2);
    let fault = rolling.locomotion.drive_fault().unwrap();
    assert_eq!((fault.joint, fault.kind), (knee, DriveFaultKind::Disabled));
    let mut rolling = flat();
    rolling.run(target, 1.0);
    rolling.readings.joints.iter_mut().for_each(|joint| joint.status = Default::default());
    rolling.run(target, 2.0);
    assert_eq!(rolling.locomotion.drive_fault(), None);
}

#[test]
fn an_encoder_that_always_shows_the_same_is_noticed() {
    let mut rolling = flat();
    let drive = BodyTarget { twist: Twist { x: 0.2, ..Twist::default() }, ..standing(&rolling) };
    rolling.run(drive, 2.0);
    let wheel = rolling.joint("front_left_wheel_left");
    let stuck = rolling.readings.joints[wheel].position;
    for _ in 0..50 {
        rolling.readings.joints[wheel].position = stuck;
        rolling.readings.joints[wheel].velocity = 0.0;
        rolling.step(drive);
    }
    let fault = rolling.locomotion.drive_fault().expect("noticed");
    assert_eq!((fault.joint, fault.kind), (wheel, DriveFaultKind::StuckEncoder));
}

#[test]
fn the_same_readings_give_the_same_bits_also_after_a_snapshot() {
    let motion = |rolling: &Rolling| BodyTarget {
        twist: Twist { x: 0.2, y: 0.1 * rolling.time().sin(), yaw: 0.2 },
        ..standing(rolling)
    };
    let mut rolling = Rolling::new(0.05, -0.1, Settings::default());
    for _ in 0..500 {
        let target = motion(&rolling);
        rolling.step(target);
    }
    let saved = StateWriter::save(&mut rolling.locomotion);
    let mut restored = Locomotion::new(&rolling.model, &rolling.layout, Settings::default()).unwrap();
    StateReader::restore(&mut restored, &saved).unwrap();
    let mut commands = rolling.commands.clone();
    for _ in 0..300 {
        let target = motion(&rolling);
        restored.set_target(target);
        restored.update(&rolling.readings, &rolling.odometry, &mut commands);
        rolling.step(target);
        assert_eq!(commands, rolling.commands);
    }
    assert_eq!(Digest::of(&mut restored), Digest::of(&mut rolling.locomotion));
}

#[test]
fn a_robot_that_cannot_drive_is_refused_with_what_it_lacks() {
    let rolling = flat();
    let mut model = rolling.model.clone();
    model.description.wheels.clear();
    let error = Locomotion::new(&model, &rolling.layout, Settings::default()).unwrap_err();
    assert_eq!(error.to_string(), "robot \"centaur\": expected three steered legs or more, found 0");
    let mut settings = Settings::default();
    settings.posture.stance = "yoga".to_owned();
    let error = Locomotion::new(&rolling.model, &rolling.layout, settings).unwrap_err();
    assert!(error.to_string().starts_with("robot \"centaur\": expected a pose \"yoga\", found [\"stand\""), "{error}");
    let mut settings = Settings::default();
    settings.drive.speed = 5.0;
    let error = Locomotion::new(&rolling.model, &rolling.layout, settings).unwrap_err();
    assert!(error.to_string().contains("drive.speed [m/s]: expected at most 0.96 m/s"), "{error}");
}
