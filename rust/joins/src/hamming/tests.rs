#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::atomic::{AtomicU64, Ordering};

use super::cases::{Made, columns, naive_join, naive_self_join};
use super::*;
use crate::components::find_components;

const CALM: Watch = &|_| true;
const ALL: Limits = Limits { pairs: u64::MAX, memory: u64::MAX, threads: 1 };
/// Shared out among threads; some may have nothing to do.
const SHARED: Limits = Limits { threads: 3, ..ALL };
/// No memory but the least.
const LEAST: Limits = Limits { pairs: u64::MAX, memory: 0, threads: 1 };

/// Allows at most `pairs` pairs.
fn at_most(pairs: u64) -> Limits {
    Limits { pairs, memory: u64::MAX, threads: 1 }
}

/// Every radius up to the largest promised, and some beyond.
fn radii<T: Fingerprint>() -> impl Iterator<Item = u32> {
    (0..=if T::BITS == 64 { 16 } else { 28 }).chain([33, T::BITS - 1, T::BITS])
}

fn triples(pairs: &Pairs) -> Vec<(u32, u32, u8)> {
    assert_eq!(pairs.left.len(), pairs.right.len());
    assert_eq!(pairs.left.len(), pairs.distance.len());
    let rows = pairs.left.iter().zip(&pairs.right);
    rows.zip(&pairs.distance).map(|((&left, &right), &distance)| (left, right, distance)).collect()
}

/// First rows and edges from the definition.
fn naive_groups<T: Made>(column: &[T], radius: u32) -> Groups {
    let first = |value: &T| column.iter().position(|other| other == value);
    let first: Vec<u32> = column.iter().filter_map(first).map(|row| row as u32).collect();
    let mut edges = Pairs::default();
    for (left, right, distance) in naive_self_join(column, radius) {
        if first[left as usize] == left && first[right as usize] == right {
            edges.left.push(left);
            edges.right.push(right);
            edges.distance.push(distance);
        }
    }
    Groups { first, edges }
}

#[test]
fn self_join_equals_the_naive_one() {
    self_join_equals_the_naive_one_on::<u64>();
    self_join_equals_the_naive_one_on::<u128>();
}

fn self_join_equals_the_naive_one_on<T: Made>() {
    for size in [1, 2, 9, 150] {
        for (name, column) in columns::<T>(size, size as u64) {
            for radius in radii::<T>() {
                let expected = naive_self_join(&column, radius);
                for limits in [ALL, LEAST, SHARED] {
                    let pairs = self_join(&column, radius, limits, CALM).unwrap();
                    assert!(triples(&pairs) == expected, "{name}, {size}, {radius}");
                }
            }
        }
    }
}

#[test]
fn self_join_of_many_equals_the_naive_one() {
    self_join_of_many_equals_the_naive_one_on::<u64>();
    self_join_of_many_equals_the_naive_one_on::<u128>();
}

