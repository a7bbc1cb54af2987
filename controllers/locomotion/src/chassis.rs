//! Legs and wheel pairs as found in the robot's model.

use nalgebra::Vector3;
use robot_io::math::atan2;
use robot_io::{Readings, RobotLayout};
use robot_model::{Chain, Configuration, Data, RobotModel, Tree, forward_kinematics};

use crate::LocomotionError;
use crate::leg::{FootPlace, LegGeometry, Segment};

/// How parallel axes must be, as the cosine's distance from one.
const PARALLEL: f64 = 1e-6;

/// A leg with a steered pair of wheels at its end.
#[derive(Clone, Debug)]
pub(crate) struct Leg {
    /// Hip, knee and ankle in the plane.
    pub geometry: LegGeometry,
    /// Indices of hip, knee and ankle.
    pub pitch_joints: [usize; 3],
    /// Index of the steering joint.
    pub steer_joint: usize,
    /// +1 if a positive position steers counter-clockwise.
    pub steer_sign: f64,
    /// Heading of the pair with the steering joint at zero [rad].
    pub steer_offset: f64,
    /// Lowest and highest heading [rad].
    pub heading_range: (f64, f64),
    /// The steering axis in the base frame, to the left [m].
    pub y: f64,
    /// Where the foot is in the stance.
    pub nominal: FootPlace,
    /// Lowest and highest z of the foot [m].
    pub stroke: (f64, f64),
    /// Its wheels.
    pub wheels: Vec<PairWheel>,
}

/// A wheel of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairWheel {
    /// Index of the joint that drives it.
    pub joint: usize,
    /// +1 if a positive position rolls it along the heading.
    pub sign: f64,
    /// Its place along the axle, left of the steering axis [m].
    pub along_axle: f64,
    /// Radius [m].
    pub radius: f64,
    /// Index of its link.
    pub link: usize,
    /// Index of its contact switch.
    pub contact: Option<usize>,
}

impl Leg {
    /// Positions of hip, knee and ankle.
    pub fn joints(&self, readings: &Readings) -> [f64; 3] {
        self.pitch_joints.map(|joint| readings.joints[joint].position)
    }

    /// Heading of the pair in the leg's frame [rad].
    pub fn heading(&self, readings: &Readings) -> f64 {
        self.steer_sign * readings.joints[self.steer_joint].position + self.steer_offset
    }

    /// Position of the steering joint for a heading [rad].
    pub fn steer_position(&self, heading: f64) -> f64 {
        self.steer_sign * (heading - self.steer_offset)
    }

    /// Hip, knee, ankle and steering.
    pub fn leg_joints(&self) -> [usize; 4] {
        let [hip, knee, ankle] = self.pitch_joints;
        [hip, knee, ankle, self.steer_joint]
    }

    /// All its joints, wheels last.
    pub fn all_joints(&self) -> impl Iterator<Item = usize> {
        self.leg_joints().into_iter().chain(self.wheels.iter().map(|wheel| wheel.joint))
    }

    /// Radius of its wheels [m].
    pub fn radius(&self) -> f64 {
        self.wheels[0].radius
    }
}

/// All legs of a robot, in the order of its wheels; `stance` names the pose that gives the feet their places.
pub(crate) fn legs(model: &RobotModel, layout: &RobotLayout, stance: &str) -> Result<Vec<Leg>, LocomotionError> {
    check_layout(model, layout)?;
    let description = &model.description;
    let pose = description.poses.iter().find(|pose| pose.name == stance).ok_or_else(|| {
        let names: Vec<&str> = description.poses.iter().map(|pose| pose.name.as_str()).collect();
        lacks(model, format!("a pose \"{stance}\""), format!("{names:?}"))
    })?;
    let mut steer_joints: Vec<usize> = Vec::new();
    for wheel in &description.wheels {
        if !steer_joints.contains(&wheel.steer_joint) {
            steer_joints.push(wheel.steer_joint);
        }
    }
    if steer_joints.len() < 3 {
        return Err(lacks(model, "three steered legs or more", steer_joints.len()));
    }
    let at_zero = Configuration::zero(&model.tree);
    let mut data = Data::new(&model.tree);
    forward_kinematics(&model.tree, &at_zero, &mut data);
    steer_joints.iter().map(|&joint| leg(model, &data, joint, &pose.positions)).collect()
}

