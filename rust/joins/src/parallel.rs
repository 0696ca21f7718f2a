//! Rows shared out among threads.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use crate::{simd, stop};

/// Rows handed out at once: few enough that one long document does not keep a thread waiting.
const CHUNK: usize = 256;

/// Applies `work` to consecutive ranges of `0..rows` on `jobs` threads; results in row order.
pub fn map<T: Send>(rows: usize, jobs: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let chunks = rows.div_ceil(CHUNK);
    let range = |chunk: usize| chunk * CHUNK..((chunk + 1) * CHUNK).min(rows);
    if jobs <= 1 || chunks <= 1 {
        return vec![work(0..rows)];
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(chunks));
    let share = || loop {
        let chunk = next.fetch_add(1, Ordering::Relaxed);
        if chunk >= chunks {
            break;
        }
        let result = (chunk, work(range(chunk)));
        done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(result);
    };
    std::thread::scope(|scope| {
        let (working, ended) = channel::<()>();
        for _ in 1..jobs.min(chunks) {
            let (working, share) = (working.clone(), &share);
            let work = move || {
                share();
                drop(working);
            };
            if spawn(scope, work).is_none() {
                break;
            }
        }
        drop(working);
        share();
        // Nobody sends: the channel is closed when the last thread has ended.
        while ended.recv_timeout(stop::PAUSE) == Err(RecvTimeoutError::Timeout) {
            stop::look(usize::MAX);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_unstable_by_key(|&(chunk, _)| chunk);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Starts a thread; `None` if the system allows no more of them, and then the caller does the work.
///
/// Every thread of the kernels starts here, so that a level of vector instructions that is forced
/// on one is forced on all that share its work, and all of them stop together.
pub fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    Builder::new().spawn_scoped(scope, stop::carry_stop(simd::carry_level(work))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Level, at_level};

    #[test]
    fn any_number_of_threads_gives_the_rows_in_order() {
        for rows in [0, 1, 255, 256, 257, 5000] {
            for jobs in [0, 1, 2, 7] {
                let seen: Vec<usize> = map(rows, jobs, |range| range.collect::<Vec<_>>()).concat();
                assert_eq!(seen, (0..rows).collect::<Vec<_>>(), "{rows} rows, {jobs} jobs");
            }
        }
    }

    #[test]
    fn every_thread_works_at_the_level_that_is_forced() {
        for &level in Level::all() {
            let levels = at_level(level, || map(5000, 3, |_| Level::detect()));
            assert!(levels.len() > 3 && levels.iter().all(|&seen| seen == level), "{level:?}");
        }
    }
}
