//! Every pair of sets at a resemblance, and no other.

use super::candidates::{Candidates, Question};
use super::catalogue::Catalogue;
use super::indexed::{Asked, INDEXED, Indexed};
use super::pairs::{Found, Overlaps};
use super::prefix::Prefixes;
use super::progress::Progress;
use super::ratio::{Ratio, Resemblance};
use super::sets::Sets;
use crate::error::{KernelError, Watch};
use std::ops::Range;

/// All pairs of rows `left < right` with |A n B| / |A u B| of at least `threshold`.
///
/// # Errors
/// [`KernelError::TooManyPairs`] above `max_pairs`, with the pairs known by then (there may be
/// more: the join stops there); [`KernelError::Interrupted`].
pub fn resemblance_self_join(
    sets: Sets,
    threshold: Ratio,
    max_pairs: u64,
    watch: Watch,
) -> Result<Overlaps, KernelError> {
    let rule = Resemblance::new(threshold);
    let index = Indexed::one(sets, threshold, Asked::Larger, watch)?;
    let catalogue = &index.catalogue;
    let mut found = Found::new(max_pairs);
    found.push_equal(catalogue)?;
    join(
        (catalogue, &index.prefixes),
        &mut Candidates::new(rule, catalogue, index.postings, index.parities),
        |rank| catalogue.smaller_than(rule.smallest(catalogue.set(rank).len()))..rank,
        &mut Progress::stage(watch, INDEXED, 1.0),
        |rank, other, shared| {
            found.push_either_way(catalogue.rows(rank), catalogue.rows(other), shared)
        },
    )?;
    found.sorted(sets.len())
}

/// All pairs of a row of `left` and a row of `right` with |A n B| / |A u B| of at least
/// `threshold`.
///
/// # Errors
/// As [`resemblance_self_join`].
pub fn resemblance_join(
    left: Sets,
    right: Sets,
    threshold: Ratio,
    max_pairs: u64,
    watch: Watch,
) -> Result<Overlaps, KernelError> {
    let rule = Resemblance::new(threshold);
    let (left_index, right_index) = Indexed::two([left, right], threshold, watch)?;
    let (left_sets, right_sets) = (&left_index.catalogue, &right_index.catalogue);
    let mut found = Found::new(max_pairs);
    // Each side asks the other for sets that are not larger; of equally large ones, the left does.
    join(
        (left_sets, &left_index.prefixes),
        &mut Candidates::new(rule, right_sets, right_index.postings, right_index.parities),
        |rank| {
            let size = left_sets.set(rank).len();
            right_sets.smaller_than(rule.smallest(size))..right_sets.smaller_than(size + 1)
        },
        &mut Progress::stage(watch, INDEXED, f64::midpoint(INDEXED, 1.0)),
        |rank, other, shared| found.push_all(left_sets.rows(rank), right_sets.rows(other), shared),
    )?;
    join(
        (right_sets, &right_index.prefixes),
        &mut Candidates::new(rule, left_sets, left_index.postings, left_index.parities),
        |rank| {
            let size = right_sets.set(rank).len();
            left_sets.smaller_than(rule.smallest(size))..left_sets.smaller_than(size)
        },
        &mut Progress::stage(watch, f64::midpoint(INDEXED, 1.0), 1.0),
        |rank, other, shared| found.push_all(left_sets.rows(other), right_sets.rows(rank), shared),
    )?;
    found.sorted(left.len())
}

/// Asks for every set of a catalogue, given with its prefixes, among the sets of `ranks(rank)`; a
/// match is the rank of the set, the rank of the one found, and how many values they share.
fn join(
    (catalogue, prefixes): (&Catalogue, &Prefixes),
    candidates: &mut Candidates,
    ranks: impl Fn(u32) -> Range<u32>,
    progress: &mut Progress,
    mut hit: impl FnMut(u32, u32, u32) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    for rank in 0..catalogue.len() {
        progress.at(rank as usize, catalogue.len() as usize);
        candidates.each_match(
            Question::of(catalogue, prefixes, rank),
            ranks(rank),
            |_| false,
            progress,
            |other, shared| hit(rank, other, shared),
        )?;
    }
    Ok(())
}
