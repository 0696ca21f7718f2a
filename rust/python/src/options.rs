//! Options as text, as the kernels know them.

use std::fmt::Display;
use std::ops::RangeInclusive;

use ilk_joins::hash::Function;
use ilk_joins::overlap::Ratio;
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

/// The least share that counts, of Python's `(numerator, denominator)`.
#[derive(Clone, Copy)]
pub struct Threshold(pub Ratio);

impl<'py> FromPyObject<'_, 'py> for Threshold {
    type Error = PyErr;

    fn extract(pair: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (numerator, denominator) = pair.extract()?;
        Ok(Self(Ratio { numerator, denominator }))
    }
}

/// Read the options that cut a text into shingles.
pub fn parse_shingling(unit: &str, width: usize, normalisation: &str) -> PyResult<Shingling> {
    let unit = match unit {
        "words" => Unit::Words,
        "chars" => Unit::Characters,
        other => return Err(unknown_value_error("unit", other)),
    };
    if width == 0 {
        return Err(PyValueError::new_err("width must be at least 1"));
    }
    Ok(Shingling::plain(unit, width, self::parse_normalisation(normalisation)?))
}

/// Read a normalisation.
pub fn parse_normalisation(name: &str) -> PyResult<Normalisation> {
    match name {
        "fold" => Ok(Normalisation::Fold),
        "nfcfold" => Ok(Normalisation::NfcFold),
        "casefold" => Ok(Normalisation::CaseFold),
        "nfkc" => Ok(Normalisation::Nfkc),
        "nfc" => Ok(Normalisation::Nfc),
        "none" => Ok(Normalisation::None),
        other => Err(unknown_value_error("normalisation", other)),
    }
}

/// Read the weight of features.
pub fn parse_weight(name: &str) -> PyResult<Weight> {
    match name {
        "binary" => Ok(Weight::Binary),
        "tf" => Ok(Weight::Frequency),
        "log" => Ok(Weight::Logarithm),
        other => Err(unknown_value_error("weight", other)),
    }
}

/// Differences that are ignored.
pub fn parse_masks(names: &[String]) -> PyResult<Masks> {
    let mut masks = Masks::default();
    for name in names {
        match name.as_str() {
            "accents" => masks.accents = true,
            "digits" => masks.digits = true,
            "punctuation" => masks.punctuation = true,
            "spaces" => masks.spaces = true,
            "punctuation_as_space" => masks.punctuation_as_space = true,
            other => return Err(unknown_value_error("mask", other)),
        }
    }
    Ok(masks)
}

/// Read a hash function; only SipHash takes a key.
fn parse_hash_function(name: &str, key: Option<[u8; 16]>) -> PyResult<Function> {
    match (name, key) {
        ("ilk64", None) => Ok(Function::Ilk),
        ("xxh3", None) => Ok(Function::Xxh3),
        ("siphash", Some(key)) => Ok(Function::Sip(key)),
        (other, _) => Err(unknown_value_error("hash", other)),
    }
}

/// Read the name of a hash: how shingles get their ids, and what a SimHash adds up.
pub fn parse_feature_hash(name: &str, key: Option<[u8; 16]>) -> PyResult<(Function, Features)> {
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
        _ => return Ok((parse_hash_function(name, key)?, Features::Ids)),
    };
    Ok((Function::Ilk, Features::Hashed(tool)))
}

/// Read the rule by which a sketch chooses shingles.
pub fn parse_sketch_choice(method: &str, number: u32) -> PyResult<Choice> {
    check_bounds("number", number, 1..=u32::MAX)?;
    match method {
        "modulo" => Ok(Choice::Modulo(number)),
        "winnow" => Ok(Choice::Winnow(number as usize)),
        "lowest" => Ok(Choice::Lowest(number as usize)),
        "highest" => Ok(Choice::Highest(number as usize)),
        other => Err(unknown_value_error("method", other)),
    }
}

/// Read the kind of fingerprint. MinHash compares sets, in which a feature counts once.
pub fn parse_fingerprint_kind(name: &str, weight: &str, ties: &str) -> PyResult<Kind> {
    match (name, weight) {
        ("simhash", weight) => {
            Ok(Kind::SimHash(self::parse_weight(weight)?, self::parse_ties(ties)?))
        }
        ("minhash", "binary") => Ok(Kind::MinHash),
        ("minhash", other) => Err(unknown_value_error("weight", other)),
        (other, _) => Err(unknown_value_error("kind", other)),
    }
}

/// Read the value of a tie.
pub fn parse_ties(name: &str) -> PyResult<Ties> {
    match name {
        "zero" => Ok(Ties::Zero),
        "one" => Ok(Ties::One),
        "fixed" => Ok(Ties::Fixed),
        other => Err(unknown_value_error("ties", other)),
    }
}

/// The width of a fingerprint.
pub fn check_bits(bits: u32) -> PyResult<u32> {
    check_bounds("bits", bits, 1..=128)
}

/// A number that decides how much memory is taken, if it is within bounds.
pub fn check_bounds<T: PartialOrd + Display>(
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

fn unknown_value_error(option: &str, value: &str) -> PyErr {
    PyValueError::new_err(format!("unknown {option} {value:?}"))
}
