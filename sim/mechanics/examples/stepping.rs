//! How fast a robot on wheels is stepped: `cargo run --release -p mechanics --example stepping -- [ROBOT.toml] [STEPS] [moving]`.
//!
//! Joints are held by explicit torques, wheels touch a plane at three points each. No sensors, no drives, no shapes.
#![allow(clippy::disallowed_methods, reason = "it measures wall time")]

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use mechanics::{Contact, Coordinates, Drive, Joint, Law, Mechanics, Model};
use nalgebra::{Isometry3, Point3, Vector3};
use robot_model::{Motion, RobotModel, Wrench};

const STEP: f64 = 1e-3;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let shipped = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
    let robot = RobotModel::load(&arguments.next().map_or(shipped, PathBuf::from))?;
    let steps: u32 = arguments.next().map_or(Ok(20_000), |text| text.parse())?;
    let swing = if arguments.next().is_some() { 0.03 } else { 0.0 };
    let mut mechanics = standing(&robot)?;
    let pose = mechanics.coordinates().positions.clone();
    let links: Vec<usize> = robot.tree.rigid_bodies().map(|body| body.link).collect();
    let mut drives = vec![Drive::default(); mechanics.model().dofs()];
    let mut contacts = Vec::new();
    let (mut iterations, mut worst) = (0, 0.0_f64);
    let started = Instant::now();
    for step in 0..steps {
        let offset = swing * (2.0 * STEP * f64::from(step)).sin();
        for body in 1..links.len() {
            let Motion::Joint(joint) = robot.tree.links[links[body]].motion else { continue };
            let (gains, state) = (&robot.description.joints[joint], mechanics.coordinates());
            let dof = mechanics.model().first_dof(body);
            let error = pose[body] + offset - state.positions[body];
            drives[dof].effort = gains.stiffness * error - gains.damping * state.velocities[dof];
        }
        mechanics.begin(STEP);
        touch(&robot, &mechanics, &mut contacts);
        mechanics.finish(&drives, &weights(&mechanics), &mut contacts, STEP);
        iterations += mechanics.certificate().iterations;
        worst = worst.max(mechanics.certificate().residual);
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("{} dofs, {} contacts: {:.0} steps/s", drives.len(), contacts.len(), f64::from(steps) / seconds);
    println!("{:.2} iterations a step, largest residual {worst:.1e} m/s", iterations as f64 / f64::from(steps));
    println!("base at {:.4?} m", mechanics.coordinates().placements[0].translation.vector.as_slice());
    Ok(())
}

/// The robot in its first pose, with its wheels on the plane z = 0.
fn standing(robot: &RobotModel) -> Result<Mechanics, Box<dyn Error>> {
    let rotor = |joint| robot.description.actuator_of(joint).map_or(0.0, |class| class.reflected_inertia());
    let parts = mechanics::robot(&robot.tree, Joint::Free, &Isometry3::identity(), 0, rotor);
    let model = Model::new(parts.bodies)?.with(parts.constraints)?;
    let mut coordinates = Coordinates::new(&model);
    let pose = robot.description.poses.first().ok_or("the robot has no pose")?;
    for (body, rigid) in robot.tree.rigid_bodies().enumerate() {
        coordinates.positions[body] = robot.tree.position(rigid.link, &pose.positions);
    }
    let mut mechanics = Mechanics::new(model, coordinates.clone());
    let lowest = robot.description.wheels.iter().map(|wheel| {
        let place = robot.tree.place(wheel.link);
        (mechanics.now().bodies[place.body].in_world * place.pose_in_body).translation.z - wheel.radius
    });
    coordinates.placements[0].translation.z = -lowest.fold(f64::INFINITY, f64::min);
    mechanics.set_coordinates(coordinates);
    Ok(mechanics)
}

fn weights(mechanics: &Mechanics) -> Vec<Wrench> {
    let bodies = mechanics.middle().bodies.iter().zip(mechanics.model().bodies());
    let weigh = |(state, body): (&mechanics::BodyState, &mechanics::Body)| {
        let weight = Vector3::new(0.0, 0.0, -9.81 * body.inertia.mass);
        let com = (state.in_world * Point3::from(body.inertia.com_in_link)).coords - state.reference;
        Wrench::new(weight, com.cross(&weight))
    };
    bodies.map(weigh).collect()
}

/// Three points below each wheel, with what they held in the last step.
fn touch(robot: &RobotModel, mechanics: &Mechanics, contacts: &mut Vec<Contact>) {
    let held: Vec<Vector3<f64>> = contacts.drain(..).map(|contact| contact.held).collect();
    for wheel in &robot.description.wheels {
        let place = robot.tree.place(wheel.link);
        let pose = mechanics.middle().bodies[place.body].in_world * place.pose_in_body;
        let axle = pose.rotation * robot.tree.links[wheel.link].axis_in_link.into_inner();
        for side in [-0.5, 0.0, 0.5] {
            let point = pose.translation.vector + axle * (side * wheel.width) - Vector3::z() * wheel.radius;
            let law = Law::soft(1e5, 1e3, 0.7);
            let held = held.get(contacts.len()).copied().unwrap_or_default();
            contacts.push(Contact { held, ..Contact::new(place.body, None, point, Vector3::z(), point.z, law) });
        }
    }
}
