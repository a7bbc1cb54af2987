//! From keyframes to a way of joints.

use nalgebra::Isometry3;
use robot_model::Tree;

use super::error::MotionError;
use super::follow::{Hand, between, gap};
use super::keyframe::{Keyframe, LimbGoal, Motion, Reference, Way, adapted};
use crate::checker::Checker;
use crate::error::{ManipulationError, check_number, check_numbers};
use crate::ik::{IkSettings, InverseKinematics};
use crate::kinematics::SerialChain;
use crate::path::{JointPath, PathSettings};

/// How keyframes become a way.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionSettings {
    /// Hands that go straight are led through poses so far from each other [m].
    pub step: f64,
    /// And turned by so much [rad].
    pub turn: f64,
    /// No joint may turn or slide farther than this from one such pose to the next [rad or m].
    pub jump: f64,
    /// How corners between keyframes are rounded.
    pub path: PathSettings,
    /// How joints are looked for.
    pub ik: IkSettings,
}

impl Default for MotionSettings {
    fn default() -> Self {
        let (path, ik) = (PathSettings::default(), IkSettings::default());
        MotionSettings { step: 0.01, turn: 0.05, jump: 0.3, path, ik }
    }
}

/// Makes ways of a group of joints from motions: of one limb, or of several that arrive together.
#[derive(Clone, Debug)]
pub struct KeyframePlanner {
    tree: Tree,
    group: Vec<usize>,
    hands: Vec<Hand>,
    settings: MotionSettings,
}

/// What has been found of a way as yet.
struct Draft {
    path: Option<JointPath>,
    /// Corners since the last straight way of a hand, and where everything stops.
    corners: Vec<Vec<f64>>,
    stops: Vec<bool>,
}

impl KeyframePlanner {
    /// For the joints of a group (their indices in the tree) with hands at the tips of chains whose joints are of the group.
    pub fn new(
        tree: &Tree,
        group: &[usize],
        hands: Vec<SerialChain>,
        settings: MotionSettings,
    ) -> Result<KeyframePlanner, ManipulationError> {
        let part = "settings of a motion";
        check_number(part, "step", (1e-4, 1.0), "m", settings.step)?;
        check_number(part, "turn", (1e-4, 1.0), "rad", settings.turn)?;
        check_number(part, "jump", (1e-3, 10.0), "rad or m", settings.jump)?;
        if let Some(joint) = group.iter().find(|joint| **joint >= tree.dof()) {
            return Err(ManipulationError::refused("joints that move", "joint", "indices in the tree", joint));
        }
        let hand = |chain: SerialChain| {
            Hand::new(tree, group, InverseKinematics::new(chain, settings.ik.clone())?, &settings.ik)
        };
        let hands = hands.into_iter().map(hand).collect::<Result<Vec<Hand>, _>>()?;
        Ok(KeyframePlanner { tree: tree.clone(), group: group.to_vec(), hands, settings })
    }

