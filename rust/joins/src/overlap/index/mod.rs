//! An index of sets that come and go, and the search for those that share much with another one.
//!
//! The method is that of the joins, prefix filtering with positional bounds, but in an order of
//! values that is fixed when the index is made: any order is exact (Bayardo et al. 2007, section
//! 3), and one by the frequencies of a sample is fast. The index holds prefixes alone, so that its
//! answers are candidates: every set that shares enough, and few others. Where most values are
//! common ones, as of short shingles of characters, the bitmaps of the sets keep them few.

mod entry;
mod lists;

pub use entry::Entry;

use super::bitmap::{Bitmap, bitmap, differ};
use super::candidates::Seen;
use super::catalogue::Catalogue;
use super::frequency::{Frequencies, spread};
use super::prefix::rarest;
use super::ratio::{Ratio, Resemblance};
use super::sets::Sets;
use crate::error::{KernelError, Watch};
use crate::progress::Progress;
use crate::reserve;
use crate::sets::as_u32;
use lists::Lists;
use std::collections::HashMap;

/// One slot in this many may be of a removed set before the entries of removed sets are dropped.
const GONE: usize = 4;

/// Sets by id, searched for those that share a part of the larger one with another set.
#[derive(Debug)]
pub struct Index {
    threshold: Ratio,
    order: Frequencies,
    lists: Lists,
    by_id: HashMap<i64, u32>,
    /// Slot by slot the id, the size and the bitmap of a set; no set is to be found in a slot of
    /// size 0.
    ids: Vec<i64>,
    sizes: Vec<u32>,
    bitmaps: Vec<Bitmap>,
    /// Slots of removed sets: those that entries still name, and those that none does.
    gone: Vec<u32>,
    free: Vec<u32>,
}

/// Sets to be added.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// Sets as the index compares them.
    pub sets: Sets<'a>,
    /// For each how many values it had more, before some fell together; none where it is not said.
    pub merged: &'a [u32],
}

/// A set asked for, and what another one must share with it.
struct Question<'q> {
    set: &'q [u32],
    threshold: Ratio,
    merged: usize,
    /// Number of values that it must share with a set that is not larger.
    need: usize,
}

impl Given<'_> {
    fn merged(self, row: usize) -> usize {
        self.merged.get(row).copied().unwrap_or(0) as usize
    }
}

impl<'q> Question<'q> {
    fn new(set: &'q [u32], threshold: Ratio, merged: usize) -> Self {
        Self { set, threshold, merged, need: needed(threshold, set.len(), merged) }
    }

    /// Number of values that it must share with a set of `size` values.
    #[inline]
    fn need(&self, size: usize) -> usize {
        if size <= self.set.len() { self.need } else { needed(self.threshold, size, self.merged) }
    }
}

impl Index {
    /// An empty index, fast at `threshold` and above.
    ///
    /// The sets of `sample` tell rare values from common ones. No answer depends on them.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`] by the watch.
    pub fn new(sample: Sets, threshold: Ratio, watch: Watch) -> Result<Self, KernelError> {
        let progress = Progress::stage(watch, 0.0, 0.5);
        let catalogue = Catalogue::new(sample, threshold, &progress)?;
        let progress = Progress::stage(watch, 0.5, 1.0);
        Ok(Self::with(Frequencies::count(&[(&catalogue, 0)], &progress)?, threshold))
    }

    /// An empty index in the order of another one ([`Self::order`]), which takes the same entries;
    /// none if there is no such order.
    #[must_use]
    pub fn in_order(order: Vec<u16>, threshold: Ratio) -> Option<Self> {
        Frequencies::of_counts(order).map(|order| Self::with(order, threshold))
    }

