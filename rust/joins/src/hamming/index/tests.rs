#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::cases::{Made, Random, columns};
use super::*;

const CALM: Watch = &|_| true;

/// Answer of a look at every member.
fn naive<T: Made>(members: &BTreeMap<i64, T>, query: T, radius: u32) -> Vec<(u8, i64)> {
    let distances = members.iter().map(|(&id, &value)| (distance(query, value), id));
    let mut near: Vec<_> = distances.filter(|&(d, _)| u32::from(d) <= radius).collect();
    near.sort_unstable();
    near
}

#[test]
fn queries_equal_a_look_at_every_member() {
    queries_equal_a_look_at_every_member_on::<u64>(&[0, 1, 3, 6, 10, 16, 64]);
    queries_equal_a_look_at_every_member_on::<u128>(&[0, 2, 6, 12, 20, 28, 128]);
}

fn queries_equal_a_look_at_every_member_on<T: Made>(radii: &[u32]) {
    let mut random = Random(4);
    for (name, column) in columns::<T>(3000, 7) {
        let ids: Vec<i64> = (0..column.len() as i64).map(|row| row * 7 - 9000).collect();
        let members: BTreeMap<i64, T> = ids.iter().copied().zip(column.iter().copied()).collect();
        for &radius in radii {
            let mut index = Index::new(radius, CALM).unwrap();
            index.add_all_or_none(&column, &ids, CALM).unwrap();
            for _ in 0..8 {
                let near = column[random.below(column.len())];
                let errors = random.below(radius as usize + 3);
                let query = random.near(near, errors);
                let radius = random.below(radius as usize + 3) as u32;
                let expected = naive(&members, query, radius);
                assert!(index.query(query, radius) == expected, "{name}, {radius}");
            }
        }
    }
}

#[test]
fn tables_of_many_values_miss_nothing() {
    tables_of_many_values_miss_nothing_on::<u64>(&[3, 6, 10]);
    tables_of_many_values_miss_nothing_on::<u128>(&[3, 12, 20]);
}

fn tables_of_many_values_miss_nothing_on<T: Made>(radii: &[u32]) {
    let mut random = Random(2);
    let column: Vec<T> = (0..60_000).map(|_| random.next()).collect();
    let ids: Vec<i64> = (0..column.len() as i64).collect();
    for &radius in radii {
        let mut index = Index::new(radius, CALM).unwrap();
        index.add_all_or_none(&column, &ids, CALM).unwrap();
        assert!(index.tables.bytes() > column.len() * size_of::<T>() * 2);
        for _ in 0..2000 {
            let row = random.below(column.len());
            let errors = random.below(radius as usize + 1);
            let query = random.near(column[row], errors);
            assert!(index.query(query, radius).iter().any(|&(_, id)| id == row as i64));
        }
    }
}

#[test]
fn any_operations_leave_what_a_dictionary_has() {
    any_operations_leave_what_a_dictionary_has_on::<u64>(5);
    any_operations_leave_what_a_dictionary_has_on::<u128>(9);
}

fn any_operations_leave_what_a_dictionary_has_on<T: Made>(radius: u32) {
    let mut random = Random(11);
    let mut index = Index::new(radius, CALM).unwrap();
    let mut model: BTreeMap<i64, T> = BTreeMap::new();
    let centres: Vec<T> = (0..40).map(|_| random.next()).collect();
    for step in 0..3000 {
        match random.below(4) {
            0 | 1 => {
                let ids: Vec<i64> =
                    (0..random.below(9)).map(|_| random.below(900) as i64).collect();
                let mut value = || {
                    let centre = centres[random.below(centres.len())];
                    let errors = random.below(4);
                    random.near(centre, errors)
                };
                let values: Vec<T> = ids.iter().map(|_| value()).collect();
                let known =
                    |at: usize| model.contains_key(&ids[at]) || ids[..at].contains(&ids[at]);
                let refused = (0..ids.len()).find(|&at| known(at));
                let added = index.add_all_or_none(&values, &ids, CALM);
                match refused {
                    Some(at) => assert_eq!(added, Err(KernelError::KnownId(ids[at]))),
                    None => {
                        added.unwrap();
                        model.extend(ids.into_iter().zip(values));
                    }
                }
            }
            2 => {
                let ids: Vec<i64> =
                    (0..random.below(3)).map(|_| random.below(900) as i64).collect();
                let mut left = model.clone();
                let refused = ids.iter().find(|id| left.remove(id).is_none());
                let removed = index.remove(&ids, CALM);
                match refused {
                    Some(&id) => assert_eq!(removed, Err(KernelError::UnknownId(id))),
                    None => {
                        removed.unwrap();
                        model = left;
                    }
                }
            }
            _ => {
                let query = random.near(centres[step % centres.len()], step % 5);
                let radius = random.below(radius as usize + 1) as u32;
                assert_eq!(index.query(query, radius), naive(&model, query, radius));
            }
        }
        assert_eq!(index.len(), model.len());
        assert_eq!(index.contains(step as i64 % 900), model.contains_key(&(step as i64 % 900)));
    }
    let all: Vec<i64> = model.keys().copied().collect();
    index.remove(&all, CALM).unwrap();
    assert!(index.is_empty());
    assert_eq!(index.query(centres[0], radius), []);
}

