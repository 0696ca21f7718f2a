//! Which vector instructions this machine has.

use std::sync::LazyLock;

/// A set of instructions that a loop may be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// What every machine has.
    Portable,
    /// AVX-512 F, BW, DQ, VL, VBMI and VBMI2, with BMI and POPCNT (Intel Ice Lake, AMD Zen 4).
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

static DETECTED: LazyLock<Level> = LazyLock::new(|| {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
    {
        return Level::Avx512;
    }
    Level::Portable
});

impl Level {
    /// The best level of this machine; in tests, inside [`each`], the one whose turn it is.
    #[inline]
    pub fn detect() -> Self {
        #[cfg(test)]
        if let Some(level) = forced::LEVEL.get() {
            return level;
        }
        *DETECTED
    }
}

#[cfg(test)]
pub use forced::each;

#[cfg(test)]
mod forced {
    use super::{DETECTED, Level};

    thread_local! {
        pub static LEVEL: std::cell::Cell<Option<Level>> = const { std::cell::Cell::new(None) };
    }

    /// The answers of `work` at every level of this machine, the portable one first.
    pub fn each<T>(mut work: impl FnMut() -> T) -> Vec<T> {
        let mut levels = vec![Level::Portable];
        if *DETECTED != Level::Portable {
            levels.push(*DETECTED);
        }
        let answers = levels
            .into_iter()
            .map(|level| {
                LEVEL.set(Some(level));
                work()
            })
            .collect();
        LEVEL.set(None);
        answers
    }
}
