//! Bloom filter with one hash function (Bloom 1970): a small table that rules out most values.

/// Set of values that takes some others for its own. Values are 64-bit numbers whose upper bits are
/// spread evenly.
#[derive(Debug)]
pub(crate) struct Filter {
    bits: Vec<u64>,
    shift: u32,
}

impl Filter {
    /// The power of two, at most 32, whose bits are those of a filter for `count` values of
    /// `bits_per_value` bits each, or up to twice as many.
    pub(crate) fn choose_filter_exponent(count: usize, bits_per_value: usize) -> u32 {
        // One word at least, and 512 MB at most.
        (count.saturating_mul(bits_per_value) | 1).next_power_of_two().ilog2().clamp(6, 32)
    }

    /// Filter of 2^`bits` bits with some values.
    pub(crate) fn new(bits: u32, values: impl Iterator<Item = u64>) -> Self {
        let mut filter = Self { bits: vec![0; 1 << (bits - 6)], shift: u64::BITS - bits };
        for value in values {
            let (word, bit) = filter.word_and_mask(value);
            filter.bits[word] |= bit;
        }
        filter
    }

    /// Return whether a value may be in the set; `true` for all that are.
    #[inline]
    pub(crate) fn may_hold(&self, value: u64) -> bool {
        let (word, bit) = self.word_and_mask(value);
        self.bits[word] & bit != 0
    }

    #[inline]
    fn word_and_mask(&self, value: u64) -> (usize, u64) {
        // The upper bits, as callers pass products, whose lower bits are poor.
        let place = value >> self.shift;
        ((place >> 6) as usize, 1 << (place & 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn no_value_is_lost_and_few_others_pass() {
        for count in [0_usize, 1, 100, 5000] {
            let values = || (0..count as u64).map(mix);
            let filter = Filter::new(Filter::choose_filter_exponent(count, 8), values());
            assert!(values().all(|value| filter.may_hold(value)));
            let others = (1 << 20..(1 << 20) + 10_000).map(mix);
            assert!(others.filter(|&value| filter.may_hold(value)).count() < 1_600);
        }
    }
}
