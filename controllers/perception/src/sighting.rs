//! Objects far away: a patch of colour, and the ground under it.

use nalgebra::{Matrix3, Point3, Vector2, Vector3};
use robot_io::{Image, Settings};
use serde::{Deserialize, Serialize};

use crate::camera::CameraView;
use crate::colour::{Blob, BlobFinder, ColourTable};
use crate::error::PerceptionError;
use crate::ground::{Ground, GroundHit};

/// How exact what a sighting is made of is, and how far it goes. All deviations are standard deviations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct SightingSettings {
    /// Of the foot of a patch in the picture [px].
    #[setting(1.0, positive)]
    pub pixel_deviation: f64,
    /// Of the camera's orientation [rad].
    #[setting(0.01, not_negative)]
    pub angle_deviation: f64,
    /// Of the camera's place [m].
    #[setting(0.01, not_negative)]
    pub place_deviation: f64,
    /// Of the ground's height [m].
    #[setting(0.02, not_negative)]
    pub height_deviation: f64,
    /// Nothing is looked for farther away than this [m].
    #[setting(20.0, positive)]
    pub farthest: f64,
}

/// An object that was seen by its colour, and stands on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Sighting {
    /// Class of its colour in the table.
    pub class: usize,
    /// Where it stands: the point of the ground under its middle, in the fixed frame.
    pub position: Point3<f64>,
    /// Of that position [m²], along the axes of the fixed frame.
    pub covariance: Matrix3<f64>,
    /// From the camera to its foot [m].
    pub distance: f64,
    /// How wide it looks there [m].
    pub width: f64,
    /// The patch.
    pub blob: Blob,
}

/// Finds objects in colour pictures by their colours (Schwarz et al. 2016, section 7): the ray through the foot of each patch is followed to the
/// ground. Beyond the authors, each position has a covariance, and the size that a class names decides, too.
///
/// A foot that is hidden, or outside the picture, makes an object seem farther away than it is; blobs that are
/// cut at the border say so (`blob.is_cut`).
#[derive(Clone, Debug)]
pub struct SightingFinder {
    table: ColourTable,
    settings: SightingSettings,
    finder: BlobFinder,
    sightings: Vec<Sighting>,
}

impl SightingFinder {
    /// A finder of these colours.
    pub fn new(table: ColourTable, settings: SightingSettings) -> Result<SightingFinder, PerceptionError> {
        settings.check()?;
        Ok(SightingFinder { table, settings, finder: BlobFinder::default(), sightings: Vec::new() })
    }

    /// The colours.
    pub fn table(&self) -> &ColourTable {
        &self.table
    }

    /// The class of each pixel of the last picture: 0 for none, otherwise one more than its place in the table.
    pub fn classes(&self) -> &[u8] {
        self.finder.classes()
    }

    /// The objects of a picture, from top to bottom.
    pub fn find(
        &mut self,
        image: &Image,
        view: &CameraView,
        ground: &Ground<'_>,
    ) -> Result<&[Sighting], PerceptionError> {
        let expected = view.intrinsics.width * view.intrinsics.height;
        if image.rgb.len() != 3 * expected || image.width != view.intrinsics.width {
            return Err(PerceptionError::Picture { camera: "colour", expected, found: image.rgb.len() / 3 });
        }
        self.sightings.clear();
        let count = self.finder.find(&self.table, image).len();
        for number in 0..count {
            let blob = self.finder.blob(number).cloned();
            let sighting = blob.and_then(|blob| self.sight(blob, view, ground));
            self.sightings.extend(sighting);
        }
        Ok(&self.sightings)
    }

    fn sight(&mut self, blob: Blob, view: &CameraView, ground: &Ground<'_>) -> Option<Sighting> {
        let down = down_in_picture(view, &blob.centre)?;
        let foot = self.finder.foot(&blob, &down);
        let (origin, ray) = view.ray(foot.x, foot.y);
        let hit = ground.meet(&origin, &ray, self.settings.farthest)?;
        let class = &self.table.classes()[blob.class];
        let (wide, high) = (blob.columns[1] - blob.columns[0] + 1, blob.rows[1] - blob.rows[0] + 1);
        // across what is down in the picture
        let pixels = wide as f64 * down.y.abs() + high as f64 * down.x.abs();
        let width = pixels * hit.along / view.intrinsics.fx;
        let is_of_size = blob.is_cut || (class.width[0]..=class.width[1]).contains(&width);
        let outward = Vector3::new(ray.x, ray.y, 0.0).try_normalize(1e-9).unwrap_or_else(Vector3::zeros);
        is_of_size.then(|| Sighting {
            class: blob.class,
            position: hit.point + outward * class.foot_to_middle,
            covariance: self.covariance(view, &ray, &hit),
            distance: hit.along * ray.norm(),
            width,
            blob,
        })
    }

    /// First-order propagation to the place at which a ray r from o meets a plane of normal n: p = o + t r with
    /// dp = (I − r nᵀ / nᵀr)(do + t dr) + r / nᵀr · dh.
    fn covariance(&self, view: &CameraView, ray: &Vector3<f64>, hit: &GroundHit) -> Matrix3<f64> {
        let settings = &self.settings;
        let sinking = hit.normal.dot(ray);
        let onto = Matrix3::identity() - ray * hit.normal.transpose() / sinking;
        let square = |deviation: f64| deviation * deviation;
        let pixel = square(settings.pixel_deviation / view.intrinsics.fx);
        let lever = ray.cross_matrix();
        let of_ray = Matrix3::identity() * pixel + lever * lever.transpose() * square(settings.angle_deviation);
        let of_origin = Matrix3::identity() * square(settings.place_deviation);
        let along = ray / sinking;
        let moved = onto * (of_ray * square(hit.along) + of_origin) * onto.transpose();
        moved + along * along.transpose() * square(settings.height_deviation)
    }
}

/// The direction (column, row) in which things hang at a place of the picture. z of the fixed frame is up.
fn down_in_picture(view: &CameraView, at: &Vector2<f64>) -> Option<Vector2<f64>> {
    const STEP: f64 = 1e-3;
    let (origin, ray) = view.ray(at.x, at.y);
    let (column, row, _) = view.project(&(origin + ray - Vector3::z() * STEP))?;
    let shift = Vector2::new(column, row) - at;
    // straight down nothing hangs anywhere: the patch's middle is the foot's best guess
    Some(shift.try_normalize(1e-6).unwrap_or_else(Vector2::zeros))
}
