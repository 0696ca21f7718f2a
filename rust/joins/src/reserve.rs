//! Memory in reserve: what is large is asked for first.
//!
//! Rust ends the process where an allocation fails, and nothing can catch that. So whatever grows
//! with the input is asked for here, and answered with [`KernelError::NoReserve`] where the system
//! has no more; what is small is not asked for. Where a kernel is asked for all it needs at once,
//! the memory is given back and then taken piece by piece: of two threads that ask at the same
//! time, one may still come too late.
//!
//! Large allocations come in large pages: tables are looked up in no order, and every page costs
//! when it is first written.

use std::hint::black_box;

use crate::error::KernelError;
use crate::simd::pages;

/// Bytes that are asked for; less may end the process.
const LARGE: usize = 1 << 20;

/// Bytes of a list that may grow further; and those that it then gets at once, as pages of its own,
/// which the system moves when the list grows again, so that nothing is copied. Whatever the C
/// library has seen before, it gives pages of their own to more than 32 MB.
const GROWING: usize = 4 << 20;
const MOVED: usize = 33 << 20;

/// Makes sure that there is memory for as many bytes.
///
/// # Errors
/// [`KernelError::NoReserve`].
pub fn check_room(bytes: usize) -> Result<(), KernelError> {
    #[cfg(test)]
    tests::refuse_more_than_there_is(bytes)?;
    if bytes < LARGE {
        return Ok(());
    }
    let mut reserve: Vec<u8> = Vec::new();
    reserve.try_reserve_exact(bytes).map_err(|_| KernelError::NoReserve { bytes })?;
    black_box(&reserve); // Else the compiler might see that nothing is written there.
    Ok(())
}

/// Makes room in a list for `more` values after those it has, and for as many again. Memory that is
/// never written costs nothing.
///
/// # Errors
/// [`KernelError::NoReserve`].
#[inline]
pub fn make_room<T>(list: &mut Vec<T>, more: usize) -> Result<(), KernelError> {
    if list.capacity() - list.len() >= more {
        return Ok(());
    }
    let needed = list.len().saturating_add(more);
    let bytes = needed.saturating_mul(size_of::<T>());
    // Twice the room is better than a little more, and a little more is better than none.
    let all = if (GROWING..MOVED).contains(&bytes) { MOVED / size_of::<T>() } else { 0 };
    list.try_reserve(more.max(all - list.len().min(all)))
        .or_else(|_| list.try_reserve_exact(more))
        .map_err(|_| KernelError::NoReserve { bytes })?;
    pages::request_large_pages(list);
    Ok(())
}

/// Appends a value.
///
/// # Errors
/// [`KernelError::NoReserve`].
#[inline]
pub fn push<T>(list: &mut Vec<T>, value: T) -> Result<(), KernelError> {
    make_room(list, 1)?;
    list.push(value);
    Ok(())
}

/// An empty list with room for as many values.
///
/// # Errors
/// [`KernelError::NoReserve`].
pub fn new_list<T>(count: usize) -> Result<Vec<T>, KernelError> {
    let mut list = Vec::new();
    list.try_reserve_exact(count)
        .map_err(|_| KernelError::NoReserve { bytes: count.saturating_mul(size_of::<T>()) })?;
    pages::request_large_pages(&list);
    Ok(list)
}

/// Vector of equal values; zeros are not written before they are needed.
///
/// # Errors
/// [`KernelError::NoReserve`].
pub fn repeat_value<T: Clone>(value: T, count: usize) -> Result<Vec<T>, KernelError> {
    check_room(count.saturating_mul(size_of::<T>()))?;
    let list = vec![value; count];
    pages::request_large_pages(&list);
    Ok(list)
}

