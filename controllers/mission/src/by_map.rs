//! What the mission does by its map.

use locomotion::{CrossingFailure, CrossingStatus};
use navigation::{Approaching, Guidance, Status};
use robot_io::{Event, Readings, Severity, StepEdge, Twist};

use crate::SOURCE;
use crate::autonomy::Autonomy;
use crate::carried::CarriedThing;
use crate::decide::within;
use crate::mission::Mission;
use crate::mobility::Mobility;
use crate::order::LegOrder;
use crate::part::Part;
use crate::plan::Step;
use crate::status::Activity;

impl<M: Mobility> Mission<M> {
    /// What the robot carries is nothing that comes.
    pub(crate) fn note_carried(&mut self, carried: &[CarriedThing]) {
        self.ask_map(|autonomy| autonomy.note_carried(carried));
    }

    /// Looks where the robot is on its map. If the map has moved, the goals move with it.
    pub(crate) fn look_round(&mut self, readings: &Readings) {
        let was_lost = self.is_lost();
        let odometry = self.odometry;
        if let Some(correction) = self.ask_map(|autonomy| autonomy.see(readings, &odometry)).flatten() {
            self.sequencer.rebase(|pose| correction.apply(pose), self.now);
            if let Some(orders) = self.service.as_mut().and_then(|service| service.orders_mut()) {
                orders.rebase(|pose| correction.apply(pose), self.now);
            }
            self.sending.orders_mut().rebase(|pose| correction.apply(pose), self.now);
            self.resolver.rebase(|pose| correction.apply(pose));
            self.preview_client.rebase(self.resolver.odom_in_world());
        }
        match (was_lost, self.is_lost()) {
            (false, true) => {
                self.suspend();
                self.note(Severity::Warning, "lost: standing still until the place is known again");
            }
            (true, false) => {
                self.note(Severity::Info, "found again");
                self.continue_if_possible();
            }
            _ => {}
        }
    }

    /// Tells of a push or a collision; mapping then doubts where the robot is.
    pub(crate) fn mind_bumps(&mut self) {
        if let Some(bump) = self.mobility.bump() {
            let (acceleration, side, lasted) = (bump.acceleration(), bump.side(), bump.lasted);
            let what = format!("bumped: pushed at {acceleration:.1} m/s² from {side} for {lasted:.2} s");
            self.events.push(Event { what: what.into(), ..Event::note(self.now, Severity::Warning, SOURCE, "") });
        }
        let slid = self.mobility.slid();
        if slid > 0.0 {
            self.ask_map(|autonomy| autonomy.note_slide(slid));
        }
    }

    /// True while it is on its way out of the way of something that moves: then it brakes and sets out as fast as for a stop.
    pub(crate) fn gives_way(&self) -> bool {
        (self.is_under_way() || self.stands_by()) && self.autonomy().is_some_and(|autonomy| autonomy.gives_way())
    }

    /// What it is on its way out of the way of.
    pub(crate) fn gives_way_to(&self) -> Option<Approaching> {
        let autonomy = self.autonomy().filter(|_| self.gives_way())?;
        autonomy.gives_way_to()
    }

    /// True while nothing is to be done, by a robot that finds its own way otherwise: it may step aside for what comes.
    pub(crate) fn stands_by(&self) -> bool {
        let is_idle = matches!(self.activity, Activity::Idle | Activity::Done);
        let is_free = !self.stick.is_held() && !self.is_lost() && self.mobility.crossing().is_none();
        is_idle && is_free && self.guard.first_out().is_none() && self.navigates()
    }

    /// True if any step is done by the map, or others may send the robot somewhere by it.
    fn navigates(&self) -> bool {
        let uses_map = self.service.is_some() || self.plan.steps.iter().any(Step::needs_map);
        self.autonomy().is_some() && uses_map
    }

    /// Stands, and steps aside for what comes straight at the robot.
    pub(crate) fn stand_by(&mut self, readings: &Readings) {
        if !self.navigates() || self.mobility.crossing().is_some() {
            return;
        }
        let (now, odometry) = (self.now, self.odometry);
        self.follow(|autonomy| autonomy.stand_by(now, readings, &odometry), readings);
    }

