//! What is searched: one side or two, and the same sorted.

use std::ops::Range;

use crate::error::KernelError;
use crate::fingerprint::Fingerprint;
use crate::hamming::meter::Meter;
use crate::hamming::partition::{Buckets, Digit, Source, slices};

/// What is searched: one side against itself, or the left against the right.
#[derive(Debug, Clone, Copy)]
pub(in crate::hamming) enum Sides<'a, T> {
    Within(&'a [T]),
    Across(&'a [T], &'a [T]),
}

impl<'a, T: Fingerprint> Sides<'a, T> {
    /// The numbers of the one side, and those of the other if there is one.
    pub(super) fn numbers(self) -> (&'a [T], &'a [T]) {
        match self {
            Self::Within(all) => (all, &[]),
            Self::Across(left, right) => (left, right),
        }
    }

    pub(in crate::hamming) fn elements(self) -> usize {
        match self {
            Self::Within(all) => all.len(),
            Self::Across(left, right) => left.len() + right.len(),
        }
    }

    /// Comparisons, were everything compared.
    pub(super) fn comparisons(self) -> usize {
        match self {
            Self::Within(all) => all.len().saturating_mul(all.len().saturating_sub(1)) / 2,
            Self::Across(left, right) => left.len().saturating_mul(right.len()),
        }
    }

    /// The bits in which not all numbers agree.
    pub(super) fn varying(self) -> T {
        let (left, right) = self.numbers();
        let some = left.iter().chain(right).fold(T::default(), |bits, &n| bits | n);
        let all = left.iter().chain(right).fold(!T::default(), |bits, &n| bits & n);
        some & !all
    }
}

/// The sides sorted by a digit.
#[derive(Default)]
pub(super) struct Sorted<T> {
    pub(super) left: Buckets<T>,
    pub(super) right: Option<Buckets<T>>,
}

impl<T: Fingerprint> Sorted<T> {
    /// Cuts the values of a digit in slices that have at most `room` numbers of both sides.
    pub(super) fn slices(
        &mut self,
        sides: Sides<T>,
        digit: &Digit,
        room: usize,
        meter: &Meter,
    ) -> Result<Vec<Range<usize>>, KernelError> {
        match sides {
            Sides::Within(all) => {
                self.left.measure(plain(&[all]), digit, meter)?;
                let counts = self.left.counts().iter();
                Ok(slices(counts.map(|&count| count as usize), room))
            }
            Sides::Across(left, right) => {
                let others = self.right.get_or_insert_default();
                self.left.measure(plain(&[left]), digit, meter)?;
                others.measure(plain(&[right]), digit, meter)?;
                let counts = self.left.counts().iter().zip(others.counts());
                Ok(slices(counts.map(|(&left, &right)| left as usize + right as usize), room))
            }
        }
    }

    /// Sorts a slice of the numbers.
    pub(super) fn take(
        &mut self,
        sides: Sides<T>,
        digit: &Digit,
        slice: Range<usize>,
        meter: &Meter,
    ) -> Result<(), KernelError> {
        match sides {
            Sides::Within(all) => self.left.take(plain(&[all]), digit, slice, meter),
            Sides::Across(left, right) => {
                let others = self.right.get_or_insert_default();
                others.take(plain(&[right]), digit, slice.clone(), meter)?;
                self.left.take(plain(&[left]), digit, slice, meter)
            }
        }
    }

    pub(super) fn fill(
        &mut self,
        sides: Sides<T>,
        digit: &Digit,
        meter: &Meter,
    ) -> Result<(), KernelError> {
        match sides {
            Sides::Within(all) => self.left.fill(all, digit, meter),
            Sides::Across(left, right) => {
                self.left.fill(left, digit, meter)?;
                self.right.get_or_insert_default().fill(right, digit, meter)
            }
        }
    }

    pub(super) fn get(&self, bucket: usize) -> Sides<'_, T> {
        match &self.right {
            None => Sides::Within(self.left.get(bucket)),
            Some(right) => Sides::Across(self.left.get(bucket), right.get(bucket)),
        }
    }
}

/// Numbers in one piece, sorted as they are.
fn plain<'a, T: Copy>(pieces: &'a [&'a [T]]) -> Source<'a, T, impl Fn(T) -> T + Copy> {
    Source { pieces, read: |number| number }
}
