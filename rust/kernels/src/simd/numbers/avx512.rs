//! The same, 64 bytes at a time.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{FIRSTS, begins_with_digit, digits_beyond_ascii};
use ilk_joins::simd::vector::{append_u8, load_part_u8};

/// See [`super::push_with_numbers_as_zero`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn push_with_numbers_as_zero(text: &[u8], to: &mut Vec<u8>) -> bool {
    to.reserve(text.len() + 64);
    // Bytes of a digit that began in the block before.
    let mut begun = 0;
    let (mut digit_before, mut number_before, mut any) = (0, 0, 0);
    for at in (0..text.len()).step_by(64) {
        let rest = &text[at..];
        let block = load_part_u8(rest);
        let mut digit = from_to(block, b'0', b'9') | begun;
        begun = 0;
        if _mm512_movepi8_mask(block) != 0 {
            let beyond = digits_beyond_ascii(possible_digits_beyond_ascii(block, rest), rest);
            digit |= beyond as u64;
            begun = (beyond >> 64) as u64;
        }
        let separator = separators(block) & (digit << 1 | digit_before);
        let mut before_digit = digit >> 1;
        if separator >> 63 != 0 {
            before_digit |= u64::from(begins_with_digit(&rest[64..])) << 63;
        }
        let number = digit | separator & before_digit;
        let first = number & !(number << 1 | number_before);
        (digit_before, number_before) = (digit >> 63, number >> 63);
        any |= number;
        let kept = (!number | first) & _bzhi_u64(u64::MAX, rest.len().min(64) as u32);
        let lanes = _mm512_mask_mov_epi8(block, first, in_every_lane(b'0'));
        append_u8(to, _mm512_maskz_compress_epi8(kept, lanes), kept.count_ones() as usize);
    }
    any != 0
}

#[inline]
#[target_feature(enable = "avx512f")]
fn in_every_lane(byte: u8) -> __m512i {
    _mm512_set1_epi8(byte.cast_signed())
}

/// Points and commas.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn separators(block: __m512i) -> u64 {
    _mm512_cmpeq_epi8_mask(block, in_every_lane(b'.'))
        | _mm512_cmpeq_epi8_mask(block, in_every_lane(b','))
}

/// Bytes between two, both included.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn from_to(block: __m512i, low: u8, high: u8) -> u64 {
    let from_low = _mm512_sub_epi8(block, in_every_lane(low));
    _mm512_cmple_epu8_mask(from_low, in_every_lane(high - low))
}

/// Bytes at which digits beyond ASCII begin, and some other characters: the second and the third
/// byte rule out nearly every letter.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn possible_digits_beyond_ascii(block: __m512i, rest: &[u8]) -> u64 {
    let [arabic, persian, nko, indic, eastern, african, wide, beyond] =
        FIRSTS.map(|first| _mm512_cmpeq_epi8_mask(block, in_every_lane(first)));
    if arabic | persian | nko | indic | eastern | african | wide | beyond == 0 {
        return 0;
    }
    let second = load_part_u8(rest.get(1..).unwrap_or_default());
    let third = load_part_u8(rest.get(2..).unwrap_or_default());
    // The digits of a script of India, Thai or Lao are in the second half of its 128 characters,
    // Tibetan ones in the first.
    let half = _mm512_test_epi8_mask(second, in_every_lane(1))
        | _mm512_cmpeq_epi8_mask(second, in_every_lane(0xBC));
    let low = from_to(third, 0x90, 0x99) | from_to(third, 0xA0, 0xAF);
    arabic & from_to(second, 0xA0, 0xA9)
        | persian & from_to(second, 0xB0, 0xB9)
        | nko & from_to(second, 0x80, 0x89)
        | indic & half & low
        // Behind them come the letters of Vietnamese and ancient Greek.
        | eastern & from_to(second, 0x80, 0xB1)
        // And here the syllables of Korean.
        | african & from_to(second, 0x80, 0xAF)
        | wide & from_to(second, 0xBC, 0xBC)
        | beyond
}
