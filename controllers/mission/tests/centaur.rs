//! The centaur with its real skills, on joints that do exactly what they are told.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::Path;

use mission::{Activity, Mission, MissionPlan, MissionSettings, StopCause};
use nalgebra::{UnitQuaternion, Vector3};
use robot_io::deadline::InlineBoard;
use robot_io::{
    Commands, Controller, Events, JointStatus, Pose2, Readings, RobotLayout, StateReader, StateWriter, Time,
};
use robot_model::{Configuration, Data, RobotModel, forward_kinematics};

/// The centaur on a flat floor: each joint is where it was told to be one cycle later.
struct Puppet {
    mission: Mission,
    board: InlineBoard,
    readings: Readings,
    commands: Commands,
    events: Events,
    layout: RobotLayout,
    imu_in_base: UnitQuaternion<f64>,
    heading: f64,
    cycle: u64,
    jammed: Option<usize>,
}

impl Puppet {
    fn new(steps: &str) -> Puppet {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
        let model = RobotModel::load(&file).unwrap();
        let layout = model.layout();
        let plan = MissionPlan::parse(&format!("name = 'test'\n{steps}"), "test.toml").unwrap();
        let (start, settings) = (Pose2::default(), MissionSettings::default());
        let mission = Mission::new(&model, &layout, &plan, start, None, &settings).unwrap();
        let mut readings = Readings::new(&layout);
        let stand = model.description.pose("stand").unwrap();
        for (joint, position) in readings.joints.iter_mut().zip(&stand.positions) {
            joint.position = *position;
        }
        let mut data = Data::new(&model.tree);
        let joints = stand.positions.clone();
        forward_kinematics(&model.tree, &Configuration { joints, ..Configuration::zero(&model.tree) }, &mut data);
        let mount = &model.description.imus[0];
        let imu_in_base = (data.link_in_base[mount.link] * mount.pose_in_link).rotation;
        let commands = Commands::new(&layout);
        let (board, events) = (InlineBoard::default(), Events::new());
        let (heading, cycle, jammed) = (0.0, 0, None);
        Puppet { mission, board, readings, commands, events, layout, imu_in_base, heading, cycle, jammed }
    }

    fn sense(&mut self) {
        let dt = self.layout.period.seconds();
        let now = Time::from_nanoseconds(self.cycle * self.layout.period.nanoseconds());
        (self.readings.cycle, self.readings.time) = (self.cycle, now);
        for (index, joint) in self.readings.joints.iter_mut().enumerate() {
            let command = &self.commands.joints[index];
            let jammed = self.jammed == Some(index);
            let position = match (jammed, self.cycle, command.stiffness > 0.0) {
                (true, _, _) | (_, 0, _) => joint.position,
                (_, _, true) => command.position,
                (_, _, false) => joint.position + command.velocity * dt,
            };
            joint.velocity = (position - joint.position) / dt;
            (joint.stamp, joint.position) = (now, position);
            joint.effort = if jammed { 0.0 } else { command.effort_at(joint.position, joint.velocity) };
            joint.status = JointStatus::ENABLED;
        }
        let rate = self.mission.mobility().driving().unwrap().locomotion().commanded_twist().yaw;
        self.heading += rate * dt;
        let imu = &mut self.readings.imus[0];
        imu.stamp = now;
        imu.orientation = UnitQuaternion::from_euler_angles(0.0, 0.0, self.heading) * self.imu_in_base;
        imu.angular_velocity = self.imu_in_base.inverse() * Vector3::new(0.0, 0.0, rate);
        imu.linear_acceleration = self.imu_in_base.inverse() * Vector3::new(0.0, 0.0, 9.81);
        for contact in &mut self.readings.contacts {
            (contact.stamp, contact.touching, contact.force) = (now, true, 58.0 * 9.81 / 8.0);
        }
        for battery in &mut self.readings.batteries {
            (battery.stamp, battery.charge) = (now, 0.9);
        }
    }

    fn cycle(&mut self) {
        self.sense();
        if self.cycle == 0 {
            self.mission.reset(&self.readings);
        }
        self.board.begin(self.cycle);
        self.mission.exchange_tasks(self.cycle, &mut self.board);
        self.mission.update(&self.readings, &mut self.commands);
        self.mission.drain_events(&mut self.events);
        self.cycle += 1;
    }

    fn run(&mut self, seconds: f64) {
        let end = self.cycle + (seconds / self.layout.period.seconds()) as u64;
        while self.cycle < end && !self.mission.status().is_done() {
            self.cycle();
        }
    }

