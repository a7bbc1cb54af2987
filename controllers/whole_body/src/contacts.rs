//! Where the robot touches the world, and which wrenches the world can give there.
//!
//! A contact's frame has its z axis out of the ground, towards the robot; its wrench, force and torque about the frame's
//! origin, is what the world does to the robot, in that frame. For a rectangle of half lengths X and Y with a friction
//! pyramid µ the wrenches are those of S. Caron, Q.-C. Pham and Y. Nakamura, "Stability of surface contacts for humanoid
//! robots: closed-form formulae of the contact wrench cone for rectangular support areas", ICRA 2015:
//!
//! ```text
//! |fx| ≤ µ fz,  |fy| ≤ µ fz,  least ≤ fz ≤ most                      friction, and pressing only
//! |mx| ≤ Y fz,  |my| ≤ X fz                                          the centre of pressure is in the rectangle
//! |mz ∓ …| : −µ(X+Y) fz + |Y fx − µ mx| + |X fy − µ my| ≤ mz ≤ µ(X+Y) fz − |Y fx + µ mx| − |X fy + µ my|
//! ```
//!
//! The pyramid lies inside the cone of friction: µ is the coefficient over √2.

use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3, Vector6};
use robot_io::State;
use serde::{Deserialize, Serialize};

use crate::error::{WholeBodyError, check_number};
use crate::qp::Limits;

/// How far corners may be off a rectangle, relative to its diagonal.
const LOPSIDED: f64 = 1e-3;

/// A place of the robot that can touch the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, State)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// Its name, unique in the list.
    #[state(fixed)]
    pub name: String,
    /// The link that touches.
    #[state(fixed)]
    pub link: String,
    /// The contact's frame in the link's [m]: z out of the ground, towards the robot.
    pub frame_in_link: Isometry3<f64>,
    /// How it touches; this stays.
    #[state(fixed)]
    pub surface: Surface,
    /// Coefficient of friction [1].
    pub friction: f64,
    /// The least normal force [N].
    pub least_force: f64,
    /// The largest normal force [N].
    pub most_force: f64,
    /// Whether it has yet to find its place: what speed it has is not taken out.
    #[serde(default)]
    pub gives: bool,
    /// The acceleration that the contact is to have in its own frame [m/s², rad/s²]; zero where the ground is at rest.
    pub acceleration: Vector6<f64>,
}

/// How something touches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Surface {
    /// With a rectangle about the frame's origin: holds against forces and torques.
    Patch {
        /// Half its length along x and y of the contact's frame [m].
        half_lengths: [f64; 2],
    },
    /// With a point: holds against forces only.
    Point,
}

impl Contact {
    /// A rectangular patch, by its corners in the link's frame [m], one after the other, counter-clockwise as seen from
    /// the robot. Its x axis goes along the first edge.
    pub fn patch(
        name: &str,
        link: &str,
        corners_in_link: [Vector3<f64>; 4],
        friction: f64,
    ) -> Result<Contact, WholeBodyError> {
        let [a, b, c, d] = corners_in_link;
        let (along, up) = (b - a, (b - a).cross(&(d - a)));
        let part = part(name);
        let off = (a + c - b - d).norm().max(along.dot(&(d - a)).abs() / along.norm().max(1e-12));
        let is_rectangle = off <= LOPSIDED * (c - a).norm() && up.norm() > 1e-12;
        if !is_rectangle {
            let found = format!("corners that are {off} m off one");
            return Err(WholeBodyError::refused(&part, "corners", "a rectangle", found));
        }
        let (x, z) = (along.normalize(), up.normalize());
        let axes = Matrix3::from_columns(&[x, z.cross(&x), z]);
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
        let frame_in_link = Isometry3::from_parts(Translation3::from((a + b + c + d) / 4.0), rotation);
        let half_lengths = [0.5 * along.norm(), 0.5 * (d - a).norm()];
        Ok(Contact { surface: Surface::Patch { half_lengths }, ..Contact::point(name, link, frame_in_link, friction) })
    }

