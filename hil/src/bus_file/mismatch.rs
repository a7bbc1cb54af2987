//! What is different, in words: wrong, missing, moved, exchanged and extra boards.

use std::ops::Range;

use super::identify::Found;
use super::{BoardPlan, Calibrated};

/// A board on the cable that no alias has claimed, and its place from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot<'f> {
    pub place: usize,
    pub found: &'f Found,
}

/// Who belongs where: pairs of indices into boards and slots, and how they were found.
struct Pairing {
    /// For each board the slot where it belongs, if there is one.
    belongs: Vec<Option<usize>>,
    /// For each board the slot where it is.
    sits: Vec<Option<usize>>,
}

/// All differences between boards in the order of the file and those on the cable. `lost` are boards whose alias nobody has.
pub(super) fn explain(boards: &[&BoardPlan], lost: &[&BoardPlan], slots: &[Slot]) -> Vec<String> {
    let pairing = pair(boards, slots);
    let mut taken: Vec<usize> = pairing.sits.iter().flatten().copied().collect();
    let mut lines = Vec::new();
    for (index, board) in boards.iter().enumerate() {
        match (pairing.sits[index], pairing.belongs[index]) {
            (Some(sits), Some(belongs)) if sits == belongs => {}
            (Some(sits), _) => lines.push(moved(boards, slots, &pairing, index, sits)),
            (None, Some(belongs)) if !taken.contains(&belongs) => {
                taken.push(belongs);
                lines.extend(wrong_board(board, slots[belongs].place, slots[belongs].found));
            }
            (None, _) => lines.push(missing(boards, index)),
        }
    }
    for board in lost {
        let free = (0..slots.len()).find(|slot| !taken.contains(slot) && slots[*slot].found.is(board));
        taken.extend(free);
        lines.push(without_alias(board, free.map(|slot| slots[slot])));
    }
    let extra = (0..slots.len())
        .filter(|slot| !taken.contains(slot))
        .map(|slot| format!("place {}: not in the file: {}", slots[slot].place + 1, describe(slots[slot].found)));
    lines.extend(extra);
    lines
}

/// What is wrong with the board at the place of `board`, if anything.
pub(super) fn wrong_board(board: &BoardPlan, place: usize, found: &Found) -> Option<String> {
    let (name, place, identity) = (&board.name, place + 1, &board.identity);
    if found.is(board) {
        return None;
    }
    if !found.is_kind_of(board) {
        let expected = format!("vendor {:#x}, product {:#x}", identity.vendor, identity.product);
        return Some(format!("board '{name}', place {place}: expected {expected}, found {}", describe(found)));
    }
    let mut differences = Vec::new();
    if let Some(revision) = identity.revision.filter(|revision| *revision != found.revision) {
        differences.push(format!("expected revision {revision:#x}, found {:#x}", found.revision));
    }
    if let Some(serial) = identity.serial.filter(|serial| *serial != found.serial) {
        let measured = board.calibrated.as_ref().filter(|calibrated| calibrated.serial == serial);
        let why = measured.map_or(String::new(), |Calibrated { place, date, .. }| {
            format!(" (its zero offset was measured for serial {serial}, {date}, {place}: measure it again with chiron bus calibrate)")
        });
        differences.push(format!("expected serial {serial}, found {}{why}", found.serial));
    }
    Some(format!("board '{name}', place {place}: {}", differences.join("; ")))
}

fn describe(found: &Found) -> String {
    let Found { vendor, product, revision, serial, name, .. } = found;
    format!("'{name}', vendor {vendor:#x}, product {product:#x}, revision {revision:#x}, serial {serial}")
}

fn moved(boards: &[&BoardPlan], slots: &[Slot], pairing: &Pairing, index: usize, sits: usize) -> String {
    let owner = pairing.belongs.iter().position(|belongs| *belongs == Some(sits));
    let whose = owner.map_or(String::new(), |owner| format!(", where '{}' belongs", boards[owner].name));
    let expected = match pairing.belongs[index] {
        Some(slot) => format!("place {}", slots[slot].place + 1),
        None => neighbour(boards, index),
    };
    format!("board '{}' sits at place {}{whose}: expected {expected}", boards[index].name, slots[sits].place + 1)
}

fn missing(boards: &[&BoardPlan], index: usize) -> String {
    format!("board '{}' is missing: expected {}", boards[index].name, neighbour(boards, index))
}

fn neighbour(boards: &[&BoardPlan], index: usize) -> String {
    match index.checked_sub(1) {
        Some(before) => format!("behind board '{}'", boards[before].name),
        None => "at the beginning of the cable".to_owned(),
    }
}

fn without_alias(board: &BoardPlan, like_it: Option<Slot>) -> String {
    let (name, alias) = (&board.name, board.alias.unwrap_or(0));
    match like_it {
        None => format!("board '{name}' is missing: no board has alias {alias}"),
        Some(Slot { place, found }) => format!(
            "board '{name}': no board has alias {alias}; the board at place {} would fit, its alias is {}",
            place + 1,
            found.alias
        ),
    }
}

