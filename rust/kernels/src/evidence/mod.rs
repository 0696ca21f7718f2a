//! Evidence: all that is kept of a text to tell later what it is like, made in one pass.
//!
//! Each of these numbers and sets is defined in another room ([`crate::digest`],
//! [`crate::shingles`]); here the text is read, normalised and cut only once for all of them.

mod copies;
mod gather;
#[cfg(test)]
mod tests;

use std::ops::Range;

use copies::Copies;
pub use copies::PlacesByDigest;
pub use gather::GatheredPart;

use crate::masks::Masks;
use ilk_joins::error::KernelError;
use ilk_joins::reserve;
use ilk_joins::sets::Column;

/// Bytes of text for which there is room for a shingle of words.
const BYTES_PER_SHINGLE: usize = 4;

/// A text of up to this many bytes is given room for a shingle of characters for each: longer ones
/// mostly have too many words to have such a set. It is only a guess; without it, room is made as
/// values come.
const MOST_BYTES_WITH_CHARACTER_SHINGLES: usize = 1024;

/// Parameters of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvidenceRule<'a> {
    /// Words per shingle, at least 1.
    pub shingle: usize,
    /// Characters per shingle, at least 1.
    pub characters: usize,
    /// Texts of fewer words have a set of characters too.
    pub characters_below: usize,
    /// The least and the most that the number of words of a text with words is said to be: by it,
    /// texts are measured by words or by characters.
    pub bounds: [u32; 2],
    /// Texts of more distinct shingles of words have their 64-bit hashes too, since some of that
    /// many ids would be equal by chance.
    pub large: usize,
    /// Differences that do not count; the digest of the bytes knows them all.
    pub masks: Masks,
    /// Shingles of words that do not count; nor do the characters of words that stand in one of
    /// them.
    pub base: Option<&'a Base>,
    /// By how much the numbers in the sets of each text are shifted, for those that come together
    /// ([`ilk_joins::sets::mix_group_to_added_offset`]); of none where it is empty.
    pub shifts: &'a [u32],
}

impl<'a> EvidenceRule<'a> {
    /// The rule for some of the texts.
    fn of_rows(self, rows: Range<usize>) -> Self {
        Self { shifts: self.shifts.get(rows).unwrap_or_default(), ..self }
    }

    fn shift(&self, row: usize) -> u32 {
        self.shifts.get(row).copied().unwrap_or(0)
    }
}

/// Shingles of words that are taken out of every set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Base {
    /// Their hashes, ascending.
    hashes: Vec<u64>,
    /// A filter, which most other shingles do not pass: each hash has a few bits in one number of
    /// it, and greater hashes do not have lower numbers. Many looks wait for memory, so it is small.
    filter: Vec<u64>,
    /// Number of hashes in the numbers before each number of the filter, and in all of them at
    /// last: the few that a look is about stand together.
    ranks: Vec<u32>,
}

/// Bits of the filter of a [`Base`] for each of its hashes.
const BITS_PER_HASH: usize = 12;

impl Base {
    /// The base of some hashes, in any order.
    #[must_use]
    pub fn new(mut hashes: Vec<u64>) -> Self {
        hashes.sort_unstable();
        hashes.dedup();
        let numbers = (BITS_PER_HASH * hashes.len()).div_ceil(64).max(1);
        let mut base =
            Self { filter: vec![0; numbers], ranks: vec![0; numbers + 1], ..Self::default() };
        for &hash in &hashes {
            let number = base.number_of(hash);
            base.filter[number] |= bits_of(hash);
            base.ranks[number + 1] += 1;
        }
        let mut before = 0;
        for rank in &mut base.ranks {
            before += *rank;
            *rank = before;
        }
        base.hashes = hashes;
        base
    }

    /// Return whether a shingle is in it.
    #[must_use]
    pub fn has(&self, hash: u64) -> bool {
        self.passes(hash) && self.holds(hash)
    }

