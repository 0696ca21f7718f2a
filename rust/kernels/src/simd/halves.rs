//! 64 bytes in two registers of AVX2, with the masks of 64 bits that AVX-512 has of its own.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use ilk_joins::simd::vector::load_32;

/// 64 bytes: the first 32, then the others.
#[derive(Clone, Copy)]
pub struct Halves(__m256i, __m256i);

/// Places of the set bits of each byte, one after the other.
const PLACES: [u64; 256] = {
    let mut places = [0; 256];
    let mut set = 0;
    while set < 256 {
        let (mut place, mut count) = (0, 0);
        while place < 8 {
            if set >> place & 1 == 1 {
                places[set] |= place << (8 * count);
                count += 1;
            }
            place += 1;
        }
        set += 1;
    }
    places
};

/// One in every byte.
const ONES: u64 = 0x0101_0101_0101_0101;

#[inline]
#[target_feature(enable = "avx2")]
fn in_every_lane(byte: u8) -> __m256i {
    _mm256_set1_epi8(byte.cast_signed())
}

impl Halves {
    /// Loads 64 bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn load(from: &[u8; 64]) -> Self {
        let [first, second] = [0, 1].map(|i| load_32(&from.as_chunks().0[i]));
        Self(first, second)
    }

    /// Loads up to 64 bytes; what is beyond is 0.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn load_part(from: &[u8]) -> Self {
        if let Some(block) = from.first_chunk() {
            return Self::load(block);
        }
        let mut padded = [0; 64];
        padded[..from.len()].copy_from_slice(from);
        Self::load(&padded)
    }

    /// All bits of the bytes at the places of `mask`, and none of the others.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn of_mask(mask: u64) -> Self {
        let bits = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
        let half = |mask: u64| {
            // Each byte of the mask eight times, and of each the bit of its place.
            let eights = [0, 1, 2, 3].map(|byte| u64::from((mask >> (8 * byte)) as u8) * ONES);
            let [a, b, c, d] = eights.map(u64::cast_signed);
            _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_setr_epi64x(a, b, c, d), bits), bits)
        };
        Self(half(mask), half(mask >> 32))
    }

    /// The top bit of each byte.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn tops(self) -> u64 {
        let half = |half| u64::from(_mm256_movemask_epi8(half).cast_unsigned());
        half(self.0) | half(self.1) << 32
    }

    /// All bits of the bytes that equal `byte`, and none of the others.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn equal(self, byte: u8) -> Self {
        let half = |half| _mm256_cmpeq_epi8(half, in_every_lane(byte));
        Self(half(self.0), half(self.1))
    }

    /// All bits of the `count` byte values from `first` on, and none of the others.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn among(self, first: u8, count: u8) -> Self {
        let half = |half| {
            // AVX2 compares signed bytes only: what is at most `count - 1` is its own minimum with
            // it.
            let from = _mm256_sub_epi8(half, in_every_lane(first));
            _mm256_cmpeq_epi8(_mm256_min_epu8(from, in_every_lane(count - 1)), from)
        };
        Self(half(self.0), half(self.1))
    }

    /// All bits of the bytes that follow the first one of a character beyond ASCII.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn following(self) -> Self {
        // As signed numbers, they are the least.
        let half = |half| _mm256_cmpgt_epi8(in_every_lane(0xC0), half);
        Self(half(self.0), half(self.1))
    }

    /// The bits of either.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn or(self, other: Self) -> Self {
        Self(_mm256_or_si256(self.0, other.0), _mm256_or_si256(self.1, other.1))
    }

    /// Every byte with the bits of `byte`.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn or_every(self, byte: u8) -> Self {
        self.or(Self(in_every_lane(byte), in_every_lane(byte)))
    }

    /// `byte` where all bits of `places` are set, the bytes as they are elsewhere.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn with(self, places: Self, byte: u8) -> Self {
        let half = |half, places| _mm256_blendv_epi8(half, in_every_lane(byte), places);
        Self(half(self.0, places.0), half(self.1, places.1))
    }

    /// In lower case.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn lowercase(self) -> Self {
        let Self(first, second) = self.among(b'A', 26);
        let bit = |places| _mm256_and_si256(places, in_every_lane(0x20));
        self.or(Self(bit(first), bit(second)))
    }

    /// Appends the first `count` bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn append_bytes(self, to: &mut Vec<u8>, count: usize) {
        to.reserve(64);
        // SAFETY: there is room for all 64 bytes, which initialises those that are kept.
        unsafe {
            let end = to.as_mut_ptr().add(to.len());
            _mm256_storeu_si256(end.cast(), self.0);
            _mm256_storeu_si256(end.add(32).cast(), self.1);
            to.set_len(to.len() + count.min(64));
        }
    }

    /// Appends the bytes at the places of `kept`.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    pub fn append_kept(self, to: &mut Vec<u8>, kept: u64) {
        if kept & kept.wrapping_add(1) == 0 {
            return self.append_bytes(to, kept.count_ones() as usize);
        }
        to.reserve(64);
        for (at, eight) in self.eights().into_iter().enumerate() {
            let set = (kept >> (8 * at)) as u8;
            // SAFETY: there is room for 64 bytes, and each of the 8 steps writes 8 of them after
            // at most 8 a step; it initialises those that are kept.
            unsafe {
                let end = to.as_mut_ptr().add(to.len());
                end.cast::<u64>().write_unaligned(pick_bytes(eight, set));
                to.set_len(to.len() + set.count_ones() as usize);
            }
        }
    }

    /// Writes the bytes at the places of `kept`, and others after them; returns how many are kept.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    pub fn store_kept(self, to: &mut [u8; 64], kept: u64) -> usize {
        let eights = self.eights();
        if kept & kept.wrapping_add(1) == 0 {
            for (to, eight) in to.as_chunks_mut().0.iter_mut().zip(eights) {
                *to = eight.to_le_bytes();
            }
            return kept.count_ones() as usize;
        }
        let mut count = 0;
        for (at, eight) in eights.into_iter().enumerate() {
            let set = (kept >> (8 * at)) as u8;
            // At most 8 are kept of each eight before, so that there is always room.
            if let Some(to) = to.get_mut(count..).and_then(<[u8]>::first_chunk_mut) {
                *to = pick_bytes(eight, set).to_le_bytes();
            }
            count += set.count_ones() as usize;
        }
        count
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn eights(self) -> [u64; 8] {
        let mut eights = [0; 8];
        // SAFETY: a unique reference to 64 bytes; the stores ask for no alignment.
        unsafe {
            _mm256_storeu_si256(eights.as_mut_ptr().cast(), self.0);
            _mm256_storeu_si256(eights.as_mut_ptr().add(4).cast(), self.1);
        }
        eights
    }
}

/// The bytes of `eight` at the places of `set`, then others.
#[inline]
#[target_feature(enable = "avx2")]
fn pick_bytes(eight: u64, set: u8) -> u64 {
    let lanes = |bytes: u64| _mm_cvtsi64_si128(bytes.cast_signed());
    let lanes = _mm_shuffle_epi8(lanes(eight), lanes(PLACES[usize::from(set)]));
    _mm_cvtsi128_si64(lanes).cast_unsigned()
}
