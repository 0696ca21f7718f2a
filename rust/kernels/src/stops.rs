//! Stop words: words so common that they say nothing of a text, left out before shingles are made.

use crate::tokens::Tokens;
use ilk_joins::hash::{self, Half};

/// Words that one bucket of the table holds: as many ids as an instruction of 256 bits compares.
const HOLDS: usize = 8;

/// A set of words, asked for each word of a text: a bucket is looked at as a whole, without
/// branches, since every second word of a text is a stop word and which one cannot be predicted.
#[derive(Debug, Clone, Default)]
pub struct Stops {
    /// A power of two of them, or none where there is no stop word. Empty places repeat a word.
    buckets: Vec<[u32; HOLDS]>,
    /// Spreads ids over the buckets.
    factor: u32,
}

impl Stops {
    /// The set of words of these ids.
    #[must_use]
    pub fn new(ids: &[u32]) -> Self {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids.dedup();
        let Some(&any) = ids.first() else { return Self::default() };
        let mut attempt = 0;
        loop {
            let factor = hash::expand_id(attempt, Half::Low) as u32 | 1;
            // Four factors are tried before there are twice as many buckets.
            let count = ids.len().next_power_of_two() << (attempt / 4);
            let mut stops = Self { buckets: vec![[any; HOLDS]; count], factor };
            if stops.fill_buckets(&ids) {
                return stops;
            }
            attempt += 1;
        }
    }

    /// Puts the ids into their buckets; returns whether all found room.
    fn fill_buckets(&mut self, ids: &[u32]) -> bool {
        let mut filled = vec![0; self.buckets.len()];
        ids.iter().all(|&id| {
            let bucket = self.bucket(id);
            let free = self.buckets[bucket].get_mut(filled[bucket]);
            filled[bucket] += 1;
            free.map(|free| *free = id).is_some()
        })
    }

    /// Keeps of the hashes of words from `start` on those that are no stop words.
    pub fn remove_from(&self, words: &mut Vec<u64>, start: usize) {
        if self.buckets.is_empty() {
            return;
        }
        let mut kept = start;
        for read in start..words.len() {
            let word = words[read];
            // Written always, and kept or not without a branch, which would be guessed wrongly
            // every other word.
            words[kept] = word;
            kept += usize::from(!self.has(word));
        }
        words.truncate(kept);
    }

    /// Keeps of the words that were cut, and of their hashes from `start` on, those that are no
    /// stop words.
    pub fn remove_tokens(&self, tokens: &mut Tokens, words: &mut Vec<u64>, start: usize) {
        if self.buckets.is_empty() {
            return;
        }
        let mut kept = 0;
        for read in 0..tokens.len() {
            let word = words[start + read];
            tokens.starts[kept] = tokens.starts[read];
            tokens.ends[kept] = tokens.ends[read];
            words[start + kept] = word;
            kept += usize::from(!self.has(word));
        }
        tokens.starts.truncate(kept);
        tokens.ends.truncate(kept);
        words.truncate(start + kept);
    }

    /// Return whether the word of this hash is a stop word.
    #[inline]
    #[must_use]
    pub fn has(&self, word: u64) -> bool {
        let id = hash::id_of_hash(word);
        let bucket = self.buckets.get(self.bucket(id));
        bucket.is_some_and(|bucket| bucket.iter().fold(false, |any, &stop| any | (stop == id)))
    }

    /// Bucket of an id.
    #[inline]
    fn bucket(&self, id: u32) -> usize {
        let spread = u64::from(id.wrapping_mul(self.factor));
        ((spread * self.buckets.len() as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_set_go_and_no_others() {
        let word = |i: u64| hash::mix(i << 32 | i);
        for count in [0, 1, 2, 9, 100, 1298] {
            let stops =
                Stops::new(&(0..count).map(|i| hash::id_of_hash(word(i))).collect::<Vec<_>>());
            let mut words: Vec<u64> = (0..3000).rev().map(word).collect();
            stops.remove_from(&mut words, 1);
            let kept = (0..3000).rev().filter(|&i| i >= count || i == 2999).map(word);
            assert!(words.into_iter().eq(kept), "{count} stop words");
        }
    }

    #[test]
    fn ids_that_crowd_one_bucket_are_found_all_the_same() {
        // The inverse of the first factor takes neighbours to ids that it takes to one bucket.
        let factor = hash::expand_id(0, Half::Low) as u32 | 1;
        let inverse = (0..5).fold(factor, |inverse: u32, _| {
            inverse.wrapping_mul(2u32.wrapping_sub(factor.wrapping_mul(inverse)))
        });
        let ids: Vec<u32> = (0..64u32).map(|i| i.wrapping_mul(inverse)).collect();
        let stops = Stops::new(&ids);
        assert_ne!(stops.factor, factor);
        assert!(ids.iter().all(|&id| stops.has(u64::from(id) << 32)));
        assert!(!stops.has(u64::from(64u32.wrapping_mul(inverse)) << 32));
    }
}
