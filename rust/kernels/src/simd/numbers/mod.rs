//! Texts with every number written as 0.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

use crate::characters;
use ilk_joins::dispatch;
use ilk_joins::simd::Level;

/// Appends a text in UTF-8 with every number written as 0; returns whether there is any.
///
/// A number is a run of decimal digits that may contain single points and commas.
pub fn push_with_numbers_as_zero(text: &[u8], to: &mut Vec<u8>) -> bool {
    dispatch!(
        Level::detect(),
        Avx512 => avx512::push_with_numbers_as_zero(text, to),
        Avx512F | Avx2 => avx2::push_with_numbers_as_zero(text, to),
        _ => portable::push_with_numbers_as_zero(text, to)
    )
}

/// Bytes that decimal digits beyond ASCII begin with; of other characters only few.
const FIRSTS: [u8; 8] = [0xD9, 0xDB, 0xDF, 0xE0, 0xE1, 0xEA, 0xEF, 0xF0];

/// The bytes of the character beyond ASCII at a place of some UTF-8, if it is a decimal digit.
fn digit_length_beyond_ascii(text: &[u8], at: usize) -> Option<usize> {
    let length = text[at].leading_ones() as usize;
    let bytes = text.get(at..at + length)?;
    if !may_be_digit(bytes) {
        return None;
    }
    let character = str::from_utf8(bytes).ok()?.chars().next()?;
    characters::is_digit(character).then_some(length)
}

/// Return whether these bytes of one character beyond ASCII may be a digit: the second and the
/// third rule out nearly every letter.
fn may_be_digit(bytes: &[u8]) -> bool {
    match *bytes {
        [0xD9, second] => matches!(second, 0xA0..=0xA9),
        [0xDB, second] => matches!(second, 0xB0..=0xB9),
        [0xDF, second] => matches!(second, 0x80..=0x89),
        // The digits of a script of India, Thai or Lao are in the second half of its 128
        // characters, Tibetan ones in the first.
        [0xE0, second, third] => {
            (second % 2 == 1 || second == 0xBC) && matches!(third, 0x90..=0x99 | 0xA0..=0xAF)
        }
        _ => true,
    }
}

#[cfg(target_arch = "x86_64")]
fn begins_with_digit(text: &[u8]) -> bool {
    text.first().is_some_and(|first| first.is_ascii_digit())
        || text.first().is_some_and(|first| !first.is_ascii())
            && digit_length_beyond_ascii(text, 0).is_some()
}

/// The bytes of the digits beyond ASCII that begin at some of the places `firsts` of a block, which
/// may reach over its end.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "bmi1,bmi2")]
fn digits_beyond_ascii(mut firsts: u64, rest: &[u8]) -> u128 {
    let mut digits = 0;
    while firsts != 0 {
        let place = firsts.trailing_zeros() as usize;
        if let Some(length) = digit_length_beyond_ascii(rest, place) {
            digits |= ((1u128 << length) - 1) << place;
        }
        firsts &= firsts - 1;
    }
    digits
}
