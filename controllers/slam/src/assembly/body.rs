//! The robot's own body and what it holds, as its scanner sees them.

use core::f64::consts::TAU;

use nalgebra::{Isometry3, Point3, Translation3, Vector3};
use robot_io::math::{asin, atan2, hypot};
use robot_io::{JointState, RobotLayout, ScanGeometry, State, StateVisitor};
use robot_model::description::LaserMount;
use robot_model::{Attached, Configuration, Data, Geometry, Link, RobotModel, Shape, Tree, forward_kinematics};

use super::play::{Lever, Play, levers};
use super::solid::Solid;
use crate::SlamError;

/// How many standard deviations of a range an echo of the robot may come too early.
const DEVIATIONS: f64 = 3.0;

/// Everything of the robot that its scanner may see, where it is during a scan.
///
/// A beam is the robot's own if its line comes nearer to a shape than that shape may be off, and the echo comes from there,
/// or from so little beyond that the scanner may have taken two echoes for one. What it tells from farther away is the
/// world: the beam has passed.
#[derive(Clone, Debug)]
pub(super) struct Body {
    tree: Tree,
    configuration: Configuration,
    data: Data,
    play: Play,
    /// The robot's own parts, and behind them what it holds.
    parts: Vec<Part>,
    own: usize,
    held: Vec<Shown>,
    /// The link that carries the scanner.
    scanner: usize,
    /// How far shapes may be off their drawing [m].
    margin: f64,
    /// From the middle of a beam to its corners [rad].
    beam_radius: f64,
    /// How well the scanner tells how far away an echo was.
    echo: Echo,
    /// Parts that beams of the present scan can meet.
    near: Vec<Near>,
}

/// What a scanner tells of an echo.
#[derive(Clone, Copy, Debug)]
struct Echo {
    /// By how much its range may be off [m].
    error: f64,
    /// Echoes that are nearer to each other than this are told as one between them [m].
    pulse: f64,
}

/// A shape on a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
struct Shown {
    link: usize,
    pose_in_link: Isometry3<f64>,
    solid: Solid,
}

/// A shape, and all that is to be known of it.
#[derive(Clone, Debug)]
struct Part {
    shown: Shown,
    /// False for what only stands in for a shape that is not known: it may stand where nothing is, so a beam may pass it.
    hides: bool,
    /// Radius of the ball that holds it [m].
    radius: f64,
    levers: Vec<Lever>,
    /// By how much larger it is taken now [m].
    padding: f64,
    base_in_part: Isometry3<f64>,
    middle_in_base: Point3<f64>,
}

/// A part, and the beams that may meet it.
#[derive(Clone, Copy, Debug)]
struct Near {
    part: usize,
    first: usize,
    last: usize,
}

/// A scanner in the base frame over the course of a scan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gaze<'a> {
    pub geometry: &'a ScanGeometry,
    /// In the middle of the scan.
    pub laser_in_base: Isometry3<f64>,
    /// How far it turns away from there during the scan [rad].
    pub turn: f64,
    /// How far it moves away from there [m].
    pub shift: f64,
}

impl Gaze<'_> {
    /// From where the laser is in the base frame at a scan's begin, middle and end.
    pub fn during<'a>(geometry: &'a ScanGeometry, [begin, middle, end]: &[Isometry3<f64>; 3]) -> Gaze<'a> {
        let away = [begin, end].map(|pose| middle.inv_mul(pose));
        let largest = |of: fn(&Isometry3<f64>) -> f64| of(&away[0]).max(of(&away[1]));
        Gaze {
            geometry,
            laser_in_base: *middle,
            turn: largest(|pose| pose.rotation.angle()),
            shift: largest(|pose| pose.translation.vector.norm()),
        }
    }
}

