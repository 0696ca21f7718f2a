#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::simd::each_level;

fn random_bytes(length: usize, seed: u64, alphabet: &[u8]) -> Vec<u8> {
    let mut state = seed;
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            alphabet[(state >> 33) as usize % alphabet.len()]
        })
        .collect()
}

fn bit(row: &[u64], at: usize) -> bool {
    row[at / 64] >> (at % 64) & 1 == 1
}

#[test]
fn every_level_classifies_every_byte_at_every_place() {
    let all: Vec<u8> = (0..=255).collect();
    for length in (0..200).chain([4096]) {
        let bytes = random_bytes(length, length as u64, &all);
        for (alphanumeric, beyond) in each_level(|| {
            let (mut alphanumeric, mut beyond) = (vec![7], vec![7]);
            classify(&bytes, &mut alphanumeric, &mut beyond);
            (alphanumeric, beyond)
        }) {
            assert_eq!(alphanumeric.len(), length.div_ceil(64));
            assert_eq!(beyond.len(), length.div_ceil(64));
            for at in 0..64 * alphanumeric.len() {
                let byte = bytes.get(at).copied().unwrap_or(0);
                assert_eq!(bit(&alphanumeric, at), byte.is_ascii_alphanumeric(), "{byte}");
                assert_eq!(bit(&beyond, at), !byte.is_ascii(), "{byte}");
            }
        }
    }
}

#[test]
fn every_level_finds_the_runs() {
    let mut rows: Vec<Vec<u64>> = vec![
        vec![],
        vec![0],
        vec![u64::MAX],
        vec![u64::MAX; 5],
        vec![0x5555_5555_5555_5555; 3],
        vec![0xAAAA_AAAA_AAAA_AAAA; 3],
        vec![1 << 63, 1, 0, 1 << 63],
    ];
    rows.extend((0..100).map(|seed| {
        let bytes =
            random_bytes(8 * (seed as usize % 9), seed, &[0, 1, 0x80, 0x3C, 0xFF, 0x55, 0x99]);
        bytes.chunks(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect()
    }));
    for row in rows {
        let at = |place: usize| place < 64 * row.len() && bit(&row, place);
        let places = 0..=64 * row.len();
        let before = |place: usize| place > 0 && at(place - 1);
        let starts: Vec<usize> = places.clone().filter(|&p| at(p) && !before(p)).collect();
        let ends: Vec<usize> = places.filter(|&p| !at(p) && before(p)).collect();
        for found in each_level(|| {
            let (mut starts, mut ends) = (vec![7], vec![7]);
            runs(&row, &mut starts, &mut ends);
            (starts, ends)
        }) {
            assert_eq!(found, (starts.clone(), ends.clone()));
        }
    }
}
