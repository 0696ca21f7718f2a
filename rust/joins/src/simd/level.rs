//! Vector instructions of this machine, and the one choice between the paths for them.

use std::sync::LazyLock;

/// A set of instructions that a loop may be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Instructions of every machine.
    Portable,
    /// AVX2 with BMI and POPCNT (Intel Haswell, AMD Zen).
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 F, BW, DQ and VL as well (Intel Skylake-X and Cascade Lake).
    #[cfg(target_arch = "x86_64")]
    Avx512F,
    /// AVX-512 VBMI2 and VPOPCNTDQ as well (Intel Ice Lake, AMD Zen 4).
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

static DETECTED: LazyLock<Vec<Level>> =
    LazyLock::new(|| [Level::Portable].into_iter().chain(vector_levels_best_last()).collect());

#[cfg(target_arch = "x86_64")]
fn vector_levels_best_last() -> Vec<Level> {
    let mut levels = Vec::new();
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
    {
        levels.push(Level::Avx2);
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
        {
            levels.push(Level::Avx512F);
            if is_x86_feature_detected!("avx512vbmi2")
                && is_x86_feature_detected!("avx512vpopcntdq")
            {
                levels.push(Level::Avx512);
            }
        }
    }
    levels
}

/// None: the compiler writes the portable paths in what every machine of the kind has, such as NEON
/// on 64-bit ARM.
#[cfg(not(target_arch = "x86_64"))]
fn vector_levels_best_last() -> Vec<Level> {
    Vec::new()
}

static BEST: LazyLock<Level> =
    LazyLock::new(|| DETECTED.last().copied().unwrap_or(Level::Portable));

impl Level {
    /// The best level of this machine; inside `at`, the one that was asked for.
    #[inline]
    pub fn detect() -> Self {
        #[cfg(any(test, feature = "levels"))]
        if let Some(level) = forced::level() {
            return level;
        }
        *BEST
    }

    /// The levels of this machine, the portable one first.
    #[cfg(any(test, feature = "levels"))]
    pub fn all() -> &'static [Self] {
        &DETECTED
    }
}

/// The vector instructions that are used: `avx512`, `avx512f`, `avx2` or `portable`.
pub fn instructions() -> &'static str {
    match Level::detect() {
        Level::Portable => "portable",
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => "avx2",
        #[cfg(target_arch = "x86_64")]
        Level::Avx512F => "avx512f",
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => "avx512",
    }
}

/// Calls the function that is written for a level, which is one of [`Level::detect`].
///
/// `_` takes the levels for which nothing is written.
#[doc(hidden)]
#[macro_export]
macro_rules! dispatch {
    (
        $level:expr,
        $($($name:ident)|+ => $module:ident::$function:ident($($argument:ident),*),)+
        _ => $portable:expr $(,)?
    ) => {
        match $level {
            $(
                // SAFETY: a detected level is one of this machine, and has all the instructions
                // that a function written for it is compiled for.
                #[cfg(target_arch = "x86_64")]
                $($crate::simd::Level::$name)|+ => unsafe {
                    $module::$function($($argument),*)
                },
            )+
            #[allow(unreachable_patterns)]
            _ => {
                // Vector paths may need more than the portable one.
                $($(#[cfg(not(target_arch = "x86_64"))] let _ = &$argument;)*)+
                $portable
            }
        }
    };
}

/// Writes functions of `portable` again, compiled for [`Level::Avx2`].
#[doc(hidden)]
#[macro_export]
#[cfg(target_arch = "x86_64")]
macro_rules! recompiled {
    ($(
        fn $name:ident $([$($generics:tt)+])? ($($argument:ident: $of:ty),* $(,)?) $(-> $gives:ty)?;
    )+) => {$(
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        pub fn $name $(<$($generics)+>)? ($($argument: $of),*) $(-> $gives)? {
            super::portable::$name($($argument),*)
        }
    )+};
}

/// Work for a thread that this one starts: the level forced here is forced there.
#[inline]
pub fn carry_level<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    #[cfg(any(test, feature = "levels"))]
    let work = forced::carry_forced_level(work);
    work
}

#[cfg(any(test, feature = "levels"))]
pub use forced::{at, each};

#[cfg(any(test, feature = "levels"))]
mod forced {
    use std::cell::Cell;

    use super::Level;

    thread_local! {
        static LEVEL: Cell<Option<Level>> = const { Cell::new(None) };
    }

    /// Level forced before; it is again when this ends, be it by a panic.
    struct Before(Option<Level>);

    impl Drop for Before {
        fn drop(&mut self) {
            LEVEL.set(self.0);
        }
    }

    /// The level that is forced on this thread.
    pub fn level() -> Option<Level> {
        LEVEL.get()
    }

    /// The answer of `work` at a level of this machine, in all threads that share it.
    ///
    /// # Panics
    /// If this machine does not have the level.
    pub fn at<T>(level: Level, work: impl FnOnce() -> T) -> T {
        assert!(Level::all().contains(&level), "{level:?} is no level of this machine");
        force(Some(level), work)
    }

    /// The answers of `work` at every level of this machine, the portable one first.
    pub fn each<T>(mut work: impl FnMut() -> T) -> Vec<T> {
        Level::all().iter().map(|&level| at(level, &mut work)).collect()
    }

    pub fn carry_forced_level<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
        let level = level();
        move || force(level, work)
    }

    fn force<T>(level: Option<Level>, work: impl FnOnce() -> T) -> T {
        let _before = Before(LEVEL.replace(level));
        work()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]

    use super::*;

    #[test]
    fn a_forced_level_ends_with_its_scope() {
        let outside = Level::detect();
        for &level in Level::all() {
            at(level, || {
                assert_eq!(each(Level::detect), Level::all());
                assert_eq!(Level::detect(), level);
            });
            assert_eq!(Level::detect(), outside);
        }
    }

    #[test]
    fn a_forced_level_ends_with_a_panic() {
        let outside = Level::detect();
        for &level in Level::all() {
            let ended = std::panic::catch_unwind(|| at(level, || panic!("on purpose")));
            assert!(ended.is_err());
            assert_eq!(Level::detect(), outside);
        }
    }

    #[test]
    fn what_is_carried_to_a_thread_is_at_the_level_of_this_one() {
        for &level in Level::all() {
            let there = at(level, || std::thread::spawn(carry_level(Level::detect)).join());
            assert!(there.is_ok_and(|there| there == level));
        }
    }
}
