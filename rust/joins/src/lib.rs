#![doc = include_str!("../README.md")]
// What others may use is at the root, and the modules are public for ilk's own crates. Numbers of
// either width (`fingerprint`) are paired by `hamming`, sets by `overlap`, runs of numbers by
// `passages`; `clusters` and `components` group what pairs connect, `external` does so with files
// for what does not fit, and `judge` decides pairs. `sets` has what sets of either width share.
// `hash`, `simhash`, `minhash` and `sketches` make small numbers of large sets, and `weights` weighs
// words; `tool_hashes` and `rabin` are the hashes of others. `filter` is a Bloom filter. `simd`
// holds the vector paths, `parallel` shares rows among threads, `reserve` asks for memory,
// `progress` asks whether to go on, `stop` listens for Ctrl-C, and `error` is what can go wrong.

pub mod clusters;
pub mod components;
pub mod error;
pub mod external;
mod filter;
pub mod fingerprint;
pub mod hamming;
pub mod hash;
pub mod judge;
pub mod minhash;
pub mod overlap;
pub mod parallel;
pub mod passages;
pub mod progress;
pub mod rabin;
pub mod reserve;
pub mod sets;
pub mod simd;
pub mod simhash;
pub mod sketches;
pub mod stop;
pub mod tool_hashes;
pub mod weights;

pub use clusters::{cluster_anchored, cluster_connected};
pub use error::{KernelError, Watch};
pub use fingerprint::Fingerprint;
pub use hamming::{Index as HammingIndex, Limits, Pairs};
pub use hamming::{join as hamming_join, self_join as hamming_self_join};
pub use overlap::{IdSets, Overlaps, Ratio, Sets};
pub use overlap::{containment_join, containment_self_join};
pub use overlap::{resemblance_join, resemblance_self_join};
