//! One physics step, in the order in which things happen.

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use robot_io::{Event, Lifecycle, Severity, Subject};
use robot_model::{Motion, Wrench};

use super::{Actuation, Simulation};
use crate::contacts::Middle;
use crate::hung;
use crate::sensor::Acted;
use crate::setup::Relocation;
use crate::soil::Taken;

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
        if self.has_left_physics() {
            self.steps += 1;
            return;
        }
        if self.steps.is_multiple_of(self.steps_per_cycle) {
            self.contacts.unwanted.begin();
        }
        self.relocate_if_due();
        self.depart();
        self.wake_pushed();
        self.drive_joints();
        self.hold_objects();
        self.contacts.weigh_soil(self.steps, &mut self.world.terrain, &mut self.mechanics);
        self.cells.iter_mut().for_each(|cell| cell.begin(&self.mechanics));
        self.mechanics.begin(self.dt);
        let time = (self.steps as f64 + 0.5) * self.dt;
        let (spawned, mechanics) = (&self.spawned, &self.mechanics);
        self.contacts.place(Middle { world: &self.world, spawned, mechanics, time, step: self.dt });
        self.contacts.press_soil(&mut self.world.terrain, mechanics, self.dt);
        self.contacts.find(Middle { world: &self.world, spawned, mechanics, time, step: self.dt });
        self.weigh();
        self.take_soil_along();
        self.push_links();
        self.resist_rolling();
        self.mechanics.finish(&self.drives, &self.outer, &mut self.contacts.memory.points, self.dt);
        self.steps += 1;
        if self.has_left_physics() {
            return;
        }
        self.contacts.sum(&self.world, &mut self.mechanics, self.dt);
        self.feel_joints();
        self.settle_joints();
        self.supply();
        let is_cycle = self.steps.is_multiple_of(self.steps_per_cycle);
        if is_cycle {
            self.report_drives();
        }
        self.look();
        if is_cycle {
            self.sense();
        }
    }

    fn has_left_physics(&self) -> bool {
        self.mechanics.coordinates().no_number(self.mechanics.model()).is_some()
    }

    /// Why there is nothing more to simulate: a state that is no number, with the name of its joint or object.
    pub fn fault(&self) -> Option<String> {
        let (model, coordinates) = (self.mechanics.model(), self.mechanics.coordinates());
        let body = coordinates.no_number(model)?;
        let joint = body.checked_sub(self.spawned.base + 1).and_then(|joint| self.joints.get(joint));
        let what = match joint {
            Some(joint) => {
                let (position, velocity) = (coordinates.positions[body], coordinates.velocities[model.first_dof(body)]);
                format!("joint '{}': position {position}, velocity {velocity}", joint.name)
            }
            None => {
                let object = self.spawned.moving.get(body);
                let who = object
                    .map_or("the base".to_owned(), |object| format!("object '{}'", self.world.objects[*object].name));
                let place = coordinates.placements[body].translation.vector;
                let [speed, _] = coordinates.free_velocity(model, body);
                format!("{who}: place {:?} m, velocity {:?} m/s", place.as_slice(), speed.as_slice())
            }
        };
        Some(format!("the state is no longer a finite number, or beyond all bounds: {what}"))
    }

    /// Somebody picks the robot up and puts it down elsewhere: as it stands, at its height over the ground, at rest.
    fn relocate_if_due(&mut self) {
        let now = self.time();
        let Some(Relocation { to, .. }) = self.setup.relocations.iter().find(|relocation| relocation.at == now) else {
            return;
        };
        let (to, base) = (*to, self.spawned.base);
        let ground = |x: f64, y: f64| self.world.terrain.height_at(x, y).unwrap_or(0.0);
        let mut coordinates = self.mechanics.coordinates().clone();
        let before = coordinates.placements[base];
        let lift = ground(to.x, to.y) - ground(before.translation.x, before.translation.y);
        let (_, _, yaw) = before.rotation.euler_angles();
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), to.yaw - yaw);
        let place = Translation3::new(to.x, to.y, before.translation.z + lift + PUT_DOWN_FROM);
        coordinates.placements[base] = Isometry3::from_parts(place, turn * before.rotation);
        coordinates.set_free_velocity(self.mechanics.model(), base, &Vector3::zeros(), &Vector3::zeros());
        self.mechanics.set_coordinates(coordinates);
        self.events.push(Event::note(now, Severity::Warning, SOURCE, "the robot was carried to another place"));
    }

    /// Every drive turns its command into what acts in its joint.
    fn drive_joints(&mut self) {
        let enabled = self.lifecycle == Lifecycle::Active;
        let supply = self.supply_share();
        let (model, coordinates) = (self.mechanics.model(), self.mechanics.coordinates());
        for (place, joint) in self.joints.iter_mut().enumerate() {
            let dof = model.first_dof(self.spawned.base + place + 1);
            self.drives[dof] = match (&mut joint.actuation, joint.motion) {
                (Actuation::Drive(drive), Motion::Joint(index)) => drive.drive(&self.commands[index], enabled, supply),
                (Actuation::Passive(passive), _) => passive.drive(coordinates.velocities[dof]),
                (Actuation::Drive(_), _) => mechanics::Drive::default(),
            };
        }
    }

    /// Springs, catches and friction of objects that hang on something.
    fn hold_objects(&mut self) {
        let (model, coordinates) = (self.mechanics.model(), self.mechanics.coordinates());
        for (body, object) in self.spawned.moving.iter().enumerate() {
            if let Some(joint) = &self.world.objects[*object].joint {
                let dof = model.first_dof(body);
                self.drives[dof] = hung::drive(joint, coordinates.positions[body], coordinates.velocities[dof]);
            }
        }
    }

    /// Gravity acts on every body.
    fn weigh(&mut self) {
        let bodies = self.mechanics.middle().bodies.iter();
        for (outer, body) in self.outer.iter_mut().zip(bodies) {
            let gravity = Vector3::new(0.0, 0.0, -self.world.gravity);
            *outer = Wrench::new(gravity * body.inertia.mass, body.inertia.first_moment.cross(&gravity));
        }
    }

    /// Soil that has come onto something has to be brought to its speed.
    fn take_soil_along(&mut self) {
        let taken = self.contacts.soil.as_ref().map_or(&[][..], |soil| soil.taken());
        for Taken { body, position, mass } in taken {
            let middle = self.mechanics.middle();
            let force = middle.velocity_at(*body, position) * (-mass / self.dt);
            let at = position - middle.bodies[*body].reference;
            self.outer[*body] += Wrench::new(force, at.cross(&force));
        }
    }

    /// What is pushed does not sleep.
    fn wake_pushed(&mut self) {
        for push in &self.pushes {
            self.mechanics.wake(self.spawned.links[push.link].number);
        }
    }

    /// Pushes that are not over push on.
    fn push_links(&mut self) {
        let now = self.time();
        self.pushes.retain(|push| now < push.until);
        for push in &self.pushes {
            let place = &self.spawned.links[push.link];
            let body = &self.mechanics.middle().bodies[place.number];
            let point = body.in_world * place.pose_in_body * Point3::from(push.point_in_link);
            let at = point.coords - body.reference;
            self.outer[place.number] += Wrench::new(push.force_in_world, at.cross(&push.force_in_world));
        }
    }

    /// The ground resists wheels that roll on it.
    fn resist_rolling(&mut self) {
        for wheel in &mut self.wheels {
            let load = self.contacts.memory.normal_force[wheel.link];
            if load <= 0.0 {
                continue;
            }
            let material = self.contacts.memory.material[wheel.link];
            let Some(ground) = self.world.materials.get(material) else { continue };
            // what soil costs is what it is pressed by
            if self.contacts.soil.as_ref().is_some_and(|soil| soil.gives_way(material)) {
                continue;
            }
            let body = &self.mechanics.middle().bodies[wheel.place.number];
            let axis = body.in_world.rotation * (wheel.place.pose_in_body.rotation * wheel.axis_in_link);
            let torque = axis * wheel.rolling.torque(body.twist.angular.dot(&axis), load, ground, self.dt);
            self.outer[wheel.place.number] += Wrench::new(Vector3::zeros(), torque);
        }
    }

    /// Force/torque cells feel what their joints held in this step.
    fn feel_joints(&mut self) {
        if self.cells.is_empty() {
            return;
        }
        self.mechanics.find_reactions(&self.outer, &self.contacts.memory.points, self.dt);
        let acted = Acted {
            gravity: Vector3::new(0.0, 0.0, -self.world.gravity),
            contacts: &self.contacts.memory.points,
            pushes: &self.pushes,
            spawned: &self.spawned,
            step: self.dt,
        };
        self.cells.iter_mut().for_each(|cell| cell.feel(&self.mechanics, acted));
    }

    /// Every drive learns where the step has taken it.
    fn settle_joints(&mut self) {
        let (model, coordinates) = (self.mechanics.model(), self.mechanics.coordinates());
        for (place, joint) in self.joints.iter_mut().enumerate() {
            if let Actuation::Drive(drive) = &mut joint.actuation {
                let body = self.spawned.base + place + 1;
                drive.settle(coordinates.positions[body], coordinates.velocities[model.first_dof(body)]);
            }
        }
    }

    /// The voltage at the drives, as a share of that of batteries at rest; they are in parallel. A robot without any is fed by the mains.
    fn supply_share(&self) -> f64 {
        let shares = self.batteries.iter().map(crate::sensor::BatteryMonitor::share);
        if self.batteries.is_empty() { 1.0 } else { shares.sum::<f64>() / self.batteries.len() as f64 }
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
