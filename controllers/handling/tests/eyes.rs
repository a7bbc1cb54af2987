//! What eyes make of pictures, of a robot that stands.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "../../perception/tests/support/mod.rs"]
mod scenery;

use std::path::Path;
use std::sync::{Arc, Mutex};

use handling::{Body, Eyes, EyesPlan, KNOWN, Known, LOOK, LookWish};
use mission::{BASE, BaseStatus};
use nalgebra::{Isometry3, Vector3};
use perception::CameraView;
use robot_io::deadline::InlineBoard;
use robot_io::{
    Commands, Controller, DepthImage, Image, Lifecycle, Odometry, Period, Readings, Sealed, ShortName, State, Time,
};
use robot_model::{Configuration, Data, RobotModel, forward_kinematics};
use runtime::{Component, Cycle, Declaration, ReadsBefore, Runtime, Stream, Writes};
use scenery::{Form, SOIL, World};

const CAMERAS: [&str; 2] = ["rgbd_depth", "rgbd_colour"];
/// Cycles from the wish for a picture to the picture.
const EXPOSURE: usize = 8;

/// Stands still, wants to look, and hears what is known.
#[derive(Debug, State)]
struct Stands {
    #[state(skip = "the test's")]
    known: Arc<Mutex<Known>>,
    /// Where it is in the odometry frame.
    #[state(skip = "the test's")]
    base_in_odom: Arc<Mutex<Isometry3<f64>>>,
    #[state(fixed)]
    ends: Option<Ends>,
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    base: Writes<Stream<BaseStatus>>,
    look: Writes<Stream<LookWish>>,
    known: ReadsBefore<Known>,
}

impl Component for Stands {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        let (base, look) = (wants.writes(BASE), wants.writes(LOOK));
        self.ends = Some(Ends { base, look, known: wants.reads_before(KNOWN) });
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let (ends, stamp) = (self.ends.unwrap(), cycle.now());
        let base_in_odom = *self.base_in_odom.lock().unwrap();
        let odometry = Odometry { stamp, base_in_odom, ..Odometry::default() };
        cycle.write(ends.base, BaseStatus { stamp, odometry, ..BaseStatus::default() });
        cycle.write(ends.look, LookWish { stamp });
        if let Some(known) = cycle.before(ends.known) {
            *self.known.lock().unwrap() = known.clone();
        }
    }
}

/// Eyes of the centaur before a scene.
struct Bench {
    runtime: Runtime,
    readings: Readings,
    commands: Commands,
    board: InlineBoard,
    known: Arc<Mutex<Known>>,
    events: Vec<String>,
    base_in_odom: Arc<Mutex<Isometry3<f64>>>,
    /// The cameras' in the odometry frame.
    views: [CameraView; 2],
    /// The colour camera delivers no pictures.
    is_colour_blind: bool,
    /// Pictures that were asked for, and cycles until they come.
    asked: [Option<usize>; 2],
    count: u64,
}

impl Bench {
    fn new() -> Bench {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
        let robot = RobotModel::load(&file).unwrap();
        let layout = robot.layout_with(&CAMERAS.map(str::to_owned));
        let models = scenery::models();
        let body = Arc::new(Body::new(&robot, &models, |_| None).unwrap());
        let plan = EyesPlan::new(&robot, &layout, CAMERAS[0], models).unwrap();
        let plan = plan.with_colours(&layout, CAMERAS[1], scenery::colours()).unwrap();
        let (known, base_in_odom) = (Arc::default(), Isometry3::translation(0.0, 0.0, 0.75));
        let place = Arc::new(Mutex::new(base_in_odom));
        let stands = Stands { known: Arc::clone(&known), base_in_odom: Arc::clone(&place), ends: None };
        let parts = Runtime::builder().with("body", stands).with("eyes", Eyes::new(body, plan).unwrap());
        let runtime = parts.build_for(&robot, &layout).unwrap();
        let (mut readings, commands) = (Readings::new(&layout), Commands::new(&layout));
        readings.status.lifecycle = Lifecycle::Active;
        let joints = robot.description.poses[0].positions.clone();
        readings.joints.iter_mut().zip(&joints).for_each(|(joint, position)| joint.position = *position);
        let mut data = Data::new(&robot.tree);
        forward_kinematics(&robot.tree, &Configuration { base_in_world: base_in_odom, joints }, &mut data);
        let (depth, colour) = (&robot.description.depth_cameras[0], &robot.description.cameras[0]);
        let view = |mount: &robot_model::description::SensorMount, intrinsics| {
            CameraView::still(intrinsics, data.link_in_world[mount.link] * mount.pose_in_link)
        };
        let views = [view(&depth.mount, depth.intrinsics), view(&colour.mount, colour.intrinsics)];
        Bench {
            runtime,
            readings,
            commands,
            board: InlineBoard::default(),
            known,
            events: Vec::new(),
            base_in_odom: place,
            views,
            is_colour_blind: false,
            asked: [None; 2],
            count: 0,
        }
    }

    fn cycle(&mut self, world: &World) {
        self.deliver(world);
        self.board.begin(self.readings.cycle);
        self.runtime.exchange_tasks(self.readings.cycle, &mut self.board);
        self.runtime.update(&self.readings, &mut self.commands);
        let mut events = Vec::new();
        self.runtime.drain_events(&mut events);
        self.events.extend(events.into_iter().map(|event| event.what.into_owned()));
        for (asked, wanted) in self.asked.iter_mut().zip([&self.commands.take_depth_image, &self.commands.take_image]) {
            if wanted[0] {
                *asked = Some(EXPOSURE);
            }
        }
        self.readings.cycle += 1;
        self.readings.time = self.readings.time + Period::from_milliseconds(4);
    }

