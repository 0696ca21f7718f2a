//! The same in two registers of 32 bytes.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{FIRSTS, begins_with_digit, digits_beyond_ascii};
use crate::simd::halves::Halves;

/// See [`super::push_with_numbers_as_zero`].
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub fn push_with_numbers_as_zero(text: &[u8], to: &mut Vec<u8>) -> bool {
    to.reserve(text.len() + 64);
    // Bytes of a digit that began in the block before.
    let mut begun = 0;
    let (mut digit_before, mut number_before, mut any) = (0, 0, 0);
    for at in (0..text.len()).step_by(64) {
        let rest = &text[at..];
        let block = Halves::load_part(rest);
        let mut digit = block.among(b'0', 10).tops() | begun;
        begun = 0;
        if block.tops() != 0 {
            let beyond = digits_beyond_ascii(possible_digits_beyond_ascii(block), rest);
            digit |= beyond as u64;
            begun = (beyond >> 64) as u64;
        }
        let present = _bzhi_u64(u64::MAX, rest.len().min(64) as u32);
        if digit == 0 {
            (digit_before, number_before) = (0, 0);
            block.append_kept(to, present);
            continue;
        }
        let separator = block.equal(b'.').or(block.equal(b',')).tops();
        let separator = separator & (digit << 1 | digit_before);
        let mut before_digit = digit >> 1;
        if separator >> 63 != 0 {
            before_digit |= u64::from(begins_with_digit(&rest[64..])) << 63;
        }
        let number = digit | separator & before_digit;
        let first = number & !(number << 1 | number_before);
        (digit_before, number_before) = (digit >> 63, number >> 63);
        any |= number;
        block.with(Halves::of_mask(first), b'0').append_kept(to, (!number | first) & present);
    }
    any != 0
}

#[inline]
#[target_feature(enable = "avx2")]
fn possible_digits_beyond_ascii(block: Halves) -> u64 {
    FIRSTS.iter().map(|&first| block.equal(first).tops()).fold(0, |all, some| all | some)
}
