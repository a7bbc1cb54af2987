//! A kinematic puppet of the centaur in a world that is a function: for tests of the whole navigation without a plant.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::time::Duration;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use navigation::{Explorer, Footprint, Goal, Guidance, NavigationSettings, Navigator, Status};
use robot_io::deadline::InlineBoard;
use robot_io::math::{atan2, cos, hypot, sin, wrap_angle};
use robot_io::{
    Event, Localization, LocalizationState, MapView, MapViews, Odometry, PointCloud, Pose2, RandomStream, Sealed, Time,
    Twist,
};
use robot_model::RobotModel;

/// Control cycles of 4 ms in an update of the puppet.
pub const CYCLES: u64 = 5;
pub const DT: f64 = 0.004 * CYCLES as f64;
/// A turn of the laser's axis [s].
const SWEEP: f64 = 1.26;
/// The laser above the base's origin [m].
const LASER: f64 = 0.75;
/// The base's origin above the ground [m].
const HIPS: f64 = 0.55;

/// Height of the world at a place and a time [m].
pub type World = Box<dyn Fn(f64, f64, f64) -> f64>;

pub struct Puppet {
    pub navigator: Navigator,
    pub board: InlineBoard,
    pub world: World,
    pub pose: Pose2,
    pub twist: Twist,
    pub footprint: Footprint,
    pub guidance: Guidance,
    pub events: Vec<Event>,
    pub time: f64,
    pub driven: f64,
    /// Times that the direction of travel turned by more than a right angle.
    pub reversals: usize,
    /// By how much the direction of travel turned in all [rad].
    pub winding: f64,
    /// The wheels turn, the robot does not move.
    pub held_fast: bool,
    /// Something that nobody sees and that holds the robot when it drives towards it within half a metre [m].
    pub snag: Option<[f64; 2]>,
    /// Worst height under the footprint above the ground under the base's origin [m].
    pub worst_bump: f64,
    views: Vec<MapView>,
    pub shared: Sealed<MapViews>,
    latest: Option<MapView>,
    next_sweep: f64,
    heading_of_wheels: f64,
    steering_left: f64,
    last_direction: Option<f64>,
    random: RandomStream,
    draws: u64,
    cycle: u64,
    pub rays: (usize, usize),
    pub range: f64,
    pub explorer: Option<Explorer>,
    /// Counts allocations, for tests that nothing allocates.
    pub count_allocations: Option<fn() -> u64>,
    pub updates_that_allocated: usize,
    /// Tells the time, for tests that measure the machine.
    pub stopwatch: Option<fn() -> Duration>,
    pub update_times: Vec<Duration>,
    pub exchange_times: Vec<Duration>,
}

pub fn centaur() -> RobotModel {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
    RobotModel::load(&path).unwrap()
}

pub fn footprint() -> Footprint {
    let feet = [[0.29, 0.27], [0.29, -0.27], [-0.29, 0.27], [-0.29, -0.27]].map(|[x, y]| [x, y, -HIPS]);
    Footprint { eye: Some([0.0, 0.0, LASER]), ..Footprint::on_feet(&feet, 0.113, [0.0, 0.0, 0.62]) }
}

pub fn goal(x: f64, y: f64, yaw: Option<f64>) -> Goal {
    Goal {
        pose_in_map: Pose2 { x, y, yaw: yaw.unwrap_or(0.0) },
        with_heading: yaw.is_some(),
        tolerance: 0.15,
        heading_tolerance: 0.08,
        speed: 0.5,
    }
}

