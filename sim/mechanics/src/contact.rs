//! What happens where two bodies touch, or a body and the world.

use nalgebra::Vector3;

use robot_io::State;

/// One point at which a body touches another, or the world.
#[derive(Clone, Copy, Debug, State)]
pub struct Contact {
    /// The body.
    pub body: usize,
    /// What it touches: another body, or the world.
    pub other: Option<usize>,
    /// Where [m], in the world.
    pub position: Vector3<f64>,
    /// Unit vector from the other one to the body, in the world.
    pub normal: Vector3<f64>,
    /// Distance; negative where they overlap [m].
    pub gap: f64,
    /// Velocity of the world's surface there [m/s], where the other one is the world: of carts on rails, of belts.
    #[state(output)]
    pub surface_velocity: Vector3<f64>,
    /// How the two surfaces behave.
    #[state(output)]
    pub law: Law,
    /// How far the surfaces have been sheared against each other without slipping [m], along the world's axes. It outlives the step:
    /// whoever finds the point again in the next one hands it on.
    pub shear: Vector3<f64>,
    /// How far they have been twisted and rolled against each other without slipping [rad].
    pub twist: Vector3<f64>,
    /// Impulse on the body by the last step [N·s].
    pub impulse: Vector3<f64>,
    /// Angular impulse on the body by the last step, about the point [N·m·s].
    pub angular_impulse: Vector3<f64>,
}

/// How two surfaces behave where they touch. Both directions are springs with dampers, taken at the end of the step, so that stiffness
/// costs no stability; across the normal they slip at Coulomb's limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// Along the normal and across it [N/m].
    pub stiffness: f64,
    /// Along the normal and across it [N·s/m].
    pub damping: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Torque about the normal per normal force at which the surfaces slip [m].
    pub torsion: f64,
    /// Torque across the normal per normal force at which they roll [m].
    pub rolling: f64,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: f64,
}

/// How fast a rigid surface is damped: a mass at it comes to rest in this share of a step.
const RIGID_DAMPING: f64 = 10.0;
/// In how many steps a rigid surface's spring would bring its mass to rest: 2 of them sink by g (2 h)², 0.04 mm at 1 ms, under its own weight.
const RIGID_PERIOD: f64 = 2.0;

impl Law {
    /// Surfaces as hard as steps of `step` [s] can tell, where the two bodies resist a push by `mass` [kg].
    pub fn rigid(mass: f64, friction: f64, step: f64) -> Law {
        let period = RIGID_PERIOD * step;
        Law {
            stiffness: mass / (period * period),
            damping: RIGID_DAMPING * mass / step,
            friction,
            torsion: 0.0,
            rolling: 0.0,
            restitution: 0.0,
        }
    }
}

impl Contact {
    /// A body touches the world, at rest so far.
    pub fn new(
        body: usize,
        other: Option<usize>,
        position: Vector3<f64>,
        normal: Vector3<f64>,
        gap: f64,
        law: Law,
    ) -> Contact {
        let zero = Vector3::zeros();
        Contact {
            body,
            other,
            position,
            normal,
            gap,
            surface_velocity: zero,
            law,
            shear: zero,
            twist: zero,
            impulse: zero,
            angular_impulse: zero,
        }
    }

    /// The impulse along the normal [N·s].
    pub fn normal_impulse(&self) -> f64 {
        self.impulse.dot(&self.normal)
    }
}

impl Default for Contact {
    fn default() -> Contact {
        let law = Law { stiffness: 0.0, damping: 0.0, friction: 0.0, torsion: 0.0, rolling: 0.0, restitution: 0.0 };
        Contact::new(0, None, Vector3::zeros(), Vector3::z(), 0.0, law)
    }
}