    /// The operator presses a button in the next cycle; supervision sees its effect in the one after.
    fn press(&mut self, button: robot_io::OperatorRequest) {
        self.readings.operator.request = Some(button);
        self.cycle();
        self.readings.operator.request = None;
        self.cycle();
    }

    fn pose(&self) -> Pose2 {
        use mission::Mobility;
        self.mission.mobility().odometry().pose()
    }

    fn lines(&self) -> Vec<String> {
        let name = |joint: usize| self.layout.joints.get(joint).map(|joint| joint.name.as_str());
        self.events.iter().map(|event| format!("{} {}", event.time, event.describe(name))).collect()
    }
}

const TOUR: &str = "
[[steps]]
goto = { x = 1.0, y = 0.0, yaw = 0.0 }
pose = { name = 'arms_forward' }
[[steps]]
goto = { x = 1.0, y = 1.0, yaw = 0.0 }
stance = { height = 0.6, seconds = 2.0 }
[[steps]]
goto = { x = 0.0, y = 0.0, yaw = 1.5, tolerance = 0.01, heading_tolerance = 0.01 }
";

#[test]
fn the_centaur_drives_forward_sideways_and_back_with_its_arms_ahead() {
    let mut puppet = Puppet::new(TOUR);
    puppet.run(90.0);
    assert!(puppet.mission.status().is_done(), "{}: {:#?}", puppet.mission.status(), puppet.lines());
    let pose = puppet.pose();
    assert!(pose.distance(&Pose2::default()) <= 0.02 && (pose.yaw - 1.5).abs() <= 0.02, "{pose:?}");
    let elbow = puppet.layout.joint("left_arm_elbow_pitch").unwrap();
    assert!((puppet.commands.joints[elbow].position + 0.7).abs() < 1e-9, "the pose is kept");
    let worst = puppet.events.iter().map(|event| event.severity).max().unwrap();
    assert!(worst < robot_io::Severity::Warning, "{:#?}", puppet.lines());
}

#[test]
fn a_jammed_wheel_is_named_and_the_centaur_stands_still() {
    let mut puppet = Puppet::new("[[steps]]\ngoto = { x = 20.0, y = 0.0, yaw = 0.0 }\n");
    puppet.run(8.0);
    let joint = puppet.layout.joints.iter().rposition(|joint| joint.name.contains("wheel")).unwrap();
    puppet.jammed = Some(joint);
    puppet.run(6.0);
    let stopped = Activity::Stopped(StopCause::MotorFault { joint });
    assert_eq!(puppet.mission.status().activity, stopped, "{:#?}", puppet.lines());
    let name = puppet.layout.joints[joint].name.clone();
    let line = format!("mission {name}: stopped: motor does not do what it is told");
    assert!(puppet.lines().iter().any(|said| said.contains(&line)), "{:#?}", puppet.lines());
    let place = puppet.pose();
    puppet.run(5.0);
    assert!(place.x > 1.0 && puppet.pose().distance(&place) < 0.01, "it stands: {place:?}, {:?}", puppet.pose());
    puppet.mission.resume();
    puppet.run(1.0);
    assert_eq!(puppet.mission.status().activity, stopped, "a motor's fault asks for a person");
    puppet.jammed = None;
    puppet.press(robot_io::OperatorRequest::ClearEmergencyStop);
    puppet.press(robot_io::OperatorRequest::Resume);
    puppet.run(2.0);
    assert!(puppet.pose().distance(&place) > 0.3, "acknowledged, it drives on: {:#?}", puppet.lines());
}

#[test]
fn the_centaurs_mission_restored_in_its_middle_goes_on_to_the_bit() {
    let mut first = Puppet::new(TOUR);
    // no preview is under way in these cycles, so the board has nothing to be saved
    for saved_at in [450_u64, 1_450] {
        while first.cycle < saved_at {
            first.cycle();
        }
        let saved = StateWriter::save(&mut first.mission);
        let mut second = Puppet::new(TOUR);
        StateReader::restore(&mut second.mission, &saved).unwrap();
        (second.readings, second.commands) = (first.readings.clone(), first.commands.clone());
        (second.heading, second.cycle) = (first.heading, first.cycle);
        for _ in 0..800 {
            first.cycle();
            second.cycle();
            assert_eq!(second.commands, first.commands, "saved in cycle {saved_at}, now {}", first.cycle);
        }
        assert_eq!(StateWriter::save(&mut second.mission), StateWriter::save(&mut first.mission));
    }
}
