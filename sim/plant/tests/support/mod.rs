//! Small robots and worlds for tests.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, reason = "each test uses some of it")]

use std::path::Path;

use plant::{RobotView, Setup, Simulation};
use robot_io::{Commands, JointCommand, Lifecycle, Pose2};
use robot_model::{RobotModel, Source};
use worlds::World;

/// A world of level ground of one material, 20 × 20 m, with more lines of TOML.
pub fn world(material: &str, more: &str) -> World {
    let text = format!("name = \"t\"\n[terrain]\ncell = 0.1\nsize = [20.0, 20.0]\nmaterial = \"{material}\"\n{more}\n");
    World::from_str(&text, "t.toml", Path::new(".")).unwrap()
}

/// Level concrete on a coarse grid, for large things.
pub fn floor() -> World {
    let text = "name = \"t\"\n[terrain]\ncell = 2.5\nsize = [20.0, 20.0]\nmaterial = \"concrete\"\n";
    World::from_str(text, "t.toml", Path::new(".")).unwrap()
}

/// The mesh of an upright prism about its middle, whose corners lie on a circle: radius and height [m].
pub fn prism_mesh(count: usize, [radius, height]: [f64; 2]) -> String {
    let corner = |place: usize| {
        let (sin, cos) = libm::sincos(core::f64::consts::TAU * place as f64 / count as f64);
        [radius * cos, radius * sin, if place < count { -0.5 * height } else { 0.5 * height }]
    };
    let vertices: Vec<[f64; 3]> = (0..2 * count).map(corner).collect();
    let mut triangles: Vec<[usize; 3]> = Vec::new();
    for place in 0..count {
        let next = (place + 1) % count;
        triangles.extend([[place, next, count + next], [place, count + next, count + place]]);
        if place > 1 {
            triangles.extend([[0, place, place - 1], [count, count + place - 1, count + place]]);
        }
    }
    format!("{{ vertices = {vertices:?}, triangles = {triangles:?} }}")
}

/// A ramp of so many degrees that rises along x through the middle of the world.
pub fn ramp(degrees: f64) -> String {
    format!(
        "[[terrain.layer]]\nkind = \"ramp\"\nstart = [-6.0, 0.0]\ndirection_deg = 0.0\nangle_deg = {degrees}\n\
         length = 12.0\nwidth = 12.0"
    )
}

/// A robot from the texts of its files.
pub fn robot(urdf: &str, toml: &str) -> RobotModel {
    let source = |name: &str, text: &str| Source { name: name.to_owned(), bytes: text.as_bytes().into() };
    RobotModel::from_sources(source("t.toml", toml), source("t.urdf", urdf)).unwrap()
}

/// A robot of which there is only a URDF.
pub fn bare(urdf: &str) -> RobotModel {
    RobotModel::from_urdf(Source { name: "t.urdf".to_owned(), bytes: urdf.as_bytes().into() }).unwrap()
}

/// A link with a mass, a uniform rotational inertia and more XML.
pub fn link(name: &str, mass: f64, com: [f64; 3], moment: f64, more: &str) -> String {
    let [x, y, z] = com;
    format!(
        "<link name=\"{name}\"><inertial><origin xyz=\"{x} {y} {z}\"/><mass value=\"{mass}\"/>\
         <inertia ixx=\"{moment}\" ixy=\"0\" ixz=\"0\" iyy=\"{moment}\" iyz=\"0\" izz=\"{moment}\"/></inertial>{more}</link>"
    )
}

/// A box to collide with.
pub fn collision_box(x: f64, y: f64, z: f64) -> String {
    format!("<collision><geometry><box size=\"{x} {y} {z}\"/></geometry></collision>")
}

/// A joint that turns without end about y.
pub fn hinge(name: &str, parent: &str, child: &str, at: [f64; 3]) -> String {
    let [x, y, z] = at;
    format!(
        "<joint name=\"{name}\" type=\"continuous\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
         <origin xyz=\"{x} {y} {z}\"/><axis xyz=\"0 1 0\"/><limit effort=\"1000\" velocity=\"1000\"/></joint>"
    )
}

/// An ideal actuator: no friction, delay, play or noise, and counts that nobody feels.
pub fn ideal_actuator(rotor_inertia: f64, gear_ratio: f64) -> String {
    format!(
        "[[actuator]]\nname = \"ideal\"\nrated_effort = 500.0\npeak_effort = 500.0\nno_load_speed = 1000.0\n\
         gear_ratio = {gear_ratio}\nrotor_inertia = {rotor_inertia}\ncoulomb_friction = 0.0\nviscous_friction = 0.0\n\
         backlash = 0.0\nencoder_counts_per_turn = 1000000000\nposition_noise = 0.0\nvelocity_noise = 0.0\n\
         effort_noise = 0.0\ntorque_constant = 0.1\nefficiency = 1.0\nthermal = {{ resistance = 1.0, capacitance = 100.0, \
         ambient = 20.0, derate_from = 80.0, trip_at = 100.0, copper_loss = 0.0 }}\n"
    )
}

/// The centaur.
pub fn centaur() -> RobotModel {
    RobotModel::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml")).unwrap()
}

/// A world that ships.
pub fn shipped(name: &str) -> World {
    World::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../worlds/{name}.toml"))).unwrap()
}

/// A set-up with the pose and the place, without noise.
pub fn quiet(pose: &str, x: f64, y: f64) -> Setup {
    Setup { pose: pose.to_owned(), spawn: Pose2 { x, y, yaw: 0.0 }, noise: false, ..Setup::default() }
}

