//! What the mission does by its map.

use navigation::Guidance;
use robot_io::{Readings, Severity};

use crate::decide::within;
use crate::mission::Mission;
use crate::mobility::Mobility;
use crate::order::LegOrder;

impl<M: Mobility> Mission<M> {
    /// Looks where the robot is on its map. If the map has moved, the goals move with it.
    pub(crate) fn look_round(&mut self, readings: &Readings) {
        let Some(autonomy) = &mut self.autonomy else { return };
        let was_lost = autonomy.is_lost();
        if let Some(correction) = autonomy.see(readings, &self.odometry) {
            self.sequencer.rebase(|pose| correction.apply(pose), self.now);
            self.resolver.rebase(|pose| correction.apply(pose));
            self.scout.rebase(self.resolver.odom_in_world());
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

    /// Drives to a goal by the map.
    pub(crate) fn navigate_to(&mut self, leg: &LegOrder, readings: &Readings) {
        let Some(autonomy) = &mut self.autonomy else { return };
        self.speed_limit = leg.speed * self.verdict.speed_share;
        let leg = LegOrder { speed: self.speed_limit, ..*leg };
        let guidance = autonomy.guide(&leg, self.now, readings, &self.odometry);
        self.goal_in_odom = Some(leg.goal_in_odom);
        self.follow(&guidance);
    }

    /// Drives to where there is something new to be seen.
    pub(crate) fn explore(&mut self, region_in_map: [[f64; 2]; 2], readings: &Readings) {
        let Some(autonomy) = &mut self.autonomy else { return };
        self.speed_limit = self.settings.cruise_speed * self.verdict.speed_share;
        let guidance = autonomy.explore(region_in_map, self.now, readings, &self.odometry);
        self.follow(&guidance);
    }

    fn follow(&mut self, guidance: &Guidance) {
        self.wanted = within(&guidance.twist, self.speed_limit);
    }
}
