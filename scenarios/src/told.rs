//! What the controller is told of robot, start and map, which is never quite so.
//!
//! The truth is what the files say, and the plant has it. Each error is drawn by the seed and the name of what it belongs to, so that
//! another link or sensor changes none of the others.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use robot_io::{HeightMap, JointKind, Pose2, RandomStream, RobotLayout};
use robot_model::{Motion, RobotModel, Tree};
use slam::{MOST_SCAN_DELAY, SlamSettings};
use worlds::World;

use crate::ScenarioError;
use crate::case::{Case, Uncertainty};

/// Nothing is told to be less than this share of itself.
const LEAST_SHARE: f64 = 0.1;

/// What the controller is told.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// The robot.
    pub robot: RobotModel,
    /// Where it starts, in the world.
    pub start: Pose2,
    /// By how much later the laser's scans are said to be stamped than they are [s].
    scan_delay: f64,
    /// The survey of the ground, if there is one.
    pub prior: Option<HeightMap>,
}

/// The truth, and where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Truth<'a> {
    /// What the scenario says of it.
    pub case: &'a Case,
    /// The robot.
    pub robot: &'a RobotModel,
    /// Where it starts, in the world.
    pub start: &'a Pose2,
    /// What it stands in.
    pub world: &'a World,
}

impl Told {
    /// What the controller is told of the truth, of a robot with this `layout`. On a robot that is no simulation nothing is made wrong.
    pub fn of(truth: Truth, layout: &RobotLayout) -> Result<Told, ScenarioError> {
        let Case { seed, plant, uncertainty, miscalibration, .. } = truth.case;
        let uncertainty = if plant.is_simulated() { *uncertainty } else { Uncertainty::none() };
        let errors = Errors { seed: *seed, deviation: uncertainty };
        let mut told = Told {
            robot: errors.robot(truth.robot)?,
            start: errors.start(truth.start),
            scan_delay: errors.draw("scan_delay", "", 0, uncertainty.scan_delay),
            prior: truth.world.prior_map().map(|prior| errors.map(height_map(prior))),
        };
        if let Some(wrong) = miscalibration {
            told.robot = wrong.told(&told.robot, layout).ok_or_else(|| {
                let message = "miscalibration: expected a laser on an axis among the sensors, found none";
                truth.case.wrong_at("miscalibration", message.to_owned())
            })?;
            told.scan_delay += wrong.scan_delay;
        }
        told.scan_delay = told.scan_delay.clamp(-MOST_SCAN_DELAY, MOST_SCAN_DELAY);
        Ok(told)
    }

    /// The settings of mapping, with the delay of stamps as it is told.
    pub fn mapping(&self, settings: &SlamSettings) -> SlamSettings {
        let mut told = settings.clone();
        told.assembly.scan_delay += self.scan_delay;
        told
    }
}

/// The errors of a seed.
struct Errors {
    seed: u64,
    deviation: Uncertainty,
}

impl Errors {
    /// The error of the `index`-th number of what a thing called `name` is told to be.
    fn draw(&self, what: &str, name: &str, index: u32, deviation: f64) -> f64 {
        let stream = RandomStream::new(self.seed, &format!("told/{what}/{name}"));
        stream.normal(0, index) * deviation * self.deviation.scale
    }

    /// The same as a factor.
    fn share(&self, what: &str, name: &str, deviation: f64) -> f64 {
        (1.0 + self.draw(what, name, 0, deviation)).max(LEAST_SHARE)
    }

    fn vector(&self, what: &str, name: &str, deviation: f64) -> Vector3<f64> {
        Vector3::from_fn(|axis, _| self.draw(what, name, axis as u32, deviation))
    }

    fn start(&self, start: &Pose2) -> Pose2 {
        let Uncertainty { start: offset, start_turn, .. } = self.deviation;
        let [x, y] = [0, 1].map(|axis| self.draw("start", "", axis, offset));
        Pose2 { x: start.x + x, y: start.y + y, yaw: start.yaw + self.draw("start_turn", "", 0, start_turn) }
    }

