"""What a search finds of edited copies of its own documents: its recall, measured.

The copies are looked for among all documents, by the plan of the search; no output knows of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns, copies, edits, steps
from ilk.copies import Copies, Edit
from ilk.errors import OptionError
from ilk.pairing import hamming, measures
from ilk.pairing.measured import Measured
from ilk.planning import Plan
from ilk.recipe import Recipe

#: The shares of the words that edits touch.
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)

#: What decides which documents are copied and which words are edited.
_SEED = 0


def check(count: object) -> None:
    """Refuse what is not a number of copies, before any work; None asks for no probe.

    Raises:
        OptionError: it is not a whole number of at least 1.
    """
    if count is not None and (type(count) is not int or count < 1):
        raise OptionError(f"probe is {count!r}; it must be a whole number of copies, 1 or more.")


def probe(
    count: int,
    documents: pa.Table,
    texts: columns.Texts,
    representatives: pa.Array,
    plan: Plan,
    sets: Callable[[], Measured],
    recipe: Recipe,
    *,
    max_pairs: int,
    jobs: int,
) -> dict[str, Any]:
    """What the plan finds of edited copies, as plain values for the report.

    Args:
        count: how many copies are made; fewer where edits leave a text as it is.
        documents: those that are searched; not changed.
        texts: their texts.
        representatives: per document the best one with an equal digest.
        plan: how they are searched.
        sets: gives the shingle sets of the documents; called if sets are paired.
        recipe: how fingerprints are made.
        max_pairs: the largest number of pairs to find.
        jobs: threads.

    Raises:
        TooManyPairs: the copies are in more than ``max_pairs`` pairs.
    """
    originals = copies.drawable(documents, representatives)
    rows: list[tuple[Edit, bool, bool]] = []
    for made in copies.made(
        documents, texts, originals, _edits(count), recipe, seed=_SEED, jobs=jobs
    ):
        pairs = made.against_originals(
            resemblance=plan.resemblance, shingle=plan.shingle, jobs=jobs
        )
        alike = pc.is_in(pairs["verdict"], pa.array(steps.SAME))
        nominated = _nominated(made, documents, representatives, plan, sets, max_pairs, jobs)
        found = pc.and_(alike, nominated)
        rows += zip(made.edits, alike.to_pylist(), found.to_pylist(), strict=True)
    return {"drawn_from": len(originals)} | _told(rows)


def _edits(count: int) -> list[Edit]:
    """So many edits: first every kind, then every share, then everywhere."""
    kinds, shares, spreads = tuple(edits.KINDS), SHARES, edits.SPREADS
    return [
        Edit(
            kinds[number % len(kinds)],
            shares[number // len(kinds) % len(shares)],
            spreads[number // len(kinds) // len(shares) % len(spreads)],
        )
        for number in range(count)
    ]


def _nominated(
    made: Copies,
    documents: pa.Table,
    representatives: pa.Array,
    plan: Plan,
    sets: Callable[[], Measured],
    max_pairs: int,
    jobs: int,
) -> pa.Array:
    """Per copy whether its original is among what the plan pairs it with."""
    if plan.pairing == "exact":
        assert plan.resemblance is not None, "the exact pairing always has a threshold"
        left, right, _ = (
            sets()
            .followed_by(columns.texts(made.documents["text"]))
            .across(len(documents), plan.resemblance, max_pairs)
        )
        copy = pc.subtract(right, len(documents))
    else:
        assert plan.radius is not None, "the fingerprint pairing always has a radius"
        rows = pc.unique(representatives)
        found = hamming.join(
            documents["fingerprint"].take(rows),
            made.documents["fingerprint"],
            plan.radius,
            max_pairs=max_pairs,
            jobs=jobs,
        )
        left, copy = rows.take(columns.flat(found["left"])), columns.flat(found["right"])
    own = pc.equal(left, made.originals.take(copy))
    return pc.is_in(pa.arange(0, len(made.edits)), value_set=copy.filter(own))


def _told(rows: list[tuple[Edit, bool, bool]]) -> dict[str, Any]:
    """Counts of all copies, and of those of every kind and share.

    Args:
        rows: per copy its edit, whether it resembles its original, and whether it was found too.
    """
    every = _counted(rows)
    low, high = measures.share_interval(every["found"], every["alike"])
    return every | {
        "below_threshold": every["copies"] - every["alike"],
        "not_nominated": every["alike"] - every["found"],
        "recall": every["found"] / every["alike"] if every["alike"] else None,
        "recall_interval": [low, high],
        "kinds": {
            kind: _counted([row for row in rows if row[0].kind == kind]) for kind in edits.KINDS
        },
        "shares": {
            str(share): _counted([row for row in rows if row[0].share == share]) for share in SHARES
        },
    }


def _counted(rows: list[tuple[Edit, bool, bool]]) -> dict[str, int]:
    """Copies, those that resemble their original, and those of them that were found."""
    _, alike, found = zip(*rows, strict=True) if rows else ((), (), ())
    return {"copies": len(rows), "alike": sum(alike), "found": sum(found)}
