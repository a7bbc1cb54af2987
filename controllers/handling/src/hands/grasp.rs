//! Taking an object: which of all grasps can be reached, and how.

use manipulation::{Checker, Grasp};
use nalgebra::{Isometry3, Vector3};
use robot_io::ShortName;

use super::goal::{HandFailure, Taking};
use super::plan::{ENOUGH, Grip, Leg, Planned, Question, Refusal, Work, refused};
use super::scene::{HeldThing, Touch};
use crate::known::KnownObject;

/// A hand comes straight to an object from so far [m]; chosen.
const BEFORE: f64 = 0.1;
/// And so fast: share of the joints' top speeds.
const SLOW: f64 = 0.1;
/// What holds against a hand that comes with this force is not what it comes to grasp [N].
const PUSHED: f64 = 25.0;

/// A hand that shall point somewhere may be so far from that [rad]; chosen.
const ABOUT: f64 = 0.6;

/// On an arc of a hand whose base gives way joints stay so far from their ends [rad or m]; chosen, half of what they are led beside their way …
const ROOM: f64 = 0.12;
/// … by so many looks.
const LOOKS: u32 = 12;

/// A grasp that can be reached.
struct Reachable {
    grasp: Grasp,
    before: Vec<f64>,
    approach: Leg,
}

