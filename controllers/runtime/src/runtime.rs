//! Components in their order, as one controller.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use robot_io::deadline::TaskBoard;
use robot_io::{
    Commands, Controller, Event, Events, JointCommand, Rate, Readings, RobotLayout, Severity, State, StateVisitor,
    Telemetry, Time,
};
use robot_model::RobotModel;
use robot_model::description::JointGroup;

use crate::arbitration::Arbiters;
use crate::channel::{Board, MOST_UNREAD, Overflow};
use crate::component::{Component, Declaration, Wants};
use crate::cycle::Cycle;
use crate::lease::{Holder, Leases};
use crate::order::order;
use crate::{Life, RuntimeError, Switch};

/// A runtime being put together.
#[derive(Default)]
pub struct Builder {
    parts: Vec<(String, Box<dyn Component>)>,
    arbiters: Arbiters,
}

/// Components that are updated in their order.
pub struct Runtime {
    nodes: Vec<Node>,
    order: Vec<usize>,
    board: Board,
    leases: Leases,
    holder: Holder,
    /// The joints' commands of the last cycle.
    before: Vec<JointCommand>,
    started: bool,
    now: Time,
    events: Events,
    overflows: Vec<Overflow>,
}

/// A component, and how it stands with it.
struct Node {
    name: String,
    component: Box<dyn Component>,
    rate: Rate,
    life: Life,
    /// It has been told to pause and has not come to a safe phase yet.
    pauses: bool,
    /// What it has been told and has not obeyed yet.
    told: Vec<Switch>,
}

impl Builder {
    /// Adds a component. Where nothing else decides, components are updated in the order in which they were added.
    #[must_use]
    pub fn with(mut self, name: &str, component: impl Component + 'static) -> Builder {
        self.parts.push((name.to_owned(), Box::new(component)));
        self
    }

    /// Lets rules decide where several components write one channel.
    #[must_use]
    pub fn arbitrate(mut self, arbiters: Arbiters) -> Builder {
        self.arbiters = arbiters;
        self
    }

    /// The same for a robot as its file describes it: its groups of joints, and its gains for joints that nobody holds.
    pub fn build_for(self, robot: &RobotModel, layout: &RobotLayout) -> Result<Runtime, RuntimeError> {
        self.build(layout, &robot.description.groups, Holder::new(robot))
    }

    /// Lets all of them declare what they need, and finds their order.
    pub fn build(self, layout: &RobotLayout, groups: &[JointGroup], holder: Holder) -> Result<Runtime, RuntimeError> {
        let mut names = BTreeSet::new();
        if let Some((name, _)) = self.parts.iter().find(|(name, _)| !names.insert(name.clone())) {
            return Err(RuntimeError::Twice { what: "components", name: name.clone() });
        }
        let (mut board, mut claims, mut tasks) = (Board::default(), Vec::new(), BTreeSet::new());
        let (mut nodes, mut wants): (Vec<Node>, Vec<Wants>) = (Vec::new(), Vec::new());
        for (index, (name, mut component)) in self.parts.into_iter().enumerate() {
            let mut declaration = Declaration {
                name: &name,
                component: index,
                layout,
                groups,
                board: &mut board,
                claims: &mut claims,
                tasks: &mut tasks,
                wants: Wants::default(),
                error: None,
            };
            component.declare(&mut declaration);
            let (said, error) = (declaration.wants, declaration.error);
            if let Some(error) = error {
                return Err(error);
            }
            let rate = said.rate;
            wants.push(said);
            nodes.push(Node { name, component, rate, life: Life::default(), pauses: false, told: Vec::new() });
        }
        for claim in &mut claims {
            claim.priority.is_reflex = wants[claim.component].links.is_reflex;
        }
        let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
        board.arbitrate(&self.arbiters, &names)?;
        check_ends(&nodes, &wants, &board)?;
        let links: Vec<_> = wants.iter().map(|said| said.links.clone()).collect();
        let order = order(&links).map_err(|circle| describe_circle(&circle, &nodes, &wants, &board))?;
        let joints = layout.joints.len();
        Ok(Runtime {
            nodes,
            order,
            board,
            leases: Leases::new(claims, joints),
            holder,
            before: vec![JointCommand::default(); joints],
            started: false,
            now: Time::ZERO,
            events: Events::with_capacity(64),
            overflows: Vec::with_capacity(8),
        })
    }
}

