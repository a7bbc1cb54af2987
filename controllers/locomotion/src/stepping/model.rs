//! The robot as a search for a stance sees it: a trunk, and legs in their planes.

use nalgebra::Vector3;
use robot_io::State;
use robot_model::{Configuration, Data, RobotModel, Tree, forward_kinematics};

use crate::chassis::Leg;
use crate::leg::{FootPlace, LegGeometry, Segment};
use crate::margin::TipOver;
use crate::support::carry;

const GRAVITY: f64 = 9.81;

/// A mass that moves with a part of a leg.
#[derive(Clone, Copy, Debug)]
struct Mass {
    /// [kg]
    mass: f64,
    /// From the part's joint to its centre of mass.
    place: Segment,
    /// Left of the base's origin [m].
    y: f64,
}

/// A leg and its masses: thigh, shank, and all below the ankle.
#[derive(Clone, Debug)]
struct LegModel {
    geometry: LegGeometry,
    masses: [Mass; 3],
    radius: f64,
    /// Left of the base's origin, per wheel [m].
    wheels: Vec<f64>,
    /// Highest efforts of hip and knee [N·m].
    efforts: [f64; 2],
}

/// How feet and base stand: what a search varies.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(crate) struct Stance {
    /// Feet forward of the base's origin [m].
    pub x: [f64; 4],
    /// Height of the base above the ground at the start [m].
    pub height: f64,
}

/// What a stance is worth with one foot lifted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Worth {
    /// Static margin [m].
    pub margin: f64,
    /// Highest effort of a supporting hip or knee, as a share of what it can give.
    pub effort_share: f64,
}

/// Computes what stances are worth; its buffers are sized once.
#[derive(Clone, Debug)]
pub(crate) struct StanceModel {
    legs: Vec<LegModel>,
    mass: f64,
    tip_over: TipOver,
    contacts: Vec<Vector3<f64>>,
    shares: Vec<f64>,
    forces: Vec<f64>,
}

impl StanceModel {
    pub fn new(model: &RobotModel, legs: &[Leg]) -> StanceModel {
        let tree = &model.tree;
        let mut data = Data::new(tree);
        forward_kinematics(tree, &Configuration::zero(tree), &mut data);
        let wheels = legs.iter().map(|leg| leg.wheels.len()).sum();
        StanceModel {
            legs: legs.iter().map(|leg| leg_model(tree, &data, leg)).collect(),
            mass: tree.mass(),
            tip_over: TipOver::new(wheels),
            contacts: Vec::with_capacity(wheels),
            shares: Vec::with_capacity(wheels),
            forces: Vec::with_capacity(wheels),
        }
    }

    /// First moment of the whole robot without its legs, by its measured centre of mass and legs [kg·m].
    pub fn trunk(&self, com: &Vector3<f64>, joints: &[[f64; 3]]) -> Vector3<f64> {
        let legs = self.legs.iter().zip(joints).map(|(leg, joints)| leg.moment(joints));
        com * self.mass - legs.sum::<Vector3<f64>>()
    }

    /// True if a foot can be at `x`, its ground `elevation` above the ground at the start [m].
    pub fn reaches(&self, leg: usize, x: f64, elevation: f64, height: f64) -> bool {
        const RESERVE: f64 = 0.012;
        let place = self.legs[leg].place(x, elevation, height);
        let lower = FootPlace { z: place.z - RESERVE, ..place };
        let solves = |place: &FootPlace| self.legs[leg].geometry.inverse(place).reached;
        solves(&place) && solves(&lower)
    }

    /// What a stance is worth with the foot `lifted` at `swing`: x and elevation [m].
    pub fn worth(
        &mut self,
        stance: &Stance,
        elevations: &[f64; 4],
        lifted: usize,
        swing: (f64, f64),
        trunk: &Vector3<f64>,
    ) -> Worth {
        let mut moment = *trunk;
        self.contacts.clear();
        for (index, leg) in self.legs.iter().enumerate() {
            let (x, elevation) = if index == lifted { swing } else { (stance.x[index], elevations[index]) };
            moment += leg.moment(&leg.geometry.inverse(&leg.place(x, elevation, stance.height)).joints);
            if index != lifted {
                let z = elevation - stance.height;
                self.contacts.extend(leg.wheels.iter().map(|&y| Vector3::new(x, y, z)));
            }
        }
        let com = moment / self.mass;
        let margin = self.tip_over.margin(&self.contacts, &com, &Vector3::new(0.0, 0.0, -GRAVITY)).distance;
        self.shares.clear();
        self.shares.resize(self.contacts.len(), 1.0);
        self.forces.clear();
        self.forces.resize(self.contacts.len(), 0.0);
        carry(&self.contacts, &self.shares, &com, self.mass * GRAVITY, &mut self.forces);
        Worth { margin, effort_share: self.effort_share(stance, elevations, lifted) }
    }