impl Work<'_> {
    pub fn grasp(&self, taking: &Taking) -> Result<Planned, Refusal> {
        let Question { body, known, base_in_odom, .. } = self.question;
        let Taking { model, pointing, side, force, .. } = taking;
        let thing = body.things.iter().position(|thing| thing.name == *model).ok_or(HandFailure::NoModel(*model))?;
        let object = known.nearest(model, &self.hand()).ok_or(HandFailure::NoObject(*model))?;
        let pointing = pointing.map(|pointing| base_in_odom.rotation * pointing);
        let points = |grasp: &&Grasp| {
            let ahead = object.pose_in_odom.rotation * grasp.hand_in_object.rotation * Vector3::x();
            pointing.is_none_or(|pointing| ahead.angle(&pointing) < ABOUT)
        };
        let side = side.map(|side| base_in_odom.rotation * side);
        let is_beside = |grasp: &&Grasp| {
            let beside = object.pose_in_odom.rotation * grasp.hand_in_object.translation.vector;
            side.is_none_or(|side| beside.dot(&side) > 0.0)
        };
        let fitting = self.setup.grasps[thing].iter().filter(points).filter(is_beside);
        let mut grasps: Vec<&Grasp> = fitting.collect();
        if taking.then.is_some() {
            // what is turned hangs on its hinge: its weight is none of the hand's, but it holds against it, and fingers press hardest near the palm
            grasps.sort_by(|one, other| other.over.total_cmp(&one.over));
        }
        let mut first: Option<f64> = None;
        let mut found: Vec<Reachable> = Vec::new();
        let mut blocked = (0, ShortName::default(), ShortName::default());
        // fingers at rest where they come to the object, for as long as grasps want them there
        let mut shaped: Option<(Question, [Checker; 2])> = None;
        for grasp in &grasps {
            if found.len() == ENOUGH {
                break;
            }
            // all ways are planned with the fingers in one place
            if first.is_some_and(|preshape| preshape != grasp.preshape) {
                continue;
            }
            let is_there = shaped.as_ref().is_some_and(|(question, _)| self.is_shaped(question, grasp.preshape));
            if !is_there {
                let question = self.with_fingers(grasp.preshape);
                let work = Work::new(&question)?;
                let touch = Touch::Object(object.id);
                let checkers = [work.checker(Touch::Nothing, &body.model)?, work.checker(touch, &body.close)?];
                shaped = Some((question, checkers));
            }
            let Some((question, checkers)) = &mut shaped else { continue };
            match Work::new(question).and_then(|work| work.reachable(object, (grasp, taking), checkers)) {
                Ok(reachable) => {
                    first = Some(grasp.preshape);
                    found.push(reachable);
                }
                Err(HandFailure::Blocked(one, other)) => blocked = (blocked.0 + 1, one, other),
                Err(_) => {}
            }
        }
        let (Some(preshape), Some((question, _))) = (first, &shaped) else {
            let (number, one, other) = blocked;
            return Err(HandFailure::NoGrasp(grasps.len() as u64, number, one, other));
        };
        let question = if self.is_shaped(question, preshape) { question.clone() } else { self.with_fingers(preshape) };
        let goals: Vec<Vec<f64>> = found.iter().map(|reachable| reachable.before.clone()).collect();
        let (chosen, mut legs) = Work::new(&question)?.around(Touch::Nothing, &goals)?;
        let Reachable { grasp, approach, .. } = found.swap_remove(chosen);
        let pose_in_hand = grasp.hand_in_object.inverse();
        let thing = HeldThing { model: *model, id: object.id, pose_in_hand };
        let object_in_base = base_in_odom.inv_mul(&object.pose_in_odom);
        let grip = Grip { preshape, width: grasp.width, force: *force, thing, object_in_base };
        legs.push(approach);
        Ok(Planned { legs, grasp: Some(grip), ..Planned::default() })
    }

    /// Whether a grasp can be reached, and its object be lifted, or turned.
    fn reachable(
        &self,
        object: &KnownObject,
        (grasp, taking): (&Grasp, &Taking),
        [free, touching]: &mut [Checker; 2],
    ) -> Result<Reachable, Refusal> {
        let in_odom = |hand: Isometry3<f64>| object.pose_in_odom * hand;
        let before = in_odom(grasp.before(BEFORE));
        let before = match taking.then {
            None => self.joints_at(&before, &self.start, free, |_| true)?,
            Some(_) => self.joints_at(&before, &self.start, free, |arm| {
                self.approach(object, (grasp, taking), arm, touching).is_ok()
            })?,
        };
        let approach = self.approach(object, (grasp, taking), &before, touching)?;
        Ok(Reachable { grasp: *grasp, before, approach })
    }

    /// From joints of the arm before the object straight to where it is taken, if it can be lifted from there, or turned.
    fn approach(
        &self,
        object: &KnownObject,
        (grasp, taking): (&Grasp, &Taking),
        before: &[f64],
        touching: &mut Checker,
    ) -> Result<Leg, Refusal> {
        let (touch, there) = (Touch::Object(object.id), object.pose_in_odom * grasp.hand_in_object);
        let (leg, end) = self.line(&there, &self.with_arm(before), touch, touching)?;
        match &taking.then {
            // nor may the hand meet on its arc what its grip hangs on: a wheel's disc, the cabinet of a door
            Some(turn) => {
                let arc = self.arc(&object.pose_in_odom, turn, &self.with_arm(&end), Touch::Grip(object.id))?;
                self.has_room(&arc)?;
            }
            None => {
                let up = Isometry3::from_parts(
                    (there.translation.vector + Vector3::z() * taking.lift).into(),
                    there.rotation,
                );
                self.line(&up, &self.with_arm(&end), touch, touching)?;
            }
        }
        Ok(Leg { way: self.timed_at(leg.way.path().clone(), SLOW)?, until: Some(PUSHED), ..leg })
    }

    /// Refuses a way on which a joint comes near its end, of a base that gives way: the arm has to make up for that.
    fn has_room(&self, leg: &Leg) -> Result<(), Refusal> {
        let robot = &self.question.body.robot;
        if robot.description.feet.is_empty() {
            return Ok(());
        }
        let (path, mut joints) = (leg.way.path(), vec![0.0; self.setup.joints.len()]);
        for place in 0..=LOOKS {
            path.at(path.length() * f64::from(place) / f64::from(LOOKS), &mut joints).map_err(refused)?;
            for (joint, position) in self.setup.joints.iter().zip(&joints) {
                let limits = &robot.tree.joints[*joint].limits;
                let room = (limits.upper - position).min(position - limits.lower);
                if room < ROOM {
                    return Err(HandFailure::OutOfReach(0.0, ROOM - room));
                }
            }
        }
        Ok(())
    }

    /// The question with the fingers at a share of their way.
    fn with_fingers(&self, share: f64) -> Question {
        let mut question = self.question.clone();
        let fingers = self.setup.hand.joints().iter().zip(self.setup.hand.positions(share));
        fingers.for_each(|(joint, position)| question.joints[*joint] = position);
        question
    }

    fn is_shaped(&self, question: &Question, share: f64) -> bool {
        let fingers = self.setup.hand.joints().iter().zip(self.setup.hand.positions(share));
        fingers.into_iter().all(|(joint, position)| question.joints[*joint] == position)
    }
}
