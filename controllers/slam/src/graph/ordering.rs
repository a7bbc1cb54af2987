//! In which order the nodes of a graph are eliminated.

use std::collections::BTreeSet;

/// The place of each node in an elimination that keeps the Cholesky factor thin: always the node with the fewest neighbours
/// that are left, the first of several (minimum degree, see Davis, "Direct Methods for Sparse Linear Systems", 2006, chapter 7).
/// nalgebra-sparse eliminates in the order that it is given.
pub fn elimination_order(nodes: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut neighbours = vec![BTreeSet::new(); nodes];
    for (a, b) in edges.filter(|(a, b)| a != b && *a < nodes && *b < nodes) {
        neighbours[a].insert(b);
        neighbours[b].insert(a);
    }
    let mut place = vec![usize::MAX; nodes];
    for next in 0..nodes {
        let Some(node) =
            (0..nodes).filter(|node| place[*node] == usize::MAX).min_by_key(|node| neighbours[*node].len())
        else {
            break;
        };
        place[node] = next;
        eliminate(node, &mut neighbours);
    }
    place
}

/// Takes a node out; its neighbours become neighbours of one another.
fn eliminate(node: usize, neighbours: &mut [BTreeSet<usize>]) {
    let left = core::mem::take(&mut neighbours[node]);
    for &one in &left {
        neighbours[one].remove(&node);
        let others = left.iter().copied().filter(|other| *other != one);
        neighbours[one].extend(others);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hub_of_a_star_comes_last() {
        let order = elimination_order(6, (1..6).map(|leaf| (0, leaf)));
        assert!(order[0] >= 4, "{order:?}");
        let mut sorted = order;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..6).collect::<Vec<_>>(), "every place is taken once");
    }
}
