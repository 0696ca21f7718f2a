//! Ctrl-C while a kernel runs without the GIL.

use std::sync::{Mutex, PoisonError};

use ilk_kernels::error::{KernelError, Watch};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

pyo3::import_exception!(ilk.errors, TooManyPairs);

/// Runs a kernel without the GIL; signals are looked at whenever the kernel asks.
///
/// # Errors
/// `ilk.errors.TooManyPairs`, or what a signal handler raised (`KeyboardInterrupt`).
pub fn watched<T: Send>(
    py: Python<'_>,
    kernel: impl FnOnce(Watch) -> Result<T, KernelError> + Send,
) -> PyResult<T> {
    let raised = Mutex::new(None);
    let watch = |_: f64| match Python::attach(|py| py.check_signals()) {
        Ok(()) => true,
        Err(error) => {
            *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            false
        }
    };
    let result = py.detach(|| kernel(&watch));
    result.map_err(|error| match error {
        KernelError::TooManyPairs { count, limit } => TooManyPairs::new_err((count, limit)),
        KernelError::TooManyRows { .. } => PyValueError::new_err(error.to_string()),
        KernelError::Interrupted => raised
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .unwrap_or_else(|| PyKeyboardInterrupt::new_err(())),
    })
}
