//! Ctrl-C in work that returns no error: work on texts looks up now and then, and is unwound.
//!
//! A kernel with a [`Watch`](crate::error::Watch) hands [`KernelError::Interrupted`] up itself. In
//! work on texts any piece of any text may be the last, so that every function down to the hashes
//! would return an error. Instead [`count_work_or_unwind`] unwinds, without a panic's message, up
//! to [`run_stoppable`].

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::KernelError;

/// Bytes of work between two looks at the clock: less than a millisecond.
const BYTES: usize = 1 << 17;

/// Time between two questions.
pub(crate) const PAUSE: Duration = Duration::from_millis(50);

/// Marks an unwinding that is no panic.
struct Stopped;

/// The way in which a thread learns that it is to stop.
struct Ear {
    /// Answers whether to go on; only the thread that was called by a user may ask.
    ask: Option<fn() -> bool>,
    /// Shared by all threads of a call.
    stop: Arc<AtomicBool>,
    pending: usize,
    next: Instant,
}

impl Ear {
    fn new(ask: Option<fn() -> bool>, stop: Arc<AtomicBool>) -> Self {
        Self { ask, stop, pending: 0, next: Instant::now() + PAUSE }
    }

    /// Return whether to stop.
    fn listen(&mut self) -> bool {
        self.pending = 0;
        if let Some(ask) = self.ask
            && Instant::now() >= self.next
        {
            self.stop.fetch_or(!ask(), Ordering::Relaxed);
            self.next = Instant::now() + PAUSE;
        }
        self.stop.load(Ordering::Relaxed)
    }
}

thread_local! {
    static EAR: RefCell<Option<Ear>> = const { RefCell::new(None) };
}

/// Does work that may [`count_work_or_unwind`], in any thread that it starts; `ask` answers whether
/// to go on, and is called by this thread alone.
///
/// # Errors
/// [`KernelError::Interrupted`] if it answers no, or those of the work.
pub fn run_stoppable<T>(
    ask: fn() -> bool,
    work: impl FnOnce() -> Result<T, KernelError>,
) -> Result<T, KernelError> {
    match run_with_ear(Some(Ear::new(Some(ask), Arc::default())), work) {
        Ok(made) => made,
        Err(stopped) if stopped.is::<Stopped>() => Err(KernelError::Interrupted),
        Err(panic) => resume_unwind(panic),
    }
}

fn run_with_ear<T>(ear: Option<Ear>, work: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
    let before = EAR.replace(ear);
    // Whoever called must get their own ear back, also where the work is unwound.
    let made = catch_unwind(AssertUnwindSafe(work));
    EAR.set(before);
    made
}

/// Counts some bytes of work; where this thread is to stop, its work is unwound.
#[inline]
pub fn count_work_or_unwind(bytes: usize) {
    let due = EAR.with_borrow_mut(|ear| {
        ear.as_mut().is_some_and(|ear| {
            ear.pending = ear.pending.saturating_add(bytes);
            ear.pending >= BYTES
        })
    });
    if due {
        unwind_if_stopped();
    }
}

#[cold]
fn unwind_if_stopped() {
    // The one who is asked may run kernels of their own.
    let mut ear = EAR.take();
    let stop = ear.as_mut().is_some_and(Ear::listen);
    EAR.set(ear);
    if stop {
        // Not a panic: `resume_unwind` calls no panic hook, so that nothing is printed.
        resume_unwind(Box::new(Stopped));
    }
}

/// Work for a thread that this one starts: it stops when this one does.
pub(crate) fn carry_stop<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let stop = EAR.with_borrow(|ear| ear.as_ref().map(|ear| Arc::clone(&ear.stop)));
    move || {
        let ear = stop.map(|stop| Ear::new(None, stop));
        run_with_ear(ear, work).unwrap_or_else(|stopped| resume_unwind(stopped))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;
    use crate::parallel;

    #[test]
    fn work_goes_on_until_the_answer_is_no() {
        let whole = || {
            count_work_or_unwind(usize::MAX);
            Ok(())
        };
        assert_eq!(run_stoppable(|| true, whole), Ok(()));
        let ended = run_stoppable(
            || false,
            || -> Result<(), _> {
                loop {
                    count_work_or_unwind(BYTES);
                }
            },
        );
        assert_eq!(ended, Err(KernelError::Interrupted));
        count_work_or_unwind(BYTES); // Nobody listens any more.
    }

    #[test]
    fn all_threads_stop_and_errors_are_handed_on() {
        for jobs in [1, 3] {
            let endless = |_| -> () {
                loop {
                    count_work_or_unwind(BYTES);
                }
            };
            let ended = run_stoppable(|| false, || Ok(parallel::map_ranges(5000, jobs, endless)));
            assert_eq!(ended, Err(KernelError::Interrupted), "{jobs} jobs");
        }
        let error = || Err::<(), _>(KernelError::Damaged);
        assert_eq!(run_stoppable(|| true, error), Err(KernelError::Damaged));
    }

    #[test]
    fn a_thread_that_waits_for_others_listens() {
        let (main, begun) = (std::thread::current().id(), AtomicBool::new(false));
        let work = |_| {
            while std::thread::current().id() != main {
                begun.store(true, Ordering::Relaxed);
                count_work_or_unwind(BYTES);
            }
            while !begun.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
        };
        let ended = run_stoppable(|| false, || Ok(parallel::map_ranges(5000, 2, work)));
        assert_eq!(ended.map(drop), Err(KernelError::Interrupted));
    }

    #[test]
    fn a_panic_stays_a_panic() {
        let panicked =
            catch_unwind(|| run_stoppable(|| true, || -> Result<(), _> { panic!("on purpose") }));
        assert!(panicked.is_err());
    }
}
