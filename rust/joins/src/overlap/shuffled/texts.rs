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
