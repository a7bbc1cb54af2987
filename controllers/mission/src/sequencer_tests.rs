use super::*;
use crate::plan::Leg;
use robot_io::{StateReader, StateWriter, Twist};

/// A robot that drives straight at what it is told with a speed of its own, 50 times a second.
struct Walker {
    sequencer: Sequencer,
    pose: Pose2,
    speed: f64,
    steps: bool,
    now: Time,
    events: Events,
}

impl Walker {
    fn new(rules: ProgressRules, orders: &[Order]) -> Walker {
        let sequencer = Sequencer::new(rules, orders);
        Walker { sequencer, pose: Pose2::default(), speed: 0.5, steps: false, now: Time::ZERO, events: Events::new() }
    }

    fn step(&mut self) -> Task {
        let view = View {
            now: self.now,
            pose_in_odom: self.pose,
            posture_error: 0.0,
            way: Way::Open,
            skill: Progress::Begun,
            motion: Progress::Begun,
            is_sent: false,
            steps_left: false,
            steps: self.steps,
        };
        let task = self.sequencer.update(&view, &mut self.events);
        if let Task::Drive(leg) = task {
            let goal = leg.goal_in_odom.seen_from(&self.pose);
            let share = (0.02 * self.speed / goal.x.hypot(goal.y).max(1e-9)).min(1.0);
            let twist = Twist { x: share * goal.x, y: share * goal.y, yaw: goal.yaw.clamp(-0.02, 0.02) };
            self.pose = Pose2 { x: twist.x, y: twist.y, yaw: twist.yaw }.placed_at(&self.pose);
        }
        self.now = self.now + Period::from_milliseconds(20);
        task
    }

    fn run_until(&mut self, seconds: f64, stop: impl Fn(&Task) -> bool) -> Option<f64> {
        while self.now.seconds() < seconds {
            if stop(&self.step()) {
                return Some(self.now.seconds());
            }
        }
        None
    }

    fn said(&self, what: &str) -> Vec<&Event> {
        self.events.iter().filter(|event| event.what.starts_with(what)).collect()
    }
}

fn leg(x: f64, y: f64) -> Order {
    let leg = LegOrder::new(&Leg::to(x, y, None), &Pose2::default(), 0.5);
    Order { leg: Some(leg), action: None }
}

fn done(task: &Task) -> bool {
    *task == Task::Nothing
}

#[test]
fn steps_are_done_in_order_with_their_actions() {
    let wait = Order { action: Some(ActionOrder::Wait { seconds: 3.0 }), ..leg(1.0, 0.0) };
    let mut walker = Walker::new(ProgressRules::default(), &[wait, leg(1.0, 1.0)]);
    let took = walker.run_until(60.0, done).unwrap();
    assert!(took > 3.0 + 3.6, "{took} s for 2 m at 0.5 m/s and a wait of 3 s");
    assert!(walker.pose.distance(&Pose2 { x: 1.0, y: 1.0, yaw: 0.0 }) <= 0.1);
    let steps: Vec<Subject> = walker.said("step done").iter().map(|event| event.subject).collect();
    assert_eq!(steps, [Subject::Step(0), Subject::Step(1)]);
}

#[test]
fn a_leg_that_creeps_is_reported_overdue_but_never_given_up() {
    let mut order = leg(3.0, 0.0);
    order.leg.as_mut().unwrap().timeout = 10.0;
    let mut walker = Walker::new(ProgressRules::default(), &[order]);
    walker.speed = 0.02;
    let took = walker.run_until(300.0, done).unwrap();
    assert!(took > 140.0, "{took} s");
    assert_eq!(walker.said("overdue").len(), 1);
    assert!(walker.said("stalled").is_empty());
}

#[test]
fn a_leg_that_stalls_is_reported_with_its_metric_tried_again_and_then_stops_the_mission() {
    let mut walker = Walker::new(ProgressRules::default(), &[leg(3.0, 0.0)]);
    walker.run_until(2.0, done);
    walker.speed = 0.0;
    let stopped = walker.run_until(60.0, |task| *task == Task::Stop).unwrap();
    assert!((stopped - (2.0 + 8.0 + 2.0 + 8.0)).abs() < 0.3, "stall, pause, stall: {stopped} s");
    let stalls = walker.said("stalled");
    assert_eq!(stalls.len(), 2);
    assert_eq!(stalls[0].what, "stalled, distance left [m]");
    assert!((stalls[0].value - 2.0).abs() < 0.05 && stalls[0].limit == 0.05, "{:?}", stalls[0]);
    assert_eq!(walker.said("trying again").len(), 1);
}

#[test]
fn a_mission_that_says_skip_goes_on_after_a_stall() {
    let rules = ProgressRules { on_stall: OnStall::Skip, ..ProgressRules::default() };
    let wait = Order { leg: None, action: Some(ActionOrder::Wait { seconds: 1.0 }) };
    let mut walker = Walker::new(rules, &[leg(3.0, 0.0), wait]);
    walker.speed = 0.0;
    assert!(walker.run_until(60.0, done).is_some());
    assert_eq!(walker.said("skipped after a stall").len(), 1);
}

