//! What a crossing does in each of its phases.

use robot_io::{Event, Severity, Time};

use super::crossing::{Crossing, SOURCE, Senses};
use super::glide::Glide;
use super::model::Stance;
use super::search::Step;
use super::status::{CrossingFailure, CrossingPhase as Phase};

/// The distance is driven if no more than this is left [m].
const ARRIVED: f64 = 0.005;
/// Pairs nearer than this to straight ahead are [rad].
const STRAIGHT: f64 = 0.03;
/// Cycles in a row that a touch must last.
const TOUCH_CYCLES: usize = 3;
/// Cycles without a touch after which a foot has not found the ground after all.
const LOST_CYCLES: usize = 15;
/// How much faster a foot is put down when something has gone wrong.
const HASTE: f64 = 4.0;
/// A foot that met something is lifted by so much more the next time [m].
const HIGHER: f64 = 0.03;
/// How often a foot tries to get over what is in its way.
const RETRIES: usize = 2;
/// Share of the least margin below which a lifted foot is put down.
const NEARLY_GONE: f64 = 0.4;
/// A foot is slow from this far above where it is put down [m].
const NEAR_GROUND: f64 = 0.015;
/// How far wheels may roll while the base shifts, where nothing is in their way [m].
const FREE_ROLL: f64 = 0.8;
const NO_NUMBERS: (f64, f64) = (f64::NAN, f64::NAN);

impl Crossing {
    /// Puts the foot down at once, where it is, if the base tilts or the margin is nearly gone.
    pub(super) fn guard(&mut self, senses: &Senses<'_>) {
        if !self.phase.is_swing() || self.failing.is_some() {
            return;
        }
        let (tilt, margin) = (self.settings.largest_tilt, NEARLY_GONE * self.settings.least_margin);
        if senses.tilt > tilt {
            self.give_up(CrossingFailure::Tilt(senses.tilt, tilt), senses.now);
        } else if senses.margin < margin {
            self.give_up(CrossingFailure::Margin(senses.margin, margin), senses.now);
        }
    }

    /// Ends the crossing: a foot in the air is put down where it is, everything else stands.
    pub(crate) fn give_up(&mut self, failure: CrossingFailure, now: Time) {
        if matches!(self.phase, Phase::Done | Phase::Failed) {
            return;
        }
        self.failing = self.failing.or(Some(failure));
        self.floor = self.edge.rise().min(0.0) - self.settings.search_depth;
        (self.speed, self.curvature) = (0.0, 0.0);
        let next = match self.phase {
            Phase::Lift | Phase::Reach | Phase::Retreat | Phase::Lower => Phase::Lower,
            Phase::Unload | Phase::Load => Phase::Load,
            _ => Phase::Failed,
        };
        if next == Phase::Load {
            self.glide = Glide::lasting(self.settings.transfer_time);
        }
        self.enter(next, now, failure.numbers());
    }

    pub(super) fn go_on(&mut self, senses: &Senses<'_>, dt: f64) {
        match self.phase {
            Phase::Drive => self.drive(senses, dt),
            Phase::Clear => self.clear(senses, dt),
            Phase::Square => self.square(senses),
            Phase::Plan => self.plan(senses),
            Phase::Shift | Phase::Restore => self.shift(senses, dt),
            Phase::Unload => self.unload(senses, dt),
            Phase::Lift => self.lift(senses, dt),
            Phase::Reach => self.reach(senses, dt),
            Phase::Retreat => self.retreat(senses, dt),
            Phase::Lower => self.lower(senses, dt),
            Phase::Load => self.load(senses, dt),
            Phase::Done | Phase::Failed => (self.speed, self.curvature) = (0.0, 0.0),
        }
    }

    /// Drives until the foremost foot of the end that goes next is where it is lifted.
    fn drive(&mut self, senses: &Senses<'_>, dt: f64) {
        let (own, _) = self.ends(self.across < 2);
        let foremost = own.map(|leg| self.edge.passed(&senses.base, &senses.feet[leg]));
        let lift_off = self.edge.lift_off(self.legs[own[0]].radius, self.settings.edge_distance);
        if self.roll(lift_off - foremost[0].max(foremost[1]), senses, dt) {
            self.enter(Phase::Square, senses.now, NO_NUMBERS);
        }
    }

