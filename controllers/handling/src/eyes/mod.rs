//! Looking at things: pictures become objects that are remembered.

mod cameras;
mod far;
mod job;
mod shots;
mod trail;

use core::fmt;
use std::sync::Arc;

use mission::{BASE, BaseStatus};
use nalgebra::Isometry3;
use perception::{Detection, ObjectClass, Recogniser, Track, TrackEvent, WorldModel};
use robot_io::deadline::{DeadlineTask, TaskBoard};
use robot_io::{Event, Events, Sealed, Severity, ShortName, State, Telemetry, Time};
use robot_model::{Configuration, Data, forward_kinematics};
use runtime::{Component, Cycle, Declaration, Reads, ReadsBefore, Stream, Writes};

use self::cameras::{Camera, ColourEye};
use self::job::{Answer, Found, Question, Remembered};
use self::shots::{ColourShot, Shot, Shots};
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

/// Takes pictures with a depth camera, and with a colour camera beside it if there is one, while somebody wants to look, recognises objects in them as slow
/// work, and remembers what was seen: objects with identities, and everything else as surroundings. It reads where the base is, so its memory lies in the odometry frame.
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
    colour: Option<ColourEye>,
    #[state(fixed)]
    ends: Option<EyesEnds>,
    trail: Trail,
    colour_trail: Trail,
    world: WorldModel,
    known: Known,
    /// Nothing is known any more, and nobody has heard of that yet.
    has_forgotten: bool,
    /// What hands hold, by its identity.
    held: Vec<u64>,
    /// Pictures that wait to be looked at, from where they were taken.
    waiting: Shots,
    /// Both pictures are there, or the second does not come.
    is_ready: bool,
    /// When the last pictures were asked for.
    asked: Option<Time>,
    answer: Option<Answer>,
    task: DeadlineTask<Answer>,
    #[state(output)]
    events: Events,
    #[state(scratch)]
    scratch: Scratch,
}

