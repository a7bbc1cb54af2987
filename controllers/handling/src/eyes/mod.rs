//! Looking at things: pictures become objects that are remembered.

mod job;
mod trail;

use core::fmt;
use std::sync::Arc;

use mission::{BASE, BaseStatus};
use nalgebra::Isometry3;
use perception::{CameraView, Detection, ObjectClass, Recogniser, Track, TrackEvent, WorldModel};
use robot_io::deadline::{DeadlineTask, TaskBoard};
use robot_io::{DepthImage, Event, Events, Period, Sealed, Severity, ShortName, State, Telemetry, Time};
use robot_model::{Configuration, Data, forward_kinematics};
use runtime::{Component, Cycle, Declaration, Reads, ReadsBefore, Stream, Writes};

use self::job::{Answer, Found, Question, Remembered};
use self::trail::Trail;
use crate::error::HandlingError;
use crate::hands::{HANDS, HandFailure, HandProgress, HandStates};
use crate::known::{KNOWN, Known, KnownObject, LOOK, LookWish};
use crate::setup::{Body, EyesPlan};
use crate::voxels::Voxels;

/// Who says so, in events.
const SOURCE: &str = "eyes";
/// The slow work's name.
const TASK: &str = "recognition";
/// A wish to look that is older than this is none [s].
const FRESH: f64 = 0.2;

/// Takes pictures with a depth camera while somebody wants to look, recognises objects in them as slow work, and remembers what was seen: objects
/// with identities, and everything else as surroundings. It reads where the base is, so its memory lies in the odometry frame.
#[derive(Debug, State)]
pub struct Eyes {
    #[state(fixed)]
    body: Arc<Body>,
    #[state(fixed)]
    plan: EyesPlan,
    #[state(fixed)]
    recogniser: Arc<Recogniser>,
    #[state(fixed)]
    view: Camera,
    #[state(fixed)]
    ends: Option<EyesEnds>,
    trail: Trail,
    world: WorldModel,
    known: Known,
    /// What hands hold, by its identity.
    held: Vec<u64>,
    /// A picture that waits to be looked at, from where it was taken.
    waiting: Option<Waiting>,
    /// When the last picture was asked for.
    asked: Option<Time>,
    answer: Option<Answer>,
    task: DeadlineTask<Answer>,
    #[state(output)]
    events: Events,
    #[state(scratch)]
    scratch: Scratch,
}

/// Where the camera sits and what it sees.
#[derive(Clone, Copy, Debug)]
struct Camera {
    link: usize,
    in_link: Isometry3<f64>,
    intrinsics: robot_io::Intrinsics,
}

#[derive(Clone, Copy, Debug)]
struct EyesEnds {
    base: Reads<Stream<BaseStatus>>,
    wish: ReadsBefore<LookWish>,
    hands: ReadsBefore<HandStates>,
    known: Writes<Stream<Known>>,
}

/// A picture and where the robot was when it was taken.
#[derive(Clone, Debug, State)]
struct Waiting {
    picture: Sealed<DepthImage>,
    first_row: Isometry3<f64>,
    last_row: Isometry3<f64>,
    base_in_odom: Isometry3<f64>,
    joints: Vec<f64>,
}

#[derive(Debug)]
struct Scratch {
    configuration: Configuration,
    data: Data,
}

impl Eyes {
    /// Eyes of a robot.
    pub fn new(body: Arc<Body>, plan: EyesPlan) -> Result<Eyes, HandlingError> {
        let mount = body.robot.description.depth_cameras.iter().find(|camera| camera.mount.name == plan.camera);
        let known = || body.robot.description.depth_cameras.iter().map(|camera| camera.mount.name.clone());
        let mount = mount.ok_or_else(|| HandlingError::name("camera", known(), &plan.camera))?;
        let camera = Camera { link: mount.mount.link, in_link: mount.mount.pose_in_link, intrinsics: mount.intrinsics };
        let models = plan.models.clone();
        let classes = models.iter();
        let classes = classes
            .map(|model| ObjectClass { name: model.name().to_owned(), symmetry: model.symmetry().clone() })
            .collect();
        let recogniser = Recogniser::new(models, None, plan.recognition.clone())?;
        let world = WorldModel::new(classes, plan.tracking)?;
        let configuration = Configuration::zero(&body.robot.tree);
        let scratch = Scratch { configuration, data: Data::new(&body.robot.tree) };
        Ok(Eyes {
            body,
            plan,
            recogniser: Arc::new(recogniser),
            view: camera,
            ends: None,
            trail: Trail::default(),
            world,
            known: Known::default(),
            held: Vec::new(),
            waiting: None,
            asked: None,
            answer: None,
            task: DeadlineTask::new(TASK, 1),
            events: Events::new(),
            scratch,
        })
    }

