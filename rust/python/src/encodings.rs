//! Bytes in, the text that browsers read in them out.

use std::borrow::Cow;

use encoding_rs::Encoding;
use ilk_kernels::utf8;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A text as UTF-8, the name of the encoding, and whether U+FFFD stands for some of the bytes.
type DecodedUtf8<'py> = (Bound<'py, PyBytes>, &'static str, bool);

/// Return whether bytes are UTF-8 without a control character but those that lay out lines.
#[pyfunction]
pub fn is_utf8_with_only_layout_controls(data: &[u8]) -> bool {
    utf8::is_utf8_with_only_layout_controls(data)
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
