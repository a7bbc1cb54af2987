//! Components in their order, as one controller.

use core::fmt::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use robot_io::deadline::TaskBoard;
use robot_io::{
    Commands, Controller, Event, Events, JointCommand, OperatorRequest, Parts, Rate, Readings, Severity, State,
    StateVisitor, Switch, Telemetry, Time, last_words,
};

use crate::channel::{Board, MOST_UNREAD, Overflow};
use crate::component::Component;
use crate::cycle::Cycle;
use crate::lease::{HandOver, Holder, Leases};
use crate::tape::{Call, Done, Found, Tape};
use crate::{Life, RuntimeError};

/// Components that are updated in their order.
pub struct Runtime {
    pub(crate) nodes: Vec<Node>,
    pub(crate) order: Vec<usize>,
    pub(crate) board: Board,
    pub(crate) leases: Leases,
    pub(crate) holder: Holder,
    /// The joints' names.
    pub(crate) joints: Vec<String>,
    /// The joints' commands of the last cycle.
    pub(crate) before: Vec<JointCommand>,
    pub(crate) started: bool,
    pub(crate) now: Time,
    pub(crate) events: Events,
    pub(crate) overflows: Vec<Overflow>,
    pub(crate) tape: Tape,
}

/// A component, and how it stands with it.
pub(crate) struct Node {
    pub name: String,
    pub component: Box<dyn Component>,
    pub rate: Rate,
    pub life: Life,
    /// It has been told to pause and has not come to a safe phase yet.
    pub pauses: bool,
    /// What it has been told and has not obeyed yet.
    pub told: Vec<Switch>,
    /// When it broke for the first time.
    pub broke: Option<Time>,
}

impl Runtime {
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

    /// What the operator tells a component, it obeys in this cycle.
    fn listen(&mut self, request: Option<OperatorRequest>) {
        let Some(OperatorRequest::Switch { component, switch }) = request else { return };
        let name = component.to_string();
        let is_own = self.nodes.iter().any(|node| node.name == name);
        let mut inner = self.nodes.iter_mut().filter_map(|node| node.component.parts());
        if !is_own && inner.any(|parts| parts.names().contains(&name.as_str())) {
            // a component hears for its own parts
            return;
        }
        let told = self.switch(&name, switch);
        let (severity, what) = match told {
            Ok(()) => (Severity::Info, format!("the operator tells component '{component}' to {switch}")),
            Err(refused) => (Severity::Warning, refused.to_string()),
        };
        self.events.push(Event { what: what.into(), ..Event::note(self.now, severity, SOURCE, "") });
    }

