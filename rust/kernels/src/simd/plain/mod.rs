//! Plain characters of strings of JSON: all but quotes, backslashes and control characters.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(test)]
mod tests;

use ilk_joins::dispatch;
use ilk_joins::simd::Level;

/// Bytes that are looked at together.
const BLOCK: usize = 32;

/// Appends the plain characters that some bytes begin with; returns how many bytes.
#[inline]
pub fn push_plain(bytes: &[u8], to: &mut Vec<u8>) -> usize {
    dispatch!(
        Level::detect(),
        Avx512 | Avx512F => avx512::push_plain(bytes, to),
        Avx2 => avx2::push_plain(bytes, to),
        _ => push_plain_portably(bytes, to)
    )
}

fn push_plain_portably(bytes: &[u8], to: &mut Vec<u8>) -> usize {
    let count = plain(bytes);
    to.extend_from_slice(&bytes[..count]);
    count
}

/// The number of plain characters that some bytes begin with, in bytes.
pub fn plain(bytes: &[u8]) -> usize {
    let is_odd = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let plain = |block: &&[u8; BLOCK]| !block.iter().fold(false, |odd, &byte| odd | is_odd(byte));
    let mut start = BLOCK * blocks.iter().take_while(plain).count();
    for word in bytes[start..].as_chunks::<8>().0 {
        let odd = odd_of(u64::from_le_bytes(*word));
        if odd != 0 {
            return start + odd.trailing_zeros() as usize / 8;
        }
        start += 8;
    }
    start + bytes[start..].iter().take_while(|&&byte| !is_odd(byte)).count()
}

/// The high bit of the first byte that is no plain character, perhaps with others above it.
fn odd_of(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    // A byte less than a number borrows from its high bit, if that was not set.
    let less = |word: u64, than: u8| word.wrapping_sub(ONES * u64::from(than)) & !word;
    let equal = |byte: u8| less(word ^ (ONES * u64::from(byte)), 1);
    (less(word, b' ') | equal(b'"') | equal(b'\\')) & (ONES << 7)
}
