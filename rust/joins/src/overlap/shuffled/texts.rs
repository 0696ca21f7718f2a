//! The texts that are joined, and the sets of shingles that each is joined by.

use super::Class;
use crate::hash;
use crate::overlap::{Hashes, Plain};

/// Columns of the texts that are joined; every column has a row a text.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'a> {
    /// Name of each.
    pub docs: &'a [i64],
    /// Number of words of each.
    pub words: &'a [u32],
    /// The whole hashes of its shingles of words.
    pub word_hashes: Hashes<'a>,
    /// Its shingles of characters, where it is not long.
    pub character_shingles: Plain<'a>,
}

/// Calls `take` with the class and the shingles of each set that a text is joined by.
pub(super) fn each_set(
    texts: Texts,
    row: usize,
    take: &mut dyn FnMut(Class, &mut dyn Iterator<Item = u64>),
) {
    let words = texts.words.get(row).copied().unwrap_or(0);
    let hashes = texts.word_hashes.get(row);
    if !hashes.is_empty() {
        take(Class::of_words(words), &mut hashes.iter().copied());
    }
    let characters = texts.character_shingles.get(row);
    if let Some(class) = Class::of_characters(words).filter(|_| !characters.is_empty()) {
        take(class, &mut characters.iter().map(|&id| hash::mix(u64::from(id))));
    }
}

/// The cells, of 2^`bits` (1 to 32), of all shingles that a text is joined by.
pub fn cells(texts: Texts, row: usize, bits: u32, cells: &mut Vec<u32>) {
    let shift = u64::BITS - bits.clamp(1, 32);
    each_set(texts, row, &mut |_, keys| cells.extend(keys.map(|key| (key >> shift) as u32)));
}

/// Counts cells of a sample into a table of 2^`bits`, to 255; those past it are left out.
#[must_use]
pub fn count(cells: impl Iterator<Item = u32>, bits: u32) -> Vec<u8> {
    let mut counts = vec![0_u8; 1 << bits.clamp(1, 32)];
    for cell in cells {
        if let Some(count) = counts.get_mut(cell as usize) {
            *count = count.saturating_add(1);
        }
    }
    counts
}
