//! The exact search: every two different numbers, or numbers of two sides, within the radius.
//!
//! A plan of [`Covers`] names masks of bits. For each mask the numbers are sorted by those bits and
//! compared inside the runs that agree on them; a pair is reported by the first table it agrees in,
//! so it is reported once and nothing has to remember it. A run that is long because its numbers
//! are alike is searched again, with a plan on those bits that vary inside it: equal bits hold no
//! errors. Comparing everything is the last plan, and the cheapest for few numbers.
//!
//! Numbers that do not fit into memory together are sorted a slice at a time. Numbers
//! that agree on the upper bits of a mask, and are too many to be copied together, are sorted by
//! its lower bits, again a slice at a time.

mod sides;
#[cfg(test)]
mod tests;

use super::cover::{Covers, Work};
use super::partition::{Digit, WIDEST_DIGIT, cut_into_slices};
use super::plan::LEAST_RESERVE;
use super::shared::Worker;
use crate::error::KernelError;
use crate::fingerprint::Fingerprint;
use crate::progress::Progress;
use crate::simd::hamming::{comparison_cost, each_pair_across, each_pair_within};
pub(super) use sides::Sides;
use sides::{SortedSides, View};

/// Runs of more comparisons than this are planned anew; it takes a few microseconds to do them all.
const SHORT_RUN: usize = 1 << 17;
/// Numbers compared with each other at a time: both tiles stay in the first-level cache.
const TILE: usize = 2048;
/// Bytes of a bucket that can be sorted within the caches of the core.
const CACHED: usize = 1 << 18;
/// Nanoseconds to handle a hit, for the progress.
const HIT_COST: u64 = 20;
/// Numbers that agree on a digit are not copied if they are more than one part in this many of the
/// numbers that there is room for.
const SHARE: usize = 8;
/// A run is copied, whatever room there is, if it has fewer than one in this many of the numbers
/// that would be passed over to search it where it is.
const FEWEST: usize = 16;

/// Receiver of the pairs that a search finds.
pub(super) trait PairReceiver<T> {
    /// Takes a pair; no pair comes twice.
    fn take_pair(&mut self, a: T, b: T);

    /// Connects these numbers, of one side or of both, as far as that is quick; returns whether all
    /// are connected now, so that no pair of them need be found.
    fn try_to_connect_all(&mut self, numbers: &[T], others: &[T]) -> bool;
}

impl<T, F: FnMut(T, T)> PairReceiver<T> for F {
    fn take_pair(&mut self, a: T, b: T) {
        self(a, b);
    }

    fn try_to_connect_all(&mut self, _numbers: &[T], _others: &[T]) -> bool {
        false
    }
}

/// A running search; `found` takes every pair, once.
pub(super) struct Search<'a, T, F> {
    radius: u32,
    /// Numbers that may be copied at a time, at all levels.
    reserve: usize,
    covers: Covers,
    comparison_cost: f64,
    progress: &'a Progress<'a>,
    /// The tables of the first level that are searched.
    worker: Worker,
    /// The masks of the tables searched before this one, at this level and those above.
    earlier: Vec<T>,
    found: F,
}

impl<'a, T: Fingerprint, F: PairReceiver<T>> Search<'a, T, F> {
    pub(super) fn new(
        radius: u32,
        reserve: usize,
        progress: &'a Progress<'a>,
        worker: Worker,
        found: F,
    ) -> Self {
        Self {
            radius,
            reserve,
            covers: Covers::new(radius, T::BITS),
            comparison_cost: comparison_cost::<T>(),
            progress,
            worker,
            earlier: Vec::new(),
            found,
        }
    }

    /// Searches the sides. The numbers of each side differ from each other.
    pub(super) fn search_sides(&mut self, sides: Sides<T>) -> Result<(), KernelError> {
        match sides {
            Sides::Within(_) if self.radius == 0 => Ok(()),
            _ => self.search_view(View::all(sides), self.reserve.max(LEAST_RESERVE), true),
        }
    }

