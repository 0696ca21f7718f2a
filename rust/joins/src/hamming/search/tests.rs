#![allow(clippy::unwrap_used)]

use super::super::cases::{Made, columns, naive_join, naive_self_join};
use super::*;
use crate::hamming::shared::Worker;

/// The pairs a search reports as (smaller, larger) or (left, right) values, sorted.
fn searched<T: Made>(
    sides: Sides<T>,
    radius: u32,
    reserve: usize,
    comparison_cost: f64,
) -> Vec<(T, T)> {
    let mut pairs = Vec::new();
    let progress = Progress::begin(&|_| true).unwrap();
    let ordered = matches!(sides, Sides::Within(_));
    let mut search = Search::new(radius, reserve, &progress, Worker::ALONE, |a: T, b: T| {
        pairs.push(if ordered { (a.min(b), a.max(b)) } else { (a, b) });
    });
    search.comparison_cost = comparison_cost;
    search.search_sides(sides).unwrap();
    assert!(search.earlier.is_empty());
    pairs.sort_unstable();
    pairs
}

fn distinct<T: Made>(mut column: Vec<T>) -> Vec<T> {
    column.sort_unstable();
    column.dedup();
    column
}

/// Comparisons this dear make the plans on tables win wherever they fit, down to a few numbers.
const DEAR: [f64; 3] = [30.0, 1e9, 1e9];
/// With each of them, how many numbers are sorted at a time.
const RESERVES: [usize; 3] = [usize::MAX, usize::MAX, 20];

#[test]
fn tables_find_every_pair_once() {
    tables_find_every_pair_once_on::<u64>(&[1, 2, 3, 6, 10, 16]);
    tables_find_every_pair_once_on::<u128>(&[1, 3, 6, 12, 20, 28]);
}

fn tables_find_every_pair_once_on<T: Made>(radii: &[u32]) {
    for (name, column) in columns::<T>(500, 1) {
        let column = distinct(column);
        for &radius in radii {
            let naive = naive_self_join(&column, radius);
            let values = |&(a, b, _): &(u32, u32, u8)| (column[a as usize], column[b as usize]);
            let naive: Vec<_> = naive.iter().map(values).collect();
            for (cost, reserve) in DEAR.into_iter().zip(RESERVES) {
                let pairs = searched(Sides::Within(&column), radius, reserve, cost);
                assert!(pairs == naive, "{name}, {radius}, {cost}");
            }
        }
    }
}

#[test]
fn tables_find_every_pair_across_once() {
    tables_find_every_pair_across_once_on::<u64>(&[0, 1, 3, 6, 10]);
    tables_find_every_pair_across_once_on::<u128>(&[0, 3, 12, 20]);
}

fn tables_find_every_pair_across_once_on<T: Made>(radii: &[u32]) {
    let (lefts, rights) = (columns::<T>(500, 1), columns::<T>(600, 2));
    for ((name, left), (_, right)) in lefts.into_iter().zip(rights) {
        let (left, right) = (distinct(left), distinct(right));
        for &radius in radii {
            let naive = naive_join(&left, &right, radius);
            let values = |&(a, b, _): &(u32, u32, u8)| (left[a as usize], right[b as usize]);
            let naive: Vec<_> = naive.iter().map(values).collect();
            for (cost, reserve) in DEAR.into_iter().zip(RESERVES) {
                let pairs = searched(Sides::Across(&left, &right), radius, reserve, cost);
                assert!(pairs == naive, "{name}, {radius}, {cost}");
            }
        }
    }
}

#[test]
fn long_runs_are_searched_again_and_nothing_is_lost() {
    long_runs_are_searched_again_and_nothing_is_lost_on::<u64>();
    long_runs_are_searched_again_and_nothing_is_lost_on::<u128>();
}

fn long_runs_are_searched_again_and_nothing_is_lost_on<T: Made>() {
    // Half of the numbers agree on five bits of eight, so that runs of several levels are long.
    let (_, column) = columns::<T>(6_000, 8).pop().unwrap();
    let column = distinct(column);
    let naive = naive_self_join(&column, 2);
    let values = |&(a, b, _): &(u32, u32, u8)| (column[a as usize], column[b as usize]);
    let naive: Vec<_> = naive.iter().map(values).collect();
    for reserve in [100, usize::MAX] {
        assert!(searched(Sides::Within(&column), 2, reserve, 30.0) == naive);
    }
}

#[test]
fn digits_share_out_a_mask() {
    for (mask, elements) in [
        (0xff_u64, 10),
        (0xffff, 10),
        (0xffff, 1 << 20),
        (0xf0f0_f0f0_f0f0, 1 << 20),
        (0xffff << 30, usize::MAX),
        (1 << 63, 1 << 40),
    ] {
        for reserve in [1, 1000, usize::MAX] {
            let (upper, lower) = split_mask(mask, elements, reserve);
            assert_eq!(upper.bits + lower.bits, mask.count_ones());
            assert!(lower.bits <= WIDEST_DIGIT && upper.bits <= WIDEST_DIGIT);
        }
    }
}
