//! Lines: rows that end in a line feed.

use std::ops::Range;

use ilk_joins::stop;

/// The lines that are not blank, each with its end.
///
/// A last line without an end is a line only where the piece is the `last` one of its file.
pub fn nonblank_lines_with_ends(piece: &[u8], last: bool) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', piece).map(|end| end + 1);
    ends.chain(last.then_some(piece.len())).filter_map(move |end| {
        let line = start..end;
        start = end;
        stop::count_work_or_unwind(super::ROW + line.len());
        (!piece[line.clone()].trim_ascii().is_empty()).then_some(line)
    })
}

/// Bytes of whole lines, the blank ones among them.
pub(super) fn whole_lines(piece: &[u8], last: bool) -> usize {
    if last { piece.len() } else { memchr::memrchr(b'\n', piece).map_or(0, |end| end + 1) }
}