    /// Drives to a goal by the map.
    pub(crate) fn navigate_to(&mut self, leg: &LegOrder, readings: &Readings) {
        self.speed_limit = leg.speed * self.verdict.speed_share;
        let leg = LegOrder { speed: self.speed_limit, ..*leg };
        self.goal_in_odom = Some(leg.goal_in_odom);
        let (now, odometry) = (self.now, self.odometry);
        self.follow(|autonomy| autonomy.guide(&leg, now, readings, &odometry), readings);
    }

    /// Drives to where there is something new to be seen.
    pub(crate) fn explore(&mut self, region_in_map: [[f64; 2]; 2], readings: &Readings) {
        self.speed_limit = self.settings.cruise_speed * self.verdict.speed_share;
        let (now, odometry) = (self.now, self.odometry);
        self.follow(|autonomy| autonomy.explore(region_in_map, now, readings, &odometry), readings);
    }

    /// Asks something of mapping and navigation, if there are any; nothing comes of it while they are out of work.
    pub(crate) fn ask_map<R>(&mut self, ask: impl FnOnce(&mut Autonomy) -> R) -> Option<R> {
        let Mission { guard, autonomy, .. } = self;
        let autonomy = autonomy.as_deref_mut()?;
        guard.run(Part::Mapping, || ask(autonomy))
    }

    /// Does what navigation says: drives, or steps over the edge in front of which it stands.
    fn follow(&mut self, ask: impl FnOnce(&mut Autonomy) -> Guidance, readings: &Readings) {
        let Some(guidance) = self.ask_map(ask) else { return };
        let edge = match guidance.status {
            Status::AtEdge(edge) => Some(edge),
            _ => None,
        };
        if guidance.status == Status::GivingWay {
            // out of the way of something faster it may drive faster than its leg says
            self.speed_limit = self.settings.navigation.giving_way.speed * self.verdict.speed_share;
        }
        match (self.mobility.crossing(), edge) {
            (None, None) => self.wanted = within(&guidance.twist, self.speed_limit),
            // a robot that does not know yet how it turns lifts no foot
            (None, Some(_)) if self.mobility.is_learning() => self.wanted = Twist::default(),
            (None, Some(edge)) => self.step_over(&edge, readings),
            (Some(crossing), edge) => self.watch_crossing(&crossing, edge, readings),
        }
    }

    fn step_over(&mut self, edge_on_map: &StepEdge, readings: &Readings) {
        let Some(autonomy) = self.autonomy() else { return };
        let pose = edge_on_map.pose.seen_from(&autonomy.localization().pose());
        match self.mobility.begin_crossing(&StepEdge { pose, ..*edge_on_map }, readings) {
            Ok(()) => {
                let event = Event::note(self.now, Severity::Info, SOURCE, "stepping over an edge, rise [m]");
                self.events.push(event.with(edge_on_map.rise, f64::NAN));
            }
            Err(failure) => {
                self.ask_map(|autonomy| autonomy.crossed(false));
                self.tell_failure(failure);
            }
        }
    }

    fn watch_crossing(&mut self, crossing: &CrossingStatus, edge: Option<StepEdge>, readings: &Readings) {
        match (crossing.failed(), edge) {
            (None, _) if !crossing.is_done() => {}
            (None, _) => {
                self.ask_map(|autonomy| autonomy.crossed(true));
                self.mobility.end_crossing();
                let event = Event::note(self.now, Severity::Info, SOURCE, "across the edge, smallest margin [m]");
                self.events.push(event.with(crossing.least_margin, f64::NAN));
            }
            // with some feet up and some down nobody drives: it tries to bring the others across as well
            (Some(failure), Some(edge)) if (1..4).contains(&crossing.feet_across) => {
                let again = self.ask_map(Autonomy::try_crossing_again);
                self.tell_failure(failure);
                if again == Some(true) { self.step_over(&edge, readings) } else { self.give_up() }
            }
            (Some(failure), _) => {
                self.ask_map(|autonomy| autonomy.crossed(false));
                self.mobility.end_crossing();
                self.tell_failure(failure);
            }
        }
    }

    fn tell_failure(&mut self, failure: CrossingFailure) {
        let (found, limit) = failure.numbers();
        let event = Event::note(self.now, Severity::Warning, SOURCE, failure.text());
        self.events.push(event.with(found, limit));
    }
}
