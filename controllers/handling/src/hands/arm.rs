//! An arm with its hand: what it is wanted to do, and how far it has got.

mod second;
mod touch;
mod way;

use manipulation::JointStates;
use robot_io::deadline::{DeadlineTask, TaskBoard};
use robot_io::{Event, Events, Severity, State, Time};

use self::second::Second;
use super::SOURCE;
use super::fingers::Fingers;
use super::force::ForceAlong;
use super::goal::{HandFailure, HandGoal, HandProgress, HandTask};
use super::hinge::Hinge;
use super::insert::Search;
use super::moment::{From, Moment};
use super::phase::Phase;
use super::plan::{Grip, Planned, Question};
use super::scene::HeldThing;
use super::sway::Sway;
use super::target::Target;
use super::trim::Trim;
use super::watch::{WatchQuestion, Watched};

/// A joint that is so near to its place has arrived [rad or m].
const NEAR: f64 = 0.004;
/// A joint that is farther than this from its place when the arm has come to rest has not followed [rad or m].
const FAR: f64 = 0.08;
/// An arm has come to rest at the latest so long after its way [s].
const REST: f64 = 1.2;
/// The way ahead is looked at so often [s].
const WATCHED: f64 = 0.1;
/// So often another way is looked for where something has come into the first one.
const DETOURS: u32 = 3;
/// An arm and its hand.
#[derive(Debug, State)]
pub(super) struct Arm {
    /// Its place among the robot's arms.
    #[state(fixed)]
    pub place: usize,
    pub goal: HandGoal,
    phase: Phase,
    planned: Planned,
    leg: usize,
    /// Time since the phase, or the leg, began [s].
    time: f64,
    /// When on its way it began to stop [s].
    stopped_at: f64,
    detours: u32,
    search: Search,
    pub trim: Trim,
    /// None where the base stands fast.
    #[state(elements)]
    sway: Option<Sway>,
    hinge: Hinge,
    second: Second,
    /// Another hand holds the same thing.
    pub shares: bool,
    /// Where the arm's joints are told to be, and how fast.
    pub told: Vec<f64>,
    pub speeds: Vec<f64>,
    pub fingers: Fingers,
    pub held: Option<HeldThing>,
    pub progress: HandProgress,
    pub along: ForceAlong,
    plan: DeadlineTask<Planned>,
    watch: DeadlineTask<Watched>,
    next_watch: f64,
    #[state(scratch)]
    states: JointStates,
}

impl Arm {
    /// For an arm of so many joints, on a base that gives way or stands fast.
    pub fn new(place: usize, dof: usize, fingers: Fingers, gives_way: bool) -> Arm {
        Arm {
            place,
            goal: HandGoal::default(),
            phase: Phase::Rests,
            planned: Planned::default(),
            leg: 0,
            time: 0.0,
            stopped_at: 0.0,
            detours: 0,
            search: Search::default(),
            trim: Trim::new(dof),
            sway: gives_way.then(|| Sway::new(dof)),
            hinge: Hinge::new(dof),
            second: Second::default(),
            shares: false,
            told: vec![0.0; dof],
            speeds: vec![0.0; dof],
            fingers,
            held: None,
            progress: HandProgress::Begun,
            along: ForceAlong::default(),
            plan: DeadlineTask::new("", 1),
            watch: DeadlineTask::new("", 1),
            next_watch: 0.0,
            states: JointStates::new(dof),
        }
    }

    /// Keeps the ends at which slow work is done.
    pub fn set_tasks(&mut self, plan: DeadlineTask<Planned>, watch: DeadlineTask<Watched>) {
        (self.plan, self.watch) = (plan, watch);
    }

    /// Begins afresh: nobody has asked for anything.
    pub fn reset(&mut self) {
        self.plan.forget();
        self.watch.forget();
        (self.goal, self.phase, self.progress) = (HandGoal::default(), Phase::Rests, HandProgress::Begun);
        (self.planned, self.held) = (Planned::default(), None);
        self.fingers.reset();
        self.trim.reset();
    }

