//! Steps of normalisation in whole blocks: lower case, white space.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(test)]
mod tests;

use crate::characters::{self, Class, Rewrite, is_ascii_space};
use ilk_joins::dispatch;
use ilk_joins::simd::Level;

/// Appends what a text begins with that folding keeps: ASCII, which it makes lower case, and other
/// characters that stay as they are, with the class of each of these. Returns how many bytes.
pub fn push_prefix_kept_by_folding(
    text: &str,
    to: &mut Vec<u8>,
    classes: &mut Vec<Class>,
) -> usize {
    let bytes = text.as_bytes();
    let done = dispatch!(
        Level::detect(),
        Avx512 | Avx512F | Avx2 => avx2::push_prefix_kept_by_folding(bytes, to, classes),
        _ => 0
    );
    done + push_prefix_kept_by_folding_portably(&text[done..], to, classes)
}

fn push_prefix_kept_by_folding_portably(
    text: &str,
    to: &mut Vec<u8>,
    classes: &mut Vec<Class>,
) -> usize {
    let mut at = 0;
    while at < text.len() {
        let start = at;
        at += push_lowercase(&text.as_bytes()[at..], to);
        let others = at;
        for c in text[at..].chars().take_while(|c| !c.is_ascii()) {
            let (Rewrite::Keep, class) = characters::rewrite(c) else { break };
            classes.push(class);
            at += c.len_utf8();
        }
        to.extend_from_slice(&text.as_bytes()[others..at]);
        if at == start {
            break;
        }
    }
    at
}

fn push_lowercase(bytes: &[u8], to: &mut Vec<u8>) -> usize {
    let blocks = bytes.chunks(64).take_while(|block| block.is_ascii()).map(<[u8]>::len).sum();
    let rest = &bytes[blocks..];
    let run = blocks + rest.iter().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
    let start = to.len();
    to.extend_from_slice(&bytes[..run]);
    to[start..].make_ascii_lowercase();
    run
}

/// Length in bytes of the characters that folding keeps and that end in the first 64 bytes;
/// those beyond ASCII begin at `firsts`. And whether none but these end there. Appends their
/// classes.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "bmi1,bmi2")]
fn kept_length(reach: &[u8; 67], mut firsts: u64, classes: &mut Vec<Class>) -> (usize, bool) {
    let mut found = [Class::Separator; 32];
    let mut count = 0;
    let mut run = (64, true);
    while firsts != 0 {
        let place = firsts.trailing_zeros() as usize;
        let Some(bytes) = reach[place..].first_chunk() else { break };
        let (code, length) = decode(*bytes);
        if place + length > 64 {
            run = (place, true);
            break;
        }
        let Some(class) = characters::class_if_known_and_kept(code) else {
            run = (place, false);
            break;
        };
        found[count] = class;
        count += 1;
        firsts &= firsts - 1;
    }
    classes.extend_from_slice(&found[..count]);
    run
}

/// The code point that these bytes of UTF-8 begin with, which is beyond ASCII, and its length;
/// without a branch, since it cannot be predicted.
#[cfg(target_arch = "x86_64")]
#[inline]
fn decode(bytes: [u8; 4]) -> (u32, usize) {
    let length = bytes[0].leading_ones();
    let four = u32::from_be_bytes(bytes) & u32::MAX.checked_shr(length + 1).unwrap_or(0);
    let code = four & 0x3F | four >> 2 & 0xFC0 | four >> 4 & 0x3_F000 | four >> 6 & 0x1FC_0000;
    (code.checked_shr(6 * 4u32.saturating_sub(length)).unwrap_or(0), length as usize)
}

/// Appends a part of a text, in which each run of white space becomes one space. `after_space` says
/// whether white space is before the part, and afterwards whether it is at its end.
pub fn push_collapsed(part: &[u8], after_space: &mut bool, to: &mut Vec<u8>) {
    dispatch!(
        Level::detect(),
        Avx512 => avx512::push_collapsed(part, after_space, to),
        Avx512F | Avx2 => avx2::push_collapsed(part, after_space, to),
        _ => push_collapsed_portably(part, after_space, to)
    )
}

fn push_collapsed_portably(part: &[u8], after_space: &mut bool, to: &mut Vec<u8>) {
    let start = to.len();
    to.extend_from_slice(part);
    let left = collapse_portably(&mut to[start..], after_space);
    to.truncate(start + left);
}

/// Makes one space of each run of white space, and none of one at the start; in place. Returns how
/// many bytes are left.
pub fn collapse(bytes: &mut [u8]) -> usize {
    dispatch!(
        Level::detect(),
        Avx512 => avx512::collapse(bytes),
        Avx512F | Avx2 => avx2::collapse(bytes),
        _ => collapse_portably(bytes, &mut true)
    )
}

fn collapse_portably(bytes: &mut [u8], after_space: &mut bool) -> usize {
    let mut written = 0;
    for read in 0..bytes.len() {
        let byte = bytes[read];
        let space = is_ascii_space(byte);
        bytes[written] = if space { b' ' } else { byte };
        written += usize::from(!(space && *after_space));
        *after_space = space;
    }
    written
}
