//! A hash table of slots whose keys are elsewhere: five bytes for each place.

use crate::simd::prefetch::prefetch;

/// One place in this many stays free, so that the search for an absent key ends soon.
const ROOM: usize = 5;

/// Entries moved while the key of one is fetched.
const AHEAD: usize = 24;

/// Slots found by the hashes of their keys, which must have well spread leading bits: entries
/// are in the order of their hashes, or a few places further on (linear probing).
#[derive(Debug, Default)]
pub(super) struct Slots {
    /// For each place a byte of its entry's hash, so that a key is seldom looked at in vain; 0
    /// where the place is free.
    tags: Vec<u8>,
    slots: Vec<u32>,
    count: usize,
}

impl Slots {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Every slot, in no order that means anything.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + Clone {
        self.tags.iter().zip(&self.slots).filter(|(tag, _)| **tag != 0).map(|(_, &slot)| slot)
    }

    /// The place of the entry that has this hash and whose slot `is` the one sought.
    pub(super) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<usize> {
        let tag = tag_of_hash(hash);
        let mut place = self.home_place(hash);
        loop {
            match self.tags.get(place) {
                None | Some(0) => return None,
                Some(&other) if other == tag && is(self.slots[place]) => return Some(place),
                Some(_) => place = self.place_after(place),
            }
        }
    }

    /// Asks for the memory where an entry of this hash is likely to be.
    pub(super) fn prefetch(&self, hash: u64) {
        let home = self.home_place(hash);
        prefetch(&self.tags[home..]);
        prefetch(&self.slots[home..]);
    }

    pub(super) fn slot_at(&self, place: usize) -> u32 {
        self.slots[place]
    }

    /// Puts another slot of the same hash in a place.
    pub(super) fn replace_slot(&mut self, place: usize, slot: u32) {
        self.slots[place] = slot;
    }

    /// Makes room for more entries; `hash` is that of a slot's key, and `touch` asks for the key.
    pub(super) fn reserve(&mut self, more: usize, hash: impl Fn(u32) -> u64, touch: impl Fn(u32)) {
        let needed = (self.count + more) * ROOM / (ROOM - 1) + 1;
        if needed <= self.tags.len() {
            return;
        }
        // Half as much again at least, so that entries are seldom moved.
        let places = needed.max(self.tags.len() + self.tags.len() / 2);
        let larger = Self { tags: vec![0; places], slots: vec![0; places], count: 0 };
        let smaller = std::mem::replace(self, larger);
        for (at, (&tag, &slot)) in smaller.tags.iter().zip(&smaller.slots).enumerate() {
            smaller.slots.get(at + AHEAD).into_iter().for_each(|&later| touch(later));
            if tag != 0 {
                self.insert(hash(slot), slot);
            }
        }
    }

    /// Adds an entry whose key is not in the table yet; there must be room for it.
    pub(super) fn insert(&mut self, hash: u64, slot: u32) {
        let mut place = self.home_place(hash);
        while self.tags[place] != 0 {
            place = self.place_after(place);
        }
        self.tags[place] = tag_of_hash(hash);
        self.slots[place] = slot;
        self.count += 1;
    }

    /// Removes the entry of a place, and moves up those after it that are too far from home.
    pub(super) fn remove(&mut self, place: usize, hash: impl Fn(u32) -> u64) {
        let mut hole = place;
        let mut next = self.place_after(hole);
        while self.tags[next] != 0 {
            // Backward shift (Knuth, volume 3, section 6.4, algorithm R): a mark for removed
            // entries would make every search longer with time. An entry moves up unless its home
            // is after the hole.
            let home = self.home_place(hash(self.slots[next]));
            if self.places_between(home, next) >= self.places_between(hole, next) {
                self.tags[hole] = self.tags[next];
                self.slots[hole] = self.slots[next];
                hole = next;
            }
            next = self.place_after(next);
        }
        self.tags[hole] = 0;
        self.count -= 1;
    }

    /// Bytes of memory taken.
    pub(super) fn bytes(&self) -> usize {
        self.tags.capacity() + self.slots.capacity() * size_of::<u32>()
    }

    /// Place of an entry of this hash if nothing is in the way.
    fn home_place(&self, hash: u64) -> usize {
        // Any number of places, not a power of two: a table grows by half.
        ((u128::from(hash) * self.tags.len() as u128) >> u64::BITS) as usize
    }

    fn place_after(&self, place: usize) -> usize {
        if place + 1 == self.tags.len() { 0 } else { place + 1 }
    }

    /// Number of places from one to another, round the end.
    fn places_between(&self, from: usize, to: usize) -> usize {
        if to >= from { to - from } else { to + self.tags.len() - from }
    }
}

/// The byte of a hash that is kept with the slot; the place already implies the leading bits.
fn tag_of_hash(hash: u64) -> u8 {
    // 0 says that a place is free.
    (hash as u8).max(1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::super::cases::Random;
    use super::*;

    /// Hashes that crowd in a few homes, at the end of the table too, and repeat their tags.
    fn crowded_hash(slot: u32) -> u64 {
        [0, 1 << 62, u64::MAX - 512][slot as usize % 3] + u64::from(slot % 7)
    }

    #[test]
    fn slots_are_those_of_a_set() {
        let mut random = Random(1);
        for hash in [crowded_hash, |slot| u64::from(slot).wrapping_mul(0x9e37_79b9_7f4a_7c15)] {
            let (mut slots, mut set) = (Slots::default(), BTreeSet::new());
            for _ in 0..4000 {
                let slot = random.below(150) as u32;
                let found = slots.find(hash(slot), |other| other == slot);
                assert_eq!(found.is_some(), set.contains(&slot));
                match found {
                    None => {
                        slots.reserve(1, hash, |_| ());
                        slots.insert(hash(slot), slot);
                        set.insert(slot);
                    }
                    Some(place) => {
                        assert_eq!(slots.slot_at(place), slot);
                        slots.remove(place, hash);
                        set.remove(&slot);
                    }
                }
                assert_eq!(slots.len(), set.len());
            }
            assert_eq!(slots.iter().collect::<BTreeSet<_>>(), set);
        }
    }
}
