//! When the navigator plans, and what it does with the answer.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use robot_io::deadline::TaskBoard;
use robot_io::{Event, Manoeuvre as Manner, MapViews, Period, Pose2, Sealed, Severity};

use super::request::{Penalty, Planned, Request};
use super::second_look::SecondLook;
use super::{Navigator, Phase, SOURCE};
use crate::{GlobalPlan, Goal, Outcome, Reach, RobotFootprint, Status};

/// A failed edge is forbidden within this radius [m].
const EDGE_PENALTY: Penalty = Penalty { x: 0.0, y: 0.0, radius: 0.5, cost: 1.0 };

/// A place that is nearer to a goal out of reach by less than this is not worth the way [m].
const WORTH_GOING: f64 = 0.3;

/// A way is long if it is longer than this [m], and so many times as long as what it brings the robot nearer to the goal.
const LONG: (f64, f64) = (3.0, 3.0);

/// A new plan that is longer by more than this leads another way [m].
const DETOUR: f64 = 2.0;
/// What closes the way farther ahead than this is doubted [m], for so many maps.
const FAR_AHEAD: f64 = 2.0;
const MOST_DOUBTS: usize = 2;

/// So often on the way to a goal the robot steps back from something that closes the way, to see whether it still does.
const MOST_STEPS_BACK: usize = 4;

impl Navigator {
    /// Begins with the goal as it is, or with none.
    pub(super) fn begin(&mut self) {
        self.goals += 1;
        self.phase = if self.goal.is_some() { Phase::Approach } else { Phase::Idle };
        self.plan = Sealed::default();
        self.piece = 0;
        self.urgent = true;
        self.penalties.clear();
        self.turned.clear();
        (self.manoeuvre, self.waiting, self.giving_way) = (None, None, None);
        (self.blocked_since, self.is_blocked, self.nearest_since) = (None, false, None);
        (self.stepped_back_at, self.steps_back) = (None, 0);
        (self.came, self.refusals, self.reach) = (false, 0, Reach::default());
        self.doubtful_maps = 0;
        self.second_look = SecondLook::default();
        self.tries.clear();
        self.trouble_left = f64::INFINITY;
        self.progress.begin(self.now, self.settings.recovery.detours);
        self.follow(robot_io::Path::default());
    }

    /// Asks for a plan where it is time: every few seconds, or at once where something is wrong with the last one, but not
    /// faster than makes sense.
    pub(super) fn ask(&mut self, cycle: u64, board: &mut dyn TaskBoard, views: &Sealed<MapViews>) {
        let due = cycle >= self.next_plan_cycle || self.urgent && cycle >= self.soonest_plan_cycle;
        let known = !views.views.is_empty() && self.footprint.outline.len() > 2;
        // whoever moves the legs must find the plan unchanged
        if !due || !known || !self.localized || self.phase == Phase::Edge || self.task.is_under_way() {
            return;
        }
        let plans = matches!(self.phase, Phase::Approach | Phase::Turn) && self.follows_its_plan();
        let request = Request {
            views: views.clone(),
            before: if core::mem::take(&mut self.has_jumped) { Sealed::default() } else { self.map.clone() },
            robot: self.robot(),
            now: self.now,
            from: self.pose,
            goal: self.goal.filter(|_| plans).map(|goal| (self.goals, goal)),
            second_look: self.second_look.at(),
            penalties: self.penalties.clone(),
            closed: self.closed(),
            map: self.settings.map,
            search: self.settings.search,
            room: self.settings.rollout.room,
        };
        self.task.release(board, move || request.compute());
        let cycles = |seconds: f64| Period::from_seconds(seconds).cycles_of(self.cycle);
        self.next_plan_cycle = cycle + cycles(self.settings.replan_interval);
        self.soonest_plan_cycle = cycle + cycles(self.settings.least_replan_interval);
        self.urgent = false;
    }

