//! Every pair of sets at a resemblance, and no other.

use super::catalogue::{Catalogue, Rank};
use super::large_sets::{AskerSizes, LargeSets};
use super::pairs::{FoundPairs, Overlaps};
use super::parts::{self, AskedMembers, Comparison, PairSink, Side};
use super::ratio::{Ratio, Resemblance};
use super::sets::Sets;
use crate::error::{KernelError, Watch};
use crate::progress::Progress;
use std::collections::BTreeSet;
use std::ops::Range;

/// Shares of the work that are done when large sets are indexed, and when they are joined; the rest
/// is the join of small ones. They are for the watch: no answer depends on them.
const INDEXED: f64 = 0.4;
const LARGE: f64 = 0.65;

/// All pairs of rows `left < right` with |A n B| / |A u B| of at least `threshold`, found on `jobs`
/// threads (those of large sets on one). Pairs are sorted, and one that two threads found is one,
/// so that the answer does not depend on them.
///
/// # Errors
/// [`KernelError::TooManyPairs`] above `max_pairs`, with the pairs known by then (there may be
/// more: the join stops there); [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
pub fn resemblance_self_join(
    sets: Sets,
    threshold: Ratio,
    max_pairs: u64,
    jobs: usize,
    watch: Watch,
) -> Result<Overlaps, KernelError> {
    let rule = Resemblance::of_threshold_or_one(threshold);
    let progress = Progress::stage(watch, 0.0, 0.05);
    // At what is not a threshold nothing is alike: then no set is listed.
    let listed = |_| threshold.is_threshold();
    let catalogue = Catalogue::of_fitting_sizes(sets, listed, jobs, &progress)?;
    let mut found = FoundPairs::new(max_pairs);
    found.push_pairs_of_equal_sets(&catalogue)?;
    let mut hit = |rank: Rank, other: Rank, shared: u32| {
        found.push_product_smaller_row_left(catalogue.rows(rank), catalogue.rows(other), shared)
    };
    let least = parts::first_large_size(rule);
    let progress = Progress::stage(watch, 0.05, INDEXED);
    let large =
        LargeSets::of_one(&catalogue, least, rule, AskerSizes::Larger, |_| true, &progress)?;
    // Earlier ranks alone: each pair comes once, and only from the set that is not the smaller,
    // which is what lets the index be that of [`AskerSizes::Larger`].
    let near = |rank: Rank| catalogue.ranks_of_fitting_sizes(rule, rank).start..rank;
    let progress = Progress::stage(watch, INDEXED, LARGE);
    ask_for_each_large_set(&large, &large, near, &progress, &mut hit)?;
    // The small sets need the memory.
    drop(large);
    let progress = Progress::stage(watch, LARGE, 1.0);
    let side = Side::new(&catalogue, rule, least, jobs, &progress)?;
    let sink = || PairSink::new(&catalogue, &catalogue, max_pairs);
    let asks = AskedMembers::Earlier;
    let comparison =
        Comparison { members: &side, askers: &side, asks, rule, member_size_end: least };
    parts::join_classes(comparison, jobs, sink, &progress, |pairs| {
        let of_rows = pairs.drain().flat_map(|pair| {
            let both = list_pairs_of_rows(catalogue.rows(pair.asker), catalogue.rows(pair.member));
            both.map(move |(row, other)| (row.min(other), row.max(other), pair.shared))
        });
        found.add_possibly_known(of_rows, sets.len())
    })?;
    drop(side);
    found.sort_and_deduplicate(sets.len())
}

/// All pairs of a row of `left` and a row of `right` with |A n B| / |A u B| of at least
/// `threshold`, on `jobs` threads as [`resemblance_self_join`].
///
/// # Errors
/// As [`resemblance_self_join`].
pub fn resemblance_join(
    left: Sets,
    right: Sets,
    threshold: Ratio,
    max_pairs: u64,
    jobs: usize,
    watch: Watch,
) -> Result<Overlaps, KernelError> {
    let rule = Resemblance::of_threshold_or_one(threshold);
    let progress = Progress::stage(watch, 0.0, 0.05);
    let left_sizes = ResemblingSizes::of_column(left, rule, &progress)?;
    let right_sizes = ResemblingSizes::of_column(right, rule, &progress)?;
    // At what is not a threshold nothing is alike: then no set is listed.
    let is_threshold = threshold.is_threshold();
    let fits = |size| is_threshold && right_sizes.contain(size);
    let lefts = Catalogue::of_fitting_sizes(left, fits, jobs, &progress)?;
    let fits = |size| is_threshold && left_sizes.contain(size);
    let rights = Catalogue::of_fitting_sizes(right, fits, jobs, &progress)?;
    let mut found = FoundPairs::new(max_pairs);
    let mut hit = |left: Rank, right: Rank, shared: u32| {
        found.push_product(lefts.rows(left), rights.rows(right), shared)
    };
    let least = parts::first_large_size(rule);
    join_large([&lefts, &rights], rule, &Progress::stage(watch, 0.05, LARGE), &mut hit)?;
    let progress = Progress::stage(watch, LARGE, f64::midpoint(LARGE, 1.0));
    let left_side = Side::new(&lefts, rule, least, jobs, &progress)?;
    let right_side = Side::new(&rights, rule, least, jobs, &progress)?;
    let sink = || PairSink::new(&lefts, &rights, max_pairs);
    let comparison = Comparison {
        members: &right_side,
        askers: &left_side,
        asks: AskedMembers::NotLarger,
        rule,
        member_size_end: least,
    };
    parts::join_classes(comparison, jobs, sink, &progress, |pairs| {
        let of_rows = pairs.drain().flat_map(|pair| {
            let both = list_pairs_of_rows(lefts.rows(pair.asker), rights.rows(pair.member));
            both.map(move |(left, right)| (left, right, pair.shared))
        });
        found.add_possibly_known(of_rows, left.len())
    })?;
    let progress = Progress::stage(watch, f64::midpoint(LARGE, 1.0), 1.0);
    let sink = || PairSink::new(&rights, &lefts, max_pairs);
    let comparison = Comparison {
        members: &left_side,
        askers: &right_side,
        asks: AskedMembers::Smaller,
        rule,
        member_size_end: least,
    };
    parts::join_classes(comparison, jobs, sink, &progress, |pairs| {
        let of_rows = pairs.drain().flat_map(|pair| {
            let both = list_pairs_of_rows(rights.rows(pair.asker), lefts.rows(pair.member));
            both.map(move |(right, left)| (left, right, pair.shared))
        });
        found.add_possibly_known(of_rows, left.len())
    })?;
    drop((left_side, right_side));
    found.sort_and_deduplicate(left.len())
}

