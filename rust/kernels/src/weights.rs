//! A table of weights: what features count beside how often they occur.

/// No feature: an id and a weight that none has.
const EMPTY: u64 = u64::MAX;

/// The weight of every feature, in eighths; one that is not in the table has the default.
///
/// Features lie in the order of their ids, with gaps, so that the ascending ids of a text are
/// looked up in one pass over the memory.
#[derive(Debug, Clone)]
pub struct Table {
    /// The id in the upper half, the weight in the lower.
    slots: Vec<u64>,
    /// Ids of the same upper bits begin to be looked for at the same place.
    shift: u32,
    default: u32,
}

impl Table {
    /// The table of these ids, ascending and distinct, and their weights; none if they are not so.
    #[must_use]
    pub fn new(ids: &[u32], weights: &[u16], default: u16) -> Option<Self> {
        if ids.len() != weights.len() || !ids.is_sorted_by(|a, b| a < b) {
            return None;
        }
        let bits = (2 * ids.len()).next_power_of_two().ilog2().clamp(1, 31);
        let shift = 32 - bits;
        let mut slots: Vec<u64> = Vec::with_capacity((1 << bits) + 1);
        for (&id, &weight) in ids.iter().zip(weights) {
            let place = (id >> shift) as usize;
            // An id whose place is taken goes behind the ids that took it, which are less.
            slots.resize(place.max(slots.len()), EMPTY);
            slots.push(u64::from(id) << 32 | u64::from(weight));
        }
        slots.resize(slots.len().max(1 << bits) + 1, EMPTY);
        Some(Self { slots, shift, default: u32::from(default) })
    }

    /// The weight of a feature.
    #[inline]
    #[must_use]
    pub fn of(&self, id: u32) -> u32 {
        let mut place = (id >> self.shift) as usize;
        // The last slot is empty, and an empty one is beyond every id.
        while (self.slots[place] >> 32) < u64::from(id) {
            place += 1;
        }
        let slot = self.slots[place];
        if slot >> 32 == u64::from(id) && slot != EMPTY { slot as u32 } else { self.default }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_its_weight_and_others_the_default() {
        let spread = |i: u32| i.wrapping_mul(0x9E37_79B9);
        let crowded: Vec<u32> = (0..500).chain(u32::MAX - 500..=u32::MAX).collect();
        let even: Vec<u32> = (0..5000).map(spread).collect();
        for mut ids in [vec![], vec![0], vec![u32::MAX], crowded, even] {
            ids.sort_unstable();
            let weights: Vec<u16> = ids.iter().map(|&id| (id >> 3) as u16).collect();
            let Some(table) = Table::new(&ids, &weights, 7) else { unreachable!() };
            for (i, &id) in ids.iter().enumerate() {
                assert_eq!(table.of(id), u32::from(weights[i]));
                for other in [id.wrapping_add(1), id ^ 1 << 31] {
                    if ids.binary_search(&other).is_err() {
                        assert_eq!(table.of(other), 7);
                    }
                }
            }
            assert_eq!(table.of(1 << 30), 7);
        }
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert!(Table::new(&[2, 1], &[1, 1], 0).is_none());
        assert!(Table::new(&[1, 1], &[1, 1], 0).is_none());
        assert!(Table::new(&[1], &[], 0).is_none());
    }
}
