//! Which steps come next, and the DCM that belongs to them.

use nalgebra::Vector3;

use super::{Command, Gait, Phase};
use crate::dcm::{Trajectory, way_point};
use crate::footstep::{Footstep, Manner, Place, Side, Twist, towards};
use crate::swing::SwingSettings;

/// So many steps are looked ahead; then the robot is thought to stop.
const PREVIEW: usize = 5;
/// Feet beside each other are not asked for any longer than that many steps ahead: on ground as steep as a robot that falls may think it is, none are.
const LAST: usize = 2 * PREVIEW;
/// A robot that walks to a place goes on until its feet are nearer than those that stay there, by this share: that they begin no step they do not need.
pub(super) const ON_ITS_WAY: f64 = 0.6;

/// A step that follows.
#[derive(Clone, Copy)]
pub(super) struct Next {
    pub step: Footstep,
    /// Whether it is the plan's next one.
    pub planned: bool,
    pub manner: Manner,
}

/// How far a preview has come.
#[derive(Clone, Copy, Default)]
pub(super) struct Ahead {
    taken: usize,
    of_plan: usize,
}

impl Gait {
    /// The step of `side` that follows when the feet stand at `feet`. None: the robot stays as it stands.
    pub(super) fn next_step(&self, feet: &[Footstep; 2], side: Side, ahead: &mut Ahead) -> Option<Next> {
        let stance = &feet[side.other().index()];
        let regular = match self.command {
            _ if self.ending || ahead.taken >= PREVIEW => None,
            Command::Follow => {
                let manner = self.plan.manner(ahead.of_plan);
                self.plan.pending().get(ahead.of_plan).map(|step| self.of_plan(stance, step, manner))
            }
            Command::Reach(place, most) => {
                (!self.is_at(feet, &place, ON_ITS_WAY)).then(|| Next::unplanned(self.on_way(stance, &place, &most)))
            }
            Command::Walk(_) | Command::Stand => Some(Next::unplanned(self.of_twist(stance, &self.twist))),
        };
        let closes =
            (!self.beside(feet) && ahead.taken < LAST) || ((self.recovers || self.closing) && ahead.taken == 0);
        let beside = || Next::unplanned(self.on_ground(stance, &stance.beside(self.settings.width)));
        let next = regular.or_else(|| closes.then(beside));
        ahead.taken += 1;
        ahead.of_plan += usize::from(next.is_some_and(|next| next.planned));
        next
    }

    /// The plan's step, if this foot can take it from here; else one that leads there.
    fn of_plan(&self, stance: &Footstep, step: &Footstep, manner: Manner) -> Next {
        const AS_PLANNED: f64 = 0.01;
        if step.side == stance.side {
            return Next::unplanned(self.of_twist(stance, &Twist::default()));
        }
        let nearest = self.settings.reach.nearest(stance, step);
        Next { step: nearest, planned: (nearest.position - step.position).norm() < AS_PLANNED, manner }
    }

    /// The step towards a place, or at it.
    fn on_way(&self, stance: &Footstep, place: &Place, most: &Twist) -> Footstep {
        let step = towards(stance, place, true, most, self.settings.width, &self.settings.reach);
        self.on_ground(stance, &step)
    }

    /// Whether the feet stand at a place, beside each other, within this share of what counts as near.
    pub(super) fn is_at(&self, feet: &[Footstep; 2], place: &Place, share: f64) -> bool {
        let (off, near) = (place.seen_from(feet), share * self.settings.near);
        let faces = off.turning.abs() < share * self.settings.near_turned;
        self.beside(feet) && faces && off.forward.hypot(off.sideways) < near
    }

    fn of_twist(&self, stance: &Footstep, twist: &Twist) -> Footstep {
        let settings = &self.settings;
        let step = twist.step(stance, settings.single + settings.both, settings.width, &settings.reach);
        self.on_ground(stance, &step)
    }

    /// How long a step lasts on one foot [s].
    pub(super) fn single(&self, manner: &Manner) -> f64 {
        self.settings.single.max(manner.single.min(self.settings.adjust.time[1]))
    }

    /// How long both feet carry before it [s].
    pub(super) fn both(&self, manner: &Manner) -> f64 {
        self.settings.both.max(manner.both)
    }

    /// How the foot in the air swings.
    pub(super) fn swings(&self) -> SwingSettings {
        let swing = self.settings.swing;
        SwingSettings { clearance: swing.clearance.max(self.manner.clearance), ..swing }
    }

    /// How the step is taken that follows when the feet stand as they do.
    pub(super) fn manner_of_next(&self) -> Manner {
        self.next_step(&self.feet, self.side, &mut Ahead::default()).map_or(Manner::default(), |next| next.manner)
    }

