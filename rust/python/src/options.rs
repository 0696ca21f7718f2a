//! Options as text, as the kernels know them.

use std::fmt::Display;
use std::ops::RangeInclusive;

use ilk_joins::hash::Function;
use ilk_joins::simhash::{Ties, Weight};
use ilk_joins::sketches::Choice;
use ilk_joins::tool_hashes::ToolHash;
use ilk_kernels::masks::Masks;
use ilk_kernels::recipe::{Features, Kind};
use ilk_kernels::shingles::Shingling;
use ilk_kernels::text::Normalisation;
use ilk_kernels::tokens::Unit;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Read the options that cut a text into shingles.
pub fn shingling(unit: &str, width: usize, normalisation: &str) -> PyResult<Shingling> {
    let unit = match unit {
        "words" => Unit::Words,
        "chars" => Unit::Characters,
        other => return Err(unknown("unit", other)),
    };
    if width == 0 {
        return Err(PyValueError::new_err("width must be at least 1"));
    }
    Ok(Shingling::plain(unit, width, self::normalisation(normalisation)?))
}

/// Read a normalisation.
pub fn normalisation(name: &str) -> PyResult<Normalisation> {
    match name {
        "fold" => Ok(Normalisation::Fold),
        "nfcfold" => Ok(Normalisation::NfcFold),
        "casefold" => Ok(Normalisation::CaseFold),
        "nfkc" => Ok(Normalisation::Nfkc),
        "nfc" => Ok(Normalisation::Nfc),
        "none" => Ok(Normalisation::None),
        other => Err(unknown("normalisation", other)),
    }
}

/// Read the weight of features.
pub fn weight(name: &str) -> PyResult<Weight> {
    match name {
        "binary" => Ok(Weight::Binary),
        "tf" => Ok(Weight::Frequency),
        "log" => Ok(Weight::Logarithm),
        other => Err(unknown("weight", other)),
    }
}

/// Differences that are ignored.
pub fn masks(names: &[String]) -> PyResult<Masks> {
    let mut masks = Masks::default();
    for name in names {
        match name.as_str() {
            "accents" => masks.accents = true,
            "digits" => masks.digits = true,
            "punctuation" => masks.punctuation = true,
            "spaces" => masks.spaces = true,
            "punctuation_as_space" => masks.punctuation_as_space = true,
            other => return Err(unknown("mask", other)),
        }
    }
    Ok(masks)
}

/// Read a hash function; only SipHash takes a key.
fn hash(name: &str, key: Option<[u8; 16]>) -> PyResult<Function> {
    match (name, key) {
        ("ilk64", None) => Ok(Function::Ilk),
        ("xxh3", None) => Ok(Function::Xxh3),
        ("siphash", Some(key)) => Ok(Function::Sip(key)),
        (other, _) => Err(unknown("hash", other)),
    }
}

/// Read the name of a hash: how shingles get their ids, and what a SimHash adds up.
pub fn features(name: &str, key: Option<[u8; 16]>) -> PyResult<(Function, Features)> {
    let tool = match name {
        "md5" => ToolHash::Md5,
        "sha1" => ToolHash::Sha1,
        "fnv1a32" => ToolHash::Fnv32,
        "fnv1a64" => ToolHash::Fnv64,
        "murmur32" => ToolHash::Murmur32,
        "murmur128" => ToolHash::Murmur128,
        "oaat" => ToolHash::OneAtATime32,
        "oaat64" => ToolHash::OneAtATime64,
        "lookup2" => ToolHash::Lookup2,
        "lookup3" => ToolHash::Lookup3,
        "java" => ToolHash::Java,
        "rabin64" => return Ok((Function::Ilk, Features::Runs)),
        _ => return Ok((hash(name, key)?, Features::Ids)),
    };
    Ok((Function::Ilk, Features::Hashed(tool)))
}

/// Read the rule by which a sketch chooses shingles.
pub fn choice(method: &str, number: u32) -> PyResult<Choice> {
    match method {
        "modulo" => Ok(Choice::Modulo(number)),
        "winnow" => Ok(Choice::Winnow(number as usize)),
        "lowest" => Ok(Choice::Lowest(number as usize)),
        "highest" => Ok(Choice::Highest(number as usize)),
        other => Err(unknown("method", other)),
    }
}

/// Read the kind of fingerprint. MinHash compares sets, in which a feature counts once.
pub fn kind(name: &str, weight: &str, ties: &str) -> PyResult<Kind> {
    match (name, weight) {
        ("simhash", weight) => Ok(Kind::SimHash(self::weight(weight)?, self::ties(ties)?)),
        ("minhash", "binary") => Ok(Kind::MinHash),
        ("minhash", other) => Err(unknown("weight", other)),
        (other, _) => Err(unknown("kind", other)),
    }
}

/// Read the value of a tie.
pub fn ties(name: &str) -> PyResult<Ties> {
    match name {
        "zero" => Ok(Ties::Zero),
        "one" => Ok(Ties::One),
        "fixed" => Ok(Ties::Fixed),
        other => Err(unknown("ties", other)),
    }
}

/// The width of a fingerprint.
pub fn bits(bits: u32) -> PyResult<u32> {
    within("bits", bits, 1..=128)
}

/// A number that decides how much memory is taken, if it is within bounds.
pub fn within<T: PartialOrd + Display>(
    name: &str,
    value: T,
    bounds: RangeInclusive<T>,
) -> PyResult<T> {
    if bounds.contains(&value) {
        return Ok(value);
    }
    let (least, most) = bounds.into_inner();
    Err(PyValueError::new_err(format!("{name} must be {least} to {most}, got {value}")))
}

fn unknown(option: &str, value: &str) -> PyErr {
    PyValueError::new_err(format!("unknown {option} {value:?}"))
}