    /// Drives until the hindmost wheels are well behind the edge.
    fn clear(&mut self, senses: &Senses<'_>, dt: f64) {
        let (rear, _) = self.ends(false);
        let hindmost = rear.map(|leg| self.edge.passed(&senses.base, &senses.feet[leg]));
        let landing = self.edge.landing(self.legs[rear[0]].radius, self.settings.edge_distance);
        let left = landing + self.settings.clear_distance - hindmost[0].min(hindmost[1]);
        if left < ARRIVED || self.roll(left, senses, dt) {
            let rise = self.elevations.iter().sum::<f64>() / 4.0;
            self.stance.height -= rise;
            self.elevations.iter_mut().for_each(|elevation| *elevation -= rise);
            self.speed = 0.0;
            self.enter(Phase::Done, senses.now, NO_NUMBERS);
        }
    }

    /// Rolls towards a place so far ahead [m], facing the edge ever better; true when it is reached.
    fn roll(&mut self, left: f64, senses: &Senses<'_>, dt: f64) -> bool {
        const APPROACH: f64 = 1.5;
        const TURN_PER_METRE: f64 = 6.0;
        const SHARPEST: f64 = 0.9;
        const CURVATURE_RATE: f64 = 2.0;
        self.remaining = left;
        let with = &self.settings;
        let brake = (1.4 * with.drive_acceleration * left.abs()).sqrt();
        let fastest = if self.held { 0.0 } else { with.drive_speed };
        let wanted = left.signum() * fastest.min(brake).min(APPROACH * left.abs());
        let change = with.drive_acceleration * dt;
        self.speed += (wanted - self.speed).clamp(-change, change);
        let turn = self.edge.turn_from(senses.base.yaw) * left.signum();
        let bend = (TURN_PER_METRE * turn).clamp(-SHARPEST, SHARPEST);
        let most = CURVATURE_RATE * dt;
        self.curvature += (bend - self.curvature).clamp(-most, most);
        let arrived = left.abs() < ARRIVED;
        if arrived {
            (self.speed, self.curvature) = (0.0, 0.0);
        }
        arrived
    }

    /// The pairs turn straight ahead before legs shift over them.
    fn square(&mut self, senses: &Senses<'_>) {
        (self.speed, self.curvature) = (0.0, 0.0);
        if senses.steered < STRAIGHT {
            self.prepare(senses);
        }
    }

    /// Says which foot goes next, and where, and begins the search for a stance.
    fn prepare(&mut self, senses: &Senses<'_>) {
        let with = self.settings;
        let (leg, front) = (self.foot(self.across), self.across < 2);
        let (own, mut others) = self.ends(front);
        if self.legs[others[0]].y * self.legs[leg].y < 0.0 {
            others.swap(0, 1);
        }
        let place = |leg: usize| self.edge.passed(&senses.base, &senses.feet[leg]);
        let landing = self.edge.landing(self.legs[leg].radius, with.edge_distance);
        let rise = self.edge.rise();
        let back = others.map(place);
        // the front wheels are across when the rear ones go, and must not roll back over the edge
        let roll_back = if front { FREE_ROLL } else { (back[0].min(back[1]) - landing).max(0.0) };
        let mean = |value: &dyn Fn(usize) -> f64, of: [usize; 2]| 0.5 * (value(of[0]) + value(of[1]));
        let partner = if own[0] == leg { own[1] } else { own[0] };
        // what both feet of this end shall stand about evenly around
        let ahead = self.stance.x[partner] - self.stance.x[leg];
        self.step = Step {
            leg,
            partner,
            others,
            reach: landing - place(leg),
            over: rise.max(0.0) + with.clearance,
            landing: rise,
            roll: [-roll_back, FREE_ROLL],
            usual: [mean(&|leg| self.legs[leg].x, own) - 0.5 * ahead, mean(&|leg| self.legs[leg].x, others)],
            height: self.usual_height + rise.max(0.0),
        };
        self.trunk = self.model.trunk(&senses.com, senses.joints);
        self.retries = 0;
        self.search.begin();
        self.enter(Phase::Plan, senses.now, NO_NUMBERS);
    }

