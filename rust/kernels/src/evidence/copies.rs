//! The places of texts that came before: a text costs its reading once, whichever thread meets it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex};

use ilk_joins::parallel::lock;

use super::Evidence;

/// Tables of digests, each with a lock of its own, as a power of two: threads seldom meet at one.
const SHARD_BITS: u32 = 6;

/// The place of the evidence of a text: a part, and a row of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextPlace {
    pub(super) part: usize,
    pub(super) row: usize,
}

/// The rows of texts that are worth a look, by the digests of their bytes; threads share them.
///
/// A text refers to parts before its own alone, so that parts can be put together in their order.
/// Where a later part has a text first in time, an earlier one reads it again. Equal bytes have
/// equal evidence, so the answer does not depend on who reads.
#[derive(Debug)]
pub struct PlacesByDigest {
    shards: [Mutex<HashMap<u128, TextPlace>>; 1 << SHARD_BITS],
    /// Evidence of parts that were put after others, without its rows: the next parts fill the same
    /// memory. Each part in memory of its own took 4 % more time of two threads, in which the
    /// system cleared it.
    spare: Mutex<Vec<Evidence>>,
}

impl Default for PlacesByDigest {
    fn default() -> Self {
        Self { shards: std::array::from_fn(|_| Mutex::default()), spare: Mutex::default() }
    }
}

impl PlacesByDigest {
    /// Evidence without rows, for a part.
    pub(super) fn take_spare_or_new_evidence(&self) -> Evidence {
        lock(&self.spare).pop().unwrap_or_default()
    }

    /// Keeps the memory of evidence for a part to come.
    pub(super) fn clear_and_push_spare(&self, mut evidence: Evidence) {
        evidence.clear();
        lock(&self.spare).push(evidence);
    }

    fn shard(&self, digest: u128) -> &Mutex<HashMap<u128, TextPlace>> {
        &self.shards[(digest >> (u128::BITS - SHARD_BITS)) as usize]
    }

    /// The place of a text with this digest in the same part or an earlier one, or else `own` becomes
    /// the one that is found.
    pub(super) fn find_or_claim(&self, digest: u128, own: TextPlace) -> Option<TextPlace> {
        match lock(self.shard(digest)).entry(digest) {
            Entry::Occupied(first) if first.get().part <= own.part => Some(*first.get()),
            // Threads may meet a later part first. Its claim falls to the earlier part, to which
            // later parts may refer; it keeps its own evidence.
            Entry::Occupied(mut later) => {
                later.insert(own);
                None
            }
            Entry::Vacant(free) => {
                free.insert(own);
                None
            }
        }
    }

    /// Forgets the parts before one, and frees the memory that is kept for those to come: rows are
    /// handed over where memory is short.
    fn forget_parts_before(&self, part: usize) {
        lock(&self.spare).clear();
        for shard in &self.shards {
            lock(shard).retain(|_, place| place.part >= part);
        }
    }
}

/// The places of texts by digest, and where the parts begin that it is made of.
#[derive(Debug, Clone, Default)]
pub(super) struct Copies {
    pub(super) places_by_digest: Arc<PlacesByDigest>,
    /// The first part whose rows are still there.
    first: usize,
    /// The first row of each part from that on.
    begins: Vec<usize>,
}

/// Any two are equal: they are no evidence, and only say where to look for copies.
impl PartialEq for Copies {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Copies {}

impl Copies {
    /// The number of the part that comes next.
    pub(super) fn next_part(&self) -> usize {
        self.first + self.begins.len()
    }

    /// Notes where the next part begins.
    pub(super) fn begin_part(&mut self, row: usize) {
        self.begins.push(row);
    }

    /// The row of a text; none if it is not there any more.
    pub(super) fn row_of(&self, place: TextPlace) -> Option<usize> {
        let part = place.part.checked_sub(self.first)?;
        self.begins.get(part).map(|begin| begin + place.row)
    }

    /// Forgets all rows there are.
    pub(super) fn forget_rows(&mut self) {
        self.first = self.next_part();
        self.begins.clear();
        self.places_by_digest.forget_parts_before(self.first);
    }
}
