//! The baseline beside a run: odometry in the manner of KISS-ICP on the very sweeps that the robot maps, for comparison only.

use std::collections::VecDeque;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use robot_io::{Odometry, Pose2, Readings, RobotLayout, Time};
use robot_model::RobotModel;
use slam::{KissIcp, SlamError, SlamSettings, SweepAssembler, SweepOdometer};

use super::Evaluation;
use crate::mapping::truth_at;

/// So many cycles back a sweep's end may lie.
const REMEMBERED: usize = 64;

/// Follows a run with the baseline and judges it.
#[derive(Debug)]
pub struct Baseline {
    assembler: SweepAssembler,
    odometer: KissIcp,
    start: Isometry3<f64>,
    frame_in_map: Option<Isometry3<f64>>,
    truth: VecDeque<(Time, Isometry3<f64>)>,
    evaluation: Evaluation,
}

impl Baseline {
    /// For a robot with a laser that starts at a place of the world.
    pub fn new(
        model: &RobotModel,
        layout: &RobotLayout,
        settings: &SlamSettings,
        start: &Pose2,
    ) -> Result<Baseline, SlamError> {
        let heading = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), start.yaw);
        Ok(Baseline {
            assembler: SweepAssembler::new(model, layout, settings.assembly)?,
            odometer: KissIcp::new(settings.kiss)?,
            start: Isometry3::from_parts(Translation3::new(start.x, start.y, 0.0), heading),
            frame_in_map: None,
            truth: VecDeque::with_capacity(REMEMBERED),
            evaluation: Evaluation::default(),
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
        let estimate = self.odometer.process(&sweep);
        // it begins where it first sees something, which odometry tells
        let by_odometry = self.start * sweep.base_in_odom;
        let frame = *self.frame_in_map.get_or_insert_with(|| by_odometry * estimate.base_in_map.inverse());
        if let Some(truth) = truth_at(self.truth.make_contiguous(), sweep.end) {
            self.evaluation.observe(sweep.end, &(frame * estimate.base_in_map), &truth);
        }
    }

    /// What it believed against what is true.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }
}
