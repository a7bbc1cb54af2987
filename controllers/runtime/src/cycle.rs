//! What a component sees and does in one cycle.

use robot_io::{Commands, Event, JointCommand, Readings, State, StateHasher, Time};

use crate::channel::{Alarms, Board, Events, Message, Overflow, Reads, ReadsBefore, Stream, Writes};
use crate::lease::{Lease, Leases};

/// What a component asks for that is no channel, for notes.
const STOP: usize = usize::MAX;
const IMAGE: usize = usize::MAX - 1;
const DEPTH_IMAGE: usize = usize::MAX - 2;

/// One cycle, as a component has it: the robot's readings, the others' words, and its own joints.
#[derive(Debug)]
pub struct Cycle<'r> {
    /// What the robot's sensors say.
    pub readings: &'r Readings,
    pub(crate) component: usize,
    pub(crate) board: &'r mut Board,
    pub(crate) leases: &'r mut Leases,
    pub(crate) commands: &'r mut Commands,
    pub(crate) events: &'r mut robot_io::Events,
    pub(crate) overflows: &'r mut Vec<Overflow>,
    /// All that it does here, if that is noted.
    pub(crate) said: Option<StateHasher>,
}

impl Cycle<'_> {
    /// The time of this cycle.
    pub fn now(&self) -> Time {
        self.readings.time
    }

    /// The latest value of a stream; nothing until it is written for the first time.
    pub fn latest<T: Message>(&self, end: Reads<Stream<T>>) -> Option<&T> {
        self.board.latest(end.channel)
    }

    /// The value of a stream if it was written in this cycle.
    pub fn fresh<T: Message>(&self, end: Reads<Stream<T>>) -> Option<&T> {
        self.board.fresh(end.channel)
    }

    /// What a stream had when the cycle began.
    pub fn before<T: Message>(&self, end: ReadsBefore<T>) -> Option<&T> {
        self.board.before(end.channel)
    }

    /// The events that have come since the last update.
    pub fn events<T: Message>(&self, end: Reads<Events<T>>) -> impl Iterator<Item = &T> {
        self.board.unread(end.channel, end.reader)
    }

    /// The alarms that have come since the last update.
    pub fn alarms<T: Message>(&self, end: Reads<Alarms<T>>) -> impl Iterator<Item = &T> {
        self.board.unread(end.channel, end.reader)
    }

    /// Writes a stream.
    pub fn write<T: Message>(&mut self, end: Writes<Stream<T>>, mut value: T) {
        self.say(end.channel, &mut value);
        self.board.put(end.channel, end.writer, value);
    }

    /// Sends an event.
    pub fn send<T: Message>(&mut self, end: Writes<Events<T>>, mut event: T) {
        self.say(end.channel, &mut event);
        self.overflows.extend(self.board.send(end.channel, end.writer, event));
    }

    /// Raises an alarm.
    pub fn raise<T: Message>(&mut self, end: Writes<Alarms<T>>, mut alarm: T) {
        self.say(end.channel, &mut alarm);
        self.overflows.extend(self.board.send(end.channel, end.writer, alarm));
    }

    /// Asks for joints, from now on until they are let go of; true if it has them.
    pub fn ask(&mut self, lease: Lease) -> bool {
        self.is_own(lease) && self.leases.ask(lease.0)
    }

    /// Lets go of joints.
    pub fn let_go(&mut self, lease: Lease) {
        if self.is_own(lease) {
            self.leases.let_go(lease.0);
        }
    }

    /// True if it has the joints.
    pub fn holds(&self, lease: Lease) -> bool {
        self.is_own(lease) && self.leases.holds(lease.0)
    }

    /// What a joint has been told so far, whoever has it: in this cycle if somebody has commanded it already, else in the last one.
    pub fn told(&self, joint: usize) -> Option<&JointCommand> {
        self.commands.joints.get(joint)
    }

    /// What a joint shall do, by its index in the layout; nothing if it is not one of those that this component has. What is not
    /// changed stays as it was in the last cycle.
    pub fn joint(&mut self, joint: usize) -> Option<&mut JointCommand> {
        let is_own = self.leases.owner(joint) == Some(self.component);
        if is_own { self.commands.joints.get_mut(joint) } else { None }
    }

    /// Asks for an emergency stop, which acts in this very cycle.
    pub fn stop_at_once(&mut self) {
        self.say(STOP, &mut 0_u64);
        self.commands.emergency_stop = true;
    }

    /// Asks for a picture of a colour camera, by its index in the layout.
    pub fn take_image(&mut self, mut camera: usize) {
        self.say(IMAGE, &mut camera);
        if let Some(asked) = self.commands.take_image.get_mut(camera) {
            *asked = true;
        }
    }

    /// Asks for a picture of a depth camera, by its index in the layout.
    pub fn take_depth_image(&mut self, mut camera: usize) {
        self.say(DEPTH_IMAGE, &mut camera);
        if let Some(asked) = self.commands.take_depth_image.get_mut(camera) {
            *asked = true;
        }
    }

    /// Passes on what a whole controller asks for beside its joints.
    pub(crate) fn pass_on(&mut self, commands: &Commands) {
        if commands.emergency_stop {
            self.stop_at_once();
        }
        let pictures = self.commands.take_image.iter_mut().zip(&commands.take_image);
        let depths = self.commands.take_depth_image.iter_mut().zip(&commands.take_depth_image);
        pictures.chain(depths).for_each(|(asked, wanted)| *asked |= wanted);
    }

    /// Tells people what happened.
    pub fn tell(&mut self, event: Event) {
        if let Some(said) = &mut self.said {
            said.add_bytes(event.what.as_bytes());
        }
        self.events.push(event);
    }

    /// Notes something that it does, on a channel or elsewhere.
    fn say(&mut self, channel: usize, what: &mut dyn State) {
        if let Some(said) = &mut self.said {
            said.add(channel as u64);
            what.visit_state(said);
        }
    }

    fn is_own(&self, lease: Lease) -> bool {
        self.leases.component(lease.0) == Some(self.component)
    }
}
