"""Noisy copies in a store: the alignment that decides.

A pair is aligned if the judge finds it contained, or finds it different but its sets reach the
resemblance for the rate, as in a search (``search.noisy``).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.search import noise
from ilk.search.noise import NoiseLimits, Single
from ilk.search.noisy import UNALIKE
from ilk.search.text_evidence import Judged, TextEvidence
from ilk.store.db import contents


class Aligned(NamedTuple):
    """A text of a pair.

    Attributes:
        kept: its evidence.
        sets: its second sets.
        text: the text, or the id of the document that keeps it.
    """

    kept: TextEvidence
    sets: Single
    text: str | int | None


def agreements(
    connection: sqlite3.Connection,
    sides: Sequence[Aligned | None],
    pairs: Sequence[tuple[int, int]],
    judged: Sequence[Judged],
    limits: NoiseLimits,
) -> dict[int, float]:
    """Return which pairs are noisy copies: the agreement of each, by its place.

    Args:
        connection: in a transaction.
        sides: n texts; None if one cannot be aligned.
        pairs: m pairs of them.
        judged: the judge's result for those that are not different.
        limits: the limits for noisy copies.

    Raises:
        StoreDamaged: a text is damaged.
    """
    words = {one.place: one.verdict for one in judged}
    places = []
    for at, (one, other) in enumerate((sides[a], sides[b]) for a, b in pairs):
        if one is None or other is None or words.get(at, UNALIKE[0]) not in UNALIKE:
            continue
        masked = one.kept.masked_digest
        if masked is None or masked != other.kept.masked_digest:
            places.append(at)
    if not places:
        return {}
    empty = Single(0, b"", b"")
    kept = noise.NoiseEvidence.of_singles([empty if one is None else one.sets for one in sides])
    left, right = (pa.array([pairs[at][side] for at in places], pa.int64()) for side in (0, 1))
    inside = pa.array([at in words for at in places], pa.bool_())
    asked = pc.or_(
        noise.nominates(kept, left, right, limits),
        pc.and_(inside, noise.fit(kept, left, right, limits)),
    )
    left, right = left.filter(asked), right.filter(asked)
    if not len(left):
        return {}
    some = pa.table({"left": left, "right": right})
    some = some.append_column("resemblance", noise.resemblance(kept, left, right))
    used = {*left.to_pylist(), *right.to_pylist()}
    texts = [None if one is None or at not in used else one.text for at, one in enumerate(sides)]
    held = arrow.texts(_texts(connection, texts))
    found = noise.aligned(held, some, limits, jobs=1, patience=None)
    rows = pa.array(places, pa.int64()).filter(asked).take(arrow.flat(found["row"]))
    return dict(zip(rows.to_pylist(), found["agreement"].to_pylist(), strict=True))


def _texts(connection: sqlite3.Connection, texts: Sequence[str | int | None]) -> list[str | None]:
    """Return texts; kept ones are read once each."""
    held = {id_: contents.text(connection, id_) for id_ in texts if isinstance(id_, int)}
    return [held[text] if isinstance(text, int) else text for text in texts]
