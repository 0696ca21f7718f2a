use super::*;
use crate::simd::each_level;

#[test]
fn every_level_stops_at_the_first_byte_beyond_ascii() {
    let all: Vec<u8> = (0..300u32).map(|i| (i * 37 % 128) as u8).collect();
    for length in 0..all.len() {
        for high in (0..=length).filter(|high| length < 140 || high % 7 == 0) {
            let mut bytes = all[..length].to_vec();
            if let Some(byte) = bytes.get_mut(high) {
                *byte = 0x80 + (high % 128) as u8;
            }
            let mut expected = b"Before".to_vec();
            expected.extend(bytes[..high].iter().map(u8::to_ascii_lowercase));
            for (run, found) in each_level(|| {
                let mut to = b"Before".to_vec();
                (push_lowercase(&bytes, &mut to), to)
            }) {
                assert_eq!(run, high);
                assert_eq!(found, expected);
            }
        }
    }
}

#[test]
fn every_level_collapses_white_space() {
    let mut state = 1u64;
    for length in (0..300).chain([5000]) {
        for alphabet in ["a \n", " ", "\t\u{b}\u{c}\r\u{8}\u{e} ", "word word", "é\u{a0}  "] {
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    alphabet.as_bytes()[(state >> 33) as usize % alphabet.len()]
                })
                .collect();
            let mut expected = Vec::new();
            for (i, &byte) in bytes.iter().enumerate() {
                if !is_space(byte) {
                    expected.push(byte);
                } else if i > 0 && !is_space(bytes[i - 1]) {
                    expected.push(b' ');
                }
            }
            for found in each_level(|| {
                let mut bytes = bytes.clone();
                let left = collapse(&mut bytes);
                bytes.truncate(left);
                bytes
            }) {
                assert_eq!(found, expected);
            }
        }
    }
}
