//! One try: the robot stands, looks, reaches, closes, lifts, turns and holds.

use core::f64::consts::TAU;

use manipulation::{FingerDrive, Grasp, Grip, GripMonitor, GripSettings, JointPath, JointStates, Trajectory};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use plant::Simulation;
use robot_io::{Commands, JointCommand, RandomStream};
use robot_model::{Configuration, Data, GRAVITY_IN_WORLD, rnea};

use super::bench::Bench;
use super::plan::{Reach, Reacher, Situation};
use super::things::Thing;
use crate::support::hold;

/// How far what is perceived is from where it is: standard deviation of the length [m] and of the angle [rad]. What perception gives
/// (scenarios/tests/perceived.rs) is below that in the median.
const PLACE_ERROR: f64 = 0.005;
const TURN_ERROR: f64 = 2.0 * TAU / 360.0;
/// It has to be lifted by this at the end [m], and to move in the hand by no more than these [m, rad].
const LIFTED: f64 = 0.1;
const MOVED: f64 = 0.005;
const TURNED: f64 = 5.0 * TAU / 360.0;

/// What came of a try.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Why it did not succeed.
    pub failed: Option<String>,
    /// Which of the grasps it was, how good, and how steeply the hand came down (90° from above).
    pub number: usize,
    pub quality: f64,
    pub steep_deg: f64,
    /// By how much the object had been moved when it was held [m], and moved in the hand from then on [m, °].
    pub pushed: f64,
    pub moved: f64,
    pub turned_deg: f64,
    /// How far apart fingers should be and were [m], and the force that the drives felt at the end [N].
    pub widths: [f64; 2],
    pub force: f64,
    /// How far the hand was from where it was planned to close [m, °], and by how much the object had been moved until then [m].
    pub missed: [f64; 2],
    pub nudged: f64,
    /// What happened while it closed, for one who looks for a cause.
    pub trace: String,
}

struct Trial<'t> {
    simulation: Simulation,
    reacher: &'t Reacher,
    drive: FingerDrive,
    monitor: GripMonitor,
    grip: Grip,
    commands: Commands,
    arm: JointStates,
    data: Data,
    object: usize,
    object_in_prop: Isometry3<f64>,
}

/// A small displacement of a random length and angle.
fn error(seed: u64) -> (Translation3<f64>, UnitQuaternion<f64>) {
    let draw = RandomStream::new(seed, "what perception is wrong by");
    let direction = |index: u32| Vector3::from_fn(|axis, _| draw.normal(1, index + axis as u32)).normalize();
    let turn = UnitQuaternion::from_scaled_axis(direction(3) * (TURN_ERROR * draw.normal(0, 1)));
    (Translation3::from(direction(0) * (PLACE_ERROR * draw.normal(0, 0))), turn)
}

/// Tries to grasp a thing.
pub fn grasp(bench: &Bench, reacher: &Reacher, thing: &Thing, grasps: &[Grasp], seed: u64) -> Outcome {
    grasp_beside(bench, reacher, thing, grasps, seed, 0.0)
}

/// The same where perception is wrong by so much more along y [m].
pub fn grasp_beside(
    bench: &Bench,
    reacher: &Reacher,
    thing: &Thing,
    grasps: &[Grasp],
    seed: u64,
    beside: f64,
) -> Outcome {
    let mut trial = Trial::new(bench, reacher, thing, seed);
    trial.wait(1.0);
    let mut outcome = Outcome::default();
    let (shift, turn) = error(seed);
    let object = trial.object();
    let perceived =
        Isometry3::from_parts(Translation3::new(0.0, beside, 0.0) * shift * object.translation, turn * object.rotation);
    let situation = Situation {
        object: &thing.object,
        object_in_world: perceived,
        base_in_world: trial.simulation.truth().base_in_world,
        joints: trial.simulation.readings().joints.iter().map(|joint| joint.position).collect(),
    };
    match reacher.choose(grasps, &situation) {
        Err(why) => outcome.failed = Some(format!("no way: {why}")),
        Ok(reach) => {
            let ahead = perceived.rotation * reach.grasp.approach_in_object.into_inner();
            outcome.steep_deg = (-ahead.z).clamp(-1.0, 1.0).asin().to_degrees();
            let at = perceived * reach.grasp.hand_in_object;
            outcome.failed = trial.carry_out(&reach, thing, &at, &mut outcome).err();
        }
    }
    outcome
}

