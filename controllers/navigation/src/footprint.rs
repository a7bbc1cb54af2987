//! What the robot covers of the ground in its present leg configuration.

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use robot_io::math::{cos, hypot, sin};
use robot_io::{JointState, State};
use robot_model::{Configuration, Data, Geometry, Motion, RobotModel, center_of_mass_in_base, forward_kinematics};

use crate::NavigationError;
use crate::outline::{self, CORNERS_PER_FOOT};

/// Arms that reach beyond the feet by less than a cell of the map are within what no map can tell [m].
const CELL: f64 = 0.05;

/// What the robot covers of the ground, in the level frame of the base: its origin and heading, z up.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Footprint {
    /// Outline, convex, counter-clockwise; it holds the circles of all feet, and arms that reach beyond them [m].
    pub outline: Vec<[f64; 2]>,
    /// Where the wheel pairs touch the ground: forward, left, and up from the base's origin [m].
    pub feet: Vec<[f64; 3]>,
    /// The circle about a foot's middle that its wheels never leave, however they are steered [m].
    pub foot_radius: f64,
    /// Centre of mass: forward, left, and above the ground under the wheels [m].
    pub center_of_mass: [f64; 3],
    /// The range finder: forward, left, and up from the base's origin [m]; `None` without one.
    pub eye: Option<[f64; 3]>,
}

impl Footprint {
    /// The footprint of a robot that stands on `feet`, each a circle of `foot_radius` [m].
    pub fn on_feet(feet: &[[f64; 3]], foot_radius: f64, center_of_mass: [f64; 3]) -> Footprint {
        let mut footprint =
            Footprint { outline: Vec::new(), feet: feet.to_vec(), foot_radius, center_of_mass, eye: None };
        footprint.draw_outline(&mut Vec::new());
        footprint
    }

    /// Becomes the same as another, within the memory that it has.
    pub fn copy_from(&mut self, other: &Footprint) {
        self.outline.clone_from(&other.outline);
        self.feet.clone_from(&other.feet);
        (self.foot_radius, self.center_of_mass, self.eye) = (other.foot_radius, other.center_of_mass, other.eye);
    }

    /// Radius of the largest circle about the base's origin within the outline [m]; zero if the origin is not inside.
    pub fn inscribed_radius(&self) -> f64 {
        outline::inscribed_radius(&self.outline)
    }

    /// Radius of the smallest circle about the base's origin that holds the outline [m].
    pub fn circumscribed_radius(&self) -> f64 {
        outline::circumscribed_radius(&self.outline)
    }

    /// True if a place in the level frame of the base is on or within the outline.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        self.beyond(x, y) <= 1e-12
    }

    /// How far a place is beyond an edge of the outline, or its extension [m]; negative within.
    fn beyond(&self, x: f64, y: f64) -> f64 {
        let beyond = |(from, to): ([f64; 2], [f64; 2])| {
            let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
            (dy * (x - from[0]) - dx * (y - from[1])) / hypot(dx, dy).max(1e-12)
        };
        if self.outline.len() > 2 { self.edges().map(beyond).fold(f64::NEG_INFINITY, f64::max) } else { f64::INFINITY }
    }

    pub(crate) fn edges(&self) -> impl Iterator<Item = ([f64; 2], [f64; 2])> + '_ {
        outline::edges(&self.outline)
    }

    /// The convex hull of the circles of all feet, within the memory of `points`.
    fn draw_outline(&mut self, points: &mut Vec<[f64; 2]>) {
        points.clear();
        // the polygon goes round the circle, not within it
        let radius = self.foot_radius / cos(core::f64::consts::PI / CORNERS_PER_FOOT as f64);
        for foot in &self.feet {
            for corner in 0..CORNERS_PER_FOOT {
                let angle = (corner as f64 + 0.5) * core::f64::consts::TAU / CORNERS_PER_FOOT as f64;
                points.push([foot[0] + radius * cos(angle), foot[1] + radius * sin(angle)]);
            }
        }
        self.enclose(points);
    }

    /// Becomes the convex hull of `points` (Andrew 1979, monotone chain), which it sorts.
    fn enclose(&mut self, points: &mut [[f64; 2]]) {
        points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        self.outline.clear();
        add_chain(&mut self.outline, points.iter());
        self.outline.pop();
        let lower = self.outline.len();
        add_chain_from(&mut self.outline, lower, points.iter().rev());
        self.outline.pop();
    }
}

fn add_chain<'a>(hull: &mut Vec<[f64; 2]>, points: impl Iterator<Item = &'a [f64; 2]>) {
    add_chain_from(hull, 0, points);
}

fn add_chain_from<'a>(hull: &mut Vec<[f64; 2]>, start: usize, points: impl Iterator<Item = &'a [f64; 2]>) {
    const FLAT: f64 = 1e-9;
    for point in points {
        while let [.., a, b] = hull[start..] {
            if (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) > FLAT {
                break;
            }
            hull.pop();
        }
        hull.push(*point);
    }
}