fn self_join_of_many_equals_the_naive_one_on<T: Made>() {
    for (name, column) in columns::<T>(1_200, 5) {
        for (radius, limits) in [(0, ALL), (3, ALL), (3, LEAST), (3, SHARED)] {
            let expected = naive_self_join(&column, radius);
            let pairs = self_join(&column, radius, Limits { pairs: 320_000, ..limits }, CALM);
            match pairs {
                Ok(pairs) => assert!(triples(&pairs) == expected, "{name}, {radius}"),
                Err(KernelError::TooManyPairs { count, .. }) => {
                    assert_eq!(count, expected.len() as u64, "{name}, {radius}");
                    assert!(count > 320_000, "{name}, {radius}");
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

#[test]
fn join_equals_the_naive_one() {
    join_equals_the_naive_one_on::<u64>();
    join_equals_the_naive_one_on::<u128>();
}

fn join_equals_the_naive_one_on<T: Made>() {
    for (left_size, right_size) in [(1, 1), (1, 100), (100, 3), (40, 50)] {
        let left = columns::<T>(left_size, 1);
        let right = columns::<T>(right_size, 2);
        for (i, (name, left)) in left.iter().enumerate() {
            for (other, right) in [&right[i], &right[0], &right[(i + 5) % right.len()]] {
                for radius in radii::<T>() {
                    let expected = naive_join(left, right, radius);
                    for limits in [ALL, LEAST, SHARED] {
                        let pairs = join(left, right, radius, limits, CALM).unwrap();
                        assert!(triples(&pairs) == expected, "{name}, {other}, {radius}");
                    }
                }
            }
        }
    }
}

#[test]
fn pair_groups_equals_the_naive_one() {
    pair_groups_equals_the_naive_one_on::<u64>();
    pair_groups_equals_the_naive_one_on::<u128>();
}

fn pair_groups_equals_the_naive_one_on<T: Made>() {
    for size in [1, 2, 100] {
        for (name, column) in columns::<T>(size, 3) {
            for radius in radii::<T>() {
                let expected = naive_groups(&column, radius);
                for limits in [ALL, LEAST, SHARED] {
                    let groups = join_equal_groups(&column, radius, limits, CALM).unwrap();
                    assert!(groups == expected, "{name}, {radius}");
                }
            }
        }
    }
}

#[test]
fn rows_are_connected_as_their_pairs_connect_them() {
    rows_are_connected_as_their_pairs_connect_them_on::<u64>();
    rows_are_connected_as_their_pairs_connect_them_on::<u128>();
}

fn rows_are_connected_as_their_pairs_connect_them_on<T: Made>() {
    for size in [1, 2, 100] {
        for (name, column) in columns::<T>(size, 3) {
            for radius in radii::<T>() {
                let pairs = self_join(&column, radius, ALL, CALM).unwrap();
                let naive = find_components(column.len(), &pairs.left, &pairs.right);
                assert_eq!(
                    connect_fingerprints(&column, radius, CALM).unwrap(),
                    naive,
                    "{name}, {radius}"
                );
            }
        }
    }
}

#[test]
fn nothing_joins_with_nothing() {
    assert_eq!(connect_fingerprints::<u64>(&[], 3, CALM), Ok(vec![]));
    assert_eq!(self_join::<u64>(&[], 3, at_most(0), CALM), Ok(Pairs::default()));
    assert_eq!(join::<u128>(&[], &[], 64, at_most(0), CALM), Ok(Pairs::default()));
    assert_eq!(join(&[1_u64, 2], &[], 64, at_most(0), CALM), Ok(Pairs::default()));
    assert_eq!(join(&[], &[1_u128, 2], 64, at_most(0), CALM), Ok(Pairs::default()));
    assert_eq!(join_equal_groups::<u64>(&[], 3, at_most(0), CALM), Ok(Groups::default()));
}

#[test]
fn a_radius_beyond_all_bits_is_all_bits() {
    let column = [0, u64::MAX, 5];
    let all = self_join(&column, 64, at_most(3), CALM);
    assert_eq!(self_join(&column, u32::MAX, at_most(3), CALM), all);
    let column = [0, u128::MAX, 5];
    let all = self_join(&column, 128, at_most(3), CALM);
    assert_eq!(self_join(&column, u32::MAX, at_most(3), CALM), all);
}

#[test]
fn too_many_pairs_are_counted_exactly() {
    too_many_pairs_are_counted_exactly_on::<u64>();
    too_many_pairs_are_counted_exactly_on::<u128>();
}

fn too_many_pairs_are_counted_exactly_on<T: Made>() {
    for (name, column) in columns::<T>(200, 9) {
        for radius in [0, 3, 10, T::BITS] {
            let count = naive_self_join(&column, radius).len() as u64;
            let at = self_join(&column, radius, at_most(count), CALM);
            assert_eq!(at.unwrap().left.len() as u64, count, "{name}, {radius}");
            for limit in [0, 1, count / 2, count.saturating_sub(1)] {
                if limit < count {
                    let error = KernelError::TooManyPairs { count, limit };
                    let joined = self_join(&column, radius, at_most(limit), CALM);
                    assert_eq!(joined, Err(error), "{name}, {radius}");
                }
            }
        }
    }
}

#[test]
fn too_many_pairs_across_and_of_groups_are_counted_exactly() {
    too_many_pairs_across_and_of_groups_are_counted_exactly_on::<u64>();
    too_many_pairs_across_and_of_groups_are_counted_exactly_on::<u128>();
}

fn too_many_pairs_across_and_of_groups_are_counted_exactly_on<T: Made>() {
    let left = columns::<T>(150, 1);
    let right = columns::<T>(160, 2);
    for ((name, left), (_, right)) in left.iter().zip(&right) {
        let count = naive_join(left, right, 6).len() as u64;
        if count > 0 {
            let limit = count - 1;
            let error = KernelError::TooManyPairs { count, limit };
            assert_eq!(join(left, right, 6, at_most(limit), CALM), Err(error), "{name}");
        }
        let count = naive_groups(left, 6).edges.left.len() as u64;
        if count > 0 {
            let limit = count / 2;
            let error = KernelError::TooManyPairs { count, limit };
            assert_eq!(join_equal_groups(left, 6, at_most(limit), CALM), Err(error), "{name}");
        }
    }
}

#[test]
fn a_million_copies_are_counted_without_being_paired() {
    let mut column = vec![7_u64; 1_000_000];
    column[500_000] = 6;
    let error = KernelError::TooManyPairs { count: 1_000_000 * 999_999 / 2, limit: 100 };
    assert_eq!(self_join(&column, 1, at_most(100), CALM), Err(error));
    let groups = join_equal_groups(&column, 1, at_most(1), CALM).unwrap();
    assert_eq!(groups.first[500_000], 500_000);
    assert_eq!(groups.first.iter().sum::<u32>(), 500_000);
    assert_eq!(triples(&groups.edges), [(0, 500_000, 1)]);
}

#[test]
fn the_watch_interrupts_at_once_and_on_the_way() {
    let column: Vec<u64> = (0..60_000).collect();
    let never: Watch = &|_| false;
    assert_eq!(self_join(&column, 3, at_most(0), never), Err(KernelError::Interrupted));
    assert_eq!(join(&column, &[1], 3, at_most(0), never), Err(KernelError::Interrupted));
    assert_eq!(join_equal_groups(&column, 3, at_most(0), never), Err(KernelError::Interrupted));
    for stop in [1, 2, 5] {
        let calls = AtomicU64::new(0);
        let patience = |_: f64| calls.fetch_add(1, Ordering::Relaxed) < stop;
        let joined = self_join(&column, 3, at_most(0), &patience);
        assert_eq!(joined, Err(KernelError::Interrupted));
        assert_eq!(calls.into_inner(), stop + 1);
    }
}

#[test]
fn a_watch_that_has_refused_is_not_asked_again() {
    let column: Vec<u64> = (0..60_000).map(|row| row << 32).collect();
    for stop in 1.. {
        let calls = AtomicU64::new(0);
        let patience = |_: f64| calls.fetch_add(1, Ordering::Relaxed) < stop;
        let joined = join(&column, &column, 0, ALL, &patience);
        if joined.is_ok() {
            assert!(stop > 5, "it is asked too seldom to refuse in every step");
            break;
        }
        assert_eq!(joined, Err(KernelError::Interrupted));
        assert_eq!(calls.into_inner(), stop + 1);
    }
}

/// One fingerprint meets a column as a join of one row does.
fn check_near<T: Made>() {
    for (what, column) in columns::<T>(2500, 77) {
        for &query in &column[..3] {
            for radius in radii::<T>() {
                let expected: Vec<_> = naive_join(&[query], &column, radius)
                    .into_iter()
                    .map(|(_, row, bits)| (row as usize, bits))
                    .collect();
                assert_eq!(
                    find_within_radius(query, column.iter().copied(), radius),
                    expected,
                    "{what} {radius}"
                );
            }
        }
    }
    assert_eq!(find_within_radius(T::default(), std::iter::empty(), 3), []);
}

#[test]
fn one_fingerprint_meets_all_of_a_column() {
    check_near::<u64>();
    check_near::<u128>();
}
