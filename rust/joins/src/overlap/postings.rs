//! Postings: the sets with a value in their prefix, and its place there, in one sorted array.

use super::catalogue::Rank;
use super::intersect::AHEAD;
use super::prefix::{Prefix, Prefixes};
use crate::error::KernelError;
use crate::progress::Progress;
use crate::reserve;
use crate::sets::saturate_to_u32;
use crate::simd::prefetch::prefetch;
use std::ops::Range;

/// Bytes of an indexed set while the index is asked, besides its postings: what it shares with the
/// set that asks, and its places among those that were met and those that were found.
pub(super) const ASKING_BYTES: usize = 32;

/// Postings to a bucket, on average: one cache line.
const BUCKET: usize = 8;

/// A bucket of more postings, of a value that very many sets have, is worth a place to begin at.
const LARGE: usize = 64;

/// In the place of a removed posting. No set has it: its rank would be above all ranks.
const GONE: u64 = u64::MAX;

/// Every (value, set, position) of the indexed prefixes, sorted, 8 bytes each: the spread value in
/// the upper 32 bits, then the rank of the set in as many bits as the number of sets needs, then
/// the position of the value in the set's order. A position that does not fit reads as the greatest
/// that does, so that a position read is a lower bound.
pub(crate) struct Postings {
    entries: Vec<u64>,
    /// Starts of the buckets of spread values in `entries`, and the end of the last.
    starts: Vec<usize>,
    position_bits: u32,
    /// End of the last run in each large bucket; empty if no bucket is large.
    last: Vec<u32>,
    /// Number of removed sets met in each bucket since it was last cleared of them.
    met: Vec<usize>,
}

/// A set with a value in its indexed prefix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) rank: Rank,
    /// The position of the value in the order of the set, or one before it.
    pub(crate) least_position: u32,
}

impl Postings {
    /// Indexes the prefix values of each set at positions below `position_limit(rank)`; lone values
    /// have the first positions.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`].
    pub(crate) fn index(
        prefixes: &Prefixes,
        position_limit: impl Fn(Rank) -> usize,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let indexed = |rank: u32| -> Prefix {
            let Prefix { lone, tokens } = prefixes.get(rank);
            let kept = position_limit(rank).saturating_sub(lone).min(tokens.len());
            let tokens = &tokens[..kept];
            Prefix { lone, tokens }
        };
        let sets = prefixes.ranks();
        let total: usize = sets.clone().map(|rank| indexed(rank).tokens.len()).sum();
        let mut postings = Self {
            entries: reserve::repeat_value(0, total)?,
            starts: reserve::repeat_value(0, (total / BUCKET).clamp(1, 1 << 28) + 1)?,
            // The end of the ranks fits too: [`Self::entries_descending`] makes a posting of it to
            // compare with.
            position_bits: sets.end.leading_zeros(),
            last: Vec::new(),
            met: Vec::new(),
        };
        for rank in sets.clone() {
            let tokens = indexed(rank).tokens;
            progress.spend_values(tokens.len())?;
            for &token in tokens {
                let bucket = postings.bucket(token);
                postings.starts[bucket] += 1;
            }
        }
        let mut end = 0;
        for start in &mut postings.starts {
            end += *start;
            *start = end;
        }
        // Filled from the back, each bucket's end moves to its start.
        for rank in sets.rev() {
            let Prefix { lone, tokens } = indexed(rank);
            progress.spend_values(tokens.len())?;
            for (place, &token) in tokens.iter().enumerate().rev() {
                let bucket = postings.bucket(token);
                postings.starts[bucket] -= 1;
                postings.entries[postings.starts[bucket]] =
                    postings.entry(token, rank, lone + place);
            }
        }
        // Values of one bucket came in the order of ranks; runs of one value need the value first.
        for bucket in 0..postings.starts.len() - 1 {
            let entries =
                &mut postings.entries[postings.starts[bucket]..postings.starts[bucket + 1]];
            progress.spend_values(entries.len())?;
            entries.sort_unstable();
        }
        Ok(postings)
    }

