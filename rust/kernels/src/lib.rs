#![doc = include_str!("../README.md")]
//! # How they belong together
//!
//! A text is normalised ([`text`], by the tables of [`characters`]; [`masks`] make it blind to
//! more), cut into words or characters ([`tokens`]), of which [`stops`] go, into [`shingles`]
//! hashed by [`hash`] (or [`siphash`]), and becomes one small number (by a [`recipe`], with
//! [`simhash`], whose [`weights`] may come from a table, or [`minhash`]), a set ([`sets`]) or a few
//! of a set ([`sketches`]); [`digest`] tells equal texts, [`blocks`] the paragraphs and lines that
//! many share. Numbers of either width ([`fingerprint`]) are paired by [`hamming`], sets by
//! [`overlap`]; [`passages`] shows what two texts or many share. Of copies with wrong characters,
//! [`noise`] keeps what nominates them, and an [`alignment`] decides. [`urls`] are written in their
//! canonical form. [`simd`] holds the vector paths, each equal to a portable one; [`parallel`] shares rows
//! among threads, [`room`] asks for memory.

pub mod alignment;
pub mod blocks;
pub mod characters;
pub mod clusters;
pub mod components;
pub mod digest;
pub mod error;
pub mod evidence;
pub mod fingerprint;
pub mod hamming;
pub mod hash;
pub mod judge;
pub mod masks;
pub mod minhash;
pub mod noise;
pub mod overlap;
pub mod parallel;
pub mod passages;
pub mod recipe;
pub mod room;
pub mod rows;
pub mod sets;
pub mod shingles;
pub mod simd;
pub mod simhash;
pub mod siphash;
pub mod sketches;
pub mod stops;
pub mod text;
pub mod tokens;
pub mod urls;
pub mod utf8;
pub mod weights;
