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
//! # Which path is taken when
//!
//! | what is asked | sets | path | why |
//! |---|---|---|---|
//! | all pairs, or families, at a resemblance | small: a class below [`parts::first_large_size`] (partners of at most 4,096 values, and at most 1,024 parts, or 320 below 3/4) | [`parts`] | values of small sets are common, so that lists of single values are long and rule out little |
//! | the same | larger | [`large_sets`], [`candidates`] | a large set has some rare values, whose lists are short |
//! | families, sets in memory or mapped, memory given | of words, or of characters that do not fit | `external` | lists of rare values go to files; needs a formula of memory |
//! | families | sets that share only common values | `flood` over an index (`external::common`, `connect`) | each set asks once, so a family of n costs n questions, not n^2 pairs |
//! | clusters | families of at most [`CROWDED`] sets | [`kin`], set by set | an index of so few costs more than comparing them |
//! | clusters | larger families | [`kin`], by a table of bitmaps for small sets and an index for large ones | members of boilerplate share all their common values: lists would be as long as the family |
//! | containment | any | [`containment`] | a contained set may have any size, so sizes rule out nothing, and all sets must fit |
//! | sets that come and go (the store) | any | [`index`] | keys are fixed when the index is made, so that an addition changes no other set |
//! | sets on many machines (Spark) | any | [`shuffled`] | records of prefixes travel, and sets stay where they are |
//!
//! In every path [`verifier`] decides a pair, on ids, or on whole hashes where both sets are large.
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
mod flood;
mod frequency;
mod groups;
pub mod index;
mod intersect;
mod kin;
mod large_sets;
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
mod verifier;

pub(crate) use candidates::{PrefixScan, SharedCounts};
pub use chance::lower_threshold_for_merged_hashes;
pub use clusters::{Anchoring, Bridges, cluster_sets_anchored, connect_sets};
pub(crate) use connect::{SET_BYTES, THREAD_BYTES, connect_alike_sets};
pub use containment::{
    containment_join, containment_self_join, find_last_containers_by_size_and_row,
};
pub(crate) use flood::visit_family_by_family;
pub use groups::Anchored;
pub use intersect::count_shared_ids;
pub(crate) use intersect::{AHEAD, count_shared_if_enough};
pub(crate) use kin::CROWDED;
pub use pairs::Overlaps;
pub(crate) use postings::Postings;
pub(crate) use prefix::Prefixes;
pub use ratio::Ratio;
pub(crate) use ratio::Resemblance;
pub use resemblance::{resemblance_join, resemblance_self_join};
pub use sets::{FIRST, HIDDEN, HashSets, IdSets, SECOND, Sets, Whole};
pub(crate) use verifier::Verifier;
