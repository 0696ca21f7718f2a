//! The loops that must run at memory speed.

pub mod accumulate;
pub mod hamming;
pub mod intersect;
pub mod sort;
