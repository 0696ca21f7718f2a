//! Plans: sets of bit masks such that two numbers within the radius agree on all of some mask.
//!
//! The bits are cut into parts with error budgets t whose sum of t + 1 is the radius + 1. If every
//! part held more errors than its budget, there would be at least radius + 1 of them; so some part
//! keeps to its budget, and one table of its covering [`Design`] drops all its errors.

use super::design::{Design, designs};
use crate::fingerprint::Fingerprint;

/// Beyond this radius no plan is cheaper than comparing everything: its masks have fewer bits than
/// would pay for its number of tables.
fn largest_radius_worth_tables(bits: u32) -> u32 {
    bits * 3 / 10
}

/// Bits of the longest mask: two sorts of at most twelve bits each.
const LONGEST_MASK: u32 = 24;

/// Nanoseconds to sort one element of 64 bits for one table and to visit its run (measured); one of
/// 128 bits costs twice as much.
const SORT_COST: f64 = 5.0;
/// Nanoseconds that a table costs whatever it holds: clearing and summing up its counters.
const TABLE_COST: f64 = 1000.0;

/// The work to plan for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work {
    /// Numbers to sort, of both sides.
    pub(super) elements: usize,
    /// Comparisons if everything is compared with everything.
    pub(super) comparisons: f64,
    /// Nanoseconds one comparison costs.
    pub(super) comparison_cost: f64,
}

impl Work {
    /// Bits of the longest mask that is worth its counters.
    fn most_mask_bits(self) -> u32 {
        // With two bits more than number the elements most buckets are empty: longer masks save
        // nothing.
        LONGEST_MASK.min(self.elements.max(1).ilog2() + 2)
    }
}

/// Work of a plan: the number of tables, the bits on which numbers must agree for a table to
/// compare them (the mean over all tables), and the nanoseconds that the tables cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableWork {
    pub(super) count: usize,
    pub(super) matched: f64,
    pub(super) cost: f64,
}

/// The plans for one radius.
#[derive(Debug)]
pub(super) struct Covers {
    designs: Vec<Design>,
    /// By number of tables; more tables always match on more bits.
    mixes: Vec<Mix>,
}

/// A way to split the radius among designs.
#[derive(Debug, Clone, Default)]
struct Mix {
    /// The design of each part, by its place in the list.
    parts: Vec<usize>,
    tables: usize,
    /// Bits that are cut up for each bit a table matches on.
    bits_per_matched_bit: f64,
}

impl Mix {
    /// The mix with one more part, whose tables come to those of the others.
    fn with_tables_of_part(&self, part: usize, design: &Design) -> Self {
        Self {
            parts: self.parts.iter().copied().chain([part]).collect(),
            tables: self.tables + design.drops.len(),
            bits_per_matched_bit: self.bits_per_matched_bit + 1.0 / design.kept_share(),
        }
    }

    /// The bits that a table matches on, the mean over all.
    fn mean_matched_bits(&self, work: Work, varying: u32) -> f64 {
        let matched = f64::from(varying) / self.bits_per_matched_bit;
        matched.min(f64::from(work.most_mask_bits()))
    }
}

impl Covers {
    /// The plans on numbers of `bits` bits.
    pub(super) fn new(radius: u32, bits: u32) -> Self {
        let designs = designs();
        let useful = radius <= largest_radius_worth_tables(bits);
        // Without a mix every search compares all numbers.
        let mixes = if useful { find_undominated_mixes(&designs, radius + 1) } else { Vec::new() };
        Self { designs, mixes }
    }

    /// The masks of the cheapest plan on the bits that vary; `None` where comparing everything is
    /// cheaper.
    pub(super) fn choose_masks<T: Fingerprint>(&self, work: Work, varying: T) -> Option<Vec<T>> {
        let (mix, _) = self.find_mix_cheaper_than_comparing_all::<T>(work, varying.one_bits())?;
        Some(self.make_masks_of_mix(mix, varying, work.most_mask_bits()))
    }

    /// Work of the cheapest plan on `varying` varying bits; `None` where comparing everything is
    /// cheaper.
    pub(super) fn estimate_cheapest_tables<T: Fingerprint>(
        &self,
        work: Work,
        varying: u32,
    ) -> Option<TableWork> {
        let (mix, cost) = self.find_mix_cheaper_than_comparing_all::<T>(work, varying)?;
        Some(TableWork { count: mix.tables, matched: mix.mean_matched_bits(work, varying), cost })
    }

