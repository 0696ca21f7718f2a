//! Exact joins on sets, by resemblance |A n B| / |A u B| and by containment |A n B| / |A|: every
//! pair at the threshold and no other, decided on whole numbers.
//!
//! Small sets, as those of short texts are, are joined through parts of the universe that two like
//! sets must share ([`parts`]).
//!
//! For large ones the method is prefix filtering (AllPairs: Bayardo, Ma, Srikant, "Scaling Up All
//! Pairs Similarity Search", 2007) with positional bounds (PPJoin: Xiao, Wang, Lin, Yu, "Efficient
//! Similarity Joins for Near Duplicate Detection", 2008). The values of all sets are put into one
//! order, rare ones first ([`frequency`]). Two sets alike enough share a value among the first few
//! of each ([`prefix`]), so that an index of those ([`postings`]) nominates every pair there is
//! ([`candidates`]), and intersecting the full sets ([`intersect`]) decides.
//!
//! Equal sets are found first and count as one ([`catalogue`]). Where sets come and go, an index
//! holds their prefixes ([`index`]). Where they are on many machines, prefixes are what travels
//! ([`shuffled`]).
//!
//! Nothing here depends on chance or on the order of memory: equal input gives equal output.

mod bitmap;
mod candidates;
mod catalogue;
mod chance;
mod clusters;
mod connect;
mod containment;
mod frequency;
mod groups;
pub mod index;
mod indexed;
mod intersect;
mod kin;
mod pairs;
mod parts;
mod postings;
mod prefix;
mod ratio;
mod resemblance;
mod sets;
pub mod shuffled;
#[cfg(test)]
mod tests;
mod verdict;

pub(crate) use candidates::Seen;
pub use chance::lowered;
pub use clusters::{Bridges, anchored, connected};
pub(crate) use connect::{BYTES, connect};
pub use containment::{containers, containment_join, containment_self_join};
pub use groups::Anchored;
pub use intersect::intersect_pairs;
pub(crate) use intersect::{AHEAD, intersect_at_least};
pub(crate) use kin::CROWDED;
pub use pairs::Overlaps;
pub(crate) use postings::Postings;
pub(crate) use prefix::Prefixes;
pub use ratio::Ratio;
pub(crate) use ratio::Resemblance;
pub use resemblance::{resemblance_join, resemblance_self_join};
pub use sets::{FIRST, HIDDEN, Hashes, Plain, SECOND, Sets, Whole};
pub(crate) use verdict::Verdict;
