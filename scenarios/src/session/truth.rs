//! What is really the case, where somebody knows it.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use plant::{Frame, Push, SharedSimulation, Truth};
use robot_io::Digest;

use crate::ScenarioError;
use crate::checks::TruthSource;

/// The true state over time. The controllers cannot reach it.
#[derive(Debug)]
pub struct TruthLine {
    world: Option<SharedSimulation>,
    /// Which of the world's robots it is about.
    robot: usize,
    source: TruthSource,
    now: Truth,
    start: Truth,
    distance: f64,
}

impl TruthLine {
    /// The truth of the world behind the plug, else of the twin's; nobody knows it where there is neither.
    pub fn new(plant: Option<SharedSimulation>, twin: Option<&SharedSimulation>) -> TruthLine {
        let (world, source) = match (plant, twin) {
            (Some(plant), _) => (Some(plant), TruthSource::Plant),
            (None, Some(twin)) => (Some(twin.clone()), TruthSource::Twin),
            (None, None) => (None, TruthSource::Nobody),
        };
        let now = world.as_ref().map_or_else(unknown, SharedSimulation::truth);
        TruthLine { world, robot: 0, source, start: now.clone(), now, distance: 0.0 }
    }

    /// The truth about one of the robots of a world.
    pub fn of(world: SharedSimulation, robot: usize) -> TruthLine {
        let mut line = TruthLine { robot, ..TruthLine::new(Some(world), None) };
        line.look();
        TruthLine { start: line.now.clone(), ..line }
    }

    /// Looks at the present.
    fn look(&mut self) {
        let world = self.world.as_ref().map(SharedSimulation::lock);
        if let Some(robot) = world.as_ref().and_then(|world| world.robot_at(self.robot)) {
            robot.truth_into(&mut self.now);
        }
    }

    /// The world behind the plug.
    fn plant(&self) -> Option<&SharedSimulation> {
        self.world.as_ref().filter(|_| self.source == TruthSource::Plant)
    }

    /// Takes note of the present.
    pub fn note(&mut self) {
        if self.world.is_none() {
            return;
        }
        let before = self.now.base_in_world.translation.vector;
        self.look();
        self.distance += (self.now.base_in_world.translation.vector - before).xy().norm();
    }

    /// Who knows it.
    pub fn source(&self) -> TruthSource {
        self.source
    }

    /// The present.
    pub fn now(&self) -> &Truth {
        &self.now
    }

    /// The beginning.
    pub fn start(&self) -> &Truth {
        &self.start
    }

    /// Horizontal distance driven since [m].
    pub fn distance(&self) -> f64 {
        self.distance
    }

    /// The same up to where the world is between two cycles, which has not been noted yet [m].
    pub fn distance_by_now(&self) -> f64 {
        let Some(world) = &self.world else { return self.distance };
        let world = world.lock();
        let Some(robot) = world.robot_at(self.robot) else { return self.distance };
        let here = robot.link_in_world(0).translation.vector;
        self.distance + (here - self.now.base_in_world.translation.vector).xy().norm()
    }

    /// The digest of the world behind the plug, zero if it is not ours.
    pub fn digest(&self) -> Digest {
        self.plant().map_or(Digest::default(), |world| world.lock().digest())
    }

    /// Why the world behind the plug cannot go on, if it cannot.
    pub fn fault(&self) -> Option<String> {
        self.plant().and_then(|world| world.lock().fault())
    }

    /// Pushes a link, where there is a world in which that can be done.
    pub fn push(&self, push: Push) {
        if let Some(world) = self.plant() {
            world.push(push);
        }
    }

    /// Where everything is, for pictures; an empty frame where nobody knows.
    pub fn frame_into(&self, frame: &mut Frame) {
        if let Some(world) = &self.world {
            world.frame(frame);
        }
    }

    /// The world's complete state, nothing where there is none.
    pub fn snapshot(&self) -> Vec<u8> {
        self.plant().map_or_else(Vec::new, |world| world.lock().snapshot())
    }

    /// Goes to where a snapshot was taken, `distance` [m] from the start.
    pub fn restore(&mut self, snapshot: &[u8], distance: f64) -> Result<(), ScenarioError> {
        if let Some(world) = &self.world {
            world.lock().restore(snapshot)?;
        }
        self.resume(distance);
        Ok(())
    }

    /// Goes on where the world is, `distance` [m] from the start.
    pub fn resume(&mut self, distance: f64) {
        self.look();
        self.distance = distance;
    }
}

/// A truth that nobody knows: not a number anywhere.
fn unknown() -> Truth {
    let nowhere = Vector3::repeat(f64::NAN);
    let rotation = UnitQuaternion::new_unchecked(Quaternion::new(f64::NAN, f64::NAN, f64::NAN, f64::NAN));
    Truth {
        base_in_world: Isometry3::from_parts(Translation3::from(nowhere), rotation),
        base_velocity_in_world: nowhere,
        base_angular_velocity_in_world: nowhere,
        com_in_world: nowhere,
        soil_carried: f64::NAN,
        energy_used: f64::NAN,
        ..Truth::default()
    }
}