    fn plan(&mut self, senses: &Senses<'_>) {
        if self.held {
            return;
        }
        let (with, trunk) = (self.settings, self.trunk);
        let found = self.search.advance(&mut self.model, &self.step, &self.stance, &self.elevations, &trunk, &with);
        match found {
            None => {}
            Some(None) => {
                let most = self.search.largest_margin();
                self.give_up(CrossingFailure::NoStance(most, with.least_margin), senses.now);
            }
            Some(Some(found)) => {
                self.move_to(found.stance);
                self.enter(Phase::Shift, senses.now, (found.margin, with.least_margin));
            }
        }
    }

    fn move_to(&mut self, to: Stance) {
        (self.from, self.to) = (self.stance, to);
        let ways = self.from.x.iter().zip(&to.x).map(|(from, to)| (to - from).abs());
        let longest = ways.fold((to.height - self.from.height).abs(), f64::max);
        self.glide = Glide::over(longest, self.settings.shift_speed);
    }

    /// The base moves over the feet of the end that steps; the wheels of the other end roll along.
    fn shift(&mut self, senses: &Senses<'_>, dt: f64) {
        let done = self.glide.advance(dt);
        let Glide { share, rate, .. } = self.glide;
        for leg in 0..4 {
            let way = self.to.x[leg] - self.from.x[leg];
            self.stance.x[leg] = self.from.x[leg] + share * way;
            self.foot_speeds[leg] = rate * way;
        }
        self.stance.height = self.from.height + share * (self.to.height - self.from.height);
        self.speed = -self.foot_speeds[self.step.leg];
        if !done {
            return;
        }
        self.speed = 0.0;
        if self.phase == Phase::Restore {
            let next = if self.across < 4 { Phase::Drive } else { Phase::Clear };
            self.enter(next, senses.now, NO_NUMBERS);
        } else {
            self.glide = Glide::lasting(self.settings.transfer_time);
            self.enter(Phase::Unload, senses.now, NO_NUMBERS);
        }
    }

    /// The others take the load over; then comes the last look before the foot leaves the ground.
    fn unload(&mut self, senses: &Senses<'_>, dt: f64) {
        if self.shares[self.step.leg] > 0.0 {
            self.glide.advance(dt);
            self.shares[self.step.leg] = 1.0 - self.glide.share;
            return;
        }
        let least = self.settings.least_margin;
        if senses.margin < least {
            return self.give_up(CrossingFailure::Margin(senses.margin, least), senses.now);
        }
        self.lifted_from = self.elevations[self.step.leg];
        self.begin_lift(senses);
    }

    fn begin_lift(&mut self, senses: &Senses<'_>) {
        self.touched = 0;
        self.from.height = self.elevations[self.step.leg];
        self.glide = Glide::over(self.step.over - self.from.height, self.settings.swing_speed);
        self.enter(Phase::Lift, senses.now, (senses.margin, self.settings.least_margin));
    }

    fn lift(&mut self, senses: &Senses<'_>, dt: f64) {
        let done = self.glide.advance(dt);
        let leg = self.step.leg;
        self.elevations[leg] = self.from.height + self.glide.share * (self.step.over - self.from.height);
        if done {
            let back = self.failing.is_some();
            self.swing_to(if back { Phase::Retreat } else { Phase::Reach }, senses);
        }
    }

    /// Begins to move the foot over the edge or back, from wherever it is.
    fn swing_to(&mut self, phase: Phase, senses: &Senses<'_>) {
        self.touched = 0;
        self.from.x = self.stance.x;
        let goal = self.to.x[self.step.leg] + if phase == Phase::Reach { self.step.reach } else { 0.0 };
        self.glide = Glide::over(goal - self.stance.x[self.step.leg], self.settings.swing_speed);
        self.enter(phase, senses.now, (senses.margin, self.settings.least_margin));
    }

    fn reach(&mut self, senses: &Senses<'_>, dt: f64) {
        let leg = self.step.leg;
        let (from, goal) = (self.from.x[leg], self.to.x[leg] + self.step.reach);
        let done = self.glide.advance(dt);
        self.stance.x[leg] = from + self.glide.share * (goal - from);
        if self.touches(senses) {
            let force = senses.forces[leg];
            self.retries += 1;
            if self.retries > RETRIES {
                self.failing = Some(CrossingFailure::Obstructed(force, self.settings.touch_force));
            }
            self.swing_to(Phase::Retreat, senses);
        } else if done {
            self.begin_lowering(self.step.landing, senses);
        }
    }