impl Puppet {
    pub fn new(world: World, pose: Pose2, settings: NavigationSettings) -> Puppet {
        let model = centaur();
        let navigator = Navigator::new(&model, &model.layout(), settings).unwrap();
        Puppet {
            navigator,
            board: InlineBoard::default(),
            world,
            pose,
            twist: Twist::default(),
            footprint: footprint(),
            guidance: Guidance::default(),
            events: Vec::new(),
            time: 0.0,
            driven: 0.0,
            reversals: 0,
            winding: 0.0,
            held_fast: false,
            snag: None,
            worst_bump: 0.0,
            views: Vec::new(),
            shared: Sealed::default(),
            latest: None,
            next_sweep: 0.0,
            heading_of_wheels: 0.0,
            steering_left: 0.0,
            last_direction: None,
            random: RandomStream::new(7, "puppet"),
            draws: 0,
            cycle: 0,
            rays: (180, 72),
            range: 10.0,
            explorer: None,
            count_allocations: None,
            updates_that_allocated: 0,
            stopwatch: None,
            update_times: Vec::new(),
            exchange_times: Vec::new(),
        }
    }

    /// Runs for `seconds` or until `done`; returns whether it was.
    pub fn run(&mut self, seconds: f64, mut done: impl FnMut(&Puppet) -> bool) -> bool {
        let end = self.time + seconds;
        while self.time < end {
            self.step();
            if done(self) {
                return true;
            }
        }
        false
    }

    /// Runs until the goal is reached; returns whether it was.
    pub fn arrives(&mut self, seconds: f64) -> bool {
        self.run(seconds, |puppet| puppet.guidance.status == Status::Arrived)
    }

    pub fn step(&mut self) {
        self.cycle += CYCLES;
        self.time += DT;
        if self.time >= self.next_sweep {
            self.next_sweep += SWEEP;
            self.sweep();
        }
        self.board.begin(self.cycle);
        let begin = self.stopwatch.map(|now| now());
        self.navigator.exchange(self.cycle, &mut self.board, &self.shared);
        self.exchange_times.extend(begin.zip(self.stopwatch).map(|(begin, now)| now() - begin));
        let now = Time::from_seconds(self.time);
        if let Some(explorer) = &mut self.explorer {
            explorer.exchange(&mut self.board, &mut self.navigator, now);
        }
        let (localization, odometry) = self.estimates();
        self.stand();
        let (begin, before) = (self.stopwatch.map(|now| now()), self.count_allocations.map(|count| count()));
        self.guidance = self.navigator.update(now, &localization, &odometry, &self.footprint);
        let after = self.count_allocations.map(|count| count());
        self.update_times.extend(begin.zip(self.stopwatch).map(|(begin, now)| now() - begin));
        self.updates_that_allocated += usize::from(after != before);
        if let Some(explorer) = &mut self.explorer {
            explorer.update(now, &mut self.navigator);
            explorer.drain_events(&mut self.events);
        }
        self.navigator.drain_events(&mut self.events);
        self.drive(self.guidance.twist);
    }

    /// What the estimators say: the truth with a little noise, and odometry that began somewhere else.
    fn estimates(&mut self) -> (Localization, Odometry) {
        let noise = [self.noise() * 0.004, self.noise() * 0.004, self.noise() * 0.003];
        let believed = Pose2 { x: self.pose.x + noise[0], y: self.pose.y + noise[1], yaw: self.pose.yaw + noise[2] };
        let odom_in_map = Pose2 { x: 1.0, y: -2.0, yaw: 0.7 };
        let in_odom = believed.seen_from(&odom_in_map);
        let z = (self.world)(self.pose.x, self.pose.y, self.time) + HIPS;
        let localization = Localization {
            stamp: Time::from_seconds(self.time),
            state: LocalizationState::Localized,
            base_in_map: isometry(&believed, z),
            odom_in_map: isometry(&odom_in_map, 0.0),
            ..Localization::default()
        };
        let odometry = Odometry {
            stamp: Time::from_seconds(self.time),
            base_in_odom: isometry(&in_odom, z),
            linear_velocity_in_base: Vector3::new(self.twist.x, self.twist.y, 0.0),
            angular_velocity_in_base: Vector3::new(0.0, 0.0, self.twist.yaw),
        };
        (localization, odometry)
    }

