//! The highest level that holds, found by halving.

/// The highest of the levels 0 to `top` that holds, by halving: level 0 is taken to hold, and what holds is taken to hold below, too.
///
/// Where that is not so, the answer is still a level that was tried and holds (or 0), and the next one was tried and does not (or is above `top`).
pub fn highest<E>(top: usize, mut holds: impl FnMut(usize) -> Result<bool, E>) -> Result<usize, E> {
    let (mut good, mut bad) = (0, top + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if holds(middle)? {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Ok(good)
}

/// How many levels are tried at most.
pub fn most_tries(top: usize) -> u64 {
    u64::from((top + 1).next_power_of_two().trailing_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What was tried, beside the answer.
    fn search(top: usize, holds: impl Fn(usize) -> bool) -> (usize, Vec<usize>) {
        let mut tried = Vec::new();
        let answer = highest(top, |level| {
            tried.push(level);
            Ok::<bool, ()>(holds(level))
        });
        (answer.unwrap_or(usize::MAX), tried)
    }

    proptest! {
        #[test]
        fn the_edge_is_found_wherever_it_is(top in 0_usize..300, edge in 0_usize..300) {
            let edge = edge.min(top);
            let (answer, tried) = search(top, |level| level <= edge);
            prop_assert_eq!(answer, edge);
            prop_assert!(tried.len() as u64 <= most_tries(top), "{} of {}", tried.len(), most_tries(top));
            prop_assert!(tried.iter().all(|level| (1..=top).contains(level)), "level 0 is not tried");
        }

        #[test]
        fn where_more_holds_again_above_the_answer_still_holds_and_the_next_does_not(holds in prop::collection::vec(any::<bool>(), 0..200)) {
            let top = holds.len();
            let (answer, tried) = search(top, |level| holds[level - 1]);
            prop_assert!(answer == 0 || tried.contains(&answer) && holds[answer - 1]);
            prop_assert!(answer == top || tried.contains(&(answer + 1)) && !holds[answer]);
        }
    }

    #[test]
    fn an_error_ends_the_search_at_once() {
        let mut tried = 0;
        let answer = highest(20, |_| {
            tried += 1;
            Err::<bool, &str>("gone")
        });
        assert_eq!((answer, tried), (Err("gone"), 1));
    }
}
