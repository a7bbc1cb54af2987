//! What a robot does in a physics step: its drives, its wheels, and those who push it.

use mechanics::Mechanics;
use nalgebra::{Point3, Vector3};
use robot_io::{Event, Lifecycle, Severity, Subject, Time};
use robot_model::{Motion, Wrench};

use super::robot::{Actuation, Around, Joint, Robot};
use super::step::SOURCE;
use crate::sensor::{Acted, BatteryMonitor};

/// Bits of `told`.
const TOLD_FAULT: u64 = 1;
const TOLD_DERATED: u64 = 2;

impl Robot {
    /// Every drive turns its command into what acts in its joint.
    pub fn drive_joints(&mut self, mechanics: &Mechanics, drives: &mut [mechanics::Drive]) {
        let enabled = self.lifecycle == Lifecycle::Active;
        let (supply, base) = (self.supply_share(), self.placement.base);
        let (model, coordinates) = (mechanics.model(), mechanics.coordinates());
        for (place, joint) in self.joints.iter_mut().enumerate() {
            let dof = model.first_dof(base + place + 1);
            drives[dof] = match (&mut joint.actuation, joint.motion) {
                (Actuation::Drive(drive), Motion::Joint(index)) => drive.drive(&self.commands[index], enabled, supply),
                (Actuation::Passive(passive), _) => passive.drive(coordinates.velocities[dof]),
                (Actuation::Drive(_), _) => mechanics::Drive::default(),
            };
        }
    }

    /// What is pushed does not sleep.
    pub fn wake_pushed(&self, mechanics: &mut Mechanics) {
        for push in &self.pushes {
            mechanics.wake(self.placement.links[push.link].number);
        }
    }

    /// Pushes that are not over push on.
    pub fn push_links(&mut self, now: Time, mechanics: &Mechanics, outer: &mut [Wrench]) {
        self.pushes.retain(|push| now < push.until);
        for push in &self.pushes {
            let place = &self.placement.links[push.link];
            let body = &mechanics.middle().bodies[place.number];
            let point = body.in_world * place.pose_in_body * Point3::from(push.point_in_link);
            let at = point.coords - body.reference;
            outer[place.number] += Wrench::new(push.force_in_world, at.cross(&push.force_in_world));
        }
    }

    /// The ground resists wheels that roll on it.
    pub fn resist_rolling(&mut self, around: Around, outer: &mut [Wrench]) {
        let Around { world, mechanics, contacts, step, .. } = around;
        for wheel in &mut self.wheels {
            let load = contacts.memory.normal_force[wheel.link];
            if load <= 0.0 {
                continue;
            }
            let material = contacts.memory.material[wheel.link];
            let Some(ground) = world.materials.get(material) else { continue };
            // what soil costs is what it is pressed by
            if contacts.soil.as_ref().is_some_and(|soil| soil.gives_way(material)) {
                continue;
            }
            let body = &mechanics.middle().bodies[wheel.place.number];
            let axis = body.in_world.rotation * (wheel.place.pose_in_body.rotation * wheel.axis_in_link);
            let torque = axis * wheel.rolling.torque(body.twist.angular.dot(&axis), load, ground, step);
            outer[wheel.place.number] += Wrench::new(Vector3::zeros(), torque);
        }
    }

    /// Force/torque cells feel what their joints held in this step, whose reactions have been found.
    pub fn feel_joints(&mut self, around: Around) {
        let acted = Acted {
            gravity: Vector3::new(0.0, 0.0, -around.world.gravity),
            contacts: &around.contacts.memory.points,
            pushes: &self.pushes,
            placement: &self.placement,
            step: around.step,
        };
        self.cells.iter_mut().for_each(|cell| cell.feel(around.mechanics, acted));
    }

    /// Every drive learns where the step has taken it.
    pub fn settle_joints(&mut self, mechanics: &Mechanics) {
        let (model, coordinates) = (mechanics.model(), mechanics.coordinates());
        for (place, joint) in self.joints.iter_mut().enumerate() {
            if let Actuation::Drive(drive) = &mut joint.actuation {
                let body = self.placement.base + place + 1;
                drive.settle(coordinates.positions[body], coordinates.velocities[model.first_dof(body)]);
            }
        }
    }

    /// The voltage at the drives, as a share of that of batteries at rest; they are in parallel. A robot without any is fed by the mains.
    fn supply_share(&self) -> f64 {
        let shares = self.batteries.iter().map(BatteryMonitor::share);
        if self.batteries.is_empty() { 1.0 } else { shares.sum::<f64>() / self.batteries.len() as f64 }
    }

    /// The batteries share what the drives draw in a step [s].
    pub fn supply(&mut self, step: f64) {
        let drawn = |joint: &Joint| match &joint.actuation {
            Actuation::Drive(drive) => drive.power(),
            _ => 0.0,
        };
        let power: f64 = self.joints.iter().map(drawn).sum();
        let share = power / self.batteries.len().max(1) as f64;
        for battery in &mut self.batteries {
            battery.supply(share, step);
        }
        self.energy_used = match self.batteries.is_empty() {
            true => self.energy_used + power * step,
            false => self.batteries.iter().map(BatteryMonitor::used).sum(),
        };
    }

    /// Tells once of each drive that has become hot or switched itself off.
    pub fn report_drives(&mut self, now: Time) {
        for joint in &self.joints {
            let (Actuation::Drive(drive), Motion::Joint(index)) = (&joint.actuation, joint.motion) else { continue };
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
