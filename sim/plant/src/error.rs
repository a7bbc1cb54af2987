//! What can go wrong with a plant.

use robot_io::Period;
use thiserror::Error;

/// Why a plant could not be made or restored.
#[derive(Debug, Error)]
pub enum PlantError {
    /// The set-up names a pose that the robot does not have.
    #[error("{robot} has no pose '{found}'; it has {known}")]
    UnknownPose {
        /// The robot.
        robot: String,
        /// The pose asked for.
        found: String,
        /// The poses there are.
        known: String,
    },
    /// The set-up switches a sensor on that the robot does not have.
    #[error("{robot} has no laser, camera or skin '{found}'; it has {known}")]
    UnknownSensor {
        /// The robot.
        robot: String,
        /// The sensor asked for.
        found: String,
        /// The sensors there are.
        known: String,
    },
    /// Bodies that no mechanics can move.
    #[error("robot and objects: {0}")]
    Mechanics(mechanics::MechanicsError),
    /// The robot would stand beside the terrain.
    #[error(
        "the spawn place x = {x} m, y = {y} m lies outside the terrain (x {x_min} to {x_max} m, y {y_min} to {y_max} m)"
    )]
    OffTerrain {
        /// Asked for [m].
        x: f64,
        /// Asked for [m].
        y: f64,
        /// The terrain's edge [m].
        x_min: f64,
        /// The terrain's edge [m].
        x_max: f64,
        /// The terrain's edge [m].
        y_min: f64,
        /// The terrain's edge [m].
        y_max: f64,
    },
    /// What is wrong with one of the robots beside the first.
    #[error("robot '{robot}': {error}")]
    Of {
        /// Its name among the robots.
        robot: String,
        /// What it is.
        #[source]
        error: Box<PlantError>,
    },
    /// A shape that the physics cannot use.
    #[error("{what} '{name}': expected {expected}, found {found}")]
    Shape {
        /// `link` or `object`.
        what: &'static str,
        /// Its name.
        name: String,
        /// What would have been right.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A number of the set-up makes no sense.
    #[error("{what}: expected {expected}, found {found}")]
    Setup {
        /// Which number, with its unit.
        what: &'static str,
        /// What would have been right.
        expected: String,
        /// What is there.
        found: String,
    },
    /// The drive's own loop, which runs once a physics step, would be unstable with the description's gains.
    #[error(
        "joint '{joint}': stiffness {stiffness} and damping {damping} on an inertia of {inertia:.3e} kg·m² are unstable \
         at a step of {step} s, a delay of {delay_steps} steps and a velocity filter of {filter}; at most a damping of about {most_damping:.3} is stable"
    )]
    UnstableGains {
        /// The joint.
        joint: String,
        /// Its stiffness [N·m/rad].
        stiffness: f64,
        /// Its damping [N·m·s/rad].
        damping: f64,
        /// What the joint has to move, rotor included, all other joints free [kg·m²].
        inertia: f64,
        /// The physics step [s].
        step: f64,
        /// The command's delay [steps].
        delay_steps: usize,
        /// Time constant of the velocity's filter.
        filter: Period,
        /// The largest damping that is stable with this stiffness [N·m·s/rad]; 0 if none is.
        most_damping: f64,
    },
    /// A servo on the link's encoder is not softer than the spring between motor and link. Two masses with that spring and a motor that is
    /// damped by its own velocity swing for any damping then (Routh and Hurwitz).
    #[error(
        "joint '{joint}': stiffness: expected less than the spring's {spring} N·m/rad, since its encoder is on the link, found {stiffness}"
    )]
    StiffServo {
        /// The joint.
        joint: String,
        /// Its servo's [N·m/rad].
        stiffness: f64,
        /// The spring's [N·m/rad].
        spring: f64,
    },
    /// A snapshot that is not one of this plant.
    #[error("snapshot: {what}: expected {expected}, found {found}")]
    Snapshot {
        /// Which part.
        what: &'static str,
        /// What would have been right.
        expected: String,
        /// What is there.
        found: String,
    },
}

impl PlantError {
    pub(crate) fn snapshot(what: &'static str, expected: impl ToString, found: impl ToString) -> PlantError {
        PlantError::Snapshot { what, expected: expected.to_string(), found: found.to_string() }
    }

    pub(crate) fn setup(what: &'static str, expected: impl ToString, found: impl ToString) -> PlantError {
        PlantError::Setup { what, expected: expected.to_string(), found: found.to_string() }
    }
}
