//! Contacts of a robot that are no wheel and no foot on the ground.

use nalgebra::Vector3;

use crate::frame::{Touched, UnwantedContact};

/// A wheel against something that leans on it from farther up its rim than this cosine of the angle from straight below is not
/// on it: 80 % of its radius above its lowest point.
const STEEPEST: f64 = 0.2;
/// Ground at a wheel's side, and an object's face, that leans more than this cosine does not carry: 45°.
const LEANING: f64 = 0.7;

/// Whether a link touches only what carries it.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// For each link whether it is a wheel or a foot.
    carries: Vec<bool>,
    /// For each object whether it is fixed to the world.
    is_fixed: Vec<bool>,
    /// The hardest unwanted contact since [`Watch::begin`].
    hardest: Option<UnwantedContact>,
    /// For each link the normal impulse by all that is not the robot itself since [`Watch::begin`] [N·s].
    impulses: Vec<f64>,
}

impl Watch {
    /// A watch over links, of which some are wheels or feet, among objects, of which some are fixed to the world.
    pub fn new(carries: Vec<bool>, is_fixed: Vec<bool>) -> Watch {
        Watch { impulses: vec![0.0; carries.len()], carries, is_fixed, hardest: None }
    }

    /// Begins a control cycle.
    pub fn begin(&mut self) {
        self.hardest = None;
        self.impulses.fill(0.0);
    }

    /// Something that is not the robot itself has given a link a normal impulse [N·s].
    pub fn hit(&mut self, link: usize, impulse: f64) {
        self.impulses[link] += impulse;
    }

    /// For each link the normal impulse of the control cycle [N·s].
    pub fn impulses(&self) -> &[f64] {
        &self.impulses
    }

    /// The hardest unwanted contact of the control cycle.
    pub fn hardest(&self) -> Option<UnwantedContact> {
        self.hardest
    }

    /// Takes note of a contact with a normal `force` [N]; `normal` points from what is touched to the link.
    pub fn note(&mut self, link: usize, with: Touched, position: Vector3<f64>, normal: &Vector3<f64>, force: f64) {
        let is_harder = self.hardest.is_none_or(|hardest| force > hardest.force);
        if force > 0.0 && is_harder && !self.carries(link, with, normal) {
            self.hardest = Some(UnwantedContact { link, with, position_in_world: position, force });
        }
    }

    /// True if a wheel or a foot stands on the ground, or on an object that is fixed to the world.
    fn carries(&self, link: usize, with: Touched, normal: &Vector3<f64>) -> bool {
        self.carries[link]
            && match with {
                Touched::Ground => normal.z >= STEEPEST,
                Touched::Face => normal.z >= LEANING,
                Touched::Object(object) => self.is_fixed[object] && normal.z >= LEANING,
                Touched::Link(_) | Touched::Robot { .. } => false,
            }
    }
}

/// What somebody touches on the terrain, by the terrain's own normal there.
pub(crate) fn terrain(normal: Option<Vector3<f64>>) -> Touched {
    if normal.is_some_and(|normal| normal.z < STEEPEST) { Touched::Face } else { Touched::Ground }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const WHEEL: usize = 0;
    const ELBOW: usize = 1;
    const PLANK: Touched = Touched::Object(0);
    const CART: Touched = Touched::Object(1);

    fn touched(link: usize, with: Touched, normal: Vector3<f64>) -> Option<usize> {
        let mut watch = Watch::new(vec![true, false], vec![true, false]);
        watch.note(link, with, Vector3::zeros(), &normal.normalize(), 3.0);
        watch.hardest().map(|contact| contact.link)
    }

    #[test]
    fn wheels_on_the_ground_are_wanted_and_everything_else_is_not() {
        let (up, aside) = (Vector3::z(), Vector3::x());
        // up a ridge of 4 cm with a wheel of 8 cm: the normal leans by 60 degrees
        let over_a_ridge = Vector3::new(0.866, 0.0, 0.5);
        for (with, normal) in [(Touched::Ground, up), (Touched::Ground, over_a_ridge), (PLANK, up)] {
            assert_eq!(touched(WHEEL, with, normal), None, "{with:?} {normal}");
            assert_eq!(touched(ELBOW, with, normal), Some(ELBOW), "{with:?} {normal}");
        }
        // a face that the wheel's side leans on gives a normal between the face's and the spoke's
        let leaning = Vector3::new(0.9, 0.0, 0.44);
        for (with, normal) in
            [(Touched::Ground, aside), (Touched::Face, leaning), (PLANK, over_a_ridge), (CART, up), (CART, aside)]
        {
            assert_eq!(touched(WHEEL, with, normal), Some(WHEEL), "{with:?} {normal}");
        }
    }

    #[test]
    fn the_hardest_of_a_cycle_is_kept_until_the_next_begins() {
        let mut watch = Watch::new(vec![true, false], vec![true, false]);
        for force in [2.0, 7.0, 0.0, 3.0] {
            watch.note(ELBOW, CART, Vector3::zeros(), &Vector3::x(), force);
        }
        assert_eq!(watch.hardest().unwrap().force, 7.0);
        watch.begin();
        watch.note(ELBOW, CART, Vector3::zeros(), &Vector3::x(), 0.0);
        assert_eq!(watch.hardest(), None, "no force, no contact");
    }
}
