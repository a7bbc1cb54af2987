//! Whether what a hand comes for is still where it was.

use nalgebra::Isometry3;
use perception::Symmetry;

use super::moment::Moment;
use super::plan::Grip;

/// An object that is farther from where it was than this is come to anew [m] …
const MOVED: f64 = 0.01;
/// … as is one that is turned by more [rad].
const TURNED: f64 = 0.15;

/// What is known of it now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Target {
    There,
    Elsewhere,
    Gone,
}

impl Target {
    /// Of what is to be grasped by a hand that goes with a base that is there, or as if it were.
    pub fn of(grip: &Grip, moment: &Moment, base_in_odom: &Isometry3<f64>) -> Target {
        let (known, was) = (&moment.known, &(base_in_odom * grip.object_in_base));
        let Some(now) = known.objects.iter().find(|object| object.id == grip.thing.id && object.is_confirmed) else {
            let another = known.nearest(&grip.thing.model, was);
            return another.map_or(Target::Gone, |_| Target::Elsewhere);
        };
        let far = (now.pose_in_odom.translation.vector - was.translation.vector).norm();
        let symmetry = moment.body.thing(&grip.thing.model).map(|thing| &thing.symmetry);
        let angle = |symmetry: &Symmetry| symmetry.angle_between(&now.pose_in_odom.rotation, &was.rotation);
        let turned = if now.has_orientation { symmetry.map_or(0.0, angle) } else { 0.0 };
        if far > MOVED || turned > TURNED { Target::Elsewhere } else { Target::There }
    }
}
