//! "Take and return" of Paikan's thesis (2014, chapter 3): sixteen components that know nothing of each other share arm, gaze and hand by rules from a
//! file. A person shows an object, the robot takes it, looks for a face and gives it back.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use robot_io::{Event, Period, Severity, State};
use runtime::{Arbiters, Component, Cycle, Declaration, Reads, ReadsBefore, Runtime, Stream, Switch, Writes};
use support::Bench;

const RULES: &str = include_str!("../src/arbitration/take_and_return.toml");
/// An arm is where it reaches for after so many of its messages, ten a second.
const WAY: u32 = 20;

/// What makes a component send.
type Sees = fn(&Scene) -> bool;

/// What the robot sees and feels.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
struct Scene {
    object: bool,
    at_object: bool,
    grasped: bool,
    face: bool,
    at_face: bool,
}

/// The person, the object, and the robot's body.
#[derive(State)]
struct World {
    /// When the object is shown, and until when unless it is taken [s].
    #[state(fixed)]
    shown: [f64; 2],
    /// From when on a face is seen [s].
    #[state(fixed)]
    face: f64,
    scene: Scene,
    reached: u32,
    returned: bool,
    #[state(fixed)]
    out: Option<Writes<Stream<Scene>>>,
    #[state(fixed)]
    arm: Option<ReadsBefore<u64>>,
    #[state(fixed)]
    hand: Option<ReadsBefore<u64>>,
}

impl Component for World {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        wants.every(Period::from_milliseconds(100));
        self.out = Some(wants.writes("scene"));
        (self.arm, self.hand) = (Some(wants.reads_before("arm")), Some(wants.reads_before("hand")));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let now = cycle.now().seconds();
        let [arm, hand] = [self.arm, self.hand].map(|end| cycle.before(end.unwrap()).copied());
        let scene = &mut self.scene;
        scene.object = (self.shown[0]..self.shown[1]).contains(&now) && !scene.grasped && !self.returned;
        scene.face = now >= self.face && !self.returned;
        self.reached = if matches!(arm, Some(1 | 6)) { self.reached + 1 } else { 0 };
        let is_there = self.reached >= WAY;
        scene.at_object = scene.object && (scene.at_object || is_there && arm == Some(1));
        scene.at_face = scene.face && scene.grasped && (scene.at_face || is_there && arm == Some(6));
        if hand == Some(5) && scene.at_object {
            (scene.grasped, scene.object, scene.at_object) = (true, false, false);
        }
        if hand == Some(10) && scene.at_face {
            (scene.grasped, scene.at_face, self.returned) = (false, false, true);
        }
        cycle.write(self.out.unwrap(), *scene);
    }
}

/// A component of the thesis: it sends to its channel while it sees what it is for.
#[derive(State)]
struct Source {
    #[state(fixed)]
    number: u64,
    #[state(fixed)]
    channel: &'static str,
    #[state(fixed)]
    sees: Sees,
    #[state(fixed)]
    out: Option<Writes<Stream<u64>>>,
    #[state(fixed)]
    scene: Option<Reads<Stream<Scene>>>,
}

impl Component for Source {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        wants.every(Period::from_milliseconds(100));
        self.scene = Some(wants.reads("scene"));
        self.out = Some(wants.writes(self.channel));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        if cycle.latest(self.scene.unwrap()).is_some_and(|scene| (self.sees)(scene)) {
            cycle.write(self.out.unwrap(), self.number);
        }
    }
}

/// Notes whose messages come through, one after the other.
#[derive(State)]
struct Motor {
    #[state(fixed)]
    channel: &'static str,
    obeyed: Vec<u64>,
    #[state(fixed)]
    told: Option<Reads<Stream<u64>>>,
}

