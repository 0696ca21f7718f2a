//! The wrong characters of a text and the stretch of another one where it fits best.

use ilk_joins::stop;

use super::{Aligner, Bare, ColumnBlock};

/// The least distance of a text and any stretch of another one, the empty one too.
#[must_use]
pub fn measure_distance_within(aligner: &mut Aligner, inner: &Bare, outer: &Bare) -> usize {
    match inner {
        Bare::Narrow(inner) => aligner.matches.set_pattern(inner.iter().map(|&c| u32::from(c))),
        Bare::Wide(inner) => aligner.matches.set_pattern(inner.iter().copied()),
    }
    match outer {
        Bare::Narrow(outer) => distance_of_best_stretch(aligner, inner.len(), outer),
        Bare::Wide(outer) => distance_of_best_stretch(aligner, inner.len(), outer),
    }
}

/// The same of the pattern: a stretch may begin at any character, so that the row above the first
/// is 0 everywhere (Sellers 1980).
fn distance_of_best_stretch<B: Copy + Into<u32>>(
    aligner: &mut Aligner,
    rows: usize,
    text: &[B],
) -> usize {
    if rows == 0 {
        return 0;
    }
    let Aligner { matches, blocks, .. } = aligner;
    let last_block = matches.words() - 1;
    let last_row = ((rows - 1) % 64) as u32;
    blocks.clear();
    blocks.extend((0..last_block).map(|block| ColumnBlock::first(64 * (block + 1))));
    blocks.push(ColumnBlock::first(rows));
    let mut best = rows;
    for &c in text {
        stop::count_work_or_unwind(size_of_val(&blocks[..]));
        let equal = matches.places_of(c.into());
        let mut into = (0, 0);
        for (block, &equal) in blocks.iter_mut().zip(equal).take(last_block) {
            into = block.advance(equal, into, 63);
        }
        blocks[last_block].advance(equal[last_block], into, last_row);
        // A stretch may end at any character, too.
        best = best.min(blocks[last_block].score);
    }
    best
}
