//! What is wanted of the body, as plain data.
//!
//! Each task wants an acceleration of what it looks at: a = a* + 2ζω (v* − v) + ω² (p* − p), with a natural frequency ω
//! and a damping ratio ζ. Tasks of a lower level number are kept strictly before those of a higher one; within a level
//! weights decide.

mod bound;
mod file;

use nalgebra::{Isometry3, Vector3, Vector6};
use robot_io::{State, StateVisitor};
use serde::{Deserialize, Serialize};

pub(crate) use bound::{BoundTask, find_link};

/// One thing that is wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, State)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its name, unique in the list.
    #[state(fixed)]
    pub name: String,
    /// Its priority, 0 first.
    #[state(fixed)]
    pub level: usize,
    /// How much it counts within its level.
    pub weight: f64,
    /// Natural frequency ω [rad/s]: how stiffly errors are put right.
    pub frequency: f64,
    /// Damping ratio ζ [1]; 1 does not overshoot.
    pub damping_ratio: f64,
    /// What it looks at and what is wanted of that.
    pub goal: Goal,
}

/// What a task looks at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Goal {
    /// The centre of mass.
    CenterOfMass(CenterOfMass),
    /// The angular momentum about the centre of mass.
    AngularMomentum(AngularMomentum),
    /// Where a link is and how it is turned.
    Pose(Pose),
    /// Where joints are.
    Posture(Posture),
    /// What a link looks at.
    Gaze(Gaze),
}

/// Where the centre of mass should be, along the world's axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, State)]
#[serde(deny_unknown_fields)]
pub struct CenterOfMass {
    /// Which axes count.
    pub axes: [bool; 3],
    /// Position in the world [m].
    pub position: Vector3<f64>,
    /// Velocity in the world [m/s].
    pub velocity: Vector3<f64>,
    /// Acceleration in the world [m/s²].
    pub acceleration: Vector3<f64>,
}

/// What the angular momentum about the centre of mass should be, along the world's axes. It has no position, so that it
/// follows with ω alone: rate = rate* + ω (momentum* − momentum).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, State)]
#[serde(deny_unknown_fields)]
pub struct AngularMomentum {
    /// Which axes count.
    pub axes: [bool; 3],
    /// Angular momentum [kg·m²/s].
    pub momentum: Vector3<f64>,
    /// How it changes [N·m].
    pub rate: Vector3<f64>,
}

/// Where a link should be, along the world's axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, State)]
#[serde(deny_unknown_fields)]
pub struct Pose {
    /// The link's name.
    #[state(fixed)]
    pub link: String,
    /// The point of the link whose position counts, in the link's frame [m].
    pub point_in_link: Vector3<f64>,
    /// Which axes of the world count: position along x, y, z, rotation about x, y, z.
    pub axes: [bool; 6],
    /// Where the point should be in the world [m], and how the link should be turned.
    pub pose_in_world: Isometry3<f64>,
    /// Velocity of the point [m/s] and angular velocity [rad/s].
    pub velocity: Vector6<f64>,
    /// Acceleration of the point [m/s²] and angular acceleration [rad/s²].
    pub acceleration: Vector6<f64>,
}

/// Where joints should be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, State)]
#[serde(deny_unknown_fields)]
pub struct Posture {
    /// The joints that count, each at most once.
    #[state(elements)]
    pub joints: Vec<JointGoal>,
}

/// Where one joint should be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, State)]
#[serde(deny_unknown_fields)]
pub struct JointGoal {
    /// The joint's name.
    #[state(fixed)]
    pub joint: String,
    /// Position [rad or m].
    pub position: f64,
    /// Velocity [rad/s or m/s].
    pub velocity: f64,
    /// Acceleration [rad/s² or m/s²].
    pub acceleration: f64,
}

/// What a link should look at. The target is taken to stand still as seen from the link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, State)]
#[serde(deny_unknown_fields)]
pub struct Gaze {
    /// The link's name.
    #[state(fixed)]
    pub link: String,
    /// The direction in which it looks, in its own frame; of any length but zero.
    pub axis_in_link: Vector3<f64>,
    /// The point it should look at, in the world [m].
    pub target_in_world: Vector3<f64>,
}

impl State for Goal {
    /// What it looks at stays; what it wants of that is remembered.
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        match self {
            Goal::CenterOfMass(goal) => goal.visit_state(visitor),
            Goal::AngularMomentum(goal) => goal.visit_state(visitor),
            Goal::Pose(goal) => goal.visit_state(visitor),
            Goal::Posture(goal) => goal.visit_state(visitor),
            Goal::Gaze(goal) => goal.visit_state(visitor),
        }
    }
}

impl Task {
    /// A task of weight 1 that follows as fast as a stiff humanoid does without ringing: ω = 10 rad/s, ζ = 1.
    pub fn new(name: &str, level: usize, goal: Goal) -> Task {
        Task { name: name.to_owned(), level, weight: 1.0, frequency: 10.0, damping_ratio: 1.0, goal }
    }

    /// The same with another weight.
    pub fn weighing(self, weight: f64) -> Task {
        Task { weight, ..self }
    }

    /// The same with another natural frequency [rad/s].
    pub fn at_frequency(self, frequency: f64) -> Task {
        Task { frequency, ..self }
    }
}

impl CenterOfMass {
    /// At rest at `position` in the world [m], on all axes.
    pub fn at(position: Vector3<f64>) -> CenterOfMass {
        CenterOfMass { axes: [true; 3], position, velocity: Vector3::zeros(), acceleration: Vector3::zeros() }
    }
}

impl AngularMomentum {
    /// None, on all axes.
    pub fn none() -> AngularMomentum {
        AngularMomentum { axes: [true; 3], momentum: Vector3::zeros(), rate: Vector3::zeros() }
    }
}

impl Pose {
    /// The origin of `link` at rest there, on all axes.
    pub fn at(link: &str, pose_in_world: Isometry3<f64>) -> Pose {
        Pose {
            link: link.to_owned(),
            point_in_link: Vector3::zeros(),
            axes: [true; 6],
            pose_in_world,
            velocity: Vector6::zeros(),
            acceleration: Vector6::zeros(),
        }
    }

    /// The same, of which only the position counts.
    pub fn position_only(self) -> Pose {
        Pose { axes: [true, true, true, false, false, false], ..self }
    }

    /// The same, of which only the orientation counts.
    pub fn orientation_only(self) -> Pose {
        Pose { axes: [false, false, false, true, true, true], ..self }
    }
}

impl JointGoal {
    /// At rest at `position` [rad or m].
    pub fn at(joint: &str, position: f64) -> JointGoal {
        JointGoal { joint: joint.to_owned(), position, velocity: 0.0, acceleration: 0.0 }
    }
}
