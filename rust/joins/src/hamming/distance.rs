//! The Hamming distance.

use crate::fingerprint::Fingerprint;
use crate::simd;

/// Fingerprints that are looked at together: they stay in the processor's first cache.
const TOGETHER: usize = 1 << 10;

/// The number of bits in which two fingerprints differ.
#[must_use]
pub fn distance<T: Fingerprint>(a: T, b: T) -> u8 {
    (a ^ b).one_bits() as u8
}

/// The places of fingerprints within the radius of one, ascending, and their distances.
pub fn find_within_radius<T: Fingerprint>(
    query: T,
    all: impl Iterator<Item = T>,
    radius: u32,
) -> Vec<(usize, u8)> {
    let (mut all, mut found, mut first) = (all.fuse(), Vec::new(), 0);
    let mut some = Vec::with_capacity(TOGETHER);
    loop {
        some.clear();
        some.extend(all.by_ref().take(TOGETHER));
        if some.is_empty() {
            return found;
        }
        // The vector loop names values, not places. Hits are rare, so that a block is looked at
        // again only where it has one.
        let mut any = false;
        simd::hamming::each_near(query, std::iter::once(&some[..]), radius, &mut |_| any = true);
        let measured = some.iter().map(|&one| distance(query, one)).zip(first..);
        if any {
            let within = measured.filter(|&(bits, _)| u32::from(bits) <= radius);
            found.extend(within.map(|(bits, at)| (at, bits)));
        }
        first += some.len();
    }
}
