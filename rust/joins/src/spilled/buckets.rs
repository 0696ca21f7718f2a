//! Numbers sorted into buckets, each in the order in which its numbers came.

use super::home::{Home, Number, Pieces};
use crate::error::KernelError;
use crate::reserve;

/// Numbers between two open pieces, so that they do not all want the same places of the cache.
const APART: usize = 24;

/// Numbers in buckets: an open piece of each in memory, whole pieces at home.
pub(super) struct Buckets<'h, T> {
    piece: usize,
    open: Vec<T>,
    filled: Vec<u32>,
    /// The whole pieces of each bucket.
    pieces: Vec<Vec<u32>>,
    home: Pieces<'h, T>,
}

impl<'h, T: Number> Buckets<'h, T> {
    /// So many empty buckets, with `piece` numbers to a piece.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub(super) fn new(home: &'h Home<'h>, count: usize, piece: usize) -> Result<Self, KernelError> {
        Ok(Self {
            piece,
            open: reserve::repeat_value(T::default(), count * (piece + APART))?,
            filled: reserve::repeat_value(0, count)?,
            pieces: reserve::repeat_value(Vec::new(), count)?,
            home: Pieces::new(home, piece),
        })
    }

    pub(super) fn count(&self) -> usize {
        self.filled.len()
    }

    /// Adds a number to a bucket.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`] and [`KernelError::Storage`].
    #[inline]
    pub(super) fn push(&mut self, bucket: usize, number: T) -> Result<(), KernelError> {
        let at = self.filled[bucket] as usize;
        self.open[bucket * (self.piece + APART) + at] = number;
        self.filled[bucket] += 1;
        if at + 1 == self.piece { self.hand_over(bucket) } else { Ok(()) }
    }

    /// Pushes one number after the other.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub(super) fn extend(&mut self, bucket: usize, mut numbers: &[T]) -> Result<(), KernelError> {
        while !numbers.is_empty() {
            let at = self.filled[bucket] as usize;
            let (now, later) = numbers.split_at(numbers.len().min(self.piece - at));
            let start = bucket * (self.piece + APART) + at;
            self.open[start..start + now.len()].copy_from_slice(now);
            self.filled[bucket] += now.len() as u32;
            if at + now.len() == self.piece {
                self.hand_over(bucket)?;
            }
            numbers = later;
        }
        Ok(())
    }

    #[cold]
    fn hand_over(&mut self, bucket: usize) -> Result<(), KernelError> {
        let start = bucket * (self.piece + APART);
        let number = self.home.add(&self.open[start..start + self.piece])?;
        reserve::push(&mut self.pieces[bucket], number)?;
        self.filled[bucket] = 0;
        Ok(())
    }

    /// The numbers in the open piece of a bucket.
    fn rest(&self, bucket: usize) -> &[T] {
        let start = bucket * (self.piece + APART);
        &self.open[start..start + self.filled[bucket] as usize]
    }

    /// The numbers of a bucket, in the place of those of `to`; a bucket is taken once.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`] and [`KernelError::Storage`].
    pub(super) fn take(&mut self, bucket: usize, to: &mut Vec<T>) -> Result<(), KernelError> {
        to.clear();
        reserve::more(to, (self.pieces[bucket].len() + 1) * self.piece)?;
        for &number in &self.pieces[bucket] {
            self.home.take(number, to)?;
        }
        to.extend_from_slice(self.rest(bucket));
        Ok(())
    }

    /// The numbers of the piece of a bucket at `place`, in the place of those of `to`; a piece is
    /// taken once.
    ///
    /// # Errors
    /// [`KernelError::Storage`].
    pub(super) fn take_piece(
        &mut self,
        bucket: usize,
        place: usize,
        to: &mut Vec<T>,
    ) -> Result<(), KernelError> {
        to.clear();
        if let Some(&number) = self.pieces[bucket].get(place) {
            return self.home.take(number, to);
        }
        to.extend_from_slice(self.rest(bucket));
        Ok(())
    }
}
