//! One physics step, in the order in which things happen.

use nalgebra::Point3;
use robot_io::{Event, Lifecycle, Severity, Subject};

use super::{Actuation, Simulation};

const SOURCE: &str = "plant";
/// Bits of `told`.
const TOLD_FAULT: u64 = 1;
const TOLD_DERATED: u64 = 2;

impl Simulation {
    /// One physics step. At the end of a control cycle the sensors are read.
    pub fn step(&mut self) {
        self.drive_joints();
        self.push_links();
        self.resist_rolling();
        self.physics.step();
        self.settle_joints();
        self.contacts.gather(&self.spawned, &self.world, &mut self.physics);
        self.supply();
        self.steps += 1;
        if self.steps.is_multiple_of(self.steps_per_cycle) {
            self.report_drives();
            self.sense();
        }
    }

    /// Every drive turns its command into what the solver shall do.
    fn drive_joints(&mut self) {
        let enabled = self.lifecycle == Lifecycle::Active;
        for place in 0..self.joints.len() {
            let motion = self.joints[place].motion;
            let row = match &self.joints[place].actuation {
                Actuation::Drive(_) => None,
                Actuation::Passive(passive) => Some(passive.row(motion.velocity)),
                Actuation::Follower(follower, mimic) => {
                    let master = self.joints[self.joint_of[mimic.joint]].motion;
                    let position = mimic.multiplier * master.position + mimic.offset;
                    Some(follower.row(position, mimic.multiplier * master.velocity))
                }
            };
            let joint = &mut self.joints[place];
            let row = match (&mut joint.actuation, row, joint.hinge.joint.motion) {
                (Actuation::Drive(drive), _, robot_model::Motion::Joint(index)) => {
                    drive.drive(&self.commands[index], enabled)
                }
                (_, row, _) => row.unwrap_or(crate::actuator::MotorRow::OFF),
            };
            self.physics.set_row(&joint.hinge, &row, &motion);
        }
    }

    /// Pushes that are not over push on.
    fn push_links(&mut self) {
        let now = self.time();
        self.pushes.retain(|push| now < push.until);
        for push in &self.pushes {
            let place = &self.spawned.links[push.link];
            let link_in_world = self.physics.pose(place.body) * place.pose_in_body;
            let point = link_in_world * Point3::from(push.point_in_link);
            self.physics.push(place.body, &push.force_in_world, &point.coords);
        }
    }

    /// The ground resists wheels that roll on it.
    fn resist_rolling(&mut self) {
        for wheel in &mut self.wheels {
            let load = self.contacts.normal_force[wheel.link];
            if load <= 0.0 {
                continue;
            }
            let Some(ground) = self.world.materials.get(self.contacts.material[wheel.link]) else { continue };
            let axis =
                self.physics.pose(wheel.place.body).rotation * (wheel.place.pose_in_body.rotation * wheel.axis_in_link);
            let velocity = self.physics.angular_velocity(wheel.place.body).dot(&axis);
            let torque = wheel.rolling.torque(velocity, load, ground, self.dt);
            self.physics.twist(wheel.place.body, &(axis * torque));
        }
    }

    /// Every drive learns where the step has taken it.
    fn settle_joints(&mut self) {
        for joint in &mut self.joints {
            joint.motion = self.physics.motion(&joint.hinge, joint.motion.position);
            if let Actuation::Drive(drive) = &mut joint.actuation {
                drive.settle(joint.motion.position, joint.motion.velocity);
            }
        }
    }

    /// The batteries share what the drives draw.
    fn supply(&mut self) {
        let power: f64 = self
            .joints
            .iter()
            .map(|joint| match &joint.actuation {
                Actuation::Drive(drive) => drive.power(),
                _ => 0.0,
            })
            .sum();
        let share = power / self.batteries.len().max(1) as f64;
        for battery in &mut self.batteries {
            battery.supply(share, self.dt);
        }
        self.energy_used = match self.batteries.is_empty() {
            true => self.energy_used + power * self.dt,
            false => self.batteries.iter().map(crate::sensor::BatteryMonitor::used).sum(),
        };
    }

    /// Tells once of each drive that has become hot or switched itself off.
    fn report_drives(&mut self) {
        let now = self.time();
        for joint in &self.joints {
            let (Actuation::Drive(drive), robot_model::Motion::Joint(index)) =
                (&joint.actuation, joint.hinge.joint.motion)
            else {
                continue;
            };
            let told = &mut self.told[index];
            if let Some(fault) = drive.fault().filter(|_| *told & TOLD_FAULT == 0) {
                *told |= TOLD_FAULT;
                let event = Event::note(now, Severity::Error, SOURCE, fault.text());
                self.events
                    .push(event.about(Subject::Joint(index)).with(drive.temperature(), drive.trip_temperature()));
            }
            if drive.is_derated() && *told & TOLD_DERATED == 0 {
                *told |= TOLD_DERATED;
                let event = Event::note(now, Severity::Warning, SOURCE, "torque reduced: winding hot [°C]");
                self.events.push(event.about(Subject::Joint(index)).with(drive.temperature(), drive.derating_from()));
            } else if !drive.is_derated() {
                *told &= !TOLD_DERATED;
            }
        }
    }
}
