//! A stiff sole on uneven ground.
//!
//! It rests on the facet of the convex hull of the ground under it that lies below its middle, where the leg presses. Which three points
//! these are is a linear programme (the highest plane point over the middle that points of the ground can hold up), solved by the
//! simplex method on its dual: three points whose triangle holds the middle, exchanged one by one for points that are higher than
//! the plane through them (Dantzig 1951). Then the plane of least squares through all ground that nearly touches is taken.

use nalgebra::{Matrix3, Vector3};

/// A piece of ground, as seen from the middle of the sole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// x, y and height [m], as seen from the middle of the sole; axes are the world's.
    pub point: Vector3<f64>,
    /// The quarter of the sole in which it is; `None` if it is beside the sole.
    pub quarter: Option<usize>,
}

/// How far below the plane on which the sole rests ground may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// To tell how it leans [m].
    pub contact: f64,
    /// To carry [m].
    pub give: f64,
}

/// How a sole rests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rest {
    /// Height of its middle [m].
    pub height: f64,
    /// Unit normal.
    pub normal: Vector3<f64>,
    /// How many pieces of ground carry, quarter by quarter.
    pub carried: [usize; 4],
    /// Root mean square distance of those from the plane [m].
    pub roughness: f64,
}

/// A plane: height over the middle, rise along x and along y.
type Plane = Vector3<f64>;

fn over(plane: &Plane, point: &Vector3<f64>) -> f64 {
    plane.x + plane.y * point.x + plane.z * point.y
}

/// How a sole rests on `ground`; `None` if nothing carries its middle.
pub fn rest(ground: &[Contact], limits: &Limits) -> Option<Rest> {
    let (top, plane) = match even(ground) {
        Some(plane) => (plane, plane),
        None => {
            let top = touching(ground)?;
            let near = ground.iter().filter(|contact| over(&top, &contact.point) - contact.point.z <= limits.contact);
            (top, least_squares(near).unwrap_or(top))
        }
    };
    let below = |contact: &Contact| over(&top, &contact.point) - contact.point.z;
    let (mut carried, mut squares) = ([0; 4], 0.0);
    for contact in ground.iter().filter(|contact| below(contact) <= limits.give) {
        if let Some(quarter) = contact.quarter {
            carried[quarter] += 1;
            squares += (over(&plane, &contact.point) - contact.point.z).powi(2);
        }
    }
    let count = carried.iter().sum::<usize>().max(1) as f64;
    let normal = Vector3::new(-plane.y, -plane.z, 1.0).normalize();
    Some(Rest { height: plane.x, normal, carried, roughness: (squares / count).sqrt() })
}

/// The plane of ground that is even and reaches around the middle; `None` for any other.
fn even(ground: &[Contact]) -> Option<Plane> {
    const UNEVEN: f64 = 0.001;
    let plane = least_squares(ground.iter())?;
    let off = |contact: &Contact| (over(&plane, &contact.point) - contact.point.z).abs();
    let mut quarters = [false; 4];
    for contact in ground {
        if off(contact) > UNEVEN {
            return None;
        }
        if let Some(quarter) = contact.quarter {
            quarters[quarter] = true;
        }
    }
    (quarters == [true; 4]).then_some(plane)
}

/// The plane on which a stiff sole rests; `None` if the middle is outside of all ground.
fn touching(ground: &[Contact]) -> Option<Plane> {
    const FAR: f64 = 10.0;
    const DEEP: f64 = -1e3;
    const MOST_EXCHANGES: usize = 100;
    // three points far outside and below hold the first plane; where one of them stays, the ground does not reach around the middle
    let mut held = [
        Vector3::new(FAR, 0.0, DEEP),
        Vector3::new(-0.5 * FAR, 0.9 * FAR, DEEP),
        Vector3::new(-0.5 * FAR, -0.9 * FAR, DEEP),
    ];
    for _ in 0..MOST_EXCHANGES {
        let plane = through(&held)?;
        let highest = ground.iter().map(|contact| (contact.point.z - over(&plane, &contact.point), contact.point));
        let (excess, point) = highest.fold((0.0, Vector3::zeros()), |a, b| if b.0 > a.0 { b } else { a });
        if excess < 1e-9 {
            return held.iter().all(|point| point.z > 0.5 * DEEP).then_some(plane);
        }
        let (share_of_middle, share_of_point) = (shares(&held, &Vector3::zeros())?, shares(&held, &point)?);
        let leaving = (0..3).filter(|k| share_of_point[*k] > 1e-9);
        let ratio = |k: &usize| share_of_middle[*k].max(0.0) / share_of_point[*k];
        held[leaving.min_by(|a, b| ratio(a).total_cmp(&ratio(b)))?] = point;
    }
    None
}

