//! The one judge: by which sets two texts are measured, how many shingles they share, and what they
//! are to each other.
//!
//! A pair is measured by characters where one text is short and neither is long ([`LengthClass`]),
//! and by words otherwise (Broder 1997, section 2, on sets of shingles). Two sets so large
//! that 32-bit ids of theirs would meet by chance are counted on 64-bit hashes. Whether one text is
//! in the other is decided by words always, since any two texts of a language share most of their
//! characters; a text of fewer than [`RUN`] words stands in another one as a whole, or not at all.
//! All measures of a pair are of one kind of shingles, so that a resemblance never exceeds a
//! containment: those that decided its verdict.

use crate::error::{KernelError, Watch};
use crate::overlap::{AHEAD, HashSets, IdSets, Ratio, count_shared_if_enough};
use crate::parallel::Team;
use crate::progress::{JUMP, Progress};
use crate::sets;
use crate::simd::intersect::SetIntersector;
use crate::simd::prefetch::prefetch_set;

/// A text of fewer words is short: in a text of 20 words, one changed word changes 3 of 18 shingles
/// of words, so that words alone say too little.
pub const SHORT_BELOW_WORDS: u32 = 50;

/// A text of this number of words or more is long: it keeps no characters. It is twice
/// [`SHORT_BELOW_WORDS`]: sets that resemble each other by one half or more differ in size at most
/// twofold.
pub const LONG_FROM_WORDS: u32 = 100;

/// A class of texts by their number of words, which decides by which sets a text is measured.
///
/// Numbers in a column begin at 1: 0 is [`HIDDEN`](crate::overlap::HIDDEN), a text that is not
/// joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum LengthClass {
    /// Measured by characters, except with a long text, where words measure both.
    Short = 1,
    /// Measured by characters with a short text, and by words with others.
    Middle = 2,
    /// Measured by words.
    Long = 3,
}

impl LengthClass {
    /// That of a text of as many words.
    #[inline]
    #[must_use]
    pub fn of(words: u32) -> Self {
        match words {
            ..SHORT_BELOW_WORDS => Self::Short,
            SHORT_BELOW_WORDS..LONG_FROM_WORDS => Self::Middle,
            LONG_FROM_WORDS.. => Self::Long,
        }
    }

    /// That of a number in a column; `None` where it is of no class.
    #[inline]
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        [Self::Short, Self::Middle, Self::Long].into_iter().find(|&class| class as u8 == number)
    }

    /// Returns whether two texts are measured by their characters, and not by their words: where
    /// one is short and neither is long.
    #[inline]
    #[must_use]
    pub fn is_measured_by_characters_with(self, other: Self) -> bool {
        self.min(other) == Self::Short && self.max(other) != Self::Long
    }
}

/// A text of fewer words is contained in another one as a whole or not at all: it has at most five
/// shingles of three words, and any share of so few occurs by chance.
pub const RUN: u32 = 8;

/// Pairs that one thread judges one after the other.
const TOGETHER: usize = 1 << 10;

/// The bits, all 0, with which the digest of a text without its numbers begins, if it has no word
/// without a number.
pub const WORDLESS_BITS: u32 = 32;

/// Return whether a text has a word without a number, by the digest of it without its numbers, the
/// highest byte first. A text with such a word seems to have none by chance once in 2^32.
#[must_use]
pub fn has_words(masked_digest: &[u8]) -> bool {
    let first = &masked_digest[..masked_digest.len().min(WORDLESS_BITS as usize / 8)];
    first.iter().any(|&byte| byte != 0)
}

/// Equality of the digests of two rows.
pub type Equal<'a> = &'a (dyn Fn(usize, usize) -> bool + Sync);

/// Columns by which pairs of texts are judged, a text a row.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// Number of words.
    pub words: &'a [u32],
    /// Its shingles of words.
    pub word_shingles: IdSets<'a>,
    /// The whole hashes of these, where they are many.
    pub word_hashes: HashSets<'a>,
    /// Its shingles of characters, where it is not long.
    pub character_shingles: IdSets<'a>,
}

