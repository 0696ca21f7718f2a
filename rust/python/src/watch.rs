//! Ctrl-C while a kernel runs without the GIL.

use std::sync::{Mutex, PoisonError};

use ilk_joins::error::{KernelError, Watch};
use ilk_joins::room;
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyValueError};
use pyo3::prelude::*;

pyo3::import_exception!(ilk.base.errors, IdError);
pyo3::import_exception!(ilk.base.errors, OptionError);
pyo3::import_exception!(ilk.base.errors, OutputError);
pyo3::import_exception!(ilk.base.errors, TooManyPairs);

/// Runs a kernel without the GIL; whenever the kernel asks, signals are looked at and `progress` is
/// told the share of the work that is done.
///
/// # Errors
/// `ilk.base.errors.TooManyPairs` or `IdError`, or what a signal handler (`KeyboardInterrupt`) or
/// `progress` raised.
pub fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    kernel: impl FnOnce(Watch) -> Result<T, KernelError> + Send,
) -> PyResult<T> {
    let raised = Mutex::new(None);
    let told = |py: Python<'_>, share: f64| {
        py.check_signals()?;
        progress.map_or(Ok(()), |progress| progress.call1(py, (share,)).map(drop))
    };
    let watch = |share: f64| match Python::attach(|py| told(py, share)) {
        Ok(()) => true,
        Err(error) => {
            *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            false
        }
    };
    let result = py.detach(|| kernel(&watch));
    result.map_err(|error| match error {
        KernelError::NoRoom { bytes } => no_room(bytes),
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
        KernelError::UnknownRule(_) | KernelError::UnorderedIds | KernelError::Damaged => {
            PyValueError::new_err(error.to_string())
        }
        KernelError::Interrupted => raised
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .unwrap_or_else(|| PyKeyboardInterrupt::new_err(())),
    })
}

/// Runs a kernel that is not watched without the GIL.
///
/// # Errors
/// As [`watched`].
pub fn unwatched<T: Send>(
    py: Python<'_>,
    kernel: impl FnOnce() -> Result<T, KernelError> + Send,
) -> PyResult<T> {
    watched(py, None, |_| kernel())
}

/// Makes sure that there is room for as many bytes.
///
/// # Errors
/// `MemoryError`.
pub fn room_for(bytes: usize) -> PyResult<()> {
    room::ask(bytes).map_err(|_| no_room(bytes))
}

/// Bytes in millions, rounded up.
fn megabytes(bytes: usize) -> usize {
    bytes.div_ceil(1_000_000)
}

/// Error for a system without more memory.
fn no_room(bytes: usize) -> PyErr {
    let megabytes = bytes.div_ceil(1 << 20);
    PyMemoryError::new_err(format!(
        "{megabytes} MB more of memory are needed, and the system does not give them. Allow the \
         process more (`ulimit -v`, the limit of its container), or take less at a time."
    ))
}
