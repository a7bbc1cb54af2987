//! Around an axis: what hangs on a hinge is moved by a hand that holds it, or leans on it; what hangs on nothing is turned in the hand's hold.

use manipulation::{Arc, Way};
use nalgebra::{Isometry3, Point3, Unit};

use super::course::Course;
use super::goal::{Frame, HandFailure, Turn};
use super::plan::{Leg, Planned, Refusal, Work};
use super::scene::Touch;

/// An axis has a direction that is longer than this.
const LEAST_AXIS: f64 = 1e-6;

impl Work<'_> {
    /// On the arc. What is turned is known where it was: only the robot itself is minded.
    pub fn turn(&self, turn: &Turn) -> Result<Planned, Refusal> {
        let touch = if turn.free { Touch::Anything } else { Touch::Hinged };
        let leg = self.arc(&self.frame_of(&turn.frame)?, turn, &self.question.joints, touch)?;
        Ok(Planned { legs: vec![leg], ..Planned::default() })
    }

    /// The same with the axis in a frame that is told, from where all joints are told to be.
    pub fn arc(&self, frame: &Isometry3<f64>, turn: &Turn, joints: &[f64], touch: Touch) -> Result<Leg, Refusal> {
        let axis = Unit::try_new(frame.rotation * turn.axis, LEAST_AXIS).ok_or(HandFailure::BadGoal)?;
        let Turn { by, keep, .. } = *turn;
        let (about, from) = (frame * Point3::from(turn.about), self.hand_at(joints));
        let course = Course::arc(from, &Arc { about: about.coords, axis, by, keep });
        let in_base = self.question.base_in_odom.inverse();
        let arc = Arc { about: (in_base * about).coords, axis: in_base.rotation * axis, by, keep };
        let end = arc.pose(&(in_base * from), 1.0);
        let mut checker = self.checker(touch, &self.question.body.close)?;
        let (path, _) = self.hand_path((Way::Arc(arc), end), joints, touch, &mut checker)?;
        let (way, until) = (self.timed_at(path, self.question.speed)?, Some(turn.until));
        Ok(Leg { way, touch, is_close: true, course: Some(course), until })
    }

    /// A frame in which something is said: that of an object is where the hand holds it, or else where it was seen.
    fn frame_of(&self, frame: &Frame) -> Result<Isometry3<f64>, Refusal> {
        let question = self.question;
        match frame {
            Frame::Base => Ok(question.base_in_odom),
            Frame::Odometry => Ok(Isometry3::identity()),
            Frame::Object(model) => match question.held[question.arm].filter(|held| held.model == *model) {
                Some(held) => Ok(self.hand() * held.pose_in_hand),
                None => {
                    let object = question.known.nearest(model, &self.hand());
                    Ok(object.ok_or(HandFailure::NoObject(*model))?.pose_in_odom)
                }
            },
        }
    }
}