    /// Takes out of some hashes those that are in it; the others keep their order.
    ///
    /// Many go through the filter before any is acted on, so that no look waits for another.
    pub fn take_out(&self, hashes: &mut Vec<u64>) {
        let (mut done, mut kept) = (0, 0);
        while done < hashes.len() {
            let end = (done + 64).min(hashes.len());
            let block = &hashes[done..end];
            let each = block.iter().enumerate();
            let mut seen =
                each.fold(0, |seen, (at, &hash)| seen | u64::from(self.passes(hash)) << at);
            let mut goes = 0_u64;
            while seen != 0 {
                let at = seen.trailing_zeros();
                goes |= u64::from(self.holds(block[at as usize])) << at;
                seen &= seen - 1;
            }
            // Most blocks have nothing of the base, and move as a whole.
            if goes == 0 {
                hashes.copy_within(done..end, kept);
                kept += end - done;
            } else {
                for at in done..end {
                    hashes[kept] = hashes[at];
                    kept += usize::from(goes >> (at - done) & 1 == 0);
                }
            }
            done = end;
        }
        hashes.truncate(kept);
    }

    /// The number of the filter that has the bits of a hash.
    fn number_of(&self, hash: u64) -> usize {
        // Of 2^32 upper halves, each number has as many.
        (((hash >> 32) * self.filter.len() as u64) >> 32) as usize
    }

    /// Return whether the filter has all bits of a hash.
    fn passes(&self, hash: u64) -> bool {
        let bits = bits_of(hash);
        self.filter.get(self.number_of(hash)).is_some_and(|number| number & bits == bits)
    }

    /// Look at all hashes of one number of the filter.
    fn holds(&self, hash: u64) -> bool {
        let number = self.number_of(hash);
        let ends = self.ranks.get(number).zip(self.ranks.get(number + 1));
        let near = ends.and_then(|(&start, &end)| self.hashes.get(start as usize..end as usize));
        // A number of the filter has some five hashes, in one or two lines of the cache.
        near.is_some_and(|near| near.contains(&hash))
    }
}

/// The bits of a hash in its number of the filter: three, or fewer if some are the same.
fn bits_of(hash: u64) -> u64 {
    1 << (hash & 63) | 1 << (hash >> 6 & 63) | 1 << (hash >> 12 & 63)
}

/// Digests as 16 bytes each, the highest first; zeros in a row without one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Digests {
    /// The digest of every row.
    pub values: Vec<[u8; 16]>,
    /// Rows that have one.
    pub known: Vec<bool>,
}

impl Digests {
    fn push(&mut self, digest: Option<u128>) {
        self.values.push(digest.unwrap_or(0).to_be_bytes());
        self.known.push(digest.is_some());
    }

    fn get(&self, row: usize) -> Option<u128> {
        self.known[row].then(|| u128::from_be_bytes(self.values[row]))
    }

    fn append_rows(&mut self, other: &Self, rows: Range<usize>) -> Result<(), KernelError> {
        reserve::make_room(&mut self.values, rows.len())?;
        reserve::make_room(&mut self.known, rows.len())?;
        self.values.extend_from_slice(&other.values[rows.clone()]);
        self.known.extend_from_slice(&other.known[rows]);
        Ok(())
    }
}

/// The evidence of texts, a row each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Digests of the folded text with white space collapsed; null for a null or blank text.
    pub digests: Digests,
    /// Digests of the bytes as they are; null for a null text.
    pub bytes_digests: Digests,
    /// Digests of the folded text with every number written as 0; null for a null or blank text.
    pub masked_digests: Digests,
    /// Bytes of the text as they are; 0 for a null text.
    pub lengths: Vec<i64>,
    /// Number of words.
    pub words: Vec<u32>,
    /// The ids of the shingles of words.
    pub word_shingles: Column<u32>,
    /// The 64-bit hashes of the same shingles, where there are more than [`EvidenceRule::large`].
    pub word_hashes: Column<u64>,
    /// The ids of the shingles of characters, where there are fewer words than
    /// [`EvidenceRule::characters_below`].
    pub character_shingles: Column<u32>,
    /// By how much the numbers in the sets of each row are shifted; empty where none are.
    shifts: Vec<u32>,
    /// The places of texts that came before: copies are not read again.
    copies: Copies,
}

/// The values of the sets of some rows, one row after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Handed {
    /// Ids of the shingles of words.
    pub word_shingles: Vec<u32>,
    /// Their 64-bit hashes.
    pub word_hashes: Vec<u64>,
    /// Ids of the shingles of characters.
    pub character_shingles: Vec<u32>,
}

