//! What a self-join will do and take, told before it runs.

use super::cover::{Covers, Tables, Work};
use crate::fingerprint::Fingerprint;
use crate::simd::hamming::comparison_cost;

/// Nanoseconds for each row to put equal fingerprints together, and to put the pairs in order; and
/// for each word of it (measured).
const ROW_COST: f64 = 30.0;
const WORD_COST: f64 = 10.0;

/// Bytes for each row: its number and where its value stands; and then, where its pairs begin.
const ROW_BYTES: u64 = 9;
const PAIRS_BYTES: u64 = 8;

/// How fingerprints would be joined, and what that takes on a machine like that of the measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// How often they are sorted; 0 where every two are compared.
    pub tables: usize,
    /// Bits that two have to agree on to be compared, the mean over the tables.
    pub matched: f64,
    /// Nanoseconds of one thread.
    pub cost: f64,
    /// Bytes of memory, without those of the column and of the pairs.
    pub memory: u64,
}

impl Plan {
    /// The plan for so many rows whose lowest `width` bits are random.
    #[must_use]
    pub fn new<T: Fingerprint>(rows: u64, width: u32, radius: u32) -> Self {
        let count = rows as f64;
        let work = Work {
            elements: rows as usize,
            comparisons: count * (count - 1.0).max(0.0) / 2.0,
            comparison_cost: comparison_cost::<T>(),
        };
        let Tables { count: tables, matched, cost } = if radius == 0 {
            // Equal ones are together already.
            Tables { count: 0, matched: 0.0, cost: 0.0 }
        } else {
            Covers::new(radius, T::BITS).cheapest::<T>(work, width).unwrap_or(Tables {
                count: 0,
                matched: 0.0,
                cost: work.comparisons * work.comparison_cost,
            })
        };
        let words = f64::from(T::BITS / u64::BITS);
        let value = size_of::<T>() as u64;
        // Values sorted for a table have gone when the pairs are put in order.
        let working = if tables == 0 { PAIRS_BYTES } else { value.max(PAIRS_BYTES) };
        Self {
            tables,
            matched,
            cost: cost + count * (ROW_COST + words * WORD_COST),
            memory: rows * (value + ROW_BYTES + working),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(rows: u64, radius: u32) -> Plan {
        Plan::new::<u64>(rows, 64, radius)
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
                assert!(made.cost <= compared + rows as f64 * (ROW_COST + WORD_COST));
                assert_eq!(made.tables == 0, made.matched == 0.0);
            }
        }
        assert_eq!(plan(500, 3).tables, 0);
        assert_eq!(plan(1 << 31, 0).tables, 0);
        assert_eq!(plan(1 << 31, 30).tables, 0);
    }

    #[test]
    fn radius_three_among_a_million_sorts_four_times_by_sixteen_bits() {
        let made = plan(1_000_000, 3);
        assert_eq!((made.tables, made.matched), (4, 16.0));
        let narrow = Plan::new::<u64>(1_000_000, 32, 3);
        assert!(narrow.cost > made.cost);
    }
}
