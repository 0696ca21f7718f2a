//! Shingles (k-grams) of a text: k adjacent words or characters, hashed.

pub(crate) mod sets;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::masks::Masks;
use crate::stops::Stops;
use crate::text::{self, Normalisation, Normalised};
use crate::tokens::{self, Tokens, Unit};
use crate::units::TextUnit;
use ilk_joins::hash::{self, Function};
use ilk_joins::simd;
use ilk_joins::simd::xxh3::xxh3_128;

/// Way in which a text becomes shingles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shingling {
    /// Words or characters.
    pub unit: Unit,
    /// Tokens per shingle, at least 1.
    pub width: usize,
    /// Normalisation of the text.
    pub normalisation: Normalisation,
    /// Differences that are ignored.
    pub masks: Masks,
    /// Hash function of tokens.
    pub hash: Function,
}

impl Shingling {
    /// Shingles of all that there is, by ilk's own hash.
    #[must_use]
    pub fn plain(unit: Unit, width: usize, normalisation: Normalisation) -> Self {
        Self { unit, width, normalisation, masks: Masks::default(), hash: Function::Ilk }
    }
}

/// Cuts texts into shingles; keeps its buffers from one text to the next.
#[derive(Debug, Default)]
pub struct Shingler {
    normalised: Normalised,
    tokens: Tokens,
    words: Vec<u64>,
    hashes: Vec<u64>,
}

impl Shingler {
    /// The hashes of the text's shingles in reading order, repetitions included.
    ///
    /// A text of at least one but fewer than `width` tokens has one shingle: all of them.
    pub fn hash_shingles(&mut self, text: &str, shingling: Shingling) -> &[u64] {
        self.hashes.clear();
        match shingling.unit {
            Unit::Words => {
                let mut hashes = std::mem::take(&mut self.hashes);
                self.each_run(text, shingling, &Stops::default(), |words, width| {
                    simd::hash::hash_shingles(words, width, &mut hashes);
                });
                self.hashes = hashes;
            }
            Unit::Characters => {
                self.prepare_characters(text, shingling);
                let bytes = &self.normalised.bytes;
                if let Some(width) = plain_width(bytes, shingling.width, shingling.hash) {
                    simd::hash::hash_windows(bytes, width, &mut self.hashes);
                } else {
                    let Self { tokens, hashes, .. } = self;
                    hash_characters(bytes, shingling.width, shingling.hash, tokens, hashes);
                }
            }
        }
        &self.hashes
    }

    /// Appends the ids of the shingles of the text without its stop words (characters know none).
    pub fn push_ids(
        &mut self,
        text: &str,
        shingling: Shingling,
        stops: &Stops,
        ids: &mut Vec<u32>,
    ) {
        match shingling.unit {
            Unit::Words => self.each_run(text, shingling, stops, |words, width| {
                simd::hash::make_shingle_ids(words, width, ids);
            }),
            Unit::Characters => {
                self.prepare_characters(text, shingling);
                let Shingling { width, hash, .. } = shingling;
                let buffers = (&mut self.tokens, &mut self.hashes);
                push_character_ids(&self.normalised.bytes, width, hash, buffers, ids);
            }
        }
    }

    /// The hash of every word of the text, and where it is in the text as given (bytes).
    pub fn hash_words(
        &mut self,
        text: &str,
        normalisation: Normalisation,
    ) -> (Vec<u64>, Vec<Range<usize>>) {
        self.words.clear();
        let mut places = Vec::new();
        let mut before = 0;
        for piece in text::pieces(text) {
            self.cut_piece(piece, normalisation, Masks::default());
            self.hash_piece(Function::Ilk);
            let tokens = self.tokens.starts.iter().zip(&self.tokens.ends);
            places.extend(tokens.map(|(&start, &end)| {
                let place = self.normalised.origin(start..end);
                before + place.start..before + place.end
            }));
            before += piece.len();
        }
        (self.words.clone(), places)
    }

    /// Appends the hashes of the words of the text.
    pub fn push_words(&mut self, text: &str, normalisation: Normalisation, hashes: &mut Vec<u64>) {
        std::mem::swap(&mut self.words, hashes);
        for piece in text::pieces(text) {
            self.cut_piece(piece, normalisation, Masks::default());
            self.hash_piece(Function::Ilk);
        }
        std::mem::swap(&mut self.words, hashes);
    }

