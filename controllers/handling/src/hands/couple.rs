//! Arms whose hands hold one thing.

use super::arm::Arm;
use super::moment::Moment;

/// One cycle of all arms: those that go along are led where others say. Of arms that hold one thing none makes up any more for what keeps it from its place:
/// they would press against each other through what they hold, more and more.
pub(super) fn couple(arms: &mut [Arm], moment: &Moment) {
    for place in 0..arms.len() {
        let of_both =
            |other: &Arm| other.place != place && other.holds().is_some() && other.holds() == arms[place].holds();
        arms[place].shares = arms.iter().any(of_both);
        let Some(other) = arms[place].leads() else { continue };
        let Ok([first, second]) = arms.get_disjoint_mut([place, other]) else { continue };
        if first.holds() == second.holds() && !second.is_under_way() {
            second.go_along(first);
        } else {
            first.part(moment.body.arms[other].name);
        }
    }
}
