//! How a robot on two feet falls.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// When a fall is said to begin, and what the robot does then. The figures are ours, found with the humanoid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct FallSettings {
    /// False to fall as it comes: joints are damped once the robot lies.
    #[setting(true)]
    pub reflex: bool,
    /// How a fall is foreseen.
    pub foresight: ForesightSettings,
    /// How the body is held meanwhile.
    pub posture: FallPosture,
}

/// When a fall can no longer be averted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct ForesightSettings {
    /// Base leans that far, or will do so soon [rad].
    #[setting(0.7, range = 0.1..=1.5)]
    pub lean: f64,
    /// How soon [s].
    #[setting(0.15, not_negative)]
    pub ahead: f64,
    /// The centre of mass is lower over the lowest sole than it shall be by this share of its height.
    #[setting(0.5, share)]
    pub sunk: f64,
    /// Divergent component of motion (DCM) is that far outside of the soles' common outline [m].
    #[setting(0.5, positive)]
    pub beyond: f64,
    /// The same while no step can bring the robot to rest any more, as the gait finds [m].
    #[setting(0.3, positive)]
    pub lost: f64,
    /// For how long one of these must hold without a break [s].
    #[setting(0.03, not_negative)]
    pub sure: f64,
    /// At this angle from the vertical a pendulum from the soles to the centre of mass ends: the ground is met [rad].
    #[setting(1.1, range = 0.3..=1.57)]
    pub impact: f64,
}

/// How the body is held while it falls.
///
/// Places of hands are seen from their shoulders, as shares of the stretched arm's length: ahead, outwards, up; those of soles from their hips, as shares
/// of the stretched leg's. A fall between front and side, or back and side, has places between theirs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct FallPosture {
    /// Hands when it falls on its front.
    #[setting([0.7, 0.15, 0.1], range = -1.0..=1.0)]
    pub forward_hands: [f64; 3],
    /// Hands when it falls on its back.
    #[setting([0.3, 0.2, -0.7], range = -1.0..=1.0)]
    pub backward_hands: [f64; 3],
    /// The hand on the side to which it falls.
    #[setting([0.2, 0.65, -0.1], range = -1.0..=1.0)]
    pub near_hand: [f64; 3],
    /// The hand on the other side then.
    #[setting([0.55, 0.1, -0.2], range = -1.0..=1.0)]
    pub far_hand: [f64; 3],
    /// Soles when it falls on its front: behind it, so that its knees meet the ground.
    #[setting([-0.45, 0.0, -0.5], range = -1.0..=1.0)]
    pub forward_feet: [f64; 3],
    /// Soles when it falls on its back: before it, so that it sits down.
    #[setting([0.2, 0.0, -0.5], range = -1.0..=1.0)]
    pub backward_feet: [f64; 3],
    /// Soles when it falls to a side.
    #[setting([0.0, 0.0, -0.5], range = -1.0..=1.0)]
    pub sideways_feet: [f64; 3],
    /// True to hold hands out as soon as a fall is foreseen, false to do so only when balance is given up: arms that swing cost balance, and
    /// with it speed that the legs would have taken out of the fall.
    #[setting(false)]
    pub early: bool,
    /// Joints move into it so fast [rad/s].
    #[setting(5.0, positive)]
    pub speed: f64,
    /// Share of the servos' stiffness until shortly before the ground is met, and from then on.
    #[setting([1.0, 0.05], range = 0.0..=1.0)]
    pub stiffness: [f64; 2],
    /// The same of their damping.
    #[setting([1.0, 1.0], range = 0.0..=1.0)]
    pub damping: [f64; 2],
    /// The servos' springs pull with no more than this share of the peak effort.
    #[setting(0.6, share)]
    pub effort: f64,
    /// The same of the legs' servos: enough to move a leg in the air, and too little to throw up the body that still stands on it.
    #[setting(0.1, share)]
    pub leg_effort: f64,
    /// Joints become soft so long before the ground is met [s].
    #[setting(0.03, not_negative)]
    pub yields: f64,
    /// It lies still when its base has turned slower than this for half a second [rad/s].
    #[setting(0.2, positive)]
    pub still: f64,
}
