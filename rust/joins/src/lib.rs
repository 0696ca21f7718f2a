#![doc = include_str!("../README.md")]
// The modules are public for ilk's own crates. What others may use is at the root; numbers of
// either width (`fingerprint`) are paired by `hamming`, sets by `overlap`, runs of numbers by
// `passages`; `clusters` and `components` group what pairs connect, `external` does so with files
// for what does not fit, and `judge` decides pairs. `sets` has what sets of either width share.
// `hash`, `simhash`, `minhash` and `sketches` make small numbers of large sets, and `weights` weighs
// words; `tool_hashes` and `rabin` are the hashes of others. `filter` is a Bloom filter. `simd`
// holds the vector paths, `parallel` shares rows among threads, `reserve` asks for memory,
// `progress` asks whether to go on, `stop` listens for Ctrl-C, and `error` is what can go wrong.

#[doc(hidden)]
pub mod clusters;
#[doc(hidden)]
pub mod components;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod external;
mod filter;
#[doc(hidden)]
pub mod fingerprint;
#[doc(hidden)]
pub mod hamming;
#[doc(hidden)]
pub mod hash;
#[doc(hidden)]
pub mod judge;
#[doc(hidden)]
pub mod minhash;
#[doc(hidden)]
pub mod overlap;
#[doc(hidden)]
pub mod parallel;
#[doc(hidden)]
pub mod passages;
#[doc(hidden)]
pub mod progress;
#[doc(hidden)]
pub mod rabin;
#[doc(hidden)]
pub mod reserve;
#[doc(hidden)]
pub mod sets;
#[doc(hidden)]
pub mod simd;
#[doc(hidden)]
pub mod simhash;
#[doc(hidden)]
pub mod sketches;
#[doc(hidden)]
pub mod stop;
#[doc(hidden)]
pub mod tool_hashes;
#[doc(hidden)]
pub mod weights;

pub use clusters::{cluster_anchored, cluster_connected};
pub use error::{KernelError, Watch};
pub use fingerprint::Fingerprint;
pub use hamming::{Index as HammingIndex, Limits, Pairs};
pub use hamming::{join as hamming_join, self_join as hamming_self_join};
pub use overlap::{IdSets, Overlaps, Ratio, Sets};
pub use overlap::{containment_join, containment_self_join};
pub use overlap::{resemblance_join, resemblance_self_join};
