//! Forecast of a self-join: its work, time and memory.

use super::cover::{Covers, TableWork, Work};
use crate::fingerprint::Fingerprint;
use crate::simd::hamming::comparison_cost;

/// Nanoseconds for each word of a row to put equal fingerprints together and to look for the rows
/// of those found; and, where not all are sorted at a time, to look at it for each slice
/// (measured).
const ROW_COST: f64 = 15.0;
const SLICE_COST: f64 = 1.0;

/// The largest number of slices: each takes a look at all numbers.
const MOST_SLICES: usize = 64;

/// There is always room to sort this many numbers, though a plan does not count it.
pub(super) const LEAST_RESERVE: usize = if cfg!(test) { 128 } else { 1 << 13 };

/// Bounds of a join on its result and its means; they do not change the pairs.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The largest number of pairs that is listed; of more than 2^32 - 1, none are in any case.
    pub pairs: u64,
    /// Bytes of memory in addition to the columns and the pairs. The distinct values are always
    /// held; what is left of it, but at least a 64th of the rows, is sorted at a time.
    pub memory: u64,
    /// Threads; each sorts a part of them at a time.
    pub threads: usize,
}

/// Way to join fingerprints, and its time and memory on a machine like that of the
/// measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Times that they are sorted; 0 where every two are compared.
    pub tables: usize,
    /// Bits that two have to agree on to be compared, the mean over the tables.
    pub matched: f64,
    /// Slices that they are sorted in, one after the other.
    pub slices: usize,
    /// Nanoseconds of one thread.
    pub cost: f64,
    /// Bytes of memory, without those of the column and of the pairs.
    pub memory: u64,
}

impl Plan {
    /// The plan for `rows` rows whose lowest `width` bits are random, in `memory` bytes. If these
    /// are too few, the plan takes the least memory that the join can work in.
    #[must_use]
    pub fn new<T: Fingerprint>(rows: usize, width: u32, radius: u32, memory: u64) -> Self {
        let count = rows as f64;
        let work = Work {
            elements: rows,
            comparisons: count * (count - 1.0).max(0.0) / 2.0,
            comparison_cost: comparison_cost::<T>(),
        };
        let TableWork { count: tables, matched, cost } = if radius == 0 {
            // Equal ones are together already.
            TableWork { count: 0, matched: 0.0, cost: 0.0 }
        } else {
            Covers::new(radius, T::BITS).estimate_cheapest_tables::<T>(work, width).unwrap_or(
                TableWork { count: 0, matched: 0.0, cost: work.comparisons * work.comparison_cost },
            )
        };
        let words = count * f64::from(T::BITS / u64::BITS);
        let limits = Limits { pairs: 0, memory, threads: 1 };
        let reserve = Reserve::of::<T>(rows, limits).numbers.min(rows);
        let slices = rows.div_ceil(reserve.max(1)).max(1);
        // One look more: equal values are put together in slices, too.
        let looks = if slices == 1 { 0 } else { slices * (tables + 1) };
        Self {
            tables,
            matched,
            slices,
            cost: cost + words * (ROW_COST + looks as f64 * SLICE_COST),
            memory: ((rows + reserve) * size_of::<T>()) as u64,
        }
    }
}

/// Fewer numbers are handled before other threads have begun.
const FEW: usize = if cfg!(test) { 2 } else { 1 << 15 };

/// Memory and threads to work with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reserve {
    /// Numbers that are sorted at a time, by all threads: as many as the memory has room for next
    /// to the values, but no fewer than make the largest number of slices.
    pub(super) numbers: usize,
    pub(super) threads: usize,
}

impl Reserve {
    /// The reserve for `rows` rows.
    pub(super) fn of<T>(rows: usize, limits: Limits) -> Self {
        let values = limits.memory / size_of::<T>() as u64;
        let reserve = values.saturating_sub(rows as u64).try_into().unwrap_or(usize::MAX);
        Self { numbers: reserve.max(rows.div_ceil(MOST_SLICES)).max(1), threads: limits.threads }
    }

    /// Number of threads to use for `numbers` numbers.
    pub(super) fn threads_for(self, numbers: usize) -> usize {
        if numbers < FEW { 1 } else { self.threads.max(1) }
    }

    /// Number of threads to use where all `numbers` numbers are copied at once; one if there is no
    /// room for that.
    pub(super) fn threads_to_copy_all(self, numbers: usize) -> usize {
        if self.numbers < numbers { 1 } else { self.threads_for(numbers) }
    }

    /// The number of numbers that may be sorted at a time while copies of `copied_count` numbers
    /// are held.
    pub(super) fn numbers_beside(self, copied_count: usize) -> usize {
        self.numbers.saturating_sub(copied_count).max(copied_count.div_ceil(MOST_SLICES))
    }

    /// The numbers that each of some threads sorts at a time.
    pub(super) fn numbers_per_thread(self, threads: usize) -> usize {
        (self.numbers / threads).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Level, at_level};

    fn plan(rows: usize, radius: u32) -> Plan {
        Plan::new::<u64>(rows, 64, radius, u64::MAX)
    }

    #[test]
    fn more_rows_and_a_larger_radius_cost_more() {
        for (few, many) in [(0, 10), (10, 1000), (1000, 100_000), (100_000, 10_000_000)] {
            for radius in 1..=64 {
                assert!(plan(few, radius).cost < plan(many, radius).cost);
                assert!(plan(few, radius).memory < plan(many, radius).memory);
                assert!(plan(many, radius - 1).cost <= plan(many, radius).cost);
            }
        }
    }

    #[test]
    fn a_table_is_cheaper_than_comparing_everything_or_is_not_made() {
        for radius in [0, 3, 6, 10, 16, 19, 20, 40] {
            for rows in [0, 1, 100, 10_000, 1_000_000, 100_000_000] {
                let made = plan(rows, radius);
                let compared = rows as f64 * rows as f64 / 2.0 * comparison_cost::<u64>();
                assert!(made.cost <= compared + rows as f64 * ROW_COST);
                assert_eq!(made.tables == 0, made.matched == 0.0);
            }
        }
        // Instructions that compare faster make fewer tables.
        at_level(Level::Portable, || {
            assert_eq!(plan(50, 3).tables, 0);
            assert_eq!(plan(1 << 31, 0).tables, 0);
            assert_eq!(plan(1 << 31, 40).tables, 0);
        });
    }

    #[test]
    fn radius_three_among_a_million_sorts_a_few_times() {
        let (made, narrow) = at_level(Level::Portable, || {
            (plan(1_000_000, 3), Plan::new::<u64>(1_000_000, 32, 3, u64::MAX))
        });
        assert_eq!((made.tables, made.matched), (6, 21.0));
        assert!(narrow.cost > made.cost);
    }

    #[test]
    fn less_memory_makes_more_slices_and_costs_more() {
        let rows = 1_000_000;
        let within = |memory| Plan::new::<u64>(rows, 64, 3, memory);
        let whole = within(u64::MAX);
        assert_eq!((whole.slices, whole.memory), (1, 16_000_000));
        assert_eq!(within(16_000_000), whole);
        let quartered = within(10_000_000);
        assert_eq!((quartered.slices, quartered.memory), (4, 10_000_000));
        assert!(quartered.cost > whole.cost);
        let least = within(0);
        assert_eq!((least.slices, least.memory), (64, 8_125_000));
        assert_eq!(within(least.memory), least);
    }
}
