//! A whole controller as one component among others.

use core::fmt;

use robot_io::deadline::TaskBoard;
use robot_io::{Commands, Controller, Events, JointCommand, JointKind, Parts, RobotLayout, State, Telemetry};

use crate::component::{Component, Declaration};
use crate::cycle::Cycle;
use crate::lease::Lease;

/// The share of a joint's top speed with which it goes back to where the controller wants it. Chosen, as that of poses.
const SPEED_SHARE: f64 = 0.4;

/// A controller that holds the joints which nobody of higher priority wants: a mission goes on while somebody else has an arm, and takes the
/// arm back, from where it was left, when it is let go of.
#[derive(Debug, State)]
pub struct Whole<C> {
    controller: C,
    #[state(fixed)]
    level: u32,
    #[state(fixed)]
    leases: Vec<Lease>,
    #[state(fixed)]
    joints: Vec<Joint>,
    /// What the controller wants of all joints.
    wanted: Commands,
    #[state(elements)]
    given: Vec<Given>,
}

/// How a joint may be moved.
#[derive(Clone, Copy, Debug)]
struct Joint {
    turns_without_end: bool,
    /// On its way back, in a cycle [rad or m].
    step: f64,
}

/// How far the controller has a joint.
#[derive(Clone, Copy, Debug, Default, State)]
struct Given {
    is_own: bool,
    /// How far the joint still is from where it is wanted, since somebody else had it [rad or m].
    offset: f64,
}

impl<C: Controller> Whole<C> {
    /// A controller that asks for all joints with this priority.
    pub fn new(controller: C, level: u32) -> Whole<C> {
        let (leases, joints, given) = (Vec::new(), Vec::new(), Vec::new());
        Whole { controller, level, leases, joints, wanted: Commands::default(), given }
    }

    /// The controller itself.
    pub fn controller(&self) -> &C {
        &self.controller
    }

    /// Whether it has a joint, by its index in the layout, since its last cycle.
    pub fn has(&self, joint: usize) -> bool {
        self.given.get(joint).is_some_and(|given| given.is_own)
    }

    /// See [`controller`](Whole::controller).
    pub fn controller_mut(&mut self) -> &mut C {
        &mut self.controller
    }
}

impl<C: Controller + Send> Component for Whole<C> {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.leases = wants.lease_each(self.level);
        self.joints = joints(wants.layout());
        self.wanted = Commands::new(wants.layout());
        self.given = vec![Given::default(); self.joints.len()];
    }

    fn start(&mut self, cycle: &mut Cycle<'_>) {
        // whatever was before, the first command of each joint is taken as it is
        self.given.fill(Given { is_own: true, offset: 0.0 });
        self.wanted.joints.fill(JointCommand::default());
        self.controller.reset(cycle.readings);
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        self.controller.update(cycle.readings, &mut self.wanted);
        for lease in &self.leases {
            cycle.ask(*lease);
        }
        let each = self.joints.iter().zip(&mut self.given).zip(&self.wanted.joints);
        for (index, ((joint, given), wanted)) in each.enumerate() {
            match cycle.joint(index) {
                Some(command) => *command = given.back(joint, wanted, command),
                None => given.is_own = false,
            }
        }
        cycle.pass_on(&self.wanted);
    }

    fn exchange_tasks(&mut self, cycle: u64, board: &mut dyn TaskBoard) {
        self.controller.exchange_tasks(cycle, board);
    }

    fn show(&self, telemetry: &mut Telemetry) {
        self.controller.show(telemetry);
    }

    fn say(&self, words: &mut dyn fmt::Write) -> fmt::Result {
        self.controller.say(words)
    }

    fn drain_events(&mut self, events: &mut Events) {
        self.controller.drain_events(events);
    }

    fn parts(&mut self) -> Option<&mut dyn Parts> {
        self.controller.parts()
    }

    fn is_done(&self) -> Option<bool> {
        Some(self.controller.is_done())
    }
}

impl Given {
    /// The command of a joint that is the controller's now. One that somebody else had comes back from where that `told` it to be.
    fn back(&mut self, joint: &Joint, wanted: &JointCommand, told: &JointCommand) -> JointCommand {
        let is_held = told.stiffness > 0.0 && wanted.stiffness > 0.0 && !joint.turns_without_end;
        if !core::mem::replace(&mut self.is_own, true) {
            self.offset = if is_held { told.position - wanted.position } else { 0.0 };
        }
        self.offset -= self.offset.clamp(-joint.step, joint.step);
        JointCommand { position: wanted.position + self.offset, ..*wanted }
    }
}

fn joints(layout: &RobotLayout) -> Vec<Joint> {
    let joint = |joint: &robot_io::JointLayout| Joint {
        turns_without_end: joint.kind == JointKind::Continuous,
        step: SPEED_SHARE * joint.limits.velocity * layout.period.seconds(),
    };
    layout.joints.iter().map(joint).collect()
}
