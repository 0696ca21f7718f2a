//! Work shared out among threads.
//!
//! Work is cut into pieces without regard to the number of threads; whoever is free takes the next
//! piece, and what the pieces make is put together in their order. So the answer does not depend on
//! the threads, as long as the work of a piece does not.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crate::error::KernelError;
use crate::progress::Progress;
use crate::{simd, stop};

/// Time between two questions to the watch, where its thread waits for the others.
const WAIT: Duration = Duration::from_millis(4);

/// Time that a thread works alone before it starts others: most of what is shared takes less (of
/// 149 shares of a join of 47,669 texts, 126), and a thread takes 0.08 ms to start on a quiet
/// machine, and milliseconds on a busy one, which its starter must then wait for. Tests have little
/// work, and begin with the first piece.
const ALONE: Duration = Duration::from_micros(if cfg!(test) { 0 } else { 150 });

/// Rows handed out at once: few enough that one long document does not keep a thread waiting.
const CHUNK: usize = 256;

/// Applies `work` to consecutive ranges of `0..rows` on `jobs` threads; results in row order.
pub fn map_ranges<T: Send>(
    rows: usize,
    jobs: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    let chunks = rows.div_ceil(CHUNK);
    if jobs <= 1 || chunks <= 1 {
        return vec![work(0..rows)];
    }
    map_pieces(chunks, jobs, |chunk| work(chunk * CHUNK..((chunk + 1) * CHUNK).min(rows)))
}

