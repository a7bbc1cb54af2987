//! What eyes and hands are told before they begin.

use core::f64::consts::PI;
use std::sync::Arc;

use manipulation::{
    CollisionModel, CollisionSettings, Grasp, GraspObject, GraspSettings, Hand, ObjectPart, PartShape, Placed,
    SerialChain, grasps,
};
use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};
use perception::{
    ColourTable, DepthNoise, NormalSettings, ObjectModel, Part, RecognitionSettings, Shape, SightingSettings, Symmetry,
    TrackingSettings,
};
use robot_io::{Period, RobotLayout, ShortName};
use robot_model::RobotModel;
use robot_model::description::Limb;

use crate::cloud::CloudMemo;
use crate::error::HandlingError;

/// What is kept between an arm and what is around it [m]; chosen.
const MARGIN: f64 = 0.008;
/// The same for an arm that begins nearer to something than that [m].
const CLOSE_MARGIN: f64 = 0.002;
/// No sphere reaches farther beyond its link's shape than this [m]; chosen.
const EXCESS: f64 = 0.01;

/// Depths are smoothed until a disparity's standard deviation is no more than this [px], over windows that reach no farther than so many pixels; chosen.
const SMOOTH: f64 = 0.055;
const MOST_SMOOTHING: usize = 3;

/// What is round is held in so many ways that are as good; chosen.
const ROUND: u32 = 12;

/// A robot as its eyes and hands know it: its links' shapes, its arms, and the objects that it may meet.
#[derive(Debug)]
pub struct Body {
    /// As its controller is told that it is.
    pub(crate) robot: RobotModel,
    /// Its shapes.
    pub(crate) model: Arc<CollisionModel>,
    /// The same with less of a margin.
    pub(crate) close: CollisionModel,
    /// Its arms that end in hands.
    pub(crate) arms: Vec<ArmSetup>,
    /// Objects that are known by their shape.
    pub(crate) things: Vec<Thing>,
    /// What is around, as it was asked for last.
    pub(crate) clouds: CloudMemo,
}

/// An arm that ends in a hand.
#[derive(Clone, Debug)]
pub(crate) struct ArmSetup {
    /// The hand's name.
    pub name: ShortName,
    /// The link of the hand's frame: x points away from the palm, z is the direction in which fingers open.
    pub link: usize,
    /// Joints of the arm, and of the fingers.
    pub joints: Vec<usize>,
    pub fingers: Vec<usize>,
    /// From what the arm hangs on to the hand.
    pub chain: SerialChain,
    /// The fingers by their shapes.
    pub hand: Arc<Hand>,
    /// For each thing how the hand can grasp it, the best first.
    pub grasps: Vec<Vec<Grasp>>,
}

/// An object that is known by its shape.
#[derive(Clone, Debug)]
pub(crate) struct Thing {
    pub name: ShortName,
    pub solids: Vec<Placed>,
    /// What of them no hand takes it by, where it has grips.
    pub beside_grips: Vec<Placed>,
    pub symmetry: Symmetry,
    /// Nothing of it is farther from its origin than this [m].
    pub radius: f64,
    shape: GraspObject,
}

/// What eyes are to look with, and for.
#[derive(Clone, Debug)]
pub struct EyesPlan {
    /// The depth camera.
    pub camera: String,
    /// Its place in readings and commands.
    pub(crate) index: usize,
    /// What objects look like.
    pub models: Vec<ObjectModel>,
    /// How they are recognised.
    pub recognition: RecognitionSettings,
    /// How they are remembered.
    pub tracking: TrackingSettings,
    /// What is farther from the camera is not believed to be an object [m].
    pub most_range: f64,
    /// The colour camera beside it, if colours count.
    pub colours: Option<ColourPlan>,
    /// From one picture to the next at the least.
    pub interval: Period,
    /// How long after a picture what it shows is known.
    pub latency: Period,
}

/// The colour camera of eyes.
#[derive(Clone, Debug)]
pub struct ColourPlan {
    /// The camera.
    pub camera: String,
    /// Its place in readings and commands.
    pub(crate) index: usize,
    /// The colours that models name.
    pub table: ColourTable,
    /// How what is far away is seen by its colour.
    pub sighting: SightingSettings,
    /// What has its model's colour is believed to be that object so far from the depth camera [m]; beyond the eyes' `most_range` its place alone.
    pub most_range: f64,
}

