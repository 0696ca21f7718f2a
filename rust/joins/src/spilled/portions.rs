//! Portions of whole families, each joined at once.

use super::texts::{HIDDEN, Node, Texts};
use crate::error::KernelError;
use crate::overlap::Ratio;

/// Bytes of a text that is joined, and of each of its values that may be looked up: in a prefix, in
/// an index and in a copy of that.
const TEXT_BYTES: usize = 192;
const LOOKED_UP: f64 = 22.0;

/// Bytes of any other value: in the table that counts values.
const COUNTED: f64 = 2.0;

/// The portion of each text, from 0; none for a text that is not joined, or is alone in its family.
///
/// `families`: of each text the smallest of its family. `most`: bytes that the join of a portion
/// may take, besides the sets.
///
/// # Errors
/// [`KernelError::NotEnough`] where a family does not fit.
pub fn portions(
    texts: &Texts,
    families: &[u32],
    threshold: Ratio,
    most: usize,
) -> Result<Vec<Option<u32>>, KernelError> {
    let differing = 1.0 - threshold.numerator as f64 / threshold.denominator as f64;
    let bytes = |text: usize| {
        let values = texts.set(texts.own(text as Node)).len() as f64;
        TEXT_BYTES + (values * (COUNTED + LOOKED_UP * differing)) as usize
    };
    let shown = || (0..families.len()).filter(|&text| texts.kinds[text] != HIDDEN);
    let mut known = vec![Family::default(); families.len()];
    for text in shown() {
        let family = &mut known[families[text] as usize];
        family.texts += 1;
        family.bytes += bytes(text);
    }
    let (mut found, mut last, mut taken) = (vec![None; families.len()], 0, 0);
    for text in shown() {
        let family = &mut known[families[text] as usize];
        if family.texts > 1 && family.portion.is_none() {
            if family.bytes > most {
                return Err(KernelError::NotEnough { bytes: family.bytes, most });
            }
            if taken > 0 && taken + family.bytes > most {
                (last, taken) = (last + 1, 0);
            }
            taken += family.bytes;
            family.portion = Some(last);
        }
        found[text] = family.portion;
    }
    Ok(found)
}

/// A family: its texts, the bytes that it takes, and where it is joined.
#[derive(Clone, Default)]
struct Family {
    texts: u32,
    bytes: usize,
    portion: Option<u32>,
}
