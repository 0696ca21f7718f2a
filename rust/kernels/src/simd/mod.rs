//! (room under construction)

pub mod intersect;
