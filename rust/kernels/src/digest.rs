//! 128-bit digests (XXH3) that tell equal texts and equal files from all others.

use std::collections::HashMap;

use crate::simd::numbers;
use crate::text::{self, Normalisation, Normalised};
use ilk_joins::simd::xxh3::xxh3_128;
use ilk_joins::stop;

/// The digest of some bytes.
#[must_use]
pub fn bytes(bytes: &[u8]) -> u128 {
    stop::look(bytes.len());
    xxh3_128(bytes)
}

/// Bytes that an entry of a table counts as for Ctrl-C.
const ENTRY: usize = 128;

/// Rows of digests that stand in a table at a time: all of them would take up to 100 bytes a row.
const TOGETHER: usize = 1 << 17;

/// Per row the first row of an equal digest; `None` where there is no digest.
#[must_use]
pub fn first_rows(rows: usize, digest: impl Fn(usize) -> Option<u128>) -> Vec<Option<usize>> {
    let mut found = vec![None; rows];
    let parts = rows.div_ceil(TOGETHER).next_power_of_two();
    for part in 0..parts {
        let mut first = HashMap::new();
        for (row, first_row) in found.iter_mut().enumerate() {
            let of_part = |digest: &u128| *digest as usize & (parts - 1) == part;
            if let Some(digest) = digest(row).filter(of_part) {
                stop::look(ENTRY);
                *first_row = Some(*first.entry(digest).or_insert(row));
            }
        }
    }
    found
}

/// Digests texts; keeps its buffers from one text to the next.
#[derive(Debug, Default)]
pub struct Digester {
    normalised: Normalised,
    masked: Vec<u8>,
}

impl Digester {
    /// The digest of the normalised text with white space collapsed; `None` for a blank text.
    pub fn text(&mut self, text: &str, normalisation: Normalisation) -> Option<u128> {
        self.prepare(text, normalisation);
        let bytes = &self.normalised.bytes;
        (!bytes.is_empty()).then(|| xxh3_128(bytes))
    }

    /// The same with every number written as 0, so that texts that differ in numbers alone are
    /// equal; `None` for a blank text.
    ///
    /// A number is a run of decimal digits that may contain single points and commas.
    pub fn masked(&mut self, text: &str, normalisation: Normalisation) -> Option<u128> {
        self.prepare(text, normalisation);
        self.masked.clear();
        numbers::push_masked(&self.normalised.bytes, &mut self.masked);
        (!self.masked.is_empty()).then(|| xxh3_128(&self.masked))
    }

    fn prepare(&mut self, text: &str, normalisation: Normalisation) {
        self.normalised.set(text, normalisation);
        text::collapse(&mut self.normalised.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_rows_of_equal_digests() {
        let digests = [Some(7), None, Some(8), Some(7), None, Some(8)];
        let found = first_rows(digests.len(), |row| digests[row]);
        assert_eq!(found, [Some(0), None, Some(2), Some(0), None, Some(2)]);
        // More rows than stand in a table at a time.
        let found = first_rows(TOGETHER + 9, |row| Some((row % TOGETHER) as u128));
        assert!((0..TOGETHER + 9).all(|row| found[row] == Some(row % TOGETHER)));
    }

    #[test]
    fn case_width_and_white_space_do_not_count_but_punctuation_does() {
        let digest = |text| Digester::default().text(text, Normalisation::Fold);
        assert_eq!(digest("One  two\r\n"), digest("ｏne two"));
        assert_ne!(digest("One, two"), digest("one two"));
        assert_eq!(digest(" \n"), None);
        // XXH3-128 of nothing, seed 0: the algorithm's published sanity value.
        assert_eq!(bytes(b""), 0x99AA_06D3_0147_98D8_6001_C324_468D_497F);
    }

    #[test]
    fn numbers_of_any_length_and_script_are_masked() {
        let masked = |text| Digester::default().masked(text, Normalisation::Fold);
        for (one, other) in [
            ("Paid 7 of 12.", "Paid 1,234.50 of 3."),
            ("v1.2.3", "v10.0"),
            ("٣ cats", "１２ cats"),
            ("x9y", "x10y"),
        ] {
            assert_eq!(masked(one), masked(other), "{one:?} {other:?}");
        }
        for (one, other) in
            [("7 cats", "7 dogs"), ("1..2", "1.2"), ("7", "a"), ("1 2", "12"), ("1.", "1")]
        {
            assert_ne!(masked(one), masked(other), "{one:?} {other:?}");
        }
        assert_eq!(masked(" "), None);
    }
}
