//! A part of a controller that knows the others only by what they tell it.

use core::fmt;
use std::collections::BTreeSet;

use robot_io::deadline::{DeadlineTask, TaskBoard, TaskResult};
use robot_io::{Events as Told, Parts, Period, Rate, RobotLayout, State, Telemetry};
use robot_model::description::JointGroup;

use crate::RuntimeError;
use crate::channel::{Alarms, Board, Events, Kind, Message, Reads, ReadsBefore, Stream, Writes};
use crate::cycle::Cycle;
use crate::lease::{Claim, Lease, Priority};
use crate::order::Links;

/// A part of a controller. It is updated at its own rate, after those whose words it reads.
pub trait Component: State + Send {
    /// Says once what it reads and writes, which joints it may hold and how often it runs, and keeps the ends that it is given.
    fn declare(&mut self, wants: &mut Declaration<'_>);

    /// Begins afresh, from the robot as it is now.
    fn start(&mut self, _cycle: &mut Cycle<'_>) {}

    /// Does its work for one cycle.
    fn update(&mut self, cycle: &mut Cycle<'_>);

    /// Asked after each update while it shall pause: true if it may rest now. A robot on one leg puts the other down first.
    fn may_pause(&mut self) -> bool {
        true
    }

    /// Goes on after a pause; the joints that it had are to be asked for again.
    fn resume(&mut self, _cycle: &mut Cycle<'_>) {}

    /// Collects the deadline tasks that are due in `cycle` and releases new ones; called before each cycle's updates.
    fn exchange_tasks(&mut self, _cycle: u64, _board: &mut dyn TaskBoard) {}

    /// Shows what it believes and intends, for logs and viewers.
    fn show(&self, _telemetry: &mut Telemetry) {}

    /// How it stands, in a few words for people.
    fn say(&self, _words: &mut dyn fmt::Write) -> fmt::Result {
        Ok(())
    }

    /// Moves what it told people outside its updates to the end of `events`.
    fn drain_events(&mut self, _events: &mut Told) {}

    /// Its own parts, if it is made of some; what the operator tells them is theirs to hear.
    fn parts(&mut self) -> Option<&mut dyn Parts> {
        None
    }

    /// Whether it has done what it was there for; nothing if it has no end of its own. The controller is done once all components that have one
    /// are.
    fn is_done(&self) -> Option<bool> {
        None
    }
}

/// Where a component says what it needs.
#[derive(Debug)]
pub struct Declaration<'r> {
    pub(crate) name: &'r str,
    pub(crate) component: usize,
    pub(crate) layout: &'r RobotLayout,
    pub(crate) groups: &'r [JointGroup],
    pub(crate) board: &'r mut Board,
    pub(crate) claims: &'r mut Vec<Claim>,
    pub(crate) tasks: &'r mut BTreeSet<&'static str>,
    pub(crate) wants: Wants,
    pub(crate) error: Option<RuntimeError>,
}

/// What a component has said.
#[derive(Clone, Debug)]
pub(crate) struct Wants {
    pub links: Links,
    pub rate: Rate,
    /// Channels that somebody must write.
    pub needs: BTreeSet<usize>,
}

impl Default for Wants {
    fn default() -> Self {
        Wants { links: Links::default(), rate: Rate::EVERY_TICK, needs: BTreeSet::new() }
    }
}

impl Declaration<'_> {
    /// The robot's joints and sensors.
    pub fn layout(&self) -> &RobotLayout {
        self.layout
    }

    /// The name under which the component is known.
    pub fn name(&self) -> &str {
        self.name
    }

    /// It is updated once in `interval`; without, in each cycle.
    pub fn every(&mut self, interval: Period) {
        let cycle = self.layout.period;
        match Rate::every(interval, cycle) {
            Some(rate) => self.wants.rate = rate,
            None => self.refuse(RuntimeError::Interval { component: self.name.to_owned(), cycle, found: interval }),
        }
    }

    /// It is a reflex: it comes after all that are none, and takes joints from them.
    pub fn be_a_reflex(&mut self) {
        self.wants.links.is_reflex = true;
    }

    /// Reads the latest value of a stream, which somebody must write.
    pub fn reads<T: Message>(&mut self, channel: &str) -> Reads<Stream<T>> {
        let reads = self.reads_if_there(channel);
        self.wants.needs.insert(reads.channel);
        reads
    }

    /// Reads the latest value of a stream, if somebody writes it.
    pub fn reads_if_there<T: Message>(&mut self, channel: &str) -> Reads<Stream<T>> {
        let place = self.board.stream::<T>(channel);
        let channel = self.reader(place);
        Reads::new(channel, 0)
    }

    /// Reads what a stream had when the cycle began, which somebody must write. It may come before the writer: so circles are
    /// opened.
    pub fn reads_before<T: Message>(&mut self, channel: &str) -> ReadsBefore<T> {
        let reads = self.reads_before_if_there(channel);
        self.wants.needs.insert(reads.channel);
        reads
    }

    /// Reads what a stream had when the cycle began, if somebody writes it.
    pub fn reads_before_if_there<T: Message>(&mut self, channel: &str) -> ReadsBefore<T> {
        let place = self.board.stream::<T>(channel);
        let channel = self.taken(place);
        self.board.keep_before::<T>(channel, self.component);
        ReadsBefore::new(channel)
    }

    /// Reads events, whoever sends them.
    pub fn reads_events<T: Message>(&mut self, channel: &str) -> Reads<Events<T>> {
        let (channel, reader) = self.queue_reader::<T>(channel, Kind::Events);
        Reads::new(channel, reader)
    }

    /// Reads alarms, whoever raises them; it is updated in each cycle in which one waits.
    pub fn reads_alarms<T: Message>(&mut self, channel: &str) -> Reads<Alarms<T>> {
        let (channel, reader) = self.queue_reader::<T>(channel, Kind::Alarms);
        Reads::new(channel, reader)
    }

    /// Writes a stream.
    pub fn writes<T: Message>(&mut self, channel: &str) -> Writes<Stream<T>> {
        let place = self.board.stream::<T>(channel);
        let (channel, writer) = self.writer(place);
        Writes::new(channel, writer)
    }

    /// Sends events.
    pub fn writes_events<T: Message>(&mut self, channel: &str) -> Writes<Events<T>> {
        let place = self.board.queue::<T>(channel, Kind::Events);
        let (channel, writer) = self.writer(place);
        Writes::new(channel, writer)
    }

    /// Raises alarms.
    pub fn writes_alarms<T: Message>(&mut self, channel: &str) -> Writes<Alarms<T>> {
        let place = self.board.queue::<T>(channel, Kind::Alarms);
        let (channel, writer) = self.writer(place);
        Writes::new(channel, writer)
    }

    /// May ask for a group of joints of the robot, with a priority: the higher one wins.
    pub fn lease(&mut self, group: &str, level: u32) -> Lease {
        let Some(found) = self.groups.iter().find(|known| known.name == group) else {
            let known = self.groups.iter().map(|known| known.name.clone()).collect();
            self.refuse(RuntimeError::Group { component: self.name.to_owned(), known, found: group.to_owned() });
            return Lease(usize::MAX);
        };
        self.claim(found.joints.clone(), Some(found.name.clone()), level)
    }

    /// May ask for any joint of the robot by itself, with a priority; leases in the order of the joints.
    pub fn lease_each(&mut self, level: u32) -> Vec<Lease> {
        (0..self.layout.joints.len()).map(|joint| self.claim(vec![joint], None, level)).collect()
    }

    fn claim(&mut self, joints: Vec<usize>, group: Option<String>, level: u32) -> Lease {
        // whether it is a reflex may be said later
        let priority = Priority { is_reflex: false, level };
        self.claims.push(Claim { component: self.component, joints, group, priority });
        Lease(self.claims.len() - 1)
    }

    /// Slow work whose results come `latency` after their release.
    pub fn task<T: TaskResult + Default>(&mut self, name: &'static str, latency: Period) -> DeadlineTask<T> {
        if !self.tasks.insert(name) {
            self.refuse(RuntimeError::Twice { what: "deadline tasks", name: name.to_owned() });
        }
        DeadlineTask::new(name, latency.cycles_of(self.layout.period))
    }

    fn queue_reader<T: Message>(&mut self, channel: &str, kind: Kind) -> (usize, usize) {
        let place = self.board.queue::<T>(channel, kind);
        let is_known = place.is_ok();
        let channel = self.taken(place);
        if !is_known {
            return (channel, 0);
        }
        self.wants.links.reads.insert(channel);
        (channel, self.board.add_queue_reader::<T>(channel, self.component))
    }

    fn reader(&mut self, place: Result<usize, RuntimeError>) -> usize {
        let is_known = place.is_ok();
        let channel = self.taken(place);
        if is_known {
            self.wants.links.reads.insert(channel);
            self.board.channel_mut(channel).readers.push(self.component);
        }
        channel
    }

    fn writer(&mut self, place: Result<usize, RuntimeError>) -> (usize, usize) {
        let is_known = place.is_ok();
        let channel = self.taken(place);
        if !is_known {
            return (channel, 0);
        }
        self.wants.links.writes.insert(channel);
        let writers = &mut self.board.channel_mut(channel).writers;
        writers.push(self.component);
        (channel, writers.len() - 1)
    }

    /// A channel that is none leads nowhere; the error is told when all has been declared.
    fn taken(&mut self, place: Result<usize, RuntimeError>) -> usize {
        place.unwrap_or_else(|error| {
            self.refuse(error);
            usize::MAX
        })
    }

    fn refuse(&mut self, error: RuntimeError) {
        self.error.get_or_insert(error);
    }
}
