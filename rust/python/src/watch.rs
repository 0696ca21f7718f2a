//! Ctrl-C while a kernel runs without the GIL.

use std::cell::Cell;

use ilk_joins::error::{KernelError, Watch};
use ilk_joins::{reserve, stop};
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyValueError};
use pyo3::prelude::*;

pyo3::import_exception!(ilk.base.errors, IdError);
pyo3::import_exception!(ilk.base.errors, OptionError);
pyo3::import_exception!(ilk.base.errors, OutputError);
pyo3::import_exception!(ilk.base.errors, TooManyPairs);

thread_local! {
    /// Exception of a signal handler or `progress` in the kernel that runs on this thread.
    static RAISED: Cell<Option<PyErr>> = const { Cell::new(None) };
}

/// Runs a kernel without the GIL; whenever the kernel asks, signals are looked at and `progress` is
/// told the share of the work that is done.
///
/// # Errors
/// `ilk.base.errors.TooManyPairs` or `IdError`, or what a signal handler (`KeyboardInterrupt`) or
/// `progress` raised.
pub fn run_watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    kernel: impl FnOnce(Watch) -> Result<T, KernelError> + Send,
) -> PyResult<T> {
    let watch = |share: f64| {
        raises_nothing(|py| {
            py.check_signals()?;
            progress.map_or(Ok(()), |progress| progress.call1(py, (share,)).map(drop))
        })
    };
    let result = py.detach(|| {
        stop::run_stoppable(|| raises_nothing(|py| py.check_signals()), || kernel(&watch))
    });
    let raised = RAISED.take();
    result.map_err(|error| match error {
        KernelError::NoReserve { bytes } => memory_error(bytes),
        KernelError::TooManyPairs { count, limit } => TooManyPairs::new_err((count, limit)),
        KernelError::Storage(_) => OutputError::new_err(format!(
            "{error}. Free some space, or allow more memory (--memory), so that fewer are needed."
        )),
        KernelError::NotEnough { bytes, most } => OptionError::new_err(format!(
            "the search needs about {} MB of memory in addition to the documents, but only {} MB is \
             free. Allow about {} MB more: --memory.",
            megabytes(bytes),
            most / 1_000_000,
            megabytes((bytes - most.min(bytes)) / 7 * 8)
        )),
        KernelError::TooManyRows { .. } => OptionError::new_err(error.to_string()),
        KernelError::KnownId(id) => IdError::new_err(format!(
            "the id {id} is in the index already, or was given twice. Remove it first, or give \
             another one."
        )),
        KernelError::UnknownId(id) => IdError::new_err(format!(
            "the id {id} is not in the index, or was given twice. Remove only what it holds, once."
        )),
        KernelError::UnknownRule(_)
        | KernelError::UnorderedIds
        | KernelError::UnorderedParts
        | KernelError::Damaged => PyValueError::new_err(error.to_string()),
        KernelError::Interrupted => raised.unwrap_or_else(|| PyKeyboardInterrupt::new_err(())),
    })
}

/// Return whether `look` raises nothing; what it raises is kept.
fn raises_nothing(call: impl FnOnce(Python<'_>) -> PyResult<()>) -> bool {
    Python::attach(call).map_err(|error| RAISED.set(Some(error))).is_ok()
}

/// Runs a kernel without a watch and without the GIL; Ctrl-C is heard between pieces of texts.
///
/// # Errors
/// As [`run_watched`].
pub fn run_unwatched<T: Send>(
    py: Python<'_>,
    kernel: impl FnOnce() -> Result<T, KernelError> + Send,
) -> PyResult<T> {
    run_watched(py, None, |_| kernel())
}

/// The same for one without errors of its own.
///
/// # Errors
/// As [`run_watched`].
pub fn run_infallible<T: Send>(py: Python<'_>, kernel: impl FnOnce() -> T + Send) -> PyResult<T> {
    run_unwatched(py, || Ok(kernel()))
}

/// Makes sure that there is room for as many bytes.
///
/// # Errors
/// `MemoryError`.
pub fn check_memory_for(bytes: usize) -> PyResult<()> {
    reserve::check_room(bytes).map_err(|_| memory_error(bytes))
}

/// Bytes in millions, rounded up.
fn megabytes(bytes: usize) -> usize {
    bytes.div_ceil(1_000_000)
}

/// Error for a system without more memory.
fn memory_error(bytes: usize) -> PyErr {
    let megabytes = bytes.div_ceil(1 << 20);
    PyMemoryError::new_err(format!(
        "{megabytes} MB more of memory are needed, and the system does not give them. Allow the \
         process more (`ulimit -v`, the limit of its container), or take less at a time."
    ))
}
