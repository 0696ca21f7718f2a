//! Filter of the values that were added twice.

/// A slot that holds nothing.
const FREE: u32 = u32::MAX;

/// Values, some added twice: 31 bits of each, and a flag. A value that was added once
/// may seem repeated, if another one shares its bits; one that was added twice always does.
pub(super) struct Seeds {
    /// At least twice as many as values, a power of two.
    slots: Vec<u32>,
}

impl Seeds {
    /// Room for some values.
    pub(super) fn with_room_for(values: usize) -> Self {
        Self { slots: vec![FREE; Self::slots_for(values)] }
    }

    /// Bytes that this room takes.
    pub(super) fn bytes(values: usize) -> usize {
        Self::slots_for(values) * size_of::<u32>()
    }

    fn slots_for(values: usize) -> usize {
        (2 * values).next_power_of_two().max(2)
    }

    /// Adds a value; `again` says that it was added before.
    pub(super) fn add(&mut self, value: u64, again: bool) {
        let (mut slot, tag) = self.home_slot(value);
        let mask = self.slots.len() - 1;
        while self.slots[slot] != FREE {
            if self.slots[slot] >> 1 == tag {
                self.slots[slot] |= 1;
                return;
            }
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = tag << 1 | u32::from(again);
    }

    /// The slot of a value that was added twice, or may have been; `None` for any other.
    pub(super) fn slot_if_repeated(&self, value: u64) -> Option<usize> {
        let (mut slot, tag) = self.home_slot(value);
        let mask = self.slots.len() - 1;
        while self.slots[slot] != FREE {
            if self.slots[slot] >> 1 == tag {
                return (self.slots[slot] & 1 == 1).then_some(slot);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// Number of slots.
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Slot of a value, by its lower bits, and the 31 upper bits that stand for it.
    fn home_slot(&self, value: u64) -> (usize, u32) {
        // The lowest bit of a value is a mark of the caller (`winnow::AGAIN`).
        let slot = (value >> 1) as usize & (self.slots.len() - 1);
        // With the flag, the greatest number would read as a free slot: it shares the tag below.
        (slot, ((value >> 33) as u32).min((FREE >> 1) - 1))
    }
}
