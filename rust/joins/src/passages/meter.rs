//! Progress of a comparison, and the looks at its watch.

use crate::error::{KernelError, Watch};

/// Steps between two looks at the watch: a step takes from a nanosecond to some hundred.
pub(super) const STEPS_PER_LOOK: usize = 1 << 16;

/// Knows the steps that are done and looks at the watch now and then.
pub(super) struct Meter<'a> {
    watch: Watch<'a>,
    total: usize,
    done: usize,
    next_look: usize,
}

impl<'a> Meter<'a> {
    /// A meter for `total` steps.
    pub(super) fn new(total: usize, watch: Watch<'a>) -> Self {
        Self { watch, total, done: 0, next_look: STEPS_PER_LOOK }
    }

    /// Says that `done` steps are done.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`] if it was time to look and the watch asks to stop.
    pub(super) fn reach(&mut self, done: usize) -> Result<(), KernelError> {
        self.done = done;
        if done < self.next_look {
            return Ok(());
        }
        self.next_look = done + STEPS_PER_LOOK;
        self.look()
    }

    /// Looks at the watch.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`] if the watch asks to stop.
    pub(super) fn look(&self) -> Result<(), KernelError> {
        let share = self.done as f64 / self.total.max(1) as f64;
        if (self.watch)(share.min(1.0)) { Ok(()) } else { Err(KernelError::Interrupted) }
    }
}
