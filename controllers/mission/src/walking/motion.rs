//! The course of a motion: smooth ways from where things are to where they shall be, and whether they get there.

use nalgebra::{Isometry3, Vector3, Vector6};
use robot_io::State;
use robot_model::RobotModel;
use whole_body::{Goal, InverseDynamics, Task};

use super::motion_scene::Scene;
use super::slots::{Bound, Group, Kind, Plan, Slot, point_of};
use super::ways::{error, take_over};
use crate::MissionError;
use crate::motion::{Motion, MotionFrame, MotionProgress};
use crate::progress::Remaining;

/// What a motion wanted is given up within this time [s].
const RETURN: f64 = 1.5;
/// From full pace to a stand, and back [1/s].
const PACE: f64 = 2.0;
/// A link must be where it shall be for so long [s].
const SETTLED: f64 = 0.3;
/// Without coming nearer for so long, it is out of reach [s]; nearer is a better share of what may be left by this.
const PATIENCE: f64 = 3.0;
const NEARER: f64 = 0.05;
/// How fast the lasting error of a link is put right [1/s³], and with what at most [m/s², rad/s²].
const LEARNING: f64 = 120.0;
const MOST_LEAN: [f64; 2] = [8.0, 40.0];

/// Plays motions.
#[derive(Clone, Debug, State)]
pub(super) struct Player {
    #[state(fixed)]
    plans: Vec<Plan>,
    #[state(elements)]
    slots: Vec<Slot>,
    /// What begins in this cycle.
    pending: Option<usize>,
    ends: bool,
    current: Option<usize>,
    phase: usize,
    /// Since the phase began, and how long its way takes [s].
    time: f64,
    duration: f64,
    /// Share of its own speed, and whether it shall stand still.
    pace: f64,
    held: bool,
    /// The motion's frame where it does not go along with the base.
    frame: Isometry3<f64>,
    outcome: Outcome,
    /// The link that is worst off: its slot, and how far [m, rad].
    worst: usize,
    left: [f64; 2],
    best: f64,
    /// How long it is where it shall be, and how long it has not come nearer [s].
    settled: f64,
    stuck: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
enum Outcome {
    #[default]
    Begun,
    UnderWay,
    Done,
    Failed,
}

/// How far along the way, and how fast.
#[derive(Clone, Copy)]
struct Share {
    done: f64,
    rate: f64,
    acceleration: f64,
}

impl Player {
    /// Plays these motions, and the tasks that the whole body needs for them.
    pub fn new(model: &RobotModel, groups: &[Group], motions: &[&Motion]) -> Result<(Player, Vec<Task>), MissionError> {
        let Bound { plans, slots, tasks } = Bound::new(model, groups, motions)?;
        let player = Player {
            plans,
            slots,
            pending: None,
            ends: false,
            current: None,
            phase: 0,
            time: 0.0,
            duration: 0.0,
            pace: 1.0,
            held: false,
            frame: Isometry3::identity(),
            outcome: Outcome::Begun,
            worst: 0,
            left: [0.0; 2],
            best: f64::INFINITY,
            settled: 0.0,
            stuck: 0.0,
        };
        Ok((player, tasks))
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        self.slots.iter_mut().for_each(|slot| (slot.active, slot.returns) = (false, false));
        (self.pending, self.current, self.ends) = (None, None, false);
        (self.outcome, self.held, self.pace) = (Outcome::Begun, false, 1.0);
    }

    /// Begins with a motion.
    pub fn begin(&mut self, motion: usize) {
        (self.pending, self.outcome) = (Some(motion).filter(|motion| *motion < self.plans.len()), Outcome::Begun);
    }

    /// Whether it shall stand still.
    pub fn hold(&mut self, hold: bool) {
        self.held = hold;
    }

    /// Wants nothing any more.
    pub fn end(&mut self) {
        (self.pending, self.ends) = (None, true);
    }

    /// How far it has got.
    pub fn progress(&self) -> MotionProgress {
        let [distance, turn] = self.left;
        match self.outcome {
            Outcome::Begun => MotionProgress::Begun,
            Outcome::UnderWay => MotionProgress::Left(Remaining { distance, turn, time: self.time_left() }),
            Outcome::Done => MotionProgress::Done,
            Outcome::Failed => MotionProgress::Failed,
        }
    }

    /// The link that was out of reach, and by how much [m, rad].
    pub fn failure(&self) -> Option<(usize, [f64; 2])> {
        let Some(Slot { kind: Kind::Link { link, .. }, .. }) = self.slots.get(self.worst) else { return None };
        (self.outcome == Outcome::Failed).then_some((*link, self.left))
    }

    /// Whether the joints of a group follow a link that they carry.
    pub fn moves(&self, group: usize) -> bool {
        self.slots.iter().filter(|slot| slot.active).any(|slot| match slot.kind {
            Kind::Link { group: of, .. } | Kind::Gaze { group: of, .. } => of == Some(group),
            _ => false,
        })
    }

