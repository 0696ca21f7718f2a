"""Edited copies of a source's own documents, measured against their originals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import Recipe
from ilk.companions import (
    Counting,
    Evidence,
    Thresholds,
    judge_every_candidate_by_sets,
    read_documents_with_evidence,
)
from ilk.plugins import Running, arrow
from ilk_papers.measure import edits
from ilk_papers.seeded import Draw, draw_below, seeded_draw

#: Larger documents are not drawn: cutting millions of words here takes minutes.
LARGEST = 1 << 22

#: Characters of copies held at a time if documents are large.
TOGETHER = 1 << 26


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of a copy; the fields are arguments of ``edits.edit_text``."""

    kind: str
    share: float
    spread: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedCopies:
    """Copies of documents, each with a text that differs from its original's.

    Attributes:
        documents: n copies, with their fingerprints.
        texts: their texts.
        evidence: the evidence of the texts.
        originals: for each copy the row of its original (``int64``).
        edits: for each copy its edit.
        prints: for each copy the fingerprint of its original.
    """

    documents: pa.Table
    texts: pa.Array
    evidence: Evidence
    originals: pa.Array
    edits: list[Edit]
    prints: pa.Table

    def judge_against_originals(self, evidence: Evidence, thresholds: Thresholds) -> pa.Table:
        """Judge every copy against its original: ``PAIRS`` in the order of the copies.

        Args:
            evidence: of the documents that were copied.
            thresholds: what counts as alike.
        """
        rows = pa.arange(0, len(self.originals))
        pairs = pa.table({"left": rows, "right": pc.add(rows, len(rows))})
        both = self.evidence.concatenate(Evidence(evidence.rows.take(self.originals)))
        prints = pa.concat_tables([self.documents.select(["fingerprint"]), self.prints])
        return judge_every_candidate_by_sets(
            arrow.fit_columns_to_schema(pairs, arrow.CANDIDATES),
            prints,
            evidence=both,
            thresholds=thresholds,
        )


def find_copyable_rows(
    documents: pa.Table, representatives: pa.Array, max_bytes: int = LARGEST
) -> pa.Array:
    """Return the documents to copy: with text, each text once, none too large.

    Args:
        documents: n documents with their digests.
        representatives: per document the best one with an equal digest.
        max_bytes: of a document.

    Returns:
        Row numbers (``int64``), ascending.
    """
    rows = pa.arange(0, len(documents))
    fitting = pc.less_equal(arrow.flat(documents["length"]), max_bytes)
    chosen = pc.and_(pc.equal(rows, representatives), pc.fill_null(fitting, False))
    chosen = pc.and_(chosen, arrow.flat(documents["digest"].is_valid()))
    return rows.filter(chosen)


def make_edited_copies_leaving_out_unchanged(
    documents: pa.Table,
    texts: arrow.Texts,
    originals: pa.Array,
    edits_to_make: Iterable[Edit],
    recipe: Recipe,
    *,
    seed: int,
    shingle: int,
    running: Running,
    max_characters: int = TOGETHER,
) -> Iterator[EditedCopies]:
    """Yield copies of documents drawn at random, one per edit, in batches.

    A text that an edit did not change is left out.

    Args:
        documents: the documents to copy; not changed.
        texts: their texts.
        originals: the rows that may be drawn.
        edits_to_make: the edits.
        recipe: how to fingerprint the copies.
        seed: the seed of random choices.
        shingle: words per shingle.
        running: how it runs.
        max_characters: characters of copies held at a time; the copies do not depend on it.
    """
    if not len(originals):
        return
    draw = seeded_draw(seed)
    edits_drawn = [
        (edit, *_draw_original_and_other_if_any(draw, originals)) for edit in edits_to_make
    ]
    rows = sorted({row for _, *both in edits_drawn for row in both})
    place = {row: at for at, row in enumerate(rows)}
    texts_held = arrow.take_texts(texts, pa.array(rows, pa.int64()))
    copies: list[_EditedText] = []
    size = 0
    for number, (edit, original, other) in enumerate(edits_drawn):
        text = edits.edit_text(
            texts_held[place[original]].as_py(),
            edit.kind,
            edit.share,
            spread=edit.spread,
            seed=f"{seed}/{number}",
            # A single document cannot get words of another one.
            foreign="" if other == original else texts_held[place[other]].as_py(),
        )
        copies.append(_EditedText(edit, original, text))
        size += len(text)
        if size >= max_characters or number == len(edits_drawn) - 1:
            yield _fingerprint_edited_texts_leaving_out_unchanged(
                documents, copies, recipe=recipe, shingle=shingle, running=running
            )
            copies, size = [], 0


class _EditedText(NamedTuple):
    """An edit, the row of the original, and the text that the edit makes of it."""

    edit: Edit
    original: int
    text: str


class _DrawnRows(NamedTuple):
    """The row of an original, and of the document that its copy takes words from."""

    original: int
    other: int


def _draw_original_and_other_if_any(draw: Draw, originals: pa.Array) -> _DrawnRows:
    """Draw two of the rows; they are one and the same if there is no other."""
    at = draw_below(draw, len(originals))
    other = (at + 1 + draw_below(draw, max(1, len(originals) - 1))) % len(originals)
    return _DrawnRows(originals[at].as_py(), originals[other].as_py())


def _fingerprint_edited_texts_leaving_out_unchanged(
    documents: pa.Table,
    edited_texts: list[_EditedText],
    *,
    recipe: Recipe,
    shingle: int,
    running: Running,
) -> EditedCopies:
    """Return the edited texts that differ from their originals."""
    edits_of_texts, rows, texts = zip(*edited_texts, strict=True)
    originals = pa.array(rows, pa.int64())
    names = documents["source"].take(originals)
    text = pa.array(texts, pa.large_string())
    table = pa.table({"doc": pa.arange(0, len(rows)), "source": names, "text": text})
    batch = arrow.fit_columns_to_schema(table, arrow.DOCUMENTS)
    copies = read_documents_with_evidence(
        [batch],
        arrow.import_texts(text),
        recipe=recipe,
        counting=Counting(shingle),
        running=running,
    )
    own = arrow.flat(documents["digest"].take(originals))
    differ = pc.fill_null(pc.not_equal(arrow.flat(copies.documents["digest"]), own), False)
    edits = [
        edit for edit, differs in zip(edits_of_texts, differ.to_pylist(), strict=True) if differs
    ]
    return EditedCopies(
        documents=copies.documents.filter(differ),
        texts=text.filter(differ),
        evidence=Evidence(copies.evidence.rows.filter(differ)),
        originals=originals.filter(differ),
        edits=edits,
        prints=documents.select(["fingerprint"]).take(originals).filter(differ),
    )
