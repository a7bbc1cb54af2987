//! One physics step, in the order in which things happen.

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use robot_io::{Event, Lifecycle, Severity, Subject};
use robot_model::Motion;

use super::{Actuation, Simulation};
use crate::multibody::{JointDrive, wrench_at};
use crate::setup::Relocation;

const SOURCE: &str = "plant";
/// A robot that is put down falls so deep [m]: wheels must not begin inside the ground.
const PUT_DOWN_FROM: f64 = 0.02;
/// Bits of `told`.
const TOLD_FAULT: u64 = 1;
const TOLD_DERATED: u64 = 2;

impl Simulation {
    /// One physics step. At the end of a control cycle the sensors are read. A robot whose state is no longer a finite number stays
    /// where it is, see [`fault`](Simulation::fault).
    pub fn step(&mut self) {
        if self.multibody.state.no_number().is_some() {
            self.steps += 1;
            return;
        }
        if self.steps.is_multiple_of(self.steps_per_cycle) {
            self.contacts.unwanted.begin();
        }
        self.move_objects();
        self.relocate_if_due();
        self.depart();
        self.physics.step(&self.multibody);
        self.contacts.gather(&self.spawned, &self.world, &self.physics, &self.multibody);
        self.drive_joints();
        self.multibody.weigh(self.world.gravity);
        self.contacts.push(&self.spawned, &mut self.multibody);
        self.push_links();
        self.resist_rolling();
        self.multibody.accelerate(&self.drives, self.dt);
        self.contacts.solver.solve(&mut self.multibody, self.dt);
        self.multibody.integrate(self.dt);
        if self.multibody.state.no_number().is_some() {
            self.steps += 1;
            return;
        }
        self.feel_joints();
        self.contacts.sum(self.dt);
        self.settle_joints();
        self.supply();
        self.steps += 1;
        let is_cycle = self.steps.is_multiple_of(self.steps_per_cycle);
        if is_cycle {
            self.report_drives();
        }
        self.multibody.arrive();
        self.look();
        if is_cycle {
            self.sense();
        }
    }

    /// Why there is nothing more to simulate: a state that is no number, with the name of its joint.
    pub fn fault(&self) -> Option<String> {
        let body = self.multibody.state.no_number()?;
        let (position, velocity) = (self.multibody.state.positions[body], self.multibody.state.velocities[body]);
        let what = match body.checked_sub(1).and_then(|joint| self.joints.get(joint)) {
            Some(joint) => format!("joint '{}': position {position}, velocity {velocity}", joint.name),
            None => {
                let (place, speed) =
                    (&self.multibody.state.base_in_world.translation, self.multibody.state.base_velocity);
                format!("the base: place {:?} m, velocity {:?} m/s", place.vector.as_slice(), speed.as_slice())
            }
        };
        Some(format!("the state is no longer a finite number, or beyond all bounds: {what}"))
    }

    /// Objects that move by themselves go to where they are at the end of the step.
    fn move_objects(&mut self) {
        let time = (self.steps + 1) as f64 * self.dt;
        let world = &self.world;
        self.physics.move_objects(|number| world.objects[number].pose_at(time, &world.terrain));
    }

    /// Somebody picks the robot up and puts it down elsewhere: as it stands, at its height over the ground, at rest.
    fn relocate_if_due(&mut self) {
        let now = self.time();
        let Some(Relocation { to, .. }) = self.setup.relocations.iter().find(|relocation| relocation.at == now) else {
            return;
        };
        let state = &mut self.multibody.state;
        let before = state.base_in_world;
        let ground = |x: f64, y: f64| self.world.terrain.height_at(x, y).unwrap_or(0.0);
        let lift = ground(to.x, to.y) - ground(before.translation.x, before.translation.y);
        let (_, _, yaw) = before.rotation.euler_angles();
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), to.yaw - yaw);
        let place = Translation3::new(to.x, to.y, before.translation.z + lift + PUT_DOWN_FROM);
        state.base_in_world = Isometry3::from_parts(place, turn * before.rotation);
        (state.base_velocity, state.base_angular_velocity) = (Vector3::zeros(), Vector3::zeros());
        self.multibody.update();
        self.events.push(Event::note(now, Severity::Warning, SOURCE, "the robot was carried to another place"));
    }

    /// Every drive turns its command into what acts in its joint.
    fn drive_joints(&mut self) {
        let enabled = self.lifecycle == Lifecycle::Active;
        let state = &self.multibody.state;
        for (place, joint) in self.joints.iter_mut().enumerate() {
            let body = place + 1;
            let mut drive = match (&mut joint.actuation, joint.motion) {
                (Actuation::Drive(drive), Motion::Joint(index)) => drive.drive(&self.commands[index], enabled),
                (Actuation::Passive(passive), _) => passive.drive(state.velocities[body]),
                (Actuation::Follower(follower, mimic), _) => {
                    let master = self.joint_of[mimic.joint] + 1;
                    let position = mimic.multiplier * state.positions[master] + mimic.offset;
                    follower.drive(position, mimic.multiplier * state.velocities[master])
                }
                (Actuation::Drive(_), _) => JointDrive::default(),
            };
            joint.stop.add(&mut drive, state.positions[body]);
            self.drives[body] = drive;
        }
    }

    /// Pushes that are not over push on.
    fn push_links(&mut self) {
        let now = self.time();
        self.pushes.retain(|push| now < push.until);
        for push in &self.pushes {
            let place = &self.spawned.links[push.link];
            let body = &mut self.multibody.bodies[place.number];
            let point = body.in_world * place.pose_in_body * Point3::from(push.point_in_link);
            body.outer += wrench_at(&push.force_in_world, &(point.coords - self.multibody.reference));
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
            let velocity = self.multibody.angular_velocity(wheel.place.number);
            let body = &mut self.multibody.bodies[wheel.place.number];
            let axis = body.in_world.rotation * (wheel.place.pose_in_body.rotation * wheel.axis_in_link);
            let torque = axis * wheel.rolling.torque(velocity.dot(&axis), load, ground, self.dt);
            for (sum, torque) in body.outer.iter_mut().zip(torque.iter()) {
                *sum += torque;
            }
        }
    }

    /// Force/torque cells feel what their joints held in this step.
    fn feel_joints(&mut self) {
        for (index, cell) in self.cells.iter().enumerate() {
            self.reactions[index] = self.multibody.reaction(self.joint_of[cell.joint()] + 1, self.dt);
        }
    }

    /// Every drive learns where the step has taken it.
    fn settle_joints(&mut self) {
        let state = &self.multibody.state;
        for (place, joint) in self.joints.iter_mut().enumerate() {
            if let Actuation::Drive(drive) = &mut joint.actuation {
                drive.settle(state.positions[place + 1], state.velocities[place + 1]);
            }
        }
    }

    /// The batteries share what the drives draw.
    fn supply(&mut self) {
        let drawn = |joint: &super::Joint| match &joint.actuation {
            Actuation::Drive(drive) => drive.power(),
            _ => 0.0,
        };
        let power: f64 = self.joints.iter().map(drawn).sum();
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
