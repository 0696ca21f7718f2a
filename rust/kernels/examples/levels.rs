//! `levels LEVEL RECIPE TIMES FILE`: fingerprints the texts of a file, at one level of vector
//! instructions, TIMES times, and prints a number that is the same at every level.
//!
//! The file has for every text its length in bytes (8 of them, little-endian) and the text. Without
//! arguments it prints the levels of this machine, the recipes of words and those of characters.

use std::process::ExitCode;
use std::sync::Arc;

use ilk_joins::simd::{self, Level};
use ilk_joins::simhash::{Ties, Weight};
use ilk_joins::weights::Table;
use ilk_kernels::recipe::{Features, Fingerprinter, Kind, Recipe};
use ilk_kernels::shingles::Shingling;
use ilk_kernels::stops::Stops;
use ilk_kernels::text::Normalisation;
use ilk_kernels::tokens::Unit;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let answer = match &arguments[..] {
        [] => Some(list_levels_and_recipes()),
        [level, recipe, times, file] => fingerprint_file(level, recipe, times, file),
        _ => None,
    };
    match answer {
        Some(answer) => {
            println!("{answer}");
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("levels LEVEL RECIPE TIMES FILE; see its first lines");
            ExitCode::from(2)
        }
    }
}

fn list_levels_and_recipes() -> String {
    let levels: Vec<String> = Level::all().iter().map(|level| format!("{level:?}")).collect();
    let names = recipes().map(|(name, _)| name);
    let (words, characters) = names.split_at(5);
    [levels.join(","), words.join(","), characters.join(",")].join("\n")
}

/// The number that is printed; `None` for an argument that cannot be read.
fn fingerprint_file(level: &str, recipe: &str, times: &str, file: &str) -> Option<String> {
    let level = *Level::all().iter().find(|known| format!("{known:?}") == level)?;
    let (_, recipe) = recipes().into_iter().find(|&(known, _)| known == recipe)?;
    let times = times.parse().ok()?;
    let file = std::fs::read(file).ok()?;
    let texts = texts(&file)?;
    simd::at_level(level, || {
        let mut fingerprinter = Fingerprinter::default();
        let mut seen = 0u128;
        for _ in 0..times {
            for text in &texts {
                let found = fingerprinter.make_fingerprint(Some(text), &recipe).unwrap_or(0);
                seen = seen.rotate_left(1) ^ found;
            }
        }
        Some(format!("{seen:032x}"))
    })
}

/// The texts of a file.
fn texts(mut file: &[u8]) -> Option<Vec<&str>> {
    let mut texts = Vec::new();
    while let Some((length, rest)) = file.split_first_chunk() {
        let (text, next) = rest.split_at_checked(u64::from_le_bytes(*length) as usize)?;
        texts.push(std::str::from_utf8(text).ok()?);
        file = next;
    }
    Some(texts)
}

/// A recipe for each way through the kernels.
fn recipes() -> [(&'static str, Recipe); 7] {
    let of = |unit, width, kind| Recipe {
        shingling: Shingling::plain(unit, width, Normalisation::Fold),
        stops: Stops::default(),
        kind,
        features: Features::Ids,
        table: None,
        bits: 64,
        minimum: 3,
    };
    let ids: Vec<u32> = (0..1 << 20).map(|i| i << 12).collect();
    let weights: Vec<u16> = ids.iter().map(|id| (id >> 12) as u16 % 112).collect();
    let table = Table::from_ascending_ids(&ids, &weights, 112).map(Arc::new).ok();
    let simhash = |weight| Kind::SimHash(weight, Ties::Fixed);
    [
        ("words=1/tf", of(Unit::Words, 1, simhash(Weight::Frequency))),
        ("words=1/log", of(Unit::Words, 1, simhash(Weight::Logarithm))),
        ("words=1/log/table", Recipe { table, ..of(Unit::Words, 1, simhash(Weight::Logarithm)) }),
        ("words=3/binary", of(Unit::Words, 3, simhash(Weight::Binary))),
        ("words=3/minhash", of(Unit::Words, 3, Kind::MinHash)),
        ("chars=8/tf", of(Unit::Characters, 8, simhash(Weight::Frequency))),
        ("chars=40/tf", of(Unit::Characters, 40, simhash(Weight::Frequency))),
    ]
}