/// Finds the footprint of a robot with wheel pairs as its joints stand; its buffers are sized once.
#[derive(Clone, Debug)]
pub struct FootprintFinder {
    model: RobotModel,
    configuration: Configuration,
    data: Data,
    /// Indices of the wheels' links, pair by pair.
    pairs: Vec<Vec<usize>>,
    /// Soles of a robot that walks: their links, and the middles of the circles at their corners [m].
    soles: Vec<(usize, [Point3<f64>; 4])>,
    wheel_radius: f64,
    foot_radius: f64,
    points: Vec<[f64; 2]>,
    /// Corners of what the robot carries on no leg, each in the frame of its link [m].
    corners: Vec<(usize, Point3<f64>)>,
}

impl FootprintFinder {
    /// A finder for a robot that has wheels, or stands on two feet.
    pub fn new(model: &RobotModel) -> Result<FootprintFinder, NavigationError> {
        let configuration = Configuration::zero(&model.tree);
        let mut data = Data::new(&model.tree);
        forward_kinematics(&model.tree, &configuration, &mut data);
        let mut steered: Vec<usize> = Vec::new();
        let mut pairs: Vec<Vec<usize>> = Vec::new();
        let (mut wheel_radius, mut foot_radius) = (0.0_f64, 0.0_f64);
        for wheel in &model.description.wheels {
            let pair = steered.iter().position(|joint| *joint == wheel.steer_joint).unwrap_or_else(|| {
                steered.push(wheel.steer_joint);
                pairs.push(Vec::new());
                pairs.len() - 1
            });
            pairs[pair].push(wheel.link);
            let axis = &data.link_in_base[model.tree.joints[wheel.steer_joint].link].translation;
            let middle = &data.link_in_base[wheel.link].translation;
            let across = hypot(middle.x - axis.x, middle.y - axis.y) + 0.5 * wheel.width;
            foot_radius = foot_radius.max(hypot(across, wheel.radius));
            wheel_radius = wheel_radius.max(wheel.radius);
        }
        let soles = if pairs.is_empty() { soles(model) } else { Vec::new() };
        if !soles.is_empty() {
            foot_radius = SOLE_CORNER;
        }
        if pairs.len() < 3 && soles.len() != 2 {
            let (expected, found) =
                ("three steered wheel pairs or more, or two feet".to_owned(), format!("{}", pairs.len()));
            return Err(NavigationError::Robot { expected, found });
        }
        let corners = corners_above_legs(model);
        let feet = pairs.len() + 4 * soles.len();
        let points = Vec::with_capacity(feet * CORNERS_PER_FOOT + corners.len());
        let model = model.clone();
        Ok(FootprintFinder { model, configuration, data, pairs, soles, wheel_radius, foot_radius, points, corners })
    }

    /// The middles of the circles at the corners of each sole, in its foot's frame, in the order of the robot's file, and how large these circles are [m].
    pub fn soles(&self) -> (impl Iterator<Item = &[Point3<f64>; 4]>, f64) {
        (self.soles.iter().map(|(_, corners)| corners), self.foot_radius)
    }

    /// Writes the footprint of a robot whose base is turned as in `base_in_odom`; allocates nothing once `footprint` has
    /// been written.
    pub fn find(&mut self, joints: &[JointState], base_in_odom: &Isometry3<f64>, footprint: &mut Footprint) {
        for (position, joint) in self.configuration.joints.iter_mut().zip(joints) {
            *position = joint.position;
        }
        forward_kinematics(&self.model.tree, &self.configuration, &mut self.data);
        let (_, _, yaw) = base_in_odom.rotation.euler_angles();
        let level = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -yaw) * base_in_odom.rotation;
        footprint.feet.clear();
        let mut ground = 0.0;
        for pair in &self.pairs {
            let middle = pair.iter().map(|link| self.data.link_in_base[*link].translation.vector).sum::<Vector3<f64>>();
            let middle = level * (middle / pair.len() as f64);
            footprint.feet.push([middle.x, middle.y, middle.z - self.wheel_radius]);
            ground += (middle.z - self.wheel_radius) / self.pairs.len() as f64;
        }
        for (link, corners) in &self.soles {
            for corner in corners {
                let place = level * (self.data.link_in_base[*link] * corner).coords;
                footprint.feet.push(place.into());
                ground += place.z / (4.0 * self.soles.len() as f64);
            }
        }
        let com = level * center_of_mass_in_base(&self.model.tree, &self.data);
        footprint.center_of_mass = [com.x, com.y, com.z - ground];
        footprint.eye = self.model.description.lasers.first().map(|laser| {
            let eye = self.data.link_in_base[laser.mount.link] * laser.mount.pose_in_link;
            let eye = level * eye.translation.vector;
            [eye.x, eye.y, eye.z]
        });
        footprint.foot_radius = self.foot_radius;
        footprint.draw_outline(&mut self.points);
        let feet = self.points.len();
        let places = self.corners.iter().map(|(link, corner)| level * (self.data.link_in_base[*link] * corner));
        self.points.extend(places.map(|place| [place.x, place.y]).filter(|[x, y]| footprint.beyond(*x, *y) > CELL));
        if self.points.len() > feet {
            footprint.enclose(&mut self.points);
        }
    }
}

