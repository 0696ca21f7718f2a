//! One text at a time, and parts of texts, which threads gather at the same time.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::copies::{PlacesByDigest, TextPlace};
use super::{Base, Evidence, EvidenceRule};
use crate::digest;
use crate::masks::Masks;
use crate::shingles;
use crate::shingles::sets::make_set_of_inverted_ids;
use crate::text::{self, Normalisation, Normalised};
use crate::tokens::{self, Tokens};
use crate::utf8;
use ilk_joins::error::KernelError;
use ilk_joins::hash::{self, Function};
use ilk_joins::parallel::{self, lock};
use ilk_joins::reserve;
use ilk_joins::sets::{Column, shift_set, sort_into_set_from};
use ilk_joins::simd::{self, sort};

/// Bytes of a text from which on a look for a copy of it costs less than to read it.
const COPIED: usize = 256;

/// Bytes of the texts that a thread gathers at once: fewer than a processor's cache holds, and
/// enough that the threads of a machine seldom wait for each other. Tests have few texts.
const PART: usize = if cfg!(test) { 1 << 10 } else { 1 << 19 };

/// The most texts of a part: empty ones take time too.
const MOST_ROWS: usize = 1 << 12;

/// Values that vector instructions may write after the last one: a register of bytes.
const SPARE: usize = 64;

/// The evidence of consecutive texts, but for copies of texts before them.
#[derive(Debug)]
pub struct GatheredPart {
    number: usize,
    gathered: Evidence,
    /// The places of copies among the texts, ascending, and those of the texts that they repeat.
    copies: Vec<(usize, TextPlace)>,
}

impl PlacesByDigest {
    /// Gathers the evidence of texts that are part `number` of many. Parts are gathered at any time
    /// by any thread, and put together in the order of their numbers, from 0 on.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub fn gather_part<'a>(
        &self,
        number: usize,
        rows: usize,
        bytes: impl Fn(usize) -> Option<&'a [u8]>,
        rule: EvidenceRule,
    ) -> Result<GatheredPart, KernelError> {
        let gathered = self.take_spare_or_new_evidence();
        let mut part = GatheredPart { number, gathered, copies: Vec::new() };
        let mut gatherer = Gatherer::default();
        part.gathered.reserve_for((0..rows).map(|row| bytes(row).map_or(0, <[u8]>::len)))?;
        for row in 0..rows {
            let text = bytes(row);
            let digest = text.map(digest::digest_bytes);
            match self.place_of_equal_text(text, digest, TextPlace { part: number, row }) {
                Some(place) => reserve::push(&mut part.copies, (row, place))?,
                None => {
                    gatherer.append_evidence_of_lossy_text(
                        text,
                        digest,
                        rule.of_rows(row..row + 1),
                        &mut part.gathered,
                    )?;
                }
            }
        }
        Ok(part)
    }

    /// The place of an equal text before this one, where a look is worth it; else `own` may become
    /// the one that later texts find.
    fn place_of_equal_text(
        &self,
        text: Option<&[u8]>,
        digest: Option<u128>,
        own: TextPlace,
    ) -> Option<TextPlace> {
        let digest = digest.filter(|_| text.is_some_and(|text| text.len() >= COPIED))?;
        self.find_or_claim(digest, own)
    }
}

