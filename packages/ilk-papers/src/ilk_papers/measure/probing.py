"""What a search finds of edited copies of its own documents: its recall, measured.

The copies are looked for among all documents, by the plan of the search; they are not in any
output.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import SearchResult, hamming
from ilk.companions import (
    Evidence,
    NoisyCopies,
    Search,
    Thresholds,
    evidence_joins,
    mark_representatives,
    noise_evidence,
    verdicts,
)
from ilk.plugins import Whole, arrow
from ilk_papers.measure import edits, synthetic
from ilk_papers.measure.intervals import share_interval
from ilk_papers.measure.noising import make_noisy
from ilk_papers.measure.synthetic import Edit, EditedCopies
from ilk_papers.seeded import draw_below, seeded_draw

#: The shares of words to edit.
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)

#: How many copies may be made.
_COUNT = Whole(1, (1 << 53) - 1, "copies")

#: The seed that decides which documents are copied and which words are edited.
_SEED = 0


class _ProbedCopy(NamedTuple):
    """A copy's edit, whether the copy resembles its original, and whether it was also found."""

    edit: Edit
    alike: bool
    found: bool


def probe(result: SearchResult, count: int, together: int = synthetic.TOGETHER) -> dict[str, Any]:
    """Return what a search finds of edited copies of its own documents.

    Args:
        result: what ``ilk.find`` found; not changed. Documents that are drawn are read again.
        count: how many copies to make, at least 1; fewer if edits leave a text as it is.
        together: characters of copies held at a time.

    Raises:
        OptionError: ``count`` is not a whole number of copies from 1.
        TooManyPairs: the copies are in more pairs than the search allows.
    """
    count = _COUNT.check("count", count)
    search = result.search
    documents_read = search.documents_read
    assert documents_read is not None, "``find`` keeps what it reads"
    recipe = search.plan.query.recipe
    search.running.tell("probe", 0, None)
    documents, query, evidence = search.documents, search.plan.query, documents_read.evidence
    originals = synthetic.find_copyable_rows(documents, search.representatives)
    rows: list[_ProbedCopy] = []
    for copies in synthetic.make_edited_copies_leaving_out_unchanged(
        documents,
        documents_read.texts,
        originals=originals,
        edits_to_make=_plan_edits_by_kind_then_share_then_spread(count),
        recipe=recipe,
        seed=_SEED,
        shingle=query.shingle,
        running=search.running,
        max_characters=together,
    ):
        pairs = copies.judge_against_originals(evidence, Thresholds(query.resemblance))
        alike = pc.is_in(pairs["verdict"], pa.array(verdicts.SAME))
        are_found = pc.and_(alike, _are_originals_nominated(copies, search, evidence))
        rows += itertools.starmap(
            _ProbedCopy, zip(copies.edits, alike.to_pylist(), are_found.to_pylist(), strict=True)
        )
    report = {"drawn_from": len(originals)} | _count_by_kind_and_share(rows)
    if search.noisy_copies_if_sought is None:
        return report
    return report | {
        "noise": _probe_noisy_copies_of_half_the_limit(
            search.noisy_copies_if_sought, originals, count
        )
    }


