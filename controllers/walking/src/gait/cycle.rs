//! One cycle: phases that end, the step in the air, the reference, and the law that follows it.

use nalgebra::Vector2;

use super::steps::{Ahead, Next, ON_ITS_WAY};
use super::{Command, GRAVITY, Gait, Measured, Output, Phase};
use crate::adjust::{Capture, Situation};
use crate::balance::{FootLoad, distribute};
use crate::footstep::{Footstep, Manner, Side, Twist, turned};
use crate::polygon::Polygon;
use crate::swing::{FootMotion, Swing};

impl Gait {
    /// One cycle.
    pub fn update(&mut self, measured: &Measured) -> Output {
        self.change_velocity();
        self.change_height();
        self.dcm = self.filter.update(&measured.dcm, &self.wanted.vrp, self.omega);
        self.elapsed += self.settings.cycle;
        self.advance(measured);
        if self.phase == Phase::SingleSupport {
            self.adjust_step();
        }
        let way = self.trajectory(self.swing.target());
        let reference = way.at(0.0);
        let next = way.at(self.settings.cycle);
        (self.vrp, self.planned_dcm) = (next.vrp, next.dcm);
        let support = self.support();
        self.wanted = self.tracker.update(&self.dcm, &measured.com, &reference, &support, self.omega);
        Output { reference, ..self.output() }
    }

    fn output(&self) -> Output {
        let swings = |side: Side| self.phase == Phase::SingleSupport && side == self.side;
        let motion = |side: Side| match swings(side) {
            true => self.swing.at(self.elapsed, &self.swings()),
            false => FootMotion::standing(&self.feet[side.index()]),
        };
        Output {
            phase: self.phase,
            elapsed: [self.elapsed, self.time],
            carries: Side::BOTH.map(|side| !swings(side)),
            side: self.side,
            dcm: self.dcm,
            wanted: self.wanted,
            feet: Side::BOTH.map(motion),
            loads: self.loads(),
            capture: self.capture,
            adjusted: self.adjusted,
            late: self.phase == Phase::SingleSupport && self.elapsed > self.time + self.settings.cycle,
            ..Output::default()
        }
    }

    fn loads(&self) -> [FootLoad; 2] {
        if self.phase != Phase::SingleSupport {
            return distribute(&self.wanted.zmp, &self.feet, &self.settings.reach);
        }
        let stance = self.side.other();
        let foot = &self.feet[stance.index()];
        let pressure: Vector2<f64> = turned(-foot.yaw, self.wanted.zmp - foot.position.xy());
        Side::BOTH.map(|side| if side == stance { FootLoad { share: 1.0, pressure } } else { FootLoad::default() })
    }

    /// Where pressure can be.
    pub(super) fn support(&self) -> Polygon {
        match self.phase {
            Phase::SingleSupport => self.sole(&self.feet[self.side.other().index()]),
            _ => self.sole(&self.feet[0]).around(&self.sole(&self.feet[1])),
        }
    }

    /// Until the phase should end [s].
    pub(super) fn time_left(&self) -> f64 {
        (self.time - self.elapsed).max(0.0)
    }

    fn change_velocity(&mut self) {
        let wanted = match self.command {
            Command::Walk(twist) if !self.paused => twist,
            _ => Twist::default(),
        };
        let most = self.settings.acceleration * self.settings.cycle;
        self.twist = match self.phase {
            Phase::Standing | Phase::Settling | Phase::Shifting if wanted == Twist::default() => wanted,
            _ => self.twist.towards(&wanted, most),
        };
    }

    fn change_height(&mut self) {
        let [now, wanted] = self.height;
        if self.phase == Phase::Standing && now != wanted {
            let most = self.settings.height_speed * self.settings.cycle;
            self.height[0] = now + (wanted - now).max(-most).min(most);
            self.omega = (GRAVITY / self.height[0]).sqrt();
        }
    }

    /// Whether the command needs steps, now or soon.
    fn has_steps(&self) -> bool {
        !self.paused
            && match self.command {
                Command::Stand => false,
                Command::Walk(_) => true,
                Command::Reach(place, _) => !self.is_at(&self.feet, &place, self.share_of_near()),
                Command::Follow => !self.plan.pending().is_empty(),
            }
    }

