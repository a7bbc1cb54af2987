//! Keeping the robot's own parts apart: capsules, their distance and its gradient.

mod lines;

use nalgebra::{Isometry3, Translation3, Vector3};
use robot_model::Tree;
use serde::{Deserialize, Serialize};

use crate::error::{WholeBodyError, check_number};
use crate::robot_state::RobotState;
use crate::tasks::find_link;
use lines::{Line, Shares, near_places, place};

/// A line with a radius, fixed to a link; a ball where both ends are one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// Its name, unique in the list.
    pub name: String,
    /// The link that it belongs to.
    pub link: String,
    /// Where the line begins, in the link's frame [m].
    pub from: Vector3<f64>,
    /// Where it ends, in the link's frame [m].
    pub to: Vector3<f64>,
    /// The radius [m].
    pub radius: f64,
}

/// Two capsules that are to stay apart.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    capsules: [(usize, Capsule); 2],
    /// From surface to surface [m], where they are nearest; negative where they overlap.
    pub distance: f64,
    /// The gradient of the distance that was looked at last over the velocity coordinates.
    pub gradient: Vec<f64>,
}

/// The distance of two places of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distance {
    shares: Shares,
    /// The unit vector from the second to the first, in the world.
    direction: Vector3<f64>,
    /// From surface to surface [m].
    pub distance: f64,
    /// How it changes [m/s].
    pub speed: f64,
    /// How that changes while the velocity coordinates do not [m/s²]. That the direction of the distance turns is left out,
    /// which for points that pass each other says less than is true.
    pub bias: f64,
}

/// At most so many distances of a pair count: of four ends, and where the lines cross.
pub(crate) const DISTANCES_OF_PAIR: usize = 5;

impl Pair {
    /// Looks up pairs of names among `capsules`.
    pub fn bind_all(
        tree: &Tree,
        capsules: &[Capsule],
        pairs: &[(String, String)],
    ) -> Result<Vec<Pair>, WholeBodyError> {
        let find = |name: &String| -> Result<(usize, Capsule), WholeBodyError> {
            let known = || capsules.iter().map(|capsule| capsule.name.as_str()).collect::<Vec<_>>().join(", ");
            let capsule = capsules.iter().find(|capsule| capsule.name == *name).ok_or_else(|| {
                let (expected, found) = (format!("one of {}", known()), format!("\"{name}\""));
                WholeBodyError::refused("a pair to keep apart", "capsule", expected, found)
            })?;
            let part = format!("capsule \"{name}\"");
            check_number(&part, "radius", (0.0, 10.0), "m", capsule.radius)?;
            Ok((find_link(tree, &part, &capsule.link)?, capsule.clone()))
        };
        let pair = |(one, other): &(String, String)| {
            let gradient = vec![0.0; tree.velocity_dof()];
            Ok(Pair { capsules: [find(one)?, find(other)?], distance: 0.0, gradient })
        };
        pairs.iter().map(pair).collect()
    }

    /// What error messages call it.
    pub fn name(&self) -> String {
        let [(_, one), (_, other)] = &self.capsules;
        format!("the distance of \"{}\" and \"{}\"", one.name, other.name)
    }

    /// All its distances; the first [`DISTANCES_OF_PAIR`] at most are there.
    pub fn look(&mut self, state: &RobotState) -> [Option<Distance>; DISTANCES_OF_PAIR] {
        let lines = [0, 1].map(|number: usize| {
            let (link, capsule) = &self.capsules[number];
            let pose = &state.data.link_in_world[*link];
            [capsule.from, capsule.to].map(|end| pose.rotation * end + pose.translation.vector)
        });
        let mut places = near_places(&lines[0], &lines[1]);
        let distances = core::array::from_fn(|_| places.next().map(|shares| self.distance(shares, &lines, state)));
        let all = distances.iter().flatten().map(|found: &Distance| found.distance);
        self.distance = all.fold(f64::INFINITY, f64::min);
        distances
    }

    fn distance(&self, shares: Shares, lines: &[Line; 2], state: &RobotState) -> Distance {
        let between = place(&lines[0], shares[0]) - place(&lines[1], shares[1]);
        let direction = direction(&between, lines);
        let [one, other] = [0, 1].map(|number| state.point(self.capsules[number].0, &self.at(number, shares)));
        Distance {
            shares,
            direction,
            distance: direction.dot(&between) - self.capsules[0].1.radius - self.capsules[1].1.radius,
            speed: direction.dot(&(one.velocity.linear - other.velocity.linear)),
            bias: direction.dot(&(one.bias.linear - other.bias.linear)),
        }
    }

    /// Fills the gradient of one of the distances.
    pub fn differentiate(&mut self, distance: &Distance, state: &mut RobotState) {
        self.gradient.fill(0.0);
        for (number, sign) in [(0, 1.0), (1, -1.0)] {
            state.look_at(self.capsules[number].0, &self.at(number, distance.shares));
            let away = sign * distance.direction;
            for (entry, column) in self.gradient.iter_mut().zip(state.jacobian.as_slice().chunks_exact(6)) {
                *entry += away.x * column[0] + away.y * column[1] + away.z * column[2];
            }
        }
    }

    /// A place of one of the capsules as a frame in its link.
    fn at(&self, number: usize, shares: Shares) -> Isometry3<f64> {
        let capsule = &self.capsules[number].1;
        Translation3::from(place(&[capsule.from, capsule.to], shares[number])).into()
    }
}

/// The unit vector from the second to the first; across both lines where they meet.
fn direction(between: &Vector3<f64>, ends: &[Line; 2]) -> Vector3<f64> {
    let length = between.norm();
    if length > 1e-9 {
        return between / length;
    }
    let across = (ends[0][1] - ends[0][0]).cross(&(ends[1][1] - ends[1][0]));
    if across.norm() > 1e-9 { across.normalize() } else { Vector3::z() }
}
