//! Where the skills of a chart are at work, several at once.

use core::fmt;

use robot_io::{Commands, Event, Events, RobotLayout, Severity, State, StateVisitor, Subject, Time};
use robot_model::RobotModel;
use runtime::chart::{self, Catalogue, Doing, Value};
use runtime::{Cycle, Declaration, Lease};

use super::SOURCE;
use super::base::{BaseEnds, Claim};
use crate::progress::Remaining;
use crate::skill::{AllEnds, Loan, OUTCOME_FAILED, Progress, Reach, Skill, SkillRefusal, SkillSetup, Skills, Worker};

/// So much nearer is worth being called progress [m, rad] …
const STEP: f64 = 0.01;
/// … and so much less time [s].
const MOMENT: f64 = 0.1;

/// What charts may name, and what it is made from.
pub(super) struct Tools {
    pub robot: RobotModel,
    pub layout: RobotLayout,
    pub skills: Skills,
    pub catalogue: Catalogue,
}

impl Tools {
    /// Makes a skill from what a chart tells it.
    pub fn make(&self, skill: usize, told: &[Option<Value>]) -> Result<Box<dyn Skill>, SkillRefusal> {
        let unknown = || SkillRefusal(format!("expected a skill of the catalogue, found number {skill}"));
        let interface = self.catalogue.skills.get(skill).ok_or_else(unknown)?;
        let build = self.skills.find(&interface.name).ok_or_else(unknown)?;
        let inputs = interface.inputs.iter().zip(told);
        let goal =
            inputs.filter_map(|(input, value)| Some((input.name.clone(), as_written(value.as_ref()?)))).collect();
        build(&SkillSetup { robot: &self.robot, layout: &self.layout, goal: &goal })
    }
}

/// A value as a person would write it: a whole number without a point, so that it may be a count.
fn as_written(value: &Value) -> toml::Value {
    match value {
        Value::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => (*number as i64).into(),
        value => value.to_file(),
    }
}

/// A skill at work, as it is remembered.
#[derive(Clone, Debug, Default, State)]
struct Job {
    id: u64,
    skill: usize,
    told: Vec<Option<Value>>,
    worker: Worker,
    reach: Reach,
    /// Somebody of higher priority has a joint that it has moved.
    is_held_up: bool,
    /// What it wants of the base.
    claim: Claim,
}

impl Job {
    /// Somebody else has a joint that it moves: it waits for that, and says so once.
    fn wait_for(&mut self, joint: usize, now: Time, events: &mut Events) {
        if !core::mem::replace(&mut self.is_held_up, true) {
            let what = "waits for a joint that somebody has whose priority is no lower";
            events.push(Event::note(now, Severity::Warning, SOURCE, what).about(Subject::Joint(joint)));
        }
    }
}

/// Who does a job: made from what the job says, and made anew when it says something else.
#[derive(Default)]
struct Doer {
    skill: usize,
    told: Vec<Option<Value>>,
    made: Option<Box<dyn Skill>>,
}

/// The skills of a chart at work.
pub(super) struct Workshop {
    tools: Tools,
    jobs: Vec<Job>,
    doers: Vec<Doer>,
    /// What holds in this cycle.
    pub facts: Vec<bool>,
    /// Why skills could not be made.
    refused: Vec<String>,
    /// Joints of skills that were broken off in this cycle: they come to rest.
    resting: Vec<usize>,
    base: BaseEnds,
    ends: AllEnds,
}

impl Workshop {
    pub fn new(tools: Tools) -> Workshop {
        let facts = vec![false; tools.catalogue.facts.len()];
        let resting = Vec::with_capacity(tools.layout.joints.len());
        let ends = tools.skills.make_ends();
        let (jobs, doers, refused, base) = Default::default();
        Workshop { tools, jobs, doers, facts, refused, resting, base, ends }
    }

    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    /// Nobody is at work.
    pub fn clear(&mut self) {
        self.jobs.clear();
        self.doers.clear();
    }

