//! Errors of the kernels, and the watch over a long one.

use std::fmt;

/// Why a kernel stopped without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelError {
    /// The result has more pairs than the caller is ready to take.
    TooManyPairs {
        /// Pairs that exist (or, if counting them all would be as long as listing them, at least).
        count: u64,
        /// The largest number the caller allowed.
        limit: u64,
    },
    /// A column, or a list of pairs, is longer than numbers of 32 bits reach.
    TooManyRows {
        /// Rows of the column, or pairs.
        count: u64,
        /// The largest number that can be taken.
        limit: u64,
    },
    /// The system has no memory for this.
    NoReserve {
        /// Memory asked for: one piece, or all that a kernel needs.
        bytes: usize,
    },
    /// An id to be added is there already.
    KnownId(i64),
    /// An id to be removed is not there.
    UnknownId(i64),
    /// No rule has this name.
    UnknownRule(String),
    /// The ids of a table are not ascending and distinct, or have not one weight each.
    UnorderedIds,
    /// A part is not the one that comes next.
    UnorderedParts,
    /// Bytes that were sent are not what a kernel has written.
    Damaged,
    /// Too little was allowed.
    NotEnough {
        /// Bytes that it needs, at least.
        bytes: usize,
        /// Bytes that it may use.
        most: usize,
    },
    /// A file could not be written or read, for this reason.
    Storage(String),
    /// The [`Watch`] asked to stop.
    Interrupted,
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyPairs { count, limit } => {
                write!(f, "{count} pairs, more than the {limit} allowed")
            }
            Self::TooManyRows { count, limit } => {
                write!(f, "{count} rows or pairs, more than the {limit} that can be numbered")
            }
            Self::NoReserve { bytes } => write!(f, "no memory for {bytes} bytes"),
            Self::KnownId(id) => write!(f, "the id {id} is there already"),
            Self::UnknownId(id) => write!(f, "the id {id} is not there"),
            Self::UnknownRule(name) => write!(f, "unknown rule {name:?}"),
            Self::UnorderedIds => write!(f, "ids must be ascending, with a weight each"),
            Self::UnorderedParts => write!(f, "parts must be put together in their order"),
            Self::Damaged => write!(f, "these bytes are not what was written"),
            Self::NotEnough { bytes, most } => {
                write!(f, "{bytes} bytes are needed, more than the {most} allowed")
            }
            Self::Storage(reason) => write!(f, "cannot keep working files: {reason}"),
            Self::Interrupted => write!(f, "interrupted"),
        }
    }
}

impl std::error::Error for KernelError {}

/// Called now and then (at least every 0.2 s of work) with the share of the work done, 0 to 1;
/// when it answers `false` the kernel stops with [`KernelError::Interrupted`].
pub type Watch<'a> = &'a (dyn Fn(f64) -> bool + Sync);
