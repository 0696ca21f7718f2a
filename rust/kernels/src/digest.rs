//! 128-bit digests (XXH3) that tell equal texts and equal files from all others.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::characters;
use crate::figures;
use crate::masks::Masks;
use crate::simd::numbers;
use crate::text::{self, Normalisation, Normalised};
use ilk_joins::judge::WORDLESS_BITS;
use ilk_joins::simd::xxh3::xxh3_128;
use ilk_joins::stop;

/// The digest of some bytes.
#[must_use]
pub fn digest_bytes(bytes: &[u8]) -> u128 {
    stop::count_work_or_unwind(bytes.len());
    xxh3_128(bytes)
}

/// The digest of a text without its numbers, normalised with white space collapsed: the digest of
/// the text if it has none. `masked` is a buffer.
///
/// The digest of a text in which each word has a number begins with 32 bits of 0
/// ([`ilk_joins::judge::has_words`]).
#[must_use]
pub fn digest_figures_as_zero_marking_wordless(
    collapsed: &[u8],
    digest_if_no_numbers: Option<u128>,
    masked: &mut Vec<u8>,
) -> Option<u128> {
    masked.clear();
    if !numbers::push_with_numbers_as_zero(collapsed, masked) {
        return digest_if_no_numbers;
    }
    figures::write_each_figure_as_zero(masked);
    let without = digest_bytes(masked);
    // The shift leaves 96 bits, which is enough to tell texts apart.
    Some(if figures::has_word_without_number(masked) { without } else { without >> WORDLESS_BITS })
}

/// Before each numeral in what is digested: no text has this byte.
const BEFORE_NUMERAL: u8 = 0xFF;

/// The digest of a text from which folding takes numbers ([`characters::loses_number_in_nfkc`]):
/// they are digested as they are, so that `10²` is not `102`. `normalised` and `kept` are buffers.
#[must_use]
pub fn digest_with_numerals(
    text: &str,
    masks: Masks,
    normalised: &mut Normalised,
    kept: &mut Vec<u8>,
) -> u128 {
    kept.clear();
    let (mut rest, mut after_space) = (text, true);
    loop {
        let (before, from) =
            rest.split_at(rest.find(characters::loses_number_in_nfkc).unwrap_or(rest.len()));
        for piece in masks.cut_into_independent_pieces(before) {
            normalised.set_text(piece, Normalisation::Fold);
            masks.apply_and_forget_origins(normalised);
            text::push_collapsed(&normalised.bytes, &mut after_space, kept);
        }
        let Some(numeral) = from.chars().next() else { break };
        let (numeral, behind) = from.split_at(numeral.len_utf8());
        kept.push(BEFORE_NUMERAL);
        kept.extend_from_slice(numeral.as_bytes());
        (rest, after_space) = (behind, false);
    }
    if after_space {
        kept.pop();
    }
    digest_bytes(kept)
}

/// Bytes that an entry of a table counts as for Ctrl-C.
const ENTRY: usize = 128;

/// Rows of digests that stand in a table at a time: all of them would take up to 100 bytes a row.
const TOGETHER: usize = 1 << 17;

/// Per row the first row of an equal digest; `None` where there is no digest.
#[must_use]
pub fn find_first_rows(rows: usize, digest: impl Fn(usize) -> Option<u128>) -> Vec<Option<usize>> {
    let mut found = vec![None; rows];
    // Parts by the lowest bits of the digest: equal ones are in one part.
    let parts = rows.div_ceil(TOGETHER).next_power_of_two();
    let mut first = HashMap::with_capacity_and_hasher(
        rows.min(TOGETHER),
        BuildHasherDefault::<UpperBits>::default(),
    );
    for part in 0..parts {
        first.clear();
        for (row, first_row) in found.iter_mut().enumerate() {
            let of_part = |digest: &u128| *digest as usize & (parts - 1) == part;
            if let Some(digest) = digest(row).filter(of_part) {
                stop::count_work_or_unwind(ENTRY);
                *first_row = Some(*first.entry(digest).or_insert(row));
            }
        }
    }
    found
}

/// A hasher of digests, whose bits are as good as those of a hash of them: the upper ones, since
/// the lowest are the same in all digests of a part.
#[derive(Debug, Default)]
struct UpperBits(u64);