    /// The legs hold the base level, whatever the ground under their wheels.
    fn stand(&mut self) {
        let (s, c) = (sin(self.pose.yaw), cos(self.pose.yaw));
        let base = (self.world)(self.pose.x, self.pose.y, self.time) + HIPS;
        for [x, y, z] in &mut self.footprint.feet {
            *z = (self.world)(self.pose.x + c * *x - s * *y, self.pose.y + s * *x + c * *y, self.time) - base;
        }
    }

    fn noise(&mut self) -> f64 {
        self.draws += 1;
        self.random.normal(self.draws, 0)
    }

    /// Wheel pairs turn first and then roll; velocities follow with limited accelerations.
    fn drive(&mut self, told: Twist) {
        const STEER_RATE: f64 = 2.0;
        const JUMP: f64 = 0.5;
        let moves = hypot(told.x, told.y) > 0.01 || told.yaw.abs() > 0.02;
        let wheels = if hypot(told.x, told.y) > 0.3 * told.yaw.abs() { atan2(told.y, told.x) } else { 1.6 };
        let turn = wrap_angle(wheels - self.heading_of_wheels).abs();
        let turn = turn.min(core::f64::consts::PI - turn);
        let rest = hypot(self.twist.x, self.twist.y) < 0.02 && self.twist.yaw.abs() < 0.03;
        let mut wanted = if moves { told } else { Twist::default() };
        if self.steering_left > 0.0 {
            self.steering_left -= DT;
            wanted = Twist::default();
        } else if moves && turn > JUMP && !rest {
            wanted = Twist::default();
        } else if moves && turn > 0.02 {
            if rest && turn > 0.1 {
                (self.steering_left, wanted) = (turn / STEER_RATE, Twist::default());
            }
            self.heading_of_wheels = wheels;
        }
        let toward = |from: f64, to: f64, rate: f64| from + (to - from).clamp(-rate * DT, rate * DT);
        self.twist.x = toward(self.twist.x, wanted.x, 0.5);
        self.twist.y = toward(self.twist.y, wanted.y, 0.5);
        self.twist.yaw = toward(self.twist.yaw, wanted.yaw, 0.8);
        if self.held_fast {
            self.twist = Twist::default();
        }
        self.roll();
    }

    fn roll(&mut self) {
        let (s, c) = (sin(self.pose.yaw), cos(self.pose.yaw));
        let (vx, vy) = (c * self.twist.x - s * self.twist.y, s * self.twist.x + c * self.twist.y);
        let toward = |[x, y]: [f64; 2]| {
            let (dx, dy) = (x - self.pose.x, y - self.pose.y);
            hypot(dx, dy) < 0.5 && dx * vx + dy * vy > 0.0
        };
        if self.snag.is_some_and(toward) {
            self.twist = Twist::default();
            return;
        }
        let slip = 1.0 + 0.02 * self.noise();
        self.pose.x += vx * slip * DT;
        self.pose.y += vy * slip * DT;
        self.pose.yaw = wrap_angle(self.pose.yaw + self.twist.yaw * slip * DT);
        let speed = hypot(vx, vy);
        self.driven += speed * DT;
        if speed > 0.08 {
            let direction = atan2(vy, vx);
            let turned = self.last_direction.map_or(0.0, |last| wrap_angle(direction - last).abs());
            self.reversals += usize::from(turned > 1.6);
            self.winding += turned;
            self.last_direction = Some(direction);
        }
        self.worst_bump = self.worst_bump.max(self.bump());
    }

    /// How much higher the world is somewhere under the footprint than under the base's origin [m].
    pub fn bump(&self) -> f64 {
        let here = (self.world)(self.pose.x, self.pose.y, self.time);
        let (s, c) = (sin(self.pose.yaw), cos(self.pose.yaw));
        let mut worst: f64 = 0.0;
        for row in -10..=10 {
            for column in -10..=10 {
                let (x, y) = (0.04 * f64::from(column), 0.04 * f64::from(row));
                if self.footprint.contains(x, y) {
                    let height = (self.world)(self.pose.x + c * x - s * y, self.pose.y + s * x + c * y, self.time);
                    worst = worst.max(height - here);
                }
            }
        }
        worst
    }