    /// The robot as the planner sees it.
    fn robot(&self) -> RobotFootprint {
        let level = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), self.pose.yaw);
        let place = Vector3::new(self.pose.x, self.pose.y, self.base_height);
        RobotFootprint {
            polygon: self.footprint.outline.clone(),
            corner_radius: self.footprint.foot_radius,
            wheels: self.footprint.feet.clone(),
            base_in_map: Isometry3::from_parts(place.into(), level),
            eye: self.footprint.eye,
        }
    }

    /// Takes up a new map, and the plan if it is for this goal and there is use for it.
    pub(super) fn adopt(&mut self, planned: Planned) {
        self.surroundings_are_ready();
        let before = core::mem::replace(&mut self.map, planned.map);
        let wanted = matches!(self.phase, Phase::Approach) && self.follows_its_plan();
        if planned.goal != self.goals || !wanted || planned.plan.outcome == Outcome::None {
            return;
        }
        self.count_refusals(&planned.plan.outcome);
        if self.waits_for_the_way(&before) {
            return;
        }
        self.waiting = None;
        if self.doubts(&planned.plan) {
            return;
        }
        if self.leads_no_nearer(&planned.plan) && self.is_way_free() {
            return;
        }
        self.note_turning(&planned.plan);
        let was_toward_goal = self.plan.outcome == Outcome::ToGoal || self.plan.outcome == Outcome::None;
        let is_news = was_toward_goal && self.second_look.at().is_none();
        if let (true, Outcome::ToNearest { nearest, .. }, Some(goal)) = (is_news, planned.plan.outcome, self.goal) {
            let left = nearest.distance(&goal.pose_in_map);
            self.tell(
                Severity::Warning,
                "no way to the goal as the map stands; nearest place [m]",
                left,
                goal.tolerance,
            );
        }
        // there is a way: what came is none of what will be in the way later
        self.came &= planned.plan.outcome != Outcome::ToGoal;
        if self.second_look.at().is_none() || planned.plan.outcome == Outcome::ToGoal {
            self.second_look.remember(&planned.plan, &self.map);
        }
        self.plan = planned.plan;
        self.piece = 0;
        let first = self.plan.pieces.first().map(|piece| piece.path.clone()).unwrap_or_default();
        self.follow(first);
        self.progress.replanned(self.now, self.distance_left());
    }

    /// True if the way is to be kept although a new plan leads a much longer way, or not to the goal: what closes it lies far ahead,
    /// and only few maps show it. Seen from nearer it may be open, and a robot that turns back at each such map goes nowhere.
    fn doubts(&mut self, new: &GlobalPlan) -> bool {
        let is_detour = new.outcome != Outcome::ToGoal || self.is_detour(new);
        let follows = self.plan.outcome == Outcome::ToGoal && self.follows_its_plan() && self.tries.count() == 0;
        let map = self.map.clone();
        let clearance = |place: &Pose2| map.clearance_at(place.x, place.y).unwrap_or(f64::INFINITY);
        if !follows || !is_detour || self.first_blocked(FAR_AHEAD, clearance).is_some() {
            self.doubtful_maps = 0;
            return false;
        }
        self.doubtful_maps += 1;
        self.doubtful_maps <= MOST_DOUBTS
    }

    /// True if a plan leads another way, a longer one.
    pub(super) fn is_detour(&self, new: &GlobalPlan) -> bool {
        let length: f64 = new.pieces.iter().map(|piece| piece.path.length()).sum();
        length > self.distance_left() + DETOUR
    }

    /// True if both the plan and a new one end short of the goal, and the new one hardly nearer to it: places all around what
    /// is in the way are about as near as each other, and a robot that goes to each in turn goes nowhere.
    fn leads_no_nearer(&self, new: &GlobalPlan) -> bool {
        let left = |outcome: &Outcome| match (outcome, self.goal) {
            (Outcome::ToNearest { nearest, .. }, Some(goal)) => Some(nearest.distance(&goal.pose_in_map)),
            _ => None,
        };
        left(&self.plan.outcome).zip(left(&new.outcome)).is_some_and(|(old, new)| new > old - WORTH_GOING)
    }

    /// True if the way to the place that is nearest to a goal out of reach is long for what it gains, round all that is in the way
    /// and back, say, or if the robot gets no farther on it. Having seen that there is no way, it need not go there to say so.
    pub(super) fn is_a_long_way_for_little(&self, goal: &Goal) -> bool {
        let Outcome::ToNearest { nearest, .. } = self.plan.outcome else { return false };
        let gain = self.pose.distance(&goal.pose_in_map) - nearest.distance(&goal.pose_in_map);
        let known = self.map.knows_around(&nearest, self.footprint.circumscribed_radius());
        let is_long = self.distance_left() > (LONG.1 * gain).max(LONG.0) || self.tries.count() > 0;
        !self.came && self.second_look.at().is_none() && known && is_long
    }

    /// Takes note of whether there is a way on a map that shows something new.
    fn count_refusals(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::ToNearest { .. } if self.map.revision != self.refused_by => self.refusals += 1,
            Outcome::ToNearest { .. } => {}
            Outcome::ToGoal | Outcome::None => self.refusals = 0,
        }
        self.refused_by = self.map.revision;
    }

    /// The robot stands at the reachable place that is nearest to the goal, or that place is not worth the way. What has come may go: it waits for that. What has
    /// always been there stays: a few more maps must show it from here.
    pub(super) fn at_nearest(&mut self) -> (Option<crate::rollout::Velocity>, Status) {
        if self.nearest_since.is_none() {
            self.refusals = 0;
        }
        let since = *self.nearest_since.get_or_insert(self.now);
        let waited = self.now.since(since).seconds();
        let patience = self.settings.recovery.patience;
        self.urgent = true;
        if self.came {
            self.step_back(waited)
        }
        if waited < patience && (self.came || self.refusals < self.settings.recovery.refusals) {
            return (None, Status::Blocked);
        }
        if self.looks_again() {
            return (None, Status::Blocked);
        }
        self.phase = Phase::Unreachable;
        if let (Outcome::ToNearest { refusal, nearest }, Some(goal)) = (self.plan.outcome, self.goal) {
            self.reach = Reach::of(&self.map, &nearest, &goal.pose_in_map, refusal);
            let what = format!("goal out of reach: {}", self.reach);
            self.events.push(Event { what: what.into(), ..Event::note(self.now, Severity::Error, SOURCE, "") });
        }
        (None, Status::Unreachable(self.reach))
    }

    /// Sets out to look once more at what closes a way that was open; true if there is such a thing.
    fn looks_again(&mut self) -> bool {
        let room = self.footprint.inscribed_radius();
        let Some(place) = self.second_look.begin(&self.map, &self.pose, room) else { return false };
        let what = "looking again at what closes a way that was open; it is away [m]";
        self.tell(Severity::Info, what, self.pose.distance(&place), f64::NAN);
        self.plan = Sealed::default();
        self.piece = 0;
        self.nearest_since = None;
        self.progress.try_again(self.now);
        true
    }

    /// Steps back from what closes the way, to see whether it still does.
    fn step_back(&mut self, waited: f64) {
        let end = self.path.poses.last().copied().unwrap_or(self.pose);
        let elsewhere = self.stepped_back_at.is_none_or(|place| place.distance(&end) > WORTH_GOING);
        if elsewhere && self.steps_back < MOST_STEPS_BACK && waited >= 0.5 * self.settings.recovery.patience {
            // right in front of its wheels it sees nothing: what has stood there would stand there for ever
            (self.stepped_back_at, self.steps_back) = (Some(end), self.steps_back + 1);
            self.tell(Severity::Info, "stepping back to see whether the way is still closed", f64::NAN, f64::NAN);
            let back = self.trail.back(&self.pose, &self.odom_in_map, self.settings.recovery.back_off);
            self.manoeuvre(back, self.pose.yaw);
        }
    }

    /// Tells that the manoeuvre over the edge of [`Status::AtEdge`] is over.
    pub fn manoeuvre_done(&mut self, success: bool) {
        if self.phase == Phase::Edge {
            self.edge_left(success);
        }
    }

    /// The manoeuvre over an edge is over: what lies behind is planned anew.
    fn edge_left(&mut self, success: bool) {
        let edge = self.plan.pieces.iter().skip(self.piece).find_map(|piece| match piece.manoeuvre {
            Manner::Step(edge) => Some(edge),
            Manner::Drive => None,
        });
        if let (false, Some(edge)) = (success, edge) {
            let what = "the edge was not crossed; looking for another way; its height [m]";
            self.tell(Severity::Warning, what, edge.rise, f64::NAN);
            self.penalize(Penalty { x: edge.pose.x, y: edge.pose.y, ..EDGE_PENALTY });
        }
        self.phase = Phase::Approach;
        self.plan = Sealed::default();
        self.piece = 0;
        self.urgent = true;
        self.trail.clear();
        self.follow(robot_io::Path::default());
        self.progress.try_again(self.now);
    }

    /// Remembers a place to keep away from, as long as this goal is the goal.
    pub(super) fn penalize(&mut self, penalty: Penalty) {
        const MOST: usize = 12;
        if self.penalties.len() == MOST {
            self.penalties.remove(0);
        }
        self.penalties.push(penalty);
    }
}