/// A simulation that is switched on.
pub fn active(world: &World, robot: &RobotModel, setup: &Setup) -> Simulation {
    let mut simulation = Simulation::new(world, robot, setup).unwrap();
    simulation.transition(Lifecycle::Inactive).unwrap();
    simulation.transition(Lifecycle::Active).unwrap();
    simulation
}

/// Holds the pose in which the simulation is now; the wheels turn at `speed` [m/s].
pub fn hold(simulation: &Simulation, speed: Option<f64>) -> Commands {
    hold_pose(&simulation.robot_at(0).unwrap(), speed)
}

/// The same for one of several robots.
pub fn hold_pose(view: &RobotView, speed: Option<f64>) -> Commands {
    let robot = view.model();
    let mut commands = Commands::new(view.layout());
    let pose = view.truth().joint_positions;
    for (joint, settings) in robot.description.joints.iter().enumerate() {
        commands.joints[joint] = JointCommand::hold(pose[joint], settings.stiffness, settings.damping);
    }
    for wheel in robot.description.wheels.iter().filter(|_| speed.is_some()) {
        let damping = robot.description.joints[wheel.drive_joint].damping;
        commands.joints[wheel.drive_joint] = JointCommand::turn(speed.unwrap_or(0.0) / wheel.radius, damping);
    }
    commands
}

/// Steps for so many seconds.
pub fn run(simulation: &mut Simulation, seconds: f64) {
    let end = simulation.time().seconds() + seconds;
    while simulation.time().seconds() < end - 1e-9 {
        simulation.step();
    }
}

/// A cart of 12 kg on four wheels of 0.1 m, each driven by an ideal motor and steered by another.
pub fn cart() -> RobotModel {
    let mut urdf = format!("<robot name=\"cart\">{}", link("base", 10.0, [0.0, 0.0, 0.0], 0.5, ""));
    let mut toml = format!("name = \"cart\"\ncycle_period_us = 1000\n{}", ideal_actuator(0.0, 1.0));
    for (name, x, y) in [("fl", 0.3, 0.2), ("fr", 0.3, -0.2), ("rl", -0.3, 0.2), ("rr", -0.3, -0.2)] {
        let tread = "<collision><origin rpy=\"1.5707963267948966 0 0\"/><geometry>\
                     <cylinder radius=\"0.1\" length=\"0.04\"/></geometry></collision>";
        urdf += &link(&format!("{name}_fork"), 0.1, [0.0; 3], 0.001, "");
        urdf += &link(&format!("{name}_wheel"), 0.4, [0.0; 3], 0.002, tread);
        urdf += &format!(
            "<joint name=\"{name}_steer\" type=\"revolute\"><parent link=\"base\"/><child link=\"{name}_fork\"/>\
             <origin xyz=\"{x} {y} -0.05\"/><axis xyz=\"0 0 1\"/>\
             <limit lower=\"-1\" upper=\"1\" effort=\"100\" velocity=\"10\"/></joint>"
        );
        urdf += &hinge(&format!("{name}_drive"), &format!("{name}_fork"), &format!("{name}_wheel"), [0.0; 3]);
        toml += &format!(
            "[[joints]]\nnames = [\"{name}_steer\"]\nactuator = \"ideal\"\nstiffness = 100.0\ndamping = 1.0\n\
             [[joints]]\nnames = [\"{name}_drive\"]\nactuator = \"ideal\"\nstiffness = 0.0\ndamping = 1.0\n\
             [[limb]]\nname = \"{name}\"\njoints = [\"{name}_steer\", \"{name}_drive\"]\n\
             [[wheel]]\nname = \"{name}\"\nlimb = \"{name}\"\nsteer_joint = \"{name}_steer\"\n\
             drive_joint = \"{name}_drive\"\nradius = 0.1\nwidth = 0.04\n"
        );
    }
    toml += "[[pose]]\nname = \"stand\"\n[[imu]]\nname = \"imu\"\nlink = \"base\"\nxyz = [0.2, 0.0, 0.0]\nrpy = [0.0, 0.0, 0.0]\n\
             gyro_noise_density = 0.0\ngyro_bias_walk = 0.0\naccel_noise_density = 0.0\naccel_bias_walk = 0.0\n\
             gyro_turn_on_bias = 0.0\naccel_turn_on_bias = 0.0\nscale_error = 0.0\nmisalignment = 0.0\n\
             attitude_time = 2.0\nrate_hz = 1000.0\n";
    robot(&(urdf + "</robot>"), &toml)
}

/// Force [N/m] along the normal of an upright face that is pushed against so deep a soil [m], for each metre of its width: the least over all planes along which
/// a wedge may slide up, from the balance of its weight, the cohesion and friction below it and the friction on the face, which has two thirds of
/// the soil's angle.
pub fn trial_wedge(soil: &worlds::Soil, depth: f64) -> f64 {
    let (phi, delta) = (soil.friction_angle, 2.0 / 3.0 * soil.friction_angle);
    let push = |beta: f64| {
        let (sin, cos) = (libm::sin, libm::cos);
        let weight = 0.5 * soil.density * 9.81 * depth * depth * cos(beta) / sin(beta);
        let cohesion = soil.cohesion * depth / sin(beta);
        // along x: P cos δ = R sin(β + φ) + C cos β; along z: R cos(β + φ) = W + C sin β + P sin δ
        let (along, up) = (sin(beta + phi), cos(beta + phi));
        (weight * along + cohesion * (sin(beta) * along + cos(beta) * up)) / (cos(delta) * up - sin(delta) * along)
    };
    let planes = (50..1200).map(|place| push(f64::from(place) * 1e-3)).filter(|force| *force > 0.0);
    planes.fold(f64::INFINITY, f64::min) * libm::cos(delta)
}
