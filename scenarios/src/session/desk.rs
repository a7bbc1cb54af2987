//! Where the operator's input joins the readings.

use std::collections::VecDeque;

use crossbeam::channel::Receiver;
use robot_io::{
    Commands, Event, Events, IoError, Lifecycle, OperatorInput, OperatorRequest, Period, Readings, RobotIo,
    RobotLayout, Severity, State, Time, Twist,
};

use crate::case::Link;

/// Most inputs of a person that are on the way; more wait where they were given.
const MOST_ON_THE_WAY: usize = 1024;
/// What events of the link are from.
const SOURCE: &str = "link";

/// Operator input that a scenario or a person at the keyboard gives.
#[derive(Debug, Default)]
pub struct Operator {
    /// From the scenario, in order of time.
    pub script: Vec<ScriptedInput>,
    /// From a log, by cycle, in place of the other two.
    pub recorded: Option<Vec<(u64, OperatorInput)>>,
    /// From a person, live.
    pub live: Option<LiveInput>,
    /// What both have to go through.
    pub link: Link,
}

/// How a live person's input comes in.
#[derive(Debug)]
pub enum LiveInput {
    /// From another thread of the same program, which may wait a little.
    Channel(Receiver<OperatorInput>),
    /// Into a real-time thread, which may not.
    Ring(rtrb::Consumer<OperatorInput>),
}

impl LiveInput {
    fn next(&mut self) -> Option<OperatorInput> {
        match self {
            LiveInput::Channel(channel) => channel.try_recv().ok(),
            LiveInput::Ring(ring) => ring.pop().ok(),
        }
    }
}

/// One line of a scenario's operator script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScriptedInput {
    /// When.
    pub at: Time,
    /// What is done then; a stick position stays until `until`.
    pub input: OperatorInput,
    /// When the stick is let go.
    pub until: Time,
}

/// A robot with an operator's desk beside it: input arrives with the readings of the cycle in which it is given, like
/// a sensor's, so that it is recorded and replayed with the rest.
#[derive(Debug, State)]
pub struct Desk<R> {
    inner: R,
    #[state(skip = "a person's; a replay takes it from the log")]
    operator: Operator,
    #[state(skip = "a person's; a replay takes it from the log")]
    held_twist: Option<Twist>,
    /// A person's, and when it gets here.
    #[state(skip = "a person's; a replay takes it from the log")]
    on_the_way: VecDeque<(Time, OperatorInput)>,
    #[state(skip = "handed on in the same cycle")]
    told: Vec<Event>,
}

impl<R: RobotIo> Desk<R> {
    /// A desk beside `inner`.
    pub fn new(inner: R, mut operator: Operator) -> Desk<R> {
        for line in &mut operator.script {
            (line.at, line.until) = (line.at + operator.link.delay, line.until + operator.link.delay);
        }
        press_in_turn(&mut operator.script, inner.layout().period);
        let on_the_way = VecDeque::with_capacity(MOST_ON_THE_WAY);
        Desk { inner, operator, held_twist: None, on_the_way, told: Vec::with_capacity(2) }
    }

    /// The robot inside.
    pub fn inner(&self) -> &R {
        &self.inner
    }

    /// Takes all input from a log from now on.
    pub fn replay(&mut self, recorded: Vec<(u64, OperatorInput)>) {
        self.operator.recorded = Some(recorded);
    }

    fn recorded(&self, cycle: u64) -> Option<OperatorInput> {
        let recorded = self.operator.recorded.as_ref()?;
        let place = recorded.binary_search_by_key(&cycle, |(cycle, _)| *cycle);
        Some(place.map(|index| recorded[index].1).unwrap_or_default())
    }

    fn scripted(&self, now: Time, previous: Time) -> OperatorInput {
        let mut input = OperatorInput::default();
        for line in &self.operator.script {
            if is_now(line.at, now, previous) {
                input.request = line.input.request.or(input.request);
            }
            if line.at <= now && now < line.until {
                input.twist = line.input.twist.or(input.twist);
            }
        }
        input
    }

