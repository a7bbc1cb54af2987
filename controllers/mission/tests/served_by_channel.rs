//! A mission that moves its base for components of one's own.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use mission::{BASE, BASE_GOAL, BaseGoal, BaseProgress, BaseStatus, BaseTask, Destination, MissionServer};
use robot_io::{Controller, Pose2, ShortName, State, Twist};
use runtime::{Component, Cycle, Declaration, Reads, Runtime, Stream, Writes};
use support::served::{Bench, ERRAND, behaviour, mission};
use support::{Shared, cart};

/// A component of one's own: sends the base to two places, one after the other.
#[derive(Debug, Default, State)]
struct Patrol {
    id: u64,
    #[state(fixed)]
    goals: Option<Writes<Stream<BaseGoal>>>,
    #[state(fixed)]
    status: Option<Reads<Stream<BaseStatus>>>,
}

impl Component for Patrol {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.goals = Some(wants.writes(BASE_GOAL));
        self.status = Some(wants.reads(BASE));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let by = ShortName::new("patrol").unwrap();
        let done = cycle.latest(self.status.unwrap()).and_then(|status| status.goal);
        let done = done.is_some_and(|goal| goal.id == self.id && goal.progress == BaseProgress::Done);
        self.id = (self.id + u64::from(done || self.id == 0)).min(3);
        let pose_in_world = Pose2 { x: self.id as f64, ..Pose2::default() };
        let task = if self.id < 3 { BaseTask::GoTo(Destination::at(pose_in_world)) } else { BaseTask::Nothing };
        cycle.write(self.goals.unwrap(), BaseGoal { by, id: self.id, stamp: cycle.now(), task });
    }

    fn is_done(&self) -> Option<bool> {
        Some(self.id == 3)
    }
}

/// Reads where the base is, after the mission in the same cycle.
#[derive(Debug, Default, State)]
struct Watcher {
    #[state(fixed)]
    status: Option<Reads<Stream<BaseStatus>>>,
    farthest: f64,
}

impl Component for Watcher {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.status = Some(wants.reads(BASE));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let status = cycle.latest(self.status.unwrap()).unwrap();
        assert_eq!(status.stamp, cycle.now());
        self.farthest = self.farthest.max(status.pose_in_world.x);
    }
}

#[test]
fn a_component_of_ones_own_sends_the_base_from_place_to_place() {
    let knobs = Shared::default();
    let server = MissionServer::new(mission("", &knobs), 1);
    let parts = Runtime::builder().with("watcher", Watcher::default()).with("mission", server);
    let mut bench = Bench::of(parts.with("patrol", Patrol::default()), knobs);
    assert_eq!(bench.runtime.order().collect::<Vec<_>>(), ["mission", "watcher", "patrol"]);
    bench.run(20.0);
    assert!(bench.runtime.is_done(), "{} {:#?}", bench.says(), bench.said);
    bench.expect_at(2.0, 0.0, 0.06);
}

/// Drives with a velocity that becomes no number.
#[derive(Debug, Default, State)]
struct Careless {
    #[state(fixed)]
    goals: Option<Writes<Stream<BaseGoal>>>,
    #[state(fixed)]
    status: Option<Reads<Stream<BaseStatus>>>,
    progress: BaseProgress,
}

impl Component for Careless {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        (self.goals, self.status) = (Some(wants.writes(BASE_GOAL)), Some(wants.reads(BASE)));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let goal = cycle.latest(self.status.unwrap()).and_then(|status| status.goal);
        self.progress = goal.map_or(self.progress, |goal| goal.progress);
        let x = if cycle.now().seconds() < 1.0 { 0.3 } else { f64::NAN };
        let task = BaseTask::Drive { twist: Twist { x, ..Twist::default() }, stance: None };
        let by = ShortName::new("careless").unwrap();
        cycle.write(self.goals.unwrap(), BaseGoal { by, id: 1, stamp: cycle.now(), task });
    }

    fn is_done(&self) -> Option<bool> {
        Some(matches!(self.progress, BaseProgress::Failed(_)))
    }
}

#[test]
fn a_velocity_that_becomes_no_number_stops_the_base() {
    let knobs = Shared::default();
    let server = MissionServer::new(mission("", &knobs), 1);
    let parts = Runtime::builder().with("mission", server).with("careless", Careless::default());
    let mut bench = Bench::of(parts, knobs);
    bench.run(0.9);
    assert!(bench.speed() > 0.2, "{}", bench.speed());
    bench.run(2.0);
    assert!(bench.runtime.is_done() && bench.speed() == 0.0 && bench.pose().x.is_finite(), "{}", bench.says());
}

#[test]
fn two_components_that_send_the_base_need_a_rule() {
    let knobs = Shared::default();
    let server = MissionServer::new(mission("", &knobs), 1);
    let parts =
        Runtime::builder().with("mission", server).with("errand", behaviour(ERRAND)).with("patrol", Patrol::default());
    let refused = parts.build_for(&cart(), &cart().layout()).err().unwrap().to_string();
    assert!(refused.contains("base_goal") && refused.contains("errand") && refused.contains("patrol"), "{refused}");
}
