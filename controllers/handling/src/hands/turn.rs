//! Around an axis: what hangs on a hinge is moved by a hand that holds it, or leans on it.

use manipulation::{Arc, Way};
use nalgebra::{Isometry3, Unit};

use super::course::Course;
use super::goal::{Frame, HandFailure, Turn};
use super::plan::{Leg, Planned, Refusal, Work};
use super::scene::Touch;

/// An axis has a direction that is longer than this.
const LEAST_AXIS: f64 = 1e-6;

impl Work<'_> {
    /// On the arc. What is turned is known where it was: only the robot itself is minded.
    pub fn turn(&self, turn: &Turn) -> Result<Planned, Refusal> {
        let frame = self.frame_of(&turn.frame)?;
        let axis = Unit::try_new(frame.rotation * turn.axis, LEAST_AXIS).ok_or(HandFailure::BadGoal)?;
        let Turn { by, keep, .. } = *turn;
        let about = (frame * nalgebra::Point3::from(turn.about)).coords;
        let course = Course::arc(self.hand(), &Arc { about, axis, by, keep });
        let in_base = self.question.base_in_odom.inverse();
        let about = (in_base * nalgebra::Point3::from(about)).coords;
        let arc = Arc { about, axis: in_base.rotation * axis, by, keep };
        let pose_in_base = arc.pose(&(in_base * self.hand()), 1.0);
        let mut checker = self.checker(Touch::Hinged, &self.question.body.close)?;
        let (path, _) =
            self.hand_path((Way::Arc(arc), pose_in_base), &self.question.joints, Touch::Hinged, &mut checker)?;
        let way = self.timed_at(path, self.question.speed)?;
        let until = Some(turn.until);
        let leg = Leg { way, touch: Touch::Hinged, is_close: true, course: Some(course), until };
        Ok(Planned { legs: vec![leg], ..Planned::default() })
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