impl Hasher for UpperBits {
    fn write_u128(&mut self, digest: u128) {
        self.0 = (digest >> u64::BITS) as u64;
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only digests are hashed")
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Digests texts; keeps its buffers from one text to the next.
#[derive(Debug, Default)]
pub struct Digester {
    masks: Masks,
    normalised: Normalised,
    masked: Vec<u8>,
}

impl Digester {
    /// Digests texts without some differences.
    #[must_use]
    pub fn new(masks: Masks) -> Self {
        Self { masks, ..Self::default() }
    }

    /// The digest of the normalised text with white space collapsed; `None` for a blank text.
    /// Numbers that folding would take from a character count ([`digest_with_numerals`]).
    pub fn digest_text(&mut self, text: &str, normalisation: Normalisation) -> Option<u128> {
        self.normalise_into_buffers(text, normalisation);
        let bytes = &self.normalised.bytes;
        if bytes.is_empty() {
            return None;
        }
        Some(if self.normalised.numerals && !self.masks.digits {
            digest_with_numerals(text, self.masks, &mut self.normalised, &mut self.masked)
        } else {
            xxh3_128(bytes)
        })
    }

    fn normalise_into_buffers(&mut self, text: &str, normalisation: Normalisation) {
        self.normalised.set_text(text, normalisation);
        self.masks.apply_and_forget_origins(&mut self.normalised);
        text::collapse_spaces(&mut self.normalised.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Digester {
        /// The digest of a text without numbers ([`digest_figures_as_zero_marking_wordless`]), so
        /// that texts that differ in numbers alone are equal; `None` for a blank text.
        pub(crate) fn digest_text_with_figures_as_zero(
            &mut self,
            text: &str,
            normalisation: Normalisation,
        ) -> Option<u128> {
            let digest = self.digest_text(text, normalisation);
            self.normalise_into_buffers(text, normalisation);
            let bytes = &self.normalised.bytes;
            digest_figures_as_zero_marking_wordless(bytes, digest, &mut self.masked)
        }
    }

    #[test]
    fn first_rows_of_equal_digests() {
        let digests = [Some(7), None, Some(8), Some(7), None, Some(8)];
        let found = find_first_rows(digests.len(), |row| digests[row]);
        assert_eq!(found, [Some(0), None, Some(2), Some(0), None, Some(2)]);
        // More rows than stand in a table at a time.
        let found = find_first_rows(TOGETHER + 9, |row| Some((row % TOGETHER) as u128));
        assert!((0..TOGETHER + 9).all(|row| found[row] == Some(row % TOGETHER)));
    }

    #[test]
    fn case_width_and_white_space_do_not_count_but_punctuation_does() {
        let digest = |text| Digester::default().digest_text(text, Normalisation::Fold);
        assert_eq!(digest("One  two\r\n"), digest("ｏne two"));
        assert_ne!(digest("One, two"), digest("one two"));
        assert_eq!(digest(" \n"), None);
        // XXH3-128 of nothing, seed 0: the algorithm's published sanity value.
        assert_eq!(digest_bytes(b""), 0x99AA_06D3_0147_98D8_6001_C324_468D_497F);
    }

    #[test]
    fn numbers_that_folding_takes_from_characters_count() {
        let digest = |text| Digester::default().digest_text(text, Normalisation::Fold);
        let several = ["10²", "102", "10₂", "1０2²", "½", "1⁄2", "① a", "1 a", "m²", "m2", "㎡"];
        for (at, one) in several.iter().enumerate() {
            let spaced = format!(" {one}\n");
            assert_eq!(digest(one), Digester::default().digest_text(&spaced, Normalisation::Fold));
            for other in &several[..at] {
                assert_ne!(digest(one), digest(other), "{one:?} {other:?}");
            }
        }
        for (one, other) in
            [("X  ² Y", "x ² y"), ("１０", "10"), ("x²", "X²"), ("² é", "² e\u{301}")]
        {
            assert_eq!(digest(one), digest(other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn masked_differences_do_not_count() {
        let masks =
            Masks { accents: true, digits: true, punctuation_as_space: true, ..Masks::NONE };
        let digest = |text| Digester::new(masks).digest_text(text, Normalisation::Fold);
        for (one, other) in [
            ("Hello, world!", "hello world"),
            ("Hello’s café", "HELLOS cafe"),
            ("10² m", "7 m"),
            ("a-b (c)", "a b c"),
        ] {
            assert_eq!(digest(one), digest(other), "{one:?} {other:?}");
        }
        assert_ne!(digest("ab"), digest("a b"));
        assert_eq!(digest("?! —"), None);
        let spaced = Masks { punctuation_as_space: true, ..Masks::NONE };
        let digest = |text| Digester::new(spaced).digest_text(text, Normalisation::Fold);
        assert_ne!(digest("10²"), digest("102"));
        assert_eq!(digest("a, ² b!"), digest("a ² b"));
    }

    #[test]
    fn numbers_are_masked_however_they_are_written() {
        let masked =
            |text| Digester::default().digest_text_with_figures_as_zero(text, Normalisation::Fold);
        for (one, other) in [
            ("Paid 7 of 12.", "Paid 1,234.50 of 3."),
            ("v1.2.3", "v10.0"),
            ("٣ cats", "１２ cats"),
            ("x9y", "x10y"),
            ("Due: 100.00 now", "Due: -100.00 now"),
            ("Due: 100.00 now", "Due: (100.00) now"),
            ("Due: 100.00 now", "Due: −1 000,00\u{202F}€ now"),
            ("Due: 100.00 now", "Due: CHF 1'000.00 now"),
            ("10² m", "102 m"),
            ("½ cup", "0.5 cup"),
            ("on 2024-01-05.", "on 05.01.2024."),
            ("pages 5", "pages 5–7"),
        ] {
            assert_eq!(masked(one), masked(other), "{one:?} {other:?}");
        }
        for (one, other) in [
            ("7 cats", "7 dogs"),
            ("7", "a"),
            ("a 1.", "a 1"),
            ("covid-19", "covid 19"),
            ("Ⅳ a", "IV a"),
        ] {
            assert_ne!(masked(one), masked(other), "{one:?} {other:?}");
        }
        assert_eq!(masked(" "), None);
    }

    #[test]
    fn a_text_without_words_shows_it() {
        let masked = |text| {
            Digester::default()
                .digest_text_with_figures_as_zero(text, Normalisation::Fold)
                .unwrap_or(0)
        };
        for text in ["12", "777", "1; 2", "5 %", "word1 word2"] {
            assert_eq!(masked(text) >> (128 - WORDLESS_BITS), 0, "{text}");
        }
        assert_eq!(masked("12"), masked("777"));
        assert_ne!(masked("5 a") >> (128 - WORDLESS_BITS), 0);
    }
}