    /// Where the camera is, and the base and joints with it.
    fn follow(&mut self, cycle: &Cycle<'_>, base_in_odom: &Isometry3<f64>) {
        let Scratch { configuration, data } = &mut self.scratch;
        configuration.base_in_world = *base_in_odom;
        let joints = configuration.joints.iter_mut().zip(&cycle.readings.joints);
        joints.for_each(|(position, joint)| *position = joint.position);
        forward_kinematics(&self.body.robot.tree, configuration, data);
        self.trail.push(cycle.now(), data.link_in_world[self.view.link] * self.view.in_link);
    }

    /// Asks for a picture while somebody wants to look and the last one is seen through.
    fn ask(&mut self, cycle: &mut Cycle<'_>, ends: &EyesEnds) {
        let now = cycle.now();
        let wish = cycle.before(ends.wish).filter(|wish| now.since(wish.stamp).seconds() < FRESH);
        let is_wanted = wish.is_some_and(|wish| wish.stamp > Time::ZERO);
        let is_due = self.asked.is_none_or(|asked| now.since(asked) >= self.plan.interval);
        if is_wanted && is_due && self.waiting.is_none() && !self.task.is_under_way() {
            self.asked = Some(now);
            cycle.take_depth_image(self.plan.index);
        }
    }

    /// Takes in a picture that has come.
    fn take_in(&mut self, cycle: &Cycle<'_>, base_in_odom: &Isometry3<f64>) {
        let Some(picture) = cycle.readings.depth_images.get(self.plan.index).and_then(Option::as_ref) else { return };
        let rows = picture.height.saturating_sub(1) as u64;
        let ends = picture.stamp + Period::from_nanoseconds(picture.row_period.nanoseconds() * rows);
        let (Some(first_row), Some(last_row)) = (self.trail.at(picture.stamp), self.trail.at(ends)) else { return };
        let joints = cycle.readings.joints.iter().map(|joint| joint.position).collect();
        let picture = picture.clone();
        self.waiting = Some(Waiting { picture, first_row, last_row, base_in_odom: *base_in_odom, joints });
    }

    /// Remembers what a picture has shown.
    fn remember(&mut self, answer: Answer, now: Time) {
        let seen = answer.found.iter().map(|found: &Found| Detection {
            class: found.model,
            pose: found.pose,
            covariance: found.covariance,
            has_orientation: found.has_orientation,
        });
        let seen: Vec<Detection> = seen.collect();
        let look = |track: &Track| match answer.should_be_seen.contains(&track.id) {
            true => perception::Look::Seen,
            false => perception::Look::Hidden,
        };
        let before: Vec<(u64, usize)> = self.world.tracks().iter().map(|track| (track.id, track.class)).collect();
        let news = self.world.update(answer.stamp, &seen, &answer.reference.0, look).to_vec();
        let name = |class: usize| self.plan.models.get(class).map_or("", |model| model.name());
        for event in news {
            let (id, what) = match event {
                TrackEvent::Confirmed(id) => (id, "is seen"),
                TrackEvent::Lost(id) => (id, "is not where it was"),
            };
            let class = self.world.track(id).map(|track| track.class);
            let class = class.or_else(|| before.iter().find(|(known, _)| *known == id).map(|(_, class)| *class));
            let what = format!("{} {id} {what}", class.map_or("", name));
            self.events.push(Event { what: what.into(), ..Event::note(now, Severity::Info, SOURCE, "") });
        }
        self.known.pictures += 1;
        self.known.stamp = answer.stamp;
        self.known.surroundings = answer.surroundings;
    }

    /// The objects as others hear of them.
    fn objects(&self) -> Vec<KnownObject> {
        let name = |class: usize| self.plan.models.get(class).map_or("", |model| model.name());
        let known = |track: &Track| KnownObject {
            id: track.id,
            model: ShortName::new(name(track.class)).unwrap_or_default(),
            pose_in_odom: track.pose,
            covariance: track.covariance,
            has_orientation: track.has_orientation,
            is_confirmed: track.is_confirmed,
            missed: track.missed,
            seen: track.seen,
        };
        self.world.tracks().iter().map(known).collect()
    }

