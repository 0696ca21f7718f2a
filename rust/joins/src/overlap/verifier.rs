//! The last word on every pair that a join nominates.

use super::intersect::count_shared_if_enough;
use super::ratio::{Ratio, Resemblance};
use crate::sets::{self, saturate_to_u32};
use crate::simd::intersect::SetIntersector;

/// Decides pairs at a threshold.
#[derive(Clone, Copy)]
pub(crate) struct Verifier {
    rule: Resemblance,
    /// The rule that counts where ids may meet by chance.
    exact: Option<Resemblance>,
    intersector: SetIntersector,
}

impl Verifier {
    /// Decides by `rule`, and by the threshold that is `exact` where sets have whole hashes.
    pub(crate) fn new(rule: Resemblance, exact: Option<Ratio>) -> Self {
        Self {
            rule,
            exact: exact.map(Resemblance::of_threshold_or_one),
            intersector: SetIntersector::detect(),
        }
    }

    /// The number of values that two sets share, if that is enough; `whole` gives the whole hashes
    /// of either, if it is large.
    #[inline]
    pub(crate) fn count_if_alike<'a>(
        &self,
        set: &[u32],
        other: &[u32],
        whole: impl FnOnce() -> (Option<&'a [u64]>, Option<&'a [u64]>),
    ) -> Option<u32> {
        let need = self.rule.values_needed(set.len() + other.len());
        let shared = count_shared_if_enough(self.intersector, set, other, need)?;
        let Some(exact) = self.exact else { return Some(saturate_to_u32(shared)) };
        is_enough(exact, set.len() + other.len(), shared, whole()).then(|| saturate_to_u32(shared))
    }
}

/// True if values shared at the threshold of the join are enough at that which counts. Of two large
/// sets, the whole hashes decide.
fn is_enough(
    exact: Resemblance,
    sizes: usize,
    shared: usize,
    whole: (Option<&[u64]>, Option<&[u64]>),
) -> bool {
    let (Some(left), Some(right)) = whole else {
        return shared >= exact.values_needed(sizes);
    };
    sets::count_shared(left, right) >= exact.values_needed(left.len() + right.len())
}