/// A vector of `count` values that reuses the allocation of another; its contents are unspecified.
///
/// # Errors
/// [`KernelError::NoReserve`].
pub fn resize_or_replace<T: Clone + Default>(
    mut list: Vec<T>,
    count: usize,
) -> Result<Vec<T>, KernelError> {
    if list.capacity() < count {
        // Before the new one is asked for: both need not fit at a time, and nothing in it is
        // wanted.
        drop(list);
        return repeat_value(T::default(), count);
    }
    list.resize(count, T::default());
    Ok(list)
}

/// One list of the values of several, in their order; each is freed once it is copied.
///
/// # Errors
/// [`KernelError::NoReserve`].
pub fn concatenate<T>(lists: Vec<Vec<T>>) -> Result<Vec<T>, KernelError> {
    let count = lists.iter().map(Vec::len).sum::<usize>();
    let mut lists = lists.into_iter();
    let mut all = lists.next().unwrap_or_default();
    if all.len() < count {
        let more = count - all.len();
        all.try_reserve_exact(more)
            .map_err(|_| KernelError::NoReserve { bytes: count.saturating_mul(size_of::<T>()) })?;
        pages::request_large_pages(&all);
        lists.for_each(|mut list| all.append(&mut list));
    }
    Ok(all)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// The most bytes that [`check_room`] grants on this thread.
        static MOST: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    /// Does work on a system that grants no more than `most` bytes at a time.
    pub(crate) fn with_room_for<T>(most: usize, work: impl FnOnce() -> T) -> T {
        MOST.set(most);
        let made = work();
        MOST.set(usize::MAX);
        made
    }

    /// The error of [`check_room`] on such a system.
    pub(super) fn refuse_more_than_there_is(bytes: usize) -> Result<(), KernelError> {
        if bytes > MOST.get() { Err(KernelError::NoReserve { bytes }) } else { Ok(()) }
    }

    /// More than any machine has.
    const TOO_MUCH: usize = usize::MAX / 64;

    #[test]
    fn what_no_machine_has_is_an_error_that_says_how_much() {
        let missing = |bytes| Some(KernelError::NoReserve { bytes });
        assert_eq!(check_room(TOO_MUCH).err(), missing(TOO_MUCH));
        // The compiler leaves out an allocation that is never looked at.
        assert_eq!(black_box(new_list::<u64>(TOO_MUCH)).err(), missing(8 * TOO_MUCH));
        assert_eq!(black_box(repeat_value(0_u16, TOO_MUCH)).err(), missing(2 * TOO_MUCH));
        assert_eq!(black_box(repeat_value([0_u64; 4], TOO_MUCH)).err(), missing(32 * TOO_MUCH));
        let mut list = black_box(vec![7_u8]);
        assert_eq!(make_room(&mut list, TOO_MUCH).err(), missing(TOO_MUCH + 1));
        assert_eq!(black_box(list), [7]);
    }

    #[test]
    fn what_there_is_reserve_for_is_there() {
        assert_eq!((check_room(0), check_room(LARGE)), (Ok(()), Ok(())));
        assert!(new_list::<u32>(100).is_ok_and(|list| list.is_empty() && list.capacity() >= 100));
        assert_eq!(repeat_value(3, 2), Ok(vec![3, 3]));
        let mut list = Vec::new();
        for value in 0..1000 {
            assert_eq!(push(&mut list, value), Ok(()));
        }
        assert!(list.into_iter().eq(0..1000));
    }

    #[test]
    fn lists_are_put_together_in_their_order_and_in_no_more_room_than_they_need() {
        let lists = || vec![vec![1, 2], vec![], vec![3], vec![4; 100]];
        assert_eq!(concatenate(lists()), Ok(lists().concat()));
        assert!(concatenate(lists()).is_ok_and(|all| all.capacity() == 103));
        assert_eq!(concatenate::<u8>(vec![]), Ok(vec![]));
        let (alone, place) = (vec![5_u8; 9], |list: &Vec<u8>| list.as_ptr().addr());
        let before = place(&alone);
        assert!(concatenate(vec![alone, vec![]]).is_ok_and(|all| place(&all) == before));
    }
}
