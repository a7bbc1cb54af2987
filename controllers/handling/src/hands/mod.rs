//! Arms and fingers at work.

mod arm;
mod around;
mod couple;
mod course;
mod fingers;
mod force;
mod goal;
mod grasp;
mod hinge;
mod insert;
mod moment;
mod pair;
mod phase;
mod place;
mod plan;
mod scene;
mod sway;
mod target;
mod trim;
mod turn;
mod watch;

use core::fmt;
use std::sync::Arc;

use mission::{BASE, BaseStatus, CARRIED, Carried, CarriedThing};
use robot_io::deadline::TaskBoard;
use robot_io::{Events, JointCommand, Period, RobotLayout, State, Telemetry};
use runtime::{Component, Cycle, Declaration, Lease, Reads, ReadsBefore, Stream, Writes};

use self::arm::Arm;
use self::couple::couple;
use self::fingers::Fingers;
use self::moment::Moment;
use self::scene::HeldThing;
use crate::error::HandlingError;
use crate::known::{KNOWN, Known};
use crate::setup::Body;

pub use self::goal::{
    Frame, HAND_GOALS, HANDS, HandFailure, HandGoal, HandGoals, HandProgress, HandState, HandStates, HandTask,
    HeldObject, Insertion, Place, Shift, Taking, Turn,
};

/// Who says so, in events.
const SOURCE: &str = "hands";
/// The slow work of each arm: its plans, and the watch on its way.
const TASKS: [[&str; 2]; MOST_ARMS] = [
    ["hand_1_plan", "hand_1_watch"],
    ["hand_2_plan", "hand_2_watch"],
    ["hand_3_plan", "hand_3_watch"],
    ["hand_4_plan", "hand_4_watch"],
];
/// What each arm shows.
const SHOWN: [[&str; 2]; MOST_ARMS] = [
    ["hand_1_force_along [N]", "hand_1_holds"],
    ["hand_2_force_along [N]", "hand_2_holds"],
    ["hand_3_force_along [N]", "hand_3_holds"],
    ["hand_4_force_along [N]", "hand_4_holds"],
];
/// Most arms of a robot.
const MOST_ARMS: usize = 4;
/// How long a plan takes.
const PLANNED_IN: f64 = 0.2;
/// How long a look ahead takes.
const WATCHED_IN: f64 = 0.1;
/// What was wanted before this is wanted no more [s].
const FRESH: f64 = 0.2;

/// Moves arms and fingers where somebody wants them: around what is known, watched while they go, with forces that are minded. An arm that has
/// been asked for anything has its joints from then on, and holds them where they were led.
#[derive(Debug, State)]
pub struct Hands {
    #[state(fixed)]
    priority: u32,
    #[state(fixed)]
    gains: Vec<(f64, f64)>,
    #[state(fixed)]
    ends: Option<HandsEnds>,
    #[state(fixed)]
    leases: Vec<Lease>,
    moment: Moment,
    #[state(elements)]
    arms: Vec<Arm>,
    #[state(scratch)]
    wanted: Vec<JointCommand>,
    #[state(output)]
    events: Events,
}

#[derive(Clone, Copy, Debug)]
struct HandsEnds {
    base: Reads<Stream<BaseStatus>>,
    known: Reads<Stream<Known>>,
    goals: ReadsBefore<HandGoals>,
    states: Writes<Stream<HandStates>>,
    carried: Writes<Stream<Carried>>,
}

impl Hands {
    /// The hands of a robot, with this priority for its arms' joints.
    pub fn new(body: Arc<Body>, layout: &RobotLayout, priority: u32) -> Result<Hands, HandlingError> {
        if body.arms.len() > MOST_ARMS {
            let (robot, found) = (body.robot.name.clone(), format!("{}", body.arms.len()));
            return Err(HandlingError::Robot { robot, expected: "at most four arms with hands", found });
        }
        let arms = body.arms.iter().enumerate();
        // a robot on feet moves its base with each arm that it stretches out
        let gives_way = !body.robot.description.feet.is_empty();
        let arms = arms.map(|(place, setup)| Ok(Arm::new(place, setup.joints.len(), Fingers::new(setup)?, gives_way)));
        let arms = arms.collect::<Result<Vec<Arm>, HandlingError>>()?;
        let gains = body.robot.description.joints.iter().map(|joint| (joint.stiffness, joint.damping)).collect();
        let moment = Moment::new(body, layout.period.seconds());
        let wanted = vec![JointCommand::default(); layout.joints.len()];
        Ok(Hands { priority, gains, ends: None, leases: Vec::new(), moment, arms, wanted, events: Events::new() })
    }

    /// What is wanted, if that is fresh.
    fn hear(&mut self, goals: Option<&HandGoals>) {
        let fresh = goals.filter(|goals| self.moment.now.since(goals.stamp).seconds() < FRESH);
        let wanted = fresh.map_or(&[][..], |goals| &goals.goals);
        for (arm, setup) in self.arms.iter_mut().zip(&self.moment.body.arms) {
            arm.hear(wanted.iter().find(|goal| goal.hand == setup.name));
        }
    }

    /// Takes an arm's joints, and where they are told to be so far.
    fn take(&mut self, place: usize, cycle: &mut Cycle<'_>) -> bool {
        let (arm, setup) = (&mut self.arms[place], &self.moment.body.arms[place]);
        let mut has_all = true;
        for (number, joint) in setup.joints.iter().chain(&setup.fingers).enumerate() {
            let had = cycle.holds(self.leases[*joint]);
            has_all &= cycle.ask(self.leases[*joint]);
            if !had && number < setup.joints.len() {
                let told = cycle.told(*joint).filter(|told| told.stiffness > 0.0).map(|told| told.position);
                arm.told[number] = told.unwrap_or(self.moment.positions[*joint]);
            }
        }
        has_all
    }

