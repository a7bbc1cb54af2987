//! What a mission remembers.

use robot_io::{State, StateVisitor};

use super::Mission;
use crate::mobility::Mobility;

/// Events that nobody has collected yet are not part of the state: they change nothing.
impl<M: Mobility> State for Mission<M> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("mobility", &mut self.mobility);
        visitor.field("schedule", &mut self.schedule);
        visitor.field("resolver", &mut self.resolver);
        if let Some(steps) = &mut self.steps {
            visitor.field("steps", steps.as_mut());
        }
        visitor.field("posture", &mut self.posture);
        if !self.skills.is_empty() {
            visitor.field("skills", &mut self.skills);
            visitor.field("sending", &mut self.sending);
        }
        visitor.field("hands", &mut self.hands);
        if self.withdrawal.is_there() {
            visitor.field("withdrawal", &mut self.withdrawal);
        }
        visitor.field("tuning", &mut self.tuner);
        visitor.field("sequencer", &mut self.sequencer);
        if let Some(service) = &mut self.service {
            visitor.field("service", service.as_mut());
        }
        visitor.field("supervisor", &mut self.supervisor);
        visitor.field("preview_client", &mut self.preview_client);
        visitor.field("activity", &mut self.activity);
        visitor.field("stick", &mut self.stick);
        visitor.field("suspended_since", &mut self.suspended_since);
        visitor.field("verdict", &mut self.verdict);
        visitor.field("odometry", &mut self.odometry);
        visitor.field("goal_in_odom", &mut self.goal_in_odom);
        visitor.field("speed_limit", &mut self.speed_limit);
        visitor.field("wanted", &mut self.wanted);
        visitor.field("stance", &mut self.stance);
        visitor.field("beginnings", &mut self.beginnings);
        visitor.field("twist", &mut self.twist);
        self.guard.visit_state(visitor);
        visitor.field("begun", &mut self.begun);
        visitor.field("now", &mut self.now);
        if let Some(autonomy) = &mut self.autonomy {
            visitor.field("autonomy", autonomy.as_mut());
        }
    }
}