/// Every stream has one writer, and what is needed has somebody who writes it.
fn check_ends(nodes: &[Node], wants: &[Wants], board: &Board) -> Result<(), RuntimeError> {
    let name = |index: &usize| nodes[*index].name.clone();
    for (said, node) in wants.iter().zip(nodes) {
        if let Some(own) = said.links.reads.intersection(&said.links.writes).next() {
            let channel = board.channels()[*own].name.clone();
            return Err(RuntimeError::Own { component: node.name.clone(), channel });
        }
        if let Some(lonely) = said.needs.iter().find(|channel| board.channels()[**channel].writers.is_empty()) {
            let channel = board.channels()[*lonely].name.clone();
            return Err(RuntimeError::NoWriter { channel, reader: node.name.clone() });
        }
    }
    let crowded =
        board.channels().iter().find(|channel| channel.writers.len() > 1 && !board.may_have_many_writers(channel));
    crowded.map_or(Ok(()), |channel| {
        let writers = channel.writers.iter().map(name).collect();
        Err(RuntimeError::Writers { channel: channel.name.clone(), writers })
    })
}

fn describe_circle(circle: &[usize], nodes: &[Node], wants: &[Wants], board: &Board) -> RuntimeError {
    let mut words = nodes[circle[0]].name.clone();
    for (index, writer) in circle.iter().enumerate() {
        let reader = circle[(index + 1) % circle.len()];
        let shared = wants[*writer].links.writes.intersection(&wants[reader].links.reads).next();
        let channel = shared.map_or("reflex", |channel| board.channels()[*channel].name.as_str());
        words += &format!(" –'{channel}'→ {}", nodes[reader].name);
    }
    RuntimeError::Circle { circle: words }
}

impl Runtime {
    /// Begins to put one together.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The components' names, in the order of their updates.
    pub fn order(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(|index| self.nodes[*index].name.as_str())
    }

    /// Where a component is in its life.
    pub fn life(&self, component: &str) -> Option<Life> {
        self.nodes.iter().find(|node| node.name == component).map(|node| node.life)
    }

    /// The name of the component that holds a joint, by its index in the layout.
    pub fn owner(&self, joint: usize) -> Option<&str> {
        self.leases.owner(joint).map(|component| self.nodes[component].name.as_str())
    }

    /// Tells a component what to do; it obeys as the next cycle begins.
    pub fn switch(&mut self, component: &str, switch: Switch) -> Result<(), RuntimeError> {
        let Some(node) = self.nodes.iter_mut().find(|node| node.name == component) else {
            let known = self.nodes.iter().map(|node| node.name.clone()).collect();
            return Err(RuntimeError::Unknown { known, found: component.to_owned() });
        };
        let life = node.told.iter().try_fold(node.life, |life, told| life.after(*told)).unwrap_or(node.life);
        if life.after(switch).is_none() {
            return Err(RuntimeError::Switch { component: component.to_owned(), life, switch });
        }
        node.told.push(switch);
        Ok(())
    }

    /// Obeys what a component has been told.
    fn obey(&mut self, index: usize, readings: &Readings, commands: &mut Commands) {
        for switch in core::mem::take(&mut self.nodes[index].told) {
            let node = &mut self.nodes[index];
            let Some(next) = node.life.after(switch) else { continue };
            match switch {
                // it comes to a safe phase first
                Switch::Pause => node.pauses = true,
                Switch::Start | Switch::Resume => {
                    node.life = next;
                    if switch == Switch::Start {
                        self.board.listen(index, true);
                    }
                    self.call(index, readings, commands, |component, cycle| match switch {
                        Switch::Start => component.start(cycle),
                        _ => component.resume(cycle),
                    });
                }
                Switch::Stop | Switch::Quit => self.rest(index, next),
            }
        }
    }

    /// A component lets go of its joints; what is sent to one that only pauses waits for it.
    fn rest(&mut self, index: usize, life: Life) {
        let node = &mut self.nodes[index];
        (node.life, node.pauses) = (life, false);
        self.leases.let_go_of_all(index);
        if life != Life::Paused {
            self.board.listen(index, false);
        }
    }

    /// Updates a component if it is due.
    fn update_one(&mut self, index: usize, readings: &Readings, commands: &mut Commands) {
        let node = &mut self.nodes[index];
        let is_due = node.rate.tick();
        if node.life != Life::Running || !(is_due || self.board.is_alarmed(index)) {
            return;
        }
        self.call(index, readings, commands, |component, cycle| component.update(cycle));
        self.board.note_all_read(index);
        let node = &mut self.nodes[index];
        if node.pauses && node.life == Life::Running {
            // asked under the same care as an update
            let mut may = false;
            self.call(index, readings, commands, |component, _| may = component.may_pause());
            if may {
                self.rest(index, Life::Paused);
            }
        }
    }

