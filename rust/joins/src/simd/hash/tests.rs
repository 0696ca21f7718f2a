#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::simd::each_level;

fn random(count: usize, seed: u64) -> Vec<u64> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state >> 32 ^ state << 17
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn every_level_hashes_tokens_of_every_length_up_to_the_end() {
    for seed in 0..60 {
        let bytes: Vec<u8> = random(700, seed).iter().map(|x| *x as u8).collect();
        let longest = 1 + seed % 40;
        let (mut starts, mut ends, mut at) = (vec![], vec![], 0);
        for x in random(200, seed + 100) {
            let (gap, length) = ((x % 3) as usize, 1 + (x / 3 % longest) as usize);
            if at + gap + length > bytes.len() {
                break;
            }
            starts.push(at + gap);
            ends.push(at + gap + length);
            at += gap + length;
        }
        starts.push(bytes.len() - 1);
        ends.push(bytes.len());
        let expected: Vec<u64> = std::iter::once(5)
            .chain(starts.iter().zip(&ends).map(|(&s, &e)| hash::hash_bytes(&bytes[s..e])))
            .collect();
        for found in each_level(|| {
            let mut hashes = vec![5];
            hash_tokens(Function::Ilk, &bytes, &starts, &ends, &mut hashes);
            hashes
        }) {
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn every_level_hashes_a_token_of_a_megabyte() {
    let bytes = vec![b'x'; 1 << 20];
    let starts = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    let ends = [bytes.len(); 9];
    let expected: Vec<u64> =
        starts.iter().map(|&start| hash::hash_bytes(&bytes[start..])).collect();
    for found in each_level(|| {
        let mut hashes = Vec::new();
        hash_tokens(Function::Ilk, &bytes, &starts, &ends, &mut hashes);
        hashes
    }) {
        assert!(found == expected);
    }
}

#[test]
fn every_level_hashes_windows_of_every_width() {
    let bytes: Vec<u8> = random(400, 1).iter().map(|x| *x as u8).collect();
    for length in [0, 1, 7, 8, 9, 15, 31, 32, 33, 40, 63, 64, 65, 400] {
        let bytes = &bytes[..length];
        for width in 1..=70 {
            let expected: Vec<u64> = bytes.windows(width).map(hash::hash_bytes).collect();
            for (hashes, ids) in each_level(|| {
                let (mut hashes, mut ids) = (Vec::new(), vec![7]);
                hash_windows(bytes, width, &mut hashes);
                make_window_ids(bytes, width, &mut ids);
                (hashes, ids)
            }) {
                let of_hashes = expected.iter().map(|&hash| hash::id_of_hash(hash));
                assert!(ids.into_iter().eq(std::iter::once(7).chain(of_hashes)));
                assert_eq!(hashes, expected, "{length} bytes by {width}");
            }
        }
    }
}

#[test]
fn every_level_hashes_shingles_of_every_width() {
    let words = random(300, 2);
    for length in [0, 1, 7, 8, 9, 10, 15, 16, 17, 64, 300] {
        let words = &words[..length];
        for width in 1..=66 {
            let expected: Vec<u64> = words.windows(width).map(hash::hash_shingle).collect();
            for (hashes, ids) in each_level(|| {
                let (mut hashes, mut ids) = (Vec::new(), Vec::new());
                hash_shingles(words, width, &mut hashes);
                make_shingle_ids(words, width, &mut ids);
                (hashes, ids)
            }) {
                assert_eq!(hashes, expected, "{length} words by {width}");
                assert!(
                    ids.iter().eq(expected
                        .iter()
                        .map(|&h| hash::id_of_hash(h))
                        .collect::<Vec<_>>()
                        .iter())
                );
            }
        }
    }
}

#[test]
fn every_level_expands_features() {
    let ids: Vec<u32> = random(100, 3).iter().map(|&x| x as u32).collect();
    for half in [Half::Low, Half::High] {
        for length in [0, 1, 7, 8, 9, 100] {
            let ids = &ids[..length];
            let expected: Vec<u64> = ids.iter().map(|&id| hash::expand_id(id, half)).collect();
            for found in each_level(|| {
                let mut features = Vec::new();
                expand_ids(ids, half, &mut features);
                features
            }) {
                assert_eq!(found, expected);
            }
        }
    }
}