/// How round the corners of soles are taken to be [m].
const SOLE_CORNER: f64 = 0.03;

/// The soles of a robot that walks.
fn soles(model: &RobotModel) -> Vec<(usize, [Point3<f64>; 4])> {
    let corners = |foot: &robot_model::description::Foot| {
        let [x, y] = [foot.length, foot.width].map(|side| (0.5 * side - SOLE_CORNER).max(0.0));
        (foot.link, [[x, y], [x, -y], [-x, y], [-x, -y]].map(|[x, y]| Point3::new(x, y, 0.0)))
    };
    model.description.feet.iter().map(corners).collect()
}

/// The corners of the boxes around all shapes of links that belong to no leg.
fn corners_above_legs(model: &RobotModel) -> Vec<(usize, Point3<f64>)> {
    let description = &model.description;
    let of_wheels = description.wheels.iter().map(|wheel| wheel.limb);
    let limbs: Vec<usize> = of_wheels.chain(description.feet.iter().map(|foot| foot.limb)).collect();
    let legs = || limbs.iter().filter_map(|limb| description.limbs.get(*limb));
    let mut is_of_leg = vec![false; model.tree.links.len()];
    let mut corners = Vec::new();
    for (index, link) in model.tree.links.iter().enumerate() {
        is_of_leg[index] = link.parent.is_some_and(|parent| is_of_leg[parent])
            || matches!(link.motion, Motion::Joint(joint) if legs().any(|leg| leg.joints.contains(&joint)));
        if !is_of_leg[index] {
            corners.extend(link.seen().flat_map(Geometry::corners_in_link).map(|corner| (index, corner)));
        }
    }
    corners
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::path::Path;

    fn square() -> Footprint {
        let feet = [[0.3, 0.3], [0.3, -0.3], [-0.3, 0.3], [-0.3, -0.3]].map(|[x, y]| [x, y, -0.5]);
        Footprint::on_feet(&feet, 0.1, [0.0, 0.0, 0.6])
    }

    #[test]
    fn a_footprint_holds_its_feet_and_their_circles() {
        let square = square();
        assert!((square.inscribed_radius() - 0.4).abs() < 1e-9, "{}", square.inscribed_radius());
        assert!(square.circumscribed_radius() > 0.3 * 2.0_f64.sqrt() + 0.1);
        for foot in &square.feet {
            for angle in (0..360).map(|degrees| f64::from(degrees).to_radians()) {
                assert!(square.contains(foot[0] + 0.1 * cos(angle), foot[1] + 0.1 * sin(angle)));
            }
        }
        assert!(!square.contains(0.41, 0.0) && !square.contains(0.42, 0.42));
    }

    #[test]
    fn the_centaurs_footprint_is_that_of_its_data_sheet() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
        let model = RobotModel::load(&path).unwrap();
        let mut finder = FootprintFinder::new(&model).unwrap();
        let stand = model.description.poses.iter().find(|pose| pose.name == "stand").unwrap();
        let joint = |position: &f64| JointState { position: *position, ..JointState::default() };
        let joints: Vec<JointState> = stand.positions.iter().map(joint).collect();
        let mut footprint = Footprint::default();
        let turned = Isometry3::rotation(Vector3::z() * 1.3);
        finder.find(&joints, &turned, &mut footprint);
        let side = |axis: usize| footprint.feet.iter().map(|foot| foot[axis]).fold(0.0, f64::max);
        assert!((0.2..0.5).contains(&side(0)) && (0.2..0.5).contains(&side(1)), "{footprint:?}");
        assert_eq!(footprint.feet.len(), 4);
        assert!((0.08..0.2).contains(&footprint.foot_radius), "{footprint:?}");
        assert!((0.3..1.2).contains(&footprint.center_of_mass[2]), "{footprint:?}");
        assert!((0.35..0.45).contains(&footprint.inscribed_radius()), "{}", footprint.inscribed_radius());
        let on_feet = Footprint::on_feet(&footprint.feet, footprint.foot_radius, footprint.center_of_mass);
        assert_eq!(footprint.outline, on_feet.outline, "its arms are within");
    }

    #[test]
    fn arms_that_reach_beyond_the_feet_are_a_part_of_the_footprint() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
        let model = RobotModel::load(&path).unwrap();
        let mut finder = FootprintFinder::new(&model).unwrap();
        let ahead = model.description.poses.iter().find(|pose| pose.name == "arms_forward").unwrap();
        let joints = ahead.positions.iter().map(|position| JointState { position: *position, ..JointState::default() });
        let mut footprint = Footprint::default();
        finder.find(&joints.collect::<Vec<_>>(), &Isometry3::identity(), &mut footprint);
        let hand = model.tree.link("left_hand_palm_link").unwrap();
        let hand = finder.data.link_in_base[hand].translation;
        assert!(hand.x > 0.5 && footprint.contains(hand.x, hand.y), "{hand:?} {footprint:?}");
        assert!(!footprint.contains(-0.6, 0.0), "nothing reaches back");
    }
}