    /// The number of the first word of each unit of the text that has a word, ascending; and the
    /// number of all words. A word belongs to the unit in which it begins.
    pub fn first_words_of_units(
        &mut self,
        text: &str,
        normalisation: Normalisation,
        unit: TextUnit,
    ) -> (Vec<usize>, usize) {
        let starts = unit.find_starts(text);
        let (mut firsts, mut words, mut before, mut at) = (Vec::new(), 0, 0, 0);
        for piece in text::pieces(text) {
            self.cut_piece(piece, normalisation, Masks::default());
            for (&start, &end) in self.tokens.starts.iter().zip(&self.tokens.ends) {
                let place = before + self.normalised.origin(start..end).start;
                let unit_of_place = starts[at..].partition_point(|&start| start <= place) + at;
                if firsts.is_empty() || unit_of_place > at {
                    firsts.push(words);
                }
                at = unit_of_place.max(at);
                words += 1;
            }
            before += piece.len();
        }
        (firsts, words)
    }

    /// The numbers of the words that begin in some places of the text (bytes, in order and apart),
    /// as runs that are in order and apart.
    pub fn words_in_places(
        &mut self,
        text: &str,
        normalisation: Normalisation,
        places: &[Range<usize>],
    ) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        if places.is_empty() {
            return runs;
        }
        let (mut words, mut before, mut at) = (0, 0, 0);
        for piece in text::pieces(text) {
            self.cut_piece(piece, normalisation, Masks::default());
            for (&start, &end) in self.tokens.starts.iter().zip(&self.tokens.ends) {
                let begin = before + self.normalised.origin(start..end).start;
                at += places[at..].partition_point(|place| place.end <= begin);
                if places.get(at).is_some_and(|place| place.start <= begin) {
                    match runs.last_mut() {
                        Some(last) if last.end == words => last.end += 1,
                        _ => runs.push(words..words + 1),
                    }
                }
                words += 1;
            }
            before += piece.len();
        }
        runs
    }

    /// Appends the hashes of the words of the text. The words in some runs (`left_out`, numbers of
    /// words, in order and apart) have numbers that no others have, made of `own`, which must be
    /// another one for every text.
    pub fn push_words_except(
        &mut self,
        text: &str,
        normalisation: Normalisation,
        left_out: &[Range<usize>],
        own: u64,
        numbers: &mut Vec<u64>,
    ) {
        let begin = numbers.len();
        self.push_words(text, normalisation, numbers);
        for word in left_out.iter().cloned().flatten() {
            numbers[begin + word] = number_in_unit(own_digest(own, word), 0);
        }
    }

    /// Appends a number for every word of the text that says in which unit it is, and where there:
    /// two are equal if their units have the same words, and they have the same place in them.
    ///
    /// The words of a unit of fewer than `least` words, or with no other words than those in some
    /// runs (`left_out`), have numbers that no others have, as of
    /// [`push_words_except`](Self::push_words_except).
    pub fn push_units(
        &mut self,
        text: &str,
        normalisation: Normalisation,
        (unit, least): (TextUnit, usize),
        left_out: &[Range<usize>],
        own: u64,
        numbers: &mut Vec<u64>,
    ) {
        let (firsts, _) = self.first_words_of_units(text, normalisation, unit);
        let begin = numbers.len();
        self.push_words(text, normalisation, numbers);
        let words = &mut numbers[begin..];
        let mut content = Vec::new();
        let mut at = 0;
        for (number, &first) in firsts.iter().enumerate() {
            let end = firsts.get(number + 1).copied().unwrap_or(words.len());
            at += left_out[at..].partition_point(|run| run.end <= first);
            let is_left_out =
                left_out.get(at).is_some_and(|run| run.start <= first && end <= run.end);
            let own_words = &mut words[first..end];
            let digest = if own_words.len() < least || is_left_out {
                own_digest(own, first)
            } else {
                content.clear();
                content.extend(own_words.iter().flat_map(|word| word.to_le_bytes()));
                xxh3_128(&content)
            };
            for (place, word) in own_words.iter_mut().enumerate() {
                *word = number_in_unit(digest, place as u64);
            }
        }
    }

    /// Bytes of some words in the text as given.
    ///
    /// `spans`: first and last word of each, both ascending. Words that the text does not have are
    /// left out.
    pub fn places_of_spans(
        &mut self,
        text: &str,
        normalisation: Normalisation,
        spans: &[(usize, usize)],
    ) -> Vec<Range<usize>> {
        let mut places: Vec<Range<usize>> = Vec::with_capacity(spans.len());
        let (mut words, mut bytes, mut ended) = (0, 0, 0);
        for piece in text::pieces(text) {
            if ended == spans.len() {
                break;
            }
            self.cut_piece(piece, normalisation, Masks::default());
            let Tokens { starts, ends, .. } = &self.tokens;
            let here = |word: usize| {
                let at = word.checked_sub(words).filter(|&at| at < starts.len())?;
                let place = self.normalised.origin(starts[at]..ends[at]);
                Some(bytes + place.start..bytes + place.end)
            };
            // First and last words are found on their own: a span may begin in one piece and end in
            // a later one.
            while let Some(first) = spans.get(places.len()).and_then(|span| here(span.0)) {
                places.push(first);
            }
            while let Some(last) = spans.get(ended).and_then(|span| here(span.1)) {
                places[ended].end = last.end;
                ended += 1;
            }
            words += starts.len();
            bytes += piece.len();
        }
        // Spans whose last word the text does not have.
        places.truncate(ended);
        places
    }

    /// The number of words of the text.
    pub fn count_words(&mut self, text: &str, normalisation: Normalisation) -> usize {
        text::pieces(text)
            .map(|piece| {
                self.cut_piece(piece, normalisation, Masks::default());
                self.tokens.len()
            })
            .sum()
    }

    /// Hands on the same shingles as [`push_ids`](Self::push_ids) has, as texts: words with a space
    /// between them; and a hash of each, which is the same where the text is.
    pub fn each_shingle_text(
        &mut self,
        text: &str,
        shingling: Shingling,
        stops: &Stops,
        mut hand_on: impl FnMut(&str, u64),
    ) {
        if shingling.unit == Unit::Characters {
            self.prepare_characters(text, shingling);
            let text = String::from_utf8_lossy(&self.normalised.bytes);
            let places = || text.char_indices().map(|(at, _)| at).chain([text.len()]);
            let width = shingling.width.min(places().count() - 1).max(1);
            for (at, end) in places().zip(places().skip(width)) {
                hand_on(&text[at..end], hash::hash_bytes_within(text.as_bytes(), at..end));
            }
            return;
        }
        let width = shingling.width.max(1);
        // The words that are in no shingle yet, a space after each, and where each begins and the
        // last ends; `self.words` has their hashes.
        let (mut joined, mut places) = (String::new(), vec![0]);
        self.words.clear();
        let mut enough = false;
        for piece in text::pieces(text) {
            self.cut_piece(piece, shingling.normalisation, shingling.masks);
            let before = self.words.len();
            self.hash_piece(shingling.hash);
            let Self { normalised, tokens, words, .. } = self;
            stops.remove_tokens(tokens, words, before);
            let text = String::from_utf8_lossy(&normalised.bytes);
            let cut =
                tokens.starts.iter().zip(&tokens.ends).map(|(&start, &end)| &text[start..end]);
            if width == 1 {
                cut.zip(&*words).for_each(|(word, &hash)| hand_on(word, hash));
                words.clear();
                continue;
            }
            for word in cut {
                joined.push_str(word);
                joined.push(' ');
                places.push(joined.len());
            }
            for (hashes, places) in words.windows(width).zip(places.windows(width + 1)) {
                hand_on(&joined[places[0]..places[width] - 1], hash::hash_shingle(hashes));
                enough = true;
            }
            let done = words.len().saturating_sub(width - 1);
            words.drain(..done);
            let gone = places[done];
            joined.drain(..gone);
            places.drain(..done);
            places.iter_mut().for_each(|place| *place -= gone);
        }
        if !enough && !joined.is_empty() {
            hand_on(&joined[..joined.len() - 1], hash::hash_shingle(&self.words));
        }
    }

    /// Hands on the hashes of the words of a text, with the width of its shingles: run after run,
    /// each beginning with the words that the next shingle has of the run before.
    fn each_run(
        &mut self,
        text: &str,
        shingling: Shingling,
        stops: &Stops,
        mut hand_on: impl FnMut(&[u64], usize),
    ) {
        let width = shingling.width.max(1);
        self.words.clear();
        let mut enough = false;
        for piece in shingling.masks.cut_into_independent_pieces(text) {
            let start = self.words.len();
            self.cut_piece(piece, shingling.normalisation, shingling.masks);
            self.hash_piece(shingling.hash);
            stops.remove_from(&mut self.words, start);
            if self.words.len() >= width {
                hand_on(&self.words, width);
                // What is left, one word less than a shingle, begins the next run: no shingle is
                // lost or made twice where pieces meet.
                self.words.drain(..=self.words.len() - width);
                enough = true;
            }
        }
        if !enough && !self.words.is_empty() {
            hand_on(&self.words, self.words.len());
        }
    }

    /// Cuts one piece of a text into words.
    fn cut_piece(&mut self, piece: &str, normalisation: Normalisation, masks: Masks) {
        self.normalised.set_text(piece, normalisation);
        masks.apply_and_forget_origins(&mut self.normalised);
        tokens::cut_words(&self.normalised, &mut self.tokens);
    }

    /// Appends the hashes of the words that were cut.
    fn hash_piece(&mut self, hash: Function) {
        let Tokens { starts, ends, .. } = &self.tokens;
        simd::hash::hash_tokens(hash, &self.normalised.bytes, starts, ends, &mut self.words);
    }

    fn prepare_characters(&mut self, text: &str, shingling: Shingling) {
        self.normalised.set_text(text, shingling.normalisation);
        shingling.masks.apply_and_forget_origins(&mut self.normalised);
        text::collapse_spaces(&mut self.normalised.bytes);
    }
}

