//! Sets that share common values alone: they ask an index, and those that are found leave it, so
//! that a family costs as many comparisons as it has sets, however many pairs.

use super::prefixes::Prefixes;
use super::texts::Texts;
use crate::error::KernelError;
use crate::overlap::{
    self, Postings, PrefixScan, Resemblance, SharedCounts, visit_family_by_family,
};
use crate::progress::{JUMP, Progress};
use crate::reserve;

/// The sets with common values, by size.
struct CommonIndex<'p, 't> {
    texts: &'p Texts<'t>,
    prefixes: &'p Prefixes<'p>,
    /// The place of each in `prefixes`.
    places: Vec<u32>,
    sizes: Vec<u32>,
    listed: overlap::Prefixes,
}

/// Calls `alike` for candidate pairs that share common values, and skips those already in one
/// family; `alike` decides whether two sets resemble each other.
///
/// # Errors
/// [`KernelError`], or what `alike` answers.
pub(super) fn connect_by_common_values(
    texts: &Texts,
    prefixes: &Prefixes,
    rule: Resemblance,
    progress: &Progress,
    mut alike: impl FnMut(usize, usize, &Progress) -> Result<bool, KernelError>,
) -> Result<(), KernelError> {
    let index = CommonIndex::new(texts, prefixes, rule)?;
    let count = index.places.len();
    let mut postings = Postings::index(&index.listed, |_| usize::MAX, progress)?;
    let mut seen = SharedCounts::new(count);
    // Sets that do not ask are found by what they resemble; until then they wait.
    visit_family_by_family(
        count,
        |rank| index.has_main_set(rank),
        |rank, asked, reached, waiting| {
            progress.note_done(asked, count);
            for other in
                index.candidates(rank, rule, (&mut postings, &mut seen), reached, progress)?
            {
                let pair = [rank, other].map(|rank| index.places[rank as usize] as usize);
                if alike(pair[0], pair[1], progress)? {
                    reserve::push(waiting, other)?;
                }
            }
            Ok(())
        },
    )
}

impl<'p, 't> CommonIndex<'p, 't> {
    fn new(
        texts: &'p Texts<'t>,
        prefixes: &'p Prefixes<'p>,
        rule: Resemblance,
    ) -> Result<Self, KernelError> {
        let of = |&place: &u32| prefixes.common_values(place as usize);
        let enough = |place: &u32| {
            let least = rule.smallest_partner(prefixes.sets[*place as usize].size as usize);
            // Whoever resembles it shares as many values of its prefix. With fewer common ones it
            // shares a rare one with each of them, and has met it there.
            of(place).len() >= rule.prefix_hits(least as u32) as usize
        };
        let mut places: Vec<u32> = (0..prefixes.sets.len() as u32).filter(enough).collect();
        places.sort_unstable_by_key(|&place| (prefixes.sets[place as usize].size, place));
        let mut starts = reserve::new_list(places.len() + 1)?;
        let mut tokens = reserve::new_list(places.iter().map(|place| of(place).len()).sum())?;
        starts.push(0);
        for place in &places {
            tokens.extend_from_slice(of(place));
            starts.push(tokens.len());
        }
        let lone =
            places.iter().map(|&place| prefixes.sets[place as usize].before_common).collect();
        let listed = overlap::Prefixes { first: 0, starts, tokens, lone };
        let sizes = places.iter().map(|&place| prefixes.sets[place as usize].size).collect();
        Ok(Self { texts, prefixes, places, sizes, listed })
    }

    fn has_main_set(&self, rank: u32) -> bool {
        self.texts.is_main_set(self.prefixes.sets[self.places[rank as usize] as usize].node)
    }

    /// The sets that a set may resemble, of those that were not reached.
    fn candidates(
        &self,
        rank: u32,
        rule: Resemblance,
        (postings, seen): (&mut Postings, &mut SharedCounts),
        reached: &[bool],
        progress: &Progress,
    ) -> Result<Vec<u32>, KernelError> {
        let size = self.sizes[rank as usize];
        let least = rule.smallest_partner(size as usize);
        let low = self.sizes.partition_point(|&its| (its as usize) < least) as u32;
        // By the other set's own bound, which ascends with its size: the exact inverse of `low`.
        let fits = |its: u32| rule.smallest_partner(its as usize) <= size as usize;
        let high = self.sizes.partition_point(|&its| fits(its)) as u32;
        let need = |its: u32| rule.values_needed((size + its) as usize) as u32;
        let scan = PrefixScan { rule, sizes: &self.sizes, first: 0, ranks: low..high };
        scan.count_shared(
            (size as usize, self.listed.get(rank)),
            (postings, seen),
            need,
            |other| reached[other as usize],
            progress,
        )?;
        progress.spend_values(size as usize + JUMP)?;
        let node = |rank: u32| self.prefixes.sets[self.places[rank as usize] as usize].node;
        seen.keep_enough(|other, count| {
            count >= rule.prefix_hits(need(self.sizes[other as usize]))
                && self.texts.is_measured_by(node(rank), node(other))
        });
        Ok(std::mem::take(&mut seen.found))
    }
}
