//! The kernels of ilk: pure Rust on slices and `&str`. No Python, no Arrow, no files.
//!
//! A text is normalised ([`text`], by the tables of [`characters`]), cut into words or characters
//! ([`tokens`]), into [`shingles`] hashed by [`hash`], and becomes one small number (by a
//! [`recipe`], with [`simhash`] or [`minhash`]) or a set ([`sets`]); [`digest`] tells equal texts,
//! [`blocks`] the paragraphs and lines that many share. Numbers of either width ([`fingerprint`])
//! are paired by [`hamming`], sets by [`overlap`]; [`passages`] shows what two texts share.
//! [`simd`] holds the vector paths, each equal to a portable one; [`parallel`] shares rows among
//! threads.

pub mod blocks;
pub mod characters;
pub mod clusters;
pub mod components;
pub mod digest;
pub mod error;
pub mod fingerprint;
pub mod hamming;
pub mod hash;
pub mod minhash;
pub mod overlap;
pub mod parallel;
pub mod passages;
pub mod recipe;
pub mod rows;
pub mod sets;
pub mod shingles;
pub mod simd;
pub mod simhash;
pub mod text;
pub mod tokens;
pub mod utf8;
