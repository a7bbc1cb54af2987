//! What the report draws: signals over time, at a rate that a picture can show.

use robot_io::{Commands, Event, Pose2, Readings, RobotLayout, Time};

use crate::active::ActiveStates;
use crate::checks::{Observation, Signal, pose_of};
use crate::feet_seen::FeetSeen;
use crate::map_seen::{MapSeen, believed_place};

/// How many samples a run has at most; beyond, every other one is dropped and the interval doubled.
const MOST_SAMPLES: usize = 2_000;

/// Signals of one run over time.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Take every n-th cycle.
    stride: u64,
    /// When each sample was taken [s].
    pub times: Vec<f64>,
    /// The true place and heading of the base in the world.
    pub truth: Vec<Pose2>,
    /// The names of the robots beside it, and where each truly was.
    pub others: Vec<(String, Vec<Pose2>)>,
    /// The believed place and heading of the base in the world.
    pub odometry: Vec<Pose2>,
    /// The place and heading of the base on the robot's map, whose plane is the world's.
    pub localized: Vec<Pose2>,
    /// The map itself.
    pub map: MapSeen,
    /// The steps of a robot on feet, and its balance.
    pub feet: FeetSeen,
    /// Each signal of [`Signal::ALL`], in that order.
    pub signals: Vec<Vec<f64>>,
    /// Each joint of the layout.
    pub joints: Vec<JointSeries>,
    /// What happened.
    pub events: Vec<Event>,
    /// Which states of statecharts were active.
    pub states: ActiveStates,
}

/// One joint over time.
#[derive(Clone, Debug, Default)]
pub struct JointSeries {
    /// Position [rad].
    pub position: Vec<f64>,
    /// Commanded position [rad]; not-a-number while there is none.
    pub position_command: Vec<f64>,
    /// Velocity [rad/s].
    pub velocity: Vec<f64>,
    /// Commanded velocity [rad/s].
    pub velocity_command: Vec<f64>,
    /// Effort [N·m].
    pub effort: Vec<f64>,
    /// Winding temperature [°C].
    pub temperature: Vec<f64>,
    /// What it is away from its shadow, if there is a twin: position [rad or m], velocity, effort.
    pub residual: [Vec<f64>; 3],
}

impl Series {
    /// An empty series for a robot.
    pub fn new(layout: &RobotLayout) -> Series {
        Series {
            stride: 1,
            signals: vec![Vec::new(); Signal::ALL.len()],
            joints: vec![JointSeries::default(); layout.joints.len()],
            ..Series::default()
        }
    }

    /// Takes note of one cycle, if its turn has come, and of where other robots are in it.
    pub fn observe<'o>(
        &mut self,
        seen: &Observation<'_>,
        commands: &Commands,
        others: impl Iterator<Item = (&'o str, &'o plant::Truth)>,
    ) {
        self.map.observe(seen);
        self.states.observe(seen.readings.time, &seen.telemetry.states);
        let is_sample = seen.readings.cycle.is_multiple_of(self.stride);
        self.feet.observe(seen, is_sample);
        if !is_sample {
            return;
        }
        self.times.push(seen.readings.time.seconds());
        self.truth.push(pose_of(seen.truth));
        for (number, (name, truth)) in others.enumerate() {
            if self.others.len() == number {
                self.others.push((name.to_owned(), Vec::new()));
            }
            self.others[number].1.push(pose_of(truth));
        }
        let unknown = Pose2 { x: f64::NAN, y: f64::NAN, yaw: f64::NAN };
        let start = pose_of(seen.start);
        let believed = seen.telemetry.odometry.as_ref();
        self.odometry.push(believed.map_or(unknown, |odometry| odometry.pose().placed_at(&start)));
        self.localized.push(believed_place(seen));
        for ((signal, ..), values) in Signal::ALL.iter().zip(&mut self.signals) {
            values.push(signal.value(seen));
        }
        self.observe_joints(seen.readings, commands);
        for (series, residual) in self.joints.iter_mut().zip(seen.residuals) {
            let values = [residual.position, residual.velocity, residual.effort];
            series.residual.iter_mut().zip(values).for_each(|(line, value)| line.push(value));
        }
        if self.times.len() >= MOST_SAMPLES {
            self.thin_out();
        }
    }

    /// One signal over time.
    pub fn signal(&self, signal: Signal) -> &[f64] {
        let index = Signal::ALL.iter().position(|(known, ..)| *known == signal);
        index.map_or(&[], |index| &self.signals[index])
    }

    /// The sample nearest to a time.
    pub fn index_at(&self, time: Time) -> usize {
        let after = self.times.partition_point(|sample| *sample < time.seconds());
        after.min(self.times.len().saturating_sub(1))
    }

    fn observe_joints(&mut self, readings: &Readings, commands: &Commands) {
        for ((series, state), command) in self.joints.iter_mut().zip(&readings.joints).zip(&commands.joints) {
            series.position.push(state.position);
            series.velocity.push(state.velocity);
            series.effort.push(state.effort);
            series.temperature.push(state.temperature);
            series.position_command.push(if command.stiffness > 0.0 { command.position } else { f64::NAN });
            series.velocity_command.push(command.velocity);
        }
    }

    fn thin_out(&mut self) {
        self.stride *= 2;
        thin(&mut self.times);
        thin(&mut self.truth);
        thin(&mut self.odometry);
        thin(&mut self.localized);
        self.feet.balance.iter_mut().for_each(thin);
        self.feet.forces.iter_mut().for_each(thin);
        self.feet.place_errors.iter_mut().chain(&mut self.feet.turn_errors).for_each(thin);
        self.others.iter_mut().for_each(|(_, truth)| thin(truth));
        self.signals.iter_mut().for_each(thin);
        for joint in &mut self.joints {
            let JointSeries { position, position_command, velocity, velocity_command, effort, temperature, residual } =
                joint;
            [position, position_command, velocity, velocity_command, effort, temperature].into_iter().for_each(thin);
            residual.iter_mut().for_each(thin);
        }
    }
}

/// Drops every other value, keeping the first.
fn thin<T>(values: &mut Vec<T>) {
    let mut keep = false;
    values.retain(|_| {
        keep = !keep;
        keep
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_first_of_each_pair() {
        let mut values = vec![0, 1, 2, 3, 4];
        thin(&mut values);
        assert_eq!(values, [0, 2, 4]);
    }
}
