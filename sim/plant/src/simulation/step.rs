//! One physics step, in the order in which things happen.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use robot_io::{Event, Severity, Time};
use robot_model::Wrench;
use worlds::World;

use mechanics::Mechanics;

use super::Simulation;
use super::robot::Robot;
use crate::contacts::Middle;
use crate::hung;
use crate::setup::Relocation;
use crate::soil::Taken;
use crate::unwanted::Watch;

/// What events of the plant are from.
pub(super) const SOURCE: &str = "plant";
/// A robot that is put down falls so deep [m]: wheels must not begin inside the ground.
const PUT_DOWN_FROM: f64 = 0.02;

impl Simulation {
    /// One physics step. At the end of a control cycle the sensors are read. Robots in a state that is no longer a finite number stay
    /// where they are, see [`fault`](Simulation::fault).
    pub fn step(&mut self) {
        if self.has_left_physics() {
            self.steps += 1;
            return;
        }
        if self.steps.is_multiple_of(self.steps_per_cycle) {
            self.contacts.unwanted.iter_mut().for_each(Watch::begin);
        }
        self.relocate_if_due();
        self.depart();
        self.robots.iter().for_each(|robot| robot.wake_pushed(&mut self.mechanics));
        for robot in &mut self.robots {
            robot.drive_joints(&self.mechanics, &mut self.drives);
        }
        self.hold_objects();
        self.contacts.weigh_soil(self.steps, &mut self.world.terrain, &mut self.mechanics);
        let cells = self.robots.iter_mut().flat_map(|robot| &mut robot.cells);
        cells.for_each(|cell| cell.begin(&self.mechanics));
        self.mechanics.begin(self.dt);
        let time = (self.steps as f64 + 0.5) * self.dt;
        let (spawned, mechanics) = (&self.spawned, &self.mechanics);
        self.contacts.place(Middle { world: &self.world, spawned, mechanics, time, step: self.dt });
        self.contacts.press_soil(&mut self.world.terrain, mechanics, self.dt);
        self.contacts.find(Middle { world: &self.world, spawned, mechanics, time, step: self.dt });
        self.weigh();
        self.take_soil_along();
        self.push_and_resist();
        self.mechanics.finish(&self.drives, &self.outer, &mut self.contacts.memory.points, self.dt);
        self.steps += 1;
        if self.has_left_physics() {
            return;
        }
        self.contacts.sum(&self.world, &mut self.mechanics, self.dt);
        self.feel_joints();
        let (now, is_cycle) = (self.time(), self.steps.is_multiple_of(self.steps_per_cycle));
        for robot in &mut self.robots {
            robot.settle_joints(&self.mechanics);
            robot.supply(self.dt);
            if is_cycle {
                robot.report_drives(now);
            }
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
        let robot = self.robots.iter().rev().find(|robot| body >= robot.placement.base);
        let joint = robot.and_then(|robot| robot.joints.get(body.checked_sub(robot.placement.base + 1)?));
        let of =
            robot.filter(|robot| !robot.name.is_empty()).map_or_else(String::new, |robot| format!("{}: ", robot.name));
        let what = match joint {
            Some(joint) => {
                let (position, velocity) = (coordinates.positions[body], coordinates.velocities[model.first_dof(body)]);
                format!("{of}joint '{}': position {position}, velocity {velocity}", joint.name)
            }
            None => {
                let object = self.spawned.moving.get(body);
                let who = object
                    .map_or(format!("{of}the base"), |object| format!("object '{}'", self.world.objects[*object].name));
                let place = coordinates.placements[body].translation.vector;
                let [speed, _] = coordinates.free_velocity(model, body);
                format!("{who}: place {:?} m, velocity {:?} m/s", place.as_slice(), speed.as_slice())
            }
        };
        Some(format!("the state is no longer a finite number, or beyond all bounds: {what}"))
    }

    /// Somebody picks a robot up and puts it down elsewhere: as it stands, at its height over the ground, at rest.
    fn relocate_if_due(&mut self) {
        let now = self.time();
        for robot in &mut self.robots {
            let due = robot.setup.relocations.iter().find(|relocation| relocation.at == now);
            if let Some(relocation) = due.copied() {
                relocate(robot, &relocation, now, &self.world, &mut self.mechanics);
            }
        }
    }

    /// Pushes act on robots, and the ground resists their wheels.
    fn push_and_resist(&mut self) {
        let now = self.time();
        let mut outer = core::mem::take(&mut self.outer);
        let (around, robots) = self.split();
        for robot in robots {
            robot.push_links(now, around.mechanics, &mut outer);
            robot.resist_rolling(around, &mut outer);
        }
        self.outer = outer;
    }

    /// Force/torque cells feel what their joints held in this step.
    fn feel_joints(&mut self) {
        if self.robots.iter().all(|robot| robot.cells.is_empty()) {
            return;
        }
        self.mechanics.find_reactions(&self.outer, &self.contacts.memory.points, self.dt);
        let (around, robots) = self.split();
        robots.iter_mut().for_each(|robot| robot.feel_joints(around));
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
}

/// Takes a robot to where it is to be put down.
fn relocate(robot: &mut Robot, relocation: &Relocation, now: Time, world: &World, mechanics: &mut Mechanics) {
    let (to, base) = (relocation.to, robot.placement.base);
    let ground = |x: f64, y: f64| world.terrain.height_at(x, y).unwrap_or(0.0);
    let mut coordinates = mechanics.coordinates().clone();
    let before = coordinates.placements[base];
    let lift = ground(to.x, to.y) - ground(before.translation.x, before.translation.y);
    let (_, _, yaw) = before.rotation.euler_angles();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), to.yaw - yaw);
    let place = Translation3::new(to.x, to.y, before.translation.z + lift + PUT_DOWN_FROM);
    coordinates.placements[base] = Isometry3::from_parts(place, turn * before.rotation);
    coordinates.set_free_velocity(mechanics.model(), base, &Vector3::zeros(), &Vector3::zeros());
    mechanics.set_coordinates(coordinates);
    robot.events.push(Event::note(now, Severity::Warning, SOURCE, "the robot was carried to another place"));
}