    /// The cheapest mix and its cost in nanoseconds, if it is below that of comparing everything.
    ///
    /// A table costs its elements sorted, and the comparisons that are left in its runs if the bits
    /// are random: 1 of 2^m on m matched bits (the cost model of Manku et al., section 3.1.1, with
    /// the sort in place of their table look-up).
    fn find_mix_cheaper_than_comparing_all<T: Fingerprint>(
        &self,
        work: Work,
        varying: u32,
    ) -> Option<(&Mix, f64)> {
        let compare_all = work.comparisons * work.comparison_cost;
        let words = f64::from(T::BITS / u64::BITS);
        let sort = work.elements as f64 * words * SORT_COST + TABLE_COST;
        let cost = |mix: &Mix| {
            let left = (-mix.mean_matched_bits(work, varying)).exp2();
            mix.tables as f64 * (sort + compare_all * left)
        };
        self.mixes
            .iter()
            .filter(|mix| self.shared_out_bits_suffice_each_part(mix, varying))
            .map(|mix| (mix, cost(mix)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .filter(|&(_, cost)| cost < compare_all)
    }

    /// Return whether every block of every part gets at least one bit.
    fn shared_out_bits_suffice_each_part(&self, mix: &Mix, bits: u32) -> bool {
        self.share_bits_so_that_tables_match_equally(mix, bits)
            .zip(&mix.parts)
            .all(|(width, &part)| width >= self.designs[part].points)
    }

    /// Bits of each part: in proportion, so that all tables match on about equally many.
    fn share_bits_so_that_tables_match_equally<'a>(
        &'a self,
        mix: &'a Mix,
        bits: u32,
    ) -> impl Iterator<Item = u32> + 'a {
        let matched = f64::from(bits) / mix.bits_per_matched_bit;
        let mut end = 0.0_f64;
        mix.parts.iter().map(move |&part| {
            let start = end.round();
            // Rounded ends, not widths: no bit is lost or counted twice.
            end += matched / self.designs[part].kept_share();
            (end.round() - start) as u32
        })
    }

    /// The mask of every table, at most `longest` bits each.
    fn make_masks_of_mix<T: Fingerprint>(&self, mix: &Mix, varying: T, longest: u32) -> Vec<T> {
        let mut masks = Vec::with_capacity(mix.tables);
        let mut free = varying;
        for (width, &part) in
            self.share_bits_so_that_tables_match_equally(mix, varying.one_bits()).zip(&mix.parts)
        {
            let design = &self.designs[part];
            let bits = lowest_ones(free, width);
            free = free & !bits;
            let blocks = cut_into_blocks(bits, design.points);
            masks.extend(design.drops.iter().map(|drop| {
                let kept = blocks.iter().enumerate().filter(|(i, _)| drop >> i & 1 == 0);
                lowest_ones(kept.fold(T::default(), |mask, (_, &block)| mask | block), longest)
            }));
        }
        masks
    }
}

/// The mixes that spend a budget exactly, by number of tables; what has no fewer tables and matches
/// on no more bits than another one is left out.
///
/// Both numbers are sums over the parts, so the best mixes are made of best ones of smaller
/// budgets.
fn find_undominated_mixes(designs: &[Design], budget: u32) -> Vec<Mix> {
    let mut best = vec![vec![Mix::default()]];
    for budget in 1..=budget {
        let mut all = Vec::new();
        for (part, design) in designs.iter().enumerate() {
            let rest = budget.checked_sub(design.errors + 1);
            let shorter = rest.and_then(|rest| best.get(rest as usize));
            all.extend(
                shorter.into_iter().flatten().map(|mix| mix.with_tables_of_part(part, design)),
            );
        }
        // A design of more errors than the budget takes no part; that of no errors takes one, so
        // that there is always a mix.
        best.push(drop_dominated(all));
    }
    best.pop().unwrap_or_default()
}

fn drop_dominated(mut all: Vec<Mix>) -> Vec<Mix> {
    all.sort_by(|a, b| {
        let bits = a.bits_per_matched_bit.total_cmp(&b.bits_per_matched_bit);
        a.tables.cmp(&b.tables).then(bits)
    });
    let mut least = f64::INFINITY;
    all.retain(|mix| {
        // By number of tables: what does not match on more bits than one with fewer tables is no
        // use.
        let better = mix.bits_per_matched_bit < least;
        least = least.min(mix.bits_per_matched_bit);
        better
    });
    all
}

/// The lowest `count` one bits of a number.
fn lowest_ones<T: Fingerprint>(bits: T, count: u32) -> T {
    bits & !(0..count).fold(bits, |rest, _| rest.without_lowest_one())
}

/// Cuts one bits into blocks whose sizes differ by at most one.
fn cut_into_blocks<T: Fingerprint>(bits: T, blocks: u32) -> Vec<T> {
    let count = bits.one_bits();
    let mut rest = bits;
    (0..blocks)
        .map(|i| {
            let block = lowest_ones(rest, (i + 1) * count / blocks - i * count / blocks);
            rest = rest & !block;
            block
        })
        .collect()
}

#[cfg(test)]
mod tests;
