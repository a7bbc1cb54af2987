//! A crossing: what it remembers, how it begins, and what it orders in a cycle.

use nalgebra::Vector3;
use robot_io::math::{atan2, hypot};
use robot_io::{Event, Pose2, Severity, State, StepEdge, Subject, Time};
use robot_model::RobotModel;

use super::edge::Edge;
use super::glide::Glide;
use super::model::{Stance, StanceModel};
use super::search::{Search, Step};
use super::settings::SteppingSettings;
use super::status::{CrossingFailure, CrossingPhase, CrossingStatus};
use crate::chassis::Leg;

pub(crate) const SOURCE: &str = "locomotion";

/// What a crossing sees in a cycle. Legs are in the order of the robot's wheels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Senses<'a> {
    /// The time.
    pub now: Time,
    /// Where the feet touch, in the level frame [m].
    pub feet: &'a [Vector3<f64>],
    /// Force under each foot [N].
    pub forces: &'a [f64],
    /// Hip, knee and ankle of each leg [rad].
    pub joints: &'a [[f64; 3]],
    /// Centre of mass in the level frame [m].
    pub com: Vector3<f64>,
    /// Static margin over the wheels that carry [m].
    pub margin: f64,
    /// The base in the odometry frame.
    pub base: Pose2,
    /// Tilt of the base, roll or pitch [rad].
    pub tilt: f64,
    /// The largest angle of a wheel pair, measured or commanded, from straight ahead [rad].
    pub steered: f64,
}

/// What a leg shall do in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FootOrder {
    /// Its foot forward of the base's origin [m].
    pub x: f64,
    /// Its foot above the ground at the start [m].
    pub elevation: f64,
    /// Share of its part of the load, 0 in the air to 1.
    pub share: f64,
    /// Heading of its wheels [rad].
    pub heading: f64,
    /// Speed of its wheels over ground along the heading [m/s].
    pub speed: f64,
}

/// What is constant about a leg.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LegPlace {
    /// Usual place of the foot, forward and left [m].
    pub x: f64,
    pub y: f64,
    /// Lowest and highest z of the foot [m].
    pub stroke: (f64, f64),
    pub radius: f64,
    pub hip_joint: usize,
}

/// Crosses one edge after the other; made once. What it orders follows from the rest of what it remembers.
#[derive(Clone, Debug, State)]
pub(crate) struct Crossing {
    #[state(fixed)]
    pub(super) settings: SteppingSettings,
    #[state(scratch)]
    pub(super) model: StanceModel,
    #[state(fixed)]
    pub(super) legs: [LegPlace; 4],
    /// In which order the feet go: front left, front right, rear left, rear right. `None` if the robot has no such legs.
    #[state(fixed)]
    order: Option<[usize; 4]>,
    #[state(fixed)]
    pub(super) usual_height: f64,

    /// Whether it waits before it drives on and before the next foot is lifted.
    pub held: bool,
    pub(super) edge: Edge,
    pub(super) phase: CrossingPhase,
    /// How many feet are across.
    pub(super) across: usize,
    pub(super) stance: Stance,
    pub(super) from: Stance,
    pub(super) to: Stance,
    pub(super) glide: Glide,
    pub(super) elevations: [f64; 4],
    pub(super) shares: [f64; 4],
    /// Velocities of the feet relative to the base, forward [m/s].
    pub(super) foot_speeds: [f64; 4],
    /// Speed of the base [m/s] and curvature of its way, to the left [1/m].
    pub(super) speed: f64,
    pub(super) curvature: f64,
    pub(super) search: Search,
    pub(super) step: Step,
    pub(super) trunk: Vector3<f64>,
    /// Elevation from which the foot was lifted, and below which it finds no ground [m].
    pub(super) lifted_from: f64,
    pub(super) floor: f64,
    pub(super) retries: usize,
    /// For how many cycles in a row the lifted foot has touched.
    pub(super) touched: usize,
    pub(super) failing: Option<CrossingFailure>,
    pub(super) remaining: f64,
    pub(super) margin: f64,
    least_margin: f64,
    #[state(scratch)]
    orders: [FootOrder; 4],
    #[state(output)]
    pub(super) events: Vec<Event>,
}

