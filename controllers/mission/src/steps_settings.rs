//! How footsteps are planned and taken.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// How a robot on two feet plans its footsteps, and takes them. The figures are ours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct StepsSettings {
    /// Goals of legs are walked to by planned footsteps where the ground is known; without, by a velocity.
    #[setting(true)]
    pub plan: bool,
    /// From a question to its answer [s]; the answer is used from exactly then on.
    #[setting(1.0, range = 0.01..=10.0)]
    pub latency: f64,
    /// From one look at the rest of the plan to the next [s].
    #[setting(3.0, range = 0.1..=100.0)]
    pub interval: f64,
    /// So many steps beyond those that have begun are kept when it is planned anew: those that may begin before the answer is there.
    #[setting(3, range = 1..=20)]
    pub ahead: usize,
    /// So many feet on the ground are looked ahead from for a plan; twice and four times as many where none was found before.
    #[setting(400, range = 1..=1_000_000)]
    pub expansions: usize,
    /// So many times is asked again where no way was found, before the robot is stuck.
    #[setting(2, range = 0..=1000)]
    pub tries: usize,
    /// A comfortable way of the robot in a step [m]: longer steps cost more than more steps.
    #[setting(0.22, range = 0.01..=1.0)]
    pub stride: f64,
    /// The longest step forward, from one foot to the other [m].
    #[setting(0.55, range = 0.01..=1.0)]
    pub longest: f64,
    /// The farthest that a foot is set beside the other one, from middle to middle [m].
    #[setting(0.4, range = 0.01..=1.0)]
    pub widest: f64,
    /// Standard deviation of a told survey, of where it lies and of each of its heights [m]: its noise is taken out, and feet keep away from what
    /// is higher by twice as much.
    #[setting(0.01, range = 0.0..=0.1)]
    pub survey: f64,
    /// The least share of a sole that has to be carried: on a tread that is shorter than the foot its heel hangs over.
    #[setting(0.75, share)]
    pub support: f64,
    /// Where a foot finds no good place, so many are looked at along each side of the 5 cm around it: between a riser before the toe and an edge
    /// under the heel little is left.
    #[setting(5, range = 1..=9)]
    pub finer: usize,
    /// Room between a foot in the air and the ground on its way [m].
    #[setting(0.03, range = 0.0..=0.2)]
    pub margin: f64,
    /// A step lasts so much longer for each metre that the foot goes farther than half a metre [s/m].
    #[setting(1.0, range = 0.0..=20.0)]
    pub way_time: f64,
    /// A step, and the time on both feet before it, last so much longer for each metre that it leads to the side [s/m].
    #[setting(1.0, range = 0.0..=20.0)]
    pub side_time: f64,
    /// A step lasts so much longer for each metre that the foot is lifted more than on level ground [s/m].
    #[setting(1.8, range = 0.0..=20.0)]
    pub lift_time: f64,
    /// Both feet carry so much longer before a step for each metre that it leads up or down [s/m].
    #[setting(1.5, range = 0.0..=20.0)]
    pub rise_time: f64,
    /// A push moves a planned step no farther than this, along each axis [m].
    #[setting(0.03, range = 0.0..=2.0)]
    pub astray: f64,
    /// Before this share of its time a planned step is not set down.
    #[setting(0.8, share)]
    pub earliest: f64,
    /// Cells of the height map that is made of what the robot sees itself [m].
    #[setting(0.04, range = 0.01..=0.08)]
    pub cell: f64,
    /// How far it reaches [m].
    #[setting(5.0, range = 1.0..=50.0)]
    pub reach: f64,
}
