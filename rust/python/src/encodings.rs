//! Bytes in, the text that browsers read in them out.

use std::borrow::Cow;

use encoding_rs::Encoding;
use ilk_joins::stop;
use ilk_kernels::utf8::{self, FormatSigns};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::columns::{Column, Texts};
use crate::watch::run_infallible;

/// A text as UTF-8, the name of the encoding, and whether U+FFFD stands for some of the bytes.
type DecodedUtf8<'py> = (Bound<'py, PyBytes>, &'static str, bool);

/// Return whether bytes are UTF-8 without a control character but those that lay out lines.
#[pyfunction]
pub fn is_utf8_with_only_layout_controls(data: &[u8]) -> bool {
    utf8::is_utf8_with_only_layout_controls(data)
}

/// Return whether each content is plain text in UTF-8, certainly of no format that has a reader of
/// its own: `FormatSigns` says how that is known. Null is no text.
#[pyfunction]
pub fn mark_plain_utf8_texts(
    py: Python<'_>,
    contents: Column,
    beginnings_of_formats: Vec<Vec<u8>>,
    early_marks_of_formats: Vec<Vec<u8>>,
) -> PyResult<Vec<bool>> {
    let contents = Texts::from_large_binary(contents)?;
    let signs =
        FormatSigns { beginnings: beginnings_of_formats, early_marks: early_marks_of_formats };
    run_infallible(py, || {
        (0..contents.len())
            .map(|row| {
                contents.bytes(row).is_some_and(|content| {
                    stop::count_work_or_unwind(content.len());
                    signs.admit_as_plain_utf8_text(content)
                })
            })
            .collect()
    })
}

/// Decode bytes in the encoding that a label of the WHATWG names; None if there is no such label.
///
/// A byte order mark is decoded like any other bytes: the caller looks for it.
#[pyfunction]
pub fn decode_by_label_keeping_bom<'py>(
    py: Python<'py>,
    label: &str,
    data: &[u8],
) -> Option<DecodedUtf8<'py>> {
    let encoding = Encoding::for_label(label.as_bytes())?;
    let (text, replaced): (Cow<'_, str>, bool) =
        py.detach(|| encoding.decode_without_bom_handling(data));
    Some((PyBytes::new(py, text.as_bytes()), encoding.name(), replaced))
}
