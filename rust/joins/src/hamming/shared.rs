//! A search shared out among threads: every table of it is one thread's.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::error::KernelError;
use crate::parallel::spawn;
use crate::progress::Progress;

/// Time between two questions to the watch while threads work.
const PAUSE: Duration = Duration::from_millis(50);

/// One of several threads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Worker {
    pub(super) thread: usize,
    pub(super) threads: usize,
}

impl Worker {
    /// The only thread.
    pub(super) const ALONE: Self = Self { thread: 0, threads: 1 };

    /// Return whether a part of the work is this thread's.
    pub(super) fn does(self, part: usize) -> bool {
        part % self.threads == self.thread
    }

    /// The numbers below `count` that are this thread's; every thread has about as many.
    pub(super) fn own_range_of(self, count: usize) -> Range<usize> {
        let begin = |thread: usize| (count as u64 * thread as u64 / self.threads as u64) as usize;
        begin(self.thread)..begin(self.thread + 1)
    }

    /// Adjacent parts that are this thread's, of parts with some numbers each: those of the first
    /// thread come first, and every thread has about as many numbers.
    pub(super) fn own_parts(self, part_sizes: &[u32]) -> Range<usize> {
        let total: u64 = part_sizes.iter().map(|&count| u64::from(count)).sum();
        let begin = |thread: usize| {
            let (mut before, from) = (0, total * thread as u64 / self.threads as u64);
            let begins = part_sizes.iter().position(|&count| {
                before += u64::from(count);
                // The first part that reaches beyond the share of the threads before: a part is one
                // thread's.
                before > from
            });
            begins.unwrap_or(part_sizes.len())
        };
        match self.thread {
            0 if self.threads == 1 => 0..part_sizes.len(),
            0 => 0..begin(1),
            last if last + 1 == self.threads => begin(last)..part_sizes.len(),
            thread => begin(thread)..begin(thread + 1),
        }
    }
}

/// Results of all threads, in the order of their shares. Where the system allows fewer
/// threads, this one does the work of the others.
///
/// # Errors
/// [`KernelError::Interrupted`] if the watch of `progress` refused, or else the first of the
/// threads' errors that is not a consequence of another. Only this thread asks the watch, and not
/// again once it refused; it signals the others to stop.
pub(super) fn run_on_threads<R: Send>(
    threads: usize,
    progress: &Progress,
    work: impl Fn(Worker, &Progress) -> Result<R, KernelError> + Sync,
) -> Result<Vec<R>, KernelError> {
    if threads <= 1 {
        return Ok(vec![work(Worker::ALONE, progress)?]);
    }
    let (stop, reached) = (AtomicBool::new(false), AtomicU64::new(0));
    // Shares are not negative, so that their bits are in their order.
    let watch = |share: f64| {
        reached.fetch_max(share.to_bits(), Ordering::Relaxed);
        !stop.load(Ordering::Relaxed)
    };
    std::thread::scope(|scope| {
        let (done, ended) = channel::<()>();
        let begun: Vec<_> = (0..threads)
            .map(|thread| {
                let (done, work, watch) = (done.clone(), &work, &watch);
                spawn(scope, move || {
                    let made = Progress::begin(watch)
                        .and_then(|progress| work(Worker { thread, threads }, &progress));
                    drop(done);
                    made
                })
            })
            .collect();
        drop(done);
        let mut mine: Vec<_> = begun
            .iter()
            .enumerate()
            .map(|(thread, begun)| match begun {
                Some(_) => None,
                // The system gave no thread for this share. Work that would be thrown away is not
                // begun.
                None if stop.load(Ordering::Relaxed) => Some(Err(KernelError::Interrupted)),
                None => {
                    let made = work(Worker { thread, threads }, progress);
                    stop.fetch_or(made.is_err(), Ordering::Relaxed);
                    Some(made)
                }
            })
            .collect();
        // The first share that failed here is the one that stopped the others.
        let failed = mine.iter().flatten().find_map(|made| made.as_ref().err());
        let mut refused = failed == Some(&KernelError::Interrupted);
        // Nobody sends: the channel is closed when the last thread has ended.
        while ended.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
            progress.raise_share_to(f64::from_bits(reached.load(Ordering::Relaxed)));
            if !refused && progress.ask_watch().is_err() {
                refused = true;
                stop.store(true, Ordering::Relaxed);
            }
        }
        let outcomes: Vec<_> = begun
            .into_iter()
            .zip(&mut mine)
            .filter_map(|(begun, mine)| match begun {
                None => mine.take(),
                Some(thread) => {
                    Some(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                }
            })
            .collect();
        // All threads may have ended before they heard of it.
        if refused { Err(KernelError::Interrupted) } else { collect_or_first_cause(outcomes) }
    })
}