def _probe_noisy_copies_of_half_the_limit(
    search: NoisyCopies, originals: pa.Array, count: int
) -> dict[str, Any]:
    """Return what a search finds of noisy copies with the requested share of wrong characters."""
    draw, limits = seeded_draw(_SEED), search.limits
    rate = float(1 - limits.agreement) / 2
    chosen = [
        originals[draw_below(draw, len(originals))] for _ in range(count if len(originals) else 0)
    ]
    rows = pa.array([row.as_py() for row in chosen], pa.int64())
    once = pc.unique(rows).sort()
    held = arrow.take_texts(search.documents_read.texts, once).take(
        pc.index_in(rows, value_set=once)
    )
    copies = [make_noisy(text, rate, f"{_SEED}/{at}") for at, text in enumerate(held.to_pylist())]
    texts = arrow.import_texts(held.to_pylist() + copies)
    left = pa.arange(0, len(rows))
    right = pc.add(left, len(rows))
    pairs = pa.table({"left": left, "right": right})
    pairs = pairs.append_column("resemblance", pa.nulls(len(rows), pa.float64()))
    agree = noise_evidence.find_rows_of_agreeing_pairs(
        texts, pairs, limits, jobs=search.running.jobs, max_failures_in_a_row=None
    )["row"]
    kept = noise_evidence.NoiseEvidence.from_texts(texts, search.running.jobs)
    nominated = noise_evidence.are_nominated(kept, left, right, limits).take(agree)
    count_found = pc.sum(nominated).as_py() or 0
    return {
        "rate": rate,
        "copies": len(rows),
        "agree": len(agree),
        "found": count_found,
        "recall": count_found / len(rows) if len(rows) else None,
        "recall_interval": list(share_interval(count_found, len(rows))),
    }


def _plan_edits_by_kind_then_share_then_spread(count: int) -> list[Edit]:
    """Return ``count`` edits: first every kind, then every share, then every spread."""
    kinds, shares, spreads = tuple(edits.KINDS), SHARES, edits.SPREADS
    return [
        Edit(
            kinds[number % len(kinds)],
            shares[number // len(kinds) % len(shares)],
            spreads[number // len(kinds) // len(shares) % len(spreads)],
        )
        for number in range(count)
    ]


def _are_originals_nominated(copies: EditedCopies, search: Search, evidence: Evidence) -> pa.Array:
    """Return for each copy whether the plan pairs it with its original."""
    documents, plan = search.documents, search.plan
    if plan.pairing == "exact":
        once = evidence.with_joined_limited_to(mark_representatives(search.representatives))
        both, most = once.concatenate(copies.evidence), plan.query.max_pairs
        candidates = evidence_joins.join_across_row_split(
            both, len(documents), plan.query.resemblance, most
        )
        near = evidence_joins.judge_and_sort_pairs_of_one_kind(
            both, candidates, Thresholds(plan.query.resemblance)
        )
        left = arrow.flat(near["left"])
        copy = pc.subtract(arrow.flat(near["right"]), len(documents))
    else:
        rows = pc.unique(search.representatives)
        pairs = hamming.join(
            documents["fingerprint"].take(rows),
            copies.documents["fingerprint"],
            plan.required_radius,
            max_pairs=plan.query.max_pairs,
            jobs=search.running.jobs,
        )
        left, copy = rows.take(arrow.flat(pairs["left"])), arrow.flat(pairs["right"])
    own = pc.equal(left, copies.originals.take(copy))
    return pc.is_in(pa.arange(0, len(copies.edits)), value_set=copy.filter(own))


def _count_by_kind_and_share(rows: list[_ProbedCopy]) -> dict[str, Any]:
    """Return counts of all copies, and of those of every kind and share."""
    every = _count_copies(rows)
    low, high = share_interval(every["found"], every["alike"])
    return every | {
        "below_threshold": every["copies"] - every["alike"],
        "not_nominated": every["alike"] - every["found"],
        "recall": every["found"] / every["alike"] if every["alike"] else None,
        "recall_interval": [low, high],
        "kinds": {
            kind: _count_copies([row for row in rows if row.edit.kind == kind])
            for kind in edits.KINDS
        },
        "shares": {
            str(share): _count_copies([row for row in rows if row.edit.share == share])
            for share in SHARES
        },
    }


def _count_copies(rows: list[_ProbedCopy]) -> dict[str, int]:
    """Count copies, those that resemble their original, and those of them that were found."""
    _, alike, found = zip(*rows, strict=True) if rows else ((), (), ())
    return {"copies": len(rows), "alike": sum(alike), "found": sum(found)}
