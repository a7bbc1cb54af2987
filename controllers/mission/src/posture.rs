//! Arms, hands and torso into a named pose, all joints arriving together (digest MOM-20).

use robot_io::{Commands, JointCommand, JointKind, Period, Readings, State, Time};
use robot_model::RobotModel;

/// Peak speed of a minimum-jerk motion relative to its mean: 15/8 (Flash and Hogan, 1985).
pub(crate) const PEAK_OVER_MEAN: f64 = 1.875;
/// The share of a joint's top speed that a motion uses.
const SPEED_SHARE: f64 = 0.4;
/// No motion is shorter than this [s].
pub(crate) const SHORTEST: f64 = 0.5;

/// Moves the joints that do not carry the robot. Until the first pose is ordered it touches nothing.
#[derive(Clone, Debug, State)]
pub struct Posture {
    #[state(fixed)]
    joints: Vec<PostureJoint>,
    #[state(fixed)]
    poses: Vec<Vec<f64>>,
    pose: Option<usize>,
    from: Vec<f64>,
    begun: Time,
    duration: f64,
}

/// A joint that does not carry the robot.
#[derive(Clone, Copy, Debug)]
pub struct PostureJoint {
    index: usize,
    /// Stiffness with which it is held [N·m/rad or N/m].
    pub stiffness: f64,
    /// Damping with which it is held [N·m·s/rad or N·s/m].
    pub damping: f64,
    /// How fast it is moved at most [rad/s or m/s].
    pub speed: f64,
}

impl PostureJoint {
    /// Its index in the layout.
    pub fn index(&self) -> usize {
        self.index
    }
}

/// For each joint of a robot, whether it can be moved by hand: it does not carry the robot and has ends.
pub fn movable(model: &RobotModel) -> Vec<bool> {
    let posture = Posture::new(model);
    (0..model.tree.joints.len()).map(|joint| posture.joint(joint).is_some()).collect()
}

impl Posture {
    /// The posture of everything but limbs with wheels or feet, and joints that turn without end.
    pub fn new(model: &RobotModel) -> Posture {
        let description = &model.description;
        let carries = |joint: usize| {
            let of_limb = |limb: usize| description.limbs.get(limb).is_some_and(|limb| limb.joints.contains(&joint));
            description.wheels.iter().any(|w| w.drive_joint == joint || w.steer_joint == joint || of_limb(w.limb))
                || description.feet.iter().any(|foot| of_limb(foot.limb))
        };
        let joints = model.tree.joints.iter().enumerate();
        let joints = joints.filter(|(index, joint)| joint.kind != JointKind::Continuous && !carries(*index));
        let joints: Vec<PostureJoint> = joints
            .map(|(index, joint)| {
                let settings = description.joints[index];
                let speed = SPEED_SHARE * joint.limits.velocity;
                PostureJoint { index, stiffness: settings.stiffness, damping: settings.damping, speed }
            })
            .collect();
        let of_joints = |positions: &[f64]| joints.iter().map(|joint| positions[joint.index]).collect();
        let poses = description.poses.iter().map(|pose| of_joints(&pose.positions)).collect();
        let from = vec![0.0; joints.len()];
        Posture { joints, poses, pose: None, from, begun: Time::ZERO, duration: SHORTEST }
    }

    /// A joint of the robot, if it is one of these.
    pub fn joint(&self, joint: usize) -> Option<&PostureJoint> {
        self.joints.iter().find(|known| known.index == joint)
    }

    /// All of them, in the layout's order.
    pub fn joints(&self) -> &[PostureJoint] {
        &self.joints
    }

    /// Forgets what was ordered.
    pub fn reset(&mut self) {
        self.pose = None;
    }

    /// Begins to move to the pose with this index in the robot's description, from where `commands` last held it.
    pub fn go_to(&mut self, pose: usize, readings: &Readings, commands: &Commands) {
        self.set_out(pose, readings.time, |joint| {
            let held = &commands.joints[joint];
            if held.stiffness > 0.0 { held.position } else { readings.joints[joint].position }
        });
    }

    /// The robot follows again after a stop in which joints may have sunk: the way into the ordered pose begins anew from where they are.
    pub fn take_up(&mut self, readings: &Readings) {
        if let Some(pose) = self.pose {
            self.set_out(pose, readings.time, |joint| readings.joints[joint].position);
        }
    }

    fn set_out(&mut self, pose: usize, now: Time, begins_at: impl Fn(usize) -> f64) {
        let Some(target) = self.poses.get(pose) else { return };
        (self.pose, self.begun, self.duration) = (Some(pose), now, SHORTEST);
        for ((joint, from), to) in self.joints.iter().zip(&mut self.from).zip(target) {
            *from = begins_at(joint.index);
            self.duration = self.duration.max(PEAK_OVER_MEAN * (to - *from).abs() / joint.speed.max(1e-3));
        }
    }

    /// How far the worst joint is from its place in the ordered pose [rad]; zero if none was ordered.
    pub fn error(&self, readings: &Readings) -> f64 {
        let Some(target) = self.pose.and_then(|pose| self.poses.get(pose)) else { return 0.0 };
        let errors =
            self.joints.iter().zip(target).map(|(joint, to)| (to - readings.joints[joint.index].position).abs());
        errors.fold(0.0, f64::max)
    }

    /// Writes the joints' commands.
    pub fn update(&self, now: Time, commands: &mut Commands) {
        let Some(target) = self.pose.and_then(|pose| self.poses.get(pose)) else { return };
        let (share, rate) = minimum_jerk(now.since(self.begun), self.duration);
        for ((joint, from), to) in self.joints.iter().zip(&self.from).zip(target) {
            let command = &mut commands.joints[joint.index];
            // what locomotion feeds forward against gravity stays
            let (position, velocity) = (from + share * (to - from), rate * (to - from));
            let PostureJoint { stiffness, damping, .. } = *joint;
            *command = JointCommand { position, velocity, stiffness, damping, ..*command };
        }
    }
}

/// The share of a motion that is done, and its rate of change [1/s] (Flash and Hogan, "The coordination of arm
/// movements", 1985, equation 1).
pub(crate) fn minimum_jerk(elapsed: Period, duration: f64) -> (f64, f64) {
    if elapsed.seconds() >= duration {
        return (1.0, 0.0);
    }
    let t = elapsed.seconds() / duration;
    let share = t * t * t * (10.0 - 15.0 * t + 6.0 * t * t);
    (share, 30.0 * t * t * (1.0 - 2.0 * t + t * t) / duration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_starts_and_ends_at_rest_and_peaks_in_its_middle() {
        let at = |ms| minimum_jerk(Period::from_milliseconds(ms), 2.0);
        assert_eq!(at(0), (0.0, 0.0));
        assert_eq!(at(2_000), (1.0, 0.0));
        assert_eq!(at(9_000), (1.0, 0.0));
        let (share, rate) = at(1_000);
        assert!((share - 0.5).abs() < 1e-12 && (rate - PEAK_OVER_MEAN / 2.0).abs() < 1e-12);
    }
}