/// Digests of texts: of their bytes, of what is left when case and white space do not count, and
/// of what is left of that without its numbers.
#[derive(Clone, Copy)]
pub struct Digests<'a> {
    /// Equality of the bytes of two rows.
    pub bytes: Equal<'a>,
    /// Equality of their normalised texts.
    pub text: Equal<'a>,
    /// Equality of these without their numbers.
    pub masked: Equal<'a>,
    /// The same of texts with words besides their numbers.
    pub words: Equal<'a>,
}

/// Conditions of a verdict other than `Different`.
#[derive(Clone, Copy, Default)]
pub struct Thresholds<'a> {
    /// The least resemblance of near texts; `None` accepts any.
    pub resemblance: Option<Ratio>,
    /// The least part of one that makes it contained in the other; `None` if that does not count.
    pub containment: Option<Ratio>,
    /// True if texts with words that differ only in numbers need not reach `resemblance`.
    pub any_numbers: bool,
    /// The site of each row, below 0 where it has none, and what texts of one site must share.
    pub one_site: Option<(&'a [i64], Ratio)>,
}

/// Relation of the left text to the right one, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Verdict {
    /// Equal bytes.
    Identical,
    /// Equal but for case and white space.
    Exact,
    /// Equal but for numbers, and near; or at any resemblance, if the thresholds say so.
    NumbersOnly,
    /// Alike enough.
    Near,
    /// The left is in the right.
    Contained,
    /// The right is in the left.
    Contains,
    /// Nothing of that.
    Different,
}

impl Verdict {
    /// Names of all verdicts, each at its number.
    pub const NAMES: [&str; 7] =
        ["identical", "exact", "numbers_only", "near", "contained", "contains", "different"];

    /// Name of the verdict.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// A part of a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fraction {
    /// Size of the part.
    pub part: u64,
    /// Size of the whole.
    pub whole: u64,
}

impl Fraction {
    /// Nearest number.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.part as f64 / self.whole.max(1) as f64
    }

    fn reaches(&self, least: Ratio) -> bool {
        least.is_reached(self.part, self.whole)
    }
}

/// Sizes of two sets of shingles and of their intersection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// |A n B|.
    pub shared: u64,
    /// |A|.
    pub left: u64,
    /// |B|.
    pub right: u64,
}

impl Counts {
    fn of(shared: usize, left: usize, right: usize) -> Self {
        Self { shared: shared as u64, left: left as u64, right: right as u64 }
    }

    /// |A u B|.
    #[must_use]
    pub fn union(&self) -> u64 {
        self.left + self.right - self.shared
    }

    /// The part of all shingles that both have.
    #[must_use]
    pub fn resemblance(&self) -> Fraction {
        Fraction { part: self.shared, whole: self.union() }
    }

    /// The part of the left text that stands in the right one, and the other way round.
    #[must_use]
    pub fn containments(&self) -> [Fraction; 2] {
        [self.left, self.right].map(|whole| Fraction { part: self.shared, whole })
    }
}

impl Evidence<'_> {
    fn is_measured_by_characters(&self, left: usize, right: usize) -> bool {
        let [left, right] = [left, right].map(|row| LengthClass::of(self.count_words(row)));
        left.is_measured_by_characters_with(right)
    }

    fn count_words(&self, row: usize) -> u32 {
        self.words.get(row).copied().unwrap_or(0)
    }

    /// The ids by which two rows are measured.
    fn measured_ids(&self, left: usize, right: usize) -> [&[u32]; 2] {
        let by_characters = self.is_measured_by_characters(left, right);
        let column = if by_characters { self.character_shingles } else { self.word_shingles };
        [column.set_or_empty(left), column.set_or_empty(right)]
    }

    /// The shingles of two rows, by the sets that measure them.
    #[must_use]
    pub fn count_shingles(&self, intersector: SetIntersector, left: usize, right: usize) -> Counts {
        let [a, b] = [left, right].map(|row| self.word_hashes.set_or_empty(row));
        if !a.is_empty() && !b.is_empty() {
            return Counts::of(sets::count_shared(a, b), a.len(), b.len());
        }
        count_shared(intersector, self.measured_ids(left, right))
    }

    /// Returns whether two rows are measured by their whole hashes.
    fn is_measured_by_hashes(&self, left: usize, right: usize) -> bool {
        [left, right].iter().all(|&row| !self.word_hashes.set_or_empty(row).is_empty())
    }

    /// The same of two rows that are measured by ids, where `shared` of these are known to be
    /// common.
    fn count_ids_with_known_shared(&self, left: usize, right: usize, shared: i64) -> Counts {
        let [left, right] = self.measured_ids(left, right).map(<[u32]>::len);
        Counts::of((shared as usize).min(left).min(right), left, right)
    }

    /// The shingles of words of two rows.
    fn count_word_shingles(
        &self,
        intersector: SetIntersector,
        left: usize,
        right: usize,
    ) -> Counts {
        count_shared(intersector, [left, right].map(|row| self.word_shingles.set_or_empty(row)))
    }
}

