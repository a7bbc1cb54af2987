//! All sensors that look outwards, and how they go along with the physics.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use robot_io::{Commands, Period, RandomStream, Readings, RobotLayout, State, Time};
use robot_model::RobotModel;
use robot_model::description::SensorMount;
use worlds::{Terrain, World};

use super::camera::{Camera, ImageMemory};
use super::depth::{DepthCamera, DepthMemory};
use super::grid::Grid;
use super::laser::{Laser, LaserMemory};
use super::scene::{Carrier, Scene};
use crate::error::PlantError;
use crate::member::Member;
use crate::spawn::Placement;

/// The sensors that are switched on, and the scene that they see.
pub(crate) struct Vision {
    scene: Scene,
    lasers: Vec<Laser>,
    cameras: Vec<Camera>,
    depth_cameras: Vec<DepthCamera>,
    /// What the sensors remember.
    pub memory: VisionMemory,
}

/// What the sensors remember, each in the order of the layout.
#[derive(Clone, Debug, Default, State)]
pub(crate) struct VisionMemory {
    #[state(elements)]
    lasers: Vec<LaserMemory>,
    #[state(elements)]
    cameras: Vec<ImageMemory>,
    #[state(elements)]
    depth_cameras: Vec<DepthMemory>,
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
    /// The sensors of a member of `robots` that its set-up switches on; `None` if there are none.
    pub fn new(
        world: &World,
        robots: &[Member],
        member: &Member,
        layout: &RobotLayout,
        placement: &Placement,
    ) -> Result<Option<Box<Vision>>, PlantError> {
        let Member { robot, setup, .. } = member;
        check_names(robot, &setup.sensors)?;
        if robot.description.vision_sensors().all(|name| !setup.sensors.iter().any(|on| on == name)) {
            return Ok(None);
        }
        let scene = Scene::new(world, robots.iter().map(|member| member.robot));
        let is_on = |mount: &SensorMount| setup.sensors.contains(&mount.name);
        let noise = |kind: &str, mount: &SensorMount| {
            setup.noise.then(|| RandomStream::new(member.seed(), &format!("{kind}/{}", mount.name)))
        };
        let (mut lasers, mut memory) = (Vec::new(), VisionMemory::default());
        for laser in robot.description.lasers.iter().filter(|laser| is_on(&laser.mount)) {
            check_period(layout.period, "a laser scan", laser.geometry.period)?;
            memory.lasers.push(LaserMemory::with_beams(laser.geometry.beams));
            let mounted = Mounted::new(&laser.mount, placement, &scene);
            lasers.push(Laser::new(laser, mounted, scene.solids.len(), noise("laser", &laser.mount)));
        }
        let mut cameras = Vec::new();
        for camera in robot.description.cameras.iter().filter(|camera| is_on(&camera.mount)) {
            check_period(layout.period, "a picture", Period::from_seconds(1.0 / camera.rate_hz))?;
            let mounted = Mounted::new(&camera.mount, placement, &scene);
            cameras.push(Camera::new(camera, mounted, &scene, noise("camera", &camera.mount)));
        }
        let mut depth_cameras = Vec::new();
        for camera in robot.description.depth_cameras.iter().filter(|camera| is_on(&camera.mount)) {
            check_period(layout.period, "a picture", Period::from_seconds(1.0 / camera.rate_hz))?;
            let mounted = Mounted::new(&camera.mount, placement, &scene);
            let noise = noise("depth_camera", &camera.mount);
            depth_cameras.push(DepthCamera::new(camera, mounted, scene.solids.len(), noise));
        }
        memory.cameras.resize_with(cameras.len(), ImageMemory::default);
        memory.depth_cameras.resize_with(depth_cameras.len(), DepthMemory::default);
        Ok(Some(Box::new(Vision { scene, lasers, cameras, depth_cameras, memory })))
    }

    /// Asks cameras for pictures; each begins as soon as the camera is ready.
    pub fn ask(&mut self, commands: &Commands) {
        for (camera, take) in self.memory.cameras.iter_mut().zip(&commands.take_image) {
            camera.shutter.asked |= take;
        }
        for (camera, take) in self.memory.depth_cameras.iter_mut().zip(&commands.take_depth_image) {
            camera.shutter.asked |= take;
        }
    }