    /// Commands an arm's joints.
    fn command(&mut self, place: usize, cycle: &mut Cycle<'_>) {
        let (arm, setup) = (&mut self.arms[place], &self.moment.body.arms[place]);
        for (number, joint) in setup.joints.iter().enumerate() {
            let (stiffness, damping) = self.gains[*joint];
            let limits = &self.moment.body.robot.tree.joints[*joint].limits;
            // what friction is made up for with never leads a joint beyond its end
            let position = (arm.told[number] + arm.trim.of(number)).min(limits.upper).max(limits.lower);
            let velocity = arm.speeds[number];
            self.moment.told[*joint] = arm.told[number];
            let effort = self.moment.gravity(*joint) + self.moment.against_friction(*joint, velocity);
            if let Some(command) = cycle.joint(*joint) {
                *command = JointCommand { position, velocity, effort, stiffness, damping };
            }
        }
        arm.fingers.update(&cycle.readings.joints, self.moment.cycle_time, &mut self.wanted);
        for joint in &setup.fingers {
            self.moment.told[*joint] = self.wanted[*joint].position;
            if let Some(command) = cycle.joint(*joint) {
                *command = self.wanted[*joint];
            }
        }
    }

    fn states(&self) -> HandStates {
        let state = |(arm, setup): (&Arm, &crate::setup::ArmSetup)| HandState {
            hand: setup.name,
            goal: arm.goal.id,
            progress: arm.progress,
            pose_in_odom: self.moment.hand(arm.place),
            holds: arm.held.map(|held| HeldObject {
                model: held.model,
                id: held.id,
                pose_in_odom: self.moment.hand(arm.place) * held.pose_in_hand,
            }),
            force: arm.along.force,
            looks: arm.looks(),
        };
        HandStates { stamp: self.moment.now, hands: self.arms.iter().zip(&self.moment.body.arms).map(state).collect() }
    }

    /// What goes along with the hands.
    fn carried(&self) -> Carried {
        let thing = |arm: &Arm| {
            let held = arm.held?;
            let place = (self.moment.hand(arm.place) * held.pose_in_hand).translation.vector;
            Some(CarriedThing { place, radius: self.moment.body.thing(&held.model)?.radius })
        };
        Carried { stamp: self.moment.now, things: self.arms.iter().filter_map(thing).collect() }
    }

    fn held(&self) -> Vec<Option<HeldThing>> {
        self.arms.iter().map(|arm| arm.held).collect()
    }
}

impl Component for Hands {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        let (base, known) = (wants.reads(BASE), wants.reads_if_there(KNOWN));
        let (goals, states) = (wants.reads_before_if_there(HAND_GOALS), wants.writes(HANDS));
        let carried = wants.writes(CARRIED);
        self.ends = Some(HandsEnds { base, known, goals, states, carried });
        self.leases = wants.lease_each(self.priority);
        let (planned, watched) = (Period::from_seconds(PLANNED_IN), Period::from_seconds(WATCHED_IN));
        for (arm, [plan, watch]) in self.arms.iter_mut().zip(TASKS) {
            arm.set_tasks(wants.task(plan, planned), wants.task(watch, watched));
        }
    }

    fn start(&mut self, _cycle: &mut Cycle<'_>) {
        self.arms.iter_mut().for_each(Arm::reset);
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let Some(ends) = self.ends else { return };
        let Some(base_in_odom) = cycle.latest(ends.base).map(|base| base.odometry.base_in_odom) else { return };
        let moves = self.arms.iter().any(Arm::has_begun);
        self.moment.read(cycle.readings, &base_in_odom, moves);
        if let Some(known) = cycle.fresh(ends.known) {
            self.moment.known = known.clone();
        }
        for joint in 0..self.moment.told.len() {
            let told = cycle.told(joint).filter(|told| told.stiffness > 0.0).map(|told| told.position);
            self.moment.told[joint] = told.unwrap_or(self.moment.positions[joint]);
        }
        self.hear(cycle.before(ends.goals));
        for place in 0..self.arms.len() {
            if !self.arms[place].has_begun() {
                continue;
            }
            if self.take(place, cycle) {
                self.arms[place].update(&self.moment, &mut self.events);
            } else {
                self.arms[place].lack();
            }
        }
        couple(&mut self.arms, &self.moment);
        for place in 0..self.arms.len() {
            if self.arms[place].has_begun() {
                self.command(place, cycle);
            }
        }
        cycle.write(ends.states, self.states());
        cycle.write(ends.carried, self.carried());
    }

    fn exchange_tasks(&mut self, _cycle: u64, board: &mut dyn TaskBoard) {
        let held = self.held();
        for arm in &mut self.arms {
            arm.exchange(board, &self.moment, &held);
        }
    }

    fn show(&self, telemetry: &mut Telemetry) {
        for (arm, _) in self.arms.iter().zip(&self.moment.body.arms).filter(|(arm, _)| arm.has_begun()) {
            let [force, holds] = SHOWN[arm.place];
            telemetry.scalar(force, arm.along.force);
            telemetry.scalar(holds, f64::from(u8::from(arm.held.is_some())));
        }
    }

    fn say(&self, words: &mut dyn fmt::Write) -> fmt::Result {
        let mut is_first = true;
        for (arm, setup) in self.arms.iter().zip(&self.moment.body.arms) {
            let Some(held) = arm.held else { continue };
            write!(words, "{}{} holds {}", if is_first { "" } else { ", " }, setup.name, held.model)?;
            is_first = false;
        }
        if is_first { words.write_str("nothing in the hands") } else { Ok(()) }
    }

    fn drain_events(&mut self, events: &mut Events) {
        events.append(&mut self.events);
    }
}
