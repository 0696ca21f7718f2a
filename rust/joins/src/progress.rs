//! Progress of a kernel: asks the watch often enough, and not too often.

use std::cell::Cell;

use crate::error::{KernelError, Watch};

/// A time, mostly an estimated one.
pub(crate) type Nanoseconds = u64;

/// Work between two questions, in nanoseconds as callers estimate it: far less than the watch is
/// promised, because estimates of other machines are wrong, and because sets may be in a mapped
/// file, whose pages the watch lets go.
const PAUSE: Nanoseconds = 1 << 20;

/// Nanoseconds that a value takes which is read or compared.
const VALUE: u64 = 4;

/// The cost of a set read out of order, in addition to its values: its pages must be loaded.
pub(crate) const JUMP: usize = 1 << 10;

/// One stage of a kernel, from one share of the whole work to another.
pub struct Progress<'a> {
    watch: Watch<'a>,
    start: f64,
    span: f64,
    share: Cell<f64>,
    pending: Cell<u64>,
    /// Threads that do as much work at the same time.
    threads: Cell<u64>,
}

impl<'a> Progress<'a> {
    /// A stage that leads from `start` to `end` (shares of the whole work, 0 to 1). The first work
    /// asks the watch, so that even a short stage can be stopped.
    pub fn stage(watch: Watch<'a>, start: f64, end: f64) -> Self {
        let (share, pending) = (Cell::new(start), Cell::new(PAUSE));
        Self { watch, start, span: end - start, share, pending, threads: Cell::new(1) }
    }

    /// The whole work as one stage; asks the watch once, so that a caller who has given up already
    /// is heard whatever the size.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`] when the watch says so, as of all that ask it.
    pub fn begin(watch: Watch<'a>) -> Result<Self, KernelError> {
        let progress = Self::stage(watch, 0.0, 1.0);
        progress.spend_nanoseconds(0)?;
        Ok(progress)
    }

    /// Returns the watch that it asks.
    pub(crate) fn watch(&self) -> Watch<'a> {
        self.watch
    }

    /// The same stage, as far as it is by now, with another watch.
    pub(crate) fn with_watch<'b>(&self, watch: Watch<'b>) -> Progress<'b> {
        let Self { start, span, ref share, ref pending, ref threads, .. } = *self;
        let (share, pending, threads) = (share.clone(), pending.clone(), threads.clone());
        Progress { watch, start, span, share, pending, threads }
    }

    /// Goes on where the same stage has got to with another watch.
    pub(crate) fn continue_from(&self, other: &Progress) {
        self.share.set(other.share.get());
        self.pending.set(other.pending.get());
    }

    /// From now on: other threads do as much as this one, and the pages of a mapped file come as
    /// much faster.
    pub(crate) fn multiply_work_by_threads(&self, threads: usize) {
        self.threads.set(threads as u64);
    }

    /// Notes that `done` of `total` parts of the stage are done.
    pub fn note_done(&self, done: usize, total: usize) {
        self.raise_share_to(done as f64 / total.max(1) as f64);
    }

    /// The share of the stage that is done, 0 to 1; less than before changes nothing.
    pub fn raise_share_to(&self, share: f64) {
        self.share.set((self.start + self.span * share).clamp(self.share.get(), 1.0));
    }

    /// Notes `values` read or compared, and asks the watch when that is due.
    ///
    /// # Errors
    /// As [`Self::begin`].
    #[inline]
    pub fn spend_values(&self, values: usize) -> Result<(), KernelError> {
        self.spend_nanoseconds((values as u64).saturating_mul(VALUE))
    }

    /// Notes work of as many nanoseconds, and asks the watch when that is due.
    ///
    /// # Errors
    /// As [`Self::begin`].
    #[inline]
    pub fn spend_nanoseconds(&self, nanoseconds: u64) -> Result<(), KernelError> {
        let all = nanoseconds.saturating_mul(self.threads.get());
        let pending = self.pending.get().saturating_add(all);
        if pending < PAUSE {
            self.pending.set(pending);
            return Ok(());
        }
        self.ask_watch()
    }

    /// Asks the watch.
    ///
    /// # Errors
    /// As [`Self::begin`].
    pub fn ask_watch(&self) -> Result<(), KernelError> {
        self.pending.set(0);
        if (self.watch)(self.share.get()) { Ok(()) } else { Err(KernelError::Interrupted) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Mutex;

    use super::*;

    #[test]
    fn the_watch_is_asked_at_the_start_and_when_enough_work_is_done() {
        let shares = Mutex::new(Vec::new());
        let watch = |share| {
            shares.lock().unwrap().push(share);
            share < 0.5
        };
        let progress = Progress::begin(&watch).unwrap();
        progress.raise_share_to(0.25);
        assert_eq!(progress.spend_nanoseconds(PAUSE - 1), Ok(()));
        assert_eq!(*shares.lock().unwrap(), [0.0]);
        assert_eq!(progress.spend_nanoseconds(1), Ok(()));
        progress.raise_share_to(0.125);
        assert_eq!(progress.spend_nanoseconds(u64::MAX), Ok(()));
        assert_eq!(progress.spend_values(usize::MAX), Ok(()));
        progress.raise_share_to(7.0);
        assert_eq!(progress.spend_nanoseconds(PAUSE), Err(KernelError::Interrupted));
        assert_eq!(*shares.lock().unwrap(), [0.0, 0.25, 0.25, 0.25, 1.0]);
    }

    #[test]
    fn a_stage_reports_shares_of_the_whole_and_asks_at_its_first_work() {
        let shares = Mutex::new(Vec::new());
        let watch = |share| {
            shares.lock().unwrap().push(share);
            true
        };
        let progress = Progress::stage(&watch, 0.5, 1.0);
        progress.note_done(1, 2);
        assert_eq!((progress.spend_values(1), progress.spend_values(1)), (Ok(()), Ok(())));
        assert_eq!(*shares.lock().unwrap(), [0.75]);
    }

    #[test]
    fn a_watch_that_has_given_up_stops_the_start() {
        assert!(Progress::begin(&|_| false).is_err());
    }
}
