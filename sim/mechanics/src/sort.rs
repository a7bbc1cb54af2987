//! Sorting a few things without allocating.

/// Insertion sort: equals keep their order, as in `sort_by_key`, which would allocate in every step.
pub(crate) fn sort_by_key<T, K: PartialOrd>(list: &mut [T], key: impl Fn(&T) -> K) {
    for end in 1..list.len() {
        let mut place = end;
        while place > 0 && key(&list[place - 1]) > key(&list[place]) {
            list.swap(place - 1, place);
            place -= 1;
        }
    }
}
