//! Sorting numbers by some of their bits: one counting pass and one scattering pass; or, where the
//! numbers do not fit in memory again, one scattering pass for each slice of them.

use std::ops::Range;

use crate::error::KernelError;
use crate::fingerprint::Fingerprint;
use crate::progress::Progress;
use crate::reserve;
use crate::simd::pages;

/// Bits of the widest digit; more buckets than 2^12 cost more than a second pass.
pub(super) const WIDEST_DIGIT: u32 = 12;
/// Numbers handled between two looks at the progress, and the nanoseconds one costs.
const CHUNK: usize = 1 << 20;
const COST: u64 = 2;
/// Numbers; those of a slice are put together before they are scattered.
const PIECE: usize = 1 << 9;

/// A run of adjacent bits that move to the digit together.
#[derive(Debug, Default, Clone, Copy)]
struct Segment {
    /// The word they are in, and where in it.
    word: usize,
    mask: u64,
    /// The rotation to the right that brings them to their place.
    rotation: u32,
}

/// Some bits of a number, gathered to a smaller one.
#[derive(Debug)]
pub(super) struct Digit {
    segments: Vec<Segment>,
    pub(super) bits: u32,
}

impl Digit {
    /// The digit of the bits in a mask; the lowest 12 of them where there are more.
    pub(super) fn of_lowest_twelve_bits<T: Fingerprint>(mask: T) -> Self {
        let mut rest = mask;
        Self::of_first_twelve_places(std::iter::from_fn(|| {
            let place = (rest != T::default()).then(|| rest.place_of_lowest_one());
            rest = rest.without_lowest_one();
            place
        }))
    }

    /// The digit of the bits at ascending places; the first 12 of them where there are more.
    pub(super) fn of_first_twelve_places(places: impl Iterator<Item = u32>) -> Self {
        let mut segments: Vec<Segment> = Vec::new();
        let mut bits = 0;
        for place in places.take(WIDEST_DIGIT as usize) {
            let (word, place) = ((place / u64::BITS) as usize, place % u64::BITS);
            // To the right by where it is less where it shall be; a bit that must go up goes round.
            let rotation = (u64::BITS + place - bits) % u64::BITS;
            match segments.last_mut() {
                // Bits of one rotation move in one step, so that adjacent ones are one segment.
                Some(last) if last.word == word && last.rotation == rotation => {
                    last.mask |= 1 << place
                }
                _ => segments.push(Segment { word, mask: 1 << place, rotation }),
            }
            bits += 1;
        }
        Self { segments, bits }
    }

    /// The digit of a number as a function without a loop; `S` segments are enough.
    fn gather_function<const S: usize, T: Fingerprint>(
        &self,
    ) -> impl Fn(T) -> usize + Copy + use<S, T> {
        // Segments beyond those of the digit have an empty mask and add nothing: a fixed number
        // unrolls.
        let mut padded = [Segment::default(); S];
        for (place, &segment) in padded.iter_mut().zip(&self.segments) {
            *place = segment;
        }
        move |number| {
            let gathered = |s: &Segment| (number.word(s.word) & s.mask).rotate_right(s.rotation);
            padded.iter().fold(0, |sum, segment| sum | gathered(segment)) as usize
        }
    }
}

/// Condition on numbers: some of their bits are those of a value.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct BitCondition<T> {
    mask: T,
    value: T,
}

impl<T: Fingerprint> BitCondition<T> {
    /// Return whether every number counts.
    pub(super) fn admits_all(self) -> bool {
        self.mask == T::default()
    }

    #[inline(always)]
    pub(super) fn admits(self, number: T) -> bool {
        (number ^ self.value) & self.mask == T::default()
    }

    /// The number that counts, where its whole value is given.
    pub(super) fn value(self) -> T {
        self.value
    }

    /// Add to the condition that a digit has a value.
    pub(super) fn and_digit(self, digit: &Digit, value: usize) -> Self {
        digit.segments.iter().fold(self, |only, segment| {
            let bits = (value as u64).rotate_left(segment.rotation) & segment.mask;
            let part = |word: u64| T::from_word_at(word, segment.word);
            Self { mask: only.mask | part(segment.mask), value: only.value | part(bits) }
        })
    }
}

/// Numbers in several pieces, what is made of each number before it is sorted, and which of those
/// count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a, T, F> {
    pub(super) pieces: &'a [&'a [T]],
    pub(super) read: F,
    pub(super) only: BitCondition<T>,
}

