//! The lengths of all lists, counted before any list is made, so that a set can choose.

use super::classes::Class;
use super::cut::CutSets;
use super::lists::bucket_of_sum;
use crate::error::KernelError;
use crate::parallel::Team;
use crate::progress::Progress;
use crate::reserve;

/// Levels that numbers of sets fall into: all below sixteen, then four from one power of two to the
/// next.
pub(super) const LEVELS: usize = 128;

/// The largest table of counts has two to the power of as many: 8 MB, and each thread has two.
const MOST_BITS: u32 = 22;

/// The level of a number of sets; it ascends with the number, and is 0 for none.
#[inline(always)]
pub(super) fn level_of(count: u32) -> u8 {
    if count < 16 {
        return count as u8;
    }
    let log = count.ilog2();
    (16 + 4 * (log - 4) + ((count >> (log - 2)) & 3)) as u8
}

/// The least number of a level.
pub(super) const fn least_of_level(level: usize) -> u32 {
    if level < 16 {
        return level as u32;
    }
    (4 + (level as u32 & 3)) << ((level as u32 - 16) / 4 + 2)
}

/// The levels of the lists of some sets that ask, part by part.
pub(super) struct ListLevels {
    /// Per part the levels of the sets that are equal there, and after them, where these are asked
    /// for, the levels of those and of sets that have one value more or less there.
    levels: Vec<u8>,
    askers: usize,
    but_one: bool,
}

impl ListLevels {
    /// Counts among the first `members` sets of the cut `listed`, for all sets of `asking`, in the
    /// parts of a class. Where both are one cut, a member does not count itself. `scratch` is a
    /// list that is no longer needed. Each part is counted by one thread, and no count depends on
    /// another part.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
    pub(super) fn of<T: Send>(
        team: &mut Team<T>,
        listed: &CutSets,
        members: usize,
        asking: &CutSets,
        class: &Class,
        scratch: Vec<u8>,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let &Class { parts, but_one, .. } = class;
        let among = asking.count;
        // Counted with the others, a member would never find an empty list.
        let themselves = if std::ptr::eq(listed, asking) { members } else { 0 };
        let own = |column: usize| u32::from(column < themselves);
        let each = if but_one { 2 * among } else { among };
        let mut levels = reserve::resize_or_replace(scratch, parts * each)?;
        // Cells for twice or four times the members: a sum that shares a cell makes a list look
        // longer than it is.
        let finer = if but_one { 1 } else { 2 };
        let bits = (members.next_power_of_two().ilog2() + finer).min(MOST_BITS);
        let mut team =
            team.pair_each_state_with(|| Ok([SumCounts::new(bits)?, SumCounts::new(bits)?]))?;
        team.fill_pieces_of_list(
            &mut levels,
            each,
            progress,
            |(_, cells), part, levels, progress| {
                let [of_sum, without] = cells;
                progress.spend_values(members + among)?;
                of_sum.clear();
                let sums = &listed.sums(part)[..members];
                sums.iter().for_each(|&sum| of_sum.count_one(sum));
                let (equal, off_by_one) = levels.split_at_mut(among);
                let asked = asking.sums(part).iter().enumerate();
                if !but_one {
                    for (level, (column, &sum)) in equal.iter_mut().zip(asked) {
                        *level = level_of(of_sum.count_of(sum) - own(column));
                    }
                    return Ok(());
                }
                without.clear();
                for (&sum, hashes) in sums.iter().zip(listed.hashes(part)) {
                    hashes.iter().for_each(|&hash| without.count_one(sum.wrapping_sub(hash)));
                }
                for ((equal, off_by_one), ((column, &sum), hashes)) in
                    equal.iter_mut().zip(off_by_one).zip(asked.zip(asking.hashes(part)))
                {
                    let equal_sets = of_sum.count_of(sum) - own(column);
                    let less: u32 =
                        hashes.iter().map(|&hash| of_sum.count_of(sum.wrapping_sub(hash))).sum();
                    (*equal, *off_by_one) =
                        (level_of(equal_sets), level_of(equal_sets + less + without.count_of(sum)));
                }
                Ok(())
            },
        )?;
        Ok(Self { levels, askers: among, but_one })
    }

    fn levels_of_part(&self, part: usize) -> (&[u8], &[u8]) {
        let each = if self.but_one { 2 * self.askers } else { self.askers };
        self.levels[part * each..(part + 1) * each].split_at(self.askers)
    }

    /// Levels of the sets that are equal in a part.
    pub(super) fn levels_of_equal(&self, part: usize) -> &[u8] {
        self.levels_of_part(part).0
    }

    /// Levels of those and of sets that have one value more or less there; empty where these are
    /// not asked for.
    pub(super) fn levels_of_off_by_one(&self, part: usize) -> &[u8] {
        self.levels_of_part(part).1
    }

    /// The list that it was made of, and that is no longer needed.
    pub(super) fn into_scratch(self) -> Vec<u8> {
        self.levels
    }
}

/// The number of times that sums occur, or more: sums that fall into one cell are counted together,
/// up to 65,535.
struct SumCounts {
    counts: Vec<u16>,
    bits: u32,
}

impl SumCounts {
    fn new(bits: u32) -> Result<Self, KernelError> {
        Ok(Self { counts: reserve::repeat_value(0_u16, 1 << bits)?, bits })
    }

    fn clear(&mut self) {
        self.counts.fill(0);
    }

    #[inline(always)]
    fn count_one(&mut self, sum: u32) {
        let count = &mut self.counts[bucket_of_sum(sum, self.bits)];
        *count = count.saturating_add(1);
    }

    #[inline(always)]
    fn count_of(&self, sum: u32) -> u32 {
        self.counts[bucket_of_sum(sum, self.bits)].into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_ascend_and_begin_at_their_numbers() {
        for at in 0..LEVELS {
            assert_eq!(usize::from(level_of(least_of_level(at))), at);
            if at > 0 {
                assert_eq!(usize::from(level_of(least_of_level(at) - 1)), at - 1);
            }
        }
        assert_eq!(usize::from(level_of(u32::MAX)), LEVELS - 1);
    }
}
