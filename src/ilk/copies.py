"""Edited copies of a source's own documents, measured against their originals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns, edits, steps
from ilk.draws import Draw, below, draws
from ilk.fingerprints import digest
from ilk.recipe import Recipe

#: A document of more bytes is not drawn: to cut millions of words here takes minutes.
LARGEST = 1 << 22


@dataclass(frozen=True, slots=True)
class Edit:
    """What is done to a copy; the fields are arguments of ``edits.edited``."""

    kind: str
    share: float
    spread: str


@dataclass(frozen=True, slots=True)
class Copies:
    """Copies of documents, none of which has its original's text.

    Attributes:
        documents: n copies, as ``steps.fingerprinted`` gives documents.
        originals: per copy the row of the document that it is a copy of (``int64``).
        edits: per copy what was done to it.
    """

    documents: pa.Table
    originals: pa.Array
    edits: list[Edit]

    def against_originals(
        self, documents: pa.Table, *, resemblance: Fraction | None, shingle: int, jobs: int
    ) -> pa.Table:
        """Every copy and its original, measured: ``PAIRS`` in the order of the copies.

        Args:
            documents: those that the copies were made of.
            resemblance: the least resemblance of ``near``; None takes any.
            shingle: words per shingle.
            jobs: threads.
        """
        rows = pa.arange(0, len(self.originals))
        both = pa.concat_tables(
            [self.documents, documents.select(self.documents.column_names).take(self.originals)]
        )
        pairs = pa.table({"left": rows, "right": pc.add(rows, len(rows))})
        return steps.verify(
            columns.padded(pairs, columns.CANDIDATES),
            both,
            columns.texts(both["text"]),
            resemblance=resemblance,
            containment=None,
            shingle=shingle,
            jobs=jobs,
        )


def drawable(documents: pa.Table, representatives: pa.Array) -> pa.Array:
    """The documents of which copies are made: with text, none twice, none above ``LARGEST``.

    Args:
        documents: n documents with their digests.
        representatives: per document the best one with an equal digest.

    Returns:
        Row numbers (``int64``), ascending.
    """
    rows = pa.arange(0, len(documents))
    fitting = pc.less_equal(columns.flat(documents["length"]), LARGEST)
    chosen = pc.and_(pc.equal(rows, representatives), pc.fill_null(fitting, False))
    chosen = pc.and_(chosen, columns.flat(documents["digest"].is_valid()))
    return rows.filter(chosen)


def made(
    documents: pa.Table,
    originals: pa.Array,
    wanted: Sequence[Edit],
    recipe: Recipe,
    *,
    seed: int,
    jobs: int,
) -> Copies:
    """A copy for every edit, of documents drawn at random.

    What an edit left as it was is no copy and is left out.

    Args:
        documents: what is copied; not changed.
        originals: the rows that may be drawn.
        wanted: the edits.
        recipe: how the copies are fingerprinted.
        seed: decides what is drawn.
        jobs: threads.
    """
    draw = draws(seed)
    rows, texts = [], []
    wanted = wanted if len(originals) else []
    for number, edit in enumerate(wanted):
        original, foreign = _two(draw, originals)
        text = edits.edited(
            documents["text"][original].as_py(),
            edit.kind,
            edit.share,
            spread=edit.spread,
            seed=f"{seed}/{number}",
            foreign="" if foreign is None else documents["text"][foreign].as_py(),
        )
        rows.append(original)
        texts.append(text)
    chosen = pa.array(rows, pa.int64())
    copies = steps.fingerprinted([_documents(documents, chosen, texts)], recipe, jobs=jobs)
    before = columns.texts(documents["text"].take(chosen))
    before = digest.digests(before, normalisation=recipe.normalisation, jobs=jobs)
    differ = pc.fill_null(pc.not_equal(columns.flat(copies["digest"]), before), False)
    kept = [edit for edit, differs in zip(wanted, differ.to_pylist(), strict=True) if differs]
    return Copies(copies.filter(differ), chosen.filter(differ), kept)


def _two(draw: Draw, originals: pa.Array) -> tuple[int, int | None]:
    """A row and another one; None if there is no other."""
    at = below(draw, len(originals))
    if len(originals) == 1:
        return originals[at].as_py(), None
    other = (at + 1 + below(draw, len(originals) - 1)) % len(originals)
    return originals[at].as_py(), originals[other].as_py()


def _documents(documents: pa.Table, originals: pa.Array, texts: list[str]) -> pa.Table:
    """Texts as documents that have their originals' names."""
    return columns.padded(
        pa.table(
            {
                "doc": pa.arange(0, len(texts)),
                "source": columns.flat(documents["source"].take(originals)),
                "text": pa.array(texts, pa.large_string()),
            }
        ),
        columns.DOCUMENTS,
    )
