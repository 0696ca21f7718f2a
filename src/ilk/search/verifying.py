"""Step 4: judged candidates."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import verdicts
from ilk.fingerprints import hamming
from ilk.search.evidence import Evidence, OneSite, Thresholds


def verify(
    candidates: pa.Table,
    documents: pa.Table,
    evidence: Evidence,
    thresholds: Thresholds,
    one_site: OneSite | None = None,
) -> pa.Table:
    """Do step 4: judge candidates on their evidence.

    Args:
        candidates: ``CANDIDATES``; null distances are filled in.
        documents: the documents of the candidates' rows, with their fingerprints.
        evidence: of the documents.
        thresholds: what counts as alike.
        one_site: what pairs of one site must share; None if no more than others.

    Returns:
        ``PAIRS``, one row per candidate in their order.
    """
    left, right = (arrow.flat(candidates[side]) for side in ("left", "right"))
    judged = evidence.judge(left, right, thresholds, one_site)
    # Texts with equal digests have equal features, even if too few for a fingerprint.
    copies = pc.and_(
        pc.is_in(judged["verdict"], pa.array([verdicts.IDENTICAL, verdicts.EXACT])),
        evidence.field("digest").take(left).is_valid(),
    )
    nothing = pc.if_else(copies, pa.scalar(0, pa.uint8()), pa.scalar(None, pa.uint8()))
    known = [candidates["distance"], nothing]
    if "fingerprint" in documents.column_names:
        prints = arrow.flat(documents["fingerprint"])
        known.insert(1, hamming.distance(prints.take(left), prints.take(right)))
    judged = judged.append_column("distance", pc.coalesce(*known))
    return judged.select(arrow.PAIRS.names).cast(arrow.PAIRS)


def same(pairs: pa.Table) -> pa.Table:
    """Return the pairs whose documents are of one kind."""
    return pairs.filter(pc.is_in(pairs["verdict"], pa.array(verdicts.SAME)))


def contained_left(pairs: pa.Table) -> pa.Table:
    """Return for each contained document one of its pairs, turned so that it is on the left."""
    inside = pairs.filter(pc.equal(pairs["verdict"], verdicts.CONTAINED))
    around = turned(pairs.filter(pc.equal(pairs["verdict"], verdicts.CONTAINS)))
    both = pa.concat_tables([inside, around]).sort_by(
        [("left", "ascending"), ("right", "ascending")]
    )
    first = both.append_column("row", pa.arange(0, len(both))).group_by("left", use_threads=False)
    rows = first.aggregate([("row", "min")]).sort_by("row_min")
    return both.take(rows["row_min"])


def turned(pairs: pa.Table) -> pa.Table:
    """Return the pairs with left and right exchanged."""
    verdict = pairs["verdict"]
    other = pc.if_else(pc.equal(verdict, verdicts.CONTAINED), verdicts.CONTAINS, verdicts.CONTAINED)
    sided = pc.is_in(verdict, pa.array([verdicts.CONTAINED, verdicts.CONTAINS]))
    columns_ = {
        "left": pairs["right"],
        "right": pairs["left"],
        "containment_left": pairs["containment_right"],
        "containment_right": pairs["containment_left"],
        "verdict": pc.if_else(sided, other, verdict),
    }
    arrays = [columns_.get(name, pairs[name]) for name in arrow.PAIRS.names]
    return pa.table(arrays, schema=arrow.PAIRS)