    /// Searches what is in view, and copies no more than about `reserve` numbers at a time.
    fn search_view(&mut self, view: View<T>, reserve: usize, top: bool) -> Result<(), KernelError> {
        let varying = view.varying_bits();
        // If all agree on the mask of an earlier table, that one has reported all pairs.
        if self.earlier.iter().any(|&mask| mask & varying == T::default()) {
            return Ok(());
        }
        // Where some numbers are passed over, asking would need a copy of the others.
        if let Some((left, right)) = view.sides_if_all().map(Sides::left_and_right)
            && self.found.try_to_connect_all(left, right.unwrap_or_default())
        {
            return Ok(());
        }
        let work = Work {
            elements: view.count_elements(),
            comparisons: view.count_comparisons() as f64,
            comparison_cost: self.comparison_cost,
        };
        let Some(masks) = self.covers.choose_masks(work, varying) else {
            return match view.sides_if_all() {
                Some(sides) => self.compare_all(sides, top),
                None => {
                    self.compare_all(SortedSides::in_one_bucket(view, self.progress)?.get(0), top)
                }
            };
        };
        let outer = self.earlier.len();
        let (mut coarse, mut fine) = (SortedSides::default(), SortedSides::default());
        for (table, &mask) in masks.iter().enumerate() {
            if top {
                self.progress.raise_share_to(table as f64 / masks.len() as f64);
            }
            if !top || self.worker.does(table) {
                self.search_table(view, mask, reserve, &mut coarse, &mut fine)?;
            }
            // Tables of other threads count, too: a pair belongs to the first table that it agrees
            // in, and to whoever searches that.
            self.earlier.push(mask);
        }
        self.earlier.truncate(outer);
        Ok(())
    }

    /// Searches the runs that agree on a mask, sorting by its upper and then by its lower bits.
    fn search_table(
        &mut self,
        view: View<T>,
        mask: T,
        reserve: usize,
        coarse: &mut SortedSides<T>,
        fine: &mut SortedSides<T>,
    ) -> Result<(), KernelError> {
        let (coarse_digit, fine_digit) = split_mask(mask, view.count_elements(), reserve);
        if coarse_digit.bits == 0 {
            return self.search_bucket(view, &fine_digit, reserve, fine);
        }
        coarse.count_values(view, &coarse_digit, self.progress)?;
        let (sums, most) = (coarse.counts_of_both_sides(), reserve / SHARE);
        let largest = sums.iter().copied().filter(|&sum| sum <= most).max().unwrap_or(0);
        // A bucket is copied once more, and the part searched again inside it twice more.
        let copies = if 3 * largest > most / 2 { 3 * largest } else { 0 };
        for slice in cut_into_slices(sums.iter().copied(), reserve - copies, most) {
            let sum: usize = sums[slice.clone()].iter().sum();
            if sum > most
                && let Some(value) = slice.clone().find(|&value| sums[value] > most)
            {
                coarse.free_numbers();
                let alone = view.and_digit(&coarse_digit, value, coarse.counts(value));
                self.search_bucket(alone, &fine_digit, reserve, fine)?;
                continue;
            }
            coarse.fill_slice(view, &coarse_digit, slice, self.progress)?;
            for bucket in 0..coarse.left.count_buckets() {
                let bucket = coarse.get(bucket);
                if bucket.count_comparisons() > 0 {
                    fine.fill(bucket, &fine_digit, self.progress)?;
                    self.search_runs(fine, reserve.saturating_sub(sum + bucket.count_elements()))?;
                }
            }
        }
        Ok(())
    }

    /// Searches the runs that agree on a mask. It sorts by the lower bits alone: the mask has no
    /// others, or all numbers agree on them. An oversized run is searched in place.
    fn search_bucket(
        &mut self,
        view: View<T>,
        lower: &Digit,
        reserve: usize,
        fine: &mut SortedSides<T>,
    ) -> Result<(), KernelError> {
        fine.count_values(view, lower, self.progress)?;
        let sums = fine.counts_of_both_sides();
        // As many numbers as make a short run, n^2 / 2 comparisons, are always compared at once.
        let short = (2 * SHORT_RUN).isqrt();
        let passed_over = view.sides.count_elements();
        let most = (reserve / 4 * 3).max(passed_over / FEWEST).max(short);
        for slice in cut_into_slices(sums.iter().copied(), reserve / 2, most) {
            if let Some(value) = slice.clone().find(|&value| sums[value] > most) {
                fine.free_numbers();
                self.search_view(view.and_digit(lower, value, fine.counts(value)), reserve, false)?;
                continue;
            }
            fine.fill_slice(view, lower, slice, self.progress)?;
            self.search_runs(fine, reserve.saturating_sub(fine.count_elements()))?;
        }
        Ok(())
    }

