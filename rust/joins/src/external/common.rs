//! Sets that share common values alone: they ask an index, and those that are found leave it, so
//! that a family costs as many comparisons as it has sets, however many pairs.

use super::prefixes::HomePrefixes;
use super::texts::{Node, Texts};
use crate::error::KernelError;
use crate::overlap::{
    self, Postings, PrefixScan, Resemblance, SharedCounts, visit_family_by_family,
};
use crate::progress::{JUMP, Progress};
use crate::reserve;

/// The sets with as many common values as any that resemble them share, by size.
struct SetsWithCommonValues<'p, 't> {
    texts: &'p Texts<'t>,
    prefixes: &'p HomePrefixes<'p>,
    /// The place of each in `prefixes`.
    places: Vec<u32>,
    sizes: Vec<u32>,
    listed: overlap::Prefixes,
}

/// Calls `connect_if_alike` with the places of candidate pairs that share common values, except
/// where the other set was found before; it returns whether the two resemble each other.
///
/// # Errors
/// [`KernelError`], or what `connect_if_alike` answers.
pub(super) fn connect_by_common_values(
    texts: &Texts,
    prefixes: &HomePrefixes,
    rule: Resemblance,
    progress: &Progress,
    mut connect_if_alike: impl FnMut(usize, usize, &Progress) -> Result<bool, KernelError>,
) -> Result<(), KernelError> {
    let sets = SetsWithCommonValues::list_by_size(texts, prefixes, rule)?;
    let count = sets.places.len();
    let mut postings = Postings::index(&sets.listed, |_| usize::MAX, progress)?;
    let mut seen = SharedCounts::new(count);
    // Sets that do not ask are found by what they resemble; until then they wait.
    visit_family_by_family(
        count,
        |rank| texts.is_main_set(sets.node_of(rank)),
        |rank, asked, reached, waiting| {
            progress.note_done(asked, count);
            let candidates =
                sets.find_candidates(rank, rule, &mut postings, &mut seen, reached, progress)?;
            for other in candidates {
                let pair = [rank, other].map(|rank| sets.places[rank as usize] as usize);
                if connect_if_alike(pair[0], pair[1], progress)? {
                    reserve::push(waiting, other)?;
                }
            }
            Ok(())
        },
    )
}

impl<'p, 't> SetsWithCommonValues<'p, 't> {
    fn list_by_size(
        texts: &'p Texts<'t>,
        prefixes: &'p HomePrefixes<'p>,
        rule: Resemblance,
    ) -> Result<Self, KernelError> {
        let of = |&place: &u32| prefixes.common_values_of(place as usize);
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

    fn node_of(&self, rank: u32) -> Node {
        self.prefixes.sets[self.places[rank as usize] as usize].node
    }

    /// The sets that a set is compared with and may resemble, of those that were not reached; these
    /// are in time left out of the postings.
    fn find_candidates(
        &self,
        rank: u32,
        rule: Resemblance,
        postings: &mut Postings,
        seen: &mut SharedCounts,
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
        let scan = PrefixScan {
            rule,
            sizes: &self.sizes,
            first: 0,
            ranks: low..high,
            asking_size: size as usize,
            asking_prefix: self.listed.get(rank),
        };
        scan.count_shared(postings, seen, need, |other| reached[other as usize], progress)?;
        progress.spend_values(size as usize + JUMP)?;
        let own = self.node_of(rank);
        seen.keep_enough(|other, count| {
            count >= rule.prefix_hits(need(self.sizes[other as usize]))
                && self.texts.are_compared(own, self.node_of(other))
                && self.texts.is_measured_by(own, self.node_of(other))
        });
        Ok(std::mem::take(&mut seen.found))
    }
}
