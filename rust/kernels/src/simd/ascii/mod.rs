//! What can be done to ASCII in whole blocks: lower case, white space.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(test)]
mod tests;

use crate::simd::level::Level;
use crate::text::is_space;

/// Appends the ASCII bytes that `bytes` begins with, in lower case; returns how many.
pub fn push_lowercase(bytes: &[u8], to: &mut Vec<u8>) -> usize {
    match Level::detect() {
        // SAFETY: the level says that the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::push_lowercase(bytes, to) },
        Level::Portable => push_lowercase_portably(bytes, to),
    }
}

fn push_lowercase_portably(bytes: &[u8], to: &mut Vec<u8>) -> usize {
    let blocks = bytes.chunks(64).take_while(|block| block.is_ascii()).map(<[u8]>::len).sum();
    let rest = &bytes[blocks..];
    let run = blocks + rest.iter().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
    let start = to.len();
    to.extend_from_slice(&bytes[..run]);
    to[start..].make_ascii_lowercase();
    run
}

/// Makes one space of each run of white space, and none of one at the start; in place. Returns how
/// many bytes are left.
pub fn collapse(bytes: &mut [u8]) -> usize {
    match Level::detect() {
        // SAFETY: the level says that the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::collapse(bytes) },
        Level::Portable => collapse_portably(bytes),
    }
}

fn collapse_portably(bytes: &mut [u8]) -> usize {
    let mut written = 0;
    let mut after_space = true;
    for read in 0..bytes.len() {
        let byte = bytes[read];
        let space = is_space(byte);
        bytes[written] = if space { b' ' } else { byte };
        written += usize::from(!(space && after_space));
        after_space = space;
    }
    written
}
