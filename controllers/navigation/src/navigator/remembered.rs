//! What the navigator remembers.

use robot_io::{State, StateVisitor};

use super::Navigator;

impl State for Navigator {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("goal", &mut self.goal);
        visitor.field("goals", &mut self.goals);
        visitor.field("phase", &mut self.phase);
        visitor.field("map", &mut self.map);
        visitor.field("has_jumped", &mut self.has_jumped);
        visitor.field("plan", &mut self.plan);
        visitor.field("piece", &mut self.piece);
        visitor.field("task", &mut self.task);
        visitor.field("urgent", &mut self.urgent);
        visitor.field("next_plan_cycle", &mut self.next_plan_cycle);
        visitor.field("soonest_plan_cycle", &mut self.soonest_plan_cycle);
        visitor.field("penalties", &mut self.penalties);
        visitor.field("path", &mut self.path);
        visitor.field("along", &mut self.along);
        visitor.field("policy", &mut self.choice.policy);
        visitor.field("free_time", &mut self.choice.free_time);
        visitor.field("progress_ahead", &mut self.choice.progress);
        visitor.field("limit", &mut self.choice.limit);
        visitor.field("next_choice", &mut self.next_choice);
        visitor.field("told", &mut self.told);
        visitor.field("steered", &mut self.steered);
        visitor.field("fresh", &mut self.fresh);
        self.visit_trouble(visitor);
        self.visit_robot(visitor);
    }
}

impl Navigator {
    fn visit_trouble(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("blocked_since", &mut self.blocked_since);
        visitor.field("is_blocked", &mut self.is_blocked);
        let (mut since, mut place) = self.courtesy.map_or((None, 0.0), |(since, place)| (Some(since), place));
        visitor.field("waits_since", &mut since);
        visitor.field("waits_before", &mut place);
        self.courtesy = since.map(|since| (since, place));
        visitor.field("next_courtesy_told", &mut self.next_courtesy_told);
        visitor.field("nearest_since", &mut self.nearest_since);
        visitor.field("came", &mut self.came);
        visitor.field("doubtful_maps", &mut self.doubtful_maps);
        visitor.field("refusals", &mut self.refusals);
        visitor.field("refused_by", &mut self.refused_by);
        visitor.field("reach", &mut self.reach);
        visitor.field("stepped_back_at", &mut self.stepped_back_at);
        visitor.field("steps_back", &mut self.steps_back);
        visitor.field("second_look", &mut self.second_look);
        visitor.field("progress", &mut self.progress);
        visitor.field("tries", &mut self.tries);
        visitor.field("trouble_left", &mut self.trouble_left);
        visitor.field("manoeuvre", &mut self.manoeuvre);
        visitor.field("trail", &mut self.trail);
        visitor.field("tracks", &mut self.tracks);
        visitor.field("movers", &mut self.movers);
        visitor.field("refuge", &mut self.refuge);
        visitor.field("next_refuge_cycle", &mut self.next_refuge_cycle);
        visitor.field("giving_way", &mut self.giving_way);
        visitor.field("next_giving_way_told", &mut self.next_giving_way_told);
        visitor.field("held_since", &mut self.held_since);
        visitor.field("stands_by", &mut self.stands_by);
    }

    fn visit_robot(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("now", &mut self.now);
        visitor.field("pose", &mut self.pose);
        visitor.field("base_height", &mut self.base_height);
        visitor.field("velocity", &mut self.velocity);
        visitor.field("odom_in_map", &mut self.odom_in_map);
        visitor.field("localized", &mut self.localized);
        visitor.field("footprint", &mut self.footprint);
    }
}
