//! Rabin's fingerprint of every run of 4 UTF-16 units, as Common Crawl's SimHash takes it.
//!
//! A run is 8 bytes, the upper byte of each unit first. They are a polynomial over GF(2): a one,
//! then the bits of every byte, the lowest first. Its fingerprint is that polynomial times x^64,
//! modulo [`POLYNOMIAL`]; the lowest of 64 bits is the coefficient of x^63.
//!
//! Source: Rabin 1981, "Fingerprinting by random polynomials".

use std::sync::LazyLock;

/// x^64 and the powers of x whose bits are set, the highest bit for x^0; irreducible.
pub const POLYNOMIAL: u64 = 0xD743_07D3_FD33_82DB;

/// UTF-16 units of a run.
const UNITS: usize = 4;

/// Bytes of a run.
const BYTES: usize = 8;

/// Places of the set of runs with which a text begins, a power of two.
const LEAST_PLACES: usize = 1 << 12;

/// Collects the distinct runs of texts; keeps its buffers from one text to the next.
#[derive(Debug, Default)]
pub struct Runs {
    /// A power of two of places, at most half of them taken; 0 is an empty one.
    places: Vec<u64>,
    distinct: Vec<u64>,
}

impl Runs {
    /// The fingerprints of the distinct runs of a text as it stands, in the order of their first
    /// occurrence.
    pub fn fingerprints(&mut self, text: &str) -> &[u64] {
        self.places.clear();
        self.places.resize(LEAST_PLACES, 0);
        self.distinct.clear();
        let mut has_zero = false;
        let mut run = 0;
        for (at, unit) in text.encode_utf16().enumerate() {
            run = run << 16 | u64::from(unit);
            if at + 1 < UNITS {
                continue;
            }
            // 0 marks an empty place, so that the run of four NULs is remembered apart.
            let new =
                if run == 0 { !std::mem::replace(&mut has_zero, true) } else { self.insert(run) };
            if new {
                self.distinct.push(run);
            }
        }
        let tables = &*TABLES;
        for run in &mut self.distinct {
            *run = tables.fingerprint(*run);
        }
        &self.distinct
    }

    /// Puts a run into the set; returns whether it is new.
    fn insert(&mut self, run: u64) -> bool {
        if 2 * self.distinct.len() >= self.places.len() {
            let twice = 2 * self.places.len();
            self.places.clear();
            self.places.resize(twice, 0);
            for at in 0..self.distinct.len() {
                let run = self.distinct[at];
                if run != 0 {
                    self.take_place(run);
                }
            }
        }
        self.take_place(run)
    }

    fn take_place(&mut self, run: u64) -> bool {
        let mask = self.places.len() - 1;
        let spread = run.wrapping_mul(crate::hash::K[0]);
        let mut at = (spread >> 32) as usize & mask;
        loop {
            match self.places[at] {
                0 => {
                    self.places[at] = run;
                    return true;
                }
                other if other == run => return false,
                _ => at = (at + 1) & mask,
            }
        }
    }
}

/// A fingerprint is affine: a constant, and for every byte of a run what this byte contributes.
struct Tables {
    start: u64,
    bytes: [[u64; 256]; BYTES],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut bytes = [[0; 256]; BYTES];
    for value in 0..256 {
        let mut row = value as u64;
        for contributions in bytes.iter_mut().rev() {
            row = times_x8(row);
            contributions[value] = row;
        }
    }
    // x^64, for the one before all bytes.
    let start = (0..BYTES).fold(POLYNOMIAL, |start, _| times_x8(start));
    Tables { start, bytes }
});

impl Tables {
    fn fingerprint(&self, run: u64) -> u64 {
        let bytes = run.to_be_bytes();
        let contributions = self.bytes.iter().zip(bytes).map(|(of, byte)| of[usize::from(byte)]);
        contributions.fold(self.start, |sum, contribution| sum ^ contribution)
    }
}

fn times_x8(value: u64) -> u64 {
    (0..8).fold(value, |value, _| value >> 1 ^ if value & 1 == 1 { POLYNOMIAL } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The remainder by long division, bit after bit.
    fn divide(run: u64) -> u64 {
        let bits = (0..64).map(|at| run.to_be_bytes()[at / 8] >> (at % 8) & 1 == 1);
        let mut rest = 1_u128;
        let polynomial = 1 << 64 | u128::from(POLYNOMIAL.reverse_bits());
        for bit in bits.chain(std::iter::repeat_n(false, 64)) {
            rest = rest << 1 | u128::from(bit);
            if rest >> 64 & 1 == 1 {
                rest ^= polynomial;
            }
        }
        (rest as u64).reverse_bits()
    }

    #[test]
    fn fingerprints_are_remainders() {
        let mut runs = Runs::default();
        for (text, run) in [
            ("Four", 0x0046_006F_0075_0072_u64),
            ("\0\0\0\0", 0),
            ("\u{1F600}ab", 0xD83D_DE00_0061_0062),
        ] {
            assert_eq!(runs.fingerprints(text), [divide(run)], "{text:?}");
        }
    }

    #[test]
    fn every_run_counts_once_however_many_there_are() {
        let mut runs = Runs::default();
        assert!(runs.fingerprints("abc").is_empty());
        assert_eq!(runs.fingerprints(&"a".repeat(100)).len(), 1);
        assert_eq!(runs.fingerprints(&"\0".repeat(100)).len(), 1);
        let long: String = (0..20_000_u32).filter_map(char::from_u32).collect();
        assert_eq!(runs.fingerprints(&format!("{long}{long}")).len(), 20_000);
        // A text after a long one begins with an empty set.
        assert_eq!(runs.fingerprints("abcdabcd").len(), 4);
    }
}
