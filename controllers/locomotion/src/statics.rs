//! What the robot's weight asks of it, and where it rests.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use robot_io::{Readings, State};
use robot_model::{BASE_DOF, Configuration, Data, GRAVITY_IN_WORLD, RobotModel, Tree, center_of_mass_in_base, rnea};

use crate::chassis::Leg;
use crate::support::carry;

/// Gravity on the robot as it stands in one cycle. Everything here but the slope follows from the readings.
#[derive(Clone, Debug, State)]
pub(crate) struct Statics {
    #[state(fixed)]
    tree: Tree,
    #[state(scratch)]
    data: Data,
    #[state(scratch)]
    configuration: Configuration,
    #[state(fixed)]
    zeros: Vec<f64>,
    #[state(fixed)]
    mass: f64,
    /// Per wheel, legs in order: where it touches, in the level frame [m].
    #[state(scratch)]
    pub contacts: Vec<Vector3<f64>>,
    /// Centre of mass in the level frame [m].
    #[state(scratch)]
    pub com: Vector3<f64>,
    /// Vertical force under each leg [N].
    #[state(scratch)]
    pub loads: Vec<f64>,
    /// Share and load of each wheel, where legs share [1] [N].
    #[state(scratch)]
    wheel_shares: Vec<f64>,
    #[state(scratch)]
    wheel_loads: Vec<f64>,
    /// Per joint: the effort that balances gravity and the forces under the legs [N·m].
    #[state(scratch)]
    pub efforts: Vec<f64>,
    /// Slopes of the plane through the contacts: rise along x and along y of the level frame. They last while the
    /// wheels do not show others.
    pub slope: [f64; 2],
}

impl Statics {
    pub fn new(model: &RobotModel, legs: &[Leg]) -> Statics {
        let tree = model.tree.clone();
        let wheels: usize = legs.iter().map(|leg| leg.wheels.len()).sum();
        Statics {
            data: Data::new(&tree),
            configuration: Configuration::zero(&tree),
            zeros: vec![0.0; tree.velocity_dof()],
            mass: tree.mass(),
            contacts: vec![Vector3::zeros(); wheels],
            com: Vector3::zeros(),
            loads: vec![0.0; legs.len()],
            wheel_shares: vec![1.0; wheels],
            wheel_loads: vec![0.0; wheels],
            efforts: vec![0.0; tree.dof()],
            slope: [0.0; 2],
            tree,
        }
    }

    /// Mass of the robot [kg].
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Takes in a cycle; `tilt` rotates from the base frame to the level frame.
    pub fn update(&mut self, readings: &Readings, tilt: &UnitQuaternion<f64>, legs: &[Leg]) {
        self.place(readings, tilt, legs);
        self.slope = slope(&self.contacts).unwrap_or(self.slope);
        self.distribute(legs);
        self.balance(legs);
    }

    /// The same on ground of several levels, each leg carrying its share of its part, 0 in the air to 1: the slope stays.
    pub fn update_sharing(&mut self, readings: &Readings, tilt: &UnitQuaternion<f64>, legs: &[Leg], shares: &[f64; 4]) {
        self.place(readings, tilt, legs);
        let per_leg = self.contacts.len() / self.loads.len().max(1);
        for (index, share) in self.wheel_shares.iter_mut().enumerate() {
            *share = shares.get(index / per_leg.max(1)).copied().unwrap_or(1.0);
        }
        let weight = self.mass * -GRAVITY_IN_WORLD.z;
        carry(&self.contacts, &self.wheel_shares, &self.com, weight, &mut self.wheel_loads);
        for (leg, load) in self.loads.iter_mut().enumerate() {
            *load = self.wheel_loads[leg * per_leg..(leg + 1) * per_leg].iter().sum();
        }
        self.balance(legs);
    }

    fn place(&mut self, readings: &Readings, tilt: &UnitQuaternion<f64>, legs: &[Leg]) {
        self.configuration.base_in_world.rotation = *tilt;
        for (position, joint) in self.configuration.joints.iter_mut().zip(&readings.joints) {
            *position = joint.position;
        }
        rnea(&self.tree, &self.configuration, &self.zeros, &self.zeros, &GRAVITY_IN_WORLD, &mut self.data);
        self.com = tilt * center_of_mass_in_base(&self.tree, &self.data);
        for (contact, wheel) in self.contacts.iter_mut().zip(legs.iter().flat_map(|leg| &leg.wheels)) {
            *contact = self.data.link_in_world[wheel.link].translation.vector - Vector3::z() * wheel.radius;
        }
    }

    /// Where a leg's foot is in the level frame: the middle of its wheels' contacts [m].
    pub fn foot(&self, leg: usize) -> Vector3<f64> {
        let per_leg = self.contacts.len() / self.loads.len().max(1);
        let own = &self.contacts[leg * per_leg..(leg + 1) * per_leg];
        own.iter().sum::<Vector3<f64>>() / per_leg as f64
    }

    /// Vertical forces a + b x + c y that carry the weight: the smallest ones that do (least norm).
    fn distribute(&mut self, legs: &[Leg]) {
        let weight = self.mass * -GRAVITY_IN_WORLD.z;
        let mut matrix = Matrix3::zeros();
        for leg in 0..legs.len() {
            let foot = self.foot(leg);
            let row = Vector3::new(1.0, foot.x, foot.y);
            matrix += row * row.transpose();
        }
        let right_side = Vector3::new(1.0, self.com.x, self.com.y) * weight;
        let Some(plane) = matrix.cholesky().map(|factor| factor.solve(&right_side)) else { return };
        for leg in 0..legs.len() {
            let foot = self.foot(leg);
            self.loads[leg] = (plane.x + plane.y * foot.x + plane.z * foot.y).max(0.0);
        }
    }

    /// Efforts against gravity, less what the ground does to the legs: τ = g(q) − Jᵀ F.
    fn balance(&mut self, legs: &[Leg]) {
        for (joint, effort) in self.efforts.iter_mut().enumerate() {
            *effort = self.data.efforts[BASE_DOF + joint];
        }
        for (index, leg) in legs.iter().enumerate() {
            let (foot, force) = (self.foot(index), Vector3::z() * self.loads[index]);
            for joint in leg.pitch_joints {
                let link = self.tree.joints[joint].link;
                let pose = &self.data.link_in_world[link];
                let axis = pose.rotation * self.tree.links[link].axis_in_link.as_ref();
                self.efforts[joint] -= axis.dot(&(foot - pose.translation.vector).cross(&force));
            }
        }
    }
}

/// Rise of the plane through points along x and along y, by least squares; `None` if they lie on a line.
fn slope(points: &[Vector3<f64>]) -> Option<[f64; 2]> {
    let mean = points.iter().sum::<Vector3<f64>>() / points.len().max(1) as f64;
    let (mut xx, mut xy, mut yy, mut xz, mut yz) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for point in points {
        let d = point - mean;
        xx += d.x * d.x;
        xy += d.x * d.y;
        yy += d.y * d.y;
        xz += d.x * d.z;
        yz += d.y * d.z;
    }
    let determinant = xx * yy - xy * xy;
    let spread = xx + yy;
    (determinant > 1e-3 * spread * spread)
        .then(|| [(xz * yy - yz * xy) / determinant, (yz * xx - xz * xy) / determinant])
}
