//! Runs of ASCII, in lower case.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(test)]
mod tests;

use crate::simd::level::Level;

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
