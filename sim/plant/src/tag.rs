//! Who touches whom, in one number.

use crate::collision::Owner;

/// From here on the terrain's numbers are those of its samples.
const SAMPLE: u64 = 1 << 31;
/// Of those, these are faces'.
const FACE: u64 = 1 << 30;

/// Two owners in one number.
pub(crate) fn tag(one: Owner, two: Owner) -> u64 {
    let code = |owner: Owner| match owner {
        Owner::Terrain => 0,
        Owner::Object(object) => 2 * object as u64 + 1,
        Owner::Link(link) => 2 * link as u64 + 2,
    };
    code(one) << 32 | code(two)
}

/// An owner, and the sample of the ground that carries it, or that is before a face of it.
pub(crate) fn tag_on_sample(one: Owner, sample: usize, is_face: bool) -> u64 {
    tag(one, Owner::Terrain) | SAMPLE | if is_face { FACE } else { 0 } | sample as u64
}

/// The two owners of a [`tag`].
pub(crate) fn owners(tag: u64) -> (Owner, Owner) {
    let owner = |code: u64| match code {
        0 => Owner::Terrain,
        sample if sample >= SAMPLE => Owner::Terrain,
        odd if odd % 2 == 1 => Owner::Object((odd / 2) as usize),
        even => Owner::Link((even / 2 - 1) as usize),
    };
    (owner(tag >> 32), owner(tag & 0xffff_ffff))
}