    /// A point at the origin of a frame in the link's [m], whose z axis is out of the ground.
    pub fn point(name: &str, link: &str, frame_in_link: Isometry3<f64>, friction: f64) -> Contact {
        Contact {
            name: name.to_owned(),
            link: link.to_owned(),
            frame_in_link,
            surface: Surface::Point,
            friction,
            least_force: 0.0,
            most_force: f64::INFINITY,
            gives: false,
            acceleration: Vector6::zeros(),
        }
    }

    /// How many numbers its wrench has.
    pub fn dimension(&self) -> usize {
        match self.surface {
            Surface::Patch { .. } => 6,
            Surface::Point => 3,
        }
    }

    /// Where the pressure of a wrench has its centre, in the contact's frame [m]; `None` where nothing presses.
    pub fn center_of_pressure(&self, wrench: &Vector6<f64>) -> Option<Point3<f64>> {
        let force = wrench[2];
        (force > 0.0).then(|| Point3::new(-wrench[4] / force, wrench[3] / force, 0.0))
    }

    /// By how much a wrench [N, N·m] is outside of what the world can give [N]; negative inside.
    pub fn excess(&self, wrench: &Vector6<f64>) -> f64 {
        let rows = self.cone().map(|row| row.iter().zip(wrench.iter()).map(|(a, b)| a * b).sum::<f64>());
        rows.fold(self.least_force - wrench[2], f64::max).max(wrench[2] - self.most_force)
    }

    pub(crate) fn check(&self) -> Result<(), WholeBodyError> {
        let part = part(&self.name);
        check_number(&part, "friction", (0.0, 10.0), "1", self.friction)?;
        check_number(&part, "least_force", (0.0, 1e6), "N", self.least_force)?;
        check_number(&part, "most_force", (self.least_force, f64::INFINITY), "N", self.most_force)?;
        if let Surface::Patch { half_lengths } = self.surface {
            for half in half_lengths {
                check_number(&part, "half_lengths", (1e-4, 10.0), "m", half)?;
            }
        }
        Ok(())
    }

    /// Appends what the world can give as rows over the contact's variables, which begin at `first` and are the wrench in
    /// units of `force` [N] and `force` · `arm` [N·m]. How many rows there are.
    pub(crate) fn limit(&self, first: usize, force: f64, arm: f64, limits: &mut Limits) -> usize {
        let unit = Vector6::new(1.0, 1.0, 1.0, arm, arm, arm);
        let mut count = 1;
        limits.push(first, self.least_force / force, self.most_force / force, [0.0, 0.0, 1.0]);
        for row in self.cone() {
            let numbers = row.component_mul(&unit);
            limits.push(first, f64::NEG_INFINITY, 0.0, numbers.iter().copied().take(self.dimension()));
            count += 1;
        }
        count
    }

    /// Rows c with c · wrench ≤ 0.
    fn cone(&self) -> impl Iterator<Item = Vector6<f64>> {
        let friction = self.friction * core::f64::consts::FRAC_1_SQRT_2;
        let signs = [-1.0, 1.0];
        let along = signs.map(|s| Vector6::new(s, 0.0, -friction, 0.0, 0.0, 0.0));
        let across = signs.map(|s| Vector6::new(0.0, s, -friction, 0.0, 0.0, 0.0));
        let half_lengths = match self.surface {
            Surface::Patch { half_lengths } => Some(half_lengths),
            Surface::Point => None,
        };
        let patch = half_lengths.into_iter().flat_map(move |[x, y]| {
            let about_x = signs.map(|s| Vector6::new(0.0, 0.0, -y, s, 0.0, 0.0));
            let about_y = signs.map(|s| Vector6::new(0.0, 0.0, -x, 0.0, s, 0.0));
            let turns = signs.into_iter().flat_map(move |a| {
                signs.into_iter().flat_map(move |b| {
                    // mz from above and from below
                    signs.map(move |s| {
                        Vector6::new(a * y, b * x, -friction * (x + y), s * a * friction, s * b * friction, s)
                    })
                })
            });
            about_x.into_iter().chain(about_y).chain(turns)
        });
        along.into_iter().chain(across).chain(patch)
    }
}

pub(crate) fn part(name: &str) -> String {
    format!("contact \"{name}\"")
}