#[test]
fn spliced_steps_wait_for_the_present_one_and_an_interruption_does_not() {
    let mut walker = Walker::new(ProgressRules::default(), &[leg(2.0, 0.0), leg(4.0, 0.0)]);
    walker.run_until(1.0, done);
    walker.sequencer.splice(&[leg(2.0, 1.0)]).unwrap();
    walker.sequencer.interrupt(leg(0.0, 1.0)).unwrap();
    assert_eq!(walker.sequencer.len(), 4);
    let mut goals = Vec::new();
    while !walker.sequencer.is_done() {
        if let Task::Drive(leg) = walker.step() {
            let goal = (leg.goal_in_odom.x, leg.goal_in_odom.y);
            if goals.last() != Some(&goal) {
                goals.push(goal);
            }
        }
    }
    assert_eq!(goals, [(0.0, 1.0), (2.0, 0.0), (2.0, 1.0), (4.0, 0.0)]);
}

#[test]
fn another_mission_begins_when_the_present_step_is_done() {
    let mut walker = Walker::new(ProgressRules::default(), &[leg(1.0, 0.0), leg(9.0, 0.0)]);
    walker.run_until(0.5, done);
    walker.sequencer.replace_rest(&[leg(1.0, 1.0)]).unwrap();
    assert!(walker.run_until(60.0, done).is_some());
    assert!(walker.pose.distance(&Pose2 { x: 1.0, y: 1.0, yaw: 0.0 }) <= 0.1, "never saw 9 m: {:?}", walker.pose);
}

#[test]
fn more_steps_than_there_is_room_for_are_refused_with_both_numbers() {
    let mut sequencer = Sequencer::new(ProgressRules::default(), &[]);
    let error = sequencer.splice(&[leg(1.0, 0.0); 65]).unwrap_err();
    assert_eq!(error, MissionError::TooManySteps { expected: 64, found: 65 });
    assert_eq!(sequencer.len(), 0);
}

#[test]
fn a_pause_is_held_against_nobody() {
    let wait = Order { leg: None, action: Some(ActionOrder::Wait { seconds: 5.0 }) };
    let mut walker = Walker::new(ProgressRules::default(), &[wait]);
    walker.run_until(2.0, done);
    let since = walker.now;
    walker.now = walker.now + Period::from_seconds(100.0);
    walker.sequencer.resume(since, walker.now);
    let took = walker.run_until(200.0, done).unwrap();
    assert!((took - 105.0).abs() < 0.1, "{took} s");
}

#[test]
fn a_restored_sequencer_goes_on_the_same_way() {
    let orders = [leg(1.0, 0.0), Order { action: Some(ActionOrder::Wait { seconds: 2.0 }), ..leg(1.0, 1.0) }];
    let mut walker = Walker::new(ProgressRules::default(), &orders);
    walker.run_until(1.5, done);
    walker.sequencer.splice(&[leg(0.0, 0.0)]).unwrap();
    let saved = StateWriter::save(&mut walker.sequencer);
    let (pose, now) = (walker.pose, walker.now);
    let tasks: Vec<Task> = (0..1_000).map(|_| walker.step()).collect();
    let mut other = Walker { pose, now, ..Walker::new(ProgressRules::default(), &orders) };
    StateReader::restore(&mut other.sequencer, &saved).unwrap();
    assert_eq!((0..1_000).map(|_| other.step()).collect::<Vec<_>>(), tasks);
}

#[test]
fn goal_out_of_reach_ends_its_step_once() {
    let reach = Reach { distance: 0.8, ..Reach::default() };
    let mut navigated = leg(3.0, 0.0);
    navigated.leg.iter_mut().for_each(|leg| leg.navigate = true);
    let orders = [navigated, leg(1.0, 0.0)];
    let look = |rules: ProgressRules| {
        let mut walker = Walker::new(rules, &orders);
        let view = View {
            now: walker.now,
            pose_in_odom: walker.pose,
            posture_error: 0.0,
            way: Way::None(reach),
            skill: Progress::Begun,
            motion: Progress::Begun,
            is_sent: false,
            steps_left: false,
            steps: false,
        };
        let task = walker.sequencer.update(&view, &mut walker.events);
        (task, walker)
    };
    let (task, stopped) = look(ProgressRules { retries: 3, ..ProgressRules::default() });
    assert_eq!(task, Task::OutOfReach(reach), "not tried again");
    let said = stopped.said("stopped: goal out of reach: nearest reachable point (0.00, 0.00) m, 0.80 m away; ");
    assert_eq!((said.len(), said[0].subject, said[0].severity), (1, Subject::Step(0), Severity::Stop));
    let (_, mut skipped) = look(ProgressRules { on_stall: OnStall::Skip, ..ProgressRules::default() });
    assert_eq!(skipped.said("skipped: goal out of reach").len(), 1);
    assert!(skipped.run_until(20.0, done).is_some(), "the next step is done");
}

#[test]
fn a_robot_that_takes_steps_has_not_come_to_rest_but_passes() {
    for (pass, ends) in [(false, false), (true, true)] {
        let leg = LegOrder::new(&Leg { pass, ..Leg::to(1.0, 0.0, None) }, &Pose2::default(), 0.5);
        let mut walker = Walker::new(ProgressRules::default(), &[Order { leg: Some(leg), action: None }]);
        walker.steps = true;
        assert_eq!(walker.run_until(4.0, |task| *task == Task::Nothing).is_some(), ends, "pass {pass}");
        walker.steps = false;
        assert!(walker.run_until(5.0, |task| *task == Task::Nothing).is_some(), "pass {pass}");
    }
}
