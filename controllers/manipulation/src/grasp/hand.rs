//! A hand that closes: how far apart its fingers are at which share, and how hard they press.

use nalgebra::Isometry3;
use robot_io::{JointCommand, JointState};
use robot_model::{RobotModel, description};

use super::build::{Skeleton, canonical};
use super::level::{LEVELS, Level};
use super::probe::Probe;
use crate::collision::CollisionModel;
use crate::error::ManipulationError;

/// The two sides from which fingers close: along the opening direction, and against it.
pub(super) const SIDES: [f64; 2] = [1.0, -1.0];

/// Fingers that close from two sides, by their exact solids.
///
/// At a share from 0 (open) to 1 (closed) each joint is as far from where it is open to where it is closed. The hand's frame
/// is that of [`Hand::link`]; x points ahead, away from the palm.
#[derive(Clone, Debug)]
pub struct Hand {
    name: String,
    link: usize,
    joints: Vec<usize>,
    /// Where each joint is open and closed.
    ends: Vec<[f64; 2]>,
    /// Stiffness and damping of each joint's servo.
    gains: Vec<[f64; 2]>,
    /// How fast each joint may go.
    speeds: Vec<f64>,
    force: f64,
    fingers: Vec<usize>,
    /// The frame in which grasps are planned, x ahead and z along the opening, in the hand's.
    pub(super) canonical_in_hand: Isometry3<f64>,
    /// In that frame.
    pub(super) palm: Vec<Probe>,
    pub(super) levels: Vec<Level>,
    /// How far a point of a finger goes from one level to the next at most [m].
    pub(super) step: f64,
}

impl Hand {
    /// The hand that the robot's file calls so. Refused are a name that it does not have, joints that are not held by a stiffness, fingers
    /// that are not on two sides or do not close, and a force that joints cannot give.
    pub fn new(robot: &RobotModel, name: &str, model: &CollisionModel) -> Result<Hand, ManipulationError> {
        let said = robot.description.hand(name).ok_or_else(|| {
            let known = robot.description.hands.iter().map(|hand| hand.name.as_str()).collect::<Vec<_>>().join(", ");
            let expected = if known.is_empty() { "a robot with hands".to_owned() } else { format!("one of {known}") };
            ManipulationError::refused("the robot", "hand", expected, format!("\"{name}\""))
        })?;
        let joints = robot.description.limbs[said.limb].joints.clone();
        let ends: Vec<[f64; 2]> = said.open.iter().zip(&said.closed).map(|(open, closed)| [*open, *closed]).collect();
        let gain = |joint: &usize| {
            let settings = &robot.description.joints[*joint];
            [settings.stiffness, settings.damping]
        };
        let gains: Vec<[f64; 2]> = joints.iter().map(gain).collect();
        if let Some([stiffness, _]) = gains.iter().find(|[stiffness, _]| *stiffness <= 0.0) {
            let part = format!("hand \"{name}\"");
            return Err(ManipulationError::refused(&part, "stiffness", "joints that hold a position", stiffness));
        }
        let speeds = joints.iter().map(|joint| robot.tree.joints[*joint].limits.velocity).collect();
        let skeleton = Skeleton::new(robot, said, model)?;
        let share = |level: usize| level as f64 / (LEVELS - 1) as f64;
        let levels: Vec<Level> = (0..LEVELS).map(|level| skeleton.level(share(level), &ends)).collect();
        let hand = Hand {
            name: name.to_owned(),
            link: said.link,
            joints,
            ends,
            gains,
            speeds,
            force: said.force,
            fingers: skeleton.links(),
            canonical_in_hand: canonical(said),
            palm: skeleton.palm,
            step: levels.windows(2).map(|pair| pair[0].farthest(&pair[1])).fold(1e-6, f64::max),
            levels,
        };
        hand.check(robot, said).map(|()| hand)
    }

