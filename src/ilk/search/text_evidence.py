"""What is kept of single texts, as plain values, judged by the same rule without a column.

A store measures one text against a few others, for which columns take longer than the judging.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ilk import _kernels, arrow
from ilk.arrow import verdicts
from ilk.search.evidence import Thresholds, evidence_builder, ratio


class TextEvidence(NamedTuple):
    """What is kept of one text: a row of ``arrow.EVIDENCE``.

    Attributes:
        digest, bytes_digest, masked_digest: 16 bytes each; None if a text has none.
        length: bytes of the text; None if it is not known.
        words: how many words it has.
        wide: whether its word shingles are 64-bit hashes, as those of a large set are.
        word_shingles: its set of word shingles: hashes, or ids, which are their upper halves;
            little-endian, ascending.
        character_shingles: its set of character shingles, as ids; None if no pair needs it.
    """

    digest: bytes | None
    bytes_digest: bytes | None
    masked_digest: bytes | None
    length: int | None
    words: int
    wide: bool
    word_shingles: bytes
    character_shingles: bytes | None


class Judged(NamedTuple):
    """What the left text of a pair is to the right one.

    Attributes:
        place: of the pair.
        verdict: its name.
        resemblance, containment_left, containment_right: exact shares; None if the pair was not
            measured.
    """

    place: int
    verdict: str
    resemblance: float | None
    containment_left: float | None
    containment_right: float | None


def kept_of(texts: arrow.Chunks, shingle: int, jobs: int) -> list[TextEvidence]:
    """Return what is kept of each text; arguments as for ``Evidence.of``."""
    builder = evidence_builder(shingle, jobs)
    for chunk in arrow.kernel_chunks(texts):
        builder.add(chunk)
    return list(map(TextEvidence._make, builder.rows()))


def judge(
    texts: Sequence[TextEvidence | None],
    left: Sequence[int],
    right: Sequence[int],
    thresholds: Thresholds,
) -> list[Judged]:
    """Judge pairs of rows; those that are different, or not both known, are left out."""
    found = _kernels.judge_kept(
        texts, left, right, ratio(thresholds.resemblance), ratio(thresholds.containment)
    )
    return [Judged(place, verdicts.JUDGED[verdict], *shares) for place, verdict, *shares in found]