/// The plane through three points.
fn through(points: &[Vector3<f64>; 3]) -> Option<Plane> {
    let [a, b, c] = points;
    let (u, v) = (b - a, c - a);
    let area = u.x * v.y - u.y * v.x;
    if area.abs() < 1e-12 {
        return None;
    }
    let (along_x, along_y) = ((u.z * v.y - v.z * u.y) / area, (u.x * v.z - v.x * u.z) / area);
    Some(Plane::new(a.z - along_x * a.x - along_y * a.y, along_x, along_y))
}

/// How a point is mixed of three others, seen from above.
fn shares(points: &[Vector3<f64>; 3], of: &Vector3<f64>) -> Option<[f64; 3]> {
    let [a, b, c] = points;
    let cross = |u: Vector3<f64>, v: Vector3<f64>| u.x * v.y - u.y * v.x;
    let area = cross(b - a, c - a);
    let (first, second) = (cross(b - of, c - of) / area, cross(c - of, a - of) / area);
    (area.abs() > 1e-12).then_some([first, second, 1.0 - first - second])
}

/// The plane of least squares; `None` if the points lie in a line.
fn least_squares<'a>(contacts: impl Iterator<Item = &'a Contact>) -> Option<Plane> {
    let (mut normal, mut right) = (Matrix3::zeros(), Vector3::zeros());
    for Contact { point, .. } in contacts {
        let row = Vector3::new(1.0, point.x, point.y);
        normal += row * row.transpose();
        right += row * point.z;
    }
    let scale = normal[(0, 0)] * normal[(1, 1)].max(normal[(2, 2)]).powi(2);
    (normal.determinant() > 1e-6 * scale).then(|| normal.try_inverse()).flatten().map(|inverse| inverse * right)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { contact: 0.015, give: 0.03 };

    /// Under a sole of 0.32 × 0.16 m, in cells of 2 cm.
    fn ground(height: impl Fn(f64, f64) -> f64) -> Vec<Contact> {
        let cells = (0..16).flat_map(|i| (0..8).map(move |k| (f64::from(i), f64::from(k))));
        let places = cells.map(|(i, k)| (0.02 * (i - 7.5), 0.02 * (k - 3.5)));
        let quarter = |x: f64, y: f64| Some(2 * usize::from(x < 0.0) + usize::from(y < 0.0));
        places.map(|(x, y)| Contact { point: Vector3::new(x, y, height(x, y)), quarter: quarter(x, y) }).collect()
    }

    #[test]
    fn on_a_slope_it_leans_with_it() {
        let rest = rest(&ground(|x, y| 0.3 + 0.2 * x - 0.1 * y), &LIMITS).unwrap();
        assert!((rest.height - 0.3).abs() < 1e-9 && rest.roughness < 1e-9);
        assert!((rest.normal - Vector3::new(-0.2, 0.1, 1.0).normalize()).norm() < 1e-9);
        assert_eq!(rest.carried, [32; 4]);
    }

    #[test]
    fn over_an_edge_it_stays_level_as_long_as_its_middle_is_carried() {
        let toe = rest(&ground(|x, _| if x < 0.1 { 0.185 } else { 0.0 }), &LIMITS).unwrap();
        assert!((toe.height - 0.185).abs() < 1e-9 && toe.normal.z > 1.0 - 1e-9);
        assert_eq!(toe.carried, [20, 20, 32, 32], "the toes are in the air");
        let over = rest(&ground(|x, _| if x < -0.05 { 0.185 } else { 0.0 }), &LIMITS).unwrap();
        assert!(over.normal.z < 0.8, "it tips over the edge: {over:?}");
    }

    #[test]
    fn it_stands_on_bumps_and_not_on_their_mean() {
        let bump =
            |x: f64, y: f64| if (x.abs() - 0.13).abs() < 0.011 && (y.abs() - 0.05).abs() < 0.011 { 0.02 } else { 0.0 };
        let rest = rest(&ground(bump), &LIMITS).unwrap();
        assert!((rest.height - 0.02).abs() < 1e-9, "{rest:?}");
        assert!(rest.roughness > 0.015, "{rest:?}");
    }

    #[test]
    fn ground_on_one_side_carries_nothing() {
        let half: Vec<Contact> = ground(|_, _| 0.0).into_iter().filter(|contact| contact.point.x > 0.0).collect();
        assert_eq!(rest(&half, &LIMITS), None);
        assert_eq!(rest(&[], &LIMITS), None);
    }

    #[test]
    fn nothing_is_higher_than_the_plane_on_which_it_rests() {
        for seed in 0..200 {
            let random = robot_io::RandomStream::new(seed, "ground");
            let ground = ground(|x, y| 0.05 * random.uniform((1000.0 * (x + 1.0)) as u64, (1000.0 * (y + 1.0)) as u32));
            let plane = touching(&ground).unwrap();
            let above = |contact: &Contact| contact.point.z - over(&plane, &contact.point);
            assert!(ground.iter().all(|contact| above(contact) < 1e-8), "seed {seed}");
            assert!(ground.iter().filter(|contact| above(contact) > -1e-8).count() >= 3, "seed {seed}");
        }
    }
}
