//! The ways of what a motion moves: from where to where, and how long they take at least.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3, Vector6};
use whole_body::{Goal, Task};

use super::motion_scene::Scene;
use super::slots::{Kind, Slot};
use crate::posture::PEAK_OVER_MEAN;

/// Links move no faster than this [m/s, rad/s], heights and joints neither.
const SPEED: f64 = 0.5;
const TURNING: f64 = 1.2;
const RISING: f64 = 0.2;
const JOINT_SPEED: f64 = 1.2;

impl Slot {
    /// Where it is told to be in the motion's frame.
    pub(super) fn at(&self, done: f64) -> Isometry3<f64> {
        let turn = (self.to.rotation * self.from.rotation.inverse()).scaled_axis();
        let rotation = UnitQuaternion::from_scaled_axis(turn * done) * self.from.rotation;
        let place = self.from.translation.vector.lerp(&self.to.translation.vector, done);
        Isometry3::from_parts(place.into(), rotation)
    }

    /// A height or an attitude, which may be on its way to the usual one.
    pub(super) fn on_its_way(&self, done: f64, usual: Vector3<f64>) -> Isometry3<f64> {
        if !self.returns {
            return self.at(done);
        }
        let home = Vector3::new(usual.y, usual.z, usual.x);
        Translation3::from(self.from.translation.vector.lerp(&home, done)).into()
    }

    /// All of its way in the odometry frame [m, rad].
    pub(super) fn way(&self, frame: &Isometry3<f64>) -> Vector6<f64> {
        let way = frame.rotation * (self.to.translation.vector - self.from.translation.vector);
        let turn = frame.rotation * (self.to.rotation * self.from.rotation.inverse()).scaled_axis();
        Vector6::from_iterator(way.iter().chain(turn.iter()).copied())
    }

    pub(super) fn set_out(
        &mut self,
        was: bool,
        done: f64,
        to_frame: &Isometry3<f64>,
        scene: &Scene,
        point: Vector3<f64>,
    ) {
        self.lean = if self.active { self.lean } else { Vector6::zeros() };
        match &self.kind {
            Kind::Link { link, .. } | Kind::Gaze { link, .. } if !was => {
                self.from = to_frame * scene.links[*link] * Translation3::from(point);
            }
            Kind::Joints { joints } => {
                for ((from, to), joint) in self.from_joints.iter_mut().zip(&self.to_joints).zip(joints) {
                    *from = if was { *from + done * (to - *from) } else { scene.joints[*joint] };
                }
            }
            Kind::Height | Kind::Trunk if !was => {
                self.from = Translation3::new(scene.usual.y, scene.usual.z, scene.usual.x).into();
            }
            Kind::Height | Kind::Trunk => self.from = self.on_its_way(done, scene.usual),
            _ => self.from = self.at(done),
        }
    }

    /// Where an aim leads it: what does not count stays.
    pub(super) fn towards(&self, to: Isometry3<f64>, task: &Task) -> Isometry3<f64> {
        let Goal::Pose(goal) = &task.goal else { return to };
        if self.kind == Kind::Trunk {
            return to;
        }
        let rotation = if goal.axes[3..].contains(&true) { to.rotation } else { self.from.rotation };
        let translation = if goal.axes[..3].contains(&true) { to.translation } else { self.from.translation };
        Isometry3::from_parts(translation, rotation)
    }

    /// In how much time it can get there [s].
    pub(super) fn shortest(&self) -> f64 {
        let way = (self.to.translation.vector - self.from.translation.vector).norm();
        let turn = (self.to.rotation * self.from.rotation.inverse()).angle();
        let joints = self.from_joints.iter().zip(&self.to_joints).map(|(from, to)| (to - from).abs());
        let slowest = match self.kind {
            Kind::Height | Kind::Trunk => way / RISING,
            Kind::Joints { .. } => joints.fold(0.0, f64::max) / JOINT_SPEED,
            Kind::Gaze { .. } => way / (2.0 * SPEED),
            Kind::Link { .. } => (way / SPEED).max(turn / TURNING),
        };
        PEAK_OVER_MEAN * slowest
    }
}

/// The task counts and looks as this one does.
pub(super) fn take_over(task: &mut Task, from: &Task) {
    (task.weight, task.frequency, task.damping_ratio) = (from.weight, from.frequency, from.damping_ratio);
    match (&mut task.goal, &from.goal) {
        (Goal::Pose(goal), Goal::Pose(from)) => (goal.axes, goal.point_in_link) = (from.axes, from.point_in_link),
        (Goal::Gaze(goal), Goal::Gaze(from)) => goal.axis_in_link = from.axis_in_link,
        _ => {}
    }
}

/// How far a pose is from another, along the axes that count [m, rad].
pub(super) fn error(to: &Isometry3<f64>, from: &Isometry3<f64>, axes: &[bool; 6]) -> Vector6<f64> {
    let way = to.translation.vector - from.translation.vector;
    let turn = (to.rotation * from.rotation.inverse()).scaled_axis();
    let all = Vector6::from_iterator(way.iter().chain(turn.iter()).copied());
    Vector6::from_fn(|axis, _| if axes[axis] { all[axis] } else { 0.0 })
}