fn count_shared(intersector: SetIntersector, [a, b]: [&[u32]; 2]) -> Counts {
    Counts::of(count_shared_if_enough(intersector, a, b, 0).unwrap_or(0), a.len(), b.len())
}

/// Judges pairs of rows, on `jobs` threads: for each its shingles and its verdict. They are those
/// that measure the pair, or its words where these decide that one text is in the other. A join
/// that found them also knows how many ids they have in common, which are then not counted again;
/// `shared` is empty otherwise. Each pair is judged on its own, and they come back in their order.
///
/// # Errors
/// [`KernelError::Interrupted`].
pub fn judge_pairs(
    evidence: &Evidence,
    digests: Digests,
    thresholds: Thresholds,
    [left, right]: [&[u32]; 2],
    shared: &[i64],
    jobs: usize,
    watch: Watch,
) -> Result<(Vec<Counts>, Vec<Verdict>), KernelError> {
    let progress = Progress::stage(watch, 0.0, 1.0);
    let count = left.len().min(right.len());
    let intersector = SetIntersector::detect();
    let row = |column: &[u32], place: usize| column.get(place).map(|&row| row as usize);
    let work = |(): &mut (), piece: usize, progress: &Progress| {
        let places = piece * TOGETHER..count.min((piece + 1) * TOGETHER);
        progress.note_done(places.start, count);
        let mut judged = Vec::with_capacity(places.len());
        for place in places {
            let coming = row(left, place + AHEAD).zip(row(right, place + AHEAD));
            if let Some((a, b)) = coming.filter(|_| shared.is_empty()) {
                evidence.measured_ids(a, b).into_iter().for_each(prefetch_set);
            }
            let (a, b) = (left[place] as usize, right[place] as usize);
            let alike = match shared.get(place) {
                Some(&shared) if !evidence.is_measured_by_hashes(a, b) => {
                    evidence.count_ids_with_known_shared(a, b, shared)
                }
                _ => evidence.count_shingles(intersector, a, b),
            };
            progress.spend_values(alike.left as usize + alike.right as usize + JUMP)?;
            judged.push(match judge_equal_or_near(alike, digests, thresholds, a, b) {
                Some(verdict) => (alike, verdict),
                None => {
                    judge_containment(evidence, intersector, thresholds.containment, [a, b], alike)
                }
            });
        }
        Ok(judged)
    };
    let judged = Team::new(jobs, || ()).share_out(count.div_ceil(TOGETHER), &progress, work)?;
    Ok(judged.into_iter().flatten().unzip())
}

/// The verdict of two texts that are equal, equal but for something, or near; `None` of others.
fn judge_equal_or_near(
    alike: Counts,
    digests: Digests,
    thresholds: Thresholds,
    a: usize,
    b: usize,
) -> Option<Verdict> {
    if (digests.bytes)(a, b) {
        return Some(Verdict::Identical);
    }
    if (digests.text)(a, b) {
        return Some(Verdict::Exact);
    }
    let alike = alike.resemblance();
    let near = thresholds.resemblance.is_none_or(|least| alike.reaches(least))
        && thresholds.one_site.is_none_or(|(sites, least)| {
            sites[a] < 0 || sites[a] != sites[b] || alike.reaches(least)
        });
    // Two texts of nothing but numbers are alike only if they share some.
    if near && (digests.masked)(a, b) || thresholds.any_numbers && (digests.words)(a, b) {
        return Some(Verdict::NumbersOnly);
    }
    near.then_some(Verdict::Near)
}

