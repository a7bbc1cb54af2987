//! What is left of a way when its detours are cut off.

use super::random::Random;
use super::settings::PlannerSettings;
use crate::checker::Checker;

/// Leaves out corners that are not needed, then tries straight ways between random places (R. Geraerts, M. H. Overmars,
/// "Creating high-quality paths for motion planning", Int. Journal of Robotics Research 26, 2007). `corners` are
/// configurations of `dof` joints, one after the other.
pub(super) fn shorten(
    corners: &mut Vec<f64>,
    dof: usize,
    checker: &mut Checker,
    settings: &PlannerSettings,
    random: &mut Random,
) {
    leave_out(corners, dof, checker);
    let (mut one, mut other) = (vec![0.0; dof], vec![0.0; dof]);
    for _ in 0..settings.shortcuts {
        let pieces = corners.len() / dof - 1;
        if pieces < 2 {
            return;
        }
        let mut places = [random.share() * pieces as f64, random.share() * pieces as f64];
        places.sort_by(f64::total_cmp);
        let [(first, from), (second, to)] = places.map(|place| (place as usize, place - libm::floor(place)));
        if first == second {
            continue;
        }
        between(corners, dof, first, from, &mut one);
        between(corners, dof, second, to, &mut other);
        if checker.hit_on_way(&one, &other).is_none() {
            // the corners behind the first place to the one before the second give way to the two places
            let gone = (first + 1) * dof..(second + 1) * dof;
            corners.splice(gone, one.iter().chain(&other).copied());
        }
    }
    leave_out(corners, dof, checker);
}

/// A place on a piece of the way.
fn between(corners: &[f64], dof: usize, piece: usize, share: f64, place: &mut [f64]) {
    let (from, to) = corners[piece * dof..(piece + 2) * dof].split_at(dof);
    for ((place, from), to) in place.iter_mut().zip(from).zip(to) {
        *place = from + share * (to - from);
    }
}

/// Leaves out every corner whose neighbours see each other, those that save most first: from each corner to the farthest
/// that it sees, by halves.
fn leave_out(corners: &mut Vec<f64>, dof: usize, checker: &mut Checker) {
    let mut at = 0;
    while at + 2 < corners.len() / dof {
        let last = corners.len() / dof - 1;
        let mut skipped = last - at;
        while skipped > 1 {
            let to = at + skipped;
            let (from, to) = (&corners[at * dof..(at + 1) * dof], &corners[to * dof..(to + 1) * dof]);
            if checker.hit_on_way(from, to).is_none() {
                break;
            }
            skipped /= 2;
        }
        corners.drain((at + 1) * dof..(at + skipped.max(1)) * dof);
        at += 1;
    }
}