    /// Whether it moves a joint for itself.
    pub fn poses(&self, joint: usize) -> bool {
        let active = self.slots.iter().filter(|slot| slot.active);
        active.into_iter().any(|slot| matches!(&slot.kind, Kind::Joints { joints } if joints.contains(&joint)))
    }

    /// Height of the centre of mass, roll and pitch.
    pub fn wanted(&self, usual: Vector3<f64>) -> Vector3<f64> {
        let mut wanted = usual;
        let share = self.share();
        for slot in self.slots.iter().filter(|slot| slot.active || slot.returns) {
            let home = Vector3::new(usual.y, usual.z, usual.x);
            let to = if slot.returns { home } else { slot.to.translation.vector };
            let at = slot.from.translation.vector.lerp(&to, share.done);
            match slot.kind {
                Kind::Height => wanted.x = at.z,
                Kind::Trunk => (wanted.y, wanted.z) = (at.x, at.y),
                _ => {}
            }
        }
        wanted
    }

    /// A cycle later.
    pub fn update(&mut self, scene: &Scene, dynamics: &mut InverseDynamics) {
        if core::mem::take(&mut self.ends) {
            self.current = None;
            self.begin_phase(scene, dynamics);
        }
        if let Some(motion) = self.pending.take() {
            self.start(motion, scene, dynamics);
        }
        let pace = if self.held && self.current.is_some() { 0.0 } else { 1.0 };
        self.pace += (pace - self.pace).clamp(-PACE * scene.dt, PACE * scene.dt);
        self.time += self.pace * scene.dt;
        let Some(plan) = self.current.and_then(|motion| self.plans.get(motion)) else { return };
        if self.time >= self.duration + plan.phases[self.phase].hold && self.phase + 1 < plan.phases.len() {
            self.phase += 1;
            return self.begin_phase(scene, dynamics);
        }
        self.judge(scene, dynamics);
    }

    fn start(&mut self, motion: usize, scene: &Scene, dynamics: &mut InverseDynamics) {
        let before = self.frame_now(scene);
        let share = self.share();
        self.current = Some(motion);
        self.phase = 0;
        self.frame = match self.plans[motion].frame {
            MotionFrame::Feet => *scene.feet,
            MotionFrame::Base | MotionFrame::Odometry => Isometry3::identity(),
        };
        let change = self.frame_now(scene).inverse() * before;
        for slot in self.slots.iter_mut().filter(|slot| slot.active) {
            if let Kind::Link { .. } | Kind::Gaze { .. } = slot.kind {
                let here = change * slot.at(share.done);
                (slot.from, slot.to) = (here, here);
            }
        }
        (self.outcome, self.best, self.settled, self.stuck) = (Outcome::UnderWay, f64::INFINITY, 0.0, 0.0);
        self.begin_phase(scene, dynamics);
    }

    /// Where the motion's frame is now, in the odometry frame.
    fn frame_now(&self, scene: &Scene) -> Isometry3<f64> {
        if self.goes_along() { *scene.base } else { self.frame }
    }

    fn goes_along(&self) -> bool {
        let plan = self.current.and_then(|motion| self.plans.get(motion));
        plan.is_some_and(|plan| plan.frame == MotionFrame::Base)
    }

    /// Everything sets out from where it is told to be, or from where it is.
    fn begin_phase(&mut self, scene: &Scene, dynamics: &mut InverseDynamics) {
        let (share, to_frame) = (self.share(), self.frame_now(scene).inverse());
        let Player { plans, slots, current, phase, .. } = self;
        let part = current.and_then(|motion| plans.get(motion)).and_then(|plan| plan.phases.get(*phase));
        let mut duration = part.map_or(RETURN, |part| part.seconds);
        for (number, slot) in slots.iter_mut().enumerate() {
            let aim = part.and_then(|part| part.aims.iter().find(|aim| aim.slot == number));
            let was = slot.active || slot.returns;
            let is_scalar = matches!(slot.kind, Kind::Height | Kind::Trunk);
            let Some(aim) = aim else {
                if is_scalar && was {
                    slot.from = slot.on_its_way(share.done, scene.usual);
                    duration = duration.max(RETURN);
                }
                (slot.returns, slot.active) = (is_scalar && slot.active, false);
                if let Some(task) = dynamics.task_mut(&slot.task) {
                    task.weight = 0.0;
                }
                continue;
            };
            slot.set_out(was, share.done, &to_frame, scene, point_of(&aim.task));
            (slot.active, slot.returns, slot.to) = (true, false, slot.towards(aim.to, &aim.task));
            slot.to_joints.copy_from_slice(&aim.joints);
            duration = duration.max(slot.shortest());
            if let Some(task) = dynamics.task_mut(&slot.task) {
                take_over(task, &aim.task);
            }
        }
        (self.time, self.duration) = (0.0, duration.max(1e-3));
    }