    fn retreat(&mut self, senses: &Senses<'_>, dt: f64) {
        let leg = self.step.leg;
        let done = self.glide.advance(dt);
        self.stance.x[leg] = self.from.x[leg] + self.glide.share * (self.to.x[leg] - self.from.x[leg]);
        if !done {
            return;
        }
        if self.failing.is_some() {
            self.begin_lowering(self.lifted_from, senses);
        } else {
            self.step.over += HIGHER;
            self.begin_lift(senses);
        }
    }

    fn begin_lowering(&mut self, ground: f64, senses: &Senses<'_>) {
        self.touched = 0;
        self.floor = ground - self.settings.search_depth;
        self.enter(Phase::Lower, senses.now, (senses.margin, self.settings.least_margin));
    }

    fn lower(&mut self, senses: &Senses<'_>, dt: f64) {
        let (leg, with) = (self.step.leg, self.settings);
        if self.touches(senses) {
            let expected = self.floor + with.search_depth;
            self.glide = Glide::lasting(with.transfer_time);
            self.touched = 0;
            return self.enter(Phase::Load, senses.now, (self.elevations[leg], expected));
        }
        let high = self.elevations[leg] - (self.floor + with.search_depth) > NEAR_GROUND;
        let haste = if self.failing.is_some() {
            HASTE
        } else if high {
            2.0
        } else {
            1.0
        };
        let speed = haste * with.lower_speed;
        self.elevations[leg] -= speed * dt;
        if self.elevations[leg] > self.floor {
            return;
        }
        let missing = CrossingFailure::NoGround(-self.elevations[leg], -self.floor);
        let over_the_edge = self.stance.x[leg] != self.to.x[leg];
        if over_the_edge && self.failing.is_none() {
            self.failing = Some(missing);
            self.begin_lift(senses);
        } else {
            self.failing = self.failing.or(Some(missing));
            self.enter(Phase::Failed, senses.now, missing.numbers());
        }
    }

    /// True when the lifted foot has felt something for a few cycles.
    fn touches(&mut self, senses: &Senses<'_>) -> bool {
        let feels = senses.forces[self.step.leg] > self.settings.touch_force;
        self.touched = if feels { self.touched + 1 } else { 0 };
        self.touched >= TOUCH_CYCLES
    }

    fn load(&mut self, senses: &Senses<'_>, dt: f64) {
        let leg = self.step.leg;
        // a foot that has only brushed something goes on looking for the ground
        let carries = senses.forces[leg] > 0.25 * self.settings.touch_force;
        self.touched = if carries { 0 } else { self.touched + 1 };
        if self.touched > LOST_CYCLES && self.elevations[leg] > self.floor {
            (self.touched, self.shares[leg]) = (0, 0.0);
            return self.enter(Phase::Lower, senses.now, (senses.margin, self.settings.least_margin));
        }
        let done = self.glide.advance(dt);
        self.shares[leg] = self.shares[leg].max(self.glide.share);
        if !done {
            return;
        }
        if let Some(failure) = self.failing {
            return self.enter(Phase::Failed, senses.now, failure.numbers());
        }
        self.across += 1;
        let event = Event::note(senses.now, Severity::Info, SOURCE, "feet across, of");
        self.tell(event.with(self.across as f64, 4.0));
        if self.across % 2 == 1 {
            return self.prepare(senses);
        }
        let stance = Stance { x: self.legs.map(|leg| leg.x), height: self.usual_over(&self.elevations) };
        self.move_to(stance);
        self.enter(Phase::Restore, senses.now, NO_NUMBERS);
    }

    /// The height nearest to the usual one over feet on two levels that all legs can give [m].
    fn usual_over(&self, elevations: &[f64; 4]) -> f64 {
        const RESERVE: f64 = 0.03;
        let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
        for (leg, elevation) in self.legs.iter().zip(elevations) {
            least = least.max(leg.radius + elevation - leg.stroke.1 + RESERVE);
            most = most.min(leg.radius + elevation - leg.stroke.0 - RESERVE);
        }
        let usual = self.usual_height + elevations.iter().sum::<f64>() / 4.0;
        if least <= most { usual.clamp(least, most) } else { 0.5 * (least + most) }
    }
}