    /// Somebody else has its joints: what it was about cannot be done.
    pub fn lack(&mut self) {
        self.plan.forget();
        self.speeds.fill(0.0);
        if self.is_under_way() {
            self.fail(HandFailure::NoJoints);
        }
    }

    /// True if it has been asked for anything yet: only then it wants its joints.
    pub fn has_begun(&self) -> bool {
        self.goal.id > 0
    }

    /// Somebody wants something of it, or nobody does.
    pub fn hear(&mut self, goal: Option<&HandGoal>) {
        let id = goal.map_or(0, |goal| goal.id);
        if goal.is_none() && self.is_under_way() {
            self.break_off(false);
        }
        if id == 0 || id == self.goal.id {
            return;
        }
        self.goal = *goal.unwrap_or(&self.goal);
        (self.progress, self.detours, self.search) = (HandProgress::Begun, 0, Search::default());
        match self.phase {
            Phase::Moves => self.break_off(true),
            Phase::Stops { .. } => self.phase = Phase::Stops { asks_again: true },
            _ => self.begin(),
        }
    }

    /// True while what is seen now may change what it does: until it comes straight to what it grasps.
    pub fn looks(&self) -> bool {
        let is_before = match self.phase {
            Phase::Asks | Phase::Thinks => true,
            Phase::Moves => self.leg + 1 < self.planned.legs.len(),
            _ => false,
        };
        is_before && matches!(self.goal.task, HandTask::Grasp(_))
    }

    pub fn is_under_way(&self) -> bool {
        !matches!(self.phase, Phase::Rests | Phase::Stops { asks_again: false })
    }

    fn begin(&mut self) {
        self.plan.forget();
        let is_number = self.goal.speed > 0.0 && self.goal.speed <= 1.0;
        match self.goal.task {
            _ if !is_number => self.fail(HandFailure::BadGoal),
            HandTask::Nothing => self.end(HandProgress::Done),
            HandTask::Release => {
                self.held = None;
                self.fingers.go_to(0.0);
                self.enter(Phase::Opens);
            }
            HandTask::Fingers(share) if self.held.is_none() => {
                self.fingers.go_to(share);
                self.enter(Phase::Opens);
            }
            HandTask::Grasp(_) | HandTask::Fingers(_) if self.held.is_some() => {
                self.fail(HandFailure::Holds(self.held.map(|held| held.model)));
            }
            _ => self.enter(Phase::Asks),
        }
    }

    fn break_off(&mut self, asks_again: bool) {
        if self.phase == Phase::Moves {
            self.stopped_at = self.time;
            self.enter(Phase::Stops { asks_again });
        } else {
            self.plan.forget();
            self.enter(Phase::Rests);
        }
    }

    fn enter(&mut self, phase: Phase) {
        (self.phase, self.time) = (phase, 0.0);
    }

    fn end(&mut self, progress: HandProgress) {
        self.progress = progress;
        self.along = ForceAlong::default();
        self.enter(Phase::Rests);
    }

    fn fail(&mut self, failure: HandFailure) {
        self.end(HandProgress::Failed(failure));
    }

    /// Hands over slow work, and takes what has been found.
    pub fn exchange(&mut self, board: &mut dyn TaskBoard, moment: &Moment, held: &[Option<HeldThing>]) {
        if let Some(planned) = self.plan.collect(board)
            && self.phase == Phase::Thinks
        {
            self.take(planned);
        }
        if let Some(Watched { in_the_way: Some(failure) }) = self.watch.collect(board)
            && self.phase == Phase::Moves
        {
            self.meet(failure);
        }
        if self.phase == Phase::Asks && !self.plan.is_under_way() {
            let question =
                Question { search: self.search, ..moment.question(self.place, &self.goal, held, From::Told) };
            self.sway.iter_mut().for_each(|sway| sway.ask(question.stood()));
            self.plan.release(board, move || question.answer());
            self.enter(Phase::Thinks);
        }
        if self.phase == Phase::Moves && self.time >= self.next_watch && !self.watch.is_under_way() {
            self.next_watch = self.time + WATCHED;
            let mut question = moment.question(self.place, &self.goal, held, From::Measured);
            let joints = &moment.body.arms[self.place].joints;
            if let Some(sway) = &self.sway {
                sway.take_back(&mut question.base_in_odom, joints, &mut question.joints);
            }
            let watch = WatchQuestion { question, leg: self.planned.legs[self.leg].clone(), time: self.time };
            self.watch.release(board, move || watch.answer());
        }
    }

