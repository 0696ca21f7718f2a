//! Numbers to search, on one side or two: those that count, and the same sorted into buckets.

use std::ops::Range;

use crate::error::KernelError;
use crate::fingerprint::Fingerprint;
use crate::hamming::partition::{BitCondition, Buckets, Digit, Source};
use crate::progress::Progress;

/// Numbers to search: one side against itself, or the left against the right.
#[derive(Debug, Clone, Copy)]
pub(in crate::hamming) enum Sides<'a, T> {
    Within(&'a [T]),
    Across(&'a [T], &'a [T]),
}

impl<'a, T: Fingerprint> Sides<'a, T> {
    /// The numbers of the one side, and those of the other if there is one.
    pub(super) fn left_and_right(self) -> (&'a [T], Option<&'a [T]>) {
        match self {
            Self::Within(all) => (all, None),
            Self::Across(left, right) => (left, Some(right)),
        }
    }

    pub(in crate::hamming) fn count_elements(self) -> usize {
        match self {
            Self::Within(all) => all.len(),
            Self::Across(left, right) => left.len() + right.len(),
        }
    }

    /// Comparisons, were everything compared.
    pub(super) fn count_comparisons(self) -> usize {
        View::all(self).count_comparisons()
    }
}

/// Some numbers of the sides, where they are; others are passed over.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a, T> {
    pub(super) sides: Sides<'a, T>,
    only: BitCondition<T>,
    /// Number of those that count, by side.
    counts: (usize, usize),
}

impl<'a, T: Fingerprint> View<'a, T> {
    /// All numbers.
    pub(super) fn all(sides: Sides<'a, T>) -> Self {
        let (left, right) = sides.left_and_right();
        let counts = (left.len(), right.map_or(0, <[T]>::len));
        Self { sides, only: BitCondition::default(), counts }
    }

    /// Keep those with one value of a digit; `counts`: the number of them on each side.
    pub(super) fn and_digit(self, digit: &Digit, value: usize, counts: (usize, usize)) -> Self {
        Self { only: self.only.and_digit(digit, value), counts, ..self }
    }

    pub(super) fn count_elements(self) -> usize {
        self.counts.0 + self.counts.1
    }

    /// Comparisons, were everything compared.
    pub(super) fn count_comparisons(self) -> usize {
        let (left, right) = self.counts;
        match self.sides {
            Sides::Within(_) => left.saturating_mul(left.saturating_sub(1)) / 2,
            Sides::Across(..) => left.saturating_mul(right),
        }
    }

    /// The sides, if all of their numbers count.
    pub(super) fn sides_if_all(self) -> Option<Sides<'a, T>> {
        self.only.admits_all().then_some(self.sides)
    }

    /// The bits in which not all numbers agree.
    pub(super) fn varying_bits(self) -> T {
        let (left, right) = self.sides.left_and_right();
        let numbers = left.iter().chain(right.unwrap_or_default());
        let (mut some, mut all) = (T::default(), !T::default());
        for &number in numbers.filter(|&&number| self.only.admits(number)) {
            some = some | number;
            all = all & number;
        }
        // A bit varies where some number has it and not all have.
        some & !all
    }
}

/// The sides sorted by a digit.
#[derive(Default)]
pub(super) struct SortedSides<T> {
    pub(super) left: Buckets<T>,
    pub(super) right: Option<Buckets<T>>,
}

impl<T: Fingerprint> SortedSides<T> {
    /// Copies what is in view, in one bucket.
    pub(super) fn in_one_bucket(view: View<T>, progress: &Progress) -> Result<Self, KernelError> {
        let (mut copied, all) = (Self::default(), Digit::of_first_twelve_places(0..0));
        copied.count_values(view, &all, progress)?;
        copied.fill_slice(view, &all, 0..1, progress)?;
        Ok(copied)
    }

    /// Counts the numbers of each value of a digit.
    pub(super) fn count_values(
        &mut self,
        view: View<T>,
        digit: &Digit,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let (left, right) = view.sides.left_and_right();
        self.left.count_values(source(&[left], view.only), digit, progress)?;
        if let Some(right) = right {
            let others = self.right.get_or_insert_default();
            others.count_values(source(&[right], view.only), digit, progress)?;
        }
        Ok(())
    }

    /// Number of numbers with a value of the digit, by side.
    pub(super) fn counts(&self, value: usize) -> (usize, usize) {
        let right = self.right.as_ref().map_or(0, |right| right.counts()[value]);
        (self.left.counts()[value] as usize, right as usize)
    }

    /// Number of numbers with each value of the digit.
    pub(super) fn counts_of_both_sides(&self) -> Vec<usize> {
        let both = |value| {
            let (left, right) = self.counts(value);
            left + right
        };
        (0..self.left.counts().len()).map(both).collect()
    }

    /// Sorts a slice of the numbers.
    pub(super) fn fill_slice(
        &mut self,
        view: View<T>,
        digit: &Digit,
        slice: Range<usize>,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let (left, right) = view.sides.left_and_right();
        if let Some(right) = right {
            let others = self.right.get_or_insert_default();
            others.fill_slice(source(&[right], view.only), digit, slice.clone(), progress)?;
        }
        self.left.fill_slice(source(&[left], view.only), digit, slice, progress)
    }

    /// Number of sorted numbers of both sides.
    pub(super) fn count_elements(&self) -> usize {
        self.left.len() + self.right.as_ref().map_or(0, Buckets::len)
    }

    /// Gives the memory of the numbers back; the counts stay.
    pub(super) fn free_numbers(&mut self) {
        self.left.free_numbers();
        self.right.iter_mut().for_each(Buckets::free_numbers);
    }

    pub(super) fn fill(
        &mut self,
        sides: Sides<T>,
        digit: &Digit,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let (left, right) = sides.left_and_right();
        if let Some(right) = right {
            let others = self.right.get_or_insert_default();
            others.fill(source(&[right], BitCondition::default()), digit, progress)?;
        }
        self.left.fill(source(&[left], BitCondition::default()), digit, progress)
    }

    pub(super) fn get(&self, bucket: usize) -> Sides<'_, T> {
        match &self.right {
            None => Sides::Within(self.left.get(bucket)),
            Some(right) => Sides::Across(self.left.get(bucket), right.get(bucket)),
        }
    }
}

/// Numbers in one piece, sorted as they are.
fn source<'a, T: Fingerprint>(
    pieces: &'a [&'a [T]],
    only: BitCondition<T>,
) -> Source<'a, T, impl Fn(T) -> T + Copy> {
    Source { only, ..Source::all(pieces, |number| number) }
}
