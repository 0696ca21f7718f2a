//! Sorting numbers by some of their bits: one counting pass and one scattering pass.

use super::meter::Meter;
use crate::error::KernelError;
use crate::fingerprint::Fingerprint;

/// Bits of the widest digit; more buckets than 2^12 cost more than a second pass.
pub(super) const WIDEST_DIGIT: u32 = 12;
/// Numbers handled between two looks at the meter, and the nanoseconds one costs.
const CHUNK: usize = 1 << 20;
const COST: u64 = 2;

/// A run of adjacent bits that move to the digit together.
#[derive(Debug, Default, Clone, Copy)]
struct Segment {
    /// The word they stand in, and where in it.
    word: usize,
    mask: u64,
    /// The rotation to the right that brings them to their place.
    turn: u32,
}

/// The bits of a mask, gathered to a number.
#[derive(Debug)]
pub(super) struct Digit {
    segments: Vec<Segment>,
    pub(super) bits: u32,
}

impl Digit {
    /// The digit of the bits in a mask; the lowest 12 of them where there are more.
    pub(super) fn new<T: Fingerprint>(mask: T) -> Self {
        let mut segments: Vec<Segment> = Vec::new();
        let mut bits = 0;
        let mut rest = mask;
        while rest != T::default() && bits < WIDEST_DIGIT {
            let (word, place) =
                ((rest.lowest_place() / u64::BITS) as usize, rest.lowest_place() % u64::BITS);
            let turn = (u64::BITS + place - bits) % u64::BITS;
            match segments.last_mut() {
                Some(last) if last.word == word && last.turn == turn => last.mask |= 1 << place,
                _ => segments.push(Segment { word, mask: 1 << place, turn }),
            }
            bits += 1;
            rest = rest.without_lowest();
        }
        Self { segments, bits }
    }

    /// The segments in an array of fixed length, so that gathering has no loop; `S` is enough.
    fn padded<const S: usize>(&self) -> [Segment; S] {
        let mut padded = [Segment::default(); S];
        for (place, &segment) in padded.iter_mut().zip(&self.segments) {
            *place = segment;
        }
        padded
    }
}

/// Numbers in buckets, one for each value of a digit.
#[derive(Debug, Default)]
pub(super) struct Buckets<T> {
    numbers: Vec<T>,
    /// Where each bucket starts, and the end of the last.
    starts: Vec<u32>,
}

impl<T: Fingerprint> Buckets<T> {
    pub(super) fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The numbers of one bucket.
    pub(super) fn get(&self, bucket: usize) -> &[T] {
        &self.numbers[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }

    /// The buckets in order of the digit.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[T]> {
        self.starts.windows(2).map(|ends| &self.numbers[ends[0] as usize..ends[1] as usize])
    }

    /// Fills the buckets with fewer than 2^32 numbers; the order inside a bucket is kept.
    pub(super) fn fill(
        &mut self,
        numbers: &[T],
        digit: &Digit,
        meter: &Meter,
    ) -> Result<(), KernelError> {
        match digit.segments.len() {
            0..=2 => self.fill_by::<2>(numbers, digit, meter),
            3..=4 => self.fill_by::<4>(numbers, digit, meter),
            _ => self.fill_by::<{ WIDEST_DIGIT as usize }>(numbers, digit, meter),
        }
    }

    fn fill_by<const S: usize>(
        &mut self,
        numbers: &[T],
        digit: &Digit,
        meter: &Meter,
    ) -> Result<(), KernelError> {
        let segments = digit.padded::<S>();
        let bucket_of = |number: T| {
            let gathered = |s: &Segment| (number.word(s.word) & s.mask).rotate_right(s.turn);
            segments.iter().fold(0, |sum, segment| sum | gathered(segment)) as usize
        };
        // While filling, `starts[b + 1]` is the next free place of bucket `b`.
        self.starts.clear();
        self.starts.resize((1 << digit.bits) + 2, 0);
        for chunk in numbers.chunks(CHUNK) {
            for &number in chunk {
                self.starts[bucket_of(number) + 2] += 1;
            }
            meter.spend(chunk.len() as u64 * COST)?;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.numbers.resize(numbers.len(), T::default());
        for chunk in numbers.chunks(CHUNK) {
            for &number in chunk {
                let place = &mut self.starts[bucket_of(number) + 1];
                self.numbers[*place as usize] = number;
                *place += 1;
            }
            meter.spend(chunk.len() as u64 * COST)?;
        }
        self.starts.pop();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