#[test]
fn a_million_copies_come_and_go() {
    let ids: Vec<i64> = (0..1_000_000).collect();
    let mut index = Index::new(3, CALM).unwrap();
    index.add_all_or_none(&vec![5_u64; ids.len()], &ids, CALM).unwrap();
    assert_eq!(index.query(4, 1).len(), ids.len());
    index.remove(&ids[1..], CALM).unwrap();
    assert_eq!(index.query(4, 1), [(1, 0)]);
    index.remove(&ids[..1], CALM).unwrap();
    assert_eq!(index.query(5, 3), []);
}

#[test]
fn many_queries_are_one_after_another() {
    let (_, column) = columns::<u64>(400, 3).swap_remove(8);
    let ids: Vec<i64> = (0..column.len() as i64).rev().collect();
    let mut index = Index::new(6, CALM).unwrap();
    index.add_all_or_none(&column, &ids, CALM).unwrap();
    let answers = index.query_many(&column, 4, u64::MAX, CALM).unwrap();
    let mut expected = Answers::default();
    for (at, &query) in column.iter().enumerate() {
        for (distance, id) in index.query(query, 4) {
            expected.query.push(at as u32);
            expected.id.push(id);
            expected.distance.push(distance);
        }
    }
    assert_eq!(answers, expected);
    let count = expected.id.len() as u64;
    assert!(index.query_many(&column, 4, count, CALM).is_ok());
    let refused = index.query_many(&column, 4, count - 1, CALM);
    assert_eq!(refused, Err(KernelError::TooManyPairs { count, limit: count - 1 }));
}

#[test]
fn what_is_interrupted_has_changed_nothing() {
    let mut random = Random(6);
    let values: Vec<u64> = (0..500_000).map(|_| random.next()).collect();
    let ids: Vec<i64> = (0..values.len() as i64).collect();
    let (held, more) = (&values[..100_000], &values[100_000..]);
    let mut index = Index::new(3, CALM).unwrap();
    index.add_all_or_none(held, &ids[..held.len()], CALM).unwrap();
    // First few enough to go into the tables, then enough that the tables are rebuilt.
    for (count, stops) in [(200_000, 0..3), (more.len(), 3..7)] {
        let (values, ids) = (&more[..count], &ids[held.len()..held.len() + count]);
        for stop in stops {
            let calls = AtomicU64::new(0);
            let patience = |_: f64| calls.fetch_add(1, Ordering::Relaxed) < stop;
            assert_eq!(
                index.add_all_or_none(values, ids, &patience),
                Err(KernelError::Interrupted)
            );
            assert_eq!(index.len(), held.len());
        }
    }
    let never: Watch = &|_| false;
    assert_eq!(index.remove(&[1, 2], never), Err(KernelError::Interrupted));
    assert_eq!(index.query_many(held, 3, 0, never), Err(KernelError::Interrupted));
    let calls = AtomicU64::new(0);
    let patience = |_: f64| calls.fetch_add(1, Ordering::Relaxed) < 1;
    assert_eq!(index.remove(&ids, &patience), Err(KernelError::Interrupted));
    assert_eq!(index.len(), held.len());
    assert_eq!(index.query(values[0], 0), [(0, 0)]);
    assert_eq!(index.query(more[0], 0), []);
}