    fn effort_share(&self, stance: &Stance, elevations: &[f64; 4], lifted: usize) -> f64 {
        let mut first = 0;
        let mut most: f64 = 0.0;
        for (index, leg) in self.legs.iter().enumerate().filter(|(index, _)| *index != lifted) {
            let force: f64 = self.forces[first..first + leg.wheels.len()].iter().sum();
            first += leg.wheels.len();
            let x = stance.x[index];
            let joints = leg.geometry.inverse(&leg.place(x, elevations[index], stance.height)).joints;
            let [hip, knee, _] = leg.geometry.parts(&joints);
            most = most.max(force * (x - hip.x).abs() / leg.efforts[0]);
            most = most.max(force * (x - knee.x).abs() / leg.efforts[1]);
        }
        most
    }
}

impl LegModel {
    fn place(&self, x: f64, elevation: f64, height: f64) -> FootPlace {
        FootPlace { x, z: self.radius - height + elevation, lean: 0.0 }
    }

    fn moment(&self, joints: &[f64; 3]) -> Vector3<f64> {
        let parts = self.geometry.parts(joints);
        let of = |(part, mass): (&crate::leg::Part, &Mass)| {
            let (dx, dz) = mass.place.turned(part.turn);
            Vector3::new(part.x + dx, mass.y, part.z + dz) * mass.mass
        };
        parts.iter().zip(&self.masses).map(of).sum()
    }
}

fn leg_model(tree: &Tree, data: &Data, leg: &Leg) -> LegModel {
    let mut moments = [(0.0, Vector3::zeros()); 3];
    for (index, link) in tree.links.iter().enumerate() {
        let Some(part) = part_of(tree, index, leg) else { continue };
        let com = data.link_in_base[index] * nalgebra::Point3::from(link.inertia.com_in_link);
        moments[part].0 += link.inertia.mass;
        moments[part].1 += com.coords * link.inertia.mass;
    }
    let mut masses = [Mass { mass: 0.0, place: Segment::new(0.0, 0.0), y: leg.y }; 3];
    for (part, (mass, moment)) in moments.into_iter().enumerate().filter(|(_, (mass, _))| *mass > 0.0) {
        let (com, joint) = (moment / mass, tree.joints[leg.pitch_joints[part]].link);
        let at = data.link_in_base[joint].translation.vector;
        masses[part] = Mass { mass, place: Segment::new(com.x - at.x, com.z - at.z), y: com.y };
    }
    let effort = |part: usize| tree.joints[leg.pitch_joints[part]].limits.effort;
    LegModel {
        geometry: leg.geometry,
        masses,
        radius: leg.radius(),
        wheels: leg.wheels.iter().map(|wheel| leg.y + wheel.along_axle).collect(),
        efforts: [effort(0), effort(1)],
    }
}

/// With which part of the leg a link moves: 0 the thigh, 1 the shank, 2 all below the ankle.
fn part_of(tree: &Tree, link: usize, leg: &Leg) -> Option<usize> {
    let mut at = Some(link);
    while let Some(here) = at {
        let part = leg.pitch_joints.iter().position(|&joint| tree.joints[joint].link == here);
        if part.is_some() {
            return part;
        }
        at = tree.links[here].parent;
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::chassis::legs;
    use robot_model::center_of_mass_in_base;

    #[test]
    fn its_centre_of_mass_is_the_models() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
        let model = RobotModel::load(&path).unwrap();
        let legs = legs(&model, &model.layout(), "stand").unwrap();
        let stances = StanceModel::new(&model, &legs);
        let com_of = |pose: &str| {
            let pose = model.description.poses.iter().find(|candidate| candidate.name == pose).unwrap();
            let mut data = Data::new(&model.tree);
            let mut configuration = Configuration::zero(&model.tree);
            configuration.joints.copy_from_slice(&pose.positions);
            forward_kinematics(&model.tree, &configuration, &mut data);
            let joints: Vec<[f64; 3]> =
                legs.iter().map(|leg| leg.pitch_joints.map(|joint| pose.positions[joint])).collect();
            (center_of_mass_in_base(&model.tree, &data), joints)
        };
        // the trunk is the same whatever the legs do
        let ((stand, stand_joints), (low, low_joints)) = (com_of("stand"), com_of("low"));
        let difference = stances.trunk(&stand, &stand_joints) - stances.trunk(&low, &low_joints);
        assert!(difference.norm() < 1e-9 * model.tree.mass(), "{difference}");
    }
}
