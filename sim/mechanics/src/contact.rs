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
    /// Of no meaning here: for the caller, who wants to know what it is that touches.
    pub tag: u64,
    /// The impulse on the body [N·s] with which the surfaces hold each other when the step begins. Whoever finds the point again in the next
    /// step hands on what this one left here.
    pub held: Vector3<f64>,
    /// The same for the angular impulse about the point [N·m·s].
    pub held_turn: Vector3<f64>,
    /// Impulse on the body by the last step [N·s].
    pub impulse: Vector3<f64>,
    /// Angular impulse on the body by the last step, about the point [N·m·s].
    pub angular_impulse: Vector3<f64>,
}

/// How two surfaces behave where they touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// How they give way.
    pub surface: Surface,
    /// Coefficient of friction.
    pub friction: f64,
    /// What they hold each other with across the normal beside friction, as long as they press [N].
    pub cohesion: f64,
    /// Torque about the normal per normal force at which they slip [m].
    pub torsion: f64,
    /// Torque across the normal per normal force at which they roll [m].
    pub rolling: f64,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: f64,
}

/// How two surfaces give way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Surface {
    /// As springs with dampers, along the normal and across it. They are taken at the end of the step, so that stiffness costs no stability.
    Soft {
        /// [N/m]
        stiffness: f64,
        /// [N·s/m]
        damping: f64,
        /// What both are across the normal, as a share of what they are along it.
        shear: f64,
    },
    /// Not at all. What they do follows from where the bodies may not go.
    Rigid {
        /// About what the two bodies resist a push by [kg]. It decides how fast the solution is found, not what it is.
        mass: f64,
    },
}

impl Law {
    /// Surfaces that do not give way, between bodies that resist a push by about `mass` [kg].
    pub fn rigid(mass: f64, friction: f64) -> Law {
        Law { surface: Surface::Rigid { mass }, friction, cohesion: 0.0, torsion: 0.0, rolling: 0.0, restitution: 0.0 }
    }

    /// Surfaces that give way as springs [N/m] with dampers [N·s/m].
    pub fn soft(stiffness: f64, damping: f64, friction: f64) -> Law {
        Law { surface: Surface::Soft { stiffness, damping, shear: 1.0 }, ..Law::rigid(0.0, friction) }
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
            tag: 0,
            held: zero,
            held_turn: zero,
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
        let law = Law::soft(0.0, 0.0, 0.0);
        Contact::new(0, None, Vector3::zeros(), Vector3::z(), 0.0, law)
    }
}
