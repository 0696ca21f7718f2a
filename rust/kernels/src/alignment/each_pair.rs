//! Many pairs aligned, the most promising first, and no family pair by pair.

use super::{
    Aligner, Bare, count_wrong_characters_with_moves, measure_distance, measure_scatter_or_infinity,
};
use ilk_joins::error::{KernelError, Watch};
use ilk_joins::overlap::Ratio;
use ilk_joins::progress::Progress;

/// Conditions on pairs of texts.
#[derive(Debug, Clone, Copy)]
pub struct Conditions {
    /// The least share of the characters of the longer text that must not be wrong.
    pub least: Ratio,
    /// The least scatter of the wrong characters.
    pub scatter: f64,
    /// A pair is passed over where each of its texts has failed this often since it last agreed
    /// with one.
    pub patience: u32,
    /// Products of lengths up to which parts may be in any order.
    pub moves: u64,
}

/// Agreement of two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aligned {
    /// With this number of wrong characters.
    Agree(u32),
    /// With this number where parts may be in any order, and with too many otherwise.
    Moved(u32),
    /// With too many, or as edits make them.
    Differ,
    /// Nobody looked.
    PassedOver,
}

/// Aligns pairs of rows of `texts` in their order; `may_have_moved` says for which pairs it is
/// worth asking whether parts have moved.
///
/// # Errors
/// [`KernelError::Interrupted`].
pub fn align_pairs_in_order_with_patience(
    texts: &[Bare],
    left: &[u32],
    right: &[u32],
    may_have_moved: impl Fn(usize) -> bool,
    asked: Conditions,
    watch: Watch,
) -> Result<Vec<Aligned>, KernelError> {
    let progress = Progress::stage(watch, 0.0, 1.0);
    let mut aligner = Aligner::default();
    let mut failures = vec![0_u32; texts.len()];
    let mut found = Vec::with_capacity(left.len());
    for (pair, (&a, &b)) in left.iter().zip(right).enumerate() {
        let (a, b) = (a as usize, b as usize);
        progress.note_done(pair, left.len());
        if failures[a].min(failures[b]) >= asked.patience {
            progress.spend_values(1)?;
            found.push(Aligned::PassedOver);
            continue;
        }
        let (one, other) = (&texts[a], &texts[b]);
        let longer = one.len().max(other.len());
        progress.spend_values(longer * (1 + longer / 1024))?;
        let most = most_wrong_characters(longer, asked.least);
        let mut aligned = Aligned::Differ;
        if let Some(errors) = measure_distance(&mut aligner, one, other, most) {
            aligned = Aligned::Agree(errors as u32);
        } else if may_have_moved(pair) && multiply_lengths(one, other) <= asked.moves {
            let errors = count_wrong_characters_with_moves(&mut aligner, one, other, most);
            aligned = errors.map_or(Aligned::Differ, |errors| Aligned::Moved(errors as u32));
        }
        if let Aligned::Agree(errors) | Aligned::Moved(errors) = aligned
            && measure_scatter_or_infinity(one, other, errors as usize) < asked.scatter
        {
            aligned = Aligned::Differ;
        }
        let failed = u32::from(aligned == Aligned::Differ);
        // Back to none for both where they agree; one more for each where they differ.
        for row in [a, b] {
            failures[row] = failed * (failures[row] + failed);
        }
        found.push(aligned);
    }
    Ok(found)
}

fn multiply_lengths(one: &Bare, other: &Bare) -> u64 {
    one.len() as u64 * other.len() as u64
}

/// The most characters of a text that may be wrong and leave this share right.
fn most_wrong_characters(characters: usize, least: Ratio) -> usize {
    let Ratio { numerator, denominator } = least;
    let wrong = u128::from(denominator.saturating_sub(numerator));
    let most = characters as u128 * wrong / u128::from(denominator.max(1));
    usize::try_from(most).unwrap_or(usize::MAX)
}
