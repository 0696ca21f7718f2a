//! One text at a time.

use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::{Evidence, Rule};
use crate::digest;
use crate::masks::Masks;
use crate::shingles;
use crate::shingles::sets::make_set_of_characters;
use crate::text::{self, Normalisation, Normalised};
use crate::tokens::{self, Tokens};
use crate::utf8;
use ilk_joins::error::KernelError;
use ilk_joins::hash::{self, Function};
use ilk_joins::parallel;
use ilk_joins::reserve;
use ilk_joins::sets::{Column, make_set};
use ilk_joins::simd::{self, sort};

/// Bytes of a text from which on a look for a copy of it costs less than to read it.
const COPIED: usize = 256;

/// The most parts whose memory is kept for the next ones, and the most values of one.
const PARTS: usize = 8;
const PART: usize = 1 << 20;

/// Values that vector instructions write after the last one.
const SPARE: usize = 64;

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
        rule: Rule,
        jobs: usize,
    ) -> Result<(), KernelError> {
        let gather = |range: Range<usize>, evidence: &mut Self, before: Option<&Self>| {
            let mut gatherer = Gatherer::default();
            evidence.reserve_for(range.clone().map(|row| bytes(row).map_or(0, <[u8]>::len)))?;
            for row in range {
                gatherer.gather(bytes(row), rule, evidence, before)?;
            }
            Ok(())
        };
        if jobs <= 1 {
            return gather(0..rows, self, None);
        }
        let spare = Mutex::new(std::mem::take(&mut self.parts));
        let parts = parallel::map(rows, jobs, |range| {
            let taken = spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut part = taken.unwrap_or_default();
            gather(range, &mut part, Some(self))?;
            Ok(part)
        });
        for part in parts {
            let mut part = part?;
            self.append(&mut part)?;
            if self.parts.len() < PARTS && part.word_shingles.values.capacity() <= PART {
                self.parts.push(part);
            }
        }
        Ok(())
    }

    /// Appends all but the digest of the bytes and the length from a row of the same text, here or in
    /// other evidence.
    fn repeat(&mut self, other: Option<&Self>, row: usize) -> Result<(), KernelError> {
        let of = other.unwrap_or(self);
        let (words, digest, masked) =
            (of.words[row], of.digests.get(row), of.masked_digests.get(row));
        self.words.push(words);
        self.digests.push(digest);
        self.masked_digests.push(masked);
        self.word_shingles.repeat(other.map(|of| &of.word_shingles), row)?;
        self.word_hashes.repeat(other.map(|of| &of.word_hashes), row)?;
        self.character_shingles.repeat(other.map(|of| &of.character_shingles), row)
    }
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

