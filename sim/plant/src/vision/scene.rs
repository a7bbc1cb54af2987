//! The world and the robots as light sees them.

use nalgebra::{Isometry3, Vector3};
use robot_model::RobotModel;
use worlds::World;

use super::grid::Grid;
use super::ray::{Hit, Ray};
use super::solid::{Form, local};

/// What something is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Surface {
    /// Red, green, blue (sRGB), each 0 to 1.
    pub color: [f32; 3],
    /// Share of the infrared light of a range finder that it scatters back, 0 to 1.
    pub reflectivity: f64,
}

/// Colour of a visual that has none (sRGB).
const GREY: [f32; 3] = [0.5, 0.5, 0.5];

/// The terrain and everything on it.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub ground: Grid,
    /// Surface of each cell of the grid.
    cell_surfaces: Vec<u8>,
    surfaces: Vec<Surface>,
    pub solids: Vec<Solid>,
}

/// A shape that something carries.
#[derive(Clone, Debug)]
pub(crate) struct Solid {
    /// Who carries it.
    pub carrier: Carrier,
    form: Form,
    pose_in_carrier: Isometry3<f64>,
    surface: usize,
    /// Middle of a ball around it, in the carrier's frame.
    centre_in_carrier: Vector3<f64>,
    /// Radius of that ball [m].
    pub radius: f64,
    /// Where its carrier is now.
    carrier_in_world: Isometry3<f64>,
    /// Where the middle of the ball is now.
    pub centre: Vector3<f64>,
}

/// Who carries a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// The link with this index among those of all robots.
    Link(usize),
    /// The object with this index.
    Object(usize),
}

impl Scene {
    /// The scene of a world with robots. Robots show their visuals, or where these are meshes their collision shapes.
    pub fn new<'r>(world: &World, robots: impl Iterator<Item = &'r RobotModel>) -> Scene {
        let material =
            |material: &worlds::Material| Surface { color: material.color, reflectivity: material.reflectivity };
        let mut scene = Scene {
            ground: Grid::new(&world.terrain),
            cell_surfaces: world.terrain.cell_materials.clone(),
            surfaces: world.materials.iter().map(material).collect(),
            solids: Vec::new(),
        };
        for (index, object) in world.objects.iter().enumerate() {
            let surface = Surface { color: object.color, ..scene.surfaces[object.material] };
            scene.add(Carrier::Object(index), Form::of_object(&object.shape), Isometry3::identity(), surface);
        }
        for (index, link) in robots.flat_map(|robot| &robot.tree.links).enumerate() {
            let shapes = link.seen().filter_map(|geometry| Some((Form::of_geometry(geometry)?, geometry)));
            for (form, geometry) in shapes {
                let color = geometry.color.map_or(GREY, |[red, green, blue, _]| [red, green, blue]);
                let surface = Surface { color, reflectivity: reflectivity_of(color) };
                scene.add(Carrier::Link(index), form, geometry.pose_in_link, surface);
            }
        }
        scene
    }

    fn add(&mut self, carrier: Carrier, form: Form, pose_in_carrier: Isometry3<f64>, surface: Surface) {
        let number = self.surfaces.iter().position(|known| *known == surface).unwrap_or(self.surfaces.len());
        if number == self.surfaces.len() {
            self.surfaces.push(surface);
        }
        let (centre, radius) = form.bounding_ball();
        let centre_in_carrier = pose_in_carrier * nalgebra::Point3::from(centre);
        self.solids.push(Solid {
            carrier,
            form,
            pose_in_carrier,
            surface: number,
            centre_in_carrier: centre_in_carrier.coords,
            radius,
            carrier_in_world: Isometry3::identity(),
            centre: centre_in_carrier.coords,
        });
    }

    /// Puts every shape where its carrier is.
    pub fn place(&mut self, carrier_in_world: impl Fn(Carrier) -> Isometry3<f64>) {
        let mut last = None;
        for solid in &mut self.solids {
            let pose = match last {
                Some((carrier, pose)) if carrier == solid.carrier => pose,
                _ => carrier_in_world(solid.carrier),
            };
            last = Some((solid.carrier, pose));
            solid.carrier_in_world = pose;
            solid.centre = pose.rotation * solid.centre_in_carrier + pose.translation.vector;
        }
    }

    /// What a surface is made of.
    pub fn surface(&self, index: usize) -> Surface {
        self.surfaces[index]
    }

    /// All surfaces.
    pub fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }

    /// What a ray meets first, the terrain or one of the `candidates`, at most `limit` [m] away.
    pub fn cast(&self, ray: &Ray, limit: f64, candidates: &[usize]) -> Option<Hit> {
        let ground = self.ground.cast(ray, limit);
        let mut nearest = ground.map_or(limit, |ground| ground.distance);
        let mut found = None;
        for index in candidates {
            let solid = &self.solids[*index];
            if !solid.may_meet(ray, nearest) {
                continue;
            }
            if let Some((distance, normal)) =
                solid.form.cast(&local(&local(ray, &solid.carrier_in_world), &solid.pose_in_carrier), nearest)
            {
                nearest = distance;
                found = Some((solid, normal));
            }
        }
        if let Some((solid, normal)) = found {
            return Some(Hit {
                distance: nearest,
                normal: solid.carrier_in_world.rotation * (solid.pose_in_carrier.rotation * normal),
                surface: solid.surface,
                is_ground: false,
            });
        }
        ground.map(|ground| Hit {
            distance: ground.distance,
            normal: super::ray::facing(ground.normal(), &ray.direction),
            surface: usize::from(self.cell_surfaces[ground.cell]),
            is_ground: true,
        })
    }

    /// For each shape whether it is the housing of a sensor, which looks through it: it holds the sensor's origin, and is
    /// carried by one of the links that move with the sensor, given with the sensor's pose there.
    pub fn housing(&self, carriers: &[(usize, Isometry3<f64>)]) -> Vec<bool> {
        let holds = |solid: &Solid| {
            let own = carriers.iter().find(|(link, _)| Carrier::Link(*link) == solid.carrier);
            own.is_some_and(|(_, sensor_in_link)| {
                let point = solid.pose_in_carrier.inverse_transform_point(&sensor_in_link.translation.vector.into());
                solid.form.holds(&point.coords)
            })
        };
        self.solids.iter().map(holds).collect()
    }
}

impl Solid {
    /// Whether a ray comes near enough to be cast.
    fn may_meet(&self, ray: &Ray, limit: f64) -> bool {
        let to = self.centre - ray.origin;
        let along = to.dot(&ray.direction);
        let beside = to.norm_squared() - along * along;
        let reach = self.radius * self.radius;
        beside <= reach && along + self.radius >= 0.0 && along - self.radius <= limit
    }
}

/// Paint and plastics reflect near infrared about as they reflect light; black ones reflect a twentieth. The luminance is
/// that of Rec. 709, its channels taken as linear.
fn reflectivity_of([red, green, blue]: [f32; 3]) -> f64 {
    let luminance = 0.2126 * f64::from(red) + 0.7152 * f64::from(green) + 0.0722 * f64::from(blue);
    (0.05 + 0.8 * luminance * luminance).min(0.9)
}
