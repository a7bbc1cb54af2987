//! Components for tests, and a robot for them.
#![allow(dead_code, clippy::unwrap_used, reason = "tests")]

use robot_io::{Commands, Controller, Digest, JointCommand, Period, Readings, RobotLayout, State, Time};
use runtime::{
    Builder, Component, Cycle, Declaration, Events, Holder, JointGroup, Lease, Reads, Runtime, Stream, Writes,
};

/// A robot of six joints, of which three are an arm and two a hand.
pub fn layout() -> RobotLayout {
    let mut layout = RobotLayout::example();
    let hip = layout.joints[0].clone();
    layout.joints = vec![hip; 6];
    layout
}

pub fn groups() -> Vec<JointGroup> {
    let group = |name: &str, joints: &[usize]| JointGroup { name: name.to_owned(), joints: joints.to_vec() };
    vec![group("arm", &[0, 1, 2]), group("hand", &[3, 4]), group("arm_and_hand", &[0, 1, 2, 3, 4])]
}

pub fn build(builder: Builder) -> Runtime {
    builder.build(&layout(), &groups(), Holder::with_gains(&[(100.0, 5.0); 6])).unwrap()
}

/// A run of a runtime against a robot that never moves.
pub struct Bench {
    pub runtime: Runtime,
    pub readings: Readings,
    pub commands: Commands,
}

impl Bench {
    pub fn new(builder: Builder) -> Bench {
        let layout = layout();
        let mut readings = Readings::new(&layout);
        readings.joints.iter_mut().enumerate().for_each(|(index, joint)| joint.position = 0.1 * index as f64);
        Bench { runtime: build(builder), readings, commands: Commands::new(&layout) }
    }

    /// One cycle; returns what was told.
    pub fn cycle(&mut self) -> Vec<String> {
        self.runtime.update(&self.readings, &mut self.commands);
        self.readings.cycle += 1;
        self.readings.time = self.readings.time + Period::from_milliseconds(1);
        let mut events = Vec::new();
        self.runtime.drain_events(&mut events);
        events.into_iter().map(|event| event.what.into_owned()).collect()
    }

    pub fn cycles(&mut self, count: usize) -> Vec<String> {
        (0..count).flat_map(|_| self.cycle()).collect()
    }

    pub fn digest(&mut self) -> Digest {
        Digest::of(&mut self.runtime)
    }

    pub fn now(&self) -> Time {
        self.readings.time
    }
}

/// Counts its updates and says the count.
#[derive(Default, State)]
pub struct Counter {
    #[state(fixed)]
    pub channel: &'static str,
    #[state(fixed)]
    pub every: Option<Period>,
    #[state(fixed)]
    pub out: Option<Writes<Stream<u64>>>,
    pub count: u64,
}

impl Counter {
    pub fn on(channel: &'static str) -> Counter {
        Counter { channel, ..Counter::default() }
    }
}

impl Component for Counter {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.out = Some(wants.writes(self.channel));
        self.every.into_iter().for_each(|interval| wants.every(interval));
    }

    fn start(&mut self, _cycle: &mut Cycle<'_>) {
        self.count = 0;
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        self.count += 1;
        cycle.write(self.out.unwrap(), self.count);
    }
}

/// Reads a number and says it, doubled.
#[derive(Default, State)]
pub struct Doubler {
    #[state(fixed)]
    pub from: &'static str,
    #[state(fixed)]
    pub to: &'static str,
    #[state(fixed)]
    from_end: Option<Reads<Stream<u64>>>,
    #[state(fixed)]
    to_end: Option<Writes<Stream<u64>>>,
    pub last: u64,
}

impl Doubler {
    pub fn new(from: &'static str, to: &'static str) -> Doubler {
        Doubler { from, to, ..Doubler::default() }
    }
}

impl Component for Doubler {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.from_end = Some(wants.reads(self.from));
        self.to_end = Some(wants.writes(self.to));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let (from, to) = (self.from_end.unwrap(), self.to_end.unwrap());
        self.last = 2 * cycle.latest(from).copied().unwrap_or_default();
        cycle.write(to, self.last);
    }
}

/// Wants a group of joints from one cycle on, moves them in its own way, and may panic.
#[derive(State)]
pub struct Mover {
    #[state(fixed)]
    pub group: &'static str,
    #[state(fixed)]
    pub level: u32,
    #[state(fixed)]
    pub target: f64,
    #[state(fixed)]
    pub from: u64,
    /// It is in the middle of something until this cycle, and does not pause before.
    #[state(fixed)]
    pub busy_until: u64,
    #[state(fixed)]
    pub panics_at: Option<u64>,
    #[state(fixed)]
    pub is_reflex: bool,
    #[state(fixed)]
    pub lease: Option<Lease>,
    pub cycles: u64,
}

impl Mover {
    pub fn new(group: &'static str, level: u32, target: f64) -> Mover {
        Mover {
            group,
            level,
            target,
            from: 0,
            busy_until: 0,
            panics_at: None,
            is_reflex: false,
            lease: None,
            cycles: 0,
        }
    }
}

impl Component for Mover {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.lease = Some(wants.lease(self.group, self.level));
        if self.is_reflex {
            wants.be_a_reflex();
        }
    }

    fn start(&mut self, _cycle: &mut Cycle<'_>) {
        self.cycles = 0;
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        if self.cycles >= self.from {
            cycle.ask(self.lease.unwrap());
        }
        for joint in 0..6 {
            if let Some(command) = cycle.joint(joint) {
                *command = JointCommand::hold(self.target, 50.0, 1.0);
            }
        }
        self.cycles += 1;
        assert!(self.panics_at != Some(self.cycles), "as it was told in cycle {}", self.cycles);
    }

    fn may_pause(&mut self) -> bool {
        self.cycles >= self.busy_until
    }
}

/// Sends many events in each cycle.
#[derive(Default, State)]
pub struct Flood {
    #[state(fixed)]
    pub per_cycle: u64,
    #[state(fixed)]
    pub out: Option<Writes<Events<u64>>>,
    sent: u64,
}

impl Flood {
    pub fn of(per_cycle: u64) -> Flood {
        Flood { per_cycle, ..Flood::default() }
    }
}

impl Component for Flood {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.out = Some(wants.writes_events("flood"));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        for _ in 0..self.per_cycle {
            self.sent += 1;
            cycle.send(self.out.unwrap(), self.sent);
        }
    }
}

/// Adds up the events of a channel.
#[derive(Default, State)]
pub struct Sum {
    #[state(fixed)]
    pub every: Option<Period>,
    #[state(fixed)]
    pub from: Option<Reads<Events<u64>>>,
    pub count: u64,
    pub sum: u64,
}

impl Component for Sum {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.from = Some(wants.reads_events("flood"));
        self.every.into_iter().for_each(|interval| wants.every(interval));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        for event in cycle.events(self.from.unwrap()) {
            self.count += 1;
            self.sum += event;
        }
    }
}
