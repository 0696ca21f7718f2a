//! The texts that are joined, and the sets of shingles that each is joined by.

use super::SetKind;
use crate::hash;
use crate::judge::LengthClass;
use crate::overlap::{HashSets, IdSets};

/// Columns of the texts that are joined; every column has a row a text.
#[derive(Debug, Clone, Copy)]
pub struct ShuffledTexts<'a> {
    /// Name of each.
    pub docs: &'a [i64],
    /// Number of words of each.
    pub words: &'a [u32],
    /// The whole hashes of its shingles of words.
    pub word_hashes: HashSets<'a>,
    /// Its shingles of characters, where it is not long.
    pub character_shingles: IdSets<'a>,
}

/// Calls `take` with the kind and the shingles of each set that a text is joined by.
pub(super) fn each_nonempty_set(
    texts: ShuffledTexts,
    row: usize,
    take: &mut dyn FnMut(SetKind, &mut dyn Iterator<Item = u64>),
) {
    let length = LengthClass::of(texts.words.get(row).copied().unwrap_or(0));
    let hashes = texts.word_hashes.set_or_empty(row);
    if !hashes.is_empty() {
        take(SetKind { is_of_characters: false, length }, &mut hashes.iter().copied());
    }
    let characters = texts.character_shingles.set_or_empty(row);
    if length != LengthClass::Long && !characters.is_empty() {
        let kind = SetKind { is_of_characters: true, length };
        take(kind, &mut characters.iter().map(|&id| hash::mix(u64::from(id))));
    }
}

/// The cells, of 2^`bits` (1 to 32), of all shingles that a text is joined by.
pub fn append_cells(texts: ShuffledTexts, row: usize, bits: u32, cells: &mut Vec<u32>) {
    let shift = u64::BITS - bits.clamp(1, 32);
    each_nonempty_set(texts, row, &mut |_, keys| {
        cells.extend(keys.map(|key| (key >> shift) as u32))
    });
}

/// Counts cells of a sample into a table of 2^`bits`, roughly above 32: common shingles stay apart
/// from very common ones in a byte. Cells past the table are left out.
#[must_use]
pub fn count_cells(cells: impl Iterator<Item = u32>, bits: u32) -> Vec<u8> {
    let mut counts = vec![0_u16; 1 << bits.clamp(1, 32)];
    for cell in cells {
        if let Some(count) = counts.get_mut(cell as usize) {
            *count = count.saturating_add(1);
        }
    }
    counts.into_iter().map(rounded_count).collect()
}

/// A count as it is up to 32, and then in sixteen steps for each power of two; ascending.
fn rounded_count(count: u16) -> u8 {
    let Some(above) = count.checked_ilog2().and_then(|bits| bits.checked_sub(STEPS.ilog2() + 1))
    else {
        return count as u8;
    };
    (u32::from(count >> (above + 1)) + STEPS * (above + 1)) as u8
}

/// Steps of a count for each power of two: the greatest count of 16 bits becomes 207, still a byte.
const STEPS: u32 = 16;
