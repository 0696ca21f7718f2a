#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use super::{Reached, SetIntersector};
use crate::simd::Level;
use crate::simd::each_level;

/// A deterministic stream of numbers (splitmix64).
fn numbers(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

fn random_set(next: &mut impl FnMut() -> u64, size: u64, alphabet: u64) -> Vec<u32> {
    let values: BTreeSet<u32> = (0..size).map(|_| (next() % alphabet) as u32).collect();
    values.into_iter().collect()
}

fn naive(a: &[u32], b: &[u32]) -> usize {
    a.iter().filter(|value| b.binary_search(value).is_ok()).count()
}

/// Check that what was found and what is left over is all that is shared.
fn check_cut(a: &[u32], b: &[u32], at: Reached) {
    let left_over = naive(&a[at.left..], &b[at.right..]);
    assert_eq!(at.shared + left_over, naive(a, b));
}

/// Every level with the values of its intersector; a portable one has none.
fn intersectors() -> impl Iterator<Item = (usize, SetIntersector)> {
    Level::all().iter().map(|&level| match level {
        Level::Portable => (0, SetIntersector(level)),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::Avx512F | Level::Avx512 => (8, SetIntersector(level)),
    })
}

#[test]
fn every_level_counts_what_the_naive_one_counts() {
    let mut next = numbers(1);
    for round in 0..4000 {
        let alphabet = [24, 60, 400, 5000, 1 << 32][round % 5];
        let (left, right) = (next() % 120, next() % 120);
        let a = random_set(&mut next, left, alphabet);
        let b = random_set(&mut next, right, alphabet);
        let expected = naive(&a, &b);
        for need in [0, 1, expected, expected + 1, a.len(), b.len() + 1] {
            for found in each_level(|| SetIntersector::detect().count_shared(&a, &b, need)) {
                assert_eq!(found, (expected >= need).then_some(expected));
            }
        }
        for (width, intersector) in intersectors() {
            let at = intersector.match_whole_blocks(&a, &b, 0);
            check_cut(&a, &b, at);
            assert!(width == 0 || a.len() - at.left < width || b.len() - at.right < width);
        }
    }
}

#[test]
fn a_hopeless_pair_is_left_early_and_only_then() {
    let mut next = numbers(2);
    for _ in 0..2000 {
        let a = random_set(&mut next, 100, 300);
        let b = random_set(&mut next, 100, 300);
        let need = (next() % 100) as usize;
        for (width, intersector) in intersectors() {
            let at = intersector.match_whole_blocks(&a, &b, need);
            check_cut(&a, &b, at);
            let (left, right) = (a.len() - at.left, b.len() - at.right);
            let hopeless = at.shared + left.min(right) < need;
            assert!(width == 0 || hopeless || left < width || right < width);
            assert!(!hopeless || naive(&a, &b) < need);
        }
    }
}

#[test]
fn extreme_values_meet() {
    let a: Vec<u32> = (0..16).chain(u32::MAX - 15..=u32::MAX).collect();
    assert!(
        each_level(|| SetIntersector::detect().count_shared(&a, &a, 32))
            .iter()
            .all(|&found| found == Some(32))
    );
    for (width, intersector) in intersectors() {
        let at = intersector.match_whole_blocks(&a, &a, 0);
        assert!(width == 0 || (at.left, at.right, at.shared) == (32, 32, 32));
    }
}
