//! Memory in large pages.

#![allow(unsafe_code)]

/// Bytes of a large page.
#[cfg(target_os = "linux")]
const LARGE: usize = 2 << 20;

/// Bytes of a small page, or of a part of one.
#[cfg(target_os = "linux")]
const SMALL: usize = 4 << 10;

/// Asks for large pages for a list, best before it is written: the system clears and maps two
/// megabytes at a time, at a fraction of the cost of pages of four kilobytes, and where values are
/// looked up in no order, few pages cover what the processor remembers of where pages lie.
///
/// The advice is for all pages that the list touches, to both ends: the system moves a list that
/// grows only if all its pages are of one kind. Else the allocator copies it.
pub fn request_large_pages<T>(list: &Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        let bytes = list.capacity() * size_of::<T>();
        // Less than two is not worth a call.
        if bytes < 2 * LARGE {
            return;
        }
        let first = list.as_ptr().cast::<u8>();
        let before = first.addr() % SMALL;
        let length = (before + bytes).next_multiple_of(SMALL);
        // SAFETY: the advice changes nothing that a program can see, in the list or beside it.
        // Where the system does not take it, nothing happens.
        unsafe {
            libc::madvise(first.wrapping_sub(before).cast_mut().cast(), length, libc::MADV_HUGEPAGE)
        };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = list;
}

/// Gives back to the system what was freed and the allocator keeps for later. It keeps up to 64 MB
/// once large lists have come and gone, which is too much where memory is short.
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the allocator takes its own lock, and touches nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}
