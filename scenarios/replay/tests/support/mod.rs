//! A robot for the tests: any number of joints, readings with noise, and a controller that answers them.
#![allow(
    dead_code,
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "each test uses its part"
)]

use std::path::Path;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use replay::{FrameAt, Header, Input, InputKind, LogSummary, LogWriter, Recorder};
use robot_io::{
    CameraLayout, Commands, DepthImage, Digest, Event, Image, Intrinsics, IoError, JointCommand, JointKind,
    JointLayout, JointLimits, JointStatus, Keeper, LaserLayout, LaserScan, Lifecycle, Odometry, OperatorInput, Period,
    Pool, RandomStream, Readings, RobotIo, RobotLayout, Saved, ScanGeometry, Sealed, SensorLayout, Severity, Subject,
    Telemetry, Time, Twist,
};

/// A layout of `joints` joints at 250 Hz with an IMU, 6 force/torque sensors, 8 contacts and a battery.
pub fn layout(joints: usize) -> RobotLayout {
    let limits = JointLimits { lower: -2.0, upper: 2.0, velocity: 5.0, effort: 100.0 };
    let sensors = |name: &str, count: usize| {
        (0..count).map(|i| SensorLayout { name: format!("{name}_{i}"), frame: format!("link_{i}") }).collect()
    };
    RobotLayout {
        robot: "test_centaur".to_owned(),
        period: Period::from_milliseconds(4),
        joints: (0..joints)
            .map(|i| JointLayout { name: format!("left_leg_joint_{i}"), kind: JointKind::Revolute, limits, latency: 0 })
            .collect(),
        imus: sensors("imu", 1),
        force_torques: sensors("wrist", 6),
        contacts: sensors("wheel", 8),
        batteries: sensors("battery", 1),
        lasers: Vec::new(),
        cameras: Vec::new(),
        depth_cameras: Vec::new(),
        boards: Vec::new(),
    }
}

/// The same with a laser that scans every 25 ms, a camera and a depth camera that take a picture every 40 ms.
pub fn sensing_layout(joints: usize) -> RobotLayout {
    let geometry = ScanGeometry {
        first_angle: -2.356,
        angle_step: 0.004363,
        beams: 1081,
        min_range: 0.1,
        max_range: 30.0,
        ..ScanGeometry::default()
    };
    let (name, frame) = ("laser".to_owned(), "laser_link".to_owned());
    let camera = CameraLayout {
        name: "front".to_owned(),
        frame: "camera_link".to_owned(),
        intrinsics: Intrinsics::with_field_of_view(8, 6, 1.0),
        row_period: Period::from_nanoseconds(30_000),
        rate_hz: 30.0,
    };
    RobotLayout {
        lasers: vec![LaserLayout { name, frame, geometry }],
        cameras: vec![camera.clone()],
        depth_cameras: vec![camera],
        ..layout(joints)
    }
}

/// Joints that swing, read through encoders of 18 bits, with noise where sensors have noise.
pub struct NoisyRobot {
    layout: RobotLayout,
    lifecycle: Lifecycle,
    cycle: u64,
    seed: u64,
}

impl NoisyRobot {
    pub fn new(layout: RobotLayout, seed: u64) -> NoisyRobot {
        NoisyRobot { layout, lifecycle: Lifecycle::default(), cycle: 0, seed }
    }
}

impl NoisyRobot {
    /// Scans and pictures, in the cycles in which they are complete.
    fn measure(&self, readings: &mut Readings) {
        let random = RandomStream::new(self.seed, "echoes");
        let (now, period) = (readings.time, self.layout.period.nanoseconds());
        for (scan, laser) in readings.scans.iter_mut().zip(&self.layout.lasers) {
            let every = laser.geometry.period.nanoseconds();
            let number = now.nanoseconds() / every;
            let is_new = number > 0 && now.nanoseconds() % every < period;
            let range = |beam| (2_000.0 + 1_500.0 * random.uniform(number, beam)) as u16 * u16::from(beam % 97 > 0);
            *scan = is_new.then(|| {
                Sealed::new(LaserScan {
                    stamp: Time::from_nanoseconds((number - 1) * every),
                    geometry: laser.geometry,
                    ranges: (0..1081).map(range).collect(),
                    intensities: (0..1081).map(|beam| (300.0 * random.uniform(number, 2_000 + beam)) as u16).collect(),
                })
            });
        }
        let is_new = self.cycle % 10 == 3;
        for (image, camera) in readings.images.iter_mut().zip(&self.layout.cameras) {
            let (stamp, row_period, (width, height)) = (now, camera.row_period, (8, 6));
            let rgb = (0..144).map(|pixel| (256.0 * random.uniform(self.cycle, 4_000 + pixel)) as u8).collect();
            *image = is_new.then(|| Sealed::new(Image { stamp, row_period, width, height, rgb }));
        }
        for (image, camera) in readings.depth_images.iter_mut().zip(&self.layout.depth_cameras) {
            let (stamp, row_period, (width, height)) = (now, camera.row_period, (8, 6));
            let depths = (0..48).map(|pixel| (5e3 * random.uniform(self.cycle, 5_000 + pixel)) as u16).collect();
            *image = is_new.then(|| Sealed::new(DepthImage { stamp, row_period, width, height, depths }));
        }
    }
}

