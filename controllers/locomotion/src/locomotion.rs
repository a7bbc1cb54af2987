//! The whole: from a wanted motion of the base to the commands of all joints.

mod crossing;
mod retune;

use nalgebra::{UnitQuaternion, Vector3};
use robot_io::math::{atan2, cos, sin};
use robot_io::{
    Commands, Event, Events, JointCommand, Odometry, Readings, RobotLayout, Severity, State, StateVisitor, Telemetry,
    Time, Twist,
};
use robot_model::RobotModel;

use self::crossing::LegSenses;
use crate::body::{BodyControl, BodyTarget, LegStroke};
use crate::chassis::{Leg, legs};
use crate::drive::{DriveMode, OmniDrive, PairCommand, PairPlace};
use crate::health::{DriveFault, DriveHealth};
use crate::margin::{Margin, TipOver};
use crate::statics::Statics;
use crate::stepping::Crossing;
use crate::upper_body::UpperBody;
use crate::wheels::{WheelOrder, Wheels};
use crate::{LocomotionError, Settings};

/// Over what time the loads of the legs are averaged [s].
const LOAD_TIME: f64 = 0.3;
/// Standard gravity [m/s²].
const GRAVITY: f64 = 9.81;

/// Drives a robot on steered wheel pairs at the ends of its legs.
#[derive(Clone, Debug)]
pub struct Locomotion {
    settings: Settings,
    /// As fast as the wheels can turn [m/s].
    fastest: f64,
    cycle: f64,
    legs: Vec<Leg>,
    leg_gains: Vec<[(f64, f64); 4]>,
    statics: Statics,
    body: BodyControl,
    drive: OmniDrive,
    wheels: Wheels,
    upper_body: UpperBody,
    health: DriveHealth,
    tip_over: TipOver,
    crossing: Crossing,
    senses: LegSenses,
    target: BodyTarget,
    margin: Margin,
    /// Share of the wanted speed that the margin allows, 0 to 1.
    speed_share: f64,
    time: Time,
    /// Measured loads of the legs, averaged [N].
    loads: Vec<f64>,
    leg_positions: Vec<[f64; 3]>,
    places: Vec<PairPlace>,
    last: Commands,
    events: Events,
    told_of_margin: bool,
    told_of_stroke: bool,
}

impl Locomotion {
    /// A driver for this robot.
    pub fn new(model: &RobotModel, layout: &RobotLayout, settings: Settings) -> Result<Self, LocomotionError> {
        let legs = legs(model, layout, &settings.posture.stance)?;
        let fastest = fastest(model, &legs);
        retune::check(&settings, fastest)?;
        let stroke = |leg: &Leg| LegStroke { x: leg.nominal.x, y: leg.y, z: leg.stroke, radius: leg.radius() };
        let driving: Vec<usize> = legs.iter().flat_map(Leg::all_joints).collect();
        let gain = |joint: usize| (model.description.joints[joint].stiffness, model.description.joints[joint].damping);
        let wheels = legs.iter().map(|leg| leg.wheels.len()).sum();
        let statics = Statics::new(model, &legs);
        Ok(Locomotion {
            cycle: layout.period.seconds(),
            leg_gains: legs.iter().map(|leg| leg.leg_joints().map(gain)).collect(),
            body: BodyControl::new(settings.body, legs.iter().map(stroke).collect()),
            drive: OmniDrive::new(settings.drive, legs.iter().map(|leg| leg.heading_range).collect()),
            wheels: Wheels::new(model, &legs, settings.drive.wheel_lag),
            upper_body: UpperBody::new(model, &driving, &settings.posture)?,
            health: DriveHealth::new(model, layout, &driving, settings.health),
            tip_over: TipOver::new(wheels),
            crossing: Crossing::new(model, &legs, settings.stepping, stance_height(&legs)),
            senses: LegSenses::new(legs.len(), wheels),
            target: BodyTarget { height: stance_height(&legs), ..BodyTarget::default() },
            margin: Margin::default(),
            speed_share: 1.0,
            time: Time::ZERO,
            loads: vec![0.0; legs.len()],
            leg_positions: vec![[0.0; 3]; legs.len()],
            places: vec![PairPlace::default(); legs.len()],
            last: Commands::new(layout),
            events: Events::with_capacity(32),
            told_of_margin: false,
            told_of_stroke: false,
            statics,
            legs,
            fastest,
            settings,
        })
    }

