//! Inverted lists of prefixes, while sets come and go.

/// Entries to a list, on average, before there are twice as many lists.
const FILLED: usize = 32;

/// Slots that can be numbered at first; twice as many each time they do not suffice.
const FIRST_SLOT_BITS: u32 = 20;

/// Every (value, slot, position) of the indexed prefixes, 8 bytes each: the spread value in the
/// upper 32 bits, then the slot of the set in as many bits as the number of slots needs, then the
/// position of the value in the set's order. A position that does not fit reads as the greatest
/// that does, so that a position read is a lower bound. Entries are in lists by the upper bits of
/// their values, in no order.
#[derive(Debug)]
pub(super) struct Lists {
    lists: Vec<Vec<u64>>,
    entries: usize,
    position_bits: u32,
}

impl Default for Lists {
    fn default() -> Self {
        Self { lists: vec![Vec::new()], entries: 0, position_bits: u32::BITS - FIRST_SLOT_BITS }
    }
}

impl Lists {
    /// Makes positions narrower until `slots` slots can be numbered.
    pub(super) fn number(&mut self, slots: usize) {
        while slots as u64 > 1 << (u32::BITS - self.position_bits) && self.position_bits > 0 {
            let narrower = self.position_bits - 1;
            for entry in self.lists.iter_mut().flatten() {
                let (slot, position) = parts(*entry, self.position_bits);
                *entry = made((*entry >> 32) as u32, slot, position, narrower);
            }
            self.position_bits = narrower;
        }
    }

    /// Makes room for the prefixes of many sets, so that none of them has to be moved later.
    pub(super) fn reserve_for<'p>(&mut self, prefixes: impl Iterator<Item = &'p [u32]> + Clone) {
        let entries = self.entries + prefixes.clone().map(<[u32]>::len).sum::<usize>();
        while entries > FILLED * self.lists.len() {
            self.split();
        }
        let mut more = vec![0_u32; self.lists.len()];
        for &token in prefixes.flatten() {
            more[self.list(token)] += 1;
        }
        for (list, more) in self.lists.iter_mut().zip(more) {
            list.reserve_exact(more as usize);
        }
    }

    /// Adds the prefix of a set, whose values are spread and in its order.
    pub(super) fn insert(&mut self, prefix: &[u32], slot: u32) {
        self.entries += prefix.len();
        while self.entries > FILLED * self.lists.len() {
            self.split();
        }
        for (&token, position) in prefix.iter().zip(0..) {
            let list = self.list(token);
            let list = &mut self.lists[list];
            if list.len() == list.capacity() {
                // Doubling would waste more memory than moving costs time.
                list.reserve_exact(4.max(list.len() / 4));
            }
            list.push(made(token, slot, position, self.position_bits));
        }
    }

    /// The slots of the sets whose indexed prefix has `token`, each with (at least) its position.
    pub(super) fn of(&self, token: u32) -> impl Iterator<Item = (u32, u32)> {
        let bits = self.position_bits;
        let here = move |&&entry: &&u64| (entry >> 32) as u32 == token;
        self.lists[self.list(token)].iter().filter(here).map(move |&entry| parts(entry, bits))
    }

    /// Length of the list that has a value.
    pub(super) fn length(&self, token: u32) -> usize {
        self.lists[self.list(token)].len()
    }

    /// Drops the entries of some slots.
    pub(super) fn sweep(&mut self, gone: impl Fn(u32) -> bool) {
        self.entries = 0;
        for list in &mut self.lists {
            list.retain(|&entry| !gone(parts(entry, self.position_bits).0));
            list.shrink_to(list.len() + list.len() / 4);
            self.entries += list.len();
        }
    }

    /// Bytes of memory taken; a list of its own has a word beside it.
    pub(super) fn bytes(&self) -> usize {
        let entries: usize = self.lists.iter().map(|list| list.capacity() + 1).sum();
        self.lists.capacity() * size_of::<Vec<u64>>() + entries * size_of::<u64>()
    }

    /// Makes two lists of each.
    fn split(&mut self) {
        let bits = self.lists.len().ilog2() + 1;
        let mut halves = Vec::with_capacity(2 * self.lists.len());
        for list in self.lists.drain(..) {
            let upper = |&&entry: &&u64| place((entry >> 32) as u32, bits) % 2 == 1;
            let ones = list.iter().filter(upper).count();
            let mut pair = [Vec::with_capacity(list.len() - ones), Vec::with_capacity(ones)];
            list.iter().for_each(|entry| pair[usize::from(upper(&entry))].push(*entry));
            halves.extend(pair);
        }
        self.lists = halves;
    }

    /// Place of the list of a spread value.
    #[inline]
    fn list(&self, token: u32) -> usize {
        place(token, self.lists.len().ilog2())
    }
}

/// The upper bits of a spread value.
#[inline]
fn place(token: u32, bits: u32) -> usize {
    (u64::from(token) << bits >> u32::BITS) as usize
}

#[inline]
fn made(token: u32, slot: u32, position: u32, position_bits: u32) -> u64 {
    let position = u64::from(position).min((1 << position_bits) - 1);
    u64::from(token) << 32 | u64::from(slot) << position_bits | position
}

/// The slot and the position of an entry.
#[inline]
fn parts(entry: u64, position_bits: u32) -> (u32, u32) {
    let below = u64::from(entry as u32);
    ((below >> position_bits) as u32, (below & ((1 << position_bits) - 1)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_slots_leave_every_entry_where_it_was_with_a_lower_bound_for_its_position() {
        let mut lists = Lists::default();
        let tokens: Vec<u32> = (0..5000_u32).map(|n| n.wrapping_mul(0x9E37_79B1)).collect();
        lists.insert(&tokens, 7);
        lists.number((1 << 25) + 1);
        lists.insert(&tokens[..3], 1 << 25);
        for (at, &token) in (0..).zip(&tokens) {
            let mut found: Vec<_> = lists.of(token).collect();
            found.sort_unstable();
            assert_eq!(found[0], (7, at.min(63)));
            assert_eq!(found.get(1).copied(), (at < 3).then_some((1 << 25, at)));
        }
        lists.sweep(|slot| slot == 7);
        assert_eq!(tokens.iter().map(|&token| lists.of(token).count()).sum::<usize>(), 3);
    }
}