/// The leg above a steering joint; `data` holds the kinematics with all joints at zero.
fn leg(model: &RobotModel, data: &Data, steer_joint: usize, stance: &[f64]) -> Result<Leg, LocomotionError> {
    let tree = &model.tree;
    let steered = tree.joints[steer_joint].link;
    let chain = Chain::new(tree, 0, steered).map_err(|error| lacks(model, "legs", error))?;
    let name = &tree.joints[steer_joint].name;
    let refuse = |what: &str, expected: &str, found: String| LocomotionError::Leg {
        leg: name.clone(),
        what: what.to_owned(),
        expected: expected.to_owned(),
        found,
    };
    let [hip, knee, ankle, _] = chain.joints[..] else {
        let found = chain.joints.len().to_string();
        return Err(refuse("joints above the wheels", "hip, knee, ankle and steering", found));
    };
    let pitch_joints = [hip, knee, ankle];
    let signs = pitch_signs(tree, data, &pitch_joints, name)?;
    let steer_axis = axis_in_base(tree, data, steer_joint);
    if steer_axis.y.abs() > PARALLEL {
        return Err(refuse(name, "a steering axis in the leg's plane", format!("y {:.6}", steer_axis.y)));
    }
    let steer_sign = steer_axis.z.signum();
    let up = steer_axis * steer_sign;
    let (wheels, steer_offset, foot_in_base) = pair(model, data, steer_joint, &up)?;
    let at = |joint: usize| data.link_in_base[tree.joints[joint].link].translation.vector;
    let segment = |from: Vector3<f64>, to: Vector3<f64>| Segment::new(to.x - from.x, to.z - from.z);
    let limits = pitch_joints.map(|joint| (tree.joints[joint].limits.lower, tree.joints[joint].limits.upper));
    let mut geometry = LegGeometry {
        hip: (at(hip).x, at(hip).z),
        thigh: segment(at(hip), at(knee)),
        shank: segment(at(knee), at(ankle)),
        foot: segment(at(ankle), foot_in_base),
        steering: atan2(up.x, up.z),
        signs,
        limits,
        knee_side: 1.0,
    };
    let stance = pitch_joints.map(|joint| stance[joint]);
    let mut nominal = geometry.forward(&stance);
    nominal.lean = 0.0;
    geometry.knee_side = knee_side(&geometry, &stance);
    if !geometry.inverse(&nominal).reached {
        let found = format!("x {:.3}, z {:.3}", nominal.x, nominal.z);
        return Err(refuse("the stance", "feet that an upright steering axis lets reach", found));
    }
    let limits = tree.joints[steer_joint].limits;
    let ends = [limits.lower, limits.upper].map(|end| steer_sign * end + steer_offset);
    Ok(Leg {
        stroke: geometry.stroke(&nominal),
        geometry,
        pitch_joints,
        steer_joint,
        steer_sign,
        steer_offset,
        heading_range: (ends[0].min(ends[1]), ends[0].max(ends[1])),
        y: foot_in_base.y,
        nominal,
        wheels,
    })
}

/// Which way hip, knee and ankle turn about the base's y axis.
fn pitch_signs(tree: &Tree, data: &Data, joints: &[usize; 3], leg: &str) -> Result<[f64; 3], LocomotionError> {
    let mut signs = [0.0; 3];
    for (sign, &joint) in signs.iter_mut().zip(joints) {
        let axis = axis_in_base(tree, data, joint);
        if axis.y.abs() < 1.0 - PARALLEL {
            return Err(LocomotionError::Leg {
                leg: leg.to_owned(),
                what: tree.joints[joint].name.clone(),
                expected: "an axis along the base's y".to_owned(),
                found: format!("{:.4} {:.4} {:.4}", axis.x, axis.y, axis.z),
            });
        }
        *sign = axis.y.signum();
    }
    Ok(signs)
}

/// The wheels on a steering axis, their heading at zero, and the pair's middle in the base frame.
fn pair(
    model: &RobotModel,
    data: &Data,
    steer_joint: usize,
    up: &Vector3<f64>,
) -> Result<(Vec<PairWheel>, f64, Vector3<f64>), LocomotionError> {
    let (tree, description) = (&model.tree, &model.description);
    let on_axis = data.link_in_base[tree.joints[steer_joint].link].translation.vector;
    let mut wheels = Vec::new();
    let (mut left, mut drop) = (Vector3::zeros(), 0.0);
    for wheel in description.wheels.iter().filter(|wheel| wheel.steer_joint == steer_joint) {
        let axle = axis_in_base(tree, data, wheel.drive_joint);
        if axle.dot(up).abs() > 1e-3 {
            return Err(LocomotionError::Leg {
                leg: tree.joints[steer_joint].name.clone(),
                what: tree.joints[wheel.drive_joint].name.clone(),
                expected: "an axle across the steering axis".to_owned(),
                found: format!("{:.3} along it", axle.dot(up)),
            });
        }
        if wheels.is_empty() {
            left = axle * if axle.y < 0.0 { -1.0 } else { 1.0 };
        }
        let offset = data.link_in_base[wheel.link].translation.vector - on_axis;
        drop = offset.dot(up);
        wheels.push(PairWheel {
            joint: wheel.drive_joint,
            // an axle to the left turns a rolling wheel about +y: along the heading
            sign: axle.dot(&left).signum(),
            along_axle: offset.dot(&left),
            radius: wheel.radius,
            link: wheel.link,
            contact: description.contacts.iter().position(|contact| contact.link == wheel.link),
        });
    }
    let ahead = left.cross(up);
    Ok((wheels, atan2(ahead.y, ahead.x), on_axis + up * drop))
}

/// +1 if the thigh is on the +y side of the line from hip to ankle.
fn knee_side(geometry: &LegGeometry, stance: &[f64; 3]) -> f64 {
    let place = geometry.forward(stance);
    let error = |side: f64| {
        let solution = LegGeometry { knee_side: side, ..*geometry }.inverse(&place);
        solution.joints.iter().zip(stance).map(|(a, b)| (a - b).abs()).sum::<f64>()
    };
    if error(1.0) <= error(-1.0) { 1.0 } else { -1.0 }
}

fn axis_in_base(tree: &Tree, data: &Data, joint: usize) -> Vector3<f64> {
    let link = tree.joints[joint].link;
    data.link_in_base[link].rotation * tree.links[link].axis_in_link.as_ref()
}

fn lacks(model: &RobotModel, expected: impl ToString, found: impl ToString) -> LocomotionError {
    let (expected, found) = (expected.to_string(), found.to_string());
    LocomotionError::Lacks { robot: model.name.clone(), expected, found }
}

fn check_layout(model: &RobotModel, layout: &RobotLayout) -> Result<(), LocomotionError> {
    for (index, joint) in model.tree.joints.iter().enumerate() {
        let found = layout.joints.get(index).map_or("", |joint| joint.name.as_str());
        if joint.name != found {
            let (expected, found) = (joint.name.clone(), found.to_owned());
            return Err(LocomotionError::Layout { index, expected, found });
        }
    }
    Ok(())
}