impl Gatherer {
    /// Appends the evidence of a text, which may be a copy of one here or in the evidence `before`.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub fn gather(
        &mut self,
        bytes: Option<&[u8]>,
        rule: Rule,
        evidence: &mut Evidence,
        before: Option<&Evidence>,
    ) -> Result<(), KernelError> {
        // A text that is no UTF-8 is copied, at up to three bytes for one.
        reserve::ask(3 * bytes.map_or(0, <[u8]>::len))?;
        let (length, own) = (bytes.map_or(0, <[u8]>::len), bytes.map(digest::bytes));
        evidence.bytes_digests.push(own);
        evidence.lengths.push(length as i64);
        if let Some(digest) = own.filter(|_| length >= COPIED) {
            if let Some((before, &row)) = before.and_then(|of| Some((of, of.firsts.get(&digest)?)))
            {
                return evidence.repeat(Some(before), row);
            }
            match evidence.firsts.entry(digest) {
                Entry::Occupied(first) => {
                    let row = *first.get();
                    return evidence.repeat(None, row);
                }
                Entry::Vacant(first) => _ = first.insert(evidence.words.len()),
            }
        }
        let text = bytes.map(utf8::text).unwrap_or_default();
        self.read(&text, rule.masks)?;
        let counted = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        let words = counted.max(rule.words.0).min(rule.words.1);
        evidence.words.push(words);
        let is_left =
            self.add_word_shingles(rule, &mut evidence.word_shingles, &mut evidence.word_hashes)?;

        let ids = &mut evidence.character_shingles;
        if (words as usize) < rule.both {
            let start = ids.values.len();
            let Self { collapsed, tokens, hashes, .. } = self;
            // A place, a hash and an id of each character.
            reserve::more(&mut ids.values, collapsed.len())?;
            reserve::ask(28 * collapsed.len())?;
            let (width, hash) = (rule.characters, Function::Ilk);
            shingles::character_ids(collapsed, width, hash, (tokens, hashes), &mut ids.values);
            make_set_of_characters(&mut ids.values, start);
        }
        ids.offsets.push(ids.values.len() as i64);
        if !is_left {
            self.collapsed.clear(); // All its shingles are of the base: it is blank besides them.
        }
        self.digest(&text, rule.masks, evidence)
    }

    /// Reads a text piece by piece, so that each normalised piece is used while it is still in the
    /// cache.
    fn read(&mut self, text: &str, masks: Masks) -> Result<(), KernelError> {
        self.words.clear();
        self.collapsed.clear();
        self.numerals = false;
        let mut after_space = true;
        for piece in masks.pieces(text) {
            // Most pieces are short; one without a place to cut it is as long as the text.
            reserve::ask(32 * piece.len())?;
            self.normalised.set(piece, Normalisation::Fold);
            masks.apply(&mut self.normalised);
            self.numerals |= self.normalised.numerals;
            reserve::more(&mut self.collapsed, self.normalised.bytes.len())?;
            text::push_collapsed(&self.normalised.bytes, &mut after_space, &mut self.collapsed);
            tokens::words(&self.normalised, &mut self.tokens);
            let Tokens { starts, ends, .. } = &self.tokens;
            let bytes = &self.normalised.bytes;
            reserve::more(&mut self.words, starts.len())?;
            simd::hash::tokens(Function::Ilk, bytes, starts, ends, &mut self.words);
        }
        if after_space {
            self.collapsed.pop();
        }
        Ok(())
    }

    /// Appends the set of the shingles of words, and their hashes if there are many. Returns false
    /// if there are shingles, but all of them are of the base.
    fn add_word_shingles(
        &mut self,
        rule: Rule,
        ids: &mut Column<u32>,
        hashes: &mut Column<u64>,
    ) -> Result<bool, KernelError> {
        let words = self.words.as_slice();
        let width = rule.shingle.clamp(1, words.len().max(1));
        let start = ids.values.len();
        reserve::more(&mut ids.values, words.len() + SPARE)?;
        reserve::ask(8 * words.len())?; // Sorting takes as much again.
        if let Some(base) = rule.base {
            self.hashes.clear();
            reserve::more(&mut self.hashes, words.len() + SPARE)?;
            simd::hash::shingles(words, width, &mut self.hashes);
            self.hashes.retain(|&hash| !base.has(hash));
            ids.values.extend(self.hashes.iter().map(|&hash| hash::id(hash)));
        } else {
            simd::hash::shingle_ids(words, width, &mut ids.values);
        }
        let count = make_set(&mut ids.values, start);
        if count > rule.large {
            reserve::more(&mut hashes.values, words.len() + SPARE)?;
            reserve::ask(16 * words.len())?;
            if rule.base.is_none() {
                self.hashes.clear();
                reserve::more(&mut self.hashes, words.len() + SPARE)?;
                simd::hash::shingles(words, width, &mut self.hashes);
            }
            sort::push_set(&self.hashes, &mut hashes.values);
        }
        ids.offsets.push(ids.values.len() as i64);
        hashes.offsets.push(hashes.values.len() as i64);
        Ok(count > 0 || words.is_empty())
    }

    fn digest(
        &mut self,
        text: &str,
        masks: Masks,
        evidence: &mut Evidence,
    ) -> Result<(), KernelError> {
        reserve::more(&mut self.masked, self.collapsed.len() + SPARE)?;
        let digest = if self.collapsed.is_empty() {
            None
        } else if self.numerals && !masks.digits {
            Some(digest::with_numerals(text, masks, &mut self.normalised, &mut self.masked))
        } else {
            Some(digest::bytes(&self.collapsed))
        };
        evidence.digests.push(digest);
        let masked = digest::masked(&self.collapsed, digest, &mut self.masked);
        evidence.masked_digests.push(masked);
        Ok(())
    }
}