    fn share(&self) -> Share {
        let t = (self.time / self.duration).clamp(0.0, 1.0);
        if !t.is_finite() || t >= 1.0 {
            return Share { done: 1.0, rate: 0.0, acceleration: 0.0 };
        }
        let per = self.pace / self.duration;
        Share {
            done: t * t * t * (10.0 - 15.0 * t + 6.0 * t * t),
            rate: 30.0 * t * t * (1.0 - 2.0 * t + t * t) * per,
            acceleration: 60.0 * t * (1.0 - 3.0 * t + 2.0 * t * t) * per * per,
        }
    }

    fn time_left(&self) -> f64 {
        let Some(plan) = self.current.and_then(|motion| self.plans.get(motion)) else { return 0.0 };
        let rest = plan.phases.iter().skip(self.phase + 1).map(|part| part.seconds + part.hold);
        let hold = plan.phases.get(self.phase).map_or(0.0, |part| part.hold);
        (self.duration + hold - self.time).max(0.0) + rest.sum::<f64>()
    }

    /// Whether everything is where it shall be, in the end.
    fn judge(&mut self, scene: &Scene, dynamics: &mut InverseDynamics) {
        let Some(plan) = self.current.and_then(|motion| self.plans.get(motion)) else { return };
        let (within, turned_within) = (plan.within, plan.turned_within);
        let is_last = self.phase + 1 == plan.phases.len();
        let frame = self.frame_now(scene);
        let mut worst = 0.0;
        self.left = [0.0; 2];
        for (number, slot) in self.slots.iter().enumerate().filter(|(_, slot)| slot.active) {
            let Kind::Link { link, .. } = slot.kind else { continue };
            let Some(Goal::Pose(goal)) = dynamics.task_mut(&slot.task).map(|task| &task.goal) else { continue };
            let here = scene.links[link] * nalgebra::Translation3::from(goal.point_in_link);
            let off = error(&(frame * slot.to), &here, &goal.axes);
            let [way, turn] = [off.fixed_rows::<3>(0).norm(), off.fixed_rows::<3>(3).norm()];
            let share = (way / within).max(turn / turned_within);
            if share >= worst {
                (worst, self.worst, self.left) = (share, number, [way, turn]);
            }
        }
        if self.outcome != Outcome::UnderWay || !is_last || self.time_left() > 0.0 {
            return;
        }
        self.settled = if worst <= 1.0 { self.settled + scene.dt } else { 0.0 };
        let is_nearer = worst < self.best - NEARER;
        self.best = if is_nearer { worst } else { self.best };
        self.stuck = if is_nearer || worst <= 1.0 || self.held { 0.0 } else { self.stuck + scene.dt };
        if self.settled >= SETTLED {
            self.outcome = Outcome::Done;
        } else if self.stuck >= PATIENCE {
            (self.outcome, self.ends) = (Outcome::Failed, true);
        }
    }

    /// Where the joints shall be that it moves one by one: their positions and velocities.
    pub fn pose(&self, joints: &mut [[f64; 2]]) {
        let share = self.share();
        for slot in self.slots.iter().filter(|slot| slot.active) {
            let Kind::Joints { joints: moved } = &slot.kind else { continue };
            for ((joint, from), to) in moved.iter().zip(&slot.from_joints).zip(&slot.to_joints) {
                joints[*joint] = [from + share.done * (to - from), share.rate * (to - from)];
            }
        }
    }

    /// Tells the whole body where links shall be now.
    pub fn tell(&mut self, scene: &Scene, interval: f64, dynamics: &mut InverseDynamics) {
        let (share, frame, goes_along) = (self.share(), self.frame_now(scene), self.goes_along());
        for slot in self.slots.iter_mut().filter(|slot| slot.active) {
            let Some(task) = dynamics.task_mut(&slot.task) else { continue };
            let at = frame * slot.at(share.done);
            match (&mut task.goal, &slot.kind) {
                (Goal::Pose(goal), Kind::Link { link, .. }) => {
                    let way = slot.way(&frame);
                    goal.pose_in_world = at;
                    goal.velocity = way * share.rate;
                    if goes_along {
                        let [velocity, turning] = scene.base_velocity;
                        let arm = at.translation.vector - scene.base.translation.vector;
                        let linear = velocity + turning.cross(&arm);
                        goal.velocity += Vector6::from_iterator(linear.iter().chain(turning.iter()).copied());
                    }
                    let here = scene.links[*link] * nalgebra::Translation3::from(goal.point_in_link);
                    slot.lean += error(&at, &here, &goal.axes) * (LEARNING * interval);
                    for axis in 0..6 {
                        let most = MOST_LEAN[axis / 3];
                        slot.lean[axis] = slot.lean[axis].clamp(-most, most);
                    }
                    goal.acceleration = way * share.acceleration + slot.lean;
                }
                (Goal::Gaze(goal), _) => goal.target_in_world = at.translation.vector,
                _ => {}
            }
        }
    }
}