    /// The ends at which the base is reached.
    pub fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.base.declare(wants);
        self.ends.declare(wants);
    }

    /// True if the base knows its place.
    pub fn is_localized(&self, cycle: &Cycle<'_>) -> bool {
        self.base.status(cycle).is_some_and(|status| status.is_localized)
    }

    /// Nobody wants anything of others any more.
    pub fn let_go_of_others(&mut self, cycle: &mut Cycle<'_>) {
        self.base.want(cycle, None);
        self.ends.hear(cycle);
        self.ends.say(cycle);
    }

    /// One cycle of all skills at work. Each has the joints that it moves, as long as nobody of higher priority wants them; where somebody
    /// does it waits, and begins again.
    pub fn work(&mut self, cycle: &mut Cycle<'_>, leases: &[Lease], wanted: &mut Commands, events: &mut Events) {
        let now = cycle.now();
        let status = self.base.status(cycle).cloned();
        self.ends.hear(cycle);
        events.extend(self.refused.drain(..).map(|why| failure(now, why)));
        self.resting.drain(..).for_each(|joint| rest(cycle, joint));
        for place in 0..self.jobs.len() {
            let others: Vec<usize> = self.joints_of_others(place).collect();
            let is_base_anothers = self.others(place).any(|job| job.claim.is_made());
            let (job, doer) = (&mut self.jobs[place], &mut self.doers[place]);
            let Some(skill) = doer.made.as_deref_mut().filter(|_| !job.worker.is_over()) else { continue };
            if job.claim.look(status.as_ref(), now) {
                job.reach.joints().for_each(|joint| rest(cycle, joint));
                continue;
            }
            let lacks = job.reach.joints().fold(None, |lacks, joint| {
                let has = cycle.ask(leases[joint]);
                lacks.or((!has).then_some(joint))
            });
            if let Some(joint) = lacks {
                job.wait_for(joint, now, events);
                continue;
            }
            if core::mem::take(&mut job.is_held_up) {
                job.worker.begin();
            }
            (job.reach.others, job.reach.broken) = (others, job.claim.failure());
            job.reach.refuses_base = is_base_anothers.then_some("asked to move the base, which another skill moves");
            for (joint, wanted) in wanted.joints.iter_mut().enumerate() {
                *wanted = cycle.told(joint).copied().unwrap_or_default();
            }
            let loan = Loan {
                readings: cycle.readings,
                odometry: status.as_ref().map(|status| &status.odometry),
                pose_in_world: status.as_ref().map(|status| status.pose_in_world),
                base: job.claim.progress(),
                interface: self.tools.catalogue.skills.get(job.skill),
                source: SOURCE,
                subject: Subject::Robot,
                cycle_time: self.tools.layout.period.seconds(),
                commands: wanted,
                events,
                ends: Some(&mut self.ends),
            };
            job.worker.update(skill, &mut job.reach, loan);
            job.claim.make(&mut job.reach, &mut self.base, now);
            let mut lacks = None;
            for joint in job.reach.joints() {
                let is_held = cycle.ask(leases[joint]);
                match cycle.joint(joint).filter(|_| is_held) {
                    Some(command) => *command = wanted.joints[joint],
                    None => lacks = lacks.or(Some(joint)),
                }
            }
            if let Some(joint) = lacks {
                job.wait_for(joint, now, events);
            }
            if job.worker.is_over() {
                self.resting.extend(job.reach.joints());
            }
        }
        let at_work = self.jobs.iter().filter(|job| !job.worker.is_over());
        let wanted = at_work.filter_map(|job| job.claim.goal()).next().copied();
        self.base.want(cycle, wanted);
        self.ends.say(cycle);
    }

    fn others(&self, place: usize) -> impl Iterator<Item = &Job> {
        let others = self.jobs.iter().enumerate().filter(move |(other, job)| *other != place && !job.worker.is_over());
        others.map(|(_, job)| job)
    }

    fn joints_of_others(&self, place: usize) -> impl Iterator<Item = usize> {
        self.others(place).flat_map(|job| job.reach.joints())
    }

    /// There is a doer for each job, made from what the job says.
    fn fit(&mut self) {
        self.doers.resize_with(self.jobs.len(), Doer::default);
        for (job, doer) in self.jobs.iter().zip(&mut self.doers) {
            if doer.made.is_none() || doer.skill != job.skill || doer.told != job.told {
                let made = self.tools.make(job.skill, &job.told).ok();
                *doer = Doer { skill: job.skill, told: job.told.clone(), made };
            }
        }
    }
}

impl chart::Skills for Workshop {
    fn begin(&mut self, id: u64, skill: usize, inputs: &[Option<Value>]) {
        let mut job = Job { id, skill, told: inputs.to_vec(), ..Job::default() };
        job.worker.begin();
        let made = self.tools.make(skill, inputs).map_err(|refusal| self.refused.push(refusal.to_string())).ok();
        if made.is_none() {
            job.worker.fail();
        }
        self.doers.push(Doer { skill, told: inputs.to_vec(), made });
        self.jobs.push(job);
    }

    fn break_off(&mut self, id: u64) {
        let Some(place) = self.jobs.iter().position(|job| job.id == id) else { return };
        let job = self.jobs.remove(place);
        self.doers.remove(place);
        self.resting.extend(job.reach.joints());
    }

    fn doing(&mut self, id: u64) -> Doing {
        // whoever is not there has failed: only a broken snapshot says otherwise
        let Some(job) = self.jobs.iter().find(|job| job.id == id) else {
            return Doing::Done { outcome: OUTCOME_FAILED, outputs: Vec::new() };
        };
        match job.worker.progress() {
            Progress::Begun | Progress::Left(_) if job.claim.is_held_up() => Doing::HeldUp,
            Progress::Begun => Doing::Busy { left: None },
            Progress::Left(left) => Doing::Busy { left: Some(steps(&left)) },
            Progress::Done | Progress::Failed => {
                let (outcome, outputs) = job.worker.ending();
                Doing::Done { outcome, outputs: outputs.to_vec() }
            }
        }
    }

    fn holds(&self, fact: usize) -> bool {
        self.facts.get(fact).copied().unwrap_or_default()
    }
}

/// A joint comes to rest where it is told to be.
fn rest(cycle: &mut Cycle<'_>, joint: usize) {
    if let Some(command) = cycle.joint(joint) {
        command.velocity = 0.0;
    }
}

/// What is left, in steps that are worth being called progress.
fn steps(left: &Remaining) -> f64 {
    left.distance / STEP + left.turn / STEP + left.time / MOMENT
}

fn failure(now: Time, why: String) -> Event {
    Event { what: format!("{}{why}", crate::FAILED).into(), ..Event::note(now, Severity::Warning, SOURCE, "") }
}

impl State for Workshop {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("jobs", &mut self.jobs);
        self.fit();
        for doer in &mut self.doers {
            if let Some(skill) = doer.made.as_deref_mut() {
                visitor.field("skill", skill);
            }
        }
        visitor.field("resting", &mut self.resting);
        visitor.field("base", &mut self.base);
        visitor.field("ends", &mut self.ends);
    }
}

impl fmt::Debug for Workshop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.jobs).finish()
    }
}