impl Body {
    /// Of a robot that may meet objects of these models. `corners` gives the corners of a mesh of the robot by its name in the URDF [m].
    pub fn new(
        robot: &RobotModel,
        models: &[ObjectModel],
        corners: impl Fn(&str) -> Option<Vec<Vector3<f64>>>,
    ) -> Result<Body, HandlingError> {
        let standing =
            robot.description.poses.first().map_or_else(|| vec![0.0; robot.tree.dof()], |pose| pose.positions.clone());
        let with =
            |margin| CollisionModel::new(robot, &standing, CollisionSettings { margin, excess: EXCESS }, &corners);
        let (model, close) = (Arc::new(with(MARGIN)?), with(CLOSE_MARGIN)?);
        let things = models.iter().map(Thing::new).collect::<Result<Vec<Thing>, _>>()?;
        let arms = arms(robot, &model, &things)?;
        if arms.is_empty() {
            let (robot, found) = (robot.name.clone(), "none".to_owned());
            return Err(HandlingError::Robot {
                robot,
                expected: "an arm: a limb with an end effector and a hand",
                found,
            });
        }
        Ok(Body { robot: robot.clone(), model, close, arms, things, clouds: CloudMemo::default() })
    }

    /// The object of a name.
    pub(crate) fn thing(&self, name: &ShortName) -> Option<&Thing> {
        self.things.iter().find(|thing| thing.name == *name)
    }
}

impl Thing {
    fn new(model: &ObjectModel) -> Result<Thing, HandlingError> {
        let parts: Vec<ObjectPart> = model.parts().iter().map(part).collect();
        let shape = GraspObject::new(parts, None)?.with_grips(model.grips())?;
        let symmetry = model.symmetry().clone();
        let (name, solids, grips) = (short("object", model.name())?, shape.solids(), model.grips());
        let is_beside = |part: &usize| !grips.is_empty() && !grips.contains(part);
        let beside_grips = (0..solids.len()).filter(is_beside).map(|part| solids[part]).collect();
        Ok(Thing { name, solids, beside_grips, symmetry, radius: model.radius(), shape })
    }

    /// Turns after which it looks the same, that by nothing first; of a round one some of those by any angle.
    pub fn looks(&self) -> Vec<UnitQuaternion<f64>> {
        let about = |axis: Unit<Vector3<f64>>| {
            let part = 2.0 * PI / f64::from(ROUND);
            (0..ROUND).map(move |step| UnitQuaternion::from_axis_angle(&axis, f64::from(step) * part)).collect()
        };
        let round: Vec<UnitQuaternion<f64>> =
            self.symmetry.axis().map_or_else(|| vec![UnitQuaternion::identity()], about);
        self.symmetry.turns().iter().flat_map(|turn| round.iter().map(move |free| *turn * *free)).collect()
    }
}

impl EyesPlan {
    /// Looks with a camera of the robot for these objects, twice a second at most, and reckons with the noise that the robot's file tells of it; refused
    /// if the camera is not switched on.
    pub fn new(
        robot: &RobotModel,
        layout: &RobotLayout,
        camera: &str,
        models: Vec<ObjectModel>,
    ) -> Result<EyesPlan, HandlingError> {
        let index = layout.depth_cameras.iter().position(|known| known.name == camera);
        let known = || layout.depth_cameras.iter().map(|camera| camera.name.clone());
        let index = index.ok_or_else(|| HandlingError::name("camera", known(), camera))?;
        for model in &models {
            short("object", model.name())?;
        }
        Ok(EyesPlan {
            camera: camera.to_owned(),
            index,
            models,
            recognition: recognition(robot, camera),
            tracking: TrackingSettings::default(),
            // recognition has been tried to 1.2 m
            most_range: 1.4,
            colours: None,
            interval: Period::from_seconds(0.5),
            latency: Period::from_seconds(0.3),
        })
    }

