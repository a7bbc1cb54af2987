//! When the joints are where.

use robot_io::State;

use super::joint_path::JointPath;
use super::limits::{MotionLimits, Pace};
use super::profile::{Stretch, profile};
use crate::error::{ManipulationError, check_numbers};

/// Positions, velocities and accelerations of joints at a time, one entry a joint [rad or m, and per s, s²].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointStates {
    /// Where they are.
    pub positions: Vec<f64>,
    /// How fast they move.
    pub velocities: Vec<f64>,
    /// How that changes.
    pub accelerations: Vec<f64>,
}

/// A way that is gone along from rest to rest, as fast as speeds, accelerations and jerks of all joints allow.
///
/// Nearly so: a piece's limits hold on the whole piece, and accelerations along the way are zero where pieces meet.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Trajectory {
    pub(super) path: JointPath,
    stretches: Vec<Stretch>,
    duration: f64,
}

impl JointStates {
    /// For so many joints, all zero.
    pub fn new(dof: usize) -> JointStates {
        JointStates { positions: vec![0.0; dof], velocities: vec![0.0; dof], accelerations: vec![0.0; dof] }
    }

    /// For so many joints from now on; those that are new are zero.
    pub fn fit(&mut self, dof: usize) {
        for numbers in [&mut self.positions, &mut self.velocities, &mut self.accelerations] {
            numbers.resize(dof, 0.0);
        }
    }
}

impl Trajectory {
    /// Along this way within these limits, which have an entry for each of its joints.
    pub fn new(path: JointPath, limits: &MotionLimits) -> Result<Trajectory, ManipulationError> {
        limits.check(path.dof())?;
        let pace = |piece| -> (f64, Pace) { (super::piece::Piece::length(piece), limits.pace(piece)) };
        let pieces: Vec<(f64, Pace)> = path.pieces.iter().map(pace).collect();
        let stretches = profile(&pieces, &path.stops);
        let duration = stretches.last().map_or(0.0, |last| last.begins + last.lasts);
        Ok(Trajectory { path, stretches, duration })
    }

    /// How long it takes [s].
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// The way.
    pub fn path(&self) -> &JointPath {
        &self.path
    }

    /// How far along the way it is at a time [s], and the speed and the acceleration along it.
    pub fn along(&self, time: f64) -> [f64; 3] {
        self.stretch_at(time).map_or([0.0; 3], |(stretch, time)| stretch.at(time))
    }

    /// The stretch of a time, and the time within the trajectory; `None` if nothing moves.
    fn stretch_at(&self, time: f64) -> Option<(&Stretch, f64)> {
        let time = time.clamp(0.0, self.duration);
        let behind = self.stretches.partition_point(|stretch| stretch.begins <= time);
        behind.checked_sub(1).map(|index| (&self.stretches[index], time))
    }

    /// Where the joints are at a time [s] and how they move, written to `states`: before the beginning and after the end they
    /// rest. Refused if there is no entry for each joint. Nothing is allocated.
    pub fn at(&self, time: f64, states: &mut JointStates) -> Result<(), ManipulationError> {
        self.at_pace(time, [1.0, 0.0], states)
    }

    /// The same while the time itself passes at a pace, which changes [1/s].
    pub(super) fn at_pace(
        &self,
        time: f64,
        [pace, change]: [f64; 2],
        states: &mut JointStates,
    ) -> Result<(), ManipulationError> {
        let dof = self.path.dof();
        let all = [&states.positions, &states.velocities, &states.accelerations];
        for (numbers, field) in all.into_iter().zip(["positions", "velocities", "accelerations"]) {
            if numbers.len() != dof {
                check_numbers("states of joints", field, dof, numbers)?;
            }
        }
        let Some((stretch, time)) = self.stretch_at(time) else {
            states.positions.copy_from_slice(&self.path.begin);
            states.velocities.fill(0.0);
            states.accelerations.fill(0.0);
            return Ok(());
        };
        let [along, mut velocity, mut acceleration] = stretch.at(time);
        acceleration = acceleration * pace * pace + velocity * change;
        velocity *= pace;
        let (piece, share) = (stretch.piece, self.path.share_of(stretch.piece, along));
        for joint in 0..dof {
            let [position, first, second] = self.path.pieces[piece].at(share, joint);
            states.positions[joint] = position;
            states.velocities[joint] = first * velocity;
            states.accelerations[joint] = second * velocity * velocity + first * acceleration;
        }
        Ok(())
    }
}
