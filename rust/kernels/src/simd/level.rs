//! Which vector instructions this machine has.

use std::sync::LazyLock;

/// A set of instructions that a loop may be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// What every machine has.
    Portable,
    /// AVX2 with BMI and POPCNT (Intel Haswell, AMD Zen).
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 F, BW, DQ, VL, VBMI and VBMI2 besides (Intel Ice Lake, AMD Zen 4).
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

static DETECTED: LazyLock<Vec<Level>> = LazyLock::new(|| {
    let mut levels = vec![Level::Portable];
    #[cfg(target_arch = "x86_64")]
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
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2")
        {
            levels.push(Level::Avx512);
        }
    }
    levels
});

impl Level {
    /// The best level of this machine; inside [`at`], the one that was asked for.
    #[inline]
    pub fn detect() -> Self {
        #[cfg(any(test, feature = "levels"))]
        if let Some(level) = forced::LEVEL.get() {
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

static BEST: LazyLock<Level> =
    LazyLock::new(|| DETECTED.last().copied().unwrap_or(Level::Portable));

#[cfg(any(test, feature = "levels"))]
pub use forced::{at, each};

#[cfg(any(test, feature = "levels"))]
mod forced {
    use super::Level;

    thread_local! {
        pub static LEVEL: std::cell::Cell<Option<Level>> = const { std::cell::Cell::new(None) };
    }

    /// The answer of `work` at a level of this machine.
    pub fn at<T>(level: Level, work: impl FnOnce() -> T) -> T {
        LEVEL.set(Some(level));
        let answer = work();
        LEVEL.set(None);
        answer
    }

    /// The answers of `work` at every level of this machine, the portable one first.
    pub fn each<T>(mut work: impl FnMut() -> T) -> Vec<T> {
        Level::all().iter().map(|&level| at(level, &mut work)).collect()
    }
}