    /// The same with a colour camera beside the depth camera: an object must have the colour that its model names, is believed farther away if it has, and is
    /// glimpsed by its colour beyond that. Refused if the camera is not switched on.
    pub fn with_colours(
        self,
        layout: &RobotLayout,
        camera: &str,
        table: ColourTable,
    ) -> Result<EyesPlan, HandlingError> {
        let index = layout.cameras.iter().position(|known| known.name == camera);
        let known = || layout.cameras.iter().map(|camera| camera.name.clone());
        let index = index.ok_or_else(|| HandlingError::name("colour_camera", known(), camera))?;
        // a foot says where something is if it stands on the ground, and things stand on tables, too
        let sighting = SightingSettings { height_deviation: 0.3, ..SightingSettings::default() };
        // of batteries 24 of 30 are recognised at 1.4 to 1.7 m, and none beyond (scenarios/tests/seen_by_distance.rs)
        let colours = ColourPlan { camera: camera.to_owned(), index, table, sighting, most_range: 1.7 };
        Ok(EyesPlan { colours: Some(colours), ..self })
    }
}

/// Recognition in pictures of a depth camera that is as exact as the robot's file says: steps of a disparity are uniform noise, and the pictures of a
/// noisy one, as of a stereo camera, are smoothed.
fn recognition(robot: &RobotModel, camera: &str) -> RecognitionSettings {
    let mount = robot.description.depth_cameras.iter().find(|known| known.mount.name == camera);
    let noise = mount.map_or_else(DepthNoise::default, |mount| DepthNoise {
        baseline: mount.baseline,
        disparity_deviation: (mount.disparity_noise.powi(2) + mount.disparity_step.powi(2) / 12.0).sqrt(),
        ..DepthNoise::default()
    });
    let is_enough = |reach: &usize| noise.smoothed(*reach).disparity_deviation <= SMOOTH;
    let smoothing = (0..MOST_SMOOTHING).find(is_enough).unwrap_or(MOST_SMOOTHING);
    let defaults = RecognitionSettings::default();
    RecognitionSettings { noise, normals: NormalSettings { smoothing, ..defaults.normals }, ..defaults }
}

/// A name that may travel.
pub(crate) fn short(field: &'static str, name: &str) -> Result<ShortName, HandlingError> {
    let most = ShortName::LONGEST;
    ShortName::new(name).ok_or_else(|| HandlingError::LongName { field, most, found: name.to_owned() })
}

fn arms(robot: &RobotModel, model: &CollisionModel, things: &[Thing]) -> Result<Vec<ArmSetup>, HandlingError> {
    let (tree, description) = (&robot.tree, &robot.description);
    let mut arms = Vec::new();
    for hand in &description.hands {
        let ends_in_hand = |effector: usize| description.end_effectors[effector].link == hand.link;
        let of_hand = |limb: &&Limb| limb.end_effector.is_some_and(ends_in_hand);
        let Some(limb) = description.limbs.iter().find(of_hand) else { continue };
        let Some(first) = limb.joints.first() else { continue };
        let moved = tree.links.iter().position(|link| link.motion == robot_model::Motion::Joint(*first));
        let Some(root) = moved.and_then(|moved| tree.links[moved].parent) else { continue };
        let fingers = Hand::new(robot, &hand.name, model)?;
        let of_thing = |thing: &Thing| grasps(&thing.shape, &fingers, &GraspSettings::default());
        arms.push(ArmSetup {
            grasps: things.iter().map(of_thing).collect::<Result<_, _>>()?,
            hand: Arc::new(fingers.clone()),
            name: short("hand", &hand.name)?,
            link: hand.link,
            joints: limb.joints.clone(),
            fingers: description.limbs[hand.limb].joints.clone(),
            chain: SerialChain::new(tree, root, hand.link)?,
        });
    }
    Ok(arms)
}

/// A part of a model as grasps are planned for it; points are the box around them.
fn part(part: &Part) -> ObjectPart {
    let whole = |shape| ObjectPart { shape, pose: part.pose };
    match &part.shape {
        Shape::Box(size) => whole(PartShape::Box { size: *size }),
        Shape::Cylinder { radius, height } => whole(PartShape::Cylinder { radius: *radius, height: *height }),
        Shape::Cup { radius, height, wall } => whole(PartShape::Cup { radius: *radius, height: *height, wall: *wall }),
        Shape::Points(points) => {
            let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
            points.iter().for_each(|point| (low, high) = (low.inf(&point.point.coords), high.sup(&point.point.coords)));
            let middle = 0.5 * (low + high);
            let middle = Isometry3::translation(middle.x, middle.y, middle.z);
            ObjectPart { shape: PartShape::Box { size: high - low }, pose: part.pose * middle }
        }
    }
}