    /// Takes the stick where it is now, and gives the oldest button not yet seen. A button leaves the stick where it is.
    fn live(&mut self, now: Time) -> Option<OperatorRequest> {
        while self.on_the_way.len() < MOST_ON_THE_WAY
            && let Some(input) = self.operator.live.as_mut().and_then(LiveInput::next)
        {
            self.on_the_way.push_back((now + self.operator.link.delay, input));
        }
        let mut request: Option<OperatorRequest> = None;
        while request.is_none()
            && let Some((_, input)) = self.on_the_way.pop_front_if(|(arrives, _)| *arrives <= now)
        {
            if input.request.is_none() {
                self.held_twist = input.twist;
            }
            request = input.request;
        }
        request
    }

    /// Tells when the operator begins to see nothing, and when that ends.
    fn tell_black_outs(&mut self, now: Time, previous: Time) {
        for dark in &self.operator.link.black_outs {
            let lasts = (dark.until - dark.at).seconds();
            if is_now(dark.at, now, previous) {
                let event = Event::note(now, Severity::Info, SOURCE, "black-out: the operator sees nothing for [s]");
                self.told.push(event.with(lasts, f64::NAN));
            }
            if is_now(dark.until, now, previous) {
                let event = Event::note(now, Severity::Info, SOURCE, "the operator sees again, after [s]");
                self.told.push(event.with(lasts, f64::NAN));
            }
        }
    }
}

/// Whether a moment is that of a cycle, or after the one before.
fn is_now(moment: Time, now: Time, previous: Time) -> bool {
    moment <= now && (moment > previous || (now == Time::ZERO && moment == now))
}

impl<R: RobotIo> RobotIo for Desk<R> {
    fn layout(&self) -> &RobotLayout {
        self.inner.layout()
    }

    fn lifecycle(&self) -> Lifecycle {
        self.inner.lifecycle()
    }

    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        self.inner.transition(to)
    }

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        let previous = readings.time;
        self.inner.read(readings)?;
        self.tell_black_outs(readings.time, previous);
        if let Some(recorded) = self.recorded(readings.cycle) {
            readings.operator = recorded;
            return Ok(());
        }
        let scripted = self.scripted(readings.time, previous);
        // a cycle has one request: a person's waits for the next one
        let request = scripted.request.or_else(|| self.live(readings.time));
        readings.operator = OperatorInput { twist: self.held_twist.or(scripted.twist), request };
        Ok(())
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        self.inner.write(commands)
    }

    fn drain_events(&mut self, events: &mut Events) {
        self.inner.drain_events(events);
        self.told.drain(..).for_each(|event| events.push(event));
    }
}

/// A cycle has one request: of buttons that are pressed at the same time each comes a cycle after the other, in the script's order.
fn press_in_turn(script: &mut [ScriptedInput], period: Period) {
    let mut presses: Vec<&mut ScriptedInput> = script.iter_mut().filter(|line| line.input.request.is_some()).collect();
    presses.sort_by_key(|press| press.at);
    let mut free = Time::ZERO;
    for press in presses {
        press.at = press.at.max(free);
        free = press.at + period;
    }
}

/// A button pressed at a time.
pub fn press(at: Time, request: OperatorRequest) -> ScriptedInput {
    ScriptedInput { at, input: OperatorInput { twist: None, request: Some(request) }, until: at }
}

