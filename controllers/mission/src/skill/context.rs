//! What a skill sees of the robot in a cycle, and what it may do.

use std::borrow::Cow;

use robot_io::{Commands, Event, Events, JointCommand, Odometry, Pose2, Readings, Severity, Subject, Time, Twist};

use super::ends::AllEnds;
use super::reach::Reach;
use super::{Ends, SkillJoint};
use crate::base::{BaseProgress, BaseTask};
use crate::stance::Stance;

/// One cycle of a skill at work.
#[derive(Debug)]
pub struct SkillContext<'a> {
    /// What the robot measures.
    pub readings: &'a Readings,
    /// Where it is, in the odometry frame, and how it moves; `None` where nobody knows.
    pub odometry: Option<&'a Odometry>,
    /// Where it believes to be in the world; `None` where nobody knows.
    pub pose_in_world: Option<Pose2>,
    /// How long the skill has been at work since it began [s]. This time stands still while the mission does.
    pub elapsed: f64,
    /// How far the base has got with what this skill has [sent](SkillContext::send_base) it to; `None` if it has not.
    pub base: Option<BaseProgress>,
    pub(super) source: &'static str,
    pub(super) subject: Subject,
    pub(super) commands: &'a mut Commands,
    pub(super) reach: &'a mut Reach,
    pub(super) ends: Option<&'a mut AllEnds>,
    pub(super) events: &'a mut Events,
}

impl SkillContext<'_> {
    /// The time of this cycle.
    pub fn now(&self) -> Time {
        self.readings.time
    }

    /// Where a joint is, as measured [rad or m].
    pub fn position(&self, joint: &SkillJoint) -> f64 {
        self.readings.joints[joint.index()].position
    }

    /// Where a joint was last told to be, or is if it was limp [rad or m]: where a motion begins without a jump.
    pub fn told(&self, joint: &SkillJoint) -> f64 {
        let command = &self.commands.joints[joint.index()];
        if command.stiffness > 0.0 { command.position } else { self.position(joint) }
    }

    /// Tells a joint to be at a position [rad or m] with a velocity [rad/s or m/s], held with the gains of the robot's file, within its
    /// range. Afterwards it stays there until a pose, or another skill, wants it elsewhere.
    pub fn move_joint(&mut self, joint: &SkillJoint, position: f64, velocity: f64) {
        let (stiffness, damping) = (joint.held.stiffness, joint.held.damping);
        let position = position.max(joint.limits().lower).min(joint.limits().upper);
        // what locomotion feeds forward against gravity stays
        let effort = self.commands.joints[joint.index()].effort;
        self.command(joint, JointCommand { position, velocity, effort, stiffness, damping });
    }

    /// Commands a joint in full: position, velocity, effort and gains. Without stiffness it stays where it is found afterwards.
    pub fn command(&mut self, joint: &SkillJoint, command: JointCommand) {
        let JointCommand { position, velocity, effort, stiffness, damping } = command;
        if ![position, velocity, effort, stiffness, damping].iter().all(|number| number.is_finite()) {
            self.reach.broken = Some("asked a joint for what is not a number");
            return;
        }
        let place = if stiffness > 0.0 { position } else { self.position(joint) };
        if self.reach.hold(joint, place) {
            self.commands.joints[joint.index()] = command;
        }
    }

    /// Moves the base with this velocity, in its own frame, from now until the skill says otherwise, is over, or is held up. The ramps of
    /// the mission shape it and its supervisor slows it down; nobody looks out for obstacles. A robot that cannot move stays.
    pub fn drive(&mut self, twist: Twist) {
        if !self.reach.take_base() {
            return;
        }
        if [twist.x, twist.y, twist.yaw].iter().all(|number| number.is_finite()) {
            self.reach.twist = twist;
        } else {
            self.reach.broken = Some("asked for a velocity that is not a number");
        }
    }

    /// Changes the base's height and attitude within so many seconds, to stay.
    pub fn go_to_stance(&mut self, stance: Stance, seconds: f64) {
        if !self.reach.take_base() {
            return;
        }
        if [stance.height, stance.pitch, stance.roll, seconds].iter().all(|number| number.is_finite()) {
            self.reach.stance = Some((stance, seconds));
        } else {
            self.reach.broken = Some("asked for a stance that is not a number");
        }
    }

    /// Sends the base somewhere, in place of where this skill has sent it before; it stops when the skill is over. From the next cycle on
    /// [`base`](SkillContext::base) says how it stands with it; while it is on its way, the skill has not stalled.
    pub fn send_base(&mut self, task: BaseTask) {
        if let Some(why) = self.reach.refuses_base {
            self.reach.broken = Some(why);
        } else {
            self.reach.sends_base = Some(task);
        }
    }

    /// The ends at which other components are reached, by their type; `None` in a step of a mission, and where the
    /// [skills](super::Skills::with_ends) name no such ends.
    pub fn ends<E: Ends>(&mut self) -> Option<&mut E> {
        self.ends.as_deref_mut().and_then(AllEnds::of)
    }

    /// In this cycle hands may touch: the withdrawal reflex leaves alone what they feel. To be said in every cycle in which it is so.
    pub fn want_touch(&mut self) {
        self.reach.touches = true;
    }

    /// Tells people what happened, in words.
    pub fn note(&mut self, what: impl Into<Cow<'static, str>>) {
        self.tell(Severity::Info, what, f64::NAN, f64::NAN);
    }

    /// Tells what happened, with the number seen and the one expected; not-a-number for none. `what` ends with their unit in brackets.
    pub fn tell(&mut self, severity: Severity, what: impl Into<Cow<'static, str>>, value: f64, limit: f64) {
        let event = Event { what: what.into(), ..Event::note(self.now(), severity, self.source, "") };
        self.events.push(event.about(self.subject).with(value, limit));
    }
}
