#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use super::super::cases::{Made, columns};
use super::*;

#[test]
fn rows_are_grouped_by_value_and_values_are_found() {
    rows_are_grouped_by_value_and_values_are_found_on::<u64>();
    rows_are_grouped_by_value_and_values_are_found_on::<u128>();
}

fn rows_are_grouped_by_value_and_values_are_found_on<T: Made>() {
    let meter = Meter::start(&|_| true).unwrap();
    for size in [1, 7, 64, 5000] {
        // Values that mixing does not spread are slower, not wrong.
        let crowded = ("crowded", (0..size as u64).map(|row| T::from(row).unmix()).collect());
        for (name, column) in columns(size, 6).into_iter().chain([crowded]) {
            let mut naive: BTreeMap<T, Vec<u32>> = BTreeMap::new();
            for (row, &value) in (0..).zip(&column) {
                naive.entry(value).or_default().push(row);
            }
            let values = Values::new(&column, &meter).unwrap();
            assert_eq!(values.distinct.len(), naive.len(), "{name}");
            assert_eq!(values.all_differ(), naive.len() == size, "{name}");
            for (&value, rows) in &naive {
                let place = values.place(value);
                assert_eq!(values.distinct[place], value, "{name}");
                assert_eq!(values.rows(place), rows, "{name}");
            }
        }
    }
}

#[test]
fn no_rows_have_no_values() {
    let meter = Meter::start(&|_| true).unwrap();
    let values = Values::<u64>::new(&[], &meter).unwrap();
    assert!(values.distinct.is_empty() && values.all_differ());
    assert_eq!(values.numbered(), (vec![], vec![]));
}

#[test]
fn numbers_follow_first_rows() {
    let meter = Meter::start(&|_| true).unwrap();
    let values = Values::new(&[9_u64, 4, 9, 0, 4, 9], &meter).unwrap();
    let (number, first) = values.numbered();
    assert_eq!(number, [0, 1, 0, 2, 1, 0]);
    assert_eq!(first, [0, 1, 3]);
}