    /// Feet that stand stay; those that walk come nearer.
    fn share_of_near(&self) -> f64 {
        if matches!(self.phase, Phase::Standing | Phase::Settling) { 1.0 } else { ON_ITS_WAY }
    }

    /// The foot that leads begins.
    fn first_side(&self) -> Side {
        let right = |twist: Twist| twist.sideways < 0.0 || (twist.sideways == 0.0 && twist.turning < 0.0);
        match self.command {
            Command::Walk(twist) if right(twist) => Side::Right,
            Command::Reach(place, _) if right(place.seen_from(&self.feet)) => Side::Right,
            Command::Follow => self.plan.pending().first().map_or(Side::Left, |step| step.side),
            _ => Side::Left,
        }
    }

    /// Ends phases.
    fn advance(&mut self, measured: &Measured) {
        let over = self.elapsed >= self.time;
        match self.phase {
            Phase::Standing | Phase::Settling if self.must_step() => {
                self.side = self.foot_for_emergency();
                self.recovers = true;
                self.begin_shift(self.settings.hurry);
            }
            Phase::Standing | Phase::Settling if self.has_steps() && self.height[0] == self.height[1] => {
                self.side = self.first_side();
                self.begin_shift(self.settings.shift);
            }
            Phase::Standing if self.should_close() => self.begin_shift(self.time_to_close()),
            Phase::Settling if over => self.begin(Phase::Standing, 0.0),
            Phase::Shifting if self.needs_no_step() => self.begin_settling(),
            Phase::Shifting if over && !self.is_shifted() => {}
            Phase::DoubleSupport if over && self.waits() => {}
            Phase::Shifting | Phase::DoubleSupport if over => self.lift(measured),
            Phase::SingleSupport if self.touches(measured) => self.land(measured),
            _ => {}
        }
    }

    /// Whether no regular step shall follow.
    pub(super) fn wants_end(&self) -> bool {
        (self.paused || self.command == Command::Stand) && self.twist == Twist::default()
    }

    pub(super) fn begin(&mut self, phase: Phase, time: f64) {
        (self.phase, self.elapsed, self.time) = (phase, 0.0, time);
        if phase == Phase::Standing {
            self.capture = Capture::Standing;
        }
    }

    /// The next foot leaves the ground, or there is no next one. That the robot shall stop is heeded now for the steps after this
    /// one: so late a change hardly moves the DCM.
    fn lift(&mut self, measured: &Measured) {
        self.feel_ground(measured);
        let mut ahead = Ahead::default();
        self.ending &= self.wants_end();
        let Some(Next { step, planned, manner }) = self.next_step(&self.feet, self.side, &mut ahead) else {
            return self.begin_settling();
        };
        let hurried = self.phase == Phase::Shifting && self.recovers;
        if planned {
            self.plan.begin();
        }
        (self.planned, self.is_of_plan, self.manner) = (step, planned, manner);
        self.planned_time = if hurried { self.settings.adjust.time[0] } else { self.single(&manner) };
        self.begin(Phase::SingleSupport, self.planned_time);
        self.recovers = false;
        self.closing = self.wants_end() && !self.ending;
        // a step that a push asks for is one of a robot that goes on: a foot so wide that it would stop there leaves no room for the next one
        self.ending = self.wants_end() && !hurried;
        self.swing = Swing::new(self.feet[self.side.index()], step, self.time, &self.swings());
    }

    /// Whether the robot comes to rest on both feet as they stand, however far from each other.
    fn can_rest(&self) -> bool {
        self.wants_end() && self.support().depth(&self.dcm.xy()) > self.settings.rest
    }

    /// Whether the robot has come to rest with its feet apart, and they shall stand beside each other.
    fn should_close(&self) -> bool {
        let off = self.dcm - self.over_both(&self.feet);
        !self.has_steps() && !self.beside(&self.feet) && off.xy().norm() < self.settings.calm
    }

    /// The load has farther to go when feet stand wide apart [s].
    fn time_to_close(&self) -> f64 {
        let apart = (self.feet[0].position - self.feet[1].position).xy().norm();
        self.settings.shift * (apart / self.settings.width).max(1.0)
    }

