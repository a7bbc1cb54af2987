//! The centaur's hands without physics: joints are where they were told to be a cycle ago, and things are where a test says.
#![allow(dead_code, reason = "each test file takes what it needs")]

use std::path::Path;
use std::sync::{Arc, Mutex};

use handling::{
    Body, HAND_GOALS, HANDS, HandGoal, HandGoals, HandProgress, HandState, HandStates, HandTask, Hands, KNOWN, Known,
    KnownObject, Voxels,
};
use mission::{BASE, BaseStatus, CARRIED, Carried};
use nalgebra::{DMatrix, Isometry3, Point3, Vector3};
use perception::ObjectModel;
use robot_io::deadline::InlineBoard;
use robot_io::{Commands, Controller, Lifecycle, Odometry, Period, Readings, Sealed, ShortName, State};
use robot_model::{
    BASE_DOF, Configuration, Data, GRAVITY_IN_WORLD, RobotModel, forward_kinematics, link_jacobian_in_base, rnea,
};
use runtime::{Component, Cycle, Declaration, ReadsBefore, Runtime, Stream, Writes};

const OBJECTS: &str = include_str!("../../../../scenarios/objects/spacebot.toml");

/// What a test says, and hears.
#[derive(Debug, Default)]
pub struct Said {
    pub known: Known,
    pub goals: Vec<HandGoal>,
    pub states: HandStates,
    pub carried: Carried,
}

/// Says what a test wants it to say.
#[derive(Debug, State)]
struct World {
    #[state(skip = "the test's")]
    said: Arc<Mutex<Said>>,
    #[state(fixed)]
    base_in_odom: Isometry3<f64>,
    #[state(fixed)]
    ends: Option<Ends>,
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    base: Writes<Stream<BaseStatus>>,
    known: Writes<Stream<Known>>,
    goals: Writes<Stream<HandGoals>>,
    states: ReadsBefore<HandStates>,
    carried: ReadsBefore<Carried>,
}

impl Component for World {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        let (base, known, goals) = (wants.writes(BASE), wants.writes(KNOWN), wants.writes(HAND_GOALS));
        let (states, carried) = (wants.reads_before(HANDS), wants.reads_before(CARRIED));
        self.ends = Some(Ends { base, known, goals, states, carried });
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let (ends, stamp) = (self.ends.unwrap(), cycle.now());
        let odometry = Odometry { stamp, base_in_odom: self.base_in_odom, ..Odometry::default() };
        cycle.write(ends.base, BaseStatus { stamp, odometry, ..BaseStatus::default() });
        let mut said = self.said.lock().unwrap();
        cycle.write(ends.known, said.known.clone());
        cycle.write(ends.goals, HandGoals { stamp, goals: said.goals.clone() });
        if let Some(states) = cycle.before(ends.states) {
            said.states = states.clone();
        }
        if let Some(carried) = cycle.before(ends.carried) {
            said.carried = carried.clone();
        }
    }
}

/// The centaur's hands in the hands of a test.
pub struct Bench {
    pub runtime: Runtime,
    pub readings: Readings,
    pub commands: Commands,
    pub said: Arc<Mutex<Said>>,
    pub events: Vec<String>,
    pub robot: RobotModel,
    board: InlineBoard,
    base_in_odom: Isometry3<f64>,
    goals: u64,
    /// Something is between the fingers of these hands: they go no further than to this share of their way.
    pub blocked: Option<(&'static [&'static str], f64)>,
    /// Something with a hole holds against the left hand.
    pub rim: Option<Rim>,
}

/// A level surface with a round hole, for the middle of the left hand's grasp.
#[derive(Clone, Copy, Debug)]
pub struct Rim {
    pub z: f64,
    pub hole: [f64; 2],
    pub radius: f64,
}

pub fn centaur() -> RobotModel {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
    RobotModel::load(&file).unwrap()
}

pub fn name(name: &str) -> ShortName {
    ShortName::new(name).unwrap()
}

impl Bench {
    /// It stands with its base 0.8 m above the origin of the odometry frame.
    pub fn new() -> Bench {
        Bench::knowing(OBJECTS)
    }