    fn check(&self, robot: &RobotModel, said: &description::Hand) -> Result<(), ManipulationError> {
        let part = format!("hand \"{}\"", self.name);
        for level in &self.levels {
            let closes = (0..2).all(|side| level.closing(side, &self.ends) > 0.0);
            if !closes {
                let expected = "fingers of both sides that move inwards all the way from open to closed";
                return Err(ManipulationError::refused(&part, "closed", expected, format!("not at {}", level.share)));
            }
            for (place, joint) in self.joints.iter().enumerate() {
                let class = robot.description.actuator_of(*joint).map_or(f64::INFINITY, |class| class.peak_effort);
                let most = robot.tree.joints[*joint].limits.effort.min(class);
                let effort = said.force * level.effort(place).abs();
                if effort > most {
                    let joint = &robot.tree.joints[*joint].name;
                    let expected = format!("at most {most} N·m or N at \"{joint}\"");
                    return Err(ManipulationError::refused(&part, "force", expected, effort));
                }
            }
        }
        Ok(())
    }

    /// Its name in the robot's file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The link whose frame is the hand's, by its index in the tree.
    pub fn link(&self) -> usize {
        self.link
    }

    /// The fingers' independent joints, by their indices in the tree.
    pub fn joints(&self) -> &[usize] {
        &self.joints
    }

    /// The links that move when it closes, by their indices in the tree.
    pub fn fingers(&self) -> &[usize] {
        &self.fingers
    }

    /// The force with which the fingers of either side may press for long, all together [N].
    pub fn force(&self) -> f64 {
        self.force
    }

    /// Where its joints are at a share, in their order [rad or m].
    pub fn positions(&self, share: f64) -> Vec<f64> {
        (0..self.joints.len()).map(|place| self.position(place, share)).collect()
    }

    /// How far apart the fingers are along the opening direction [m]: between the innermost points of their last links. Negative where fingers
    /// have passed each other.
    pub fn width(&self, share: f64) -> f64 {
        self.width_of([share; 2])
    }

    /// The share at which the fingers are so far apart [m]: the first on the way from open to closed. 0 if they never are as far apart, 1 if
    /// they never come as near.
    pub fn share_for(&self, width: f64) -> f64 {
        let gap = |level: &Level| level.reach[0] - level.reach[1];
        let Some(after) = self.levels.iter().position(|level| gap(level) <= width) else { return 1.0 };
        if after == 0 {
            return 0.0;
        }
        let (wide, narrow) = (&self.levels[after - 1], &self.levels[after]);
        let part = (gap(wide) - width) / (gap(wide) - gap(narrow));
        wide.share + part * (narrow.share - wide.share)
    }

    /// How far the fingers reach beyond the palm at a share, along x [m].
    pub fn depth(&self, share: f64) -> f64 {
        self.tip(share) - self.palm_front()
    }

