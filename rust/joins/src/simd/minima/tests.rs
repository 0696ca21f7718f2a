use super::*;
use crate::hash::{self, Half};
use crate::simd::each_level;

#[test]
fn every_level_finds_the_minima_and_their_bits_by_the_definition() {
    for id in [|i| hash::expand_id(i, Half::High) as u32, |i| i, |i| i << 20, |_| 0, |_| u32::MAX] {
        let ids: Vec<u32> = (0..1000).map(id).collect();
        for length in [0, 1, 2, 3, 15, 16, 17, 1000] {
            let ids = &ids[..length];
            for seed in 0..2 {
                let number = |j: usize| hash::expand_id(64 * seed + j as u32, Half::Low);
                let factors: [u32; 64] = std::array::from_fn(|j| (number(j) >> 32) as u32 | 1);
                let summands: [u32; 64] = std::array::from_fn(|j| number(j) as u32);
                let functions = factors.iter().zip(&summands);
                let expected: Vec<u32> = functions
                    .map(|(&factor, &summand)| {
                        let images = ids.iter().map(|&id| {
                            (u64::from(id) * u64::from(factor) + u64::from(summand)) as u32
                        });
                        images.min().unwrap_or(u32::MAX)
                    })
                    .collect();
                for (found, packed) in each_level(|| {
                    let found = find_minima(ids, &factors, &summands);
                    (found, make_bits_of_minima(&found, &factors))
                }) {
                    assert_eq!(found.as_slice(), expected, "{length} ids");
                    for (j, &minimum) in expected.iter().enumerate() {
                        let bit = hash::bit_of_minimum(minimum, factors[j]);
                        assert_eq!(packed >> j & 1, u64::from(bit), "bit {j} of {length} ids");
                    }
                }
            }
        }
    }
}
