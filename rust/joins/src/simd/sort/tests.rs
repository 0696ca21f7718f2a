#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::simd::each_level;

/// Rows of ids of many lengths and kinds: spread, few values, one value, clustered, near the ends
/// of the range, sorted both ways.
fn rows() -> Vec<Vec<u32>> {
    let mut state = 7u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 32) as u32
    };
    let lengths = (0..140).chain([255, 256, 257, 300, 1000, 3001, 4096, 4097, 5000, 70_000]);
    let mut rows = Vec::new();
    for length in lengths {
        let mut row = |id: &mut dyn FnMut(usize) -> u32| rows.push((0..length).map(id).collect());
        row(&mut |_| random());
        row(&mut |_| random() % 7);
        row(&mut |_| (random() % 200).wrapping_mul(0x0100_0193));
        row(&mut |_| u32::MAX);
        row(&mut |_| 0);
        row(&mut |i| if i == length / 2 { random() } else { 0x8000_0000 });
        row(&mut |_| u32::MAX - random() % 1000);
        row(&mut |_| 1 << (random() % 32));
        row(&mut |_| if random() % 2 == 0 { 0 } else { u32::MAX });
        row(&mut |i| i as u32);
        row(&mut |i| ((length - i) as u32).wrapping_mul(65_537));
    }
    rows
}

#[test]
fn every_level_sorts() {
    for row in rows() {
        let mut expected = row.clone();
        expected.sort_unstable();
        for found in each_level(|| {
            let mut ids = row.clone();
            sort(&mut ids);
            ids
        }) {
            assert!(found == expected, "{} ids, first {:?}", row.len(), row.first());
        }
    }
}

#[test]
fn every_level_finds_the_distinct() {
    for row in rows() {
        let expected: Vec<u32> =
            row.iter().copied().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
        for found in each_level(|| {
            let mut ids = row.clone();
            let distinct = sort_distinct(&mut ids);
            ids.truncate(distinct);
            ids
        }) {
            assert!(found == expected, "{} ids, first {:?}", row.len(), row.first());
        }
    }
}

#[test]
fn every_level_makes_sets_of_hashes() {
    for row in rows() {
        // Equal upper halves, equal lower ones, and both.
        for hash in [
            |id| id,
            |id| id << 32,
            |id| (id << 32) | (id % 3),
            |id| (id % 5) << 62 | id,
            |id: u64| !(id << 32),
        ] {
            let hashes: Vec<u64> = row.iter().map(|&id| hash(u64::from(id))).collect();
            let mut expected = hashes.clone();
            expected.sort_unstable();
            expected.dedup();
            for found in each_level(|| {
                let mut found = vec![7];
                push_sorted_set(&hashes, &mut found);
                found
            }) {
                assert!(found[1..] == expected, "{} hashes, first {:?}", row.len(), hashes.first());
            }
        }
    }
}

#[test]
fn every_level_counts_runs() {
    for row in rows() {
        let mut expected = std::collections::BTreeMap::<u32, u32>::new();
        for &id in &row {
            *expected.entry(id).or_default() += 1;
        }
        let mut sorted = row;
        sorted.sort_unstable();
        for (distinct, counts) in each_level(|| {
            let (mut distinct, mut counts) = (vec![1; 3], vec![1; 3]);
            count_runs(&sorted, &mut distinct, &mut counts);
            (distinct, counts)
        }) {
            assert!(distinct.iter().eq(expected.keys()), "{} ids", sorted.len());
            assert!(counts.iter().eq(expected.values()), "{} ids", sorted.len());
        }
    }
}