/// The results of all shares, or the first error that is not a consequence of another.
fn collect_or_first_cause<R>(outcomes: Vec<Result<R, KernelError>>) -> Result<Vec<R>, KernelError> {
    let mut errors = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
    match errors.find(|&error| *error != KernelError::Interrupted).cloned() {
        Some(error) => Err(error),
        None => outcomes.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::simd::{Level, at_level};

    #[test]
    fn every_part_is_one_threads() {
        for numbers in [&[][..], &[0, 0], &[5], &[1, 2, 3, 4, 100, 0, 1], &[0, 9, 9, 9, 9, 9, 0]] {
            for threads in 1..9 {
                let workers = (0..threads).map(|thread| Worker { thread, threads });
                let (mut end, mut end_of_rows) = (0, 0);
                for worker in workers.clone() {
                    let (range, rows) =
                        (worker.own_parts(numbers), worker.own_range_of(numbers.len()));
                    assert_eq!(range.start, end, "{numbers:?}, {worker:?}");
                    assert_eq!(rows.start, end_of_rows, "{numbers:?}, {worker:?}");
                    (end, end_of_rows) = (range.end, rows.end);
                }
                assert_eq!([end, end_of_rows], [numbers.len(); 2]);
                for part in 0..20 {
                    assert_eq!(workers.clone().filter(|worker| worker.does(part)).count(), 1);
                }
            }
        }
    }

    #[test]
    fn results_come_in_the_order_of_turns_and_an_error_is_handed_on() {
        let calm = Progress::begin(&|_| true).unwrap();
        let made = run_on_threads(5, &calm, |worker, _| Ok(worker.thread * 10 + worker.threads));
        assert_eq!(made, Ok(vec![5, 15, 25, 35, 45]));
        let too_many = KernelError::UnknownId(3);
        let made = run_on_threads(3, &calm, |worker, _| match worker.thread {
            1 => Err(too_many.clone()),
            thread => Ok(thread),
        });
        assert_eq!(made, Err(too_many));
    }

    #[test]
    fn every_thread_works_at_the_level_that_is_forced() {
        let calm = Progress::begin(&|_| true).unwrap();
        for &level in Level::all() {
            let levels = at_level(level, || run_on_threads(3, &calm, |_, _| Ok(Level::detect())));
            assert_eq!(levels, Ok(vec![level; 3]));
        }
    }

    #[test]
    fn threads_stop_when_the_watch_does() {
        let asked = AtomicU64::new(0);
        let watch = |_: f64| asked.fetch_add(1, Ordering::Relaxed) < 2;
        let progress = Progress::begin(&watch).unwrap();
        let made: Result<Vec<()>, _> = run_on_threads(2, &progress, |_, progress| {
            loop {
                progress.raise_share_to(0.5);
                progress.ask_watch()?;
                std::thread::yield_now();
            }
        });
        assert_eq!(made, Err(KernelError::Interrupted));
    }

    #[test]
    fn a_watch_that_refused_is_heard_though_all_have_done_their_work_and_is_not_asked_again() {
        let asked = AtomicU64::new(0);
        let watch = |_: f64| asked.fetch_add(1, Ordering::Relaxed) < 1;
        let progress = Progress::begin(&watch).unwrap();
        let made = run_on_threads(2, &progress, |_, _| {
            while asked.load(Ordering::Relaxed) < 2 {
                std::thread::yield_now();
            }
            std::thread::sleep(3 * PAUSE);
            Ok(())
        });
        assert_eq!(made, Err(KernelError::Interrupted));
        assert_eq!(asked.into_inner(), 2);
    }

    #[test]
    fn threads_that_were_stopped_do_not_hide_why() {
        let stopped = || Err(KernelError::Interrupted);
        let lacking = KernelError::NoReserve { bytes: 7 };
        let outcomes = vec![stopped(), Ok(1), Err(lacking.clone()), Err(KernelError::Damaged)];
        assert_eq!(collect_or_first_cause(outcomes), Err(lacking));
        assert_eq!(collect_or_first_cause(vec![Ok(1), stopped()]), Err(KernelError::Interrupted));
        assert_eq!(collect_or_first_cause(vec![Ok(1), Ok(2)]), Ok(vec![1, 2]));
    }
}
