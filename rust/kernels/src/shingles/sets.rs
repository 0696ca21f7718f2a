//! The set of the ids of a text's characters.

use ilk_joins::sets::sort_into_set_from;

/// Makes a set of the ids from `start` on, each with all its bits inverted, so that ids of
/// characters are of another world than those of words: a word of three letters is not what those
/// letters are.
pub(crate) fn make_set_of_inverted_ids(values: &mut Vec<u32>, start: usize) {
    sort_into_set_from(values, start);
    values[start..].iter_mut().for_each(|id| *id = !*id);
    // Inverted ids are in the opposite order.
    values[start..].reverse();
}
