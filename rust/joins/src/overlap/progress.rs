//! Asking the watch often enough, and not too often.

use crate::error::{KernelError, Watch};

/// Work between two questions, in values read or compared: about a millisecond. Sets may be in a
/// mapped file, whose pages the watch lets go.
const PAUSE: usize = 1 << 18;

/// What reading a set out of turn costs beside its values: pages around it come into memory.
pub(crate) const JUMP: usize = 1 << 10;

/// One stage of a kernel, from one share of the whole work to another.
pub struct Progress<'a> {
    watch: Watch<'a>,
    start: f64,
    span: f64,
    share: f64,
    work: usize,
}

impl<'a> Progress<'a> {
    /// A stage that leads from `start` to `end` (shares of the whole work, 0 to 1).
    pub fn stage(watch: Watch<'a>, start: f64, end: f64) -> Self {
        Self {
            watch,
            start,
            span: end - start,
            share: start,
            // The first tick asks, so that even short work can be stopped.
            work: PAUSE,
        }
    }

    /// Notes that `done` of `total` parts of the stage are done.
    pub fn at(&mut self, done: usize, total: usize) {
        self.share = self.start + self.span * (done as f64 / total.max(1) as f64);
    }

    /// Notes `work` values read or compared, and asks the watch when that is due.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`] when the watch says so.
    #[inline]
    pub fn tick(&mut self, work: usize) -> Result<(), KernelError> {
        self.work = self.work.saturating_add(work);
        if self.work < PAUSE {
            return Ok(());
        }
        self.work = 0;
        if (self.watch)(self.share) { Ok(()) } else { Err(KernelError::Interrupted) }
    }
}