    /// Whether the load is where the foot can be lifted; where there is haste, or it takes too long, it is lifted all the same.
    fn is_shifted(&self) -> bool {
        let off = self.dcm - self.trajectory(self.swing.target()).at(0.0).dcm;
        self.recovers || off.xy().norm() < self.settings.calm || self.elapsed > 2.0 * self.time
    }

    /// Whether the step in the air, or the last one, was to be set down just where it was planned.
    fn is_careful(&self) -> bool {
        self.command == Command::Follow && self.manner.farthest.is_finite()
    }

    /// Whether both feet rather carry on: the load is not where the next foot can be lifted, and nothing drives it out from between the feet. It is not
    /// if the robot would fall towards the foot that is lifted, which the next step could hardly catch; where that one has its place, if it is off at all.
    fn waits(&self) -> bool {
        const LONGEST: f64 = 0.6;
        let off = (self.dcm - self.trajectory(self.swing.target()).at(0.0).dcm).xy();
        let stance = &self.feet[self.side.other().index()];
        let inward = turned(-stance.yaw, off).y * self.side.sign();
        let is_off = inward > self.settings.inward || self.is_careful() && off.norm() > self.settings.calm;
        is_off && self.elapsed < self.time + LONGEST && self.holds_dcm()
    }

    /// Whether pressure under both feet as they stand can hold the DCM.
    fn holds_dcm(&self) -> bool {
        self.sole(&self.feet[0]).around(&self.sole(&self.feet[1])).depth(&self.dcm.xy()) > 0.0
    }

    fn needs_no_step(&self) -> bool {
        !self.recovers && !self.has_steps() && self.beside(&self.feet)
    }

    fn touches(&self, measured: &Measured) -> bool {
        let due = self.elapsed >= self.time;
        let lifted = self.elapsed >= self.settings.swing.lifted.max(self.manner.earliest) * self.time;
        measured.forces.map_or(due, |forces| lifted && forces[self.side.index()] > self.settings.touch)
    }

    /// The foot carries from now on.
    fn land(&mut self, measured: &Measured) {
        let off = self.dcm - self.trajectory(self.swing.target()).at(0.0).dcm;
        let careful = self.is_careful();
        let planned = self.swing.landed(self.elapsed, &self.swings());
        let found = measured.feet.map(|feet| Footstep::at(self.side, &feet[self.side.index()]));
        self.feet[self.side.index()] = found.unwrap_or(planned);
        self.raise_plan();
        self.recovers = off.xy().norm() > self.settings.calm && !(careful && self.holds_dcm());
        self.side = self.side.other();
        self.adjusted = false;
        let both = self.both(&self.manner_of_next());
        self.begin(Phase::DoubleSupport, if self.recovers { self.settings.hurry } else { both });
        if self.recovers && self.can_rest() {
            self.recovers = false;
            self.planned_dcm = self.dcm;
            self.begin_settling();
        } else if self.next_step(&self.feet, self.side, &mut Ahead::default()).is_none() {
            self.begin_settling();
        }
    }

    /// Moves the step in the air, and its time.
    fn adjust_step(&mut self) {
        if self.time_left() < self.settings.adjust.freeze {
            return;
        }
        let planned = self.planned;
        let adjusted = self.adjuster.adjust(&Situation {
            stance: self.feet[self.side.other().index()],
            swing: self.swing.at(self.elapsed, &self.swings()).pose.translation.vector.xy(),
            dcm: self.dcm.xy(),
            planned,
            planned_dcm: self.trajectory(&planned).end(0).xy(),
            elapsed: self.elapsed,
            planned_time: self.planned_time,
            both: self.both_after(),
            manner: self.manner,
            omega: self.omega,
        });
        (self.time, self.capture) = (adjusted.time, adjusted.capture);
        self.adjusted = !adjusted.as_planned;
        let step = if adjusted.as_planned { adjusted.step } else { self.moved(&adjusted.step) };
        let swings = self.swings();
        self.swing.retarget(self.elapsed, step, adjusted.time, &swings);
    }

    /// How long both feet will carry when the foot in the air has landed [s].
    fn both_after(&self) -> f64 {
        let mut feet = self.feet;
        feet[self.side.index()] = *self.swing.target();
        let next = self.next_step(&feet, self.side.other(), &mut Ahead::default());
        self.both(&next.map_or(Manner::default(), |next| next.manner))
    }
}