    fn with(order: Frequencies, threshold: Ratio) -> Self {
        Self {
            threshold,
            order,
            lists: Lists::default(),
            by_id: HashMap::new(),
            ids: Vec::new(),
            sizes: Vec::new(),
            bitmaps: Vec::new(),
            gone: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Frequencies, which tell rare values from common ones.
    #[must_use]
    pub fn order(&self) -> &[u16] {
        self.order.counts()
    }

    /// Number of sets.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether it holds a set of this id.
    pub fn contains(&self, id: i64) -> bool {
        self.by_id.contains_key(&id)
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        self.lists.bytes()
            + self.order.bytes()
            + self.by_id.capacity() * (size_of::<(i64, u32)>() + 1)
            + self.ids.capacity() * size_of::<i64>()
            + self.bitmaps.capacity() * size_of::<Bitmap>()
            + [&self.sizes, &self.gone, &self.free]
                .map(|list| list.capacity() * size_of::<u32>())
                .iter()
                .sum::<usize>()
    }

    /// Entry of a set in the index, in its own order and at its own threshold.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`] by the watch.
    pub fn entries(&self, given: Given, watch: Watch) -> Result<Vec<Entry>, KernelError> {
        let progress = Progress::stage(watch, 0.0, 1.0);
        let entry = |row| {
            let set = given.sets.get(row);
            progress.at(row, given.sets.len());
            progress.tick(2 * set.len())?;
            let prefix = self.prefix(set, self.threshold, given.merged(row));
            Ok(Entry { size: as_u32(set.len()), bitmap: bitmap(set), prefix })
        };
        (0..given.sets.len()).map(entry).collect()
    }

    /// Adds what [`Self::entries`] has made of sets, each with an id that it has alone; all of
    /// them, or none if it fails.
    ///
    /// # Errors
    /// [`KernelError::KnownId`] if an id is there already, or given twice;
    /// [`KernelError::TooManyRows`] from 2^32 sets, and [`KernelError::Interrupted`] by the watch.
    pub fn add(&mut self, entries: &[Entry], ids: &[i64], watch: Watch) -> Result<(), KernelError> {
        let progress = Progress::stage(watch, 0.0, 1.0);
        let values: usize = entries.iter().map(|entry| entry.prefix.len()).sum();
        // Lists that grow by a quarter, or are split in two; and what is kept of each set.
        let held = if entries.len() > self.len() { self.lists.bytes() } else { 0 };
        reserve::ask(held + 16 * values + 160 * entries.len())?;
        if entries.len() > self.len() {
            self.lists.reserve_for(entries.iter().map(|entry| entry.prefix.as_slice()));
        }
        let mut added = 0;
        let outcome = entries.iter().zip(ids).try_for_each(|(entry, &id)| {
            progress.at(added, ids.len());
            progress.tick(2 * entry.prefix.len())?;
            self.put(id, entry)?;
            added += 1;
            Ok(())
        });
        if outcome.is_err() {
            ids[..added].iter().for_each(|&id| self.take(id));
        }
        outcome
    }

    /// Removes the sets of these ids; all of them, or none if it fails.
    ///
    /// # Errors
    /// [`KernelError::UnknownId`] if an id is not there.
    pub fn remove(&mut self, ids: &[i64]) -> Result<(), KernelError> {
        if let Some(&id) = ids.iter().find(|&&id| !self.contains(id)) {
            return Err(KernelError::UnknownId(id));
        }
        ids.iter().for_each(|&id| self.take(id));
        if self.gone.len() * GONE > self.ids.len() {
            let sizes = &self.sizes;
            self.lists.sweep(|slot| sizes[slot as usize] == 0);
            self.free.append(&mut self.gone);
        }
        Ok(())
    }

    /// Asks which sets may share `threshold` of the larger of the two with one: every one that
    /// does, and few others. Those that resemble it are among them.
    ///
    /// Below the threshold of the index these are all sets of a size that fits.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`] by the watch.
    pub fn query(
        &self,
        set: &[u32],
        merged: u32,
        threshold: Ratio,
        watch: Watch,
    ) -> Result<Vec<i64>, KernelError> {
        let progress = Progress::stage(watch, 0.0, 1.0);
        if !threshold.is_threshold() {
            return Ok(Vec::new());
        }
        let question = Question::new(set, threshold, merged as usize);
        let slots = if threshold.is_below(self.threshold) {
            progress.tick(self.sizes.len())?;
            (0..as_u32(self.sizes.len())).collect()
        } else {
            self.sharing(&question, &progress)?
        };
        let own = bitmap(set);
        let can = slots.into_iter().filter(|&slot| self.can_share(slot, &question, &own));
        let mut found: Vec<i64> = can.map(|slot| self.ids[slot as usize]).collect();
        found.sort_unstable();
        Ok(found)
    }

    /// The sets that share values with the prefix of one, and can share enough as far as their
    /// prefixes tell.
    fn sharing(&self, question: &Question, progress: &Progress) -> Result<Vec<u32>, KernelError> {
        let set = question.set;
        let mut seen = Seen::new(self.sizes.len());
        let prefix = self.prefix(set, question.threshold, question.merged);
        for (place, &token) in prefix.iter().enumerate() {
            progress.tick(self.lists.length(token))?;
            for (slot, position) in self.lists.of(token) {
                let size = self.sizes[slot as usize];
                let left = as_u32(set.len() - place).min(size.saturating_sub(position));
                seen.note(slot, left, as_u32(question.need(size as usize)));
            }
        }
        Ok(seen.take())
    }

    /// Returns whether an indexed set can share enough as far as its size and its bitmap tell.
    fn can_share(&self, slot: u32, question: &Question, own: &Bitmap) -> bool {
        let size = self.sizes[slot as usize] as usize;
        let need = question.need(size);
        size.min(question.set.len()) >= need
            && differ(own, &self.bitmaps[slot as usize]) <= size + question.set.len() - 2 * need
    }

    /// Adds one set.
    fn put(&mut self, id: i64, entry: &Entry) -> Result<(), KernelError> {
        if self.contains(id) {
            return Err(KernelError::KnownId(id));
        }
        let slot = self.free.pop().map_or_else(|| self.new_slot(), Ok)?;
        self.ids[slot as usize] = id;
        self.sizes[slot as usize] = entry.size;
        self.bitmaps[slot as usize] = entry.bitmap;
        self.by_id.insert(id, slot);
        self.lists.insert(&entry.prefix, slot);
        Ok(())
    }

    fn new_slot(&mut self) -> Result<u32, KernelError> {
        let (count, limit) = (self.ids.len() as u64 + 1, u64::from(u32::MAX));
        let slot = u32::try_from(self.ids.len()).ok().filter(|_| count <= limit);
        let slot = slot.ok_or(KernelError::TooManyRows { count, limit })?;
        self.lists.number(self.ids.len() + 1);
        self.ids.push(0);
        self.sizes.push(0);
        self.bitmaps.push(bitmap(&[]));
        Ok(slot)
    }

    /// Takes a set out, if it is there; its entries stay for a while.
    fn take(&mut self, id: i64) {
        if let Some(slot) = self.by_id.remove(&id) {
            self.sizes[slot as usize] = 0;
            self.gone.push(slot);
        }
    }

    /// The rarest values of a set, spread and in the common order: any other that shares enough
    /// with it has one of them among its own.
    fn prefix(&self, set: &[u32], threshold: Ratio, merged: usize) -> Vec<u32> {
        let tokens = set.iter().map(|&value| spread(value));
        let mut keys: Vec<u64> =
            tokens.map(|token| u64::from(self.order.of(token)) << 32 | u64::from(token)).collect();
        let need = needed(threshold, set.len(), merged);
        let length = (set.len() + 1).saturating_sub(need);
        rarest(&mut keys, length).iter().map(|&key| key as u32).collect()
    }
}

/// Number of values that a set of `size`, the larger of two, must share; fewer where values fell
/// together. It cannot be none: sets that share nothing before share nothing after.
fn needed(threshold: Ratio, size: usize, merged: usize) -> usize {
    Resemblance::new(threshold).smallest(size).saturating_sub(merged).max(1)
}
