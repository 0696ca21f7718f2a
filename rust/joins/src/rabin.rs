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

/// Bytes of a run, and the upper one of each unit.
const BYTES: usize = 8;
const UPPER: u64 = 0xFF00_FF00_FF00_FF00;

/// A place of the set that has no run: no text has two second halves of surrogates side by side.
const EMPTY: u64 = 0xDC00_DC00_DC00_DC00;

/// Places of the set for a text of some length: about one of eight is taken at its end, so that a
/// run is nearly always in its own place, or that is empty. Longer texts begin with the most.
const PLACES_OF_BYTE: usize = 4;
const LEAST_PLACES: usize = 1 << 8;
const MOST_PLACES: usize = 1 << 16;

/// Collects the distinct runs of texts; keeps its buffers from one text to the next.
#[derive(Debug, Default)]
pub struct RunsOfFourUnits {
    /// All of them are empty between two texts. A text uses the first `1 << bits` of them, at most
    /// half of these.
    places: Vec<u64>,
    bits: u32,
    /// The places that are taken, in the order in which they were; `count` of them.
    taken: Vec<u32>,
    count: usize,
    fingerprints: Vec<u64>,
}

impl RunsOfFourUnits {
    /// Fingerprints of the text as it stands, by their first occurrence; a text of fewer than four
    /// units has none.
    pub fn fingerprint_distinct_runs(&mut self, text: &str) -> &[u64] {
        let places = (PLACES_OF_BYTE * text.len()).clamp(LEAST_PLACES, MOST_PLACES);
        self.begin_set(places.next_power_of_two());
        if text.is_ascii() {
            self.insert_each_run_of_four(text.bytes().map(u64::from));
        } else {
            self.insert_each_run_of_four(text.encode_utf16().map(u64::from));
        }
        self.fingerprints.clear();
        let tables = &*CONTRIBUTIONS;
        for &place in &self.taken[..self.count] {
            let run = std::mem::replace(&mut self.places[place as usize], EMPTY);
            self.fingerprints.push(tables.fingerprint(run));
        }
        &self.fingerprints
    }

    /// Begins another set, of a power of two of places, which are all empty already.
    fn begin_set(&mut self, places: usize) {
        if self.places.len() < places {
            self.places.resize(places, EMPTY);
            self.taken.resize(places / 2 + 1, 0);
        }
        self.bits = places.trailing_zeros();
        self.count = 0;
    }

    fn insert_each_run_of_four(&mut self, mut units: impl Iterator<Item = u64>) {
        let mut run = 0;
        for unit in units.by_ref().take(UNITS - 1) {
            run = run << 16 | unit;
        }
        for unit in units {
            run = run << 16 | unit;
            self.insert(run);
        }
    }

    /// Puts a run into the set. Whether it is new cannot be predicted, so that no branch asks.
    #[inline]
    fn insert(&mut self, run: u64) {
        let mut place = (run.wrapping_mul(crate::hash::K[0]) >> (64 - self.bits)) as usize;
        let mut there = self.places[place];
        while there != run && there != EMPTY {
            place = (place + 1) & ((1 << self.bits) - 1);
            there = self.places[place];
        }
        self.places[place] = run;
        self.taken[self.count] = place as u32;
        self.count += usize::from(there == EMPTY);
        if self.count > 1 << (self.bits - 1) {
            self.double();
        }
    }

    /// Puts the runs of a set that is full into one of twice as many places.
    fn double(&mut self) {
        let full = self.taken[..self.count].iter();
        let runs: Vec<u64> =
            full.map(|&at| std::mem::replace(&mut self.places[at as usize], EMPTY)).collect();
        self.begin_set(2 << self.bits);
        for run in runs {
            self.insert(run);
        }
    }
}

/// A fingerprint is affine: a constant, and for every byte of a run what this byte contributes.
struct ByteContributions {
    start: u64,
    bytes: [[u64; 256]; BYTES],
}

static CONTRIBUTIONS: LazyLock<ByteContributions> = LazyLock::new(|| {
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
    ByteContributions { start, bytes }
});

impl ByteContributions {
    fn fingerprint(&self, run: u64) -> u64 {
        let bytes = run.to_be_bytes();
        let of = |at: usize| self.bytes[at][usize::from(bytes[at])];
        let lower = self.start ^ of(1) ^ of(3) ^ of(5) ^ of(7);
        // A byte that is zero contributes nothing.
        if run & UPPER == 0 { lower } else { lower ^ of(0) ^ of(2) ^ of(4) ^ of(6) }
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
        let mut runs = RunsOfFourUnits::default();
        for (text, run) in [
            ("Four", 0x0046_006F_0075_0072_u64),
            ("\0\0\0\0", 0),
            ("\u{1F600}ab", 0xD83D_DE00_0061_0062),
        ] {
            assert_eq!(runs.fingerprint_distinct_runs(text), [divide(run)], "{text:?}");
        }
    }

    #[test]
    fn every_run_counts_once_however_many_there_are() {
        let mut runs = RunsOfFourUnits::default();
        assert!(runs.fingerprint_distinct_runs("abc").is_empty());
        assert_eq!(runs.fingerprint_distinct_runs(&"a".repeat(100)).len(), 1);
        assert_eq!(runs.fingerprint_distinct_runs(&"\0".repeat(100)).len(), 1);
        // More than half of the places with which a long text begins.
        let long: String = (0..60_000_u32).filter_map(char::from_u32).collect();
        let found = runs.fingerprint_distinct_runs(&format!("{long}{long}")).to_vec();
        assert_eq!(found.len(), long.chars().count());
        assert_eq!(found[..3], *runs.fingerprint_distinct_runs("\0\u{1}\u{2}\u{3}\u{4}\u{5}"));
        // A text after a long one begins with an empty set.
        assert_eq!(runs.fingerprint_distinct_runs("abcdabcd").len(), 4);
    }
}