impl Component for Motor {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.told = Some(wants.reads(self.channel));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        if let Some(told) = cycle.fresh(self.told.unwrap()).copied()
            && self.obeyed.last() != Some(&told)
        {
            self.obeyed.push(told);
            let note = Event::note(cycle.now(), Severity::Info, "motor", "");
            cycle.tell(Event { what: format!("{} {told}", self.channel).into(), ..note });
        }
    }
}

/// All connections of the thesis' table 3.3: from which component, to which channel, and what makes it send.
const SOURCES: [(u64, &str, Sees); 16] = [
    (1, "arm", |scene| scene.object),    // reach the object …
    (2, "arm", |scene| scene.at_object), // … until it is reached
    (3, "gaze", |scene| scene.object),   // look at it
    (4, "gaze", |scene| scene.at_object),
    (5, "hand", |scene| scene.at_object || scene.grasped), // grasp it, and hold it
    (6, "arm", |scene| scene.face),                        // reach for the face …
    (7, "arm", |scene| scene.at_face),                     // … until it is reached
    (8, "gaze", |scene| scene.face),
    (9, "gaze", |scene| scene.at_face),
    (10, "hand", |scene| scene.at_face), // let go
    (11, "gaze", |_| true),              // look around
    (12, "gaze", |scene| scene.grasped), // tells that something is grasped
    (13, "arm", |scene| scene.grasped),
    (14, "arm", |_| true), // rest
    (15, "hand", |scene| scene.grasped),
    (16, "hand", |_| true),
];

fn bench(shown: [f64; 2], face: f64) -> Bench {
    let (scene, out, arm, hand) = (Scene::default(), None, None, None);
    let world = World { shown, face, scene, reached: 0, returned: false, out, arm, hand };
    let mut builder = Runtime::builder().with("world", world);
    for (number, channel, sees) in SOURCES {
        builder = builder.with(&format!("source_{number}"), Source { number, channel, sees, out: None, scene: None });
    }
    for channel in ["arm", "gaze", "hand"] {
        let motor = Motor { channel, obeyed: Vec::new(), told: None };
        builder = builder.with(&format!("{channel}_motor"), motor);
    }
    Bench::new(builder.arbitrate(Arbiters::parse(RULES, "take_and_return.toml").unwrap()))
}

/// Who was obeyed by each motor, in order.
fn obeyed(told: &[String]) -> [Vec<u64>; 3] {
    ["arm ", "gaze ", "hand "].map(|motor| {
        let of_motor = told.iter().filter_map(|said| said.strip_prefix(motor)?.parse().ok());
        of_motor.collect()
    })
}

#[test]
fn it_looks_reaches_grasps_looks_for_a_face_approaches_it_and_lets_go() {
    let told = bench([14.0, 60.0], 30.0).cycles(60_000);
    let [arm, gaze, hand] = obeyed(&told);
    assert_eq!(arm, [14, 1, 14, 6, 14], "rest, reach the object, rest, reach the face, rest");
    assert_eq!(gaze, [11, 3, 11, 8, 11], "look around, at the object, around, at the face, around");
    assert_eq!(hand, [16, 5, 10, 16], "open, grasp and hold, let go, open");
}

#[test]
fn an_object_that_is_taken_away_early_is_given_up() {
    let told = bench([14.0, 15.4], 100.0).cycles(30_000);
    let [arm, gaze, hand] = obeyed(&told);
    assert_eq!((arm, gaze, hand), (vec![14, 1, 14], vec![11, 3, 11], vec![16]));
}

#[test]
fn with_one_component_stopped_the_others_go_on_as_the_rules_say() {
    let mut bench = bench([14.0, 60.0], 30.0);
    bench.cycles(10_000);
    bench.runtime.switch("source_3", Switch::Stop).unwrap();
    let [arm, gaze, hand] = obeyed(&bench.cycles(50_000));
    assert_eq!(arm, [1, 14, 6, 14], "the arm does not need the eyes");
    assert_eq!(hand, [5, 10, 16]);
    assert_eq!(gaze, [8, 11], "nobody looks at the object");
}
