//! The loops that must run at memory speed.
//!
//! Each is a safe function with a portable path and, where measured to pay, a vector path that
//! gives the same answer; [`Level`] chooses between them when the program runs. Only this room
//! holds `unsafe` code.

pub mod accumulate;
pub mod bitmaps;
pub mod hamming;
pub mod hash;
pub mod intersect;
mod level;
pub mod minima;
pub mod pages;
pub mod prefetch;
pub mod sort;
#[cfg(target_arch = "x86_64")]
pub mod vector;
pub mod xxh3;

pub use level::{Level, carry_level, instructions};
#[cfg(any(test, feature = "levels"))]
pub use level::{at as at_level, each as each_level};