    /// Casts a sweep and makes it the last of the views; every now and then it stays as a key view.
    fn sweep(&mut self) {
        let z = (self.world)(self.pose.x, self.pose.y, self.time) + HIPS;
        let cloud = PointCloud {
            stamp: Time::from_seconds(self.time),
            frame: "base".into(),
            points: self.cast(z),
            ..PointCloud::default()
        };
        let view = MapView {
            number: self.views.len() as u64,
            stamp: Time::from_seconds(self.time),
            base_in_map: isometry(&self.pose, z),
            cloud: Sealed::new(cloud),
        };
        let far = self.views.last().is_none_or(|last| {
            let moved = last.base_in_map.translation.vector - view.base_in_map.translation.vector;
            // or after a while: what has gone in the meantime shall stay gone
            hypot(moved.x, moved.y) > 0.8 || view.stamp.since(last.stamp).seconds() > 3.0
        });
        if far {
            self.views.push(view.clone());
        }
        let mut views = self.views.clone();
        if !far {
            views.push(view.clone());
        }
        self.latest = Some(view);
        let revision = self.shared.revision + 1;
        self.shared = Sealed::new(MapViews { revision, views });
    }

    /// Points in the base frame: rays that march over the world until they meet it.
    fn cast(&self, z: f64) -> Vec<[f32; 3]> {
        const STEP: f64 = 0.06;
        const NEAREST: f64 = 0.5;
        let (azimuths, elevations) = self.rays;
        let mut points = Vec::with_capacity(azimuths * elevations);
        for azimuth in 0..azimuths {
            let angle = azimuth as f64 * core::f64::consts::TAU / azimuths as f64;
            for elevation in 0..elevations {
                let down = -1.05 + 1.3 * elevation as f64 / elevations as f64;
                let ray = [cos(down) * cos(angle), cos(down) * sin(angle), sin(down)];
                let (s, c) = (sin(self.pose.yaw), cos(self.pose.yaw));
                let along = [c * ray[0] - s * ray[1], s * ray[0] + c * ray[1], ray[2]];
                let above = |range: f64| {
                    let (x, y) = (self.pose.x + along[0] * range, self.pose.y + along[1] * range);
                    z + LASER + along[2] * range - (self.world)(x, y, self.time)
                };
                let steps = (1..(self.range / STEP) as usize).map(|step| step as f64 * STEP);
                let Some(mut high) = steps.into_iter().find(|range| above(*range) <= 0.0) else { continue };
                let mut low = high - STEP;
                for _ in 0..5 {
                    let middle = 0.5 * (low + high);
                    if above(middle) <= 0.0 { high = middle } else { low = middle }
                }
                let point = ray.map(|part| (part * high) as f32);
                if hypot(ray[0] * high, ray[1] * high) > NEAREST {
                    points.push([point[0], point[1], point[2] + LASER as f32]);
                }
            }
        }
        points
    }

    pub fn told(&self, what: &str) -> usize {
        self.events.iter().filter(|event| event.what.contains(what)).count()
    }
}

fn isometry(pose: &Pose2, z: f64) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), pose.yaw);
    Isometry3::from_parts(Translation3::new(pose.x, pose.y, z), turn)
}

/// A box on the ground: from, to, height.
pub fn boxed(x: f64, y: f64, from: [f64; 2], to: [f64; 2], height: f64) -> f64 {
    if (from[0]..to[0]).contains(&x) && (from[1]..to[1]).contains(&y) { height } else { 0.0 }
}

/// A round stone.
pub fn stone(x: f64, y: f64, at: [f64; 2], radius: f64, height: f64) -> f64 {
    if hypot(x - at[0], y - at[1]) < radius { height } else { 0.0 }
}