impl RobotIo for NoisyRobot {
    fn layout(&self) -> &RobotLayout {
        &self.layout
    }

    fn lifecycle(&self) -> Lifecycle {
        self.lifecycle
    }

    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        self.lifecycle = to;
        Ok(())
    }

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        const STEP: f64 = core::f64::consts::TAU / 262_144.0;
        let time = Time::from_nanoseconds(self.cycle * self.layout.period.nanoseconds());
        (readings.cycle, readings.time, readings.operator) = (self.cycle, time, OperatorInput::default());
        readings.status.lifecycle = self.lifecycle;
        let random = RandomStream::new(self.seed, "sensors");
        let mut draw = 0;
        let mut noise = |scale: f64| {
            draw += 1;
            scale * random.normal(self.cycle, draw)
        };
        for (index, joint) in readings.joints.iter_mut().enumerate() {
            let phase = 0.5 * time.seconds() + index as f64;
            joint.stamp = time;
            joint.position = (phase.sin() / STEP).round() * STEP;
            joint.velocity = 0.5 * phase.cos() + noise(1e-3);
            joint.effort = 20.0 * phase.sin() + noise(0.05);
            joint.temperature = 25.0 + 0.001 * time.seconds() * index as f64;
            joint.status = JointStatus::ENABLED;
        }
        for imu in &mut readings.imus {
            imu.stamp = time;
            imu.orientation = UnitQuaternion::from_euler_angles(noise(1e-3), noise(1e-3), 0.1 * time.seconds());
            imu.angular_velocity = Vector3::new(noise(1e-3), noise(1e-3), 0.1 + noise(1e-3));
            imu.linear_acceleration = Vector3::new(noise(1e-2), noise(1e-2), 9.81 + noise(1e-2));
        }
        for sensor in &mut readings.force_torques {
            sensor.stamp = time;
            sensor.force = Vector3::new(noise(0.1), noise(0.1), noise(0.1));
            sensor.torque = Vector3::new(noise(0.01), noise(0.01), noise(0.01));
        }
        for contact in &mut readings.contacts {
            contact.stamp = time;
            (contact.touching, contact.force) = (true, 71.0 + noise(1.0));
        }
        for battery in &mut readings.batteries {
            battery.stamp = time;
            (battery.voltage, battery.current, battery.charge) = (48.0, 5.0 + noise(0.1), 0.9);
        }
        self.measure(readings);
        self.cycle += 1;
        Ok(())
    }

    fn write(&mut self, _commands: &Commands) -> Result<(), IoError> {
        Ok(())
    }
}

/// A controller that follows what it reads, so that a changed reading changes commands.
pub fn answer(readings: &Readings, commands: &mut Commands) {
    commands.answer(readings);
    for (command, joint) in commands.joints.iter_mut().zip(&readings.joints) {
        *command = JointCommand::hold(0.99 * joint.position, 400.0, 12.0);
        command.effort = -0.1 * joint.velocity;
    }
}

