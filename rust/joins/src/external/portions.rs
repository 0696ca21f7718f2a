//! Portions of whole families, each joined at once.

use super::texts::{Node, Texts};
use crate::error::KernelError;
use crate::overlap::{CROWDED, Ratio};

/// Bytes of a text that is joined. In a family of more than [`CROWDED`], bytes of each of its
/// values in the table that counts values, and of those that are looked up, in a prefix and in an
/// index.
///
/// They follow from the layout of [`crate::overlap`] and must be checked when it changes
/// (`LOOKED_UP` was 22 while an index had a copy of each value). Figures that are too small would
/// exceed the limit of memory; too large ones only make more portions, or refuse a family that
/// would have fitted.
const TEXT_BYTES: usize = 192;
const COUNTED: f64 = 2.0;
const LOOKED_UP: f64 = 13.0;

/// The portion of each text, from 0; none for a text that is not joined, or is alone in its family.
///
/// `families`: of each text the smallest of its family. `most`: bytes that the join of a portion
/// may take, besides the sets.
///
/// # Errors
/// [`KernelError::NotEnough`] where a family does not fit.
pub fn assign_portions(
    texts: &Texts,
    families: &[u32],
    threshold: Ratio,
    most: usize,
) -> Result<Vec<Option<u32>>, KernelError> {
    let differing = 1.0 - threshold.numerator as f64 / threshold.denominator as f64;
    let bytes = |text: usize| {
        let values = texts.set(texts.main_set(text as Node)).len() as f64;
        (values * (COUNTED + LOOKED_UP * differing)) as usize
    };
    let shown = || (0..families.len()).filter(|&text| texts.length_class(text as u32).is_some());
    let mut known = vec![Family::default(); families.len()];
    for text in shown() {
        let family = &mut known[families[text] as usize];
        family.texts += 1;
        family.values += bytes(text);
    }
    let (mut found, mut last, mut taken) = (vec![None; families.len()], 0, 0);
    for text in shown() {
        let family = &mut known[families[text] as usize];
        if family.texts > 1 && family.portion.is_none() {
            let bytes = family.bytes();
            if bytes > most {
                return Err(KernelError::NotEnough { bytes, most });
            }
            // In the order of the families' first texts, each portion until the next one does not
            // fit: fuller portions are no aim, since each fits.
            if taken > 0 && taken + bytes > most {
                (last, taken) = (last + 1, 0);
            }
            taken += bytes;
            family.portion = Some(last);
        }
        found[text] = family.portion;
    }
    Ok(found)
}

/// A family: its texts, the bytes that their values take if they are looked up, and where it is
/// joined.
#[derive(Clone, Default)]
struct Family {
    texts: usize,
    values: usize,
    portion: Option<u32>,
}

impl Family {
    fn bytes(&self) -> usize {
        self.texts * TEXT_BYTES + if self.texts > CROWDED { self.values } else { 0 }
    }
}
