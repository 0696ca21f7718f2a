//! The rarest values of each set: two sets alike enough share one of them.

use super::catalogue::{CatalogueTail, Rank};
use super::frequency::Frequencies;
use crate::error::KernelError;
use crate::progress::{JUMP, Progress};
use crate::reserve;
use std::ops::Range;

/// The prefixes of the sets of a catalogue from a rank on, values spread
/// ([`super::frequency::spread_bits`]) and in the common order: by frequency, then by spread value.
pub(crate) struct Prefixes {
    /// The first rank.
    pub(crate) first: Rank,
    pub(crate) starts: Vec<usize>,
    pub(crate) tokens: Vec<u32>,
    pub(crate) lone: Vec<u32>,
}

/// The prefix of one set. Values that no other set has come first; they are counted, not kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prefix<'a> {
    /// Number of values of the set before `tokens`.
    pub(crate) lone: usize,
    /// The rest of the prefix; empty where it has nothing but lone values.
    pub(crate) tokens: &'a [u32],
}

impl Prefixes {
    /// Selects the `length(size)` rarest values of each of the sets that is `chosen`; the others
    /// have empty prefixes.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`].
    pub(super) fn select(
        from: CatalogueTail,
        frequencies: &Frequencies,
        chosen: impl Fn(Rank) -> bool,
        length: impl Fn(usize) -> usize,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let (sets, first, catalogue) = (from.len(), from.first, from.catalogue);
        let (starts, lone) = (reserve::new_list(sets + 1)?, reserve::new_list(sets)?);
        let mut prefixes = Self { first, starts, tokens: Vec::new(), lone };
        prefixes.starts.push(0);
        let mut keys = Vec::new();
        for rank in from.ranks() {
            let set = if chosen(rank) { catalogue.set(rank) } else { &[] };
            progress.note_done((rank - first) as usize, sets);
            progress.spend_values(2 * set.len() + JUMP)?;
            let shared = collect_shared_values(set, frequencies, &mut keys);
            let lone = set.len() - shared.len();
            let kept = sort_rarest(shared, length(set.len()).saturating_sub(lone));
            reserve::make_room(&mut prefixes.tokens, kept.len())?;
            prefixes.tokens.extend(kept.iter().map(|&key| key as u32));
            prefixes.starts.push(prefixes.tokens.len());
            prefixes.lone.push(lone as u32);
        }
        Ok(prefixes)
    }

    /// The ranks that have prefixes.
    pub(super) fn ranks(&self) -> Range<Rank> {
        self.first..self.first + self.lone.len() as u32
    }

    /// The prefix of the set of rank `rank`.
    pub(crate) fn get(&self, rank: Rank) -> Prefix<'_> {
        let rank = (rank - self.first) as usize;
        Prefix {
            lone: self.lone[rank] as usize,
            tokens: &self.tokens[self.starts[rank]..self.starts[rank + 1]],
        }
    }
}

/// The values of `set` that other sets may have, each as frequency and spread value, unordered.
fn collect_shared_values<'k>(
    set: &[u32],
    frequencies: &Frequencies,
    keys: &'k mut Vec<u64>,
) -> &'k mut [u64] {
    if keys.len() < set.len() {
        keys.resize(set.len(), 0);
    }
    // Two passes: nothing is stored at a place that a look-up decides, since some processors then
    // let the next look-up wait for it.
    let keys = &mut keys[..set.len()];
    for (key, (token, frequency)) in keys.iter_mut().zip(frequencies.tokens_of(set)) {
        *key = u64::from(frequency) << 32 | u64::from(token);
    }
    let (mut shared, mut end) = (0, keys.len());
    while shared < end {
        // Only a count of one is sure to be true: no other set has the value, so no index needs it.
        if keys[shared] >> 32 > 1 {
            shared += 1;
        } else {
            end -= 1;
            keys.swap(shared, end);
        }
    }
    &mut keys[..shared]
}

/// The `count` smallest keys (or all there are), sorted.
pub(crate) fn sort_rarest(keys: &mut [u64], count: usize) -> &[u64] {
    let count = count.min(keys.len());
    if 0 < count && count < keys.len() {
        keys.select_nth_unstable(count - 1);
    }
    keys[..count].sort_unstable();
    &keys[..count]
}
