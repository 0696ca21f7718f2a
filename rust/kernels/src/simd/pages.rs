//! Memory in large pages.

#![allow(unsafe_code)]

/// Bytes below which memory is taken as it comes.
#[cfg(target_os = "linux")]
const LARGE: usize = 4 << 20;

/// Makes room for `more` more values, in large pages if there are many: the system then clears and
/// maps two megabytes at a time, at a fraction of the cost of pages of four kilobytes. Memory that
/// is never written costs nothing.
pub fn reserve<T>(values: &mut Vec<T>, more: usize) {
    values.reserve_exact(more);
    #[cfg(target_os = "linux")]
    {
        let spare = values.spare_capacity_mut();
        let bytes = size_of_val(spare);
        if bytes >= LARGE {
            let start = spare.as_mut_ptr().cast::<u8>();
            let skipped = start.align_offset(LARGE);
            let length = bytes.saturating_sub(skipped) & !(LARGE - 1);
            // SAFETY: these bytes are part of the vector's memory, and the advice changes nothing
            // that a program can see. Where the system does not take it, nothing happens.
            unsafe { libc::madvise(start.add(skipped).cast(), length, libc::MADV_HUGEPAGE) };
        }
    }
}
