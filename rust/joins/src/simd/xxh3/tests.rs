use super::*;
use crate::simd::each_level;

#[test]
fn every_level_equals_the_crate() {
    let bytes: Vec<u8> =
        (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for length in (0..1100).chain([2047, 2048, 2049, 3071, 3072, 3073, 4999]) {
        for start in [0, 1] {
            let some = &bytes[start..start + length];
            let expected = xxhash_rust::xxh3::xxh3_128(some);
            assert!(
                each_level(|| xxh3_128(some)).iter().all(|&found| found == expected),
                "{length}"
            );
        }
    }
}
