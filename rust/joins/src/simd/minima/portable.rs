//! The same on any machine, compiled for its registers.

use crate::hash;

/// Permutations whose minima a machine with few registers keeps at hand.
const LANES: usize = 16;

/// See [`super::find_minima`].
#[inline(always)]
pub fn find_minima(ids: &[u32], factors: &[u32; 64], summands: &[u32; 64]) -> [u32; 64] {
    let mut minima = [u32::MAX; 64];
    let factors = factors.as_chunks::<LANES>().0;
    let summands = summands.as_chunks::<LANES>().0;
    let minima_of = minima.as_chunks_mut::<LANES>().0.iter_mut();
    for ((minima, factors), summands) in minima_of.zip(factors).zip(summands) {
        for &id in ids {
            for j in 0..LANES {
                let image = id.wrapping_mul(factors[j]).wrapping_add(summands[j]);
                minima[j] = minima[j].min(image);
            }
        }
    }
    minima
}

/// See [`super::make_bits_of_minima`].
#[inline(always)]
pub fn make_bits_of_minima(minima: &[u32; 64], factors: &[u32; 64]) -> u64 {
    let pairs = minima.iter().zip(factors).enumerate();
    pairs.fold(0, |bits, (j, (&minimum, &factor))| {
        bits | u64::from(hash::bit_of_minimum(minimum, factor)) << j
    })
}
