//! What can be done to a text in whole blocks: lower case, white space.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(test)]
mod tests;

use crate::characters::{self, Class, Rewrite, is_ascii_space};
use crate::simd::level::{Level, dispatch};

/// Appends what a text begins with that folding keeps: ASCII, which it makes lower case, and other
/// characters that stay as they are, with the class of each of these. Returns how many bytes.
pub fn push_kept(text: &str, to: &mut Vec<u8>, classes: &mut Vec<Class>) -> usize {
    let bytes = text.as_bytes();
    let done = dispatch!(Level::detect(), Avx512 => avx512::push_kept(bytes, to, classes), _ => 0);
    done + push_kept_portably(&text[done..], to, classes)
}

fn push_kept_portably(text: &str, to: &mut Vec<u8>, classes: &mut Vec<Class>) -> usize {
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

/// Appends a part of a text, in which each run of white space becomes one space. `after_space` says
/// whether white space stands in front of the part, and afterwards whether it stands at its end.
pub fn push_collapsed(part: &[u8], after_space: &mut bool, to: &mut Vec<u8>) {
    dispatch!(
        Level::detect(),
        Avx512 => avx512::push_collapsed(part, after_space, to),
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
