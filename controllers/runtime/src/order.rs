//! The order in which components are updated: whoever reads a channel comes after whoever writes it.

use std::collections::BTreeSet;

/// What a component says about channels, by their indices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    /// Channels whose value of this very cycle it reads.
    pub reads: BTreeSet<usize>,
    /// Channels that it writes.
    pub writes: BTreeSet<usize>,
    /// It comes after everybody who is no reflex.
    pub is_reflex: bool,
}

/// An order of all components, as near as possible to that in which they were given; or else a circle of components each of
/// which reads what the one before writes.
pub(crate) fn order(links: &[Links]) -> Result<Vec<usize>, Vec<usize>> {
    let comes_after = |later: usize, earlier: usize| {
        let (later, earlier) = (&links[later], &links[earlier]);
        let reads = later.reads.intersection(&earlier.writes).next().is_some();
        reads || later.is_reflex && !earlier.is_reflex
    };
    let (mut left, mut order): (Vec<usize>, Vec<usize>) = ((0..links.len()).collect(), Vec::new());
    while !left.is_empty() {
        let is_free = |one: &usize| !left.iter().any(|other| other != one && comes_after(*one, *other));
        match left.iter().position(is_free) {
            Some(place) => order.push(left.remove(place)),
            None => return Err(circle(&left, comes_after)),
        }
    }
    Ok(order)
}

/// Each of those that are left waits for another of them: whoever goes from one to that other comes round.
fn circle(left: &[usize], comes_after: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut way = vec![left[0]];
    loop {
        let last = way[way.len() - 1];
        let Some(before) = left.iter().find(|other| **other != last && comes_after(last, **other)) else { return way };
        if let Some(begin) = way.iter().position(|passed| passed == before) {
            way.drain(..begin);
            // from whoever writes to whoever reads
            way.reverse();
            return way;
        }
        way.push(*before);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn links(reads: &[usize], writes: &[usize]) -> Links {
        Links { reads: reads.iter().copied().collect(), writes: writes.iter().copied().collect(), is_reflex: false }
    }

    #[test]
    fn whoever_reads_comes_after_whoever_writes() {
        let graph = [links(&[1], &[2]), links(&[0], &[1]), links(&[], &[0]), links(&[2], &[])];
        assert_eq!(order(&graph), Ok(vec![2, 1, 0, 3]));
    }

    #[test]
    fn a_reflex_comes_last_whatever_it_writes() {
        let reflex = Links { is_reflex: true, ..links(&[], &[]) };
        assert_eq!(order(&[reflex, links(&[], &[0]), links(&[0], &[])]), Ok(vec![1, 2, 0]));
    }

    #[test]
    fn a_circle_is_named_from_writer_to_reader() {
        let graph = [links(&[], &[9]), links(&[3], &[1]), links(&[1], &[2]), links(&[2], &[3])];
        let circle = order(&graph).unwrap_err();
        assert_eq!(circle.len(), 3);
        for (index, writer) in circle.iter().enumerate() {
            let reader = circle[(index + 1) % 3];
            assert!(!graph[reader].reads.is_disjoint(&graph[*writer].writes), "{circle:?}");
        }
    }

    proptest! {
        #[test]
        fn an_order_has_everybody_once_and_no_reader_before_its_writer(
            pairs in prop::collection::vec((0_usize..8, 0_usize..8), 0..12),
        ) {
            // channel n goes from one component to another
            let mut graph = vec![Links::default(); 8];
            for (channel, (from, to)) in pairs.iter().enumerate() {
                graph[*from].writes.insert(channel);
                graph[*to].reads.insert(channel);
            }
            match order(&graph) {
                Ok(order) => {
                    let place = |one: usize| order.iter().position(|other| *other == one).unwrap();
                    prop_assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 8);
                    for (from, to) in pairs.iter().filter(|(from, to)| from != to) {
                        prop_assert!(place(*from) < place(*to));
                    }
                }
                Err(circle) => prop_assert!(circle.len() > 1),
            }
        }
    }
}