    /// Height of the base above the ground in the stance that the settings name [m].
    pub fn stance_height(&self) -> f64 {
        stance_height(&self.legs)
    }

    /// Starts afresh: everything stays where it is, until told otherwise.
    pub fn reset(&mut self, readings: &Readings) {
        for (index, leg) in self.legs.iter().enumerate() {
            self.leg_positions[index] = leg.joints(readings);
        }
        self.body.reset(self.legs.iter().map(|leg| leg.geometry.forward(&leg.joints(readings))));
        self.drive.reset(self.legs.iter().map(|leg| leg.heading(readings)));
        self.wheels.reset(&self.legs, readings);
        self.upper_body.reset(readings);
        self.health.reset();
        self.target = BodyTarget { height: stance_height(&self.legs), ..BodyTarget::default() };
        self.loads.fill(0.0);
        self.last.joints.fill(JointCommand::default());
        self.events.clear();
        (self.time, self.speed_share) = (readings.time, 1.0);
        (self.told_of_margin, self.told_of_stroke) = (false, false);
    }

    /// The robot follows again after a stop: what does not drive goes on from where it is, at the rate at which it is brought into its
    /// pose.
    pub fn take_up(&mut self, readings: &Readings) {
        self.upper_body.take_up(readings);
    }

    /// Sets what the base shall do from now on.
    pub fn set_target(&mut self, target: BodyTarget) {
        self.target = target;
    }

    /// What the base shall do.
    pub fn target(&self) -> &BodyTarget {
        &self.target
    }

    /// One cycle: commands for all joints.
    pub fn update(&mut self, readings: &Readings, odometry: &Odometry, commands: &mut Commands) {
        let dt = self.time_since_last(readings);
        self.health.observe(readings, &self.last, dt);

        if self.is_crossing() {
            self.cross(readings, odometry, dt, commands);
            return;
        }

        // how it stands
        let (roll, pitch, _) = odometry.base_in_odom.rotation.euler_angles();
        let tilt = UnitQuaternion::from_euler_angles(roll, pitch, 0.0);
        self.statics.update(readings, &tilt, &self.legs);
        self.average_loads(readings, dt);
        self.observe_margin(readings.time);

        // how it shall stand
        let total: f64 = self.loads.iter().sum();
        let loads = (total > 0.5 * self.statics.mass() * GRAVITY).then_some(self.loads.as_slice());
        self.body.update(&self.target, (roll, pitch), loads, dt);
        self.observe_stroke(readings.time);

        // how its wheels shall roll
        self.place_pairs(readings, &tilt);
        let wanted = self.allowed_twist();
        self.drive.update(&wanted, &self.places, dt);
        for leg in 0..self.legs.len() {
            self.body.shift(leg, self.drive.leg_share() * self.body.shift_velocity(leg) * dt);
        }

        self.command_all(&tilt, readings, dt, commands);
    }

    /// Commands for all joints, once body and drive know what they want.
    fn command_all(&mut self, tilt: &UnitQuaternion<f64>, readings: &Readings, dt: f64, commands: &mut Commands) {
        let up_in_base = tilt.inverse() * Vector3::z();
        let lean = atan2(up_in_base.x, up_in_base.z);
        for leg in 0..self.legs.len() {
            self.command_leg(leg, lean, dt, commands);
            self.command_wheels(leg, readings, dt, commands);
        }
        self.upper_body.update(&self.statics.efforts, self.settings.body.gravity_share, dt, commands);
        self.last.copy_from(commands);
    }

    /// How far it is from tipping over.
    pub fn margin(&self) -> Margin {
        self.margin
    }

    /// What the drive is at.
    pub fn drive_mode(&self) -> DriveMode {
        self.drive.mode()
    }

