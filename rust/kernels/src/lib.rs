#![doc = include_str!("../README.md")]
// The modules are public for ilk's own crates. What others may use is at the root. A text is
// normalised (`text`, by the tables of `characters`; `masks` make it blind to more) and cut into
// words or characters (`tokens`). `stops` go, `shingles` are hashed, and a `recipe` makes one small
// number of them. `digest` finds equal texts and,
// with `figures`, those that differ in numbers alone, `blocks` the paragraphs and lines that many
// share, `units` are a text's lines, sentences and paragraphs, `evidence` is stored per text to
// judge pairs without it. `noise` nominates copies with wrong characters, and an `alignment`
// decides. `rows` reads JSON lines and CSV, `utf8` bytes that may be no UTF-8; `urls` writes
// addresses in their canonical form.

#[doc(hidden)]
pub mod alignment;
#[doc(hidden)]
pub mod blocks;
#[doc(hidden)]
pub mod characters;
#[doc(hidden)]
pub mod digest;
#[doc(hidden)]
pub mod evidence;
#[doc(hidden)]
pub mod figures;
#[doc(hidden)]
pub mod masks;
#[doc(hidden)]
pub mod noise;
#[doc(hidden)]
pub mod recipe;
#[doc(hidden)]
pub mod rows;
#[doc(hidden)]
pub mod shingles;
#[doc(hidden)]
pub mod simd;
#[doc(hidden)]
pub mod stops;
#[doc(hidden)]
pub mod text;
#[doc(hidden)]
pub mod tokens;
#[doc(hidden)]
pub mod units;
#[doc(hidden)]
pub mod urls;
#[doc(hidden)]
pub mod utf8;

pub use blocks::Blocks;
pub use digest::Digester;
pub use ilk_joins::simhash::{Ties, Weight};
pub use recipe::{Features, Fingerprinter, Kind, Lack, Recipe};
pub use shingles::sets::make_id_sets_empty_if_large as shingle_sets;
pub use shingles::{Shingler, Shingling};
pub use stops::Stops;
pub use text::Normalisation;
pub use tokens::Unit;
pub use units::TextUnit;
pub use urls::canonicalise as canonicalise_url;
pub use urls::rules::Rules as UrlRules;
