//! The same in two registers of 32 bytes.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::kept_length;
use crate::characters::{Class, is_ascii_space};
use crate::simd::halves::Halves;

/// See [`super::push_prefix_kept_by_folding`]; stops near the end of the text at the latest.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub fn push_prefix_kept_by_folding(
    text: &[u8],
    to: &mut Vec<u8>,
    classes: &mut Vec<Class>,
) -> usize {
    let mut at = 0;
    // A character that begins in a block may have three bytes after it.
    while let Some(reach) = text.get(at..).and_then(<[u8]>::first_chunk::<67>) {
        let Some(block) = reach.first_chunk() else { break };
        let block = Halves::load(block);
        let beyond = block.tops();
        if beyond == 0 {
            block.lowercase().append_bytes(to, 64);
            at += 64;
            continue;
        }
        let (run, whole) = kept_length(reach, beyond & !block.following().tops(), classes);
        block.lowercase().append_bytes(to, run);
        at += run;
        if !whole {
            break;
        }
    }
    at
}

/// See [`super::push_collapsed`].
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub fn push_collapsed(part: &[u8], after_space: &mut bool, to: &mut Vec<u8>) {
    let mut after = u64::from(*after_space);
    for at in (0..part.len()).step_by(64) {
        let rest = &part[at..];
        let length = rest.len().min(64);
        let (block, kept) = collapse_block(Halves::load_part(rest), &mut after);
        block.append_kept(to, kept & _bzhi_u64(u64::MAX, length as u32));
        *after_space = is_ascii_space(rest[length - 1]);
    }
}

/// See [`super::collapse`].
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub fn collapse(bytes: &mut [u8]) -> usize {
    let (mut written, mut after) = (0, 1);
    let whole = bytes.len() & !63;
    for at in (0..whole).step_by(64) {
        let (block, kept) = collapse_block(Halves::load_part(&bytes[at..]), &mut after);
        // Bytes written beyond those kept have been read: `written` is never ahead of `at`.
        if let Some(to) = bytes[written..].first_chunk_mut() {
            written += block.store_kept(to, kept);
        }
    }
    let left = super::collapse_portably(&mut bytes[whole..], &mut (after == 1));
    bytes.copy_within(whole..whole + left, written);
    written + left
}

/// A block with spaces for white space, and the places that are kept; `after_space` is 1 if there
/// was white space before the block, else 0.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn collapse_block(block: Halves, after_space: &mut u64) -> (Halves, u64) {
    let spaces = block.equal(b' ').or(block.among(b'\t', 5));
    let space = spaces.tops();
    let kept = !(space & (space << 1 | *after_space));
    *after_space = space >> 63;
    (block.with(spaces, b' '), kept)
}
