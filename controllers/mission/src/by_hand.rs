//! What the person at the desk may do beside driving: move joints, change settings.

use robot_io::{Commands, Event, Readings, Settings as _, Severity, ShortName, Subject};

use crate::SOURCE;
use crate::mission::Mission;
use crate::mobility::Mobility;
use crate::status::Activity;
use crate::supervision::StopCause;
use crate::tuning::Tuning;

impl<M: Mobility> Mission<M> {
    /// Moves a joint that does not carry the robot; for the others the mission alone is responsible.
    pub(crate) fn move_joint(&mut self, joint: usize, position: f64, readings: &Readings, commands: &Commands) {
        let stopped = matches!(self.activity, Activity::Stopped(StopCause::EmergencyStop));
        let free = self.posture.joint(joint).and_then(|_| self.layout.joints.get(joint));
        let refused = match free {
            None => "not moved by hand: it carries the robot or turns without end",
            Some(_) if stopped => "not moved by hand: the robot is stopped",
            Some(_) if !position.is_finite() => "not moved by hand: not a number",
            Some(found) => {
                if self.hands.take(joint, position, &found.limits, readings, commands) {
                    self.note_joint(Severity::Info, joint, "moved by hand");
                }
                return;
            }
        };
        self.note_joint(Severity::Warning, joint, refused);
    }

    /// Gives a joint back to the mission.
    pub(crate) fn release_joint(&mut self, joint: usize) {
        if self.hands.release(joint) {
            self.note_joint(Severity::Info, joint, "given back to the mission");
        }
    }

    fn note_joint(&mut self, severity: Severity, joint: usize, what: &'static str) {
        self.events.push(Event::note(self.now, severity, SOURCE, what).about(Subject::Joint(joint)));
    }

    /// Changes a setting from now on, for all the skills that it concerns.
    pub(crate) fn tune(&mut self, setting: ShortName, value: f64) {
        match self.tuner.with(setting, value) {
            Err(reason) => self.note(Severity::Warning, reason),
            Ok(tuning) => {
                if !self.apply(tuning) {
                    return self.note(Severity::Warning, "setting refused: it does not go together with the others");
                }
                let what = format!("setting {setting} is now").into();
                let event = Event { what, ..Event::note(self.now, Severity::Info, SOURCE, "") };
                self.events.push(event.with(value, f64::NAN));
            }
        }
    }

    /// Brings the skills up to date with the tuning, which a snapshot may have changed.
    pub(crate) fn keep_tuned(&mut self) {
        if let Some(tuning) = self.tuner.news() {
            // it was accepted when it was made
            self.apply(tuning);
        }
    }

    /// Gives the skills their settings; false if one of them refuses.
    fn apply(&mut self, tuning: Tuning) -> bool {
        let settings = self.tuner.settings(&tuning);
        let accepted = settings.check().is_ok() && self.mobility.retune(&settings).is_ok();
        if accepted {
            self.supervisor.retune(settings.supervision);
            self.settings = settings;
            self.tuner.accept(tuning);
        }
        accepted
    }
}
