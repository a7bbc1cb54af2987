//! A mission as a component that moves the base for others.

use core::fmt;

use robot_io::deadline::TaskBoard;
use robot_io::{Events, Parts, State, Telemetry};
use runtime::{Component, Cycle, Declaration, ReadsBefore, Stream, Whole, Writes};

use crate::base::{BASE, BASE_GOAL, BaseGoal, BaseStatus};
use crate::carriage::Carriage;
use crate::carried::{CARRIED, Carried};
use crate::mission::Mission;
use crate::mobility::Mobility;

/// A mission that works its own steps off, has all joints that nobody of higher priority wants, and drives where others send it.
#[derive(Debug, State)]
pub struct MissionServer<M: Mobility = Carriage> {
    whole: Whole<Mission<M>>,
    #[state(fixed)]
    goals: Option<ReadsBefore<BaseGoal>>,
    #[state(fixed)]
    carried: Option<ReadsBefore<Carried>>,
    #[state(fixed)]
    status: Option<Writes<Stream<BaseStatus>>>,
}

impl<M: Mobility> MissionServer<M> {
    /// A mission that asks for all joints with this priority.
    pub fn new(mut mission: Mission<M>, level: u32) -> MissionServer<M> {
        mission.serve();
        MissionServer { whole: Whole::new(mission, level), goals: None, carried: None, status: None }
    }

    /// The mission.
    pub fn mission(&self) -> &Mission<M> {
        self.whole.controller()
    }
}

impl<M: Mobility + Send> Component for MissionServer<M> {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        // those who want something look first where the base is
        self.goals = Some(wants.reads_before_if_there(BASE_GOAL));
        self.carried = Some(wants.reads_before_if_there(CARRIED));
        self.status = Some(wants.writes(BASE));
        self.whole.declare(wants);
    }

    fn start(&mut self, cycle: &mut Cycle<'_>) {
        self.whole.start(cycle);
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        if let Some(goal) = self.goals.and_then(|goals| cycle.before(goals)) {
            self.whole.controller_mut().hear(goal, cycle.now());
        }
        let carried = self.carried.and_then(|carried| cycle.before(carried));
        let carried = carried.filter(|carried| carried.is_fresh(cycle.now()));
        self.whole.controller_mut().note_carried(carried.map_or(&[][..], |carried| &carried.things));
        for joint in 0..cycle.readings.joints.len() {
            let told = if self.whole.has(joint) { None } else { cycle.told(joint).copied() };
            self.whole.controller_mut().note_lent(joint, told);
        }
        self.whole.update(cycle);
        if let Some(status) = self.status {
            cycle.write(status, self.mission().base_status());
        }
    }

    fn exchange_tasks(&mut self, cycle: u64, board: &mut dyn TaskBoard) {
        self.whole.exchange_tasks(cycle, board);
    }

    fn show(&self, telemetry: &mut Telemetry) {
        self.whole.show(telemetry);
    }

    fn say(&self, words: &mut dyn fmt::Write) -> fmt::Result {
        self.whole.say(words)
    }

    fn drain_events(&mut self, events: &mut Events) {
        self.whole.drain_events(events);
    }

    fn parts(&mut self) -> Option<&mut dyn Parts> {
        self.whole.parts()
    }

    fn is_done(&self) -> Option<bool> {
        self.whole.is_done()
    }
}
