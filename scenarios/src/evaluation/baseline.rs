//! Baselines beside a run: other methods on the very sweeps that the robot maps, for comparison only.

use std::collections::VecDeque;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use robot_io::{Odometry, Pose2, Readings, RobotLayout, Time};
use robot_model::RobotModel;
use slam::{KissIcp, SlamError, SlamSettings, Sweep, SweepAssembler, SweepOdometer, Vgicp};

use super::Evaluation;
use super::trajectory::truth_at;

/// So many cycles back a sweep's end may lie.
const REMEMBERED: usize = 64;

/// Methods that a run can be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaselineKind {
    /// In the manner of KISS-ICP.
    KissIcp,
    /// Voxelised GICP.
    Vgicp,
}

/// Follows a run with baselines and judges them.
#[derive(Debug)]
pub struct Baselines {
    assembler: SweepAssembler,
    followers: Vec<Follower>,
    start: Isometry3<f64>,
    truth: VecDeque<(Time, Isometry3<f64>)>,
}

#[derive(Debug)]
struct Follower {
    kind: BaselineKind,
    odometer: Box<dyn SweepOdometer + Send>,
    frame_in_map: Option<Isometry3<f64>>,
    evaluation: Evaluation,
}

impl Baselines {
    /// For a robot with a laser that starts at a place of the world.
    pub fn new(
        kinds: &[BaselineKind],
        model: &RobotModel,
        layout: &RobotLayout,
        settings: &SlamSettings,
        start: &Pose2,
    ) -> Result<Baselines, SlamError> {
        let heading = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), start.yaw);
        Ok(Baselines {
            assembler: SweepAssembler::new(model, layout, settings.assembly)?,
            followers: kinds.iter().map(|kind| Follower::new(*kind, settings)).collect::<Result<_, _>>()?,
            start: Isometry3::from_parts(Translation3::new(start.x, start.y, 0.0), heading),
            truth: VecDeque::with_capacity(REMEMBERED),
        })
    }

    /// Takes in a cycle.
    pub fn observe(&mut self, readings: &Readings, odometry: &Odometry, base_in_world: &Isometry3<f64>) {
        if self.truth.len() == REMEMBERED {
            self.truth.pop_front();
        }
        self.truth.push_back((readings.time, *base_in_world));
        let Some(turn) = self.assembler.update(readings, odometry) else { return };
        let sweep = turn.sweep();
        let truth = truth_at(self.truth.make_contiguous(), sweep.end);
        for follower in &mut self.followers {
            follower.observe(&sweep, &self.start, truth.as_ref());
        }
    }

    /// What one of them believed against what is true; `None` if it does not run.
    pub fn evaluation(&self, kind: BaselineKind) -> Option<&Evaluation> {
        self.followers.iter().find(|follower| follower.kind == kind).map(|follower| &follower.evaluation)
    }
}

impl Follower {
    fn new(kind: BaselineKind, settings: &SlamSettings) -> Result<Follower, SlamError> {
        let odometer: Box<dyn SweepOdometer + Send> = match kind {
            BaselineKind::KissIcp => Box::new(KissIcp::new(settings.kiss)?),
            BaselineKind::Vgicp => Box::new(Vgicp::new(settings.vgicp)?),
        };
        Ok(Follower { kind, odometer, frame_in_map: None, evaluation: Evaluation::default() })
    }

    fn observe(&mut self, sweep: &Sweep, start: &Isometry3<f64>, truth: Option<&Isometry3<f64>>) {
        let estimate = self.odometer.process(sweep);
        // it begins where it first sees something, which odometry tells
        let by_odometry = start * sweep.base_in_odom;
        let frame = *self.frame_in_map.get_or_insert_with(|| by_odometry * estimate.base_in_map.inverse());
        if let Some(truth) = truth {
            self.evaluation.observe(sweep.end, &(frame * estimate.base_in_map), truth);
        }
    }
}
