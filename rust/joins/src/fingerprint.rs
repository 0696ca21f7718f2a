//! The numbers whose bits are compared: fingerprints of up to 64 bits, and of 128.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// A fingerprint as a number; one of 32 bits is the lower half of one of 64.
///
/// Only `u64` and `u128` are fingerprints: the vector paths read them from memory as 64-bit words,
/// the lowest first.
pub trait Fingerprint:
    sealed::Sealed
    + Copy
    + Debug
    + Default
    + Ord
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// Its width.
    const BITS: u32;

    /// Number of bits that are ones.
    fn one_bits(self) -> u32;

    /// The place of the lowest one; the width if all bits are zeros.
    fn place_of_lowest_one(self) -> u32;

    /// The bits up to the highest one; none of zero.
    fn bit_length(self) -> u32;

    /// The number without its lowest one.
    fn without_lowest_one(self) -> Self;

    /// A word of 64 bits, the lowest first; there are as many as the width holds.
    fn word(self, index: usize) -> u64;

    /// The number that has a word of 64 bits at a place ([`word`](Self::word)), and zeros
    /// elsewhere.
    fn from_word_at(word: u64, index: usize) -> Self;

    /// The bits above `shift`, which is at most the width.
    fn bits_above(self, shift: u32) -> usize;

    /// A one-to-one map whose leading bits depend on all bits.
    fn mix(self) -> Self;

    /// The inverse of [`mix`](Self::mix).
    fn unmix(self) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

/// Implements the trait; `$factor` is an odd number with well spread bits.
macro_rules! fingerprint {
    ($number:ty, $factor:expr, $word:expr, $of_word:expr) => {
        impl sealed::Sealed for $number {}

        impl Fingerprint for $number {
            const BITS: u32 = <$number>::BITS;

            #[inline(always)]
            fn one_bits(self) -> u32 {
                self.count_ones()
            }

            #[inline(always)]
            fn place_of_lowest_one(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline(always)]
            fn bit_length(self) -> u32 {
                Self::BITS - self.leading_zeros()
            }

            #[inline(always)]
            fn without_lowest_one(self) -> Self {
                self & self.wrapping_sub(1)
            }

            #[inline(always)]
            fn word(self, index: usize) -> u64 {
                $word(self, index)
            }

            #[inline(always)]
            fn from_word_at(word: u64, index: usize) -> Self {
                $of_word(word, index)
            }

            #[inline(always)]
            fn bits_above(self, shift: u32) -> usize {
                self.checked_shr(shift).unwrap_or(0) as usize
            }

            #[inline(always)]
            fn mix(self) -> Self {
                let folded = self ^ self >> (Self::BITS / 2);
                let product = folded.wrapping_mul($factor);
                product ^ product >> (Self::BITS / 2)
            }

            #[inline(always)]
            fn unmix(self) -> Self {
                /// Each Newton step doubles the right bits of an inverse, from three.
                const INVERSE: $number = {
                    let factor: $number = $factor;
                    let mut inverse = factor;
                    let mut right = 3;
                    while right < <$number>::BITS {
                        let error = (2 as $number).wrapping_sub(factor.wrapping_mul(inverse));
                        inverse = inverse.wrapping_mul(error);
                        right *= 2;
                    }
                    inverse
                };
                // Folding is its own inverse.
                let folded = self ^ self >> (Self::BITS / 2);
                let product = folded.wrapping_mul(INVERSE);
                product ^ product >> (Self::BITS / 2)
            }
        }
    };
}

// Steele and Vigna 2021, "Computationally easy, spectrally good multipliers".
fingerprint!(u64, 0xd134_2543_de82_ef95, |number, _| number, |word, _| word);
// The multiplier of PCG (O'Neill 2014).
fingerprint!(
    u128,
    0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645,
    |number: u128, index| (if index == 0 { number } else { number >> 64 }) as u64,
    |word: u64, index| u128::from(word) << (64 * index)
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_is_undone() {
        let narrow = [0, 1, 2, u64::MAX, 1 << 63, 0x0123_4567_89ab_cdef, 0xffff_ffff];
        for number in narrow {
            assert_eq!(number.mix().unmix(), number);
            assert_eq!(number.unmix().mix(), number);
            let wide = u128::from(number) << 64 | u128::from(!number);
            assert_eq!(wide.mix().unmix(), wide);
            assert_eq!(wide.unmix().mix(), wide);
        }
    }

    #[test]
    fn every_bit_changes_leading_bits() {
        for bit in 0..64 {
            assert_ne!((1_u64 << bit).mix().bits_above(44), 0, "{bit}");
        }
        for bit in 0..128 {
            assert_ne!((1_u128 << bit).mix().bits_above(108), 0, "{bit}");
        }
    }

    #[test]
    fn parts_of_a_number_are_found() {
        assert_eq!(0b1100_u64.place_of_lowest_one(), 2);
        assert_eq!(0_u64.place_of_lowest_one(), 64);
        assert_eq!([0, 1, 0b1100, u64::MAX].map(Fingerprint::bit_length), [0, 1, 4, 64]);
        assert_eq!((1_u128 << 80).bit_length(), 81);
        assert_eq!((3_u128 << 80).without_lowest_one(), 1 << 81);
        assert_eq!(0_u128.without_lowest_one(), 0);
        assert_eq!(u128::MAX.one_bits(), 128);
        assert_eq!([0, 1].map(|index| (7_u128 << 64 | 5).word(index)), [5, 7]);
        assert_eq!(9_u64.word(0), 9);
        assert_eq!([0, 1].map(|index| u128::from_word_at(5, index)), [5, 5 << 64]);
        assert_eq!(u64::from_word_at(9, 0), 9);
        assert_eq!(u128::MAX.bits_above(128), 0);
        assert_eq!(u64::MAX.bits_above(60), 15);
    }
}
