//! The same in two registers of 32 bytes.

#![allow(unsafe_code)]

use crate::simd::halves::Halves;

/// See [`super::push_plain`].
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub fn push_plain(bytes: &[u8], to: &mut Vec<u8>) -> usize {
    let mut at = 0;
    loop {
        let rest = &bytes[at..];
        let block = Halves::load_part(rest);
        let odd = block.among(0, 32).or(block.equal(b'"')).or(block.equal(b'\\')).tops();
        // What is beyond the end is 0, a control character.
        let count = odd.trailing_zeros() as usize;
        block.append_bytes(to, count);
        at += count;
        if count < 64 {
            return at;
        }
    }
}