impl Crossing {
    pub fn new(model: &RobotModel, legs: &[Leg], settings: SteppingSettings, usual_height: f64) -> Crossing {
        let mut places = [LegPlace::default(); 4];
        for (place, leg) in places.iter_mut().zip(legs) {
            let (x, y, stroke, radius) = (leg.nominal.x, leg.y, leg.stroke, leg.radius());
            *place = LegPlace { x, y, stroke, radius, hip_joint: leg.pitch_joints[0] };
        }
        Crossing {
            settings,
            model: StanceModel::new(model, legs),
            order: if legs.len() == 4 { order(&places) } else { None },
            legs: places,
            usual_height,
            held: false,
            edge: Edge::default(),
            phase: CrossingPhase::default(),
            across: 0,
            stance: Stance::default(),
            from: Stance::default(),
            to: Stance::default(),
            glide: Glide::default(),
            elevations: [0.0; 4],
            shares: [1.0; 4],
            foot_speeds: [0.0; 4],
            speed: 0.0,
            curvature: 0.0,
            search: Search::default(),
            step: Step::default(),
            trunk: Vector3::zeros(),
            lifted_from: 0.0,
            floor: 0.0,
            retries: 0,
            touched: 0,
            failing: None,
            remaining: 0.0,
            margin: 0.0,
            least_margin: f64::INFINITY,
            orders: [FootOrder::default(); 4],
            events: Vec::with_capacity(8),
        }
    }

    /// Begins at an edge seen from the base, or goes on there if feet are across already; `x` is what the feet are told now
    /// [m].
    pub fn begin(&mut self, seen: &StepEdge, senses: &Senses<'_>, x: [f64; 4]) -> Result<(), CrossingFailure> {
        let with = self.settings;
        let order = self.order.ok_or(CrossingFailure::NotFourLegs)?;
        if seen.rise.abs() > with.highest_rise || !seen.rise.is_finite() {
            return Err(CrossingFailure::TooHigh(seen.rise.abs(), with.highest_rise));
        }
        if seen.gap > with.widest_gap || !seen.gap.is_finite() {
            return Err(CrossingFailure::TooWide(seen.gap, with.widest_gap));
        }
        let edge = Edge::new(seen, &senses.base);
        let turn = edge.turn_from(senses.base.yaw);
        if turn.abs() > with.largest_heading_error || !turn.is_finite() {
            return Err(CrossingFailure::NotFacing(turn.abs(), with.largest_heading_error));
        }
        // an edge that was aborted at has feet behind it
        let passed = order.map(|leg| edge.passed(&senses.base, &senses.feet[leg]));
        let across = passed.iter().take_while(|passed| **passed > seen.gap.max(0.0)).count();
        let lift_off = edge.lift_off(self.legs[order[0]].radius, with.edge_distance);
        let waiting = if across < 2 { &passed[across..2] } else { &passed[across.min(3)..] };
        let approach = lift_off - waiting.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if across == 4 || approach.abs() > with.largest_approach || approach.is_nan() {
            return Err(CrossingFailure::NotNear(approach.abs(), with.largest_approach));
        }
        (self.edge, self.across, self.stance.x) = (edge, across, x);
        (self.elevations, self.shares, self.foot_speeds) = ([0.0; 4], [1.0; 4], [0.0; 4]);
        for &leg in &order[..across] {
            self.elevations[leg] = seen.rise;
        }
        (self.speed, self.curvature, self.remaining) = (0.0, 0.0, approach);
        (self.failing, self.retries, self.touched, self.held) = (None, 0, 0, false);
        (self.margin, self.least_margin) = (senses.margin, f64::INFINITY);
        // with one foot of an end across, the other does not drive any more
        let phase = if across % 2 == 0 { CrossingPhase::Drive } else { CrossingPhase::Square };
        self.enter(phase, senses.now, (approach, f64::NAN));
        Ok(())
    }

    /// True when it ends before its time with all feet on the ground, or nearly: they share the load then, wherever they are.
    pub fn settles(&self) -> bool {
        self.failing.is_some() && matches!(self.phase, CrossingPhase::Load | CrossingPhase::Failed)
    }

    /// Elevations of the feet above the ground at the start [m].
    pub fn elevations(&self) -> &[f64; 4] {
        &self.elevations
    }

