//! Where cameras sit, and what they see.

use std::sync::Arc;

use nalgebra::Isometry3;
use perception::{CameraView, SightingFinder};

use super::job::InColour;
use super::shots::{ColourShot, Rows};
use crate::error::HandlingError;
use crate::setup::{Body, EyesPlan};

/// Where the camera sits and what it sees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    pub link: usize,
    pub in_link: Isometry3<f64>,
    pub intrinsics: robot_io::Intrinsics,
}

/// The colour camera, and what looks for colours.
#[derive(Clone, Debug)]
pub(super) struct ColourEye {
    pub view: Camera,
    /// Its place in readings and commands.
    pub index: usize,
    pub finder: Arc<SightingFinder>,
    pub most_range: f64,
}

impl Camera {
    pub fn during(&self, rows: &Rows) -> CameraView {
        CameraView { intrinsics: self.intrinsics, first_row: rows.first, last_row: rows.last }
    }
}

impl ColourEye {
    /// The colour camera of a plan, if it has one.
    pub fn new(body: &Body, plan: &EyesPlan) -> Result<Option<ColourEye>, HandlingError> {
        let Some(colours) = &plan.colours else { return Ok(None) };
        let mounts = &body.robot.description.cameras;
        let mount = mounts.iter().find(|camera| camera.mount.name == colours.camera);
        let known = || mounts.iter().map(|camera| camera.mount.name.clone());
        let mount = mount.ok_or_else(|| HandlingError::name("colour_camera", known(), &colours.camera))?;
        let view = Camera { link: mount.mount.link, in_link: mount.mount.pose_in_link, intrinsics: mount.intrinsics };
        let finder = Arc::new(SightingFinder::new(colours.table.clone(), colours.sighting)?);
        Ok(Some(ColourEye { view, index: colours.index, finder, most_range: colours.most_range }))
    }

    pub fn looks_at(&self, shot: ColourShot) -> InColour {
        InColour { finder: Arc::clone(&self.finder), picture: shot.picture, view: self.view.during(&shot.rows) }
    }
}