    /// The same with a file of objects.
    pub fn knowing(objects: &str) -> Bench {
        let robot = centaur();
        let layout = robot.layout();
        let models = ObjectModel::parse(objects, "objects.toml").unwrap();
        let body = Arc::new(Body::new(&robot, &models, |_| None).unwrap());
        let said = Arc::new(Mutex::new(Said::default()));
        let base_in_odom = Isometry3::translation(0.0, 0.0, 0.8);
        let world = World { said: Arc::clone(&said), base_in_odom, ends: None };
        let hands = Hands::new(body, &layout, 3).unwrap();
        let parts = Runtime::builder().with("world", world).with("hands", hands);
        let runtime = parts.build_for(&robot, &layout).unwrap();
        let (mut readings, commands) = (Readings::new(&layout), Commands::new(&layout));
        readings.status.lifecycle = Lifecycle::Active;
        let stand = &robot.description.poses[0].positions;
        readings.joints.iter_mut().zip(stand).for_each(|(joint, position)| joint.position = *position);
        let board = InlineBoard::default();
        Bench {
            runtime,
            readings,
            commands,
            said,
            events: Vec::new(),
            robot,
            board,
            base_in_odom,
            goals: 0,
            blocked: None,
            rim: None,
        }
    }

    pub fn cycle(&mut self) {
        self.board.begin(self.readings.cycle);
        self.runtime.exchange_tasks(self.readings.cycle, &mut self.board);
        self.runtime.update(&self.readings, &mut self.commands);
        let mut events = Vec::new();
        self.runtime.drain_events(&mut events);
        self.events.extend(events.into_iter().map(|event| event.what.into_owned()));
        self.readings.cycle += 1;
        self.readings.time = self.readings.time + Period::from_milliseconds(4);
        for (joint, told) in self.readings.joints.iter_mut().zip(&self.commands.joints) {
            joint.stamp = self.readings.time;
            if told.stiffness > 0.0 {
                joint.velocity = (told.position - joint.position) / 0.004;
                joint.position = told.position;
            }
        }
        self.block();
        self.hold();
    }

    /// Below the rim but not in the hole the hand is held with 20 N: what the arm's joints give against that, gravity, and the friction of gears.
    fn hold(&mut self) {
        let Some(Rim { z, hole: [x, y], radius }) = self.rim else { return };
        let tree = &self.robot.tree;
        let hand = tree.link("left_hand_grasp_link").unwrap();
        let configuration = Configuration {
            base_in_world: self.base_in_odom,
            joints: self.readings.joints.iter().map(|joint| joint.position).collect(),
        };
        let (mut data, mut jacobian) = (Data::new(tree), DMatrix::zeros(6, tree.dof()));
        let zeros = vec![0.0; BASE_DOF + tree.dof()];
        rnea(tree, &configuration, &zeros, &zeros, &GRAVITY_IN_WORLD, &mut data);
        let at = data.link_in_world[hand].translation.vector;
        let is_held = at.z < z && (at.x - x).hypot(at.y - y) > radius;
        link_jacobian_in_base(tree, &data, hand, &Vector3::zeros(), &mut jacobian);
        for (joint, reading) in self.readings.joints.iter_mut().enumerate() {
            let Some(class) = self.robot.description.actuator_of(joint) else { continue };
            let against = if reading.velocity == 0.0 { 0.0 } else { reading.velocity.signum() };
            let held = if is_held { 20.0 * jacobian[(2, joint)] } else { 0.0 };
            let load = data.efforts[BASE_DOF + joint] + against * class.coulomb_friction - held;
            let share = if load * against > 0.0 { class.efficiency } else { 2.0 - class.efficiency };
            reading.effort = load / share;
        }
    }

    /// What is between the fingers stops them, and their drives press.
    fn block(&mut self) {
        let Some((hands, share)) = self.blocked else { return };
        let description = &self.robot.description;
        for hand in hands.iter().map(|name| description.hand(name).unwrap()) {
            for (place, joint) in description.limbs[hand.limb].joints.iter().enumerate() {
                let (open, closed) = (hand.open[place], hand.closed[place]);
                let most = open + share * (closed - open);
                let (state, told) = (&mut self.readings.joints[*joint], &self.commands.joints[*joint]);
                let is_beyond = (state.position - most) * (closed - open) > 0.0;
                if is_beyond {
                    (state.position, state.velocity) = (most, 0.0);
                    state.effort = told.stiffness * (told.position - most);
                }
            }
        }
    }