    /// The velocity that the wheels now give the base, by what they are told.
    pub fn commanded_twist(&self) -> Twist {
        self.drive.twist()
    }

    /// A motor that does not do what it is told: the first that was found since the last reset.
    pub fn drive_fault(&self) -> Option<DriveFault> {
        self.health.fault()
    }

    /// Somebody has looked after the motors: a fault that lasts will be found again.
    pub fn forget_faults(&mut self) {
        self.health.reset();
    }

    /// Moves what happened since the last call to the end of `events`.
    pub fn drain_events(&mut self, events: &mut Events) {
        events.append(&mut self.events);
        self.health.drain_events(self.time, events);
    }

    /// Shows what it intends.
    pub fn show(&self, telemetry: &mut Telemetry) {
        let (pitch, roll) = self.body.tilt();
        telemetry.twist = Some(self.drive.twist());
        telemetry.scalar("tip_over_angle [rad]", self.margin.angle);
        telemetry.scalar("tip_over_margin [m]", self.margin.distance);
        telemetry.scalar("speed_share [1]", self.speed_share);
        telemetry.scalar("leg_tilt_pitch [rad]", pitch);
        telemetry.scalar("leg_tilt_roll [rad]", roll);
        telemetry.scalar("leg_height [m]", self.body.given_height());
        telemetry.scalar("leg_balance [m]", self.body.balance());
        telemetry.scalar("stroke_share [1]", self.body.stroke_share());
        self.show_crossing(telemetry);
    }

    fn time_since_last(&mut self, readings: &Readings) -> f64 {
        let passed = readings.time.since(self.time).seconds();
        self.time = readings.time;
        if passed > 0.0 { passed } else { self.cycle }
    }

    fn average_loads(&mut self, readings: &Readings, dt: f64) {
        let new = dt / (LOAD_TIME + dt);
        for (load, leg) in self.loads.iter_mut().zip(&self.legs) {
            let forces = leg.wheels.iter().filter_map(|wheel| wheel.contact);
            let force: f64 = forces.map(|contact| readings.contacts[contact].force).sum();
            *load += new * (force - *load);
        }
    }

    /// The margin slows down: it is to keep what is left of it.
    fn observe_margin(&mut self, now: Time) {
        let down = Vector3::new(0.0, 0.0, -GRAVITY);
        self.margin = self.tip_over.margin(&self.statics.contacts, &self.statics.com, &down);
        let with = &self.settings.margin;
        let share = (self.margin.angle - with.stop_angle) / (with.slow_angle - with.stop_angle);
        self.speed_share = share.clamp(with.least_speed_share.min(1.0), 1.0);
        if self.margin.angle < with.slow_angle && !self.told_of_margin {
            self.told_of_margin = true;
            let event = Event::note(now, Severity::Warning, "locomotion", "tip-over margin low, slowing down [rad]");
            self.tell(event.with(self.margin.angle, with.slow_angle));
        }
        self.told_of_margin &= self.margin.angle < 1.2 * self.settings.margin.slow_angle;
    }

    fn observe_stroke(&mut self, now: Time) {
        let share = self.body.stroke_share();
        if share < 1.0 && !self.told_of_stroke {
            self.told_of_stroke = true;
            let event = Event::note(now, Severity::Warning, "locomotion", "legs at the end of their stroke, share [1]");
            self.tell(event.with(share, 1.0));
        }
        let level = self.body.tilt();
        self.told_of_stroke &= share < 1.0 || level.0.abs().max(level.1.abs()) > 0.1;
    }

    /// Keeps an event until it is asked for; nobody who never asks makes the list grow.
    fn tell(&mut self, event: Event) {
        if self.events.len() < self.events.capacity() {
            self.events.push(event);
        }
    }

    fn allowed_twist(&self) -> Twist {
        if self.settings.health.stop && self.health.fault().is_some() {
            return Twist::default();
        }
        let (twist, share) = (self.target.twist, self.speed_share);
        Twist { x: share * twist.x, y: share * twist.y, yaw: share * twist.yaw }
    }

