//! The loops over texts that must run at memory speed.
//!
//! Each is a safe function with a portable path and vector paths that give the same answer, as in
//! [`ilk_joins::simd`]; these need to know what a character is. Only this room of the crate holds
//! `unsafe` code.

pub mod ascii;
pub mod bits;
#[cfg(target_arch = "x86_64")]
mod halves;
pub mod numbers;
pub mod plain;
