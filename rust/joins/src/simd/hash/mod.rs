//! The hashes of [`crate::hash`], for whole rows of words, shingles and features.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(test)]
mod tests;

#[cfg(target_arch = "x86_64")]
pub(in crate::simd) use avx512::hash_eight_into_features;

use crate::dispatch;
use crate::hash::{self, Function, Half};
use crate::simd::Level;

/// Appends the hash of every token `bytes[starts[i]..ends[i]]`.
pub fn hash_tokens(
    hash: Function,
    bytes: &[u8],
    starts: &[usize],
    ends: &[usize],
    hashes: &mut Vec<u64>,
) {
    if hash != Function::Ilk {
        let tokens = starts.iter().zip(ends);
        return hashes.extend(tokens.map(|(&start, &end)| hash.hash(&bytes[start..end])));
    }
    let done = dispatch!(Level::detect(), Avx512 | Avx512F => avx512::hash_tokens(bytes, starts, ends, hashes), _ => 0);
    let rest = starts[done..].iter().zip(&ends[done..]);
    hashes.extend(rest.map(|(&start, &end)| hash::hash_bytes_within(bytes, start..end)));
}

/// Appends the hash of every run of `width` adjacent bytes, `width` at least 1.
pub fn hash_windows(bytes: &[u8], width: usize, hashes: &mut Vec<u64>) {
    let done = dispatch!(Level::detect(), Avx512 | Avx512F => avx512::hash_windows(bytes, width, hashes), _ => 0);
    hashes.extend(bytes[done..].windows(width).map(hash::hash_bytes));
}

/// Appends the ids of the same runs.
pub fn make_window_ids(bytes: &[u8], width: usize, ids: &mut Vec<u32>) {
    let done = dispatch!(Level::detect(), Avx512 | Avx512F => avx512::make_window_ids(bytes, width, ids), _ => 0);
    ids.extend(
        bytes[done..].windows(width).map(|window| hash::id_of_hash(hash::hash_bytes(window))),
    );
}

/// Appends the hash of every `width` adjacent words, `width` at least 1, from the words' hashes.
pub fn hash_shingles(words: &[u64], width: usize, hashes: &mut Vec<u64>) {
    let done = dispatch!(Level::detect(), Avx512 | Avx512F => avx512::hash_shingles(words, width, hashes), _ => 0);
    hashes.extend(words[done..].windows(width).map(hash::hash_shingle));
}

/// Appends the ids of the same shingles.
pub fn make_shingle_ids(words: &[u64], width: usize, ids: &mut Vec<u32>) {
    let done = dispatch!(Level::detect(), Avx512 | Avx512F => avx512::make_shingle_ids(words, width, ids), _ => 0);
    ids.extend(
        words[done..].windows(width).map(|words| hash::id_of_hash(hash::hash_shingle(words))),
    );
}

/// Appends half of the pseudo-random bits of every feature.
pub fn expand_ids(ids: &[u32], half: Half, features: &mut Vec<u64>) {
    let done = dispatch!(Level::detect(), Avx512 | Avx512F => avx512::expand_ids(ids, half, features), _ => 0);
    features.extend(ids[done..].iter().map(|&id| hash::expand_id(id, half)));
}