impl Evidence {
    /// Makes room for the evidence of texts of these lengths in bytes. Memory that turns out not to
    /// be needed is never touched.
    fn reserve_for(
        &mut self,
        lengths: impl Iterator<Item = usize> + Clone,
    ) -> Result<(), KernelError> {
        let (rows, bytes) =
            lengths.clone().fold((0, 0), |(rows, bytes), len| (rows + 1, bytes + len));
        let short = lengths.filter(|&length| length <= MOST_BYTES_WITH_CHARACTER_SHINGLES).sum();
        for digests in [&mut self.digests, &mut self.bytes_digests, &mut self.masked_digests] {
            reserve::make_room(&mut digests.values, rows)?;
            reserve::make_room(&mut digests.known, rows)?;
        }
        reserve::make_room(&mut self.lengths, rows)?;
        reserve::make_room(&mut self.words, rows)?;
        reserve::make_room(&mut self.word_shingles.offsets, rows)?;
        reserve::make_room(&mut self.word_hashes.offsets, rows)?;
        reserve::make_room(&mut self.character_shingles.offsets, rows)?;
        // This room is only a guess at what will be needed; without it, it is made as values come.
        _ = reserve::make_room(&mut self.word_shingles.values, bytes / BYTES_PER_SHINGLE);
        _ = reserve::make_room(&mut self.word_hashes.values, bytes / BYTES_PER_SHINGLE / 2);
        _ = reserve::make_room(&mut self.character_shingles.values, short);
        Ok(())
    }

    /// Removes all rows, and keeps the memory.
    fn clear(&mut self) {
        for digests in [&mut self.digests, &mut self.bytes_digests, &mut self.masked_digests] {
            digests.values.clear();
            digests.known.clear();
        }
        self.lengths.clear();
        self.words.clear();
        self.word_shingles.clear();
        self.word_hashes.clear();
        self.character_shingles.clear();
        self.shifts.clear();
        self.copies = Copies::default();
    }

    /// Bytes of all of it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let sets = self.word_shingles.values.len() + self.character_shingles.values.len();
        let each = size_of::<([([u8; 16], bool); 3], i64, u32, [i64; 3])>();
        4 * sets + 8 * self.word_hashes.values.len() + each * self.words.len()
    }

    /// Moves the rows to the end of `done` and returns the values of their sets, which `done` does
    /// not keep: its offsets count all values ever returned.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub fn hand_over(&mut self, done: &mut Self) -> Result<Handed, KernelError> {
        let mut rows = std::mem::take(self);
        self.copies = std::mem::take(&mut rows.copies);
        self.copies.forget_rows();
        let handed = Handed {
            word_shingles: rows.word_shingles.hand_over(&mut done.word_shingles),
            word_hashes: rows.word_hashes.hand_over(&mut done.word_hashes),
            character_shingles: rows.character_shingles.hand_over(&mut done.character_shingles),
        };
        done.append_rows_but_sets(&rows, 0..rows.words.len())?;
        Ok(handed)
    }

    /// Appends rows of other evidence.
    fn append_rows(&mut self, other: &Self, rows: Range<usize>) -> Result<(), KernelError> {
        self.append_rows_but_sets(other, rows.clone())?;
        self.word_shingles.append_rows(&other.word_shingles, rows.clone())?;
        self.word_hashes.append_rows(&other.word_hashes, rows.clone())?;
        self.character_shingles.append_rows(&other.character_shingles, rows)
    }

    /// The same without the sets.
    fn append_rows_but_sets(
        &mut self,
        other: &Self,
        rows: Range<usize>,
    ) -> Result<(), KernelError> {
        self.digests.append_rows(&other.digests, rows.clone())?;
        self.bytes_digests.append_rows(&other.bytes_digests, rows.clone())?;
        self.masked_digests.append_rows(&other.masked_digests, rows.clone())?;
        reserve::make_room(&mut self.lengths, rows.len())?;
        self.lengths.extend_from_slice(&other.lengths[rows.clone()]);
        reserve::make_room(&mut self.words, rows.len())?;
        self.words.extend_from_slice(&other.words[rows.clone()]);
        let shifts = other.shifts.get(rows).unwrap_or_default();
        reserve::make_room(&mut self.shifts, shifts.len())?;
        self.shifts.extend_from_slice(shifts);
        Ok(())
    }
}