/// Every row of one list with every row of another.
fn list_pairs_of_rows<'r>(
    rows: &'r [u32],
    others: &'r [u32],
) -> impl Iterator<Item = (u32, u32)> + 'r {
    rows.iter().flat_map(|&row| others.iter().map(move |&other| (row, other)))
}

/// Finds the pairs of large sets of two catalogues. Each side asks the other for sets that are not
/// larger; of equally large ones, the left does.
///
/// # Errors
/// Those of `hit`, [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
pub(super) fn join_large(
    [lefts, rights]: [&Catalogue; 2],
    rule: Resemblance,
    progress: &Progress,
    mut hit: impl FnMut(Rank, Rank, u32) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    let [left, right] =
        LargeSets::of_two([lefts, rights], parts::first_large_size(rule), rule, progress)?;
    let near = |rank: Rank| {
        let size = lefts.set(rank).len();
        rights.count_smaller_than(rule.smallest_partner(size))..rights.count_smaller_than(size + 1)
    };
    ask_for_each_large_set(&left, &right, near, progress, &mut hit)?;
    let near = |rank: Rank| {
        let size = rights.set(rank).len();
        lefts.count_smaller_than(rule.smallest_partner(size))..lefts.count_smaller_than(size)
    };
    let turned = |right: Rank, left: Rank, shared: u32| hit(left, right, shared);
    ask_for_each_large_set(&right, &left, near, progress, turned)
}

/// The sizes of the sets that may resemble one of a column: most often a few of one column may
/// resemble many of another.
pub(super) struct ResemblingSizes {
    /// The ranges of those that may resemble one of the column, ascending and apart.
    fitting: Vec<(usize, usize)>,
}

impl ResemblingSizes {
    pub(super) fn of_column(
        column: Sets,
        rule: Resemblance,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let mut sizes = BTreeSet::new();
        for row in 0..column.len() {
            progress.spend_values(1)?;
            sizes.insert(column.set_or_empty(row).len());
        }
        let mut fitting: Vec<(usize, usize)> = Vec::new();
        for size in sizes.into_iter().filter(|&size| size > 0) {
            let (smallest, largest) = (rule.smallest_partner(size), rule.largest_partner(size));
            // Both ends ascend with the size, so that a range meets none but the last one.
            match fitting.last_mut() {
                Some((_, end)) if smallest <= *end => *end = largest.max(*end),
                _ => fitting.push((smallest, largest)),
            }
        }
        Ok(Self { fitting })
    }

    /// Returns whether a set of this size may resemble one of the column.
    pub(super) fn contain(&self, size: usize) -> bool {
        let after = self.fitting.partition_point(|&(smallest, _)| smallest <= size);
        after > 0 && size <= self.fitting[after - 1].1
    }
}

/// Asks for each of some large sets among those of `asked` that are in `ranks(rank)`: calls `hit`
/// with the rank of the set, the rank of one that resembles it, and how many values they share.
fn ask_for_each_large_set(
    asking: &LargeSets,
    asked: &LargeSets,
    ranks: impl Fn(Rank) -> Range<Rank>,
    progress: &Progress,
    mut hit: impl FnMut(Rank, Rank, u32) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    let mut candidates = asked.index_candidates(|_| true, progress)?;
    for (done, rank) in asking.sets.ranks().enumerate() {
        progress.note_done(done, asking.sets.len());
        let Range { start, end } = ranks(rank);
        candidates.each_match(
            asking.question(rank),
            start.max(asked.sets.first)..end,
            |_| false,
            progress,
            |other, shared| hit(rank, other, shared),
        )?;
    }
    Ok(())
}