impl<'t> Trial<'t> {
    fn new(bench: &Bench, reacher: &'t Reacher, thing: &Thing, seed: u64) -> Trial<'t> {
        let (simulation, object) = bench.simulation(thing, seed);
        let mut commands = hold(&simulation, None);
        commands.cycle = 0;
        let mut arm = JointStates::new(reacher.group.len());
        let positions = simulation.truth().joint_positions;
        reacher.group.iter().zip(&mut arm.positions).for_each(|(joint, position)| *position = positions[*joint]);
        Trial {
            drive: FingerDrive::new(&reacher.hand, GripSettings::default()).unwrap(),
            monitor: GripMonitor::new(GripSettings::default()).unwrap(),
            grip: Grip::Open,
            data: Data::new(&bench.robot.tree),
            object_in_prop: thing.object_in_prop,
            simulation,
            reacher,
            commands,
            arm,
            object,
        }
    }

    /// The object's frame, as it is in truth.
    fn object(&self) -> Isometry3<f64> {
        self.simulation.truth().objects[self.object].in_world * self.object_in_prop
    }

    fn object_in_hand(&self) -> Isometry3<f64> {
        self.simulation.link_in_world(self.reacher.hand.link()).inv_mul(&self.object())
    }

    /// A control cycle: the arm where it is told, its weight borne, and the fingers.
    fn cycle(&mut self) {
        let robot = self.simulation.robot();
        let mut configuration = Configuration::zero(&robot.tree);
        configuration.base_in_world = self.simulation.truth().base_in_world;
        let joints = &self.simulation.readings().joints;
        configuration.joints.iter_mut().zip(joints).for_each(|(own, measured)| *own = measured.position);
        let rest = vec![0.0; robot.tree.velocity_dof()];
        rnea(&robot.tree, &configuration, &rest, &rest, &GRAVITY_IN_WORLD, &mut self.data);
        for (place, joint) in self.reacher.group.iter().enumerate() {
            let settings = &robot.description.joints[*joint];
            self.commands.joints[*joint] = JointCommand {
                velocity: self.arm.velocities[place],
                effort: self.data.efforts[6 + *joint],
                ..JointCommand::hold(self.arm.positions[place], settings.stiffness, settings.damping)
            };
        }
        let cycle = self.simulation.layout().period.seconds();
        let hand = &self.reacher.hand;
        self.grip = self.monitor.update(hand, joints, self.drive.share(), cycle);
        self.drive.update(hand, joints, &self.grip, cycle, &mut self.commands.joints);
        self.simulation.command(&self.commands).unwrap();
        (0..self.simulation.steps_per_cycle()).for_each(|_| self.simulation.step());
    }

    fn wait(&mut self, seconds: f64) {
        let cycles = (seconds / self.simulation.layout().period.seconds()).round() as usize;
        (0..cycles).for_each(|_| self.cycle());
    }

    fn go(&mut self, way: &JointPath, speed: f64) {
        let trajectory = Trajectory::new(way.clone(), &self.reacher.limits(speed)).unwrap();
        let (period, mut time) = (self.simulation.layout().period.seconds(), 0.0);
        while time < trajectory.duration() {
            time += period;
            trajectory.at(time, &mut self.arm).unwrap();
            self.cycle();
        }
    }

    /// Where the object is in the hand, and how the fingers stand.
    fn note(&self) -> String {
        let (object, shares) = (self.object_in_hand(), self.reacher.hand.shares(&self.simulation.readings().joints));
        let [x, y, z] = (1e3 * object.translation.vector).into();
        let lean = (self.object().rotation * Vector3::z()).z.clamp(-1.0, 1.0).acos().to_degrees();
        format!(
            "\n      ({x:.1} {y:.1} {z:.1}) mm, z leans {lean:.1}°, shares {:.3} {:.3}, {:?}",
            shares[0], shares[1], self.grip
        )
    }

    fn carry_out(
        &mut self,
        reach: &Reach,
        thing: &Thing,
        at: &Isometry3<f64>,
        outcome: &mut Outcome,
    ) -> Result<(), String> {
        let (grasp, before) = (&reach.grasp, self.object());
        (outcome.number, outcome.quality) = (reach.number, grasp.quality);
        self.drive.open(grasp.preshape).unwrap();
        self.go(&reach.ways[0], 0.25);
        self.go(&reach.ways[1], 0.06);
        self.wait(0.3);
        let missed = self.simulation.link_in_world(self.reacher.hand.link()).inv_mul(at);
        outcome.missed = [missed.translation.vector.norm(), missed.rotation.angle().to_degrees()];
        outcome.nudged = (self.object().translation.vector - before.translation.vector).norm();
        self.drive.close(&self.reacher.hand, thing.force).unwrap();
        self.monitor.close(grasp.width);
        let (mut next, end) = (self.simulation.time(), self.simulation.time().seconds() + 8.0);
        while !(matches!(self.grip, Grip::Holding { .. }) && self.drive.is_done()) {
            if self.simulation.time() >= next {
                next = next + robot_io::Period::from_milliseconds(200);
                outcome.trace += &self.note();
            }
            self.cycle();
            if matches!(self.grip, Grip::Empty { .. } | Grip::Lost { .. }) || self.simulation.time().seconds() > end {
                return Err(format!("closing: {:?}", self.grip));
            }
        }
        self.wait(0.3);
        let Grip::Holding { width, .. } = self.grip else { return Err(format!("held: {:?}", self.grip)) };
        outcome.widths = [grasp.width, width];
        let (held, begin) = (self.object_in_hand(), self.object());
        outcome.pushed = (begin.translation.vector - before.translation.vector).norm();
        self.go(&reach.ways[2], 0.1);
        self.go(&reach.ways[3], 0.15);
        self.wait(3.0);
        let now = self.object_in_hand();
        outcome.moved = (now.translation.vector - held.translation.vector).norm();
        outcome.turned_deg = now.rotation.angle_to(&held.rotation).to_degrees();
        let Grip::Holding { force, .. } = self.grip else { return Err(format!("at the end: {:?}", self.grip)) };
        outcome.force = force;
        let lifted = self.object().translation.z - begin.translation.z;
        if lifted < LIFTED {
            return Err(format!("lifted by {lifted:.3} m only"));
        }
        if outcome.moved > MOVED || outcome.turned_deg.to_radians() > TURNED {
            return Err("moves in the hand".to_owned());
        }
        Ok(())
    }
}
