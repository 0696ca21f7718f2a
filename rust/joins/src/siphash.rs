//! SipHash-2-4, a keyed hash (Aumasson and Bernstein 2012, section 2): who does not know the key
//! cannot choose texts that collide.

/// The halves of a key of 16 bytes, each little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(pub [u64; 2]);

impl Key {
    /// The key of 16 bytes.
    #[must_use]
    pub fn new(bytes: [u8; 16]) -> Self {
        let number = u128::from_le_bytes(bytes);
        Self([number as u64, (number >> 64) as u64])
    }
}

/// The hash of some bytes.
#[must_use]
pub fn hash(Key([k0, k1]): Key, bytes: &[u8]) -> u64 {
    // The letters of "somepseudorandomlygeneratedbytes".
    let mut state = State([
        k0 ^ 0x736F_6D65_7073_6575,
        k1 ^ 0x646F_7261_6E64_6F6D,
        k0 ^ 0x6C79_6765_6E65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ]);
    let (words, rest) = bytes.as_chunks::<8>();
    for &word in words {
        state.take(u64::from_le_bytes(word));
    }
    let rest = rest.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
    state.take((bytes.len() as u64) << 56 | rest);
    state.finish()
}

struct State([u64; 4]);

impl State {
    fn take(&mut self, word: u64) {
        self.0[3] ^= word;
        self.round();
        self.round();
        self.0[0] ^= word;
    }

    fn finish(mut self) -> u64 {
        self.0[2] ^= 0xFF;
        for _ in 0..4 {
            self.round();
        }
        self.0.iter().fold(0, |all, word| all ^ word)
    }

    fn round(&mut self) {
        let [v0, v1, v2, v3] = &mut self.0;
        *v0 = v0.wrapping_add(*v1);
        *v2 = v2.wrapping_add(*v3);
        *v1 = v1.rotate_left(13) ^ *v0;
        *v3 = v3.rotate_left(16) ^ *v2;
        *v0 = v0.rotate_left(32);
        *v2 = v2.wrapping_add(*v1);
        *v0 = v0.wrapping_add(*v3);
        *v1 = v1.rotate_left(17) ^ *v2;
        *v3 = v3.rotate_left(21) ^ *v0;
        *v2 = v2.rotate_left(32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of the published vectors: the bytes 0 to 15.
    const KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

    #[test]
    fn the_published_example() {
        // Aumasson and Bernstein 2012, appendix A: the bytes 0 to 14.
        assert_eq!(hash(Key::new(KEY), &KEY[..15]), 0xA129_CA61_49BE_45E5);
    }

    #[test]
    #[allow(deprecated)] // The standard library's SipHash-2-4 is fit to compare with.
    fn every_length_equals_the_standard_library() {
        use std::hash::{Hasher, SipHasher};
        let Key([k0, k1]) = Key::new(KEY);
        let bytes: Vec<u8> = (0..100u8).map(|i| i.wrapping_mul(83)).collect();
        for length in 0..=bytes.len() {
            let mut other = SipHasher::new_with_keys(k0, k1);
            other.write(&bytes[..length]);
            assert_eq!(hash(Key::new(KEY), &bytes[..length]), other.finish(), "{length} bytes");
        }
    }
}
