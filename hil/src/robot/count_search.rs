//! By which boards the working counter is wrong: they are asked one by one, and again when it is wrong by another number.

use robot_io::{State, StateVisitor};

/// Who has been asked, and who was found to count wrong.
#[derive(Clone, Debug)]
pub(super) struct CountSearch {
    /// By how much the working counter is wrong; 0 if it is right.
    difference: i64,
    /// The board that is asked next, and how many still are.
    next: usize,
    left: usize,
    guilty: Vec<bool>,
}

impl CountSearch {
    pub fn new(boards: usize) -> CountSearch {
        CountSearch { difference: 0, next: 0, left: boards, guilty: vec![false; boards] }
    }

    /// A cycle's working counter. One that is wrong by another number than before has other reasons: all are asked again.
    pub fn look(&mut self, difference: i64) {
        if difference != self.difference {
            (self.difference, self.left) = (difference, self.guilty.len());
        }
        if difference == 0 {
            self.guilty.fill(false);
        }
    }

    /// The board to be asked now, once each; `answers` tells which can be.
    pub fn next(&mut self, answers: impl Fn(usize) -> bool) -> Option<usize> {
        while self.left > 0 {
            let board = self.next;
            (self.next, self.left) = ((board + 1) % self.guilty.len(), self.left - 1);
            if answers(board) {
                return Some(board);
            }
        }
        None
    }

    /// The board was asked.
    pub fn judge(&mut self, board: usize, counts_right: bool) {
        self.guilty[board] = !counts_right;
    }

    /// The boards by which the working counter is wrong, as far as they are known.
    pub fn guilty(&self) -> impl Iterator<Item = usize> + '_ {
        self.guilty.iter().enumerate().filter(|(_, guilty)| **guilty).map(|(board, _)| board)
    }

    /// Somebody has looked at the causes.
    pub fn forget(&mut self) {
        *self = CountSearch::new(self.guilty.len());
    }
}

impl State for CountSearch {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut difference = self.difference as u64;
        visitor.field("difference", &mut difference);
        self.difference = difference as i64;
        visitor.field("next", &mut self.next);
        visitor.field("left", &mut self.left);
        visitor.field("guilty", self.guilty.as_mut_slice());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// Asks until nobody is left; who counts wrong.
    fn found(search: &mut CountSearch, wrong: &[usize]) -> Vec<usize> {
        while let Some(board) = search.next(|board| board != 3) {
            search.judge(board, !wrong.contains(&board));
        }
        search.guilty().collect()
    }

    #[test]
    fn a_second_wrong_counter_is_looked_for_while_the_first_lasts() {
        let mut search = CountSearch::new(5);
        search.look(1);
        assert_eq!(found(&mut search, &[2]), [2]);
        search.look(1);
        assert_eq!(search.next(|_| true), None, "nothing new, nobody is asked again");
        search.look(2);
        assert_eq!(found(&mut search, &[2, 4]), [2, 4]);
        search.look(1);
        assert_eq!(found(&mut search, &[4]), [4], "the first is mended");
        search.look(0);
        assert_eq!(search.guilty().count(), 0);
        search.look(1);
        assert_eq!(found(&mut search, &[2]), [2], "and again later");
    }
}
