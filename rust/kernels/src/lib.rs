#![doc = include_str!("../README.md")]
// What others may use is at the root, and the modules are public for ilk's own crates. A text is
// normalised (`text`, by the tables of `characters`; `masks` make it blind to more) and cut into
// words or characters (`tokens`). `stops` go, `shingles` are hashed, and a `recipe` makes one small
// number of them. `digest` finds equal texts and,
// with `figures`, those that differ in numbers alone, `blocks` the paragraphs and lines that many
// share, `units` are a text's lines, sentences and paragraphs, `evidence` is stored per text to
// judge pairs without it. `noise` nominates copies with wrong characters, and an `alignment`
// decides. `rows` reads JSON lines and CSV, `utf8` bytes that may be no UTF-8; `urls` writes
// addresses in their canonical form.

pub mod alignment;
pub mod blocks;
pub mod characters;
pub mod digest;
pub mod evidence;
pub mod figures;
pub mod masks;
pub mod noise;
pub mod recipe;
pub mod rows;
pub mod shingles;
pub mod simd;
pub mod stops;
pub mod text;
pub mod tokens;
pub mod units;
pub mod urls;
pub mod utf8;

pub use blocks::Blocks;
pub use digest::Digester;
pub use ilk_joins::simhash::{Ties, Weight};
pub use recipe::{Features, Fingerprinter, Kind, Lack, Recipe};
pub use shingles::{Shingler, Shingling};
pub use stops::Stops;
pub use text::Normalisation;
pub use tokens::Unit;
pub use units::TextUnit;
pub use urls::canonicalise as canonicalise_url;
pub use urls::rules::Rules as UrlRules;