impl Body {
    /// What the model says that light meets, seen by the layout's laser with this index.
    pub fn new(model: &RobotModel, layout: &RobotLayout, laser: usize, margin: f64) -> Result<Body, SlamError> {
        let frame = layout.lasers.get(laser).map(|laser| (laser.frame.as_str(), laser.name.as_str()));
        let (frame, name) = frame.unwrap_or_default();
        let lacks = |expected: &str, found: String| SlamError::Robot { expected: expected.to_owned(), found };
        let scanner = model.tree.link(frame);
        let scanner = scanner.ok_or_else(|| lacks("a link for the laser's frame", format!("no link \"{frame}\"")))?;
        let mount = model.description.lasers.iter().find(|laser| laser.mount.name == name);
        let mount: &LaserMount =
            mount.ok_or_else(|| lacks("a description of the laser", format!("none of \"{name}\"")))?;
        let mut body = Body {
            configuration: Configuration::zero(&model.tree),
            data: Data::new(&model.tree),
            play: Play::new(model),
            parts: Vec::new(),
            own: 0,
            held: Vec::new(),
            scanner,
            margin,
            beam_radius: 0.5 * mount.beam_divergence * core::f64::consts::SQRT_2,
            echo: Echo { error: DEVIATIONS * mount.range_noise_near + 0.5e-3, pulse: mount.pulse_length },
            near: Vec::new(),
            tree: model.tree.clone(),
        };
        for (index, link) in model.tree.links.iter().enumerate() {
            for (geometry, hides) in shapes_of(link) {
                let shown = body.shown(index, &geometry)?;
                body.add(shown, hides);
            }
        }
        body.own = body.parts.len();
        Ok(body)
    }

    /// Takes `held` for part of the robot, in place of what was held before.
    pub fn hold(&mut self, held: &[Attached]) -> Result<(), SlamError> {
        self.held = held.iter().map(|held| self.shown(held.link, &held.geometry)).collect::<Result<_, _>>()?;
        self.take_up();
        Ok(())
    }

    /// Takes the posture of a scan: the joints' positions at its begin, middle and end.
    pub fn pose(&mut self, joints: &[JointState], positions: [&[f64]; 3], gaze: &Gaze) {
        self.play.take(joints, positions);
        self.configuration.joints.copy_from_slice(positions[1]);
        forward_kinematics(&self.tree, &self.configuration, &mut self.data);
        let origin = gaze.laser_in_base.translation.vector;
        for part in &mut self.parts {
            let part_in_base = self.data.link_in_base[part.shown.link] * part.shown.pose_in_link;
            part.base_in_part = part_in_base.inverse();
            part.middle_in_base = part_in_base.translation.vector.into();
            let farthest = (part.middle_in_base.coords - origin).norm() + part.radius;
            part.padding = self.margin + self.beam_radius * farthest + self.play.of(&part.levers);
        }
        self.look(gaze);
    }

    /// Whether what a beam tells is the robot itself: where the beam begins and goes in the base frame, and its range [m].
    pub fn owns(&self, beam: usize, origin: &Point3<f64>, direction: &Vector3<f64>, range: Option<f64>) -> bool {
        let near = self.near.iter().filter(|near| (near.first..=near.last).contains(&beam));
        near.map(|near| &self.parts[near.part]).any(|part| part.stops(origin, direction, range, &self.echo))
    }

    fn shown(&self, link: usize, geometry: &Geometry) -> Result<Shown, SlamError> {
        let name = self.tree.links.get(link).map(|link| &link.name);
        match name.and_then(|_| Solid::of(&geometry.shape)) {
            Some(solid) => Ok(Shown { link, pose_in_link: geometry.pose_in_link, solid }),
            None => {
                let expected = "shapes of known size on its links, to tell the robot itself from the world".to_owned();
                let mesh = |name| format!("a mesh on link \"{name}\"");
                Err(SlamError::Robot { expected, found: name.map_or(format!("one on link number {link}"), mesh) })
            }
        }
    }

    /// Makes parts of what is held.
    fn take_up(&mut self) {
        self.parts.truncate(self.own);
        for held in core::mem::take(&mut self.held) {
            // a broken snapshot must not lead outside
            if held.link < self.tree.links.len() {
                self.add(held, true);
                self.held.push(held);
            }
        }
    }

    fn add(&mut self, shown: Shown, hides: bool) {
        let radius = shown.solid.radius();
        let size = shown.pose_in_link.translation.vector.norm() + radius;
        self.parts.push(Part {
            shown,
            hides,
            radius,
            levers: levers(&self.tree, shown.link, size, self.scanner),
            padding: 0.0,
            base_in_part: Isometry3::identity(),
            middle_in_base: Point3::origin(),
        });
    }