/// The verdict of two other texts, and the shingles that decide it.
///
/// Two texts may each be in the other. Then the one with the larger part there is, since it is the
/// smaller text; of equal parts the left one. So a pair has one verdict, whichever text is named
/// first, and who turns a pair round needs its two parts alone: texts with as many shingles have
/// one answer, that of the one with more words.
fn judge_containment(
    evidence: &Evidence,
    intersector: SetIntersector,
    containment: Option<Ratio>,
    [a, b]: [usize; 2],
    alike: Counts,
) -> (Counts, Verdict) {
    let Some(least) = containment else { return (alike, Verdict::Different) };
    let words = if evidence.is_measured_by_characters(a, b) {
        evidence.count_word_shingles(intersector, a, b)
    } else {
        alike // Counted by words already.
    };
    let [left, right] = words.containments();
    let mut lengths = [a, b].map(|row| evidence.count_words(row));
    if left.whole == right.whole {
        // Sets of one size have equal parts, so that turning the pair round must not change who is
        // contained; texts of one size may differ in words, where one repeats itself.
        lengths = [lengths[0].max(lengths[1]); 2];
    }
    // The shortest texts are in another one as a whole, or not at all.
    let holds = [(lengths[0], left), (lengths[1], right)]
        .map(|(words, part)| part.reaches(least) && (words >= RUN || part.part == part.whole));
    match holds {
        [false, false] => (alike, Verdict::Different),
        [true, false] => (words, Verdict::Contained),
        [false, true] => (words, Verdict::Contains),
        // The part is the shared shingles of both: the smaller whole has the larger part.
        [true, true] if left.whole <= right.whole => (words, Verdict::Contained),
        [true, true] => (words, Verdict::Contains),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: Ratio = Ratio { numerator: 1, denominator: 2 };
    const MOST: Ratio = Ratio { numerator: 9, denominator: 10 };

    fn evidence<'a>(words: &'a [u32]) -> Evidence<'a> {
        Evidence {
            words,
            word_shingles: IdSets { offsets: &[0, 2, 5, 9], values: &[1, 2, 1, 2, 3, 1, 2, 3, 4] },
            word_hashes: HashSets { offsets: &[0, 0, 2, 5], values: &[7, 8, 7, 8, 9] },
            character_shingles: IdSets { offsets: &[0, 1, 2, 2], values: &[5, 5] },
        }
    }

    fn judge_copies(words: &[u32], thresholds: Thresholds) -> Vec<Verdict> {
        let never = |_: usize, _: usize| false;
        let digests = Digests { bytes: &never, text: &never, masked: &never, words: &never };
        let found = judge_pairs(
            &evidence(words),
            digests,
            thresholds,
            [&[0, 0, 1], &[1, 2, 2]],
            &[],
            1,
            &|_| true,
        );
        found.unwrap_or_default().1
    }

    #[test]
    fn any_number_of_threads_judges_each_pair_as_alone() {
        let digests = Digests {
            bytes: &|a, b| a + b == 3,
            text: &|_, _| false,
            masked: &|a, b| a == b,
            words: &|_, _| false,
        };
        let of =
            Thresholds { containment: Some(MOST), resemblance: Some(MOST), ..Default::default() };
        let (left, right): (Vec<u32>, Vec<u32>) =
            (0..5000).map(|pair| (pair % 3, pair / 3 % 3)).unzip();
        let words = [60, 120, 300];
        let alone: Vec<_> = left
            .chunks(1)
            .zip(right.chunks(1))
            .map(|(a, b)| judge_pairs(&evidence(&words), digests, of, [a, b], &[], 1, &|_| true))
            .map(|found| found.map(|(counts, verdicts)| (counts[0], verdicts[0])))
            .collect::<Result<_, _>>()
            .unwrap_or_default();
        assert_eq!(alone.len(), 5000);
        for jobs in [1, 2, 3, 8] {
            let found =
                judge_pairs(&evidence(&words), digests, of, [&left, &right], &[], jobs, &|_| true);
            let (counts, verdicts) = found.unwrap_or_default();
            assert!(counts.into_iter().zip(verdicts).eq(alone.iter().copied()), "{jobs} jobs");
        }
    }

    #[test]
    fn characters_measure_a_short_text_beside_one_that_is_not_long() {
        let cases = [
            ((49, 99), true),
            ((49, 49), true),
            ((50, 99), false),
            ((49, 100), false),
            ((50, 50), false),
            ((0, 99), true),
        ];
        for ((left, right), expected) in cases {
            for words in [[left, right], [right, left]] {
                assert_eq!(evidence(&words).is_measured_by_characters(0, 1), expected, "{words:?}");
            }
        }
    }

    #[test]
    fn large_sets_are_counted_on_whole_hashes() {
        let texts = evidence(&[60, 60, 60]);
        assert_eq!(
            texts.count_shingles(SetIntersector::detect(), 0, 1),
            Counts { shared: 2, left: 2, right: 3 }
        );
        assert_eq!(
            texts.count_shingles(SetIntersector::detect(), 1, 2),
            Counts { shared: 2, left: 2, right: 3 }
        );
        assert_eq!(
            evidence(&[9, 9, 9]).count_shingles(SetIntersector::detect(), 0, 1),
            Counts { shared: 1, left: 1, right: 1 }
        );
    }

    #[test]
    fn what_a_join_has_counted_is_not_counted_again_except_for_large_sets() {
        let (texts, intersector) = (evidence(&[60, 60, 60]), SetIntersector::detect());
        let never = |_: usize, _: usize| false;
        let digests = Digests { bytes: &never, text: &never, masked: &never, words: &never };
        let count = |left: u32, right: u32, known: &[i64]| {
            let (pair, near) = ([&[left][..], &[right]], Thresholds::default());
            let judged = judge_pairs(&texts, digests, near, pair, known, 1, &|_| true);
            judged.unwrap_or_default().0
        };
        for (left, right) in [(0, 1), (0, 2), (1, 2)] {
            let (one, other) = (left as usize, right as usize);
            let ids = count_shared(intersector, texts.measured_ids(one, other)).shared as i64;
            let counted = texts.count_shingles(intersector, one, other);
            assert_eq!(count(left, right, &[ids]), [counted]);
            assert_eq!(count(left, right, &[]), [counted]);
        }
        // Both have whole hashes, which a count of ids does not replace.
        assert_eq!(count(1, 2, &[1]), [texts.count_shingles(intersector, 1, 2)]);
        assert_eq!(count(0, 1, &[1])[0].shared, 1);
        assert_eq!(count(0, 1, &[-1])[0].shared, 2);
    }

    #[test]
    fn the_first_verdict_that_holds() {
        let thresholds = Thresholds {
            resemblance: Some(HALF),
            containment: Some(MOST),
            ..Thresholds::default()
        };
        let long = [60, 60, 60];
        assert_eq!(judge_copies(&long, thresholds), [Verdict::Near; 3]);
        let strict = Thresholds { resemblance: Some(MOST), ..thresholds };
        assert_eq!(judge_copies(&long, strict), [Verdict::Contained; 3]);
        let alone = Thresholds { containment: None, ..strict };
        assert_eq!(judge_copies(&long, alone), [Verdict::Different; 3]);
        let sites: &[i64] = &[3, 3, -1];
        let apart = Thresholds { one_site: Some((sites, MOST)), ..thresholds };
        let expected = [Verdict::Contained, Verdict::Near, Verdict::Near];
        assert_eq!(judge_copies(&long, apart), expected);
        assert_eq!(judge_copies(&long, Thresholds::default()), [Verdict::Near; 3]);
    }

    #[test]
    fn words_decide_what_is_contained_and_the_shortest_texts_are_as_a_whole() {
        let never = |_: usize, _: usize| false;
        let digests = Digests { bytes: &never, text: &never, masked: &never, words: &never };
        let inside = |words: [u32; 3], left: u32, right: u32| {
            let thresholds = Thresholds {
                resemblance: Some(Ratio { numerator: 2, denominator: 1 }),
                containment: Some(HALF),
                ..Thresholds::default()
            };
            let found = judge_pairs(
                &evidence(&words),
                digests,
                thresholds,
                [&[left], &[right]],
                &[],
                1,
                &|_| true,
            );
            let (counts, verdicts) = found.unwrap_or_default();
            (verdicts[0], counts[0].containments().map(|of| (of.part, of.whole)))
        };
        // By characters, the first two are equal; by words, one is in the other.
        assert_eq!(inside([20, 20, 20], 0, 1), (Verdict::Contained, [(2, 2), (2, 3)]));
        assert_eq!(inside([20, 20, 20], 1, 0), (Verdict::Contains, [(2, 3), (2, 2)]));
        assert_eq!(inside([7, 20, 20], 0, 1), (Verdict::Contained, [(2, 2), (2, 3)]));
        assert_eq!(inside([20, 7, 20], 1, 0), (Verdict::Contains, [(2, 3), (2, 2)]));
        // A part of a text of few words does not count, and what measures the pair is shown.
        assert_eq!(inside([120, 7, 20], 1, 0), (Verdict::Contains, [(2, 3), (2, 2)]));
        assert_eq!(inside([120, 7, 7], 1, 2), (Verdict::Contained, [(3, 3), (3, 4)]));
        assert_eq!(inside([120, 7, 7], 2, 1), (Verdict::Contains, [(3, 4), (3, 3)]));
        let strangers = inside([20, 20, 20], 0, 2);
        assert_eq!(strangers, (Verdict::Contained, [(2, 2), (2, 4)]));
    }

    #[test]
    fn of_two_texts_that_are_each_in_the_other_the_smaller_one_is_contained() {
        let never = |_: usize, _: usize| false;
        let digests = Digests { bytes: &never, text: &never, masked: &never, words: &never };
        let thresholds = Thresholds {
            resemblance: Some(Ratio { numerator: 2, denominator: 1 }),
            containment: Some(HALF),
            ..Thresholds::default()
        };
        let judge = |evidence: &Evidence, left: u32, right: u32| {
            let pair = [&[left][..], &[right][..]];
            let judged = judge_pairs(evidence, digests, thresholds, pair, &[], 1, &|_| true);
            judged.unwrap_or_default().1[0]
        };
        // Texts 0 and 1 share two of three shingles each, text 2 has these two and two more.
        for words in [[20, 20, 20], [7, 20, 20], [20, 7, 7], [7, 7, 7]] {
            let texts = Evidence {
                words: &words,
                word_shingles: IdSets {
                    offsets: &[0, 3, 6, 10],
                    values: &[1, 2, 3, 1, 2, 4, 1, 2, 5, 6],
                },
                word_hashes: HashSets { offsets: &[], values: &[] },
                character_shingles: IdSets { offsets: &[0; 4], values: &[] },
            };
            let expected =
                if words[..2] == [7, 7] { Verdict::Different } else { Verdict::Contained };
            assert_eq!([judge(&texts, 0, 1), judge(&texts, 1, 0)], [expected; 2], "{words:?}");
            for small in [0, 1] {
                let turned = match judge(&texts, small, 2) {
                    Verdict::Contained => Verdict::Contains,
                    Verdict::Contains => Verdict::Contained,
                    other => other,
                };
                assert_eq!(judge(&texts, 2, small), turned, "{words:?}");
                if words[small as usize] >= RUN {
                    assert_eq!(turned, Verdict::Contains, "{words:?}");
                }
            }
        }
    }

    #[test]
    fn equal_digests_come_first_and_numbers_before_what_is_near() {
        let texts = evidence(&[60, 60, 60]);
        let one = |left: usize, right: usize| (left, right) == (0, 1);
        let never = |_: usize, _: usize| false;
        let verdict = |digests, thresholds| {
            let found = judge_pairs(&texts, digests, thresholds, [&[0], &[1]], &[], 1, &|_| true);
            found.unwrap_or_default().1[0]
        };
        let strict = Thresholds { resemblance: Some(MOST), ..Thresholds::default() };
        let bytes = Digests { bytes: &one, text: &one, masked: &one, words: &one };
        assert_eq!(verdict(bytes, strict), Verdict::Identical);
        let text = Digests { bytes: &never, ..bytes };
        assert_eq!(verdict(text, strict), Verdict::Exact);
        let numbers = Digests { text: &never, ..text };
        assert_eq!(verdict(numbers, strict), Verdict::Different);
        assert_eq!(verdict(numbers, Thresholds::default()), Verdict::NumbersOnly);
        let any = Thresholds { any_numbers: true, ..strict };
        assert_eq!(verdict(numbers, any), Verdict::NumbersOnly);
        assert_eq!(verdict(Digests { words: &never, ..numbers }, any), Verdict::Different);
    }
}