/// Digests that depend on what is read and answered.
pub fn digests(readings: &mut Readings, commands: &mut Commands) -> [(&'static str, Digest); 2] {
    [("plant", Digest::of(readings)), ("drive", Digest::of(commands))]
}

/// A push in every hundredth cycle.
pub fn inputs(cycle: u64) -> Vec<Input> {
    if cycle % 100 != 50 {
        return Vec::new();
    }
    let values = vec![10.0 + cycle as f64, 0.1, -0.3];
    vec![Input { cycle, kind: InputKind::Push, name: "base".to_owned(), values, bytes: Vec::new() }]
}

/// The operator touches the stick in some cycles.
pub fn operator(cycle: u64) -> OperatorInput {
    let twist = (cycle % 70 > 60).then_some(Twist { x: 0.5, y: 0.0, yaw: -0.1 });
    OperatorInput { twist, request: None }
}

pub fn header(layout: &RobotLayout) -> Header {
    let mut header = Header::new(layout.clone(), "test_case", 7)
        .with_file("test_case.toml", "application/toml", b"world = \"flat\"\n".to_vec())
        .with_file("heights.png", "image/png", (0..=255).collect());
    header.metadata.push(("duration_s".to_owned(), "60".to_owned()));
    header
}

/// Records `cycles` cycles with everything that a session records; returns what the controllers saw and said.
pub fn record(path: &Path, joints: usize, cycles: u64, seed: u64) -> (Vec<(Readings, Commands)>, LogSummary) {
    record_as(path, layout(joints), cycles, seed)
}

/// What a controller remembers of 5 000 numbers: a sealed map of parts of which one changes each second, and the rest.
pub fn state_of(cycle: u64, known: &Pool) -> (Saved, Pool) {
    let second = (cycle / 250) as usize;
    let part = |part: usize| {
        let last_change = second.saturating_sub((second + 10 - part) % 10);
        let number = |i: usize| (i * (part + 1)) as f64 + last_change as f64;
        Sealed::new((0..500).map(|i| number(i).sqrt()).collect::<Vec<f64>>())
    };
    let mut map = Sealed::new((0..10).map(part).collect::<Vec<_>>());
    let mut keeper = Keeper::new(known);
    (keeper.save(&mut map), keeper.finish())
}

/// The same for a robot of any layout.
pub fn record_as(path: &Path, layout: RobotLayout, cycles: u64, seed: u64) -> (Vec<(Readings, Commands)>, LogSummary) {
    let log = LogWriter::create(path, &header(&layout)).unwrap();
    let mut robot = Recorder::new(NoisyRobot::new(layout.clone(), seed), log.clone());
    let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
    let mut all = Vec::new();
    let mut pool = Pool::default();
    robot.bring_up().unwrap();
    for cycle in 0..cycles {
        if cycle.is_multiple_of(250) {
            let (state, refers_to) = state_of(cycle, &pool);
            log.snapshot(cycle, &state.words, &refers_to).unwrap();
            pool = refers_to;
        }
        robot.read(&mut readings).unwrap();
        readings.operator = operator(cycle);
        robot.note_operator(readings.operator);
        inputs(cycle).iter().for_each(|input| log.input(input).unwrap());
        answer(&readings, &mut commands);
        robot.write(&commands).unwrap();
        log.digests(cycle, &digests(&mut readings, &mut commands)).unwrap();
        show(&log, &readings);
        all.push((readings.clone(), commands.clone()));
    }
    (all, log.finish().unwrap())
}

/// What a session shows to people.
pub fn show(log: &LogWriter, readings: &Readings) {
    let links: Vec<String> = (0..readings.joints.len()).map(|i| format!("link_{i}")).collect();
    show_links(log, readings, &links);
}

/// The same, with the links' names at hand.
pub fn show_links(log: &LogWriter, readings: &Readings, links: &[String]) {
    if readings.cycle.is_multiple_of(100) {
        let event = Event::note(readings.time, Severity::Warning, "safety_filter", "position clamped [rad]")
            .about(Subject::Joint(0))
            .with(2.5, 2.0);
        log.events(&[event]).unwrap();
    }
    if !log.shows() {
        return;
    }
    let seconds = readings.time.seconds();
    let pose = Isometry3::translation(seconds, 0.0, 0.7);
    let swing = |index: usize| UnitQuaternion::from_euler_angles((seconds + index as f64).sin(), 0.0, 0.0);
    let frames = links.iter().enumerate().map(|(index, link)| FrameAt {
        parent: "base",
        child: link,
        child_in_parent: Isometry3::from_parts(pose.translation, swing(index)),
    });
    log.frames(frames).unwrap();
    log.truth(&pose).unwrap();
    let odometry = Odometry { stamp: readings.time, base_in_odom: pose, ..Odometry::default() };
    let mut telemetry = Telemetry { odometry: Some(odometry), ..Telemetry::default() };
    telemetry.scalar("base_pitch [rad]", 0.01 * seconds);
    log.telemetry(&telemetry).unwrap();
}

/// Copies a log record by record; `change` sees each message's topic and contents, and drops the message by `None`.
pub fn rewrite(from: &Path, to: &Path, mut change: impl FnMut(&str, Vec<u8>) -> Option<Vec<u8>>) {
    let bytes = std::fs::read(from).unwrap();
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    let mut writer = mcap::WriteOptions::new()
        .compression(Some(mcap::Compression::Lz4))
        .create(std::fs::File::create(to).unwrap())
        .unwrap();
    for index in &summary.metadata_indexes {
        writer.write_metadata(&mcap::read::metadata(&bytes, index).unwrap()).unwrap();
    }
    for index in &summary.attachment_indexes {
        writer.attach(&mcap::read::attachment(&bytes, index).unwrap()).unwrap();
    }
    for message in mcap::MessageStream::new(&bytes).unwrap() {
        let mut message = message.unwrap();
        let Some(data) = change(&message.channel.topic, message.data.to_vec()) else { continue };
        message.data = std::borrow::Cow::Owned(data);
        writer.write(&message).unwrap();
    }
    writer.finish().unwrap();
}

/// A copy of a log beside it, without the message of a topic that begins with these bytes.
pub fn without_message(path: &Path, topic: &str, beginning: &[u8]) -> std::path::PathBuf {
    let copy = path.with_extension("copy.mcap");
    rewrite(path, &copy, |found, data| (found != topic || !data.starts_with(beginning)).then_some(data));
    copy
}