    /// The number of postings.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The spread value of each posting, ascending.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = u32> {
        self.entries.iter().map(|&entry| (entry >> 32) as u32)
    }

    /// The sets of some ranks whose indexed prefix has `token`, in descending order. Ranks are at
    /// most the number of sets.
    #[inline]
    pub(crate) fn entries_descending(
        &mut self,
        token: u32,
        ranks: Range<Rank>,
    ) -> impl Iterator<Item = Posting> {
        let bucket = self.bucket(token);
        let (low, high) = (self.entry(token, ranks.start, 0), self.entry(token, ranks.end, 0));
        let entries = &self.entries[self.starts[bucket]..self.starts[bucket + 1]];
        let below = if entries.len() > LARGE {
            self.last.resize(self.starts.len(), 0);
            let below = count_below(entries, high, self.last[bucket] as usize);
            self.last[bucket] = saturate_to_u32(below);
            below
        } else {
            entries.partition_point(|&entry| entry < high)
        };
        let (bits, mask) = (self.position_bits, self.position_mask());
        let run = entries[..below].iter().rev().take_while(move |&&entry| entry >= low);
        run.map(move |&entry| {
            let below = u64::from(entry as u32);
            Posting { rank: (below >> bits) as u32, least_position: (below & mask) as u32 }
        })
    }

    /// Asks for what [`Self::entries_descending`] will read of the values to come to be brought
    /// near: first where a bucket is, then what it holds.
    #[inline]
    pub(crate) fn prefetch_ahead(&self, tokens: &[u32]) {
        if let Some(&token) = tokens.get(2 * AHEAD) {
            prefetch(&self.starts[self.bucket(token)..]);
        }
        if let Some(&token) = tokens.get(AHEAD) {
            prefetch(&self.entries[self.starts[self.bucket(token)]..]);
        }
    }

    /// Notes that `met` postings of `token` were those of removed sets; clears its bucket of such
    /// postings when they have cost as much as reading the bucket.
    #[inline]
    pub(crate) fn sweep_if_due(&mut self, token: u32, met: usize, removed: impl Fn(Rank) -> bool) {
        if met == 0 {
            return;
        }
        self.met.resize(self.starts.len(), 0);
        let bucket = self.bucket(token);
        let entries = &mut self.entries[self.starts[bucket]..self.starts[bucket + 1]];
        self.met[bucket] += met;
        if self.met[bucket] < entries.len() {
            return;
        }
        self.met[bucket] = 0;
        let mut kept = 0;
        for place in 0..entries.len() {
            let entry = entries[place];
            let rank = (u64::from(entry as u32) >> self.position_bits) as u32;
            if entry != GONE && !removed(rank) {
                entries[kept] = entry;
                kept += 1;
            }
        }
        // Above all others, so that the bucket stays sorted and no question reaches them.
        entries[kept..].fill(GONE);
    }

    /// The bucket of a spread value: buckets ascend with it and are equally wide.
    #[inline]
    fn bucket(&self, token: u32) -> usize {
        // A multiplication in place of a division (Lemire 2019, "Fast random integer generation in
        // an interval"); any number of buckets will do, and they ascend with the value.
        ((u64::from(token) * (self.starts.len() as u64 - 1)) >> 32) as usize
    }

    #[inline]
    fn entry(&self, token: u32, rank: u32, position: usize) -> u64 {
        let position = (position as u64).min(self.position_mask());
        u64::from(token) << 32 | u64::from(rank) << self.position_bits | position
    }

    #[inline]
    fn position_mask(&self) -> u64 {
        (1 << self.position_bits) - 1
    }
}

/// Number of the sorted `entries` below `end`, looked for around `near`: joins ask for ranks
/// in their order, so that it is close.
fn count_below(entries: &[u64], end: u64, near: usize) -> usize {
    let (mut high, mut step) = (entries.len(), 1);
    let low = if entries.get(near).is_some_and(|&entry| entry < end) {
        let mut low = near + 1;
        while low + step < high && entries[low + step] < end {
            low += step + 1;
            step *= 2;
        }
        high = high.min(low + step);
        low
    } else {
        high = near.min(high);
        while step <= high && entries[high - step] >= end {
            high -= step;
            step *= 2;
        }
        high.saturating_sub(step)
    };
    low + entries[low..high].partition_point(|&entry| entry < end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_below_are_counted_from_wherever_one_begins() {
        let entries: Vec<u64> = (0..300).map(|n| n * n / 7).collect();
        for end in (0..13_000).step_by(11) {
            let expected = entries.iter().filter(|&&entry| entry < end).count();
            for near in (0..=entries.len()).chain([9_999]) {
                assert_eq!(count_below(&entries, end, near), expected, "{end} from {near}");
            }
        }
    }
}
