//! Digest, snapshot and named state.

use robot_io::{Digest, State, StateHasher, StateReader, StateVisitor, StateWriter};
use serde::{Deserialize, Serialize};

use super::Simulation;
use crate::error::PlantError;
use crate::soil::Soil;
use crate::unwanted::Watch;

/// The first bytes of a snapshot.
const MAGIC: [u8; 8] = *b"chironpl";
/// Its format; a change of this program's state is a new one.
const VERSION: u32 = 3;

/// A snapshot after its checksum.
#[derive(Serialize, Deserialize)]
struct Saved {
    version: u32,
    fingerprint: u64,
    own: Vec<u8>,
}

impl Simulation {
    /// A digest of the complete state: robots and objects with their velocities, contact impulses, actuators, sensors, commands.
    pub fn digest(&mut self) -> Digest {
        let mut hasher = StateHasher::default();
        self.parts().visit_state(&mut hasher);
        hasher.finish()
    }

    /// Shows the complete state, each field by name, to a visitor that may read and not change it: for naming where two
    /// runs part.
    pub fn visit_truth(&mut self, visitor: &mut dyn StateVisitor) {
        self.parts().visit_state(&mut ReadOnly(visitor));
    }

    /// The complete state as bytes: restored and continued it is the same run, bit for bit. Saving does not disturb.
    pub fn snapshot(&mut self) -> Vec<u8> {
        let saved =
            Saved { version: VERSION, fingerprint: self.fingerprint, own: StateWriter::save(&mut self.parts()) };
        let body = postcard::to_stdvec(&saved).unwrap_or_default();
        let mut bytes = Vec::with_capacity(body.len() + 40);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(blake3::hash(&body).as_bytes());
        bytes.extend_from_slice(&body);
        bytes
    }

    /// Goes back (or on) to a snapshot of these very robots and this world. A snapshot that is not one changes nothing.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), PlantError> {
        let saved = self.check(bytes)?;
        let kept = StateWriter::save(&mut self.parts());
        let read = StateReader::restore(&mut self.parts(), &saved.own);
        let soil_fits = self.contacts.soil.as_ref().is_none_or(Soil::has_room);
        let fault =
            read.err().map(|error| error.to_string()).or((!soil_fits).then(|| "soil of another ground".to_owned()));
        if let Some(fault) = fault {
            // what was read so far is put back; these bytes are our own and fit
            let put_back = StateReader::restore(&mut self.parts(), &kept);
            debug_assert!(put_back.is_ok());
            return Err(PlantError::snapshot("bodies, drives and sensors", "this program's state", fault));
        }
        self.mechanics.update();
        if let Some(soil) = &mut self.contacts.soil {
            soil.take_up(&mut self.world.terrain);
            let seeing = self.robots.iter_mut().filter_map(|robot| robot.vision.as_mut());
            seeing.for_each(|vision| vision.renew_ground(&self.world.terrain));
        }
        self.robots.iter_mut().for_each(|robot| robot.events.clear());
        self.contacts.unwanted.iter_mut().for_each(Watch::begin);
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
