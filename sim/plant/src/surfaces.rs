//! How two surfaces behave where they touch.

use mechanics::{Law, Surface};
use worlds::Material;

/// A tyre gives way by so much under its share of the robot's weight [m]: solid rubber of Momaro's size does, by 0.7 mm at three times 70 N.
const TYRE_DEFLECTION: f64 = 0.23e-3;
/// Time in which a tyre's spring and damper settle [s].
const TYRE_TIME: f64 = 0.01;

/// Torque about the normal per normal force at which hard surfaces slip on a point [m], as in MuJoCo's default.
const TORSION: f64 = 5e-3;
/// Torque across it at which they roll over a point [m]: hard things on soil. A thing that stands on two points of rough ground would rock for long.
const ROLLING: f64 = 5e-4;

/// The tyre of one wheel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tyre {
    /// [N/m], at each point.
    stiffness: f64,
}

impl Tyre {
    /// The tyre of a wheel that carries `load` [N] at `points` points.
    pub fn new(load: f64, points: usize) -> Tyre {
        Tyre { stiffness: load / TYRE_DEFLECTION / points as f64 }
    }

    /// Against a material. How it bounces is its spring's and its damper's business.
    pub fn on(&self, ground: &Material) -> Law {
        Law::soft(self.stiffness, self.stiffness * TYRE_TIME, ground.friction)
    }
}

/// Friction of a robot's own links on each other: painted or anodised metal.
const OWN_FRICTION: f64 = 0.3;

/// Two links of one robot that resist a push by about `mass` [kg].
pub(crate) fn own(mass: f64) -> Law {
    Law { torsion: TORSION, rolling: ROLLING, ..Law::rigid(mass, OWN_FRICTION) }
}

/// Two hard surfaces, one or both of a known material, between bodies that resist a push by about `mass` [kg]. The smoother one decides about
/// friction and the softer one about restitution.
pub(crate) fn hard(one: &Material, two: Option<&Material>, mass: f64) -> Law {
    let least = |number: fn(&Material) -> f64| two.map_or(number(one), |two| number(two).min(number(one)));
    Law {
        surface: Surface::Rigid { mass },
        torsion: TORSION,
        rolling: ROLLING,
        restitution: least(|material| material.restitution),
        ..Law::rigid(mass, least(|material| material.friction))
    }
}
