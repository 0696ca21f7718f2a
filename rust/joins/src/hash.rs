//! The feature hash of ilk: words, runs of characters and shingles become 64 bits, then an id of
//! 32 bits, then as many pseudo-random bits as a fingerprint has.
//!
//! Every step is built of multiplications and shifts that run eight abreast in a vector unit. The
//! steps and their constants are frozen with the recipe's version.

use std::ops::Range;

use siphasher::sip::SipHasher24;
use xxhash_rust::xxh3::xxh3_64;

/// Odd multipliers: the fractional bits of the square roots of 2, 3, 5, 7, 11 and 13, lowest bit
/// set.
pub const K: [u64; 6] = [
    0x6A09_E667_F3BC_C909,
    0xBB67_AE85_84CA_A73B,
    0x3C6E_F372_FE94_F82B,
    0xA54F_F53A_5F1D_36F1,
    0x510E_527F_ADE6_82D1,
    0x9B05_688C_2B3E_6C1F,
];

/// Spreads every bit of `x` over the upper half.
#[inline]
#[must_use]
pub fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 32).wrapping_mul(K[4]);
    x ^ x >> 32
}

/// The hash of a word, or of a run of characters, from its normalised UTF-8 bytes.
///
/// The bytes are read as blocks of 16, the last padded with zeros; the length keeps apart what the
/// padding would confuse.
#[inline]
#[must_use]
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut state = 0u64;
    let mut rest = bytes;
    while let Some((block, next)) = rest.split_first_chunk::<16>()
        && !next.is_empty()
    {
        let block = u128::from_le_bytes(*block);
        state = state.wrapping_mul(K[2]).wrapping_add(hash_block16(block));
        rest = next;
    }
    state = state.wrapping_mul(K[2]).wrapping_add(hash_block16(pad_to_16(rest)));
    mix(state.wrapping_add((bytes.len() as u64).wrapping_mul(K[3])))
}

/// The hash of a part of a text, which may be read beyond its end.
#[inline]
#[must_use]
pub fn hash_bytes_within(text: &[u8], part: Range<usize>) -> u64 {
    let length = part.len();
    match text[part.start..].first_chunk() {
        Some(block) if (1..=16).contains(&length) => {
            let block = u128::from_le_bytes(*block) & u128::MAX >> (128 - 8 * length);
            mix(hash_block16(block).wrapping_add((length as u64).wrapping_mul(K[3])))
        }
        _ => hash_bytes(&text[part]),
    }
}

/// Up to 16 bytes as a little-endian number: two reads that overlap, the second shifted to where
/// the first ends, since to copy a varying number of bytes costs more than to hash them.
#[inline]
pub(crate) fn pad_to_16(bytes: &[u8]) -> u128 {
    if let Some(block) = bytes.first_chunk() {
        return u128::from_le_bytes(*block);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let last = u64::from_le_bytes(*last).unbounded_shr(8 * (16 - bytes.len()) as u32);
        return u128::from(u64::from_le_bytes(*first)) | u128::from(last) << 64;
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let last = u32::from_le_bytes(*last).unbounded_shr(8 * (8 - bytes.len()) as u32);
        return u128::from(u32::from_le_bytes(*first)) | u128::from(last) << 32;
    }
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte))
}

#[inline]
fn hash_block16(block: u128) -> u64 {
    let (low, high) = (block as u64, (block >> 64) as u64);
    let sum =
        (low ^ low >> 32).wrapping_mul(K[0]).wrapping_add((high ^ high >> 32).wrapping_mul(K[1]));
    sum ^ sum >> 29
}

/// The hash of a shingle of words, from the hashes of its words in order. One word is itself.
#[inline]
#[must_use]
pub fn hash_shingle(words: &[u64]) -> u64 {
    match words {
        [word] => *word,
        _ => mix(words.iter().fold(0, |state, &word| state.wrapping_mul(K[2]).wrapping_add(word))),
    }
}

/// The id of a shingle: the upper 32 bits of its hash.
#[inline]
#[must_use]
pub fn id_of_hash(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// Multipliers of [`bit_of_minimum`]: the upper halves of two of [`K`], lowest bit set.
pub const BIT_FACTORS: [u32; 2] = [(K[0] >> 32) as u32 | 1, (K[4] >> 32) as u32 | 1];

/// A pseudo-random bit of the least id of a set under a permutation: 0 or 1.
///
/// The minima of a large set are all small numbers, so each is first set apart by its permutation's
/// factor: the same small number would give the same bit every time.
#[inline]
#[must_use]
pub fn bit_of_minimum(minimum: u32, factor: u32) -> u32 {
    let x = minimum ^ factor;
    let x = (x ^ x >> 16).wrapping_mul(BIT_FACTORS[0]);
    (x ^ x >> 15).wrapping_mul(BIT_FACTORS[1]) >> 31
}

/// The function by which words and runs of characters are hashed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Function {
    /// [`hash_bytes`].
    #[default]
    Ilk,
    /// XXH3, 64 bits, seed 0.
    Xxh3,
    /// SipHash-2-4 (Aumasson and Bernstein 2012): without its key nobody can choose texts that
    /// collide.
    Sip([u8; 16]),
}