/// Applies `work` to the pieces 0 to `pieces` on `jobs` threads; results in their order.
pub fn map_pieces<T: Send>(pieces: usize, jobs: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if jobs <= 1 || pieces <= 1 {
        return (0..pieces).map(work).collect();
    }
    // Relaxed: the counter only gives each piece to one thread. What a piece makes is handed over
    // by a mutex.
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(pieces));
    let share = || loop {
        let piece = next.fetch_add(1, Ordering::Relaxed);
        if piece >= pieces {
            break;
        }
        let result = (piece, work(piece));
        lock(&done).push(result);
    };
    std::thread::scope(|scope| {
        let (working, ended) = channel::<()>();
        for _ in 1..jobs.min(pieces) {
            let (working, share) = (working.clone(), &share);
            let work = move || {
                share();
                drop(working);
            };
            // The system allows no more: those that run, and this thread, do all pieces.
            if spawn(scope, work).is_none() {
                break;
            }
        }
        drop(working);
        share();
        // Nobody sends: the channel is closed when the last thread has ended.
        while ended.recv_timeout(stop::PAUSE) == Err(RecvTimeoutError::Timeout) {
            stop::count_work_or_unwind(usize::MAX);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|&(piece, _)| piece);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The most threads of a team: every one has a state before there is any work, so a caller that
/// asks for 2^36 of them must not fill the memory with empty lists.
pub(crate) const MOST_THREADS: usize = 1 << 10;

/// Number of a piece of some work, from 0.
pub type PieceNumber = usize;

/// Threads that share work, each with a state of its own: lists that it fills again and again. The
/// first is the thread that calls, and the only one that asks the watch.
pub struct Team<S> {
    own: S,
    others: Vec<S>,
}

impl<S: Send> Team<S> {
    /// A team of `jobs` threads, and of at least one and at most [`MOST_THREADS`].
    pub fn new(jobs: usize, state: impl Fn() -> S) -> Self {
        Self { own: state(), others: (1..jobs.min(MOST_THREADS)).map(|_| state()).collect() }
    }

    /// A team of this thread alone.
    pub fn of_one(own: S) -> Self {
        Self { own, others: Vec::new() }
    }

    /// The number of threads.
    pub fn jobs(&self) -> usize {
        1 + self.others.len()
    }

    /// The states of all threads.
    pub fn states(&mut self) -> impl Iterator<Item = &mut S> {
        std::iter::once(&mut self.own).chain(&mut self.others)
    }

    /// The state of the thread that calls.
    pub fn own_state(&mut self) -> &mut S {
        &mut self.own
    }

    /// The same threads, for work that asks for states that it borrows.
    pub fn borrow(&mut self) -> Team<&mut S> {
        Team { own: &mut self.own, others: self.others.iter_mut().collect() }
    }

    /// The same threads with something more each, for some of the work.
    ///
    /// # Errors
    /// Those of `more`: no thread goes without.
    pub fn pair_each_state_with<T: Send>(
        &mut self,
        more: impl Fn() -> Result<T, KernelError>,
    ) -> Result<Team<(&mut S, T)>, KernelError> {
        let own = (&mut self.own, more()?);
        let others = self.others.iter_mut().map(|state| Ok((state, more()?)));
        Ok(Team { own, others: others.collect::<Result<_, _>>()? })
    }

    /// Does the pieces 0 to `pieces` of some work; what they make, in their order.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`] if the watch of `progress` says so, or else the error of the
    /// first piece that has one, first by its place and not by time.
    pub fn share_out<T: Send>(
        &mut self,
        pieces: usize,
        progress: &Progress,
        work: impl Fn(&mut S, PieceNumber, &Progress) -> Result<T, KernelError> + Sync,
    ) -> Result<Vec<T>, KernelError> {
        let helpers = self.others.len().min(pieces.saturating_sub(1));
        if helpers == 0 {
            return (0..pieces).map(|piece| work(&mut self.own, piece, progress)).collect();
        }
        let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let made = Mutex::new(Vec::with_capacity(pieces));
        let share = |state: &mut S, progress: &Progress, after_piece: &dyn Fn()| {
            loop {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                if piece >= pieces {
                    break;
                }
                let result = work(state, piece, progress);
                if result.is_err() {
                    // Those before it are done or in work: only they may have an earlier error.
                    next.fetch_max(pieces, Ordering::Relaxed);
                }
                lock(&made).push((piece, result));
                after_piece();
            }
        };
        let goes_on = |_: f64| !stopped.load(Ordering::Relaxed);
        progress.multiply_work_by_threads(1 + helpers);
        std::thread::scope(|scope| {
            let (working, ended) = channel::<()>();
            let idle = Mutex::new(Some((working, &mut self.others[..helpers])));
            let begun = Instant::now();
            let start_helpers = || {
                if begun.elapsed() < ALONE || next.load(Ordering::Relaxed) >= pieces {
                    return;
                }
                let Some((working, states)) = lock(&idle).take() else { return };
                for state in states {
                    let (working, share, goes_on) = (working.clone(), &share, &goes_on);
                    let help = move || {
                        share(state, &Progress::stage(goes_on, 0.0, 1.0), &|| ());
                        drop(working);
                    };
                    if spawn(scope, help).is_none() {
                        break;
                    }
                }
            };
            let caller_watch = progress.watch();
            let watch = |share: f64| {
                start_helpers();
                caller_watch(share)
            };
            let own_progress = progress.with_watch(&watch);
            share(&mut self.own, &own_progress, &start_helpers);
            progress.continue_from(&own_progress);
            // Helpers that were never started hold an end of the channel, and would keep it open
            // for good.
            drop(lock(&idle).take());
            let interrupted = || {
                let made = lock(&made);
                made.iter().any(|(_, result)| matches!(result, Err(KernelError::Interrupted)))
            };
            // The caller's own piece may have been the one that was interrupted: the helpers are
            // told.
            stopped.store(interrupted(), Ordering::Relaxed);
            // Nobody sends: the channel is closed when the last thread has ended.
            while ended.recv_timeout(WAIT) == Err(RecvTimeoutError::Timeout) {
                stop::count_work_or_unwind(usize::MAX);
                if goes_on(0.0) && progress.ask_watch().is_err() {
                    next.fetch_max(pieces, Ordering::Relaxed);
                    stopped.store(true, Ordering::Relaxed);
                }
            }
        });
        progress.multiply_work_by_threads(1);
        if stopped.into_inner() {
            return Err(KernelError::Interrupted);
        }
        let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        made.sort_unstable_by_key(|&(piece, _)| piece);
        made.into_iter().map(|(_, result)| result).collect()
    }

    /// Fills consecutive pieces of as many values; the last piece may be shorter.
    ///
    /// # Errors
    /// As [`Self::share_out`].
    pub fn fill_pieces_of_list<T: Send>(
        &mut self,
        list: &mut [T],
        piece_size: usize,
        progress: &Progress,
        work: impl Fn(&mut S, PieceNumber, &mut [T], &Progress) -> Result<(), KernelError> + Sync,
    ) -> Result<(), KernelError> {
        let pieces: Vec<_> = list.chunks_mut(piece_size.max(1)).map(Mutex::new).collect();
        let work = |state: &mut S, piece: usize, progress: &Progress| {
            work(state, piece, &mut lock(&pieces[piece]), progress)
        };
        self.share_out(pieces.len(), progress, work).map(drop)
    }
}

/// Locks a value. Work that panics ends all threads, so nobody sees the value that it left.
pub fn lock<T>(guarded: &Mutex<T>) -> MutexGuard<'_, T> {
    guarded.lock().unwrap_or_else(PoisonError::into_inner)
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
                let seen: Vec<usize> =
                    map_ranges(rows, jobs, |range| range.collect::<Vec<_>>()).concat();
                assert_eq!(seen, (0..rows).collect::<Vec<_>>(), "{rows} rows, {jobs} jobs");
            }
        }
    }

    /// A watch that never stops.
    fn patient() -> Progress<'static> {
        Progress::stage(&|_| true, 0.0, 1.0)
    }

    #[test]
    fn any_team_makes_the_pieces_in_order_and_fills_lists() {
        for pieces in [0, 1, 2, 100] {
            for jobs in [0, 1, 2, 3, 8] {
                let mut team = Team::new(jobs, || 0);
                let work = |done: &mut usize, piece, _: &Progress| {
                    *done += 1;
                    Ok(piece)
                };
                let made = team.share_out(pieces, &patient(), work);
                assert_eq!(made, Ok((0..pieces).collect()), "{pieces} pieces, {jobs} jobs");
                assert_eq!(team.states().map(|&mut done| done).sum::<usize>(), pieces);
                let mut list = vec![0; 3 * pieces + pieces.min(1)];
                let number = |_: &mut usize, piece, some: &mut [usize], _: &Progress| {
                    for (place, value) in some.iter_mut().enumerate() {
                        *value = 3 * piece + place;
                    }
                    Ok(())
                };
                assert_eq!(team.fill_pieces_of_list(&mut list, 3, &patient(), number), Ok(()));
                assert!(list.into_iter().eq(0..3 * pieces + pieces.min(1)), "{jobs} jobs");
            }
        }
    }

    #[test]
    fn the_first_error_by_place_is_the_one_that_is_told() {
        for jobs in [1, 2, 3, 8] {
            for _ in 0..50 {
                let error = |id: usize| KernelError::UnknownId(id as i64);
                let work = |(): &mut (), piece: usize, _: &Progress| {
                    if piece >= 3 { Err(error(piece)) } else { Ok(()) }
                };
                let ended = Team::new(jobs, || ()).share_out(40, &patient(), work);
                assert_eq!(ended, Err(error(3)), "{jobs} jobs");
            }
        }
    }

    #[test]
    fn one_thread_asks_the_watch_and_all_stop() {
        let main = std::thread::current().id();
        for jobs in [1, 2, 3, 8] {
            let asked = AtomicUsize::new(0);
            let watch = |_: f64| {
                assert_eq!(std::thread::current().id(), main);
                asked.fetch_add(1, Ordering::Relaxed) < 3
            };
            let endless = |(): &mut (), _, progress: &Progress| -> Result<(), KernelError> {
                loop {
                    progress.spend_values(1 << 10)?;
                }
            };
            let progress = Progress::stage(&watch, 0.0, 1.0);
            let ended = Team::new(jobs, || ()).share_out(40, &progress, endless);
            assert_eq!(ended, Err(KernelError::Interrupted), "{jobs} jobs");
            assert_eq!(asked.into_inner(), 4);
        }
    }

    #[test]
    fn who_waits_for_others_asks_too() {
        let (main, asked) = (std::thread::current().id(), AtomicUsize::new(0));
        let begun = AtomicBool::new(false);
        let watch =
            |_: f64| !begun.load(Ordering::Relaxed) || asked.fetch_add(1, Ordering::Relaxed) < 2;
        let work = |(): &mut (), _, progress: &Progress| {
            while std::thread::current().id() != main {
                begun.store(true, Ordering::Relaxed);
                progress.spend_values(1 << 10)?;
            }
            while !begun.load(Ordering::Relaxed) {
                progress.spend_values(1 << 10)?; // No thread starts before this one has worked for a while.
            }
            Ok(())
        };
        let ended = Team::new(2, || ()).share_out(2, &Progress::stage(&watch, 0.0, 1.0), work);
        assert_eq!(ended, Err(KernelError::Interrupted));
    }

    #[test]
    fn every_thread_works_at_the_level_that_is_forced() {
        for &level in Level::all() {
            let levels = at_level(level, || map_ranges(5000, 3, |_| Level::detect()));
            assert!(levels.len() > 3 && levels.iter().all(|&seen| seen == level), "{level:?}");
        }
    }
}
