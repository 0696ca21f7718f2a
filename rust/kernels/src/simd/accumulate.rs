//! Counting, bit by bit, how many 64-bit features have the bit set.

/// One byte per bit: 0 or 1, the lowest bit in the lowest byte.
const SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte >> bit & 1) as u64) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Adds to `ones[j]` the number of features that have bit j.
pub fn plain(features: &[u64], ones: &mut [u64; 64]) {
    // 255 features at most fit the byte counters.
    for block in features.chunks(255) {
        let mut counters = [0u64; 8];
        for feature in block {
            for (counter, byte) in counters.iter_mut().zip(feature.to_le_bytes()) {
                *counter += SPREAD[byte as usize];
            }
        }
        for (j, count) in counters.iter().flat_map(|c| c.to_le_bytes()).enumerate() {
            ones[j] += u64::from(count);
        }
    }
}

/// Adds to `ones[j]` the weights of the features that have bit j.
pub fn weighted(features: &[u64], weights: &[u32], ones: &mut [u64; 64]) {
    for (&feature, &weight) in features.iter().zip(weights) {
        for (j, one) in ones.iter_mut().enumerate() {
            *one += (feature >> j & 1) * u64::from(weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_equal_the_definition() {
        let features: Vec<u64> = (0..1000u64).map(|i| crate::hash::expand(i as u32)).collect();
        for length in [0, 1, 7, 254, 255, 256, 511, 1000] {
            let features = &features[..length];
            let weights: Vec<u32> =
                (0..length as u32).map(|i| i % 7 + u32::from(i == 9) * 70_000).collect();
            let (mut plainly, mut weightily) = ([0; 64], [0; 64]);
            plain(features, &mut plainly);
            weighted(features, &weights, &mut weightily);
            for j in 0..64 {
                let with_bit = || features.iter().zip(&weights).filter(|(f, _)| *f >> j & 1 == 1);
                assert_eq!(plainly[j], with_bit().count() as u64);
                assert_eq!(weightily[j], with_bit().map(|(_, &w)| u64::from(w)).sum::<u64>());
            }
        }
    }
}