/// Appends the ids of the shingles of `width` characters of a prepared text, repetitions included.
/// The buffers may hold anything.
pub(crate) fn push_character_ids(
    bytes: &[u8],
    width: usize,
    hash: Function,
    (tokens, hashes): (&mut Tokens, &mut Vec<u64>),
    ids: &mut Vec<u32>,
) {
    if let Some(width) = plain_width(bytes, width, hash) {
        simd::hash::make_window_ids(bytes, width, ids);
    } else {
        hashes.clear();
        hash_characters(bytes, width, hash, tokens, hashes);
        ids.extend(hashes.iter().map(|&hash| hash::id_of_hash(hash)));
    }
}

/// The bytes of a shingle of a prepared text, where each character is one and ilk's own hash is
/// asked for.
fn plain_width(bytes: &[u8], width: usize, hash: Function) -> Option<usize> {
    let plain = hash == Function::Ilk && !bytes.is_empty() && bytes.is_ascii();
    plain.then(|| width.clamp(1, bytes.len()))
}

/// Hashes the shingles of a prepared text, character by character.
fn hash_characters(
    bytes: &[u8],
    width: usize,
    hash: Function,
    tokens: &mut Tokens,
    hashes: &mut Vec<u64>,
) {
    tokens::cut_characters(bytes, tokens);
    if tokens.is_empty() {
        return;
    }
    let width = width.clamp(1, tokens.len());
    let starts = &tokens.starts[..=tokens.len() - width];
    let ends = &tokens.ends[width - 1..];
    simd::hash::hash_tokens(hash, bytes, starts, ends, hashes);
}

/// A digest that no unit has, nor a word of another text.
fn own_digest(own: u64, word: usize) -> u128 {
    let place = hash::mix(own.wrapping_mul(hash::K[0]) ^ hash::K[1]);
    u128::from(place) << 64 | u128::from(word as u64)
}

/// The number of a word, by the digest of its unit and its place there.
fn number_in_unit(digest: u128, place: u64) -> u64 {
    let place = (place + 1).wrapping_mul(hash::K[3]);
    let upper = hash::mix((digest >> 64) as u64 ^ place);
    hash::mix(upper.wrapping_add(digest as u64).wrapping_mul(hash::K[0]))
}
