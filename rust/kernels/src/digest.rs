//! 128-bit digests (XXH3) that tell equal texts and equal files from all others.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_128;

use crate::text::{self, Normalisation, Normalised};

/// The digest of some bytes.
#[must_use]
pub fn bytes(bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
}

/// Per row the first row of an equal digest; none where there is no digest.
#[must_use]
pub fn first_rows(digests: &[Option<u128>]) -> Vec<Option<usize>> {
    let mut first = HashMap::with_capacity(digests.len());
    let rows = digests.iter().enumerate();
    rows.map(|(row, digest)| digest.map(|digest| *first.entry(digest).or_insert(row))).collect()
}

/// Digests texts; keeps its buffer from one text to the next.
#[derive(Debug, Default)]
pub struct Digester {
    normalised: Normalised,
}

impl Digester {
    /// The digest of the normalised text with white space collapsed; none for a blank text.
    pub fn text(&mut self, text: &str, normalisation: Normalisation) -> Option<u128> {
        self.normalised.set(text, normalisation);
        text::collapse(&mut self.normalised.bytes);
        let bytes = &self.normalised.bytes;
        (!bytes.is_empty()).then(|| xxh3_128(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_rows_of_equal_digests() {
        let digests = [Some(7), None, Some(8), Some(7), None, Some(8)];
        assert_eq!(first_rows(&digests), [Some(0), None, Some(2), Some(0), None, Some(2)]);
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
}