    /// Pictures of what is there, some cycles after they were asked for.
    fn deliver(&mut self, world: &World) {
        (self.readings.depth_images[0], self.readings.images[0]) = (None, None);
        for camera in 0..2 {
            self.asked[camera] = self.asked[camera].map(|left| left - 1);
            if self.asked[camera] != Some(0) {
                continue;
            }
            self.asked[camera] = None;
            self.count += 1;
            let before = self.readings.time.nanoseconds() - 4_000_000 * (EXPOSURE as u64 - 2);
            let (stamp, view) = (Time::from_nanoseconds(before), &self.views[camera]);
            if camera == 0 {
                let picture = scenery::depth_picture(world, view, self.count);
                self.readings.depth_images[0] = Some(Sealed::new(DepthImage { stamp, ..picture }));
            } else if !self.is_colour_blind {
                let picture = scenery::colour_picture(world, view, self.count);
                self.readings.images[0] = Some(Sealed::new(Image { stamp, ..picture }));
            }
        }
    }

    /// Goes ahead by so much at once, between two pictures.
    fn advance(&mut self, world: &World, by: f64) {
        while self.asked != [None; 2] {
            self.cycle(world);
        }
        self.base_in_odom.lock().unwrap().translation.x += by;
        for view in &mut self.views {
            *view = CameraView::still(view.intrinsics, Isometry3::translation(by, 0.0, 0.0) * view.first_row);
        }
    }

    fn run(&mut self, world: &World, seconds: f64) -> Known {
        (0..(seconds / 0.004).round() as u64).for_each(|_| self.cycle(world));
        self.known.lock().unwrap().clone()
    }
}

/// A table, its middle so far ahead of the base, and on it a cup and a battery that stands.
fn scene(x: f64) -> World {
    let table = scenery::Body {
        form: Form::Box([0.6, 0.8, 0.74].into()),
        pose: scenery::standing(x, 0.0, 0.37, 0.0),
        rgb: SOIL,
    };
    let upright = scenery::standing(x - 0.2, -0.15, 0.82, 0.0);
    let upright = upright * Isometry3::rotation(Vector3::y() * core::f64::consts::FRAC_PI_2);
    World::of(&[table, scenery::cup(scenery::standing(x - 0.2, 0.15, 0.79, 0.0)), scenery::battery(upright)])
}

fn name(name: &str) -> ShortName {
    ShortName::new(name).unwrap()
}

#[test]
fn what_is_three_metres_away_is_glimpsed_and_recognised_as_the_same_nearer() {
    let mut bench = Bench::new();
    let here = Isometry3::identity();
    let far = bench.run(&scene(3.2), 2.0);
    for (object, place) in [("cup", [3.0, 0.15, 0.79]), ("battery", [3.0, -0.15, 0.82])] {
        assert!(far.nearest(&name(object), &here).is_none(), "{:?}", far.objects);
        let glimpse = far.nearest_glimpse(&name(object), &here).unwrap();
        let off = (glimpse.pose_in_odom.translation.vector - Vector3::from(place)).norm();
        assert!(off < 0.1 && glimpse.is_glimpse() && !glimpse.has_orientation, "{off} m: {glimpse:?}");
    }
    assert_eq!(bench.events.iter().filter(|event| event.contains("is seen by its colour")).count(), 2);
    let before: Vec<u64> = far.objects.iter().map(|object| object.id).collect();
    for _ in 0..6 {
        bench.advance(&scene(3.2), 0.3);
        bench.run(&scene(3.2), 0.52);
    }
    let near = bench.run(&scene(3.2), 3.0);
    for (object, place) in [("cup", [3.0, 0.15, 0.79]), ("battery", [3.0, -0.15, 0.82])] {
        let known = near.nearest(&name(object), &here).unwrap();
        let off = (known.pose_in_odom.translation.vector - Vector3::from(place)).norm();
        assert!(off < 0.01 && known.has_orientation && !known.is_glimpse(), "{off} m: {known:?}");
        assert!(before.contains(&known.id), "{} of {before:?}", known.id);
    }
}

#[test]
fn what_was_known_is_forgotten_when_odometry_begins_again() {
    let mut bench = Bench::new();
    let known = bench.run(&scene(1.3), 3.0);
    assert_eq!(known.objects.iter().filter(|object| object.is_confirmed).count(), 2, "{:?}", known.objects);
    bench.runtime.reset(&bench.readings);
    // nothing is there any more, and nobody says what was
    let known = bench.run(&World::default(), 0.1);
    assert_eq!((known.objects.len(), known.surroundings.middles().count()), (0, 0));
    let known = bench.run(&scene(1.35), 3.0);
    assert!(known.objects.len() == 2 && known.objects.iter().all(|object| object.id > 2), "{:?}", known.objects);
}

#[test]
fn without_its_colour_camera_it_looks_on_by_depth() {
    let mut bench = Bench::new();
    bench.is_colour_blind = true;
    let known = bench.run(&scene(1.3), 4.0);
    assert_eq!(known.objects.iter().filter(|object| object.is_confirmed).count(), 2, "{:?}", known.objects);
    assert!(known.objects.iter().all(|object| object.glimpses == 0));
}

#[test]
fn a_colour_camera_that_is_not_switched_on_is_refused_by_name() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
    let robot = RobotModel::load(&file).unwrap();
    let layout = robot.layout_with(&CAMERAS.map(str::to_owned));
    let plan = EyesPlan::new(&robot, &layout, CAMERAS[0], scenery::models()).unwrap();
    let refused = plan.with_colours(&layout, "head_front", scenery::colours()).unwrap_err().to_string();
    assert_eq!(refused, "colour_camera: expected one of rgbd_colour, found 'head_front'");
}
