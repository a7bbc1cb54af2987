//! A chiron with a plant of its own: a robot whose joints do what they are told, as fast as they may, and that feels nothing.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chiron::{Pace, PlantRefusal, PlantSetup, Registry};
use robot_io::{
    Clock, Commands, IoError, JointCommand, JointStatus, Lifecycle, Readings, RobotIo, RobotLayout, RobotStatus, Time,
};

/// What robot and clock share: the machine, as it is in the present cycle.
#[derive(Clone)]
struct Machine(Arc<Mutex<Joints>>);

struct Joints {
    cycle: u64,
    positions: Vec<f64>,
    velocities: Vec<f64>,
    /// What each joint was told last; one without stiffness is limp.
    told: Vec<JointCommand>,
}

impl Machine {
    fn now(&self) -> MutexGuard<'_, Joints> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The robot behind the plug.
pub struct Rig {
    layout: RobotLayout,
    lifecycle: Lifecycle,
    machine: Machine,
}

/// The clock that makes its time pass.
pub struct RigClock {
    layout: RobotLayout,
    machine: Machine,
}

/// A robot with its joints at these positions, and its clock.
pub fn plug(layout: &RobotLayout, positions: &[f64]) -> (Rig, RigClock) {
    let rest = vec![JointCommand::default(); layout.joints.len()];
    let joints = Joints { cycle: 0, positions: positions.to_vec(), velocities: vec![0.0; rest.len()], told: rest };
    let machine = Machine(Arc::new(Mutex::new(joints)));
    let clock = RigClock { layout: layout.clone(), machine: machine.clone() };
    (Rig { layout: layout.clone(), lifecycle: Lifecycle::default(), machine }, clock)
}

impl RobotIo for Rig {
    fn layout(&self) -> &RobotLayout {
        &self.layout
    }

    fn lifecycle(&self) -> Lifecycle {
        self.lifecycle
    }

    // which transitions there are is the plug's; what a machine has to do for one belongs here
    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        if !self.lifecycle.allows(to) {
            return Err(IoError::Transition { from: self.lifecycle, to });
        }
        self.lifecycle = to;
        // switched on or off, it waits for its first command
        self.machine.now().told.fill(JointCommand::default());
        Ok(())
    }

    // a second time in the same cycle it gives the same
    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        if !self.lifecycle.can_read() {
            return Err(IoError::NotReadable { state: self.lifecycle });
        }
        readings.check(&self.layout)?;
        let machine = self.machine.now();
        let now = Time::from_nanoseconds(machine.cycle * self.layout.period.nanoseconds());
        (readings.cycle, readings.time) = (machine.cycle, now);
        readings.status = RobotStatus { lifecycle: self.lifecycle, ..RobotStatus::default() };
        let is_on = self.lifecycle == Lifecycle::Active;
        for (index, joint) in readings.joints.iter_mut().enumerate() {
            (joint.position, joint.velocity) = (machine.positions[index], machine.velocities[index]);
            (joint.effort, joint.temperature) = (0.0, 20.0);
            joint.status = JointStatus::default().with(JointStatus::ENABLED, is_on);
            joint.stamp = now;
        }
        for imu in &mut readings.imus {
            imu.linear_acceleration.z = 9.81;
            imu.stamp = now;
        }
        for contact in &mut readings.contacts {
            (contact.touching, contact.force, contact.stamp) = (true, 100.0, now);
        }
        for battery in &mut readings.batteries {
            (battery.voltage, battery.charge, battery.stamp) = (48.0, 1.0, now);
        }
        readings.force_torques.iter_mut().for_each(|sensor| sensor.stamp = now);
        Ok(())
    }

    // commands act while the robot is active; an emergency stop makes it limp in this very cycle
    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        commands.check(&self.layout)?;
        if self.lifecycle == Lifecycle::Active {
            let mut machine = self.machine.now();
            machine.told.clone_from(&commands.joints);
            if commands.emergency_stop {
                machine.told.fill(JointCommand::default());
            }
        }
        Ok(())
    }
}

impl Clock for RigClock {
    fn now(&self) -> Time {
        Time::from_nanoseconds(self.machine.now().cycle * self.layout.period.nanoseconds())
    }

    // one control cycle; in real time it would wait here until the next one begins
    fn advance(&mut self) -> Result<Time, IoError> {
        let (mut machine, dt) = (self.machine.now(), self.layout.period.seconds());
        let Joints { positions, velocities, told, cycle } = &mut *machine;
        for (index, (joint, told)) in self.layout.joints.iter().zip(told).enumerate() {
            let wanted = if told.stiffness > 0.0 { (told.position - positions[index]) / dt } else { told.velocity };
            velocities[index] = wanted.clamp(-joint.limits.velocity, joint.limits.velocity);
            positions[index] += velocities[index] * dt;
        }
        *cycle += 1;
        drop(machine);
        Ok(self.now())
    }
}

fn build(setup: &PlantSetup<'_>) -> Result<(Rig, RigClock), PlantRefusal> {
    // `setup.argument()` has what stands behind `--plant rig:`, for example an address; what nobody asks for is refused
    Ok(plug(setup.layout, setup.pose))
}

pub fn plants() -> Registry {
    Registry::standard().with_plant("rig", Pace::LockStep, build)
}

fn main() -> ExitCode {
    chiron::main(plants())
}

#[cfg(test)]
mod tests {
    use robot_io::conformance::{Abilities, Plugged, Probe, Subject, check};

    use super::*;

    /// The same examination that simulation, bus and replay pass.
    #[test]
    fn it_behaves_as_every_robot_behind_the_plug() {
        let layout = RobotLayout::example();
        let hold = vec![
            JointCommand::hold(0.0, 100.0, 1.0),
            JointCommand::hold(0.0, 100.0, 1.0),
            JointCommand::turn(0.0, 1.0),
        ];
        let mut subject = Subject::new("the rig", hold, || {
            let (robot, clock) = plug(&layout, &[0.0; 3]);
            Ok(Plugged::new(robot, clock))
        });
        subject.probes = vec![Probe { joint: 0, step: 0.2, effort: 1.0, cycles: 60, tolerance: 0.01 }];
        subject.abilities = Abilities { measures_effort: false, ..Abilities::default() };
        let report = check(&mut subject);
        assert!(report.is_sound(), "{report}");
    }
}
