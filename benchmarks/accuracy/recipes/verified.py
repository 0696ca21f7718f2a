"""What is left of the candidates when they are verified on the texts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from benchmarks.accuracy.recipes import kin
from benchmarks.accuracy.recipes.edited import EDITS, USUAL, Copies
from benchmarks.accuracy.recipes.prints import Prints, Rows
from ilk import arrow
from ilk.search.counting import Counting
from ilk.search.evidence import Evidence, Thresholds

#: The resemblance at which a pair is taken to be true: somewhat less than what is left where every
#: fifth word is replaced, 0.8**3 / (2 - 0.8**3).
VERIFIED = 0.3

#: The largest share of the words that is touched.
_MOST = 0.2


@dataclass(frozen=True, slots=True)
class Mixed:
    """Unrelated texts with edited copies of some among them.

    Attributes:
        rows: k rows of the texts, and of the copies behind them.
        origin: k rows of the texts that they are, or are copies of.
        measured: the k texts.
    """

    rows: Rows
    origin: Rows
    measured: Evidence

    @classmethod
    def of(cls, copies: Copies) -> Mixed:
        """All the texts and their usual copies, but for those that are edited most."""
        usual = np.isin(copies.edit, [EDITS.index(edit) for edit in USUAL])
        chosen = np.flatnonzero(usual & (copies.share <= _MOST))
        texts = pa.chunked_array([copies.texts, copies.copies.take(pa.array(chosen))])
        first = np.arange(len(copies.texts))
        return cls(
            np.concatenate([first, len(first) + chosen]),
            np.concatenate([first, copies.origin[chosen]]),
            Evidence.from_texts(arrow.import_texts(texts), Counting(kin.SHINGLE), 1),
        )

    def score(self, prints: Prints, radius: int, bits: int) -> dict[str, float]:
        """The pairs that are nominated, of one origin, verified, and of both.

        Args:
            prints: of the texts, and of the copies behind them.
            radius: of nomination.
            bits: of the fingerprints.
        """
        mixed = Prints(prints.halves[self.rows], prints.present[self.rows])
        left, right = mixed.within(radius, bits)
        true = self.origin[left] == self.origin[right]
        judged = self.measured.judge_pairs(pa.array(left), pa.array(right), Thresholds())
        verified = judged["resemblance"].to_numpy() >= VERIFIED
        right_ones, all_ones = int((true & verified).sum()), int(verified.sum())
        return {
            "nominated": len(left),
            "true": int(true.sum()),
            "verified": all_ones,
            "precision": right_ones / all_ones if all_ones else 1.0,
        }
