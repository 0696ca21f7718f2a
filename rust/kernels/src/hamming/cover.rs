//! Plans: sets of bit masks such that two numbers within the radius agree on all of some mask.
//!
//! The bits are cut into parts with error budgets t whose sum of t + 1 is the radius + 1. If every
//! part held more errors than its budget, there would be at least radius + 1 of them; so some part
//! keeps to its budget, and one table of its covering [`Design`] drops all its errors.

use super::design::{Design, designs};

/// Beyond this radius no plan on 64 bits is cheaper than comparing everything: its masks have fewer
/// bits than would pay for its number of tables.
const LARGEST_RADIUS: u32 = 19;
/// Bits of the longest mask: two sorts of at most twelve bits each.
const LONGEST_MASK: u32 = 24;

/// Nanoseconds to sort one element for one table and to visit its run (measured).
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

impl Covers {
    pub(super) fn new(radius: u32) -> Self {
        let designs = designs();
        let mut all = Vec::new();
        if radius <= LARGEST_RADIUS {
            split(&designs, radius + 1, &Mix::default(), &mut all);
        }
        all.sort_by(|a, b| {
            let bits = a.bits_per_matched_bit.total_cmp(&b.bits_per_matched_bit);
            a.tables.cmp(&b.tables).then(bits)
        });
        let mut mixes: Vec<Mix> = Vec::new();
        for mix in all {
            let best = mixes.last().map_or(f64::INFINITY, |m| m.bits_per_matched_bit);
            if mix.bits_per_matched_bit < best {
                mixes.push(mix);
            }
        }
        Self { designs, mixes }
    }

    /// The masks of the cheapest plan on the bits that vary; `None` where comparing everything is
    /// cheaper.
    ///
    /// A table costs its elements sorted, and the comparisons that are left in its runs if the bits
    /// are random: 1 of 2^m on m matched bits (the cost model of Manku et al., section 3.1.1, with
    /// the sort in place of their table look-up).
    pub(super) fn choose(&self, work: Work, varying: u64) -> Option<Vec<u64>> {
        let longest = LONGEST_MASK.min(work.elements.max(1).ilog2() + 2);
        let compare_all = work.comparisons * work.comparison_cost;
        let sort = work.elements as f64 * SORT_COST + TABLE_COST;
        let cost = |mix: &Mix| {
            let matched = f64::from(varying.count_ones()) / mix.bits_per_matched_bit;
            let left = (-matched.min(f64::from(longest))).exp2();
            mix.tables as f64 * (sort + compare_all * left)
        };
        let (cost, mix) = self
            .mixes
            .iter()
            .filter(|mix| self.fits(mix, varying.count_ones()))
            .map(|mix| (cost(mix), mix))
            .min_by(|a, b| a.0.total_cmp(&b.0))?;
        (cost < compare_all).then(|| self.masks(mix, varying, longest))
    }

    /// Whether every block of every part gets at least one bit.
    fn fits(&self, mix: &Mix, bits: u32) -> bool {
        self.widths(mix, bits)
            .zip(&mix.parts)
            .all(|(width, &part)| width >= self.designs[part].points)
    }

    /// Bits of each part: in proportion, so that all tables match on about equally many.
    fn widths<'a>(&'a self, mix: &'a Mix, bits: u32) -> impl Iterator<Item = u32> + 'a {
        let matched = f64::from(bits) / mix.bits_per_matched_bit;
        let mut end = 0.0_f64;
        mix.parts.iter().map(move |&part| {
            let start = end.round();
            end += matched / self.designs[part].kept();
            (end.round() - start) as u32
        })
    }

    /// The mask of every table, at most `longest` bits each.
    fn masks(&self, mix: &Mix, varying: u64, longest: u32) -> Vec<u64> {
        let mut masks = Vec::with_capacity(mix.tables);
        let mut free = varying;
        for (width, &part) in self.widths(mix, varying.count_ones()).zip(&mix.parts) {
            let design = &self.designs[part];
            let bits = lowest(free, width);
            free &= !bits;
            let blocks = cut(bits, design.points);
            masks.extend(design.drops.iter().map(|drop| {
                let kept = blocks.iter().enumerate().filter(|(i, _)| drop >> i & 1 == 0);
                lowest(kept.fold(0, |mask, (_, block)| mask | block), longest)
            }));
        }
        masks
    }
}

/// Adds every mix that completes `mix` with designs of the list and spends the budget exactly.
fn split(designs: &[Design], budget: u32, mix: &Mix, all: &mut Vec<Mix>) {
    if budget == 0 {
        all.push(mix.clone());
        return;
    }
    let first = mix.parts.last().copied().unwrap_or(0);
    for (part, design) in designs.iter().enumerate().skip(first) {
        if design.errors < budget {
            let mut longer = mix.clone();
            longer.parts.push(part);
            longer.tables += design.drops.len();
            longer.bits_per_matched_bit += 1.0 / design.kept();
            split(designs, budget - design.errors - 1, &longer, all);
        }
    }
}

/// The lowest `count` one bits of a number.
fn lowest(bits: u64, count: u32) -> u64 {
    let mut rest = bits;
    for _ in 0..count {
        rest &= rest.wrapping_sub(1);
    }
    bits & !rest
}

/// Cuts one bits into blocks whose sizes differ by at most one.
fn cut(bits: u64, blocks: u32) -> Vec<u64> {
    let count = bits.count_ones();
    let mut rest = bits;
    (0..blocks)
        .map(|i| {
            let block = lowest(rest, (i + 1) * count / blocks - i * count / blocks);
            rest &= !block;
            block
        })
        .collect()
}

#[cfg(test)]
mod tests;
