//! Hashes of grams, each made from the one before.

/// Odd constants without structure (the first digits of pi and of e in base 16).
const BASE: u64 = 0x243F_6A88_85A3_08D3;
const MIX: u64 = 0xB7E1_5162_8AED_2A6B;

/// The hash of the gram at one position of some words: a polynomial in a fixed base, modulo 2^64.
pub(super) struct Rolling<'a> {
    words: &'a [u64],
    width: usize,
    /// The base to the power of the width: what the word that leaves is worth.
    leaving: u64,
    at: usize,
    sum: u64,
}

impl<'a> Rolling<'a> {
    /// Stands at the gram of `width` words at `at`, all within the words.
    pub(super) fn new(words: &'a [u64], width: usize, at: usize) -> Self {
        let leaving = (0..width).fold(1u64, |power, _| power.wrapping_mul(BASE));
        let mut rolling = Self { words, width, leaving, at, sum: 0 };
        rolling.seek(at);
        rolling
    }

    /// Goes to another gram.
    pub(super) fn seek(&mut self, at: usize) {
        self.at = at;
        let gram = &self.words[at..at + self.width];
        self.sum = gram.iter().fold(0, |sum: u64, &word| sum.wrapping_mul(BASE).wrapping_add(word));
    }

    /// The position of the gram.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The hash of the gram; all its bits depend on all words.
    #[inline]
    pub(super) fn hash(&self) -> u64 {
        // The lower bits of a polynomial modulo 2^64 depend on the lower bits of the words alone.
        let folded = (self.sum ^ (self.sum >> 32)).wrapping_mul(MIX);
        folded ^ (folded >> 29)
    }

    /// Goes to the next gram, if there is one; else the words end here.
    #[inline]
    pub(super) fn advance(&mut self) {
        if let Some(&enters) = self.words.get(self.at + self.width) {
            let leaves = self.words[self.at].wrapping_mul(self.leaving);
            self.sum = self.sum.wrapping_mul(BASE).wrapping_add(enters).wrapping_sub(leaves);
        }
        self.at += 1;
    }
}
