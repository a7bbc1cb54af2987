//! All sensors that look outwards, and how they go along with the physics.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use robot_io::{Period, RandomStream, Readings, RobotLayout, State, StateVisitor, Time};
use robot_model::RobotModel;
use robot_model::description::SensorMount;
use worlds::World;

use super::laser::{Laser, LaserMemory};
use super::scene::{Carrier, Scene};
use crate::error::PlantError;
use crate::setup::Setup;
use crate::spawn::Spawned;

/// The sensors that are switched on, and the scene that they see.
pub(crate) struct Vision {
    scene: Scene,
    lasers: Vec<Laser>,
    /// What the sensors remember.
    pub memory: VisionMemory,
}

/// What the sensors remember, each in the order of the layout.
#[derive(Clone, Debug, Default)]
pub(crate) struct VisionMemory {
    lasers: Vec<LaserMemory>,
}

/// How a sensor sits on the robot.
#[derive(Clone, Debug)]
pub(crate) struct Mounted {
    /// Number of the body that carries it.
    pub body: usize,
    /// The sensor's frame in the body's frame.
    pub pose_in_body: Isometry3<f64>,
    /// For each solid of the scene whether it is the sensor's housing, through which it looks.
    pub housing: Vec<bool>,
    /// Where the sensor was when the step began.
    pub departed: Isometry3<f64>,
}

/// A sensor's way through one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg {
    pub begin: Time,
    pub end: Time,
    /// The sensor in the world at the beginning and at the end.
    pub from: Isometry3<f64>,
    pub to: Isometry3<f64>,
}

impl Vision {
    /// The sensors of `robot` that the set-up switches on; `None` if there are none.
    pub fn new(
        world: &World,
        robot: &RobotModel,
        setup: &Setup,
        layout: &RobotLayout,
        spawned: &Spawned,
    ) -> Result<Option<Box<Vision>>, PlantError> {
        check_names(robot, &setup.sensors)?;
        if setup.sensors.is_empty() {
            return Ok(None);
        }
        let scene = Scene::new(world, robot);
        let (mut lasers, mut memory) = (Vec::new(), VisionMemory::default());
        for laser in robot.description.lasers.iter().filter(|laser| setup.sensors.contains(&laser.mount.name)) {
            check_period(layout.period, laser.geometry.period)?;
            let noise = setup.noise.then(|| RandomStream::new(setup.seed, &format!("laser/{}", laser.mount.name)));
            let mounted = Mounted::new(&laser.mount, spawned, &scene);
            memory.lasers.push(LaserMemory::with_beams(laser.geometry.beams));
            lasers.push(Laser::new(laser, mounted, scene.solids.len(), noise));
        }
        Ok(Some(Box::new(Vision { scene, lasers, memory })))
    }

    /// Remembers where the sensors are before a step.
    pub fn depart(&mut self, body_in_world: impl Fn(usize) -> Isometry3<f64>) {
        for laser in &mut self.lasers {
            laser.mounted.departed = laser.mounted.in_world(&body_in_world);
        }
    }

    /// Looks during the step that went from `begin` to `end`, now that everything is where it is at its end.
    pub fn arrive(
        &mut self,
        begin: Time,
        end: Time,
        body_in_world: impl Fn(usize) -> Isometry3<f64>,
        carrier_in_world: impl Fn(Carrier) -> Isometry3<f64>,
    ) {
        self.scene.place(carrier_in_world);
        for (laser, memory) in self.lasers.iter_mut().zip(&mut self.memory.lasers) {
            let to = laser.mounted.in_world(&body_in_world);
            let leg = Leg { begin, end, from: laser.mounted.departed, to };
            laser.sweep(memory, &leg, &self.scene);
        }
    }

    /// Hands over what has become complete since the last cycle.
    pub fn read(&mut self, readings: &mut Readings) {
        for (laser, scan) in self.memory.lasers.iter_mut().zip(&mut readings.scans) {
            *scan = laser.take();
        }
    }
}

impl State for VisionMemory {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        for laser in &mut self.lasers {
            visitor.field("laser", laser);
        }
    }
}

impl Mounted {
    fn new(mount: &SensorMount, spawned: &Spawned, scene: &Scene) -> Mounted {
        let place = &spawned.links[mount.link];
        let pose_in_body = place.pose_in_body * mount.pose_in_link;
        let links = spawned.links.iter().enumerate().filter(|(_, other)| other.number == place.number);
        let seen_from: Vec<_> =
            links.map(|(link, other)| (link, other.pose_in_body.inverse() * pose_in_body)).collect();
        let housing = scene.housing(&seen_from);
        Mounted { body: place.number, pose_in_body, housing, departed: Isometry3::identity() }
    }

    fn in_world(&self, body_in_world: impl Fn(usize) -> Isometry3<f64>) -> Isometry3<f64> {
        body_in_world(self.body) * self.pose_in_body
    }
}

impl Leg {
    /// Where the sensor is at a time within the step: between both ends, in proportion. A step is so short that the chord
    /// between two rotations is as good as the arc.
    pub fn pose_at(&self, time: Time) -> Isometry3<f64> {
        let whole = self.end.since(self.begin).nanoseconds();
        let part = time.since(self.begin).nanoseconds() as f64 / whole.max(1) as f64;
        let (a, b) = (self.from.rotation.coords, self.to.rotation.coords);
        let b = if a.dot(&b) < 0.0 { -b } else { b };
        let turned = (a + (b - a) * part).normalize();
        let (from, to) = (self.from.translation.vector, self.to.translation.vector);
        let rotation = UnitQuaternion::new_unchecked(turned.into());
        Isometry3::from_parts(Translation3::from(from + (to - from) * part), rotation)
    }

    /// How far it moves [m] and turns [rad] in this step.
    pub fn extent(&self) -> (f64, f64) {
        let shift = (self.to.translation.vector - self.from.translation.vector).norm();
        // twice the length of the vector part bounds the angle's sine from above; for small angles it is the angle
        let turn = 2.0 * (self.from.rotation.inverse() * self.to.rotation).coords.xyz().norm();
        (shift, 1.1 * turn)
    }
}

fn check_names(robot: &RobotModel, wanted: &[String]) -> Result<(), PlantError> {
    let known: Vec<&str> = robot.description.vision_sensors().collect();
    match wanted.iter().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => {
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Err(PlantError::UnknownSensor { robot: robot.name.clone(), found: name.clone(), known })
        }
    }
}

/// A cycle has room for one scan.
fn check_period(cycle: Period, scan: Period) -> Result<(), PlantError> {
    if cycle <= scan {
        return Ok(());
    }
    Err(PlantError::setup("cycle period", format!("at most that of a laser scan, {scan}"), cycle))
}
