//! The wrong characters of the best alignment of two whole texts.

use ilk_joins::stop;

use super::{Aligner, Bare, ColumnBlock};

/// Columns between two looks at whether any alignment can still be good enough.
const LOOK: usize = 64;

/// The first bound that is tried: most copies that are looked for have few errors, and a narrow
/// band is fast. Texts of one length have a band of 63 diagonals then, at most two words of
/// each column.
const FIRST: usize = 62;

/// The least number of characters to be put in another's place, lost or put in to make one text the
/// other; `None` where it is above `most`.
#[must_use]
pub fn measure_distance(
    aligner: &mut Aligner,
    one: &Bare,
    other: &Bare,
    most: usize,
) -> Option<usize> {
    match (one, other) {
        (Bare::Narrow(one), Bare::Narrow(other)) => distance_in_order(aligner, one, other, most),
        (Bare::Narrow(one), Bare::Wide(other)) => distance_in_order(aligner, one, other, most),
        (Bare::Wide(one), Bare::Narrow(other)) => distance_in_order(aligner, one, other, most),
        (Bare::Wide(one), Bare::Wide(other)) => distance_in_order(aligner, one, other, most),
    }
}

fn distance_in_order<A, B>(
    aligner: &mut Aligner,
    one: &[A],
    other: &[B],
    most: usize,
) -> Option<usize>
where
    A: Copy + Into<u32>,
    B: Copy + Into<u32>,
{
    if one.len() <= other.len() {
        distance_of_middles(aligner, one, other, most)
    } else {
        distance_of_middles(aligner, other, one, most)
    }
}

/// The same without what both begin and end with.
fn distance_of_middles<A, B>(
    aligner: &mut Aligner,
    short: &[A],
    long: &[B],
    most: usize,
) -> Option<usize>
where
    A: Copy + Into<u32>,
    B: Copy + Into<u32>,
{
    let same = |(a, b): &(&A, &B)| -> bool { Into::<u32>::into(**a) == Into::<u32>::into(**b) };
    // What both begin and end with is part of some best alignment, so that leaving it out changes
    // no distance.
    let begin = short.iter().zip(long).take_while(same).count();
    let (short, long) = (&short[begin..], &long[begin..]);
    let end = short.iter().rev().zip(long.iter().rev()).take_while(same).count();
    let (short, long) = (&short[..short.len() - end], &long[..long.len() - end]);
    let more = long.len() - short.len();
    if more > most {
        return None;
    }
    if short.is_empty() {
        return Some(more);
    }
    // Rows are packed 64 to a word: with the shorter text as the pattern, a column has fewest.
    aligner.matches.set_pattern(short.iter().map(|&c| c.into()));
    let mut bound = FIRST.max(more).min(most);
    loop {
        match distance_in_band_or_estimate(aligner, short.len(), long, bound) {
            Ok(found) => return Some(found),
            Err(_) if bound == most => return None,
            // A little more than what goes on like this will have; a wide band once is no slower
            // than two.
            Err(likely) => {
                let next = (likely + likely / 4 + FIRST).max(2 * bound);
                bound = if 4 * next >= 3 * most { most } else { next };
            }
        }
    }
}

/// The distance of the pattern and a text that is not shorter, where it is at most `most`; else how
/// much it is likely to be.
///
/// An alignment with so few errors never leaves a band of diagonals (Ukkonen 1985): what is
/// outside is only ever taken to be too large.
fn distance_in_band_or_estimate<B>(
    aligner: &mut Aligner,
    rows: usize,
    text: &[B],
    most: usize,
) -> Result<usize, usize>
where
    B: Copy + Into<u32>,
{
    let Aligner { matches, blocks, .. } = aligner;
    let more = text.len() - rows;
    // Rows below its diagonal, and above it, that a good path may take.
    let below = (most - more) / 2;
    let above = more + below;
    let last_block = matches.words() - 1;
    let last_row = ((rows - 1) % 64) as u32;
    let end_of = |block: usize| if block == last_block { rows } else { 64 * (block + 1) };
    blocks.clear();
    blocks.extend((0..=last_block.min(below / 64)).map(|block| ColumnBlock::first(end_of(block))));
    let mut first = 0;
    for (column, &c) in text.iter().enumerate() {
        stop::count_work_or_unwind(size_of_val(&blocks[..]));
        let wanted = last_block.min((column + below) / 64);
        while blocks.len() <= wanted {
            let before = blocks[blocks.len() - 1].score;
            let more_rows = end_of(blocks.len()) - 64 * blocks.len();
            blocks.push(ColumnBlock::first(before + more_rows));
        }
        while first < wanted && 64 * (first + 1) + above < column + 1 {
            first += 1;
        }
        let equal = &matches.places_of(c.into())[first..=wanted];
        // Above the first row the distance rises by one a column. Above a band that has left that
        // row it rises by one at most: taking the most keeps all values too large, never too small.
        let mut into = (1, 0);
        let active = &mut blocks[first..=wanted];
        for (block, &equal) in active.iter_mut().zip(equal).take(last_block - first) {
            into = block.advance(equal, into, 63);
        }
        // The last block may have fewer than 64 rows: its score is that of its last one.
        if wanted == last_block {
            blocks[wanted].advance(equal[wanted - first], into, last_row);
        }
        if column % LOOK == LOOK - 1 && is_beyond(&blocks[first..=wanted], most) {
            // If errors go on as they came so far.
            return Err((most as f64 * text.len() as f64 / column as f64) as usize);
        }
    }
    let score = blocks[last_block].score;
    if score <= most { Ok(score) } else { Err(score) }
}

/// Return whether no row of a column can be as little as `most`: in sixty-four rows it falls by no
/// more than that.
fn is_beyond(blocks: &[ColumnBlock], most: usize) -> bool {
    blocks.iter().all(|block| {
        let falls = block.up.count_ones() as usize;
        block.score > most + falls
    })
}
