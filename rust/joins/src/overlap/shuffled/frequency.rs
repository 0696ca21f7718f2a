//! Frequencies of shingles, counted on a sample of the texts.

use super::Class;
use super::texts::{Texts, each_set};

/// Number of texts of a sample that have a shingle: shingles fall into cells by their first bits,
/// and a cell counts to 255.
#[derive(Debug, Clone, Copy)]
pub struct Frequencies<'a> {
    counts: &'a [u8],
    shift: u32,
}

impl<'a> Frequencies<'a> {
    /// Takes a table of cells and uses a power of two of them; without any, all are equally rare.
    #[must_use]
    pub fn new(counts: &'a [u8]) -> Self {
        let bits = counts.len().checked_ilog2().unwrap_or(0);
        Self { counts: if bits == 0 { &[] } else { counts }, shift: u64::BITS - bits }
    }

    pub(super) fn of(self, key: u64) -> u8 {
        if self.counts.is_empty() { 0 } else { self.counts[(key >> self.shift) as usize] }
    }
}

/// The cells, of 2^`bits` (1 to 32), of all shingles that a text is joined by.
pub fn cells(texts: Texts, row: usize, bits: u32, cells: &mut Vec<u32>) {
    let shift = u64::BITS - bits.clamp(1, 32);
    let mut note = |_: Class, keys: &mut dyn Iterator<Item = u64>| {
        cells.extend(keys.map(|key| (key >> shift) as u32));
    };
    each_set(texts, row, &mut note);
}

/// Counts cells into a table of 2^`bits`; those past it are left out.
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
