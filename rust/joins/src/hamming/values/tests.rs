#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use super::super::cases::{Made, columns};
use super::*;

#[test]
fn values_are_distinct_counted_and_found() {
    values_are_distinct_counted_and_found_on::<u64>();
    values_are_distinct_counted_and_found_on::<u128>();
}

fn values_are_distinct_counted_and_found_on<T: Made>() {
    let progress = Progress::begin(&|_| true).unwrap();
    for size in [1, 7, 64, 5000] {
        // Values that mixing does not spread are slower, not wrong.
        let crowded = ("crowded", (0..size as u64).map(|row| T::from(row).unmix()).collect());
        for (name, column) in columns::<T>(size, 6).into_iter().chain([crowded]) {
            let mut naive: BTreeMap<T, u64> = BTreeMap::new();
            for &value in &column {
                *naive.entry(value).or_default() += 1;
            }
            for (numbers, threads) in
                [(size.div_ceil(9), 1), (usize::MAX, 1), (size, 2), (usize::MAX, 3)]
            {
                let reserve = Reserve { numbers, threads };
                let values = Values::of(&column, reserve, &progress).unwrap();
                let mut distinct = values.distinct.clone();
                distinct.sort_unstable();
                assert!(distinct.iter().eq(naive.keys()), "{name}");
                for (&value, &rows) in &naive {
                    assert_eq!(values.count_rows_of(value), rows, "{name}");
                }
                let pairs = naive.values().map(|rows| rows * (rows - 1) / 2).sum::<u64>();
                assert_eq!(values.count_equal_pairs(), pairs, "{name}");
            }
        }
    }
}

#[test]
fn values_are_found_where_they_are() {
    values_are_found_where_they_are_on::<u64>();
    values_are_found_where_they_are_on::<u128>();
}

fn values_are_found_where_they_are_on<T: Made>() {
    let progress = Progress::begin(&|_| true).unwrap();
    for size in [1, 7, 64, 5000] {
        for (name, column) in columns::<T>(size, 7) {
            let (one, other) = column.split_at(size / 2);
            let reserve = Reserve { numbers: size.div_ceil(3), threads: 1 };
            let places = MixOrdered::of(&[one, other], reserve, &progress).unwrap();
            let mut distinct = column.clone();
            distinct.sort_unstable_by_key(|value| value.mix());
            distinct.dedup();
            assert_eq!(places.values(), distinct, "{name}");
            for (place, &value) in distinct.iter().enumerate() {
                assert_eq!(places.place_of(value), Some(place), "{name}");
                let known = distinct.contains(&!value);
                assert_eq!(places.place_of(!value).is_some(), known, "{name}");
            }
        }
    }
}

#[test]
fn no_rows_have_no_values() {
    let progress = Progress::begin(&|_| true).unwrap();
    let reserve = Reserve { numbers: 1, threads: 1 };
    let values = Values::<u64>::of(&[], reserve, &progress).unwrap();
    assert!(values.distinct.is_empty() && values.count_equal_pairs() == 0);
    assert_eq!(MixOrdered::<u128>::of(&[], reserve, &progress).unwrap().place_of(0), None);
}