impl<'a, T: Fingerprint, F> Source<'a, T, F> {
    /// All numbers of some pieces.
    pub(super) fn all(pieces: &'a [&'a [T]], read: F) -> Self {
        Self { pieces, read, only: BitCondition::default() }
    }

    /// The numbers of the pieces, whether they count or not.
    pub(super) fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len()).sum()
    }

    /// The pieces of a range of the numbers.
    pub(super) fn cut_pieces(&self, range: Range<usize>) -> Vec<&'a [T]> {
        let mut begin = 0;
        let cut = |piece: &&'a [T]| {
            let own = begin..begin + piece.len();
            begin = own.end;
            let [start, end] = [range.start, range.end].map(|at| at.clamp(own.start, own.end));
            &piece[start - own.start..end - own.start]
        };
        self.pieces.iter().map(cut).collect()
    }

    fn split_into_chunks(&self) -> impl Iterator<Item = &'a [T]> + use<'a, T, F> {
        self.pieces.iter().flat_map(|piece| piece.chunks(CHUNK))
    }
}

/// Numbers in buckets, one for each value of a digit, or for each of a slice of its values.
#[derive(Debug, Default)]
pub(super) struct Buckets<T> {
    numbers: Vec<T>,
    /// Start of each bucket, and the end of the last.
    starts: Vec<u32>,
    /// Number of numbers with each value of the digit.
    counts: Vec<u32>,
}

