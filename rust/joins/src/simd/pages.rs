//! Memory in large pages.

#![allow(unsafe_code)]

/// Bytes of a large page.
#[cfg(target_os = "linux")]
const PAGE: usize = 2 << 20;

/// Asks for large pages, best before they are first written: the system clears and maps two
/// megabytes at a time, at a fraction of the cost of pages of four kilobytes, and where values are
/// looked up in no order, few pages cover what the processor remembers of where pages lie.
pub fn enlarge<T>(values: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        if size_of_val(values) <= PAGE {
            return;
        }
        let start = values.as_mut_ptr().cast::<u8>();
        let skipped = start.align_offset(PAGE);
        let length = size_of_val(values).saturating_sub(skipped) & !(PAGE - 1);
        // Less than two is not worth a call.
        if length > PAGE {
            // SAFETY: these bytes are memory of the slice, and the advice changes nothing that a
            // program can see. Where the system does not take it, nothing happens.
            unsafe { libc::madvise(start.add(skipped).cast(), length, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = values;
}

/// Gives back to the system what was freed and the allocator keeps for later. It keeps up to 64 MB
/// once large lists have come and gone, which is too much where memory is short.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the allocator takes its own lock, and touches nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}