    /// Compares inside the short runs and searches the long ones, with room to copy some numbers.
    fn search_runs(&mut self, sorted: &SortedSides<T>, reserve: usize) -> Result<(), KernelError> {
        let mut compared = 0;
        let mut short = |sides: Sides<T>| {
            // Most runs have one number, and no pair: they do not reach the vector loop.
            let comparisons = sides.count_comparisons();
            let chosen = (1..=SHORT_RUN).contains(&comparisons);
            compared += if chosen { comparisons } else { 0 };
            chosen
        };
        let mut hits = Hits::new(&self.earlier, &mut self.found);
        match &sorted.right {
            None => {
                let runs = sorted.left.iter();
                let runs = runs.filter(|&run| short(Sides::Within(run)));
                each_pair_within(runs, self.radius, &mut |a, b| hits.take_hit(a, b));
            }
            Some(right) => {
                let runs = sorted.left.iter().zip(right.iter());
                let runs = runs.filter(|&(left, right)| short(Sides::Across(left, right)));
                each_pair_across(runs, self.radius, &mut |a, b| hits.take_hit(a, b));
            }
        }
        self.progress.spend_nanoseconds(hits.nanoseconds() + self.nanoseconds_of(compared))?;
        for run in 0..sorted.left.count_buckets() {
            let run = sorted.get(run);
            if run.count_comparisons() > SHORT_RUN {
                // Numbers copied together already may be copied again in a few slices.
                let reserve = reserve.max(run.count_elements() / 4).max(LEAST_RESERVE);
                self.search_view(View::all(run), reserve, false)?;
            }
        }
        Ok(())
    }

    /// Compares everything with everything.
    fn compare_all(&mut self, sides: Sides<T>, top: bool) -> Result<(), KernelError> {
        let (left, right, halved) = match sides {
            Sides::Within(all) => (all, all, true),
            Sides::Across(left, right) => (left, right, false),
        };
        for (i, rows) in left.chunks(TILE).enumerate() {
            if top {
                self.progress.raise_share_to((i * TILE) as f64 / left.len() as f64);
            }
            if top && !self.worker.does(i) {
                continue;
            }
            // A side against itself: each two tiles meet once.
            let first = if halved { i } else { 0 };
            for (j, columns) in right.chunks(TILE).enumerate().skip(first) {
                if self.found.try_to_connect_all(rows, columns) {
                    continue;
                }
                let mut hits = Hits::new(&self.earlier, &mut self.found);
                if halved && i == j {
                    let tile = std::iter::once(rows);
                    each_pair_within(tile, self.radius, &mut |a, b| hits.take_hit(a, b));
                } else {
                    let tile = std::iter::once((rows, columns));
                    each_pair_across(tile, self.radius, &mut |a, b| hits.take_hit(a, b));
                }
                let cost = hits.nanoseconds() + self.nanoseconds_of(rows.len() * columns.len());
                self.progress.spend_nanoseconds(cost)?;
            }
        }
        Ok(())
    }

    /// Nanoseconds that comparisons cost.
    fn nanoseconds_of(&self, comparisons: usize) -> u64 {
        (comparisons as f64 * self.comparison_cost) as u64
    }
}

/// Hands on the pairs that no earlier table has reported, and counts what comes.
struct Hits<'s, T, F> {
    earlier: &'s [T],
    found: &'s mut F,
    count: u64,
}

impl<'s, T: Fingerprint, F: PairReceiver<T>> Hits<'s, T, F> {
    fn new(earlier: &'s [T], found: &'s mut F) -> Self {
        Self { earlier, found, count: 0 }
    }

    // Out of line: this rare path must not spill the registers of the hot loop.
    #[inline(never)]
    fn take_hit(&mut self, a: T, b: T) {
        self.count += 1;
        if self.earlier.iter().all(|&mask| (a ^ b) & mask != T::default()) {
            self.found.take_pair(a, b);
        }
    }

    /// Nanoseconds that the hits have cost.
    fn nanoseconds(&self) -> u64 {
        self.count * HIT_COST
    }
}

/// Cuts a mask in two digits. The coarse one leaves buckets that fit the cache and the room, and is
/// empty where everything does; the fine one has at most 12 bits.
fn split_mask<T: Fingerprint>(mask: T, elements: usize, reserve: usize) -> (Digit, Digit) {
    let bits = mask.one_bits();
    let cached = (elements / (CACHED / size_of::<T>()).min(reserve)).max(1).ilog2();
    let coarse_bits = cached.max(bits.saturating_sub(WIDEST_DIGIT)).min(bits).min(WIDEST_DIGIT);
    let mut fine_mask = mask;
    for _ in 0..coarse_bits {
        // Any bits make the coarse digit; the lowest are the quickest to take away.
        fine_mask = fine_mask.without_lowest_one();
    }
    (Digit::of_lowest_twelve_bits(mask & !fine_mask), Digit::of_lowest_twelve_bits(fine_mask))
}
