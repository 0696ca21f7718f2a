//! Fingerprints and ids of an index, each found by the other.

use std::collections::BTreeSet;

use super::slots::Slots;
use crate::error::KernelError;
use crate::fingerprint::Fingerprint;
use crate::reserve;
use crate::simd::prefetch::prefetch;

/// Ids and their fingerprints. Every member has a slot; of members with equal fingerprints one
/// stands for all, and the others are listed separately.
#[derive(Debug)]
pub(super) struct Members<T> {
    /// Slot by slot; what is in a free slot means nothing.
    ids: Vec<i64>,
    values: Vec<T>,
    free: Vec<u32>,
    by_id: Slots,
    /// One slot for each distinct value.
    by_value: Slots,
    /// The other slots of the same value.
    copies: BTreeSet<(T, u32)>,
}

impl<T: Fingerprint> Default for Members<T> {
    fn default() -> Self {
        Self {
            ids: Vec::new(),
            values: Vec::new(),
            free: Vec::new(),
            by_id: Slots::default(),
            by_value: Slots::default(),
            copies: BTreeSet::new(),
        }
    }
}

impl<T: Fingerprint> Members<T> {
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    pub(super) fn contains(&self, id: i64) -> bool {
        self.place_of_id(id).is_some()
    }

    /// Every distinct value, in no order that means anything.
    pub(super) fn distinct_values(&self) -> Vec<T> {
        let mut values: Vec<T> = Vec::with_capacity(self.by_value.len());
        values.extend(self.by_value.iter().map(|slot| self.values[slot as usize]));
        values
    }

    /// Number of distinct values.
    pub(super) fn count_distinct(&self) -> usize {
        self.by_value.len()
    }

    /// The ids of a value.
    pub(super) fn ids_of(&self, value: T) -> impl Iterator<Item = i64> {
        let first = self.place_of_value(value).map(|place| self.by_value.slot_at(place));
        let copies = self.copies.range((value, 0)..=(value, u32::MAX)).map(|&(_, slot)| slot);
        first.into_iter().chain(copies).map(|slot| self.ids[slot as usize])
    }

    /// Asks for the memory in which a new member or what it is like will be looked up.
    pub(super) fn prefetch(&self, id: i64, value: T) {
        self.by_id.prefetch(hash_of_id(id));
        self.prefetch_value(value);
    }

    /// Asks for the memory in which a value will be looked up.
    pub(super) fn prefetch_value(&self, value: T) {
        self.by_value.prefetch(hash_of_value(value));
    }

    /// Makes room for more members.
    ///
    /// # Errors
    /// [`KernelError::TooManyRows`] if slots of 32 bits cannot number them, and
    /// [`KernelError::NoReserve`].
    pub(super) fn reserve(&mut self, more: usize) -> Result<(), KernelError> {
        let (count, limit) = (self.len() as u64 + more as u64, u64::from(u32::MAX));
        if count > limit {
            return Err(KernelError::TooManyRows { count, limit });
        }
        let slots = more.saturating_sub(self.free.len());
        let places = self.len() + more;
        // Lists that grow by a quarter, and two tables that grow by half.
        reserve::check_room(places * (size_of::<(i64, T)>() + 16) * 3 / 2)?;
        reserve_a_little(&mut self.ids, slots);
        reserve_a_little(&mut self.values, slots);
        let (ids, values) = (&self.ids, &self.values);
        self.by_id.reserve(
            more,
            |slot| hash_of_id(ids[slot as usize]),
            |slot| prefetch_slot(ids, slot),
        );
        self.by_value.reserve(
            more,
            |slot| hash_of_value(values[slot as usize]),
            |slot| prefetch_slot(values, slot),
        );
        Ok(())
    }

    /// Adds a member, for which there is room; whether no other has its value.
    ///
    /// # Errors
    /// [`KernelError::KnownId`] if another has its id.
    pub(super) fn insert(&mut self, id: i64, value: T) -> Result<bool, KernelError> {
        if self.contains(id) {
            return Err(KernelError::KnownId(id));
        }
        let known = self.place_of_value(value).is_some();
        let slot = self.free.pop().unwrap_or(self.ids.len() as u32);
        if slot as usize == self.ids.len() {
            self.ids.push(id);
            self.values.push(value);
        } else {
            self.ids[slot as usize] = id;
            self.values[slot as usize] = value;
        }
        self.by_id.insert(hash_of_id(id), slot);
        if known {
            self.copies.insert((value, slot));
        } else {
            self.by_value.insert(hash_of_value(value), slot);
        }
        Ok(!known)
    }

    /// Removes a member if it is one: its value, and whether no other has it.
    pub(super) fn remove(&mut self, id: i64) -> Option<(T, bool)> {
        let place = self.place_of_id(id)?;
        let slot = self.by_id.slot_at(place);
        let value = self.values[slot as usize];
        self.by_id.remove(place, |slot| hash_of_id(self.ids[slot as usize]));
        self.free.push(slot);
        if self.copies.remove(&(value, slot)) {
            return Some((value, false));
        }
        let place = self.place_of_value(value)?;
        let copy = self.copies.range((value, 0)..=(value, u32::MAX)).next().copied();
        // Another member stands for the value from now on; its hash is the same, so that it takes
        // the place over.
        if let Some((_, copy)) = copy {
            self.by_value.replace_slot(place, copy);
            self.copies.remove(&(value, copy));
        } else {
            self.by_value.remove(place, |slot| hash_of_value(self.values[slot as usize]));
        }
        Some((value, copy.is_none()))
    }

    /// Bytes of memory taken, those of the copies at the usual filling of their tree.
    pub(super) fn bytes(&self) -> usize {
        self.ids.capacity() * size_of::<i64>()
            + self.values.capacity() * size_of::<T>()
            + self.free.capacity() * size_of::<u32>()
            + self.by_id.bytes()
            + self.by_value.bytes()
            + self.copies.len() * size_of::<(T, u32)>() * 3 / 2
    }

    fn place_of_id(&self, id: i64) -> Option<usize> {
        self.by_id.find(hash_of_id(id), |slot| self.ids[slot as usize] == id)
    }

    fn place_of_value(&self, value: T) -> Option<usize> {
        self.by_value.find(hash_of_value(value), |slot| self.values[slot as usize] == value)
    }
}

/// Asks for what a slot holds.
fn prefetch_slot<V>(list: &[V], slot: u32) {
    list.get(slot as usize..).into_iter().for_each(prefetch);
}

fn hash_of_id(id: i64) -> u64 {
    id.cast_unsigned().mix()
}

fn hash_of_value<T: Fingerprint>(value: T) -> u64 {
    value.mix().bits_above(T::BITS - u64::BITS) as u64
}

/// Entries by which a list grows at least.
const LEAST_RESERVE: usize = 8;

/// Makes room for more, and for a quarter beyond: doubling would waste more memory than moving
/// costs time.
pub(super) fn reserve_a_little<V>(list: &mut Vec<V>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(LEAST_RESERVE).max(list.len() / 4));
    }
}
