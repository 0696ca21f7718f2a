"""Noisy copies in a store: the alignment that decides.

A pair is aligned if the judge finds it contained, or finds it different but its sets reach the
resemblance for the rate, as in a search (``search.noisy``).
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.search import noise_evidence
from ilk.search.evidence import Judged, TextEvidence
from ilk.search.noise_evidence import NoiseLimits
from ilk.search.noisy_copies import UNALIKE


def align_noisy_pairs(
    sides: Sequence[tuple[TextEvidence | None, str | None]],
    pairs: Sequence[tuple[int, int]],
    judged: Sequence[Judged],
    limits: NoiseLimits,
) -> dict[int, float]:
    """Return which pairs are noisy copies: the agreement of each, by its place.

    Args:
        sides: the evidence of n texts, and the texts; one without evidence or text is not aligned.
        pairs: m pairs of them.
        judged: the judge's result for those that are not different.
    """
    words = {one.place: one.verdict for one in judged}
    places = []
    for at, (a, b) in enumerate(pairs):
        (one, text), (other, other_text) = sides[a], sides[b]
        if one is None or other is None or text is None or other_text is None:
            continue
        masked = one.masked_digest
        alike = masked is not None and masked == other.masked_digest
        if words.get(at, UNALIKE[0]) in UNALIKE and not alike:
            places.append(at)
    if not places:
        return {}
    evidence = noise_evidence.NoiseEvidence.of(arrow.texts([text for _, text in sides]), 1)
    left, right = (pa.array([pairs[at][side] for at in places], pa.int64()) for side in (0, 1))
    inside = pa.array([at in words for at in places], pa.bool_())
    to_align = pc.or_(
        noise_evidence.are_nominated(evidence, left, right, limits),
        pc.and_(inside, noise_evidence.have_fitting_lengths(evidence, left, right, limits)),
    )
    left, right = left.filter(to_align), right.filter(to_align)
    if not len(left):
        return {}
    some = pa.table({"left": left, "right": right})
    some = some.append_column(
        "resemblance", noise_evidence.estimate_resemblances(evidence, left, right)
    )
    used = {*left.to_pylist(), *right.to_pylist()}
    read = arrow.texts([text if at in used else None for at, (_, text) in enumerate(sides)])
    found = noise_evidence.find_agreements(read, some, limits, jobs=1, patience=None)
    rows = pa.array(places, pa.int64()).filter(to_align).take(arrow.flat(found["row"]))
    return dict(zip(rows.to_pylist(), found["agreement"].to_pylist(), strict=True))