impl Evidence {
    /// Adds the evidence of `rows` texts, given as bytes that may not be UTF-8 (where they are
    /// not, they are read with U+FFFD).
    ///
    /// # Errors
    /// [`KernelError::NoReserve`]; then some rows are there and others are not.
    pub fn add<'a>(
        &mut self,
        rows: usize,
        bytes: impl Fn(usize) -> Option<&'a [u8]> + Sync,
        rule: EvidenceRule,
        jobs: usize,
    ) -> Result<(), KernelError> {
        let length = |row: usize| bytes(row).map_or(0, <[u8]>::len);
        if jobs <= 1 {
            self.reserve_for((0..rows).map(length))?;
            return self.add_in_this_thread(rows, bytes, rule);
        }
        let (first, originals) = (self.copies.next_part(), self.places_by_digest());
        let ranges = cut_into_ranges(rows, length);
        let gathered_parts: Vec<_> = ranges.iter().map(|_| Mutex::new(None)).collect();
        let evidence_so_far = Mutex::new(AppendedParts { evidence: self, count: 0 });
        // A part is appended as soon as those before it are, while other threads gather: its memory
        // is free for the next ones, and no thread waits for another that appends.
        let append = |so_far: &mut AppendedParts| {
            while let Some(place) = gathered_parts.get(so_far.count)
                && let Some(part) = lock(place).take()
            {
                let range = ranges[so_far.count].clone();
                let rule = rule.of_rows(range.clone());
                let bytes = |row| bytes(range.start + row);
                so_far.evidence.append_part(part, bytes, rule)?;
                so_far.count += 1;
            }
            Ok(())
        };
        let outcomes = parallel::map_pieces(ranges.len(), jobs, |piece| {
            let range = ranges[piece].clone();
            let (count, rule) = (range.len(), rule.of_rows(range.clone()));
            let bytes = |row| bytes(range.start + row);
            let part = originals.gather_part(first + piece, count, bytes, rule)?;
            *lock(&gathered_parts[piece]) = Some(part);
            evidence_so_far.try_lock().map_or(Ok(()), |mut so_far| append(&mut so_far))
        });
        outcomes.into_iter().collect::<Result<(), _>>()?;
        // A part may have been gathered just after the appending thread had looked for it, and
        // before it let go of the lock.
        append(&mut evidence_so_far.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// The table in which texts of these rows, and of parts to come, are found again.
    #[must_use]
    pub fn places_by_digest(&self) -> Arc<PlacesByDigest> {
        Arc::clone(&self.copies.places_by_digest)
    }

    /// Puts a part after those before it; `bytes` are its texts, for copies whose originals were
    /// handed over in the meantime.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`], and [`KernelError::UnorderedParts`] if another part comes next.
    pub fn append_part<'a>(
        &mut self,
        part: GatheredPart,
        bytes: impl Fn(usize) -> Option<&'a [u8]>,
        rule: EvidenceRule,
    ) -> Result<(), KernelError> {
        if part.number != self.copies.next_part() {
            return Err(KernelError::UnorderedParts);
        }
        self.copies.begin_part(self.words.len());
        let mut gatherer = Gatherer::default();
        // Rows of the part, and those of them that it has gathered, which are here.
        let (mut done, mut own) = (0, 0);
        for (row, place) in part.copies {
            self.append_rows(&part.gathered, own..own + row - done)?;
            own += row - done;
            done = row + 1;
            if let Some(row_before) = self.copies.row_of(place) {
                self.append_row_again_shifted(row_before, rule.shift(row))?;
            } else {
                // The text before went with rows that were handed over; the text is read again.
                let (text, rule) = (bytes(row), rule.of_rows(row..row + 1));
                gatherer.append_evidence_of_lossy_text(
                    text,
                    text.map(digest::digest_bytes),
                    rule,
                    self,
                )?;
            }
        }
        self.append_rows(&part.gathered, own..part.gathered.words.len())?;
        self.copies.places_by_digest.clear_and_push_spare(part.gathered);
        Ok(())
    }

    /// Adds the evidence of texts in this thread, without another copy of it.
    fn add_in_this_thread<'a>(
        &mut self,
        rows: usize,
        bytes: impl Fn(usize) -> Option<&'a [u8]>,
        rule: EvidenceRule,
    ) -> Result<(), KernelError> {
        let (part, places) = (self.copies.next_part(), self.places_by_digest());
        self.copies.begin_part(self.words.len());
        let mut gatherer = Gatherer::default();
        for row in 0..rows {
            let text = bytes(row);
            let digest = text.map(digest::digest_bytes);
            let place = places.place_of_equal_text(text, digest, TextPlace { part, row });
            match place.and_then(|place| self.copies.row_of(place)) {
                Some(row_before) => self.append_row_again_shifted(row_before, rule.shift(row))?,
                None => gatherer.append_evidence_of_lossy_text(
                    text,
                    digest,
                    rule.of_rows(row..row + 1),
                    self,
                )?,
            }
        }
        Ok(())
    }

    /// Appends the evidence of the same text as that of a row, with sets shifted by so much.
    fn append_row_again_shifted(
        &mut self,
        row: usize,
        group_shift: u32,
    ) -> Result<(), KernelError> {
        self.bytes_digests.push(self.bytes_digests.get(row));
        self.lengths.push(self.lengths[row]);
        self.words.push(self.words[row]);
        self.digests.push(self.digests.get(row));
        self.masked_digests.push(self.masked_digests.get(row));
        self.word_shingles.append_copy_of_row(row)?;
        self.word_hashes.append_copy_of_row(row)?;
        self.character_shingles.append_copy_of_row(row)?;
        if let Some(&own) = self.shifts.get(row) {
            // The row that is repeated is shifted by its own group already: the difference leads to
            // this one.
            self.shift_ids_and_hashes_of_last_row(group_shift.wrapping_sub(own));
            self.shifts.push(group_shift);
        }
        Ok(())
    }

    /// Shifts the numbers in the sets of the last row.
    fn shift_ids_and_hashes_of_last_row(&mut self, by: u32) {
        shift_set(self.word_shingles.last_row_mut(), by);
        shift_set(self.word_hashes.last_row_mut(), by);
        shift_set(self.character_shingles.last_row_mut(), by);
    }
}