    /// The way of a motion from where the robot's joints are (all of the tree), relative to where the objects are perceived.
    ///
    /// With a checker of the same group the way is free of collisions, or the answer says what is in the way. A motion is
    /// gone as it was made: no way around is looked for.
    pub fn path(
        &self,
        motion: &Motion,
        perceived: &[Reference],
        joints: &[f64],
        mut checker: Option<&mut Checker>,
    ) -> Result<JointPath, MotionError> {
        check_numbers("where the robot is", "positions", self.tree.dof(), joints)?;
        if let Some(checker) = checker.as_ref().filter(|checker| checker.joints() != self.group) {
            let expected = format!("{:?}, those of the motion", self.group);
            let found = format!("{:?}", checker.joints());
            return Err(ManipulationError::refused("a checker", "joints", expected, found).into());
        }
        let mut all = joints.to_vec();
        let begin: Vec<f64> = self.group.iter().map(|joint| joints[*joint]).collect();
        let mut draft = Draft { path: None, corners: vec![begin], stops: vec![false] };
        for keyframe in &motion.keyframes {
            let goals = self.hand_goals(motion, keyframe, perceived)?;
            match keyframe.way {
                Way::Joints => {
                    let corner = self.corner(keyframe, &goals, &mut all, checker.as_deref_mut())?;
                    draft.corners.push(corner);
                    draft.stops.push(keyframe.stops);
                }
                Way::Cartesian | Way::Arc(_) => {
                    draft.close(&self.settings.path, checker.as_deref_mut())?;
                    let line = self.line(keyframe, &goals, &mut all)?;
                    draft.add(JointPath::along(&line)?)?;
                    draft.corners = vec![line.last().cloned().unwrap_or_default()];
                    draft.stops = vec![true];
                }
            }
        }
        draft.close(&self.settings.path, checker.as_deref_mut())?;
        let path = match draft.path {
            Some(path) => path,
            None => JointPath::through(&draft.corners, &draft.stops, &self.settings.path, None)?,
        };
        match checker.map(|checker| path.collision(checker, None)).transpose()?.flatten() {
            Some(collision) => Err(MotionError::Collision(collision)),
            None => Ok(path),
        }
    }