#[derive(Clone, Copy, Debug)]
struct EyesEnds {
    base: Reads<Stream<BaseStatus>>,
    wish: ReadsBefore<LookWish>,
    hands: ReadsBefore<HandStates>,
    known: Writes<Stream<Known>>,
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
        let colour = ColourEye::new(&body, &plan)?;
        let table = plan.colours.as_ref().map(|colours| colours.table.clone());
        let recogniser = Recogniser::new(models, table, plan.recognition.clone())?;
        let world = WorldModel::new(classes, plan.tracking)?;
        let configuration = Configuration::zero(&body.robot.tree);
        let scratch = Scratch { configuration, data: Data::new(&body.robot.tree) };
        Ok(Eyes {
            body,
            plan,
            recogniser: Arc::new(recogniser),
            view: camera,
            colour,
            ends: None,
            trail: Trail::default(),
            colour_trail: Trail::default(),
            world,
            known: Known::default(),
            has_forgotten: false,
            held: Vec::new(),
            waiting: Shots::default(),
            is_ready: false,
            asked: None,
            answer: None,
            task: DeadlineTask::new(TASK, 1),
            events: Events::new(),
            scratch,
        })
    }

    /// Where the cameras are.
    fn follow(&mut self, cycle: &Cycle<'_>, base_in_odom: &Isometry3<f64>) {
        let Scratch { configuration, data } = &mut self.scratch;
        configuration.base_in_world = *base_in_odom;
        let joints = configuration.joints.iter_mut().zip(&cycle.readings.joints);
        joints.for_each(|(position, joint)| *position = joint.position);
        forward_kinematics(&self.body.robot.tree, configuration, data);
        let place = |camera: &Camera| data.link_in_world[camera.link] * camera.in_link;
        self.trail.push(cycle.now(), place(&self.view));
        if let Some(colour) = &self.colour {
            self.colour_trail.push(cycle.now(), place(&colour.view));
        }
    }

    /// Asks for a picture while somebody wants to look and the last one is seen through.
    fn ask(&mut self, cycle: &mut Cycle<'_>, ends: &EyesEnds) {
        let now = cycle.now();
        let wish = cycle.before(ends.wish).filter(|wish| now.since(wish.stamp).seconds() < FRESH);
        let is_wanted = wish.is_some_and(|wish| wish.stamp > Time::ZERO);
        let is_due = self.asked.is_none_or(|asked| now.since(asked) >= self.plan.interval);
        if is_wanted && is_due && self.waiting.is_empty() && !self.task.is_under_way() {
            self.asked = Some(now);
            self.waiting.begin();
            cycle.take_depth_image(self.plan.index);
            if let Some(colour) = &self.colour {
                cycle.take_image(colour.index);
            }
        }
    }

    /// Takes in pictures that have come.
    fn take_in(&mut self, cycle: &Cycle<'_>, base_in_odom: &Isometry3<f64>) {
        let (readings, now) = (cycle.readings, cycle.now());
        if let Some(picture) = readings.depth_images.get(self.plan.index).and_then(Option::as_ref) {
            let joints = readings.joints.iter().map(|joint| joint.position).collect();
            self.waiting.take_depth(now, picture, &self.trail, base_in_odom, joints);
        }
        let index = self.colour.as_ref().map(|colour| colour.index);
        if let Some(picture) = index.and_then(|index| readings.images.get(index)).and_then(Option::as_ref) {
            self.waiting.take_colour(picture, &self.colour_trail);
        }
        self.is_ready = self.waiting.are_complete(self.colour.is_some(), now);
    }

    /// Remembers what a picture has shown.
    fn remember(&mut self, answer: Answer, now: Time) {
        let [seen, glimpses] =
            [&answer.found, &answer.glimpses].map(|found| found.iter().map(detection).collect::<Vec<_>>());
        let look = |known: &[u64], track: &Track| match known.contains(&track.id) {
            true => perception::Look::Seen,
            false => perception::Look::Hidden,
        };
        let before: Vec<(u64, usize)> = self.world.tracks().iter().map(|track| (track.id, track.class)).collect();
        let (stamp, should_be_seen) = (answer.stamp, &answer.should_be_seen);
        let mut news =
            self.world.update(stamp, &seen, &answer.reference.0, |track| look(should_be_seen, track)).to_vec();
        if self.colour.is_some() {
            let should_be = &answer.should_be_glimpsed;
            news.extend_from_slice(self.world.glimpse(stamp, &glimpses, |track| look(should_be, track)));
        }
        let name = |class: usize| self.plan.models.get(class).map_or("", |model| model.name());
        for event in news {
            let (id, what) = match event {
                TrackEvent::Confirmed(id) => (id, "is seen"),
                TrackEvent::Glimpsed(id) => (id, "is seen by its colour, and not recognised yet"),
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
            glimpses: track.glimpses,
            glimpsed: track.glimpsed,
        };
        self.world.tracks().iter().map(known).collect()
    }

    /// What hands hold goes where they go; what they have lost is somewhere about there. True if there is something to say.
    fn mind_hands(&mut self, states: &HandStates, now: Time) -> bool {
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
                self.world.lose(id, now);
            }
        }
        self.held.extend(states.hands.iter().filter_map(|state| state.holds.map(|held| held.id)));
        is_news
    }

    fn question(&self, shot: Shot, colour: Option<ColourShot>) -> Question {
        let Shot { picture, rows, base_in_odom, joints, .. } = shot;
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
            is_glimpse: track.is_glimpse(),
        });
        let most_range = self.plan.most_range;
        Question {
            recogniser: Arc::clone(&self.recogniser),
            body: Arc::clone(&self.body),
            picture,
            most_range,
            most_range_in_colour: self.colour.as_ref().map_or(most_range, |colour| colour.most_range),
            view: self.view.during(&rows),
            colour: self.colour.as_ref().zip(colour).map(|(eye, shot)| eye.looks_at(shot)),
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
        self.colour_trail.clear();
        self.task.forget();
        (self.waiting, self.is_ready, self.asked, self.answer) = (Shots::default(), false, None, None);
        self.held.clear();
        // after a restart of odometry everything would lie elsewhere
        self.world.clear();
        self.known.objects.clear();
        self.known.surroundings = Sealed::new(Voxels::default());
        self.has_forgotten = self.known.pictures > 0;
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let Some(ends) = self.ends else { return };
        let Some(base_in_odom) = cycle.latest(ends.base).map(|base| base.odometry.base_in_odom) else { return };
        self.follow(cycle, &base_in_odom);
        self.take_in(cycle, &base_in_odom);
        let (now, mut is_news) = (cycle.now(), core::mem::take(&mut self.has_forgotten));
        is_news |= cycle.before(ends.hands).is_some_and(|states| self.mind_hands(states, now));
        if let Some(answer) = self.answer.take() {
            self.remember(answer, now);
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
            && self.is_ready
            && let Some((shot, colour)) = self.waiting.take()
        {
            self.is_ready = false;
            let question = self.question(shot, colour);
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

fn detection(found: &Found) -> Detection {
    Detection {
        class: found.model,
        pose: found.pose,
        covariance: found.covariance,
        has_orientation: found.has_orientation,
    }
}
