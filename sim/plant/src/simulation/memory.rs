//! Digest, snapshot and named state.

use rapier3d::prelude::*;
use robot_io::{Digest, State, StateHasher, StateReader, StateVisitor};
use serde::{Deserialize, Serialize};

use super::Simulation;
use crate::error::PlantError;

/// The first bytes of a snapshot.
const MAGIC: [u8; 8] = *b"chironpl";
/// Its format; a change of rapier's or of this program's state is a new one.
const VERSION: u32 = 1;

/// A snapshot after its checksum. The terrain's shape, which never changes and may be large, is cut out of rapier's.
#[derive(Serialize, Deserialize)]
struct Saved {
    version: u32,
    fingerprint: u64,
    /// Where the terrain's shape was in `physics`.
    terrain_at: u64,
    physics: Vec<u8>,
    own: Vec<u8>,
}

impl Simulation {
    /// A digest of the complete state: robot and objects with their velocities, contact impulses, actuators, sensors, commands.
    pub fn digest(&mut self) -> Digest {
        let mut hasher = StateHasher::default();
        for body in &self.spawned.objects {
            hash_body(&mut hasher, &self.physics.world.bodies[*body]);
        }
        self.parts().visit_state(&mut hasher);
        hasher.finish()
    }

    /// Shows the complete state, each field by name, to a visitor that may read and not change it: for naming where two
    /// runs part.
    pub fn visit_truth(&mut self, visitor: &mut dyn StateVisitor) {
        let mut visitor = ReadOnly(visitor);
        self.visit_objects(&mut visitor);
        self.parts().visit_state(&mut visitor);
    }

    /// The complete state as bytes: restored and continued it is the same run, bit for bit.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut physics = postcard::to_stdvec(&self.physics.world).unwrap_or_default();
        let terrain_at = find(&physics, &self.terrain_bytes).unwrap_or(physics.len());
        if terrain_at < physics.len() {
            physics.drain(terrain_at..terrain_at + self.terrain_bytes.len());
        }
        let saved = Saved {
            version: VERSION,
            fingerprint: self.fingerprint,
            terrain_at: terrain_at as u64,
            physics,
            own: self.own_bytes(),
        };
        let body = postcard::to_stdvec(&saved).unwrap_or_default();
        let mut bytes = Vec::with_capacity(body.len() + 40);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(blake3::hash(&body).as_bytes());
        bytes.extend_from_slice(&body);
        bytes
    }

    /// Goes back (or on) to a snapshot of this very robot and world. A snapshot that is not one changes nothing.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), PlantError> {
        let saved = self.check(bytes)?;
        let mut physics = saved.physics;
        let at = saved.terrain_at as usize;
        if at < physics.len() {
            physics.splice(at..at, self.terrain_bytes.iter().copied());
        }
        let world: PhysicsWorld =
            postcard::from_bytes(&physics).map_err(|error| PlantError::snapshot("physics", "rapier's sets", error))?;
        let kept = self.own_bytes();
        if let Err(error) = StateReader::restore(&mut self.parts(), &saved.own) {
            // what was read so far is put back; these bytes are our own and fit
            let put_back = StateReader::restore(&mut self.parts(), &kept);
            debug_assert!(put_back.is_ok());
            return Err(PlantError::snapshot("drives and sensors", "this program's state", error));
        }
        self.physics.world = world;
        self.multibody.update();
        self.events.clear();
        self.contacts.unwanted.begin();
        Ok(())
    }

    /// Remembers what the terrain's shape looks like in a snapshot.
    pub(super) fn remember_terrain(&mut self) -> Result<(), PlantError> {
        let collider = &self.physics.world.colliders[self.spawned.terrain];
        let bytes = postcard::to_stdvec(collider.shared_shape());
        self.terrain_bytes =
            bytes.map_err(|error| PlantError::snapshot("terrain", "a shape that can be saved", error))?;
        Ok(())
    }

    fn check(&self, bytes: &[u8]) -> Result<Saved, PlantError> {
        let Some((magic, rest)) = bytes.split_first_chunk::<8>().filter(|(magic, _)| **magic == MAGIC) else {
            let found = format!("{} bytes that begin otherwise", bytes.len());
            return Err(PlantError::snapshot("beginning", "a plant's snapshot", found));
        };
        debug_assert_eq!(*magic, MAGIC);
        let (hash, body) = rest.split_first_chunk::<32>().unwrap_or((&[0; 32], &[]));
        if blake3::hash(body).as_bytes() != hash {
            let found = format!("{} bytes of another content: cut short or changed", bytes.len());
            return Err(PlantError::snapshot("checksum", "the content that was saved", found));
        }
        let saved: Saved = postcard::from_bytes(body)
            .map_err(|error| PlantError::snapshot("content", "a snapshot of this version", error))?;
        if saved.version != VERSION {
            return Err(PlantError::snapshot("version", VERSION, saved.version));
        }
        if saved.fingerprint != self.fingerprint {
            let (expected, found) = (format!("{:016x}", self.fingerprint), format!("{:016x}", saved.fingerprint));
            return Err(PlantError::snapshot("robot, world and set-up", expected, found));
        }
        Ok(saved)
    }
}

impl Simulation {
    /// The objects as named fields.
    fn visit_objects(&mut self, visitor: &mut dyn StateVisitor) {
        for (object, body) in self.world.objects.iter().zip(&self.spawned.objects) {
            visit_body(visitor, &object.name, &self.physics.world.bodies[*body]);
        }
    }
}

/// Passes everything on and takes nothing back.
struct ReadOnly<'a>(&'a mut dyn StateVisitor);

impl StateVisitor for ReadOnly<'_> {
    fn word(&mut self, bits: &mut u64) {
        let mut copy = *bits;
        self.0.word(&mut copy);
    }

    fn enter(&mut self, name: &str) {
        self.0.enter(name);
    }

    fn leave(&mut self) {
        self.0.leave();
    }
}

fn visit_body(visitor: &mut dyn StateVisitor, name: &str, body: &RigidBody) {
    let (at, turn) = (body.translation(), body.rotation());
    let fields: [(&str, &[f32]); 4] = [
        ("position", &at.to_array()),
        ("orientation", &turn.to_array()),
        ("velocity", &body.linvel().to_array()),
        ("angular_velocity", &body.angvel().to_array()),
    ];
    visitor.enter(name);
    for (field, values) in fields {
        visitor.enter(field);
        for value in values {
            f64::from(*value).visit_state(visitor);
        }
        visitor.leave();
    }
    visitor.leave();
}

fn hash_body(hasher: &mut StateHasher, body: &RigidBody) {
    let (at, turn) = (body.translation(), body.rotation());
    let (linear, angular) = (body.linvel(), body.angvel());
    hasher.add(two(at.x, at.y));
    hasher.add(two(at.z, turn.x));
    hasher.add(two(turn.y, turn.z));
    hasher.add(two(turn.w, linear.x));
    hasher.add(two(linear.y, linear.z));
    hasher.add(two(angular.x, angular.y));
    hasher.add(u64::from(angular.z.to_bits()));
}

/// Two numbers in one word.
fn two(a: f32, b: f32) -> u64 {
    u64::from(a.to_bits()) << 32 | u64::from(b.to_bits())
}

/// Where `needle` begins in `hay`, `None` if it is empty or not there.
fn find(hay: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let candidates = hay.iter().enumerate().filter(|(_, byte)| **byte == first);
    candidates.map(|(at, _)| at).find(|at| hay[*at..].starts_with(needle))
}