/// A stick held from a time until another.
pub fn hold(at: Time, until: Time, twist: Twist) -> ScriptedInput {
    ScriptedInput { at, input: OperatorInput { twist: Some(twist), request: None }, until }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::case::BlackOut;
    use robot_io::DummyRobot;

    fn inputs(operator: Operator, cycles: usize) -> Vec<OperatorInput> {
        let layout = RobotLayout::example();
        let mut desk = Desk::new(DummyRobot::new(layout.clone()), operator);
        let mut readings = Readings::new(&layout);
        desk.bring_up().unwrap();
        let mut read = |_| {
            desk.read(&mut readings).unwrap();
            readings.operator
        };
        (0..cycles).map(&mut read).collect()
    }

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Period::from_milliseconds(milliseconds)
    }

    #[test]
    fn a_button_is_seen_in_one_cycle_and_a_stick_while_it_is_held() {
        let twist = Twist { x: 0.5, ..Twist::default() };
        let script = vec![press(ms(3), OperatorRequest::Pause), hold(ms(2), ms(4), twist)];
        let seen = inputs(Operator { script, ..Operator::default() }, 6);
        let requests: Vec<bool> = seen.iter().map(|input| input.request.is_some()).collect();
        let sticks: Vec<bool> = seen.iter().map(|input| input.twist.is_some()).collect();
        assert_eq!(requests, [false, false, false, true, false, false]);
        assert_eq!(sticks, [false, false, true, true, false, false]);
    }

    #[test]
    fn of_buttons_pressed_at_the_same_time_none_is_lost() {
        let requests = [OperatorRequest::Pause, OperatorRequest::Resume, OperatorRequest::EmergencyStop];
        let mut script: Vec<ScriptedInput> = requests.map(|request| press(ms(2), request)).into();
        script.insert(0, press(ms(4), OperatorRequest::ClearEmergencyStop));
        let seen = inputs(Operator { script, ..Operator::default() }, 7);
        let seen: Vec<OperatorRequest> = seen.iter().filter_map(|input| input.request).collect();
        let in_turn = [&requests[..], &[OperatorRequest::ClearEmergencyStop]].concat();
        assert_eq!(seen, in_turn);
    }

    #[test]
    fn a_button_of_a_person_waits_for_one_of_the_script() {
        let (sender, receiver) = crossbeam::channel::unbounded();
        sender.send(OperatorInput { twist: None, request: Some(OperatorRequest::Pause) }).unwrap();
        let script = vec![press(Time::ZERO, OperatorRequest::Resume)];
        let operator = Operator { script, live: Some(LiveInput::Channel(receiver)), ..Operator::default() };
        let seen: Vec<_> = inputs(operator, 3).iter().map(|input| input.request).collect();
        assert_eq!(seen, [Some(OperatorRequest::Resume), Some(OperatorRequest::Pause), None]);
    }

    #[test]
    fn what_an_operator_far_away_does_comes_later() {
        let (sender, receiver) = crossbeam::channel::unbounded();
        let far = || Link { delay: Period::from_milliseconds(3), ..Link::default() };
        let script = vec![press(ms(1), OperatorRequest::Pause)];
        let seen = inputs(Operator { script, link: far(), ..Operator::default() }, 6);
        let at = |seen: &[OperatorInput]| seen.iter().position(|input| input.request.is_some());
        assert_eq!(at(&seen), Some(4));
        sender.send(OperatorInput { twist: None, request: Some(OperatorRequest::Pause) }).unwrap();
        let live = Some(LiveInput::Channel(receiver));
        assert_eq!(at(&inputs(Operator { live, link: far(), ..Operator::default() }, 6)), Some(3));
    }

    #[test]
    fn a_black_out_is_told_when_it_begins_and_when_it_ends() {
        let dark = BlackOut { at: ms(2), until: ms(5) };
        let link = Link { black_outs: vec![dark], ..Link::default() };
        let layout = RobotLayout::example();
        let mut desk = Desk::new(DummyRobot::new(layout.clone()), Operator { link, ..Operator::default() });
        let (mut readings, mut events) = (Readings::new(&layout), Events::new());
        desk.bring_up().unwrap();
        for _ in 0..8 {
            desk.read(&mut readings).unwrap();
            desk.drain_events(&mut events);
        }
        let told: Vec<Time> = events.iter().filter(|event| event.source == SOURCE).map(|event| event.time).collect();
        assert_eq!(told, [ms(2), ms(5)]);
    }

    #[test]
    fn live_buttons_come_one_a_cycle_and_the_stick_stays_until_moved() {
        let (sender, receiver) = crossbeam::channel::unbounded();
        let twist = Some(Twist { yaw: 1.0, ..Twist::default() });
        for request in [None, Some(OperatorRequest::Pause), Some(OperatorRequest::Resume)] {
            sender.send(OperatorInput { twist, request }).unwrap();
        }
        let seen = inputs(Operator { live: Some(LiveInput::Channel(receiver)), ..Operator::default() }, 3);
        assert_eq!(seen[0].request, Some(OperatorRequest::Pause));
        assert_eq!(seen[1].request, Some(OperatorRequest::Resume));
        assert_eq!((seen[2].request, seen[2].twist), (None, twist));
    }
}
