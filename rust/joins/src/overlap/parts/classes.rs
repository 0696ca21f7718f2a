//! Sets of like sizes, and into how many parts they are cut.

use crate::overlap::ratio::Resemblance;
use std::ops::Range;

/// Parts into which the sets of a class are cut at most. A class that needs more has large sets,
/// with some rare values among their many, and is compared by lists of these. The result is the same
/// on either path.
const MOST_PARTS: usize = 1024;
/// The same where two alike sets may differ in one value of a part: each part is then asked for
/// several times.
const MOST_PARTS_BUT_ONE: usize = 320;
/// Values of the largest set that a member of a class may be like; larger ones have rare values.
const MOST_VALUES: usize = 4096;

/// Some sets, and how they are joined with each other and with larger ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::overlap) struct Class {
    /// The sizes of the members.
    pub(in crate::overlap) sizes: Range<usize>,
    /// The size of the largest set that may resemble a member.
    pub(super) largest: usize,
    /// The most values in which a member and such a set may differ.
    pub(super) differing: usize,
    /// The number of parts.
    pub(in crate::overlap) parts: usize,
    /// True if sets are found that have one value more or less in a part. Then half as many parts
    /// as values that may differ are enough.
    pub(super) but_one: bool,
}

impl Class {
    /// The class of sets of `start` values and a few more.
    fn of(rule: Resemblance, start: usize) -> Self {
        // Measured best, of 0 to 50 % wider classes and of .6 to 2 times as many parts.
        let but_one = rule.is_below_three_quarters();
        let (wider, more) = if but_one { (112, 75) } else { (125, 130) };
        let sizes = start..(start * wider / 100).max(start + 1);
        let last = sizes.end - 1;
        let largest = rule.largest_partner(last);
        let differing = rule.most_differing_up_to_size(last, largest);
        // With a part for every two differences and one more, some part has at most one.
        let least = if but_one { differing / 2 + 1 } else { differing + 1 };
        let parts = ((rule.most_differing_together(2 * last) + 1) * more).div_ceil(100).max(least);
        Self { sizes, largest, differing, parts, but_one }
    }

    /// True if parts are the better way, which then holds for all smaller sets too.
    fn is_faster_by_parts(&self) -> bool {
        let most = if self.but_one { MOST_PARTS_BUT_ONE } else { MOST_PARTS };
        self.parts <= most && self.largest <= MOST_VALUES
    }

    /// Bytes that each set takes that is cut into the parts, with all that is counted of it.
    pub(super) fn bytes_per_cut_set(&self) -> usize {
        if self.but_one { 9 * self.parts + 4 * self.sizes.end } else { 6 * self.parts }
    }
}

/// The size from which on sets are not members of classes, but compared by lists.
pub(in crate::overlap) fn first_large_size(rule: Resemblance) -> usize {
    endless_classes(rule)
        .find(|class| !class.is_faster_by_parts())
        .map_or(usize::MAX, |class| class.sizes.start)
}

/// The classes of all sizes, ascending, from one value on; there is no last one.
pub(in crate::overlap) fn endless_classes(rule: Resemblance) -> impl Iterator<Item = Class> {
    std::iter::successors(Some(Class::of(rule, 1)), move |class| {
        Some(Class::of(rule, class.sizes.end))
    })
}