    /// The pairs in the level frame, for equation (5).
    fn place_pairs(&mut self, readings: &Readings, tilt: &UnitQuaternion<f64>) {
        for (index, leg) in self.legs.iter().enumerate() {
            let foot = self.statics.foot(index);
            let leg_velocity = tilt * Vector3::new(self.body.shift_velocity(index), 0.0, 0.0);
            let leg_velocity = (leg_velocity.x, leg_velocity.y);
            self.places[index] = PairPlace { x: foot.x, y: foot.y, leg_velocity, heading: leg.heading(readings) };
        }
    }

    fn command_leg(&mut self, index: usize, lean: f64, dt: f64, commands: &mut Commands) {
        let (leg, gains) = (&self.legs[index], &self.leg_gains[index]);
        let solution = leg.geometry.inverse(&self.body.foot(index, lean));
        for (k, &joint) in leg.pitch_joints.iter().enumerate() {
            let (stiffness, damping) = gains[k];
            commands.joints[joint] = JointCommand {
                position: solution.joints[k],
                velocity: (solution.joints[k] - self.leg_positions[index][k]) / dt,
                effort: self.settings.body.gravity_share * self.statics.efforts[joint],
                stiffness,
                damping,
            };
        }
        self.leg_positions[index] = solution.joints;
        let pair = self.drive.command(index);
        let (stiffness, damping) = gains[3];
        let mut steer = JointCommand::hold(leg.steer_position(pair.heading), stiffness, damping);
        steer.velocity = leg.steer_sign * pair.heading_rate;
        commands.joints[leg.steer_joint] = steer;
    }

    fn command_wheels(&mut self, index: usize, readings: &Readings, dt: f64, commands: &mut Commands) {
        let leg = &self.legs[index];
        let pair: &PairCommand = self.drive.command(index);
        // what is horizontal in the plan is longer on the slope, and has the weight's pull along it
        let climb = self.statics.slope[0] * cos(pair.heading) + self.statics.slope[1] * sin(pair.heading);
        let stretch = (1.0 + climb * climb).sqrt();
        let wheels = self.statics.contacts.len();
        let pull = self.statics.mass() * GRAVITY * climb / stretch / wheels as f64;
        let force = self.settings.drive.slope_share * pull;
        let first: usize = self.legs[..index].iter().map(|leg| leg.wheels.len()).sum();
        for (k, wheel) in leg.wheels.iter().enumerate() {
            let order = WheelOrder { speed: stretch * pair.wheel_speed(wheel.along_axle), force };
            let position = readings.joints[wheel.joint].position;
            commands.joints[wheel.joint] = self.wheels.command(first + k, wheel, position, order, dt);
        }
    }
}

impl State for Locomotion {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("statics", &mut self.statics);
        visitor.field("body", &mut self.body);
        visitor.field("drive", &mut self.drive);
        visitor.field("wheels", &mut self.wheels);
        visitor.field("upper_body", &mut self.upper_body);
        visitor.field("health", &mut self.health);
        visitor.field("target", &mut self.target);
        visitor.field("speed_share", &mut self.speed_share);
        visitor.field("time", &mut self.time);
        visitor.field("loads", &mut self.loads);
        visitor.field("leg_positions", &mut self.leg_positions);
        visitor.field("last", &mut self.last);
        visitor.field("told_of_margin", &mut self.told_of_margin);
        visitor.field("told_of_stroke", &mut self.told_of_stroke);
        // the drive's mode says whether there is a crossing
        if self.is_crossing() {
            visitor.field("crossing", &mut self.crossing);
        }
    }
}

/// Height of the base above the ground with the feet in the stance [m].
fn stance_height(legs: &[Leg]) -> f64 {
    legs.iter().map(|leg| leg.radius() - leg.nominal.z).sum::<f64>() / legs.len().max(1) as f64
}

/// As fast as all the wheels can turn [m/s].
fn fastest(model: &RobotModel, legs: &[Leg]) -> f64 {
    let wheels = legs.iter().flat_map(|leg| &leg.wheels);
    wheels.map(|wheel| model.tree.joints[wheel.joint].limits.velocity * wheel.radius).fold(f64::INFINITY, f64::min)
}