/// Evidence, and how many of some parts it has.
struct AppendedParts<'e> {
    evidence: &'e mut Evidence,
    count: usize,
}

/// Cuts rows into consecutive ranges of about as many bytes.
fn cut_into_ranges(rows: usize, length: impl Fn(usize) -> usize) -> Vec<Range<usize>> {
    let (mut ranges, mut start, mut bytes) = (Vec::new(), 0, 0);
    for row in 0..rows {
        bytes += length(row);
        if bytes >= PART || row + 1 - start == MOST_ROWS || row + 1 == rows {
            ranges.push(start..row + 1);
            (start, bytes) = (row + 1, 0);
        }
    }
    ranges
}

/// Gathers the evidence of texts; keeps its buffers from one text to the next.
#[derive(Debug, Default)]
pub struct Gatherer {
    /// One piece of the text.
    normalised: Normalised,
    tokens: Tokens,
    /// The hashes of all words of the text.
    words: Vec<u64>,
    /// The normalised text with white space collapsed.
    collapsed: Vec<u8>,
    /// True if folding took numbers from some characters.
    numerals: bool,
    /// The same with every number written as 0.
    masked: Vec<u8>,
    hashes: Vec<u64>,
}

/// The part of the shingles of a text that a base leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeftByBase {
    All,
    Some,
    Nothing,
}