impl Function {
    /// The hash of some bytes.
    #[must_use]
    pub fn hash(self, bytes: &[u8]) -> u64 {
        match self {
            Self::Ilk => self::hash_bytes(bytes),
            Self::Xxh3 => xxh3_64(bytes),
            Self::Sip(key) => SipHasher24::new_with_key(&key).hash(bytes),
        }
    }
}

/// Half of the 128 pseudo-random bits of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Bits 0 to 63.
    Low,
    /// Bits 64 to 127.
    High,
}

impl Half {
    /// The factor and the summand that tell the halves apart.
    #[inline]
    #[must_use]
    pub const fn factor_and_summand(self) -> [u64; 2] {
        match self {
            Self::Low => [K[0], K[1]],
            Self::High => [K[2], K[3]],
        }
    }
}

/// Half of the 128 pseudo-random bits that a feature adds to a fingerprint.
#[inline]
#[must_use]
pub const fn expand_id(id: u32, half: Half) -> u64 {
    let [factor, summand] = half.factor_and_summand();
    let x = (id as u64).wrapping_mul(factor).wrapping_add(summand);
    let x = (x ^ x >> 32).wrapping_mul(K[5]);
    let x = (x ^ x >> 29).wrapping_mul(K[4]);
    x ^ x >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_and_length_are_kept_apart() {
        let mut seen = std::collections::HashSet::new();
        for length in 0..70 {
            assert!(seen.insert(hash_bytes(&vec![0; length])), "{length} zeros");
            assert!(seen.insert(hash_bytes(&vec![b'a'; length + 1])), "{length} letters");
        }
    }

    #[test]
    fn bytes_hash_as_defined() {
        let text: Vec<u8> = (1..=100u8).map(|i| i.wrapping_mul(89)).collect();
        for length in 0..text.len() {
            let mut padded = text[..length].to_vec();
            padded.resize(16 * length.div_ceil(16).max(1), 0);
            let state = padded.chunks(16).fold(0u64, |state, block| {
                let half =
                    |at: usize| (at..at + 8).rev().fold(0u64, |x, i| x << 8 | u64::from(block[i]));
                let (low, high) = (half(0), half(8));
                let sum = (low ^ low >> 32)
                    .wrapping_mul(K[0])
                    .wrapping_add((high ^ high >> 32).wrapping_mul(K[1]));
                state.wrapping_mul(K[2]).wrapping_add(sum ^ sum >> 29)
            });
            let expected = mix(state.wrapping_add((length as u64).wrapping_mul(K[3])));
            assert_eq!(hash_bytes(&text[..length]), expected, "{length} bytes");
            assert_eq!(hash_bytes_within(&text, 0..length), expected, "{length} bytes");
            assert_eq!(hash_bytes_within(&text[..length], 0..length), expected, "{length} bytes");
        }
    }

    /// Each of the 128 bits as a row of one bit per id.
    fn rows(ids: u32) -> Vec<Vec<u64>> {
        let mut rows = vec![vec![0; ids as usize / 64]; 128];
        for id in 0..ids {
            let bits = [Half::Low, Half::High].map(|half| expand_id(id, half));
            for (j, row) in rows.iter_mut().enumerate() {
                row[id as usize / 64] |= (bits[j / 64] >> (j % 64) & 1) << (id % 64);
            }
        }
        rows
    }

    /// Ids that follow one another are the hardest. Bounds are 5.5 standard deviations, beyond
    /// which none of the 8256 figures falls by chance once in 3000 trials.
    #[test]
    fn the_bits_of_features_are_balanced_and_independent_in_pairs() {
        const IDS: u32 = 1 << 16;
        let rows = rows(IDS);
        let deviation =
            |ones: u32| (f64::from(ones) * 2.0 - f64::from(IDS)) / f64::from(IDS).sqrt();
        for (i, row) in rows.iter().enumerate() {
            let ones = deviation(row.iter().map(|x| x.count_ones()).sum());
            assert!(ones.abs() < 5.5, "bit {i} deviates by {ones}");
            for (j, other) in rows[..i].iter().enumerate() {
                let agree = row.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum();
                let agree = deviation(agree);
                assert!(agree.abs() < 5.5, "bits {i} and {j} deviate by {agree}");
            }
        }
    }

    #[test]
    fn published_hashes() {
        // XXH3 of nothing, seed 0: the algorithm's published sanity value.
        assert_eq!(Function::Xxh3.hash(b""), 0x2D06_8005_38D3_94C2);
        assert_eq!(Function::Ilk.hash(b"x"), hash_bytes(b"x"));
        // Aumasson and Bernstein 2012, appendix A: the bytes 0 to 14 by the key of the bytes 0 to
        // 15.
        let key = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
        assert_eq!(Function::Sip(key).hash(&key[..15]), 0xA129_CA61_49BE_45E5);
        assert_eq!(Function::Sip(key).hash(b""), 0x726F_DB47_DD0E_0E31);
    }

    #[test]
    fn the_order_of_words_counts() {
        assert_ne!(hash_shingle(&[1, 2, 3]), hash_shingle(&[3, 2, 1]));
        assert_eq!(hash_shingle(&[7]), 7);
    }
}