    /// Whether both feet stand beside each other.
    pub(super) fn beside(&self, feet: &[Footstep; 2]) -> bool {
        let (close, wider, turned, uneven) = (0.02, 0.08, 0.05, 0.06);
        let stride = feet[0].stride_from(&feet[1]);
        stride.forward.abs() < close
            && stride.upward.abs() < uneven
            && stride.turning.abs() < turned
            && (self.settings.reach.outward[0] - 1e-6..self.settings.width + wider).contains(&stride.outward)
    }

    /// The VRP of a foot that carries alone [m].
    pub(super) fn over(&self, foot: &Footstep) -> Vector3<f64> {
        foot.position + Vector3::z() * self.height[0]
    }

    /// The VRP of both feet standing [m].
    pub(super) fn over_both(&self, feet: &[Footstep; 2]) -> Vector3<f64> {
        (self.over(&feet[0]) + self.over(&feet[1])) * 0.5
    }

    /// The DCM from now until the robot stands, if the foot in the air lands at `landing`.
    pub(super) fn trajectory(&self, landing: &Footstep) -> Trajectory {
        let mut way = Trajectory::new(self.omega);
        let left = self.time_left();
        let stance = self.over(&self.feet[self.side.other().index()]);
        match self.phase {
            Phase::Standing => way.push(self.vrp, self.over_both(&self.feet), left),
            Phase::Settling => self.push_around(&mut way, self.over_both(&self.feet)),
            Phase::SingleSupport => {
                way.push(stance, stance, left);
                self.look_ahead(&mut way, Some(*landing));
            }
            Phase::Shifting | Phase::DoubleSupport => {
                if self.phase == Phase::Shifting {
                    self.push_around(&mut way, stance);
                } else {
                    way.push(self.vrp, stance, left);
                }
                way.push(stance, stance, self.single(&self.manner_of_next()));
                self.look_ahead(&mut way, None);
            }
        }
        way.join();
        way
    }

    /// The rest of a way of the VRP that leads over the way point after half the time.
    fn push_around(&self, way: &mut Trajectory, to: Vector3<f64>) {
        let (left, half) = (self.time_left(), 0.5 * self.time);
        let between = if left > half { self.way_point } else { self.vrp };
        way.push(self.vrp, between, left - half);
        way.push(between, to, left.min(half));
    }

    /// The load goes to the foot that will carry alone.
    pub(super) fn begin_shift(&mut self, time: f64) {
        self.begin(Phase::Shifting, time);
        (self.ending, self.closing) = (self.wants_end(), false);
        let stance = self.over(&self.feet[self.side.other().index()]);
        let mut way = Trajectory::new(self.omega);
        way.push(stance, stance, self.single(&self.manner_of_next()));
        self.look_ahead(&mut way, None);
        way.join();
        self.go_around(&stance, &way.at(0.0).dcm);
    }

    /// The load goes to the middle, and the robot stands.
    pub(super) fn begin_settling(&mut self) {
        self.begin(Phase::Settling, self.settings.shift);
        let middle = self.over_both(&self.feet);
        self.go_around(&middle, &middle);
    }

    /// Finds where the VRP goes first, so that the DCM begins where it is and ends at `end` with the VRP at `to`. Without that the
    /// reference would begin with a jump.
    fn go_around(&mut self, to: &Vector3<f64>, end: &Vector3<f64>) {
        let point = way_point(&self.planned_dcm, &self.vrp, to, end, 0.5 * self.time, self.omega);
        self.way_point = self.support().nearest(&point.xy()).push(point.z);
    }

    /// Adds the steps that follow while `self.side` swings.
    fn look_ahead(&self, way: &mut Trajectory, in_air: Option<Footstep>) {
        let (mut feet, mut side, mut ahead) = (self.feet, self.side, Ahead::default());
        let mut next = in_air.map(Next::unplanned).or_else(|| self.next_step(&feet, side, &mut ahead));
        while let Some(Next { step, .. }) = next {
            let stance = self.over(&feet[side.other().index()]);
            feet[side.index()] = step;
            side = side.other();
            next = self.next_step(&feet, side, &mut ahead);
            if let Some(Next { manner, .. }) = &next {
                let foot = self.over(&step);
                way.push(stance, foot, self.both(manner));
                way.push(foot, foot, self.single(manner));
            } else {
                way.push(stance, self.over_both(&feet), self.settings.shift);
            }
        }
    }
}

impl Next {
    /// One that is in no plan.
    fn unplanned(step: Footstep) -> Next {
        Next { step, planned: false, manner: Manner::default() }
    }
}