impl Gatherer {
    /// The text is given with the digest of its bytes; what is no UTF-8 is read with U+FFFD. The
    /// rule is for it alone.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    fn append_evidence_of_lossy_text(
        &mut self,
        bytes: Option<&[u8]>,
        digest: Option<u128>,
        rule: EvidenceRule,
        evidence: &mut Evidence,
    ) -> Result<(), KernelError> {
        let length = bytes.map_or(0, <[u8]>::len);
        // A text that is no UTF-8 is copied, at up to three bytes for one.
        reserve::check_room(3 * length)?;
        evidence.bytes_digests.push(digest);
        evidence.lengths.push(length as i64);
        let text = bytes.map(utf8::decode_utf8_lossy).unwrap_or_default();
        self.read_words_and_collapsed_text(&text, rule.masks)?;
        let words = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        let [least, most] = rule.bounds;
        evidence.words.push(if words == 0 { 0 } else { words.clamp(least, most) });
        let left = self.append_shingles_and_hashes_if_many(
            rule,
            &mut evidence.word_shingles,
            &mut evidence.word_hashes,
        )?;

        let ids = &mut evidence.character_shingles;
        if (words as usize) < rule.characters_below {
            let start = ids.values.len();
            let rest = rule
                .base
                .filter(|_| left != LeftByBase::All)
                .map(|base| self.text_without_base(base, rule.shingle));
            let Self { collapsed, tokens, hashes, .. } = self;
            let collapsed = rest.as_deref().unwrap_or(collapsed);
            // A place, a hash and an id of each character.
            reserve::make_room(&mut ids.values, collapsed.len())?;
            reserve::check_room(28 * collapsed.len())?;
            let (width, hash) = (rule.characters, Function::Ilk);
            shingles::push_character_ids(collapsed, width, hash, (tokens, hashes), &mut ids.values);
            make_set_of_inverted_ids(&mut ids.values, start);
        }
        ids.offsets.push(ids.values.len() as i64);
        if left == LeftByBase::Nothing {
            self.collapsed.clear(); // All its shingles are of the base: it is blank besides them.
        }
        if let Some(&shift) = rule.shifts.first() {
            evidence.shift_ids_and_hashes_of_last_row(shift);
            evidence.shifts.push(shift);
        }
        self.append_digests_of_gathered(&text, rule.masks, evidence)
    }

    /// Reads a text piece by piece, so that each normalised piece is used while it is still in the
    /// cache.
    fn read_words_and_collapsed_text(
        &mut self,
        text: &str,
        masks: Masks,
    ) -> Result<(), KernelError> {
        self.words.clear();
        self.collapsed.clear();
        self.numerals = false;
        let mut after_space = true;
        for piece in masks.cut_into_independent_pieces(text) {
            // Most pieces are short; one without a place to cut it is as long as the text.
            reserve::check_room(32 * piece.len())?;
            self.normalised.set_text(piece, Normalisation::Fold);
            masks.apply_and_forget_origins(&mut self.normalised);
            self.numerals |= self.normalised.numerals;
            reserve::make_room(&mut self.collapsed, self.normalised.bytes.len())?;
            text::push_collapsed(&self.normalised.bytes, &mut after_space, &mut self.collapsed);
            tokens::cut_words(&self.normalised, &mut self.tokens);
            let Tokens { starts, ends, .. } = &self.tokens;
            let bytes = &self.normalised.bytes;
            reserve::make_room(&mut self.words, starts.len())?;
            simd::hash::hash_tokens(Function::Ilk, bytes, starts, ends, &mut self.words);
        }
        // White space at the end has left one space.
        if after_space {
            self.collapsed.pop();
        }
        Ok(())
    }

    /// Appends the set of the shingles of words, and their hashes if the set is large. Returns what
    /// the base leaves of them.
    fn append_shingles_and_hashes_if_many(
        &mut self,
        rule: EvidenceRule,
        ids: &mut Column<u32>,
        hashes: &mut Column<u64>,
    ) -> Result<LeftByBase, KernelError> {
        let words = self.words.as_slice();
        let width = rule.shingle.clamp(1, words.len().max(1));
        let start = ids.values.len();
        reserve::make_room(&mut ids.values, words.len() + SPARE)?;
        reserve::check_room(8 * words.len())?; // Sorting takes as much again.
        let mut left = LeftByBase::All;
        if let Some(base) = rule.base {
            self.hashes.clear();
            reserve::make_room(&mut self.hashes, words.len() + SPARE)?;
            simd::hash::hash_shingles(words, width, &mut self.hashes);
            let count = self.hashes.len();
            base.take_out(&mut self.hashes);
            if self.hashes.len() < count {
                left = if self.hashes.is_empty() { LeftByBase::Nothing } else { LeftByBase::Some };
            }
            ids.values.extend(self.hashes.iter().map(|&hash| hash::id_of_hash(hash)));
        } else {
            simd::hash::make_shingle_ids(words, width, &mut ids.values);
        }
        sort_into_set_from(&mut ids.values, start);
        if ids.values.len() - start > rule.large {
            reserve::make_room(&mut hashes.values, words.len() + SPARE)?;
            reserve::check_room(16 * words.len())?;
            // With a base, they were made for it above, and are what it left.
            if rule.base.is_none() {
                self.hashes.clear();
                reserve::make_room(&mut self.hashes, words.len() + SPARE)?;
                simd::hash::hash_shingles(words, width, &mut self.hashes);
            }
            sort::push_sorted_set(&self.hashes, &mut hashes.values);
        }
        ids.offsets.push(ids.values.len() as i64);
        hashes.offsets.push(hashes.values.len() as i64);
        Ok(left)
    }

    /// The collapsed text without the words that stand in a shingle of the base: the runs of the
    /// other words, with a space between them. What is between a word of the base and its neighbour
    /// goes with it. The text is short.
    fn text_without_base(&mut self, base: &Base, shingle: usize) -> Vec<u8> {
        let text = String::from_utf8_lossy(&self.collapsed);
        self.normalised.set_text(&text, Normalisation::None);
        tokens::cut_words(&self.normalised, &mut self.tokens);
        let Tokens { starts, ends, .. } = &self.tokens;
        let mut words = Vec::with_capacity(starts.len() + SPARE);
        simd::hash::hash_tokens(Function::Ilk, &self.normalised.bytes, starts, ends, &mut words);
        let width = shingle.clamp(1, words.len().max(1));
        let mut hashes = Vec::with_capacity(words.len() + SPARE);
        simd::hash::hash_shingles(&words, width, &mut hashes);
        let mut goes = vec![false; words.len()];
        for (first, &hash) in hashes.iter().enumerate() {
            if base.has(hash) {
                goes[first..first + width].fill(true);
            }
        }
        if !goes.contains(&true) {
            return self.collapsed.clone();
        }
        let mut rest = Vec::new();
        let mut at = 0;
        for run in goes.chunk_by(|one, next| one == next) {
            let last = at + run.len() - 1;
            if !run[0] {
                if !rest.is_empty() {
                    rest.push(b' ');
                }
                rest.extend_from_slice(&self.normalised.bytes[starts[at]..ends[last]]);
            }
            at = last + 1;
        }
        rest
    }

    fn append_digests_of_gathered(
        &mut self,
        text: &str,
        masks: Masks,
        evidence: &mut Evidence,
    ) -> Result<(), KernelError> {
        reserve::make_room(&mut self.masked, self.collapsed.len() + SPARE)?;
        let digest = if self.collapsed.is_empty() {
            None
        } else if self.numerals && !masks.digits {
            Some(digest::digest_with_numerals(text, masks, &mut self.normalised, &mut self.masked))
        } else {
            Some(digest::digest_bytes(&self.collapsed))
        };
        evidence.digests.push(digest);
        let masked = digest::digest_figures_as_zero_marking_wordless(
            &self.collapsed,
            digest,
            &mut self.masked,
        );
        evidence.masked_digests.push(masked);
        Ok(())
    }
}