    /// Where the fingers end at a share, along x of the hand's frame [m].
    pub fn tip(&self, share: f64) -> f64 {
        let level = &self.levels[(share.clamp(0.0, 1.0) * (LEVELS - 1) as f64).round() as usize];
        let probes = level.sides.iter().flatten();
        probes.map(|probe| probe.center.x + probe.radius).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Where the palm ends, along x of the hand's frame [m].
    pub fn palm_front(&self) -> f64 {
        self.palm.iter().map(|probe| probe.center.x + probe.radius).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The share of the fingers of each side as it is measured by all joints of the robot: along the opening direction, and against it. The
    /// innermost point of a side's fingers is where it is at that share, to the first order.
    pub fn shares(&self, joints: &[JointState]) -> [f64; 2] {
        [0, 1].map(|side| {
            let rough = &self.levels[LEVELS / 2];
            let drives = |place: &usize| rough.inward[side][*place] * self.range(*place) > 0.0;
            let (mut moved, mut whole) = (0.0, 0.0);
            for place in (0..self.joints.len()).filter(drives) {
                let inward = rough.inward[side][place];
                moved += inward * (self.measured(joints, place).position - self.ends[place][0]);
                whole += inward * self.range(place);
            }
            let share = moved / whole;
            let (level, rate) = self.near(share, side);
            let off = |place: usize| {
                level.inward[side][place] * (self.measured(joints, place).position - self.position(place, share))
            };
            share + (0..self.joints.len()).map(off).sum::<f64>() / rate
        })
    }

    /// How fast these shares change [1/s].
    pub fn rates(&self, joints: &[JointState]) -> [f64; 2] {
        let shares = self.shares(joints);
        [0, 1].map(|side| {
            let (level, rate) = self.near(shares[side], side);
            let inward = |place: usize| level.inward[side][place] * self.measured(joints, place).velocity;
            (0..self.joints.len()).map(inward).sum::<f64>() / rate
        })
    }

    /// How far apart the fingers' innermost points are, by the shares of both sides [m].
    pub fn width_of(&self, shares: [f64; 2]) -> f64 {
        self.reach(0, shares[0]) - self.reach(1, shares[1])
    }

    /// The force with which either side presses, by what the drives say of themselves [N]: the best fit to all joints. Friction in the
    /// gears is not taken out.
    pub fn pressing(&self, joints: &[JointState]) -> f64 {
        let [one, other] = self.shares(joints);
        let (level, _) = self.near(0.5 * (one + other), 0);
        let (mut product, mut square) = (0.0, 0.0);
        for place in 0..self.joints.len() {
            let wanted = level.effort(place);
            product += wanted * self.measured(joints, place).effort;
            square += wanted * wanted;
        }
        product / square
    }

    /// The servo's effort at a joint that presses with a force of 1 N of either side's fingers, where the hand is at a share [N·m/N].
    pub(super) fn effort(&self, place: usize, share: f64) -> f64 {
        let (level, next, part) = self.around(share);
        level.effort(place) + part * (next.effort(place) - level.effort(place))
    }

    /// Whether a joint's own way from open to closed presses; else it only keeps fingers in shape.
    pub(super) fn presses(&self, place: usize) -> bool {
        self.levels[LEVELS / 2].effort(place) * self.range(place) > 0.0
    }

    /// Which side's fingers a joint moves more.
    pub(super) fn side(&self, place: usize) -> usize {
        let level = &self.levels[LEVELS / 2];
        usize::from(level.inward[1][place].abs() > level.inward[0][place].abs())
    }

    /// A joint at a position with the servo's own gains.
    pub(super) fn hold(&self, place: usize, position: f64) -> JointCommand {
        let [stiffness, damping] = self.gains[place];
        JointCommand::hold(position, stiffness, damping)
    }

    /// How stiff a joint's servo is [N·m/rad or N/m].
    pub(super) fn stiffness(&self, place: usize) -> f64 {
        self.gains[place][0]
    }

    /// How fast a joint may go [rad/s or m/s].
    pub(super) fn speed(&self, place: usize) -> f64 {
        self.speeds[place]
    }

    /// Where a joint is at a share [rad or m].
    pub(super) fn position(&self, place: usize, share: f64) -> f64 {
        self.ends[place][0] + share * self.range(place)
    }

    /// How far a joint goes from open to closed [rad or m].
    pub(super) fn range(&self, place: usize) -> f64 {
        self.ends[place][1] - self.ends[place][0]
    }

    pub(super) fn measured<'j>(&self, joints: &'j [JointState], place: usize) -> &'j JointState {
        const NONE: JointState = JointState {
            stamp: robot_io::Time::ZERO,
            position: 0.0,
            velocity: 0.0,
            effort: 0.0,
            temperature: 0.0,
            status: robot_io::JointStatus(0),
        };
        joints.get(self.joints[place]).unwrap_or(&NONE)
    }

    /// Where the innermost point of a side's fingers is along the opening direction [m].
    pub(super) fn reach(&self, side: usize, share: f64) -> f64 {
        let (level, next, part) = self.around(share);
        level.reach[side] + part * (next.reach[side] - level.reach[side])
    }

    /// The nearest level, and how far a side's fingers go inwards there per share [m].
    fn near(&self, share: f64, side: usize) -> (&Level, f64) {
        let (level, next, part) = self.around(share);
        let level = if part < 0.5 { level } else { next };
        (level, level.closing(side, &self.ends))
    }

    /// The levels before and after a share, and the part of the way between them.
    fn around(&self, share: f64) -> (&Level, &Level, f64) {
        let place = share.clamp(0.0, 1.0) * (LEVELS - 1) as f64;
        let before = (place as usize).min(LEVELS - 2);
        (&self.levels[before], &self.levels[before + 1], place - before as f64)
    }
}