    /// Obeys what a component has been told.
    fn obey(&mut self, index: usize, readings: &Readings, commands: &mut Commands) {
        for switch in core::mem::take(&mut self.nodes[index].told) {
            let node = &mut self.nodes[index];
            let Some(next) = node.life.after(switch) else { continue };
            match switch {
                // it comes to a safe phase first
                Switch::Pause => node.pauses = true,
                Switch::Start => {
                    node.life = next;
                    self.board.listen(index, true);
                    self.call(index, readings, commands, Call::Start);
                }
                Switch::Resume => {
                    node.life = next;
                    self.call(index, readings, commands, Call::Resume);
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
        self.call(index, readings, commands, Call::Update);
        self.board.note_all_read(index);
        let node = &mut self.nodes[index];
        if node.pauses && node.life == Life::Running && self.call(index, readings, commands, Call::MayPause) {
            self.rest(index, Life::Paused);
        }
    }

    /// Lets a component collect and release deadline tasks. What it asked for before its start would have lost its sense by then.
    pub(crate) fn exchange_with(&mut self, index: usize, cycle: u64, board: &mut dyn TaskBoard) {
        let node = &mut self.nodes[index];
        if node.life != Life::Constructed {
            node.component.exchange_tasks(cycle, board);
        }
    }

    /// Asks something of a component; one that panics is stopped and reported, and its answer is no.
    pub(crate) fn call(&mut self, index: usize, readings: &Readings, commands: &mut Commands, call: Call) -> bool {
        let Runtime { nodes, board, leases, events, overflows, tape, before, .. } = self;
        let said = tape.note_inputs(index, call, Found { board, leases, commands, before });
        let mut cycle = Cycle { readings, component: index, board, leases, commands, events, overflows, said };
        let component = nodes[index].component.as_mut();
        let done = catch_unwind(AssertUnwindSafe(|| call.ask(component, &mut cycle)));
        if let Some(mut said) = cycle.said {
            said.add(done.as_ref().map_or(2, |answer| u64::from(*answer)));
            tape.note_outputs(Done {
                component: index,
                said,
                commands,
                leases,
                state: component,
                cycle: readings.cycle,
            });
        }
        let answer = done.unwrap_or_else(|panic| {
            self.stop_for(index, format!("panicked: {}", last_words(panic.as_ref())));
            false
        });
        while let Some(Overflow { channel, reader }) = self.overflows.pop() {
            if !matches!(self.nodes[reader].life, Life::Running | Life::Paused) {
                continue;
            }
            let channel = &self.board.channels()[channel].name;
            let why = format!("left {MOST_UNREAD} messages of channel '{channel}' unread");
            self.stop_for(reader, why);
        }
        answer
    }

    pub(crate) fn stop_for(&mut self, index: usize, why: String) {
        self.rest(index, Life::Stopped);
        self.nodes[index].broke.get_or_insert(self.now);
        let what = format!("component '{}' stopped: {why}; it can be started again", self.nodes[index].name);
        let note = Event::note(self.now, Severity::Error, SOURCE, "");
        self.events.push(Event { what: what.into(), ..note });
    }

    /// Tells which joints have changed hands.
    fn tell_hand_overs(&mut self) {
        let Runtime { leases, nodes, joints, events, now, .. } = self;
        let hand_overs: Vec<HandOver> = leases.hand_overs().collect();
        let owner = |lease: Option<usize>| lease.and_then(|lease| leases.component(lease));
        let mut told: Vec<Passing<'_>> = Vec::new();
        for over in &hand_overs {
            let (from, to, group) = (owner(over.from), owner(over.to), leases.group(over));
            if from == to {
                continue;
            }
            let name = group.or_else(|| joints.get(leases.first_joint(over)?).map(String::as_str)).unwrap_or_default();
            match told.last_mut().filter(|last| (last.from, last.to, last.group) == (from, to, group)) {
                // one component may hold several leases, and so hand over several at once
                Some(_) if group.is_some() => {}
                Some(last) => last.names.push(name),
                None => told.push(Passing { from, to, group, names: vec![name] }),
            }
        }
        for Passing { from, to, names, .. } in told {
            let name = |component: Option<usize>| component.map_or("nobody", |index| nodes[index].name.as_str());
            let pass = match names.as_slice() {
                [one] => format!("{one} passes"),
                [_, _] | [_, _, _] => format!("{} pass", names.join(", ")),
                many => format!("{} joints pass", many.len()),
            };
            let what = format!("{pass} from {} to {}", name(from), name(to)).into();
            events.push(Event { what, ..Event::note(*now, Severity::Info, SOURCE, "") });
        }
    }
}

/// What passes from one component to another at once: the joints of a group, or some one by one.
struct Passing<'n> {
    from: Option<usize>,
    to: Option<usize>,
    group: Option<&'n str>,
    names: Vec<&'n str>,
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
            (self.nodes[index].told, self.nodes[index].broke) = (vec![Switch::Start], None);
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
        self.tape.begin();
        self.listen(readings.operator.request);
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
        for place in 0..self.order.len() {
            self.exchange_with(self.order[place], cycle, board);
        }
    }

    fn drain_events(&mut self, events: &mut Events) {
        self.nodes.iter_mut().for_each(|node| node.component.drain_events(events));
        events.append(&mut self.events);
    }

    fn is_done(&self) -> bool {
        // whoever is stopped is waited for by nobody
        let there = self.nodes.iter().filter(|node| !matches!(node.life, Life::Stopped | Life::Ended));
        let mut ends = there.filter_map(|node| node.component.is_done()).peekable();
        ends.peek().is_some() && ends.all(|is_done| is_done)
    }

    fn say(&self, words: &mut dyn fmt::Write) -> fmt::Result {
        let (mut said, mut begins) = (String::new(), true);
        for node in &self.nodes {
            said.clear();
            match node.life {
                Life::Running | Life::Constructed => node.component.say(&mut said)?,
                life => write!(said, "{life}")?,
            }
            if !said.is_empty() {
                let between = if core::mem::take(&mut begins) { "" } else { "; " };
                write!(words, "{between}{}: {said}", node.name)?;
            }
        }
        Ok(())
    }

    fn parts(&mut self) -> Option<&mut dyn Parts> {
        Some(self)
    }

    fn show(&self, telemetry: &mut Telemetry) {
        let running = self.nodes.iter().filter(|node| node.life == Life::Running);
        running.for_each(|node| node.component.show(telemetry));
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
            visitor.field("broke", &mut node.broke);
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
