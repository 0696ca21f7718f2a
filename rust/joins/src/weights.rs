//! A table of weights: what features count apart from how often they occur.

use crate::error::KernelError;
use crate::reserve;
use crate::simd::prefetch::prefetch;

/// Distance, in features, at which a bucket is prefetched: a table is larger than the
/// caches.
const AHEAD: usize = 32;

/// Features that a bucket holds: with their weights they are a line of the cache.
const HOLDS: usize = 16;

/// The fewest buckets, by the bits of their numbers: the other bits of an id tell it from others of
/// its bucket, and are at most 16.
const FEWEST_BITS: u32 = 16;

/// A line of the cache. Free places repeat what is in the first; in a bucket of nothing, that
/// is some feature with the default.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Bucket {
    tags: [u16; HOLDS],
    weights: [u16; HOLDS],
}

/// The weight of every feature, in eighths; one that is not in the table has the default.
///
/// Features lie in buckets by their upper bits, so that the ascending ids of a text are looked up
/// in one pass over the memory. A bucket is looked at as a whole, without branches, since it
/// cannot be predicted whether it has a feature, and where.
#[derive(Debug, Clone)]
pub struct Table {
    buckets: Vec<Bucket>,
    /// Ids of the same bits above these are in one bucket.
    shift: u32,
    /// Ids that found no room in their buckets, ascending, and their weights.
    rest: Vec<(u32, u16)>,
    default: u16,
}

impl Table {
    /// # Errors
    /// [`KernelError::UnorderedIds`] if the ids are not ascending and distinct, or not as many as
    /// the weights; [`KernelError::NoReserve`].
    pub fn from_ascending_ids(
        ids: &[u32],
        weights: &[u16],
        default: u16,
    ) -> Result<Self, KernelError> {
        if ids.len() != weights.len() || !ids.is_sorted_by(|a, b| a < b) {
            return Err(KernelError::UnorderedIds);
        }
        // At half of the capacity hardly any bucket overflows.
        let bits = (2 * ids.len() / HOLDS).next_power_of_two().ilog2().clamp(FEWEST_BITS, 28);
        let shift = 32 - bits;
        let nothing = Bucket { tags: [0; HOLDS], weights: [default; HOLDS] };
        let mut buckets = reserve::new_list(1 << bits)?;
        buckets.resize(1 << bits, nothing);
        let mut table = Self { buckets, shift, rest: Vec::new(), default };
        let mut features = ids.iter().copied().zip(weights.iter().copied()).peekable();
        while let Some(&(first, _)) = features.peek() {
            let mut count = 0;
            while let Some((id, weight)) = features.next_if(|&(id, _)| (id ^ first) >> shift == 0) {
                table.add_to_bucket(id, weight, count);
                count += 1;
            }
        }
        Ok(table)
    }

    /// Puts a feature into its bucket, which holds `count` features already.
    fn add_to_bucket(&mut self, id: u32, weight: u16, count: usize) {
        let tag = self.tag(id);
        let bucket = &mut self.buckets[(id >> self.shift) as usize];
        match count {
            // Repeats of the first need no mark for a free place: a tag that matches several of
            // them gives one weight.
            0 => *bucket = Bucket { tags: [tag; HOLDS], weights: [weight; HOLDS] },
            1..HOLDS => (bucket.tags[count], bucket.weights[count]) = (tag, weight),
            _ => self.rest.push((id, weight)),
        }
    }

    /// Multiplies the weight of each of these features by its own, up to 2^32 - 1.
    pub fn multiply(&self, ids: &[u32], weights: &mut [u32]) {
        for (i, (&id, weight)) in ids.iter().zip(weights).enumerate() {
            if let Some(&soon) = ids.get(i + AHEAD) {
                prefetch(&self.bucket(soon).tags);
            }
            *weight = weight.saturating_mul(self.weight_of(id));
        }
    }

    /// The weight of a feature.
    #[inline]
    #[must_use]
    pub fn weight_of(&self, id: u32) -> u32 {
        let (bucket, tag) = (self.bucket(id), self.tag(id));
        let (mut found, mut weight) = (0, 0);
        for (&other, &its) in bucket.tags.iter().zip(&bucket.weights) {
            // All ones or none: 16 comparisons and masks are a few vector instructions.
            let same = u16::from(other == tag).wrapping_neg();
            found |= same;
            weight |= its & same;
        }
        // The last place repeats the first where there is room.
        if (found == 0) & (bucket.tags[HOLDS - 1] != bucket.tags[0]) {
            return self.weight_in_rest(id);
        }
        u32::from(if found == 0 { self.default } else { weight })
    }

    #[inline]
    fn bucket(&self, id: u32) -> &Bucket {
        &self.buckets[(id >> self.shift) as usize]
    }

    /// Tag that tells an id from others of its bucket.
    #[inline]
    fn tag(&self, id: u32) -> u16 {
        (id & !(u32::MAX << self.shift)) as u16
    }

    #[cold]
    fn weight_in_rest(&self, id: u32) -> u32 {
        let found = self.rest.binary_search_by_key(&id, |&(other, _)| other);
        u32::from(found.map_or(self.default, |at| self.rest[at].1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_its_weight_and_others_the_default() {
        let spread = |i: u32| i.wrapping_mul(0x9E37_79B9);
        // More in a bucket than it holds, and as many as it holds.
        let crowded: Vec<u32> = (0..500).chain(u32::MAX - 500..=u32::MAX).collect();
        let full: Vec<u32> = (0..16).map(|i| i << 8).collect();
        let even: Vec<u32> = (0..5000).map(spread).collect();
        for mut ids in [vec![], vec![0], vec![u32::MAX], crowded, full, even] {
            ids.sort_unstable();
            let weights: Vec<u16> = ids.iter().map(|&id| (id >> 3) as u16).collect();
            let Ok(table) = Table::from_ascending_ids(&ids, &weights, 7) else { unreachable!() };
            for (i, &id) in ids.iter().enumerate() {
                assert_eq!(table.weight_of(id), u32::from(weights[i]));
                for other in [id.wrapping_add(1), id ^ 1 << 31] {
                    if ids.binary_search(&other).is_err() {
                        assert_eq!(table.weight_of(other), 7);
                    }
                }
            }
            assert_eq!(table.weight_of(1 << 30), 7);
            let mut products: Vec<u32> = (0..ids.len() as u32).collect();
            table.multiply(&ids, &mut products);
            let expected = weights.iter().zip(0..).map(|(&weight, i)| i * u32::from(weight));
            assert!(products.into_iter().eq(expected));
        }
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert_eq!(
            Table::from_ascending_ids(&[2, 1], &[1, 1], 0).err(),
            Some(KernelError::UnorderedIds)
        );
        assert_eq!(
            Table::from_ascending_ids(&[1, 1], &[1, 1], 0).err(),
            Some(KernelError::UnorderedIds)
        );
        assert_eq!(Table::from_ascending_ids(&[1], &[], 0).err(), Some(KernelError::UnorderedIds));
    }
}