    /// Finds the parts near the plane of the scan, and for each of them the beams that may meet the ball around it.
    fn look(&mut self, gaze: &Gaze) {
        self.near.clear();
        for (index, part) in self.parts.iter().enumerate() {
            let middle = gaze.laser_in_base.inverse_transform_point(&part.middle_in_base);
            let (distance, across) = (middle.coords.norm(), hypot(middle.x, middle.y));
            let radius = part.radius + part.padding + gaze.shift + distance * gaze.turn;
            if middle.z.abs() > radius {
                continue;
            }
            let half = if across > radius { asin(radius / across) } else { 0.5 * TAU };
            let azimuth = atan2(middle.y, middle.x);
            for turn in [-TAU, 0.0, TAU] {
                let near = beams_between(gaze.geometry, azimuth + turn, half);
                self.near.extend(near.map(|(first, last)| Near { part: index, first, last }));
            }
        }
    }
}

impl Part {
    /// Whether a beam that tells this range, or nothing, has come to the part.
    fn stops(&self, origin: &Point3<f64>, direction: &Vector3<f64>, range: Option<f64>, echo: &Echo) -> bool {
        let to = self.middle_in_base - origin;
        let (along, reach) = (to.dot(direction), self.radius + self.padding);
        let is_apart = range
            .is_some_and(|range| range < along - reach - echo.error || range > along + reach + echo.pulse + echo.error);
        if is_apart || to.norm_squared() - along * along > reach * reach {
            return false;
        }
        let (origin, direction) = (self.base_in_part * origin, self.base_in_part.rotation * direction);
        // what gives no echo hides nothing but what is surely behind it
        let padding = if range.is_some() { self.padding } else { 0.0 };
        let Some([enter, leave]) = self.shown.solid.span(padding, &origin, &direction) else { return false };
        // the scanner looks out of its own housing, and past what may not be there
        let looks_through = enter <= 0.0 || !self.hides;
        match range {
            _ if leave < 0.0 => false,
            Some(range) => {
                let last = if looks_through { leave } else { leave.max(enter + echo.pulse) };
                (enter - echo.error..=last + echo.error).contains(&range)
            }
            None => !looks_through,
        }
    }
}

impl State for Body {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let before = self.held.clone();
        visitor.field("held", &mut self.held);
        if self.held != before {
            self.take_up();
        }
    }
}

/// What of a link may be seen, and whether it hides what is behind it. Where a visual is a mesh, which is a file that need
/// not be there, what is known of the link stands in for it: collision shapes, or else a box of the same inertia.
fn shapes_of(link: &Link) -> Vec<(Geometry, bool)> {
    let is_mesh = |geometry: &&Geometry| matches!(geometry.shape, Shape::Mesh { .. });
    let mut shapes: Vec<_> = link.seen().map(|geometry| (geometry.clone(), true)).collect();
    let drawn = if link.visuals.is_empty() { &link.collisions } else { &link.visuals };
    let Some(mesh) = drawn.iter().find(is_mesh) else { return shapes };
    let known = link.collisions.iter().filter(|geometry| !is_mesh(geometry));
    shapes.extend(known.map(|geometry| (geometry.clone(), false)));
    if shapes.is_empty() {
        let pose_in_link = Translation3::from(link.inertia.com_in_link).into();
        let standing_in = link.inertia.equivalent_box().map(|size| Shape::Box { size });
        let geometry = standing_in.map(|shape| Geometry { shape, pose_in_link, color: None });
        shapes.push((geometry.unwrap_or_else(|| mesh.clone()), false));
    }
    shapes
}

/// The beams that point within `half` [rad] of a direction, if there are any.
fn beams_between(geometry: &ScanGeometry, azimuth: f64, half: f64) -> Option<(usize, usize)> {
    let beam = |angle: f64| (angle - geometry.first_angle) / geometry.angle_step;
    let (a, b) = (beam(azimuth - half), beam(azimuth + half));
    let (first, last) = (a.min(b).ceil().max(0.0), a.max(b).floor().min(geometry.beams as f64 - 1.0));
    (first <= last).then_some((first as usize, last as usize))
}
