//! Are the boards on the cable those of the bus file? Every difference is told, each by name.

use super::mismatch::{self, Slot};
use super::{BoardPlan, BusPlan};
use crate::HilError;

/// What a MainDevice read from a SubDevice; a list of them is in the order of the cable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The second address, 0 for none (EEPROM word 4).
    pub alias: u16,
    /// Number of the maker (EEPROM words 8 and 9).
    pub vendor: u32,
    /// The maker's number of the product (words 10 and 11).
    pub product: u32,
    /// The product's revision (words 12 and 13).
    pub revision: u32,
    /// The board's own number, 0 for none (words 14 and 15).
    pub serial: u32,
    /// What the EEPROM calls the product.
    pub name: String,
}

impl Found {
    /// The same product of the same maker?
    pub(super) fn is_kind_of(&self, board: &BoardPlan) -> bool {
        (self.vendor, self.product) == (board.identity.vendor, board.identity.product)
    }

    /// All that the file says of the board?
    pub(super) fn is(&self, board: &BoardPlan) -> bool {
        let agrees = |wanted: Option<u32>, found: u32| wanted.is_none_or(|wanted| wanted == found);
        self.is_kind_of(board)
            && agrees(board.identity.revision, self.revision)
            && agrees(board.identity.serial, self.serial)
    }
}

/// For each board of the plan its place on the cable, from 0. A board with an alias is found by that, wherever it is; the
/// others stand in the order of the file. The error tells all differences, one on a line; places in it count from 1.
pub fn compare(found: &[Found], plan: &BusPlan) -> Result<Vec<usize>, HilError> {
    compare_boards(found, &plan.boards.iter().collect::<Vec<_>>(), plan)
}

/// The same where boards that are `optional` may be absent: those have no place.
pub fn locate(found: &[Found], plan: &BusPlan) -> Result<Vec<Option<usize>>, HilError> {
    let there = |board: &BoardPlan| {
        let named = |found: &Found| match board.alias {
            Some(alias) => found.alias == alias,
            None => found.is(board),
        };
        !board.optional || found.iter().any(named)
    };
    let present: Vec<&BoardPlan> = plan.boards.iter().filter(|board| there(board)).collect();
    let mut places = compare_boards(found, &present, plan)?.into_iter();
    Ok(plan.boards.iter().map(|board| if there(board) { places.next() } else { None }).collect())
}

fn compare_boards(found: &[Found], boards: &[&BoardPlan], plan: &BusPlan) -> Result<Vec<usize>, HilError> {
    let mut lines = Vec::new();
    let mut places: Vec<Option<usize>> = vec![None; boards.len()];
    let mut lost_aliases = Vec::new();
    for (index, board) in boards.iter().enumerate() {
        let Some(alias) = board.alias else { continue };
        let with_alias: Vec<usize> = (0..found.len()).filter(|place| found[*place].alias == alias).collect();
        match with_alias.as_slice() {
            [] => lost_aliases.push(index),
            [place] => {
                places[index] = Some(*place);
                lines.extend(mismatch::wrong_board(board, *place, &found[*place]));
            }
            [first, second, ..] => {
                places[index] = Some(*first);
                let (first, second) = (first + 1, second + 1);
                let name = &board.name;
                lines
                    .push(format!("board '{name}': alias {alias} is given twice, at place {first} and place {second}"));
            }
        }
    }
    let claimed: Vec<usize> = places.iter().flatten().copied().collect();
    let others: Vec<Slot> = (0..found.len())
        .filter(|place| !claimed.contains(place))
        .map(|place| Slot { place, found: &found[place] })
        .collect();
    let in_order: Vec<usize> = (0..boards.len()).filter(|index| boards[*index].alias.is_none()).collect();
    let fits = in_order.len() == others.len()
        && in_order.iter().zip(&others).all(|(index, slot)| slot.found.is(boards[*index]));
    if fits && lost_aliases.is_empty() {
        in_order.iter().zip(&others).for_each(|(index, slot)| places[*index] = Some(slot.place));
    } else {
        let ordered: Vec<&BoardPlan> = in_order.iter().map(|index| boards[*index]).collect();
        let lost: Vec<&BoardPlan> = lost_aliases.iter().map(|index: &usize| boards[*index]).collect();
        lines.extend(mismatch::explain(&ordered, &lost, &others));
    }
    if lines.is_empty() {
        return Ok(places.into_iter().flatten().collect());
    }
    let heading = format!("the boards on the cable are not those of {}:", plan.source.0);
    Err(HilError::Boards(std::iter::once(heading).chain(lines).collect::<Vec<_>>().join("\n  ")))
}
