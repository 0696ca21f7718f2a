//! Parts into which an index cuts fingerprints, and the buckets that a query visits.
//!
//! Each part addresses a table. If two numbers are at most r bits apart, and the limits c of the
//! parts add up to r + 1, then some part differs in fewer than c bits, or there would be more than
//! r in all. So a query visits, in each table, the buckets whose addresses differ from its own in
//! fewer than c bits.

use crate::fingerprint::Fingerprint;

/// Nanoseconds that it takes to visit a bucket, and one word in it (measured): a bucket is a cache
/// miss, and its words are read in sequence. Only their ratio chooses a layout; a wrong one makes
/// queries slower, with the same answers.
const VISIT_COST: f64 = 12.0;
const WORD_COST: f64 = 0.2;

/// Bits of a fingerprint for each table, at least: 64 bits have at most 4 tables, since each table
/// holds all values once more.
const PART: u32 = 16;
/// Longest address; from sixteen million values (2^24) on, longer ones would be considered. A
/// layout is chosen by going through all addresses, and each address has the head of a bucket in
/// each table.
const LONGEST: u32 = 20;

/// Tables of one kind: where their addresses are, and what differs in the buckets visited.
#[derive(Debug)]
pub(super) struct Layout {
    /// Bits of an address.
    pub(super) bits: u32,
    /// For each table how far its address is from the lowest bit.
    pub(super) shifts: Vec<u32>,
    /// Masks of the bits of an address that may differ, those of fewer bits first.
    flips: Vec<u32>,
    /// For each number of bits, where the flips of that number begin; then the end of the last.
    starts: Vec<usize>,
}

impl Layout {
    /// The layout in which a query at a radius among `values` values costs least.
    ///
    /// Values are taken for random on their lowest `width` bits.
    pub(super) fn choose<T: Fingerprint>(values: usize, width: u32, radius: u32) -> Self {
        let words = f64::from(T::BITS / u64::BITS) * values as f64;
        let cost = |&(tables, bits): &(u32, u32)| {
            let visits: f64 = (0..tables)
                .map(|t| {
                    count_addresses_with_fewer_flips(bits, exclusive_flip_limit(radius, tables, t))
                })
                .sum();
            visits * (VISIT_COST + words / f64::from(bits).exp2() * WORD_COST)
        };
        // An address for every eight values at most: the buckets' heads shall stay the lesser part.
        let longest = (values.max(8).ilog2() - 3).min(LONGEST);
        let (tables, bits) = (1..=(T::BITS / PART).min(radius + 1))
            .flat_map(|tables| (0..=longest.min(width / tables)).map(move |bits| (tables, bits)))
            .min_by(|a, b| cost(a).total_cmp(&cost(b)))
            .unwrap_or((1, 0));
        let most = exclusive_flip_limit(radius, tables, 0);
        let mut flips: Vec<u32> =
            (0..1_u32 << bits).filter(|flip| flip.count_ones() < most).collect();
        // By weight, so that what a smaller radius visits is the beginning of the list.
        flips.sort_by_key(|flip| flip.count_ones());
        let starts = (0..=most)
            .map(|limit| flips.partition_point(|flip| flip.count_ones() < limit))
            .collect();
        Self { bits, shifts: (0..tables).map(|t| t * width / tables).collect(), flips, starts }
    }

    /// For a table what may differ in the addresses that a query visits at a radius.
    pub(super) fn address_flips_within(&self, table: usize, radius: u32) -> &[u32] {
        let limit = exclusive_flip_limit(radius, self.shifts.len() as u32, table as u32) as usize;
        &self.flips[..self.starts[limit.min(self.starts.len() - 1)]]
    }
}

/// The number of bits of a table's addresses that the flips of a query stay below: the table's
/// share of `radius + 1`.
fn exclusive_flip_limit(radius: u32, tables: u32, table: u32) -> u32 {
    // Rounded up for the first tables and down for the last: they add up to the radius and one.
    (radius + 1 + tables - 1 - table) / tables
}

/// Number of addresses of `bits` bits that differ from one in fewer than `flip_limit` bits.
fn count_addresses_with_fewer_flips(bits: u32, flip_limit: u32) -> f64 {
    let mut of_weight = 1.0;
    let mut sum = 0.0;
    for weight in 0..flip_limit.min(bits + 1) {
        sum += of_weight;
        of_weight = of_weight * f64::from(bits - weight) / f64::from(weight + 1);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every layout for the sizes, widths and radii that come up.
    fn layouts() -> impl Iterator<Item = (Layout, u32, u32)> {
        let sizes = [0, 1, 100, 5_000, 300_000, 2_000_000, 1 << 32];
        let widths = [(32, 64), (64, 64), (64, 128), (128, 128)];
        sizes.into_iter().flat_map(move |size| {
            widths.into_iter().flat_map(move |(width, bits)| {
                let radii = [0, 1, 2, 3, 5, 6, 10, 16, 20, 28, 64, 128];
                radii.into_iter().filter(move |&radius| radius <= bits).map(move |radius| {
                    let layout = if bits == 64 {
                        Layout::choose::<u64>(size, width, radius)
                    } else {
                        Layout::choose::<u128>(size, width, radius)
                    };
                    (layout, width, radius)
                })
            })
        })
    }

    #[test]
    fn errors_within_a_radius_leave_some_table_a_visit() {
        for (layout, _, built) in layouts() {
            let tables = layout.shifts.len();
            for radius in 0..=built {
                let limit = |t| exclusive_flip_limit(radius, tables as u32, t as u32);
                assert_eq!((0..tables).map(limit).sum::<u32>(), radius + 1);
                for table in 0..tables {
                    let reached = layout.address_flips_within(table, radius).len() as f64;
                    assert_eq!(
                        reached,
                        count_addresses_with_fewer_flips(layout.bits, limit(table)),
                        "{radius}"
                    );
                }
            }
        }
    }

    #[test]
    fn parts_do_not_overlap_and_flips_are_all_there() {
        for (layout, width, _) in layouts() {
            let ends = layout.shifts.iter().skip(1).chain([&width]);
            for (shift, end) in layout.shifts.iter().zip(ends) {
                assert!(shift + layout.bits <= *end, "{width}");
            }
            let mut flips = layout.flips.clone();
            flips.sort_unstable();
            flips.dedup();
            assert_eq!(flips.len(), layout.flips.len());
            assert!(flips.last().is_none_or(|&flip| u64::from(flip) < 1 << layout.bits));
        }
    }

    #[test]
    fn radius_three_among_a_million_looks_four_times() {
        let layout = Layout::choose::<u64>(1_000_000, 64, 3);
        assert_eq!((layout.shifts.as_slice(), layout.bits), (&[0, 16, 32, 48][..], 16));
        assert!((0..4).all(|table| layout.address_flips_within(table, 3) == [0]));
        assert!(
            (0..4)
                .all(|table| layout.address_flips_within(table, 1).len() == usize::from(table < 2))
        );
    }
}
