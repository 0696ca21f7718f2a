//! (room under construction)

pub mod hamming;