    fn map(&self, mut map: HeightMap) -> HeightMap {
        let shift = self.vector("map", "", self.deviation.map);
        (map.origin_x, map.origin_y) = (map.origin_x + shift.x, map.origin_y + shift.y);
        let stream = RandomStream::new(self.seed, "told/map_height");
        let deviation = self.deviation.map_height * self.deviation.scale;
        for (sample, height) in map.heights.iter_mut().enumerate() {
            *height += shift.z + deviation * stream.normal(sample as u64, 0);
        }
        map
    }

    fn robot(&self, robot: &RobotModel) -> Result<RobotModel, ScenarioError> {
        let mut told = robot.clone();
        let (mut links, joints) = (robot.tree.links.clone(), robot.tree.joints.clone());
        for link in &mut links {
            let share = self.share("mass", &link.name, self.deviation.mass);
            link.inertia.mass *= share;
            link.inertia.com_in_link += self.vector("center_of_mass", &link.name, self.deviation.center_of_mass);
            link.inertia.rotational_at_com_in_link *= share * self.share("inertia", &link.name, self.deviation.inertia);
        }
        for joint in &joints {
            let link = &mut links[joint.link];
            let (error, axis) = (self.draw("joint_zero", &joint.name, 0, self.deviation.joint_zero), link.axis_in_link);
            link.placement_in_parent *= match joint.kind {
                JointKind::Prismatic => Translation3::from(axis.into_inner() * (0.1 * error)).into(),
                _ => Isometry3::from_parts(Translation3::identity(), UnitQuaternion::from_axis_angle(&axis, error)),
            };
        }
        told.tree = Tree::new(links, joints)?;
        self.mounts(&mut told)?;
        for wheel in &mut told.description.wheels {
            wheel.radius *= self.share("wheel_radius", &wheel.name, self.deviation.wheel_radius);
        }
        for class in &mut told.description.actuators {
            let share = self.share("friction", &class.name, self.deviation.friction);
            (class.coulomb_friction, class.viscous_friction) =
                (class.coulomb_friction * share, class.viscous_friction * share);
        }
        Ok(told)
    }

    /// Sensors sit elsewhere. One that has a link of its own takes the link along, since others look for it there; so does the axis
    /// that turns a laser.
    fn mounts(&self, robot: &mut RobotModel) -> Result<(), ScenarioError> {
        let (mut links, joints) = (robot.tree.links.clone(), robot.tree.joints.clone());
        let description = &mut robot.description;
        let lasers = description.lasers.iter_mut().map(|laser| (&mut laser.mount, true));
        let cameras = description.cameras.iter_mut().map(|camera| (&mut camera.mount, false));
        let depth_cameras = description.depth_cameras.iter_mut().map(|camera| (&mut camera.mount, false));
        let mut moved = Vec::new();
        for (mount, turns) in lasers.chain(cameras).chain(depth_cameras) {
            let upwards = core::iter::successors(Some(mount.link), |link| links[*link].parent);
            let axis = upwards.into_iter().find(|link| links[*link].motion != Motion::Fixed).filter(|_| turns);
            match links[mount.link].motion {
                Motion::Fixed if mount.link != 0 => moved.push(mount.link),
                _ => mount.pose_in_link = self.mounted(&mount.pose_in_link, &mount.name),
            }
            moved.extend(axis);
        }
        moved.sort_unstable();
        moved.dedup();
        for link in moved {
            links[link].placement_in_parent = self.mounted(&links[link].placement_in_parent, &links[link].name);
        }
        for imu in &mut description.imus {
            imu.pose_in_link = self.mounted(&imu.pose_in_link, &imu.name);
        }
        robot.tree = Tree::new(links, joints)?;
        Ok(())
    }

    /// A pose that was measured, of what is mounted under a name.
    fn mounted(&self, pose: &Isometry3<f64>, name: &str) -> Isometry3<f64> {
        let turn = UnitQuaternion::from_scaled_axis(self.vector("mount_turn", name, self.deviation.mount_turn));
        let place = pose.translation.vector + self.vector("mount", name, self.deviation.mount);
        Isometry3::from_parts(place.into(), turn * pose.rotation)
    }
}

/// A world's prior map in the words of the plug.
fn height_map(terrain: &worlds::Terrain) -> HeightMap {
    HeightMap {
        cell: terrain.cell,
        origin_x: terrain.origin_x,
        origin_y: terrain.origin_y,
        columns: terrain.columns,
        rows: terrain.rows,
        heights: terrain.heights.clone(),
    }
}