    /// What hands hold goes where they go; what they have lost is nobody knows where. True if there is something to say.
    fn mind_hands(&mut self, states: &HandStates) -> bool {
        let mut is_news = false;
        for state in &states.hands {
            if let Some(held) = state.holds {
                self.world.carry(held.id, held.pose_in_odom);
                is_news |= !self.held.contains(&held.id);
            }
        }
        let holds = |id: u64| states.hands.iter().any(|state| state.holds.is_some_and(|held| held.id == id));
        let has_lost =
            states.hands.iter().any(|state| matches!(state.progress, HandProgress::Failed(HandFailure::Lost(_))));
        for id in core::mem::take(&mut self.held).into_iter().filter(|id| !holds(*id)) {
            is_news = true;
            if has_lost {
                self.world.forget(id);
            }
        }
        self.held.extend(states.hands.iter().filter_map(|state| state.holds.map(|held| held.id)));
        is_news
    }

    fn question(&self, waiting: Waiting) -> Question {
        let Waiting { picture, first_row, last_row, base_in_odom, joints } = waiting;
        let tree = &self.body.robot.tree;
        let mut data = Data::new(tree);
        let configuration = Configuration { base_in_world: base_in_odom, joints };
        forward_kinematics(tree, &configuration, &mut data);
        let radius = |track: &Track| self.plan.models.get(track.class).map_or(0.0, |model| model.radius());
        let known = self.world.tracks().iter().map(|track| Remembered {
            id: track.id,
            model: track.class,
            pose: track.pose,
            radius: radius(track),
            is_confirmed: track.is_confirmed,
        });
        Question {
            recogniser: Arc::clone(&self.recogniser),
            body: Arc::clone(&self.body),
            picture,
            most_range: self.plan.most_range,
            view: CameraView { intrinsics: self.view.intrinsics, first_row, last_row },
            base_in_odom,
            links_in_odom: data.link_in_world,
            known: known.collect(),
            surroundings: self.known.surroundings.clone(),
        }
    }
}

impl Component for Eyes {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        let (base, known) = (wants.reads(BASE), wants.writes(KNOWN));
        let (wish, hands) = (wants.reads_before_if_there(LOOK), wants.reads_before_if_there(HANDS));
        self.ends = Some(EyesEnds { base, wish, hands, known });
        self.task = wants.task(TASK, self.plan.latency);
    }

    fn start(&mut self, _cycle: &mut Cycle<'_>) {
        self.trail.clear();
        self.task.forget();
        (self.waiting, self.asked, self.answer) = (None, None, None);
        self.held.clear();
        self.known.surroundings = Sealed::new(Voxels::default());
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let Some(ends) = self.ends else { return };
        let Some(base_in_odom) = cycle.latest(ends.base).map(|base| base.odometry.base_in_odom) else { return };
        self.follow(cycle, &base_in_odom);
        self.take_in(cycle, &base_in_odom);
        let mut is_news = cycle.before(ends.hands).is_some_and(|states| self.mind_hands(states));
        if let Some(answer) = self.answer.take() {
            self.remember(answer, cycle.now());
            is_news = true;
        }
        if is_news {
            self.known.objects = self.objects();
            cycle.write(ends.known, self.known.clone());
        }
        self.ask(cycle, &ends);
    }

    fn exchange_tasks(&mut self, _cycle: u64, board: &mut dyn TaskBoard) {
        if let Some(answer) = self.task.collect(board) {
            self.answer = Some(answer);
        }
        if !self.task.is_under_way()
            && let Some(waiting) = self.waiting.take()
        {
            let question = self.question(waiting);
            self.task.release(board, move || question.answer());
        }
    }

    fn show(&self, telemetry: &mut Telemetry) {
        telemetry.scalar("pictures", self.known.pictures as f64);
        telemetry
            .scalar("known_objects", self.known.objects.iter().filter(|object| object.is_confirmed).count() as f64);
    }

    fn say(&self, words: &mut dyn fmt::Write) -> fmt::Result {
        let confirmed = self.known.objects.iter().filter(|object| object.is_confirmed).count();
        write!(words, "{confirmed} objects known, {} pictures", self.known.pictures)
    }

    fn drain_events(&mut self, events: &mut Events) {
        events.append(&mut self.events);
    }
}

impl Default for Waiting {
    fn default() -> Self {
        let here = Isometry3::identity;
        let (picture, joints) = (Sealed::default(), Vec::new());
        Waiting { picture, first_row: here(), last_row: here(), base_in_odom: here(), joints }
    }
}
