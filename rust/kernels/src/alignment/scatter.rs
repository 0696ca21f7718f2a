//! Scatter of wrong characters: alone, as noise makes them, or in runs, as edits do.

use super::Bare;

/// Characters per shingle.
pub const WIDTH: usize = 5;

/// Bits of a code point.
const BITS: usize = 21;

/// Scatter of the wrong characters of two texts: about 1 where each is alone, less the
/// longer the runs are that they are in.
///
/// A wrong character changes the [`WIDTH`] shingles that it is in, so that a share (1 -
/// p)^WIDTH of the shingles is left where a share p of the characters is wrong, each for itself.
/// The scatter is the ratio of the logarithms of what is left and of that. Text that only one has
/// counts for neither, so that lost lines are no run.
#[must_use]
pub fn measure_scatter_or_infinity(one: &Bare, other: &Bare, wrong: usize) -> f64 {
    let shorter = one.len().min(other.len());
    // At least as many characters as the lengths differ stand in one text alone.
    let wrong = wrong.saturating_sub(one.len().abs_diff(other.len()));
    if wrong == 0 {
        return 1.0;
    }
    let (one, other) = (shingles(one), shingles(other));
    let left = count_shared(&one, &other) as f64 / one.len().min(other.len()).max(1) as f64;
    let alone = (1.0 - wrong as f64 / shorter.max(wrong + 1) as f64).ln() * WIDTH as f64;
    // Where nothing is left, nothing speaks of runs.
    if left > 0.0 { left.ln() / alone } else { f64::INFINITY }
}

/// The shingles of a text, ascending; those that recur in it as often as they do, since each of
/// them may be changed.
fn shingles(text: &Bare) -> Vec<u128> {
    // Five code points of 21 bits are a number, exactly: no hash, and no shingles that meet by
    // chance.
    let mask = (1_u128 << (BITS * WIDTH)) - 1;
    let mut window = 0;
    let mut found: Vec<u128> = text
        .code_points()
        .map(|c| {
            window = (window << BITS | u128::from(c)) & mask;
            window
        })
        .skip(WIDTH - 1)
        .collect();
    found.sort_unstable();
    found
}

/// Number of values that both have.
fn count_shared(one: &[u128], other: &[u128]) -> usize {
    let (mut a, mut b, mut count) = (0, 0, 0);
    while let (Some(x), Some(y)) = (one.get(a), other.get(b)) {
        a += usize::from(x <= y);
        b += usize::from(y <= x);
        count += usize::from(x == y);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text of letters that hardly recur in the same order.
    fn text(length: u64) -> Vec<u8> {
        let letter = |n: u64| b'a' + (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as u8 % 26;
        (1..=length).map(letter).collect()
    }

    #[test]
    fn characters_alone_are_scattered_and_runs_are_not() {
        let clean = text(1000);
        let (mut alone, mut run) = (clean.clone(), clean.clone());
        (0..1000).step_by(20).for_each(|at| alone[at] = b'#');
        run[300..350].fill(b'#');
        let [clean, alone, run] = [clean, alone, run].map(Bare::Narrow);
        assert!((measure_scatter_or_infinity(&clean, &alone, 50) - 1.1).abs() < 0.1);
        assert!(measure_scatter_or_infinity(&clean, &run, 50) < 0.25);
    }

    #[test]
    fn what_is_missing_is_no_run() {
        let clean = text(1000);
        let mut lost = clean.clone();
        lost.drain(400..480);
        (0..900).step_by(30).for_each(|at| lost[at] = b'#');
        let [clean, lost] = [clean, lost].map(Bare::Narrow);
        assert!(measure_scatter_or_infinity(&clean, &lost, 110) > 0.9);
        assert!((measure_scatter_or_infinity(&clean, &clean, 0) - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn texts_that_share_nothing_speak_of_no_runs() {
        let [one, other] = [b"abcdefgh".to_vec(), b"ijklmnop".to_vec()].map(Bare::Narrow);
        assert!(measure_scatter_or_infinity(&one, &other, 8).is_infinite());
        assert!(measure_scatter_or_infinity(&Bare::default(), &one, 8).is_finite());
    }
}
