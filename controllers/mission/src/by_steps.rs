//! What the mission does by planned footsteps.

use robot_io::deadline::TaskBoard;
use robot_io::{Event, Pose2, Severity, Twist};

use crate::SOURCE;
use crate::autonomy::Autonomy;
use crate::mission::Mission;
use crate::mobility::Mobility;
use crate::order::LegOrder;
use crate::steps::{News, Seen, StepClient};
use crate::task::Way;

impl<M: Mobility> Mission<M> {
    /// True if a leg is walked by planned footsteps: on ground that it was told, or that it sees itself.
    pub(crate) fn steps_to(&self, leg: &LegOrder) -> bool {
        let has_eyes = leg.navigate && self.autonomy().is_some();
        let knows = |steps: &StepClient| has_eyes || steps.is_told() && !leg.navigate;
        self.mobility.feet().is_some() && self.steps.as_deref().is_some_and(knows)
    }

    /// Walks to a goal by planned footsteps.
    pub(crate) fn walk_to(&mut self, leg: &LegOrder) {
        (self.goal_in_odom, self.wanted) = (Some(leg.goal_in_odom), Twist::default());
        let (Some(steps), Some(feet)) = (&mut self.steps, self.mobility.feet()) else { return };
        let between = Pose2::default().seen_from(&feet.base_from_feet).placed_at(&leg.goal_in_odom);
        if steps.want(between, leg.navigate) {
            self.mobility.end_steps();
        }
        self.mobility.hold_steps(false);
        if let Some(news) = steps.take_news(&feet) {
            self.take_steps(&news);
        }
    }

    fn take_steps(&mut self, news: &News) {
        let severity = if news.refused { Severity::Warning } else { Severity::Info };
        if !news.words.is_empty() {
            self.events.push(Event { what: news.words.clone().into(), ..Event::note(self.now, severity, SOURCE, "") });
        }
        if news.refused {
            return;
        }
        if let Err(error) = self.mobility.take_steps(news.from, &news.steps, &news.manners) {
            let what = format!("footsteps refused: {error}");
            self.events.push(Event { what: what.into(), ..Event::note(self.now, Severity::Warning, SOURCE, "") });
            self.end_steps();
        }
    }

    /// No steps are wanted any more: the robot brings its feet beside each other.
    pub(crate) fn end_steps(&mut self) {
        if let Some(steps) = &mut self.steps {
            steps.forget();
            self.mobility.end_steps();
        }
    }

    /// True while steps are left of a plan to where the leg leads.
    pub(crate) fn has_steps_left(&self) -> bool {
        let feet = self.mobility.feet();
        self.steps.as_ref().zip(feet).is_some_and(|(steps, feet)| steps.is_on_its_way(&feet))
    }

    /// How it stands with the way, if it is one of footsteps.
    pub(crate) fn way_of_steps(&self) -> Option<Way> {
        let is_stuck = self.steps.as_ref().is_some_and(|steps| steps.is_stuck());
        let left = self.goal_in_odom.map_or(0.0, |goal| goal.distance(&self.odometry.pose()));
        is_stuck.then_some(Way::Stuck(left))
    }

    /// Takes the plans that are due in `cycle` and asks for new ones.
    pub(crate) fn exchange_steps(&mut self, cycle: u64, board: &mut dyn TaskBoard) {
        let Mission { steps, mobility, autonomy, resolver, .. } = self;
        let (Some(steps), Some(feet)) = (steps, mobility.feet()) else { return };
        let robot = |autonomy: &Autonomy| autonomy.outline(&feet);
        let seen = || autonomy.as_ref().map(|autonomy| Seen { views: autonomy.views(), robot: robot(autonomy) });
        let odom_in_map = autonomy.as_ref().map_or(resolver.odom_in_world(), |autonomy| autonomy.odom_in_map());
        steps.exchange(cycle, board, &feet, odom_in_map, seen);
    }
}
