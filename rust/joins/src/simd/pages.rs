//! Memory in large pages.

#![allow(unsafe_code)]

/// Bytes of a large page.
#[cfg(target_os = "linux")]
const PAGE: usize = 2 << 20;

/// Makes room for `more` more values, in large pages if there are many: the system then clears and
/// maps two megabytes at a time, at a fraction of the cost of pages of four kilobytes. Memory that
/// is never written costs nothing.
pub fn reserve<T>(values: &mut Vec<T>, more: usize) {
    // Room is only a guess at what will be needed; without it, it is made as values come.
    if values.try_reserve_exact(more).is_ok() {
        enlarge(values.spare_capacity_mut());
    }
}

/// Asks for large pages for values that are looked up in no order: few places of them then cover
/// what the processor remembers of where pages lie. Best before they are first written.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_behind_what_is_there() {
        for more in [0, 1, 1 << 10, 5 << 20] {
            let mut values = vec![7u32, 8];
            reserve(&mut values, more);
            assert!(values.capacity() >= 2 + more);
            values.resize(2 + more, 9);
            assert_eq!(values[..2], [7, 8]);
            assert!(values[2..].iter().all(|&value| value == 9));
        }
    }

    #[test]
    fn room_that_no_machine_has_is_not_made() {
        let mut values = vec![7u32];
        reserve(&mut values, usize::MAX / 4);
        assert_eq!(values, [7]);
    }
}
