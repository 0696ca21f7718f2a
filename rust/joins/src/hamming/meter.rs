//! Counts work, so that the caller's watch is called often enough and not too often.

use std::cell::Cell;

use crate::error::{KernelError, Watch};

/// Work between two calls of the watch, in nanoseconds as the callers estimate them: a tenth of
/// what the watch is promised, because estimates of other machines are wrong.
const INTERVAL: u64 = 20_000_000;

pub(super) struct Meter<'a> {
    watch: Watch<'a>,
    share: Cell<f64>,
    pending: Cell<u64>,
}

impl<'a> Meter<'a> {
    /// Asks the watch once, so that a caller who has given up already is heard whatever the size.
    pub(super) fn start(watch: Watch<'a>) -> Result<Self, KernelError> {
        let meter = Self { watch, share: Cell::new(0.0), pending: Cell::new(0) };
        meter.spend(INTERVAL)?;
        Ok(meter)
    }

    /// Notes the share of the whole work that is done, 0 to 1.
    pub(super) fn reach(&self, share: f64) {
        self.share.set(share.clamp(self.share.get(), 1.0));
    }

    /// Adds work done, in nanoseconds; asks the watch when enough has come together.
    pub(super) fn spend(&self, work: u64) -> Result<(), KernelError> {
        let pending = self.pending.get().saturating_add(work);
        if pending < INTERVAL {
            self.pending.set(pending);
            return Ok(());
        }
        self.pending.set(0);
        self.ask()
    }

    /// Asks the watch.
    pub(super) fn ask(&self) -> Result<(), KernelError> {
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
        let meter = Meter::start(&watch).unwrap();
        meter.reach(0.25);
        assert_eq!(meter.spend(INTERVAL - 1), Ok(()));
        assert_eq!(*shares.lock().unwrap(), [0.0]);
        assert_eq!(meter.spend(1), Ok(()));
        meter.reach(0.125);
        assert_eq!(meter.spend(u64::MAX), Ok(()));
        meter.reach(7.0);
        assert_eq!(meter.spend(INTERVAL), Err(KernelError::Interrupted));
        assert_eq!(*shares.lock().unwrap(), [0.0, 0.25, 0.25, 1.0]);
    }

    #[test]
    fn a_watch_that_has_given_up_stops_the_start() {
        assert!(Meter::start(&|_| false).is_err());
    }
}
