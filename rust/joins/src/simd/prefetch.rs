//! Memory asked for before it is needed.

#![allow(unsafe_code)]

/// Asks for the beginning of a list, so that it is in the cache when it is read soon.
#[inline(always)]
pub fn prefetch<T>(list: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch of any address reads nothing that the program sees, and never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(list.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = list;
}

/// Asks for the first kilobyte of a set; longer ones are read in order, which the machine foresees
/// by itself.
#[inline]
pub fn prefetch_set(values: &[u32]) {
    for line in values.chunks(16).take(16) {
        prefetch(line);
    }
}
