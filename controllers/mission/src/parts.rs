//! What a mission does when one of its parts breaks, is stopped or begins afresh.

use robot_io::deadline::TaskBoard;
use robot_io::{Event, JointCommand, NotTheSame, Parts, Readings, Severity, Subject, Switch, Time};

use crate::SOURCE;
use crate::mission::Mission;
use crate::mobility::Mobility;
use crate::part::Part;
use crate::skill::FAILED;
use crate::supervision::StopCause;

impl<M: Mobility> Mission<M> {
    /// Tells of what has broken. The supervisor then stops the robot, but for a skill: its step goes on as after a failure.
    pub(crate) fn mind_parts(&mut self) {
        for (part, words) in self.guard.take_news(self.now) {
            let note = Event::note(self.now, Severity::Error, SOURCE, "");
            self.events.push(match part {
                Part::Skill => Event { what: format!("{FAILED}it panicked: {words}").into(), ..note }
                    .about(Subject::Step(self.sequencer.index())),
                part => Event {
                    what: format!("{part} has broken: {words}; start '{part}' again, then resume").into(),
                    ..note
                },
            });
        }
    }

    /// Stops a part of the mission, or lets it begin afresh, as the operator says.
    pub(crate) fn switch_part(&mut self, name: &str, switch: Switch, readings: &Readings) {
        // whoever has components of other names listens to that
        let Some(part) = self.parts().find(|part| part.name() == name) else { return };
        let refused = match (switch, self.guard.is_out(part)) {
            _ if !part.can_rest() => "it works as long as the mission does",
            (Switch::Pause | Switch::Resume | Switch::Quit, _) => "a part of the mission can be started and stopped",
            (Switch::Start, false) => "it works",
            (Switch::Stop, true) => "it is stopped already",
            (Switch::Start, true) => return self.start_part(part, readings),
            (Switch::Stop, false) => {
                self.guard.set_out(part, true);
                return self.tell_part(Severity::Info, format!("the operator stops {part}"));
            }
        };
        self.tell_part(Severity::Warning, format!("{part}: {switch} refused: {refused}"));
    }

    /// A part begins afresh, with nothing but what the others know.
    fn start_part(&mut self, part: Part, readings: &Readings) {
        match part {
            Part::Mapping => {
                let odom_in_map = self.resolver.odom_in_world();
                self.autonomy.iter_mut().for_each(|it| it.restart(readings, &self.odometry, odom_in_map));
            }
            Part::Preview => self.preview_client.reset(self.resolver.odom_in_world()),
            Part::Posture => {
                self.posture.reset();
                self.hands.reset();
                self.withdrawal.give_up();
                self.skills.let_go();
            }
            Part::Base | Part::Skill => {}
        }
        self.guard.set_out(part, false);
        if matches!(self.verdict.stop, Some(StopCause::PartOut { .. })) {
            self.verdict.stop = self.guard.first_out().map(|part| StopCause::PartOut { part });
        }
        self.tell_part(Severity::Info, format!("the operator starts {part} afresh"));
    }

    fn tell_part(&mut self, severity: Severity, what: String) {
        self.events.push(Event { what: what.into(), ..Event::note(self.now, severity, SOURCE, "") });
    }

    /// Those that this mission has.
    fn parts(&self) -> impl Iterator<Item = Part> + use<M> {
        let has_map = self.autonomy.is_some();
        Part::ALL.into_iter().filter(move |part| has_map || *part != Part::Mapping)
    }
}

impl<M: Mobility> Parts for Mission<M> {
    fn names(&mut self) -> Vec<&str> {
        Mission::parts(self).map(Part::name).collect()
    }

    fn first_broken(&mut self) -> Option<(&str, Time)> {
        self.guard.first_broken().map(|(part, at)| (part.name(), at))
    }

    fn break_now(&mut self, part: &str) -> bool {
        let found = Mission::parts(self).find(|known| known.name() == part);
        found.map(|part| self.guard.break_now(part)).is_some()
    }

    fn note(&mut self, _notes: bool) {
        // its parts call each other: what one of them did is computed again with the others
    }

    fn notes(&self) -> &[u64] {
        &[]
    }

    fn redo(
        &mut self,
        _part: &str,
        _readings: &Readings,
        _told: Option<&[JointCommand]>,
        _notes: &[u64],
        _board: &mut dyn TaskBoard,
    ) -> Result<usize, NotTheSame> {
        Err(NotTheSame::Together)
    }
}