    pub fn run(&mut self, seconds: f64) {
        (0..(seconds / 0.004).round() as u64).for_each(|_| self.cycle());
    }

    /// From now on this is wanted of a hand.
    pub fn want(&mut self, hand: &str, task: HandTask) {
        self.want_at(hand, task, 0.5);
    }

    /// The same at another share of the joints' top speeds.
    pub fn want_at(&mut self, hand: &str, task: HandTask, speed: f64) {
        self.want_of(HandGoal { id: 0, hand: name(hand), task, speed, with: None });
    }

    /// From now on this is wanted of two hands that hold one thing.
    pub fn want_of_both(&mut self, hand: &str, with: &str, task: HandTask) {
        self.want_of(HandGoal { id: 0, hand: name(hand), task, speed: 0.2, with: Some(name(with)) });
    }

    fn want_of(&mut self, goal: HandGoal) {
        self.goals += 1;
        let goal = HandGoal { id: self.goals, ..goal };
        let mut said = self.said.lock().unwrap();
        said.goals.retain(|known| known.hand != goal.hand);
        said.goals.push(goal);
    }

    /// Nothing is wanted any more.
    pub fn leave(&mut self) {
        self.said.lock().unwrap().goals.clear();
    }

    /// How a hand stands.
    pub fn state(&self, hand: &str) -> HandState {
        let said = self.said.lock().unwrap();
        said.states.hands.iter().find(|state| state.hand == name(hand)).copied().unwrap_or_default()
    }

    /// How a hand has ended what is wanted of it, if it has.
    pub fn over(&self, hand: &str) -> Option<HandProgress> {
        let (state, wanted) = (self.state(hand), self.said.lock().unwrap().goals.clone());
        let is_heard = wanted.iter().any(|goal| goal.hand == name(hand) && goal.id == state.goal);
        let is_over = !matches!(state.progress, HandProgress::Begun | HandProgress::Left(_));
        (is_heard && is_over).then_some(state.progress)
    }

    /// Runs until a hand is done or has failed, for a minute at most.
    pub fn until_over(&mut self, hand: &str) -> HandProgress {
        for _ in 0..15_000 {
            self.cycle();
            if let Some(over) = self.over(hand) {
                return over;
            }
        }
        panic!("{hand} is not over after a minute: {:?}", self.state(hand));
    }

    /// Puts an object where it is known.
    pub fn put(&mut self, model: &str, id: u64, pose_in_odom: Isometry3<f64>) {
        let (model, stamp) = (name(model), self.readings.time);
        let object = KnownObject {
            id,
            model,
            pose_in_odom,
            has_orientation: true,
            is_confirmed: true,
            seen: stamp,
            ..KnownObject::default()
        };
        let mut said = self.said.lock().unwrap();
        said.known.objects.retain(|known| known.id != id);
        said.known.objects.push(object);
    }

    /// A wall of points across x, between these places in y and z.
    pub fn wall(&mut self, x: f64, y: [f64; 2], z: [f64; 2]) {
        let steps =
            |[from, to]: [f64; 2]| (0..=((to - from) / 0.01) as usize).map(move |step| from + 0.01 * step as f64);
        let points = steps(y).flat_map(move |y| steps(z).map(move |z| Point3::new(x, y, z)));
        self.said.lock().unwrap().known.surroundings = Sealed::new(Voxels::of(points));
    }

    /// A level surface of points, between these places in x and y.
    pub fn shelf(&mut self, z: f64, x: [f64; 2], y: [f64; 2]) {
        let steps =
            |[from, to]: [f64; 2]| (0..=((to - from) / 0.01) as usize).map(move |step| from + 0.01 * step as f64);
        let points = steps(x).flat_map(move |x| steps(y).map(move |y| Point3::new(x, y, z)));
        self.said.lock().unwrap().known.surroundings = Sealed::new(Voxels::of(points));
    }

    /// A link in the odometry frame.
    pub fn link(&self, name: &str) -> Isometry3<f64> {
        let tree = &self.robot.tree;
        let joints = self.readings.joints.iter().map(|joint| joint.position).collect();
        let mut data = Data::new(tree);
        forward_kinematics(tree, &Configuration { base_in_world: self.base_in_odom, joints }, &mut data);
        data.link_in_world[tree.link(name).unwrap()]
    }
}