    /// Remembers where the sensors are before a step.
    pub fn depart(&mut self, body_in_world: impl Fn(usize) -> Isometry3<f64>) {
        let lasers = self.lasers.iter_mut().map(|laser| &mut laser.mounted);
        let cameras = self.cameras.iter_mut().map(|camera| &mut camera.mounted);
        let depth_cameras = self.depth_cameras.iter_mut().map(|camera| &mut camera.mounted);
        for mounted in lasers.chain(cameras).chain(depth_cameras) {
            mounted.departed = mounted.in_world(&body_in_world);
        }
    }

    /// Sees a sample of the ground where it is now.
    pub fn see_ground(&mut self, terrain: &Terrain, sample: usize) {
        self.scene.ground.see(terrain, sample);
    }

    /// Sees all of the ground anew.
    pub fn renew_ground(&mut self, terrain: &Terrain) {
        self.scene.ground = Grid::new(terrain);
    }

    /// Looks during the step that went from `begin` to `end`, now that everything is where it is at its end.
    pub fn arrive(
        &mut self,
        begin: Time,
        end: Time,
        body_in_world: impl Fn(usize) -> Isometry3<f64>,
        carrier_in_world: impl Fn(Carrier) -> Isometry3<f64>,
    ) {
        // cameras are mostly at rest, and without a laser nobody looks then
        if self.lasers.is_empty() && !self.memory.takes_pictures() {
            return;
        }
        self.scene.place(carrier_in_world);
        let scene = &self.scene;
        let leg = |mounted: &Mounted| {
            let to = mounted.in_world(&body_in_world);
            Leg { begin, end, from: mounted.departed, to }
        };
        for (laser, memory) in self.lasers.iter_mut().zip(&mut self.memory.lasers) {
            laser.sweep(memory, &leg(&laser.mounted), scene);
        }
        for (camera, memory) in self.cameras.iter_mut().zip(&mut self.memory.cameras) {
            camera.expose(memory, &leg(&camera.mounted), scene);
        }
        for (camera, memory) in self.depth_cameras.iter_mut().zip(&mut self.memory.depth_cameras) {
            camera.expose(memory, &leg(&camera.mounted), scene);
        }
    }

    /// Hands over what has become complete since the last cycle.
    pub fn read(&mut self, readings: &mut Readings) {
        for (laser, scan) in self.memory.lasers.iter_mut().zip(&mut readings.scans) {
            *scan = laser.take();
        }
        for (camera, image) in self.memory.cameras.iter_mut().zip(&mut readings.images) {
            *image = camera.complete.take();
        }
        for (camera, image) in self.memory.depth_cameras.iter_mut().zip(&mut readings.depth_images) {
            *image = camera.complete.take();
        }
    }
}

impl VisionMemory {
    /// Whether a camera has something to do.
    fn takes_pictures(&self) -> bool {
        let cameras = self.cameras.iter().map(|camera| &camera.shutter);
        let mut shutters = cameras.chain(self.depth_cameras.iter().map(|camera| &camera.shutter));
        shutters.any(|shutter| shutter.asked || shutter.stamp.is_some())
    }
}

impl Mounted {
    fn new(mount: &SensorMount, placement: &Placement, scene: &Scene) -> Mounted {
        let place = &placement.links[mount.link];
        let pose_in_body = place.pose_in_body * mount.pose_in_link;
        let links = (placement.first_link..).zip(&placement.links).filter(|(_, other)| other.number == place.number);
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
    let known: Vec<&str> = robot.description.switchable_sensors().collect();
    match wanted.iter().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => {
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Err(PlantError::UnknownSensor { robot: robot.name.clone(), found: name.clone(), known })
        }
    }
}

/// A cycle has room for one scan or picture of each sensor.
fn check_period(cycle: Period, what: &str, period: Period) -> Result<(), PlantError> {
    if cycle <= period {
        return Ok(());
    }
    Err(PlantError::setup("cycle period", format!("at most that of {what}, {period}"), cycle))
}
