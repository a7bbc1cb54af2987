//! What feet feel: the load that each carries, where on the sole, and whether it stands.

use nalgebra::{Isometry3, Point3, Vector2, Vector3};
use robot_io::{Readings, State};
use robot_model::description::{Description, Foot};
use robot_model::{GRAVITY_IN_WORLD, Tree};

/// What a foot feels in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct Footing {
    /// Whether it stands.
    pub stands: bool,
    /// Since when it has stood, or has not [s].
    pub lasting: f64,
    /// The ground's force on it, along the foot's axes [N]; along z alone where a switch tells it.
    pub force: Vector3<f64>,
    /// The ground's torque on it about the foot's origin, along its axes [N·m].
    pub torque: Vector3<f64>,
    /// Where the ground's force acts on the sole, in the foot's frame [m]; `None` if there is hardly a force.
    pub pressure: Option<Vector2<f64>>,
}

impl Default for Footing {
    fn default() -> Self {
        Footing { stands: false, lasting: 0.0, force: Vector3::zeros(), torque: Vector3::zeros(), pressure: None }
    }
}

/// When a foot stands: forces as shares of the robot's weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// From this force on it stands.
    pub begins: f64,
    /// Below this one it does not.
    pub ends: f64,
}

/// How a foot's load is measured.
#[derive(Clone, Debug)]
pub(crate) struct Sole {
    /// The link whose frame is the foot's.
    pub link: usize,
    half: Vector2<f64>,
    load: Load,
}

#[derive(Clone, Debug)]
enum Load {
    /// A cell, its link, and what is below it: mass [kg] and centre of mass in the cell's frame [m].
    Cell { cell: usize, link: usize, mass: f64, com: Point3<f64> },
    /// A contact switch.
    Switch(usize),
}

impl Sole {
    /// Of a foot with a cell or a switch; `None` if it has neither.
    pub fn new(foot: &Foot, tree: &Tree, description: &Description) -> Option<Sole> {
        let load = match (foot.force_torque, foot.contact) {
            (Some(cell), _) => {
                let link = description.force_torques[cell].link;
                let (mass, com) = below(tree, link);
                Load::Cell { cell, link, mass, com }
            }
            (None, Some(switch)) => Load::Switch(switch),
            (None, None) => return None,
        };
        Some(Sole { link: foot.link, half: Vector2::new(foot.length, foot.width) * 0.5, load })
    }

    /// What it feels now. `pose` tells where a link is in a frame whose z axis points up.
    pub fn feel(
        &self,
        readings: &Readings,
        pose: impl Fn(usize) -> Isometry3<f64>,
        touch: &Touch,
        weight: f64,
        dt: f64,
        footing: &mut Footing,
    ) {
        (footing.force, footing.torque) = self.load(readings, pose);
        let force = footing.force.z;
        let stands = force > weight * if footing.stands { touch.ends } else { touch.begins };
        footing.lasting = if stands == footing.stands { footing.lasting + dt } else { 0.0 };
        footing.stands = stands;
        let at = || Vector2::new(-footing.torque.y, footing.torque.x) / force;
        let on_sole = |at: Vector2<f64>| {
            Vector2::new(at.x.clamp(-self.half.x, self.half.x), at.y.clamp(-self.half.y, self.half.y))
        };
        footing.pressure = (force > weight * touch.ends).then(|| on_sole(at()));
    }

    /// The ground's force and torque on the foot.
    fn load(&self, readings: &Readings, pose: impl Fn(usize) -> Isometry3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        match &self.load {
            Load::Switch(switch) => (Vector3::z() * readings.contacts[*switch].force, Vector3::zeros()),
            Load::Cell { cell, link, mass, com } => {
                let felt = &readings.force_torques[*cell];
                let cell_in_world = pose(*link);
                // what is below the cell hangs on it as far as the ground does not carry it
                let hanging = cell_in_world.rotation.inverse() * (GRAVITY_IN_WORLD * *mass);
                let (force, torque) = (felt.force - hanging, felt.torque - com.coords.cross(&hanging));
                let cell_in_foot = pose(self.link).inv_mul(&cell_in_world);
                let force = cell_in_foot.rotation * force;
                (force, cell_in_foot.rotation * torque + cell_in_foot.translation.vector.cross(&force))
            }
        }
    }
}

/// Mass and centre of mass, in a link's frame, of all that is fixed to it or hangs on it.
fn below(tree: &Tree, link: usize) -> (f64, Point3<f64>) {
    let mut poses = vec![None; tree.links.len()];
    poses[link] = Some(Isometry3::identity());
    let (mut mass, mut moment) = (0.0, Vector3::zeros());
    for (index, part) in tree.links.iter().enumerate() {
        if let Some(parent) = part.parent.and_then(|parent| poses[parent]) {
            poses[index] = Some(parent * part.placement_in_parent);
        }
        if let Some(pose) = poses[index] {
            let inertia = &part.inertia;
            mass += inertia.mass;
            moment += (pose * Point3::from(inertia.com_in_link)).coords * inertia.mass;
        }
    }
    (mass, Point3::from(if mass > 0.0 { moment / mass } else { moment }))
}
