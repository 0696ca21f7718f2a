//! The kernels of ilk: pure Rust on slices and `&str`. No Python, no Arrow, no files.
//!
//! A text goes through [`text`] (normalised), [`tokens`] (cut into words or characters),
//! [`shingles`] (hashed by [`hash`]) and [`simhash`] (one small number). Numbers are paired by
//! [`hamming`], shingle sets by [`overlap`]; [`components`] groups pairs and [`passages`] shows
//! what two texts share. [`simd`] holds the vector paths; each equals a portable one.

pub mod error;
pub mod hamming;
pub mod overlap;
pub mod passages;
pub mod simd;
