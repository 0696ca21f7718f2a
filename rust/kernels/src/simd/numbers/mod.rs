//! Texts without their numbers.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

use crate::characters;
use crate::simd::level::{Level, dispatch};

/// Appends a text in UTF-8 with every number written as 0; returns whether there is any.
///
/// A number is a run of decimal digits, in which single points and commas may stand.
pub fn push_masked(text: &[u8], to: &mut Vec<u8>) -> bool {
    dispatch!(
        Level::detect(),
        Avx512 => avx512::push_masked(text, to),
        _ => portable::push_masked(text, to)
    )
}

/// Bytes that decimal digits beyond ASCII begin with; of other characters only few.
const FIRSTS: [u8; 8] = [0xD9, 0xDB, 0xDF, 0xE0, 0xE1, 0xEA, 0xEF, 0xF0];

/// The bytes of the character beyond ASCII at a place of some UTF-8, if it is a decimal digit.
fn digit_beyond_ascii(text: &[u8], at: usize) -> Option<usize> {
    let length = text[at].leading_ones() as usize;
    let character = str::from_utf8(text.get(at..at + length)?).ok()?.chars().next()?;
    characters::is_digit(character).then_some(length)
}
