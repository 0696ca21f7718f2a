#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::characters;
use ilk_joins::simd::each_level;

fn random_bytes(length: usize, seed: u64, alphabet: &[u8]) -> Vec<u8> {
    let mut state = seed;
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            alphabet[(state >> 33) as usize % alphabet.len()]
        })
        .collect()
}

fn rows(in_word: Vec<u64>, in_unspaced: Vec<u64>) -> BitRows {
    BitRows { following: vec![0; in_word.len()], in_word, in_unspaced }
}

fn bit(row: &[u64], at: usize) -> bool {
    row[at / 64] >> (at % 64) & 1 == 1
}

/// Bytes that belong to words, and to runs without spaces, one character after the other.
fn by_definition(text: &str) -> (Vec<bool>, Vec<bool>) {
    let (mut in_word, mut in_unspaced) = (vec![], vec![]);
    for c in text.chars() {
        let after_unspaced = in_unspaced.last() == Some(&true);
        let (word, unspaced) = match characters::class(c) {
            Class::Word => (true, false),
            Class::Mark => (!after_unspaced, after_unspaced),
            Class::Unspaced => (false, true),
            Class::Separator | Class::Space => (false, false),
        };
        in_word.extend(std::iter::repeat_n(word, c.len_utf8()));
        in_unspaced.extend(std::iter::repeat_n(unspaced, c.len_utf8()));
    }
    (in_word, in_unspaced)
}

#[test]
fn every_level_classifies_every_character_at_every_place() {
    let ascii: Vec<char> = (0..128u8).map(char::from).collect();
    let beyond: Vec<char> = "é\u{301}\u{93F}क—漢ーกิ\u{20000}\u{1F600}\u{1E000}".chars().collect();
    for length in (0..200).chain([4096]) {
        for part in 0..4 {
            let choices = random_bytes(length, length as u64, &(0..=255).collect::<Vec<_>>());
            let pick = |(i, &byte): (usize, &u8)| {
                let pool = if i % 4 < part { &beyond } else { &ascii };
                pool[usize::from(byte) % pool.len()]
            };
            let text: String = choices.iter().enumerate().map(pick).collect();
            let classes: Vec<Class> =
                text.chars().filter(|c| !c.is_ascii()).map(characters::class).collect();
            let expected = by_definition(&text);
            for BitRows { in_word, in_unspaced, following } in each_level(|| {
                let mut rows = rows(vec![7], vec![7]);
                classify(text.as_bytes(), &classes, &mut rows);
                rows
            }) {
                assert_eq!(in_word.len(), text.len().div_ceil(64));
                assert_eq!(in_unspaced.len(), text.len().div_ceil(64));
                for at in 0..64 * in_word.len() {
                    let wanted = |row: &[bool]| row.get(at).copied().unwrap_or(false);
                    assert_eq!(bit(&in_word, at), wanted(&expected.0), "{text:?}");
                    assert_eq!(bit(&in_unspaced, at), wanted(&expected.1), "{text:?}");
                    let begins = text.is_char_boundary(at) || at > text.len();
                    assert!(begins || bit(&following, at), "{text:?}");
                    assert!(!begins || !bit(&following, at), "{text:?}");
                }
            }
        }
    }
}

#[test]
fn every_level_finds_the_runs() {
    let mut all: Vec<Vec<u64>> = vec![
        vec![],
        vec![0],
        vec![u64::MAX],
        vec![u64::MAX; 5],
        vec![0x5555_5555_5555_5555; 3],
        vec![0xAAAA_AAAA_AAAA_AAAA; 3],
        vec![1 << 63, 1, 0, 1 << 63],
    ];
    all.extend((0..100).map(|seed| {
        let bytes =
            random_bytes(8 * (seed as usize % 9), seed, &[0, 1, 0x80, 0x3C, 0xFF, 0x55, 0x99]);
        bytes.chunks(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect()
    }));
    for row in all {
        let at = |place: usize| place < 64 * row.len() && bit(&row, place);
        let places = 0..=64 * row.len();
        let before = |place: usize| place > 0 && at(place - 1);
        let starts: Vec<usize> = places.clone().filter(|&p| at(p) && !before(p)).collect();
        let ends: Vec<usize> = places.filter(|&p| !at(p) && before(p)).collect();
        for found in each_level(|| {
            let (mut starts, mut ends) = (vec![7], vec![7]);
            cut(&rows(row.clone(), vec![0; row.len()]), &mut starts, &mut ends);
            (starts, ends)
        }) {
            assert_eq!(found, (starts.clone(), ends.clone()));
        }
    }
}
