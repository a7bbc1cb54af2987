//! The surroundings as collision checks want them, made once for each picture.

use core::fmt;
use std::sync::{Mutex, PoisonError};

use manipulation::{Cloud, ManipulationError};
use robot_io::{Digest, Sealed};

use crate::voxels::{EDGE, Voxels};

/// A cube of the surroundings as a ball [m]: half of its edge and a fifth of that.
const CUBE: f64 = 0.6 * EDGE;
/// Spheres of arms are no larger than this, with the margin [m]; a larger one counts as one that meets everything.
const LARGEST: f64 = 0.1;

/// Remembers the tree of the surroundings that were asked for last. What it says depends on what it is asked alone.
#[derive(Default)]
pub(crate) struct CloudMemo(Mutex<Option<(Digest, Cloud)>>);

impl CloudMemo {
    /// The surroundings as a tree of points.
    pub fn of(&self, voxels: &Sealed<Voxels>) -> Result<Cloud, ManipulationError> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, cloud)) = last.as_ref().filter(|(digest, _)| *digest == voxels.digest()) {
            return Ok(cloud.clone());
        }
        let points = voxels.middles().map(|middle| [middle.x as f32, middle.y as f32, middle.z as f32]);
        let points: Vec<[f32; 3]> = points.collect();
        let cloud = Cloud::new(&points, CUBE, LARGEST)?;
        *last = Some((voxels.digest(), cloud.clone()));
        Ok(cloud)
    }
}

impl fmt::Debug for CloudMemo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CloudMemo")
    }
}
