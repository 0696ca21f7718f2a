//! The first place of every gram that was looked up.

use crate::simd::prefetch::prefetch;

/// A slot that holds nothing.
const FREE: u64 = u64::MAX;

/// Upper bits of a hash that choose the part of the table, and all bits that are kept.
const PART_BITS: u32 = 6;
const KEPT_BITS: u32 = 32;
const REST_BITS: u32 = KEPT_BITS - PART_BITS;

/// An open-addressed table in parts that grow one by one, so that little memory is copied at once.
/// A slot holds 32 bits of a hash, from which its home follows, and a position: nothing is hashed
/// again.
pub(super) struct Firsts {
    parts: Vec<TablePart>,
}

struct TablePart {
    slots: Vec<u64>,
    taken: usize,
}

impl Firsts {
    /// An empty table.
    pub(super) fn new() -> Self {
        let part = || TablePart { slots: vec![FREE; 16], taken: 0 };
        Self { parts: (0..1 << PART_BITS).map(|_| part()).collect() }
    }

    /// Bytes that a table of as many grams takes at most, all of them different.
    pub(super) fn most_bytes(gram_count: usize) -> usize {
        // Three quarters of the slots are taken, or three eighths of those of a part that has
        // grown.
        gram_count * size_of::<u64>() * 8 / 3
    }

    /// Asks for the memory that the look-up of a hash will need.
    #[inline]
    pub(super) fn prefetch(&self, hash: u64) {
        let (part, kept) = part_number_and_kept_bits(hash);
        let part = &self.parts[part];
        prefetch(&part.slots[home_slot(kept, part.slots.len())..]);
    }

    /// The position that was entered for a gram with this hash and accepted by `same`; if there is
    /// none, `at` is entered.
    #[inline]
    pub(super) fn find_or_enter(
        &mut self,
        hash: u64,
        at: u32,
        same: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let (part, kept) = part_number_and_kept_bits(hash);
        let part = &mut self.parts[part];
        let mask = part.slots.len() - 1;
        let mut slot = home_slot(kept, part.slots.len());
        while part.slots[slot] != FREE {
            let (known, position) = ((part.slots[slot] >> 32) as u32, part.slots[slot] as u32);
            // 32 bits may be equal by chance: the words decide.
            if known == kept && same(position) {
                return Some(position);
            }
            slot = (slot + 1) & mask;
        }
        part.slots[slot] = u64::from(kept) << 32 | u64::from(at);
        part.taken += 1;
        if part.taken * 4 > part.slots.len() * 3 {
            part.grow();
        }
        None
    }
}

impl TablePart {
    fn grow(&mut self) {
        let size = 2 * self.slots.len();
        let old = std::mem::replace(&mut self.slots, vec![FREE; size]);
        for entry in old.into_iter().filter(|&entry| entry != FREE) {
            let mut slot = home_slot((entry >> 32) as u32, size);
            while self.slots[slot] != FREE {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = entry;
        }
    }
}

/// The part of the table that a hash belongs to, and the bits of it that are kept.
#[inline]
fn part_number_and_kept_bits(hash: u64) -> (usize, u32) {
    let kept = (hash >> (u64::BITS - KEPT_BITS)) as u32;
    ((kept >> REST_BITS) as usize, kept)
}

/// Slot of the kept bits of a hash, in a part with a power of two of slots.
#[inline]
fn home_slot(kept: u32, slots: usize) -> usize {
    let rest = u64::from(kept & ((1 << REST_BITS) - 1));
    (rest << (u64::BITS - REST_BITS) >> (u64::BITS - slots.trailing_zeros())) as usize
}