    fn take(&mut self, planned: Planned) {
        match planned.failure {
            Some(failure) => self.fail(failure),
            None => {
                self.search.from = planned.search_from;
                self.sway.iter_mut().for_each(Sway::begin);
                self.hinge.begin();
                (self.planned, self.leg) = (planned, 0);
                self.set_out();
            }
        }
    }

    /// Begins with the next leg, if there is one.
    fn set_out(&mut self) {
        self.watch.forget();
        (self.next_watch, self.along) = (0.0, ForceAlong::default());
        if let Some(Grip { preshape, .. }) = self.planned.grasp {
            self.fingers.go_to(preshape);
        }
        self.enter(if self.leg < self.planned.legs.len() { Phase::Moves } else { Phase::Settles });
    }

    /// Something has come into the way.
    fn meet(&mut self, failure: HandFailure) {
        self.detours += 1;
        let asks_again = self.detours <= DETOURS;
        self.break_off(asks_again);
        if !asks_again {
            self.progress = HandProgress::Failed(failure);
        }
    }

    /// The next leg; before the last one what it comes for may be somewhere else.
    fn go_on(&mut self, moment: &Moment) {
        let is_last = self.leg + 1 == self.planned.legs.len();
        let grip = self.planned.grasp.filter(|_| is_last);
        let has_time = self.detours < DETOURS;
        let stood = self.sway.as_ref().and_then(Sway::base_in_odom);
        let base = stood.unwrap_or(moment.base_in_odom);
        match grip.map(|grip| (grip.thing.model, Target::of(&grip, moment, &base))) {
            None | Some((_, Target::There)) => self.set_out(),
            Some((_, Target::Elsewhere)) if has_time => {
                self.detours += 1;
                self.begin();
            }
            Some((model, _)) => self.fail(HandFailure::NoObject(model)),
        }
    }

    /// One cycle: where the joints shall be.
    pub fn update(&mut self, moment: &Moment, events: &mut Events) {
        self.time += moment.cycle_time;
        self.speeds.fill(0.0);
        match self.phase {
            Phase::Rests | Phase::Asks | Phase::Thinks => {}
            Phase::Moves => self.follow(moment),
            Phase::Stops { asks_again } => self.slow_down(moment, asks_again),
            Phase::Settles => self.settle(moment),
            Phase::Closes => self.close(),
            Phase::Opens if self.fingers.are_there() => self.end(HandProgress::Done),
            Phase::Opens => {}
        }
        if self.is_led_around() {
            self.trim.learn_along(moment.cycle_time, &self.told, &self.speeds, moment.arm(self.place));
            self.mind_its_joints(moment);
        } else if self.phase.is_led() && !self.shares {
            self.trim.learn(moment.cycle_time, &self.told, &self.speeds, moment.arm(self.place));
        }
        self.mind_what_is_held(moment.now, events);
    }

    fn close(&mut self) {
        let Some(Grip { thing, .. }) = self.planned.grasp else { return self.fail(HandFailure::BadGoal) };
        match self.fingers.have_something() {
            None => {}
            Some(true) => {
                self.held = Some(thing);
                self.end(HandProgress::Done);
            }
            Some(false) => {
                self.fingers.go_to(0.0);
                self.fail(HandFailure::Empty);
            }
        }
    }

    /// What is held may slip out.
    fn mind_what_is_held(&mut self, now: Time, events: &mut Events) {
        let Some(held) = self.held.filter(|_| self.fingers.have_lost()) else { return };
        self.held = None;
        let failure = HandFailure::Lost(held.model);
        events.push(Event { what: failure.to_string().into(), ..Event::note(now, Severity::Warning, SOURCE, "") });
        match self.phase {
            Phase::Rests => self.progress = HandProgress::Failed(failure),
            Phase::Moves => {
                self.break_off(false);
                self.progress = HandProgress::Failed(failure);
            }
            _ => self.fail(failure),
        }
    }
}
