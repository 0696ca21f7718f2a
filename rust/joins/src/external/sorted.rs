//! Numbers sorted by receiver, piece by piece.
//!
//! A step is shared out by pieces of sets, the next one by parts of the values, and so on. What one
//! hands to the next is sorted by the parts that receive it, within the piece that made it; a
//! receiver walks through all pieces in their order. So nobody waits for anybody within a step, and
//! the order of what arrives depends on the pieces alone.

use super::home::{Home, HomeLists, HomeNumber, List};
use crate::error::KernelError;
use crate::reserve;

/// The numbers that a piece hands over: those of a receiver lie between two starts.
pub(super) struct NumbersByReceiver<T> {
    starts: Vec<u32>,
    numbers: List<T>,
}

impl<T: HomeNumber> NumbersByReceiver<T> {
    /// Sorts numbers by receiver, each in the order in which they come, and keeps them at home.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`] and [`KernelError::Storage`].
    pub(super) fn sort_and_store(
        lists: &HomeLists,
        receivers: usize,
        numbers: impl Iterator<Item = (usize, T)> + Clone,
    ) -> Result<Self, KernelError> {
        let mut starts = reserve::repeat_value(0_u32, receivers + 1)?;
        numbers.clone().for_each(|(to, _)| starts[to + 1] += 1);
        for to in 0..receivers {
            starts[to + 1] += starts[to];
        }
        let mut places = starts.clone();
        let mut sorted = reserve::repeat_value(T::default(), starts[receivers] as usize)?;
        for (to, number) in numbers {
            sorted[places[to] as usize] = number;
            places[to] += 1;
        }
        Ok(Self { starts, numbers: lists.store(sorted)? })
    }

    /// The number of numbers that a receiver gets.
    pub(super) fn count_numbers_of(&self, receiver: usize) -> usize {
        (self.starts[receiver + 1] - self.starts[receiver]) as usize
    }

    /// Appends the numbers of a receiver to a list.
    ///
    /// # Errors
    /// As [`Self::sort_and_store`].
    pub(super) fn append_numbers_of(
        &self,
        lists: &HomeLists,
        receiver: usize,
        to: &mut Vec<T>,
    ) -> Result<(), KernelError> {
        let places = self.starts[receiver] as usize..self.starts[receiver + 1] as usize;
        lists.append_numbers_at(&self.numbers, places, to)
    }
}

/// The numbers that all pieces hand over.
pub(super) struct Pieces<'h, T> {
    pub(super) lists: HomeLists<'h>,
    pub(super) pieces: Vec<NumbersByReceiver<T>>,
}

impl<'h, T: HomeNumber> Pieces<'h, T> {
    /// None yet.
    pub(super) fn new(home: &'h Home<'h>) -> Self {
        Self { lists: HomeLists::new(home), pieces: Vec::new() }
    }

    /// Puts the numbers of a receiver, from all pieces in their order, in the place of those of a
    /// list.
    ///
    /// # Errors
    /// As [`NumbersByReceiver::sort_and_store`].
    pub(super) fn read_all_of(&self, receiver: usize, to: &mut Vec<T>) -> Result<(), KernelError> {
        to.clear();
        self.pieces.iter().try_for_each(|piece| piece.append_numbers_of(&self.lists, receiver, to))
    }
}
