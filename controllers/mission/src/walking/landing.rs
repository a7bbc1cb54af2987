//! Soles that have just come down, and do not lie flat yet.
//!
//! On ground that is steeper than it was thought, or bumpy, a sole comes down with an edge. Until it lies it gives no moment about that edge, whatever
//! its ankle is told, so that the robot falls towards it: it must lie soon. Ankles that hold their places keep it up.

use estimation::Footing;
use robot_io::State;

/// From this share of half a sole inwards pressure is not at an edge: along and across.
const INSIDE: [f64; 2] = [0.6, 0.7];
/// What carries less than this share of the weight may still lie elsewhere.
const LEAST: f64 = 0.15;

/// How long each foot has carried, and whether its sole has come to lie.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub(super) struct Landing {
    carries: [bool; 2],
    /// [s]
    since: [f64; 2],
    lies: [bool; 2],
}

/// What stands lies.
impl Default for Landing {
    fn default() -> Landing {
        Landing { carries: [true; 2], since: [0.0; 2], lies: [true; 2] }
    }
}

impl Landing {
    /// A cycle of `dt` [s] later. A sole lies when its pressure is not at an edge, the sole being `half` [m] long and wide from its middle; after
    /// `longest` [s] in any case.
    pub fn look(
        &mut self,
        carries: [bool; 2],
        footings: &[Footing],
        weight: f64,
        half: [f64; 2],
        longest: f64,
        dt: f64,
    ) {
        for (side, footing) in footings.iter().enumerate().take(2) {
            if carries[side] && !self.carries[side] {
                (self.since[side], self.lies[side]) = (0.0, false);
            }
            self.since[side] += dt;
            let inside =
                footing.pressure.is_some_and(|at| (0..2).all(|axis| at[axis].abs() < INSIDE[axis] * half[axis]));
            self.lies[side] |= inside && footing.force.z > LEAST * weight || self.since[side] > longest;
        }
        self.carries = carries;
    }

    /// Which feet carry and do not lie yet.
    pub fn under_way(&self) -> [bool; 2] {
        [0, 1].map(|side| self.carries[side] && !self.lies[side])
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Vector2, Vector3};

    use super::*;

    const HALF: [f64; 2] = [0.16, 0.08];

    fn pressed(force: f64, at: [f64; 2]) -> Footing {
        let pressure = Some(Vector2::from(at));
        Footing { stands: true, force: Vector3::new(0.0, 0.0, force), pressure, ..Footing::default() }
    }

    fn look(landing: &mut Landing, carries: [bool; 2], left: Footing) -> bool {
        landing.look(carries, &[left, pressed(500.0, [0.0, 0.0])], 1000.0, HALF, 0.25, 0.001);
        landing.under_way()[0]
    }

    #[test]
    fn a_sole_lies_when_its_pressure_leaves_the_edge_and_stays_so() {
        let mut landing = Landing::default();
        let on_heel = pressed(400.0, [-0.15, 0.0]);
        assert!(!look(&mut landing, [true; 2], on_heel), "what stood lies");
        assert!(!look(&mut landing, [false, true], pressed(0.0, [0.0, 0.0])), "in the air");
        assert!(look(&mut landing, [true; 2], on_heel));
        assert!(look(&mut landing, [true; 2], pressed(50.0, [0.0, 0.0])), "so light a foot may still lie elsewhere");
        assert!(look(&mut landing, [true; 2], pressed(400.0, [0.0, 0.07])), "on its side");
        assert!(!look(&mut landing, [true; 2], pressed(400.0, [0.05, 0.0])));
        assert!(!look(&mut landing, [true; 2], on_heel), "pressure may go to an edge later");
    }

    #[test]
    fn no_sole_comes_to_lie_for_ever() {
        let mut landing = Landing::default();
        look(&mut landing, [false, true], pressed(0.0, [0.0, 0.0]));
        let cycles = (0..400).take_while(|_| look(&mut landing, [true; 2], pressed(400.0, [0.15, 0.0]))).count();
        assert!((248..=251).contains(&cycles), "{cycles}");
    }
}
