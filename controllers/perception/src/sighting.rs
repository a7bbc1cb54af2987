//! Objects far away: a patch of colour, and what depth there is of it, or the ground under it.

use nalgebra::{Matrix3, Point3, Vector2, Vector3};
use robot_io::{Image, Settings};
use serde::{Deserialize, Serialize};

use crate::camera::CameraView;
use crate::cloud::DepthCloud;
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
    /// Beside a depth camera: what stands farther away than this has no depth, and is looked for on the ground [m].
    #[setting(5.5, positive)]
    pub beyond_depth: f64,
}

/// Fewest depths that tell where a patch is.
const FEWEST_DEPTHS: usize = 6;
/// What of a patch is so much nearer or farther than its middle is something else: the background at its edges [m].
const THICKNESS: f64 = 0.15;

/// An object that was seen by its colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Sighting {
    /// Class of its colour in the table.
    pub class: usize,
    /// Its middle where its depth is measured; else where it stands, if it stands on the ground: the point under its middle. In the fixed frame.
    pub position: Point3<f64>,
    /// True if a depth camera has measured where it is.
    pub is_measured: bool,
    /// Of that position [m²], along the axes of the fixed frame.
    pub covariance: Matrix3<f64>,
    /// From the camera to its foot, or to its surface if that is measured [m].
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
        for blob in self.blobs(image, view)? {
            let sighting = self.sight(blob, view, ground, 0.0);
            self.sightings.extend(sighting);
        }
        Ok(&self.sightings)
    }

    /// The same beside a depth camera, whose points of the same moment tell where a patch is. Without depth a patch is an object on the ground if
    /// it is too far away for depth; nearer, it is left out, as what is too near for depth would be looked for on the ground behind.
    pub fn find_with_depth(
        &mut self,
        image: &Image,
        view: &CameraView,
        cloud: &DepthCloud,
        ground: &Ground<'_>,
    ) -> Result<&[Sighting], PerceptionError> {
        let blobs = self.blobs(image, view)?;
        let depths = self.depths(&blobs, view, cloud);
        for (blob, depths) in blobs.into_iter().zip(depths) {
            let sighting = match depths.len() < FEWEST_DEPTHS {
                true => self.sight(blob, view, ground, self.settings.beyond_depth),
                false => self.measure(blob, view, cloud, depths),
            };
            self.sightings.extend(sighting);
        }
        Ok(&self.sightings)
    }

    /// The patches of a picture.
    fn blobs(&mut self, image: &Image, view: &CameraView) -> Result<Vec<Blob>, PerceptionError> {
        let expected = view.intrinsics.width * view.intrinsics.height;
        if image.rgb.len() != 3 * expected || image.width != view.intrinsics.width {
            return Err(PerceptionError::Picture { camera: "colour", expected, found: image.rgb.len() / 3 });
        }
        self.sightings.clear();
        Ok(self.finder.find(&self.table, image).to_vec())
    }

    /// For each patch the points that are seen in it, each with its distance along the colour camera's axis [m].
    fn depths(&self, blobs: &[Blob], view: &CameraView, cloud: &DepthCloud) -> Vec<Vec<(f64, Point3<f64>)>> {
        let mut depths = vec![Vec::new(); blobs.len()];
        if blobs.is_empty() {
            return depths;
        }
        for point in (0..cloud.len()).filter_map(|pixel| cloud.point(pixel)) {
            let Some((column, row, depth)) = view.project(&point) else { continue };
            let Some(pixel) = view.pixel(column, row) else { continue };
            let (class, width) = (self.finder.classes()[pixel], view.intrinsics.width);
            let holds = |blob: &Blob| {
                blob.class + 1 == usize::from(class)
                    && (blob.columns[0]..=blob.columns[1]).contains(&(pixel % width))
                    && (blob.rows[0]..=blob.rows[1]).contains(&(pixel / width))
            };
            if let Some(own) = Some(class).filter(|class| *class != 0).and_then(|_| blobs.iter().position(holds)) {
                depths[own].push((depth, point));
            }
        }
        depths
    }

    /// Where a patch is, of which depths are measured: its middle is behind the middle of what is seen of it.
    fn measure(
        &self,
        blob: Blob,
        view: &CameraView,
        cloud: &DepthCloud,
        mut depths: Vec<(f64, Point3<f64>)>,
    ) -> Option<Sighting> {
        depths.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (depth, _) = *depths.get(depths.len() / 2)?;
        let deviation = cloud.deviation(depth);
        depths.retain(|(other, _)| (other - depth).abs() <= THICKNESS + 3.0 * deviation);
        let seen = depths.iter().map(|(_, point)| point.coords).sum::<Vector3<f64>>() / depths.len() as f64;
        let (origin, _) = view.ray(blob.centre.x, blob.centre.y);
        let ray = seen - origin.coords;
        let class = &self.table.classes()[blob.class];
        let width = (blob.columns[1] - blob.columns[0] + 1) as f64 * depth / view.intrinsics.fx;
        if !blob.is_cut && !(class.width[0]..=class.width[1]).contains(&width) {
            return None;
        }
        let direction = ray.try_normalize(1e-9)?;
        let along = direction * direction.transpose() * (deviation * deviation);
        let across = self.settings.angle_deviation.hypot(self.settings.pixel_deviation / view.intrinsics.fx) * depth;
        // which side of it is seen is not known
        let shape = 0.25 * width;
        let all = across * across + shape * shape + self.settings.place_deviation.powi(2);
        Some(Sighting {
            class: blob.class,
            position: Point3::from(seen) + outward(&ray) * class.foot_to_middle,
            is_measured: true,
            covariance: Matrix3::identity() * all + along,
            distance: ray.norm(),
            width,
            blob,
        })
    }

    /// The ground under a patch, if that is farther away than `beyond` [m].
    fn sight(&mut self, blob: Blob, view: &CameraView, ground: &Ground<'_>, beyond: f64) -> Option<Sighting> {
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
        let distance = hit.along * ray.norm();
        (is_of_size && distance >= beyond).then(|| Sighting {
            class: blob.class,
            position: hit.point + outward(&ray) * class.foot_to_middle,
            is_measured: false,
            covariance: self.covariance(view, &ray, &hit),
            distance,
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

/// Away from the camera, horizontally.
fn outward(ray: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(ray.x, ray.y, 0.0).try_normalize(1e-9).unwrap_or_else(Vector3::zeros)
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
