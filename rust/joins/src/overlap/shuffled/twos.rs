//! Sets of characters meet where they share two values.
//!
//! Any two texts of a language share single shingles of characters, rare ones too, so that sets
//! that meet by one value cost a time that grows with the square of their number. Two values of one
//! set are far rarer. The rarest n - o + l values of two like sets have l in common, where o is the
//! least that either shares with any (the l-prefix scheme of Wang, Li and Feng 2012, "Can we beat
//! the prefix filtering?"). With l one more than there are ranges of the values, two of these are
//! in one range. So a set sends a range of its values together ([`super::ranges`]), and sets meet
//! there by every two values.

use super::forest::{Arrived, GrowingForest, MeetingSet};
use super::records::Record;
use crate::error::KernelError;
use crate::progress::Progress;

impl GrowingForest {
    /// Connects sets of characters that share two values.
    pub(super) fn connect_alike_sets_sharing_two(
        &mut self,
        sent: &Arrived,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let value = |one: u64| (one >> 32) as u32;
        let (mut met, mut seconds) = (Vec::new(), Vec::new());
        for group in sent.firsts.chunk_by(|&a, &b| value(a) == value(b)) {
            progress.spend_values(group.len())?;
            met.clear();
            met.extend(group.iter().map(|&one| sent.met(one as u32, Record::default())));
            let mut near: Vec<&MeetingSet> = met.iter().collect();
            // Second values are the costly part: where all that share the first are connected,
            // there is nothing to find.
            if self.need_no_more_edges(&near) {
                continue;
            }
            seconds.clear();
            for (at, &one) in (0_u64..).zip(group) {
                // Values above the first alone, so that each two of a set come once: at the lower
                // one.
                let after = sent.values(one as u32).skip_while(|&other| other < value(one)).skip(1);
                seconds.extend(after.map(|other| u64::from(other) << 32 | at));
            }
            seconds.sort_unstable();
            for both in seconds.chunk_by(|&a, &b| value(a) == value(b)) {
                near.clear();
                near.extend(both.iter().map(|&one| &met[one as u32 as usize]));
                progress.spend_values(near.len())?;
                self.connect_characters(&near, progress)?;
            }
        }
        Ok(())
    }
}