impl<T: Fingerprint> Buckets<T> {
    /// The number of buckets that are filled.
    pub(super) fn count_buckets(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of numbers in all buckets.
    pub(super) fn len(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// The numbers of one bucket.
    pub(super) fn get(&self, bucket: usize) -> &[T] {
        &self.numbers[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }

    /// The buckets in order of the digit.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[T]> {
        self.starts.windows(2).map(|ends| &self.numbers[ends[0] as usize..ends[1] as usize])
    }

    /// Sorts the numbers of each bucket, and gives them all.
    pub(super) fn sort_each(&mut self) -> &[T] {
        for ends in self.starts.windows(2) {
            let (start, end) = (ends[0] as usize, ends[1] as usize);
            if end - start > 1 {
                self.numbers[start..end].sort_unstable();
            }
        }
        &self.numbers
    }

    /// Number of numbers with each value of the digit.
    pub(super) fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Gives the memory of the numbers back to the system; the counts stay.
    pub(super) fn free_numbers(&mut self) {
        self.starts.clear();
        if self.numbers.capacity() > 0 {
            self.numbers = Vec::new();
            pages::return_freed_memory();
        }
    }

    /// Fills the buckets with numbers that are [countable](check_countable); the order inside a
    /// bucket is kept.
    pub(super) fn fill(
        &mut self,
        source: Source<T, impl Fn(T) -> T + Copy>,
        digit: &Digit,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        self.count_values(source, digit, progress)?;
        self.fill_slice(source, digit, 0..self.counts.len(), progress)
    }

    /// Counts the numbers of each value of a digit.
    pub(super) fn count_values(
        &mut self,
        source: Source<T, impl Fn(T) -> T + Copy>,
        digit: &Digit,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        self.counts.clear();
        self.counts.resize(1 << digit.bits, 0);
        match digit.segments.len() {
            0..=2 => self.count_values_by(source, digit.gather_function::<2, T>(), progress),
            3..=4 => self.count_values_by(source, digit.gather_function::<4, T>(), progress),
            _ => self.count_values_by(
                source,
                digit.gather_function::<{ WIDEST_DIGIT as usize }, T>(),
                progress,
            ),
        }
    }

    fn count_values_by(
        &mut self,
        source: Source<T, impl Fn(T) -> T + Copy>,
        digit: impl Fn(T) -> usize,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let Source { read, only, .. } = source;
        for chunk in source.split_into_chunks() {
            if only.admits_all() {
                for &number in chunk {
                    self.counts[digit(read(number))] += 1;
                }
            } else {
                for &number in chunk {
                    let number = read(number);
                    self.counts[digit(number)] += u32::from(only.admits(number));
                }
            }
            progress.spend_nanoseconds(chunk.len() as u64 * COST)?;
        }
        Ok(())
    }

    /// Fills the buckets of a slice of the digit's values with the numbers that were measured.
    pub(super) fn fill_slice(
        &mut self,
        source: Source<T, impl Fn(T) -> T + Copy>,
        digit: &Digit,
        slice: Range<usize>,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        // While scattering, `starts[b + 1]` is the next free place of bucket `b`.
        self.starts.clear();
        self.starts.push(0);
        let mut sum = 0;
        // The sum before the count: scattering moves each entry to the end of its bucket, which is
        // where the next one begins.
        for count in &self.counts[slice.clone()] {
            self.starts.push(sum);
            sum += *count;
        }
        let sum = sum as usize;
        if sum > self.numbers.capacity() {
            // A new list, since a list that grows is copied, and may take twice its room. The next
            // slice may be a little larger: lists that grow by a little leave gaps in the memory.
            self.numbers = Vec::new();
            self.numbers = reserve::new_list(sum + sum / 32)?;
        }
        self.numbers.resize(sum, T::default());
        const MOST: usize = WIDEST_DIGIT as usize;
        // Conditions come with oversized values alone, which are few: one instance for all digits.
        if !source.only.admits_all() {
            return self.fill_slice_by::<true>(
                source,
                digit.gather_function::<MOST, T>(),
                slice,
                progress,
            );
        }
        match digit.segments.len() {
            0..=2 => self.fill_slice_by::<false>(
                source,
                digit.gather_function::<2, T>(),
                slice,
                progress,
            ),
            3..=4 => self.fill_slice_by::<false>(
                source,
                digit.gather_function::<4, T>(),
                slice,
                progress,
            ),
            _ => self.fill_slice_by::<false>(
                source,
                digit.gather_function::<MOST, T>(),
                slice,
                progress,
            ),
        }
    }

    /// `FILTERED`: only the numbers that the source admits are placed.
    fn fill_slice_by<const FILTERED: bool>(
        &mut self,
        source: Source<T, impl Fn(T) -> T + Copy>,
        digit: impl Fn(T) -> usize + Copy,
        slice: Range<usize>,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let Source { read, only, .. } = source;
        let whole = slice.len() == self.counts.len() && !FILTERED;
        let (first, values) = (slice.start, slice.len());
        let place = |number| digit(number).wrapping_sub(first);
        let mut kept = [T::default(); PIECE];
        for chunk in source.split_into_chunks() {
            if whole {
                self.scatter(chunk, read, digit);
            } else {
                for piece in chunk.chunks(PIECE) {
                    // Without a branch, since whether a number is kept cannot be foreseen; a digit
                    // below the slice wraps around beyond it.
                    let mut count = 0;
                    for &number in piece {
                        let number = read(number);
                        kept[count] = number;
                        count += usize::from(
                            (place(number) < values) & (!FILTERED || only.admits(number)),
                        );
                    }
                    self.scatter(&kept[..count], |number| number, place);
                }
            }
            progress.spend_nanoseconds(chunk.len() as u64 * COST)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn scatter(&mut self, numbers: &[T], read: impl Fn(T) -> T, bucket_of: impl Fn(T) -> usize) {
        for &number in numbers {
            let number = read(number);
            let place = &mut self.starts[bucket_of(number) + 1];
            self.numbers[*place as usize] = number;
            *place += 1;
        }
    }
}

/// Makes sure that [`Buckets`] can count and place as many numbers.
///
/// # Errors
/// [`KernelError::TooManyRows`] from 2^32.
pub(super) fn check_countable(count: u64) -> Result<(), KernelError> {
    let limit = u64::from(u32::MAX);
    if count > limit { Err(KernelError::TooManyRows { count, limit }) } else { Ok(()) }
}

/// Cuts the values of a digit, which have `counts` numbers, in slices of at most `most_in_slice`
/// numbers. A value that has more than `most_beside_others` is a slice of its own.
pub(super) fn cut_into_slices(
    counts: impl Iterator<Item = usize>,
    most_in_slice: usize,
    most_beside_others: usize,
) -> Vec<Range<usize>> {
    let (mut slices, mut start, mut sum, mut end) = (Vec::new(), 0, 0_usize, 0);
    let mut last_alone = false;
    for count in counts {
        let alone = count > most_beside_others;
        // Before a value that stands alone, and after it; values without numbers may stay with it.
        let cut = alone || last_alone && count > 0;
        if sum > 0 && (cut || sum.saturating_add(count) > most_in_slice) {
            slices.push(start..end);
            (start, sum, last_alone) = (end, 0, false);
        }
        sum = sum.saturating_add(count);
        last_alone |= alone;
        end += 1;
    }
    slices.push(start..end);
    slices
}

#[cfg(test)]
mod tests;
