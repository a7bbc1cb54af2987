//! Numbers of the registration.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// How a model is registered, and when it is believed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct RegistrationSettings {
    /// Most points of a cluster that are used to find the orientation.
    #[setting(120, range = 20..=10_000)]
    pub coarse_points: usize,
    /// Most points that are used for the result.
    #[setting(800, range = 20..=100_000)]
    pub fine_points: usize,
    /// Steps from each start.
    #[setting(8, range = 1..=100)]
    pub coarse_steps: usize,
    /// Most steps from the best starts to the result.
    #[setting(40, range = 1..=1000)]
    pub fine_steps: usize,
    /// How many of the best starts are followed to the end.
    #[setting(3, range = 1..=100)]
    pub finalists: usize,
    /// A partner is at first looked for within this distance [m] …
    #[setting(0.06, positive)]
    pub first_gate: f64,
    /// … which shrinks with each step by this factor …
    #[setting(0.8, share)]
    pub gate_shrinking: f64,
    /// … to this [m].
    #[setting(0.02, positive)]
    pub last_gate: f64,
    /// Normals of partners differ by no more than this [rad].
    #[setting(60.0_f64.to_radians(), range = 0.0..=3.2)]
    pub most_normal_angle: f64,
    /// Standard deviation along the surface within which a partner is as good as any other [m].
    #[setting(0.012, positive)]
    pub along_surface: f64,
    /// How exact the model is across its surface, standard deviation [m].
    #[setting(0.0005, positive)]
    pub model_deviation: f64,
    /// Residuals count less beyond so many standard deviations (Cauchy's weight).
    #[setting(2.5, positive)]
    pub robust_scale: f64,
    /// Steps end when one is shorter than this [m] and turns by less than `angle_convergence`.
    #[setting(2e-5, positive)]
    pub convergence: f64,
    /// See `convergence` [rad].
    #[setting(2e-4, positive)]
    pub angle_convergence: f64,
    /// Share of the cluster's points that have to lie on the model.
    #[setting(0.92, share)]
    pub least_matched: f64,
    /// Share of what should be seen of the model that has to be seen.
    #[setting(0.95, share)]
    pub least_agreement: f64,
    /// Share of the side that faces the camera that has to be seen: what is more hidden is not recognised.
    #[setting(0.35, share)]
    pub least_shown: f64,
    /// The same of an object at the picture's border, where the model could reach into what has no depth as well as into what is outside.
    #[setting(0.8, share)]
    pub least_shown_at_border: f64,
    /// Share of the model that may be outside the picture: of a box that the border cuts, where it ends is not seen.
    #[setting(0.1, share)]
    pub most_outside: f64,
    /// Root mean square of the points' distances from the surface, in standard deviations, at most.
    #[setting(2.5, positive)]
    pub most_misfit: f64,
    /// A pose that is better than another one by less than this share of points is not told apart from it.
    #[setting(0.03, share)]
    pub least_lead: f64,
    /// Fewest points of the surface that have to be seen.
    #[setting(20, positive)]
    pub least_seen: usize,
}