    /// Sets the height of the base above the ground at the start [m].
    pub fn set_height(&mut self, height: f64) {
        self.stance.height = height;
    }

    /// One cycle; orders for all legs.
    pub fn update(&mut self, senses: &Senses<'_>, dt: f64) -> &[FootOrder; 4] {
        self.margin = senses.margin;
        self.foot_speeds = [0.0; 4];
        self.guard(senses);
        self.go_on(senses, dt);
        if self.phase.is_swing() {
            self.least_margin = self.least_margin.min(senses.margin);
        }
        for leg in 0..4 {
            self.orders[leg] = self.order_of(leg);
        }
        &self.orders
    }

    /// Shares of the load that the legs were last told to carry, 0 to 1.
    pub fn shares(&self) -> &[f64; 4] {
        &self.shares
    }

    /// Height of the base above the ground at the start [m].
    pub fn height(&self) -> f64 {
        self.stance.height
    }

    /// Turn rate of the base [rad/s].
    pub fn turn_rate(&self) -> f64 {
        self.curvature * self.speed
    }

    pub fn status(&self) -> CrossingStatus {
        CrossingStatus {
            phase: self.phase,
            feet_across: self.across,
            leg: (self.phase.is_swing() || self.shares[self.step.leg] < 1.0).then_some(self.step.leg),
            margin: self.margin,
            least_margin: self.least_margin,
            remaining: self.remaining,
            failure: self.failing,
        }
    }

    /// Moves what happened to the end of `events`.
    pub fn drain_events(&mut self, events: &mut Vec<Event>) {
        events.append(&mut self.events);
    }

    /// The foot that goes as number `place`.
    pub(super) fn foot(&self, place: usize) -> usize {
        self.order.map_or(0, |order| order[place.min(3)])
    }

    /// The legs of the end that goes next, or has gone last if none does: two of them, and the two others.
    pub(super) fn ends(&self, front: bool) -> ([usize; 2], [usize; 2]) {
        let (ahead, behind) = ([self.foot(0), self.foot(1)], [self.foot(2), self.foot(3)]);
        if front { (ahead, behind) } else { (behind, ahead) }
    }

    /// Begins a phase and says so.
    pub(super) fn enter(&mut self, phase: CrossingPhase, now: Time, (value, limit): (f64, f64)) {
        self.phase = phase;
        let leg = phase.is_swing() || matches!(phase, CrossingPhase::Unload | CrossingPhase::Load);
        let subject = if leg { Subject::Joint(self.legs[self.step.leg].hip_joint) } else { Subject::Robot };
        let (severity, text) = match (phase, self.failing) {
            (CrossingPhase::Failed, Some(failure)) => (Severity::Error, failure.text()),
            _ => (Severity::Info, phase.text()),
        };
        self.tell(Event::note(now, severity, SOURCE, text).about(subject).with(value, limit));
    }

    /// Keeps an event until it is asked for; nobody who never asks makes the list grow.
    pub(super) fn tell(&mut self, event: Event) {
        if self.events.len() < self.events.capacity() {
            self.events.push(event);
        }
    }

    fn order_of(&self, leg: usize) -> FootOrder {
        let order = FootOrder {
            x: self.stance.x[leg],
            elevation: self.elevations[leg],
            share: self.shares[leg],
            ..FootOrder::default()
        };
        if self.phase.is_swing() {
            return order;
        }
        // along an arc all pairs head square to its middle
        let (ahead, aside) = (1.0 - self.curvature * self.legs[leg].y, self.curvature * self.stance.x[leg]);
        let heading = atan2(aside, ahead);
        FootOrder { heading, speed: self.speed * hypot(ahead, aside) + self.foot_speeds[leg], ..order }
    }
}

/// Front left, front right, rear left, rear right.
fn order(legs: &[LegPlace; 4]) -> Option<[usize; 4]> {
    let find = |front: bool, left: bool| {
        let mut found = (0..4).filter(|&leg| (legs[leg].x > 0.0) == front && (legs[leg].y > 0.0) == left);
        let first = found.next();
        first.filter(|_| found.next().is_none())
    };
    Some([find(true, true)?, find(true, false)?, find(false, true)?, find(false, false)?])
}
