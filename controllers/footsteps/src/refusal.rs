//! Why a foot cannot stand somewhere or a step cannot be taken.

use core::fmt;

use robot_io::State;

/// What is in the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, State)]
pub enum Reason {
    /// Too little is known of the ground under the sole, or it does not carry its middle.
    #[default]
    NoGround,
    /// The sole would lean too much.
    Tilt,
    /// Too little of the sole is carried.
    Support,
    /// Too little of a quarter of the sole is carried.
    Quarter,
    /// The ground is too rough.
    Roughness,
    /// Nobody knows the ground under too much of the sole.
    Unknown,
    /// The step is too long forward or backward.
    Forward,
    /// Feet would come too near to each other, or too far apart.
    Outward,
    /// The step is too high or too deep.
    Upward,
    /// Toes would be turned too far.
    Turning,
    /// Both soles would stand on the same ground.
    Overlap,
    /// It is the same foot again.
    Side,
    /// The ground in front of the foot is where the shin has to be.
    Shin,
    /// Something stands where the body has to be.
    Body,
    /// The foot in the air would have to be lifted too high over what lies between.
    Swing,
    /// The goal is farther away than any plan leads, or one of the figures is no number.
    Far,
}

impl Reason {
    /// The figure that is judged, with its unit.
    pub fn figure(self) -> &'static str {
        match self {
            Reason::NoGround => "known ground that carries the middle of the sole",
            Reason::Tilt => "lean of the sole [rad]",
            Reason::Support => "share of the sole that is carried",
            Reason::Quarter => "share of the weakest quarter of the sole that is carried",
            Reason::Roughness => "roughness under the sole [m]",
            Reason::Unknown => "share of the sole over ground that nobody knows",
            Reason::Forward => "forward [m]",
            Reason::Outward => "outward [m]",
            Reason::Upward => "upward [m]",
            Reason::Turning => "turning [rad]",
            Reason::Overlap => "ground under both soles [m²]",
            Reason::Side => "side (1: the other foot)",
            Reason::Shin => "ground in front of the shin, over the sole [m]",
            Reason::Body => "ground where the body is, over the feet [m]",
            Reason::Swing => "clearance of the swing [m]",
            Reason::Far => "from the foot to the goal [m]",
        }
    }
}

/// A foot or a step that is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Refusal {
    /// What is in the way.
    pub reason: Reason,
    /// Least and most that would do, in the figure's unit.
    pub expected: [f64; 2],
    /// What there is.
    pub found: f64,
}

impl Refusal {
    /// `Ok` if a figure is within its bounds.
    pub fn unless(reason: Reason, expected: [f64; 2], found: f64) -> Result<(), Refusal> {
        const ROUNDING: f64 = 1e-9;
        let fits = (expected[0] - ROUNDING..=expected[1] + ROUNDING).contains(&found);
        if fits { Ok(()) } else { Err(Refusal { reason, expected, found }) }
    }

    /// What would do, in words.
    pub fn wanted(&self) -> String {
        match self.expected {
            [f64::NEG_INFINITY, most] => format!("at most {most}"),
            [least, f64::INFINITY] => format!("at least {least}"),
            [least, most] => format!("{least} to {most}"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {:.4}", self.reason.figure(), self.wanted(), self.found)
    }
}