    /// Lets a component do something; one that panics is stopped and reported.
    fn call(
        &mut self,
        index: usize,
        readings: &Readings,
        commands: &mut Commands,
        what: impl FnOnce(&mut dyn Component, &mut Cycle<'_>),
    ) {
        let Runtime { nodes, board, leases, events, overflows, .. } = self;
        let mut cycle = Cycle { readings, component: index, board, leases, commands, events, overflows };
        let component = nodes[index].component.as_mut();
        let done = catch_unwind(AssertUnwindSafe(|| what(component, &mut cycle)));
        if let Err(panic) = done {
            let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
            let words = words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            self.stop_for(index, format!("panicked: {words}"));
        }
        while let Some(Overflow { channel, reader }) = self.overflows.pop() {
            if !matches!(self.nodes[reader].life, Life::Running | Life::Paused) {
                continue;
            }
            let channel = &self.board.channels()[channel].name;
            let why = format!("left {MOST_UNREAD} messages of channel '{channel}' unread");
            self.stop_for(reader, why);
        }
    }

    fn stop_for(&mut self, index: usize, why: String) {
        self.rest(index, Life::Stopped);
        let what = format!("component '{}' stopped: {why}; it can be started again", self.nodes[index].name);
        let note = Event::note(self.now, Severity::Error, SOURCE, "");
        self.events.push(Event { what: what.into(), ..note });
    }

    /// Tells which joints have changed hands.
    fn tell_hand_overs(&mut self) {
        let Runtime { leases, nodes, events, now, .. } = self;
        let hand_overs: Vec<_> = leases.hand_overs().collect();
        let owner = |lease: Option<usize>| lease.and_then(|lease| leases.component(lease));
        // one component may hold several leases, and so hand over several at once
        let mut told: Vec<_> =
            hand_overs.iter().map(|hand_over| (owner(hand_over.from), owner(hand_over.to))).collect();
        told.dedup();
        for (from, to) in told.into_iter().filter(|(from, to)| from != to) {
            let name = |component: Option<usize>| component.map_or("nobody", |index| nodes[index].name.as_str());
            let what: Cow<'static, str> = format!("joints pass from {} to {}", name(from), name(to)).into();
            events.push(Event { what, ..Event::note(*now, Severity::Info, SOURCE, "") });
        }
    }
}

/// Who tells of components.
const SOURCE: &str = "runtime";

impl Controller for Runtime {
    fn reset(&mut self, readings: &Readings) {
        (self.started, self.now) = (true, readings.time);
        self.holder.reset();
        self.before.fill(JointCommand::default());
        for index in 0..self.nodes.len() {
            self.rest(index, Life::Constructed);
            self.nodes[index].told = vec![Switch::Start];
        }
        self.events.clear();
    }

    fn update(&mut self, readings: &Readings, commands: &mut Commands) {
        commands.answer(readings);
        if !self.started {
            self.reset(readings);
        }
        self.now = readings.time;
        commands.joints.clone_from(&self.before);
        self.board.begin(readings.time);
        // all begin before the first is updated, so that nobody misses what is sent in that cycle
        for place in 0..self.order.len() {
            self.obey(self.order[place], readings, commands);
        }
        for place in 0..self.order.len() {
            self.update_one(self.order[place], readings, commands);
        }
        let leases = &self.leases;
        self.holder.hold(readings, &self.before, |joint| leases.owner(joint).is_some(), commands);
        self.before.clone_from(&commands.joints);
        self.tell_hand_overs();
    }

    fn exchange_tasks(&mut self, cycle: u64, board: &mut dyn TaskBoard) {
        for index in &self.order {
            self.nodes[*index].component.exchange_tasks(cycle, board);
        }
    }

    fn drain_events(&mut self, events: &mut Events) {
        self.nodes.iter_mut().for_each(|node| node.component.drain_events(events));
        events.append(&mut self.events);
    }

    fn is_done(&self) -> bool {
        self.nodes.iter().any(|node| node.component.is_done())
    }

    fn show(&self, telemetry: &mut Telemetry) {
        let running = self.nodes.iter().filter(|node| node.life == Life::Running);
        running.for_each(|node| node.component.show(telemetry));
    }
}

impl core::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let lives = self.order.iter().map(|index| (&self.nodes[*index].name, self.nodes[*index].life));
        f.debug_map().entries(lives).finish()
    }
}

impl State for Runtime {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        for node in &mut self.nodes {
            visitor.enter(&node.name);
            visitor.field("rate", &mut node.rate);
            visitor.field("life", &mut node.life);
            visitor.field("pauses", &mut node.pauses);
            visitor.field("told", &mut node.told);
            visitor.field("component", node.component.as_mut());
            visitor.leave();
        }
        visitor.field("channels", &mut self.board);
        visitor.field("leases", &mut self.leases);
        visitor.field("holder", &mut self.holder);
        visitor.field("before", self.before.as_mut_slice());
        visitor.field("started", &mut self.started);
    }
}