/// If most boards stand where they belong the rest are looked for among the other places; if not, because boards are
/// missing or extra and all later ones have moved up, the longest run of boards in order tells who belongs where.
fn pair(boards: &[&BoardPlan], slots: &[Slot]) -> Pairing {
    let same_count = boards.len() == slots.len();
    let right = boards.iter().zip(slots).filter(|(board, slot)| slot.found.is(board)).count();
    if same_count && (2 * right >= boards.len() || is_rearrangement(boards, slots)) {
        let mut pairing = by_place(boards, slots);
        find_elsewhere(boards, slots, &mut pairing);
        pairing
    } else {
        by_order(boards, slots)
    }
}

fn by_place(boards: &[&BoardPlan], slots: &[Slot]) -> Pairing {
    let fits = |index: usize| slots[index].found.is(boards[index]);
    let sits = (0..boards.len()).map(|index| fits(index).then_some(index)).collect();
    Pairing { belongs: (0..boards.len()).map(Some).collect(), sits }
}

/// Does every board sit somewhere?
fn is_rearrangement(boards: &[&BoardPlan], slots: &[Slot]) -> bool {
    let mut pairing = by_place(boards, slots);
    find_elsewhere(boards, slots, &mut pairing);
    pairing.sits.iter().all(Option::is_some)
}

/// Looks for boards that are not where they belong; those with a serial number first, for they are known for sure.
fn find_elsewhere(boards: &[&BoardPlan], slots: &[Slot], pairing: &mut Pairing) {
    for sure in [true, false] {
        for (index, board) in boards.iter().enumerate() {
            if pairing.sits[index].is_some() || board.identity.serial.is_some() != sure {
                continue;
            }
            let free = |slot: &usize| !pairing.sits.contains(&Some(*slot));
            let elsewhere = (0..slots.len()).filter(free).find(|slot| slots[*slot].found.is(board));
            pairing.sits[index] = elsewhere;
        }
    }
}

/// The longest run of boards that stand in the order of the file; then those that stand elsewhere; then, between two of
/// the run, what is left over on both sides belongs together as far as it goes.
fn by_order(boards: &[&BoardPlan], slots: &[Slot]) -> Pairing {
    let run = longest_run(boards, slots);
    let mut sits: Vec<Option<usize>> = vec![None; boards.len()];
    run.iter().for_each(|(board, slot)| sits[*board] = Some(*slot));
    let mut pairing = Pairing { belongs: sits.clone(), sits };
    find_elsewhere(boards, slots, &mut pairing);
    let (mut board, mut slot) = (0, 0);
    for (next_board, next_slot) in run.into_iter().chain([(boards.len(), slots.len())]) {
        pair_gap(&mut pairing, boards, slots, (board..next_board, slot..next_slot));
        (board, slot) = (next_board + 1, next_slot + 1);
    }
    pairing
}

/// In a gap with as many boards as slots all belong together in order; else only those of one kind do.
fn pair_gap(
    pairing: &mut Pairing,
    boards: &[&BoardPlan],
    slots: &[Slot],
    (gap_boards, gap_slots): (Range<usize>, Range<usize>),
) {
    let lost: Vec<usize> = gap_boards.filter(|board| pairing.sits[*board].is_none()).collect();
    let mut free: Vec<usize> = gap_slots.filter(|slot| !pairing.sits.contains(&Some(*slot))).collect();
    let all = lost.len() == free.len();
    for board in lost {
        if let Some(at) = free.iter().position(|slot| all || slots[*slot].found.is_kind_of(boards[board])) {
            pairing.belongs[board] = Some(free[at]);
            free.drain(..=at);
        }
    }
}

/// Longest common subsequence of boards and slots.
fn longest_run(boards: &[&BoardPlan], slots: &[Slot]) -> Vec<(usize, usize)> {
    let width = slots.len() + 1;
    let mut lengths = vec![0_usize; (boards.len() + 1) * width];
    for board in (0..boards.len()).rev() {
        for slot in (0..slots.len()).rev() {
            lengths[board * width + slot] = if slots[slot].found.is(boards[board]) {
                1 + lengths[(board + 1) * width + slot + 1]
            } else {
                lengths[(board + 1) * width + slot].max(lengths[board * width + slot + 1])
            };
        }
    }
    let (mut board, mut slot, mut run) = (0, 0, Vec::new());
    while board < boards.len() && slot < slots.len() {
        if slots[slot].found.is(boards[board]) {
            run.push((board, slot));
            (board, slot) = (board + 1, slot + 1);
        } else if lengths[(board + 1) * width + slot] >= lengths[board * width + slot + 1] {
            board += 1;
        } else {
            slot += 1;
        }
    }
    run
}
