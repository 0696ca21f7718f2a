"""Copies of texts with controlled edits: how, and how much, a pair differs is known.

Resemblance is measured on the pair; how it follows from the share of words depends on the edit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from benchmarks.accuracy.recipes import kin
from benchmarks.accuracy.recipes.prints import Rows, Values
from ilk import arrow
from ilk.search.counting import Counting
from ilk.search.evidence import Evidence, Thresholds
from ilk_papers.measure.edits import FOREIGN, SPREADS, edit_text

#: Shares of the words that are touched.
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)

#: The edits whose mean is the figure of a recipe.
USUAL = tuple(
    (kind, spread)
    for kind in ("insert-own", "insert-foreign", "delete", "replace", "move")
    for spread in SPREADS
)

#: All edits.
EDITS = (*USUAL, ("noise", "scattered"), ("numbers", "scattered"), ("template", "block"))

#: Texts of a set that are edited.
_EDITED = 200


@dataclass(frozen=True, slots=True)
class Copies:
    """Unrelated texts, and edited copies of some.

    Attributes:
        texts: n unrelated texts.
        copies: m texts, each an edited one.
        origin: the rows of the m texts that were edited.
        edit: for m copies the place in ``EDITS``.
        share: for m copies the share of the words that is touched.
        resemblance: of m copies and what they are copies of.
    """

    texts: pa.Array
    copies: pa.Array
    origin: Rows
    edit: Rows
    share: Values
    resemblance: Values

    @classmethod
    def of(cls, texts: pa.Array) -> Copies:
        """Copies of the first of some unrelated texts; those that came out equal are left out.

        What an edit takes from another text is from one that is not edited itself.
        """
        values = texts.to_pylist()
        made = [
            (row, number, share, copy)
            for row in range(_EDITED)
            for number, (kind, spread) in enumerate(EDITS)
            for share in SHARES
            if (copy := _copy(values, row, kind, spread, share)) != values[row]
        ]
        origin, edit, share, copies = zip(*made, strict=True)
        rows = np.array(origin, np.int64)
        column = pa.array(copies, pa.large_string())
        both = Evidence.from_texts(
            arrow.import_texts(pa.chunked_array([texts, column])), Counting(kin.SHINGLE), 1
        )
        others = pa.array(np.arange(len(texts), len(texts) + len(rows)))
        judged = both.judge_pairs(pa.array(rows), others, Thresholds())
        resemblance = judged["resemblance"].to_numpy()
        return cls(
            texts=texts,
            copies=column,
            origin=rows,
            edit=np.array(edit),
            share=np.array(share),
            resemblance=resemblance,
        )


def _copy(texts: list[str], row: int, kind: str, spread: str, share: float) -> str:
    foreign = texts[-1 - row] if kind in FOREIGN else ""
    seed = f"{row} {kind} {spread} {share}"
    return edit_text(texts[row], kind, share, spread=spread, seed=seed, foreign=foreign)