    /// The hands that a keyframe moves, and their goals in the base's frame.
    fn hand_goals(
        &self,
        motion: &Motion,
        keyframe: &Keyframe,
        perceived: &[Reference],
    ) -> Result<Vec<(&Hand, Isometry3<f64>)>, MotionError> {
        let mut goals = Vec::new();
        for goal in &keyframe.goals {
            let LimbGoal::Hand { hand: link, pose_in_base, relative_to } = goal else { continue };
            let hand = self.hands.iter().find(|hand| hand.link() == *link).ok_or_else(|| {
                let known: Vec<usize> = self.hands.iter().map(Hand::link).collect();
                let part = format!("keyframe \"{}\"", keyframe.name);
                ManipulationError::refused(&part, "hand", format!("one of the links {known:?}"), link)
            })?;
            let pose = match relative_to {
                None => *pose_in_base,
                Some(object) => {
                    let find = |among: &[Reference], what: &'static str| {
                        let found = among.iter().find(|reference| reference.object == *object);
                        found.map(|reference| reference.pose_in_base).ok_or_else(|| MotionError::UnknownObject {
                            keyframe: keyframe.name.clone(),
                            object: object.clone(),
                            among: what,
                        })
                    };
                    let reference = find(&motion.references, "the motion's references")?;
                    adapted(&find(perceived, "perceived")?, &reference, pose_in_base)
                }
            };
            goals.push((hand, pose));
        }
        Ok(goals)
    }

    /// The positions that a keyframe gives to joints, as places in the group and positions.
    fn joint_goals(&self, keyframe: &Keyframe) -> Result<Vec<(usize, f64)>, MotionError> {
        let mut goals = Vec::new();
        for goal in &keyframe.goals {
            let LimbGoal::Joint { joint, position } = goal else { continue };
            let part = format!("keyframe \"{}\"", keyframe.name);
            let place =
                self.group.iter().position(|moved| moved == joint).ok_or_else(|| {
                    ManipulationError::refused(&part, "joint", format!("one of {:?}", self.group), joint)
                })?;
            let limits = &self.tree.joints[*joint].limits;
            check_number(&part, "position", (limits.lower, limits.upper), "rad or m", *position)?;
            goals.push((place, *position));
        }
        Ok(goals)
    }

    /// Where a keyframe leads in the space of joints; `all` is moved there.
    fn corner(
        &self,
        keyframe: &Keyframe,
        goals: &[(&Hand, Isometry3<f64>)],
        all: &mut [f64],
        mut checker: Option<&mut Checker>,
    ) -> Result<Vec<f64>, MotionError> {
        let mut positions: Vec<f64> = self.group.iter().map(|joint| all[*joint]).collect();
        self.joint_goals(keyframe)?.into_iter().for_each(|(place, position)| positions[place] = position);
        self.write(&positions, all);
        for (index, (hand, pose)) in goals.iter().enumerate() {
            // hands that have not moved yet may still be in the way
            let is_last = index + 1 == goals.len();
            let mut accepts = |whole: &[f64]| {
                !is_last || checker.as_deref_mut().is_none_or(|checker| checker.hit_at(whole).is_none())
            };
            let outcome = hand.reach((&self.tree, all), pose, &mut positions, Some(&mut accepts))?;
            if !outcome.reached {
                let keyframe = keyframe.name.clone();
                return Err(MotionError::OutOfReach { keyframe, hand: hand.link(), outcome });
            }
            self.write(&positions, all);
        }
        Ok(positions)
    }

    /// Configurations that lead hands straight to their goals, or on an arc, and joints evenly to theirs; `all` is moved there.
    fn line(
        &self,
        keyframe: &Keyframe,
        goals: &[(&Hand, Isometry3<f64>)],
        all: &mut [f64],
    ) -> Result<Vec<Vec<f64>>, MotionError> {
        let begin: Vec<f64> = self.group.iter().map(|joint| all[*joint]).collect();
        let joints = self.joint_goals(keyframe)?;
        let mut number = 2.0_f64;
        let mut hands = Vec::new();
        for (hand, goal) in goals {
            let from = hand.pose(&self.tree, all)?;
            let [way, turn] = match keyframe.way {
                Way::Arc(arc) => [arc.radius(&from.translation.vector) * arc.by.abs(), arc.by.abs()],
                Way::Joints | Way::Cartesian => gap(&from, goal),
            };
            number = number.max(way / self.settings.step).max(turn / self.settings.turn);
            hands.push((*hand, from, *goal));
        }
        for (place, position) in &joints {
            number = number.max((position - begin[*place]).abs() / self.settings.turn);
        }
        let number = number.ceil() as usize;
        let mut line = vec![begin.clone()];
        let mut positions = begin.clone();
        for step in 1..=number {
            let share = step as f64 / number as f64;
            let before = positions.clone();
            for (place, position) in &joints {
                positions[*place] = begin[*place] + share * (position - begin[*place]);
            }
            self.write(&positions, all);
            for (hand, from, to) in &hands {
                let pose = match keyframe.way {
                    Way::Arc(arc) => arc.pose(from, share),
                    Way::Joints | Way::Cartesian => between(from, to, share),
                };
                let outcome = hand.reach((&self.tree, all), &pose, &mut positions, None)?;
                let (keyframe, hand) = (keyframe.name.clone(), hand.link());
                if !outcome.reached {
                    return Err(MotionError::OutOfReach { keyframe, hand, outcome });
                }
                let found = before.iter().zip(&positions).map(|(one, two)| (one - two).abs()).fold(0.0, f64::max);
                if found > self.settings.jump {
                    return Err(MotionError::Jump { keyframe, hand, most: self.settings.jump, found });
                }
                self.write(&positions, all);
            }
            line.push(positions.clone());
        }
        Ok(line)
    }

    fn write(&self, positions: &[f64], all: &mut [f64]) {
        self.group.iter().zip(positions).for_each(|(joint, position)| all[*joint] = *position);
    }
}

impl Draft {
    /// Makes a way of the corners, if there are any.
    fn close(&mut self, settings: &PathSettings, checker: Option<&mut Checker>) -> Result<(), ManipulationError> {
        if self.corners.len() < 2 {
            return Ok(());
        }
        let path = JointPath::through(&self.corners, &self.stops, settings, checker)?;
        self.corners.clear();
        self.stops.clear();
        self.add(path)
    }

    fn add(&mut self, path: JointPath) -> Result<(), ManipulationError> {
        self.path = Some(match self.path.take() {
            Some(before) => before.then(path)?,
            None => path,
        });
        Ok(())
    }
}
