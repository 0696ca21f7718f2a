"""Fingerprints of 128 bits as NumPy holds them, and how many bits differ.

A fingerprint of 64 bits is the lower half of one of 128 of the same kind, so each recipe's are made
once and measured at both widths.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

#: The widths that are measured.
WIDTHS = (64, 128)

#: The distance of a text without a fingerprint: beyond every radius.
NEVER = 255

#: Numbers of rows, or counts.
Rows = np.ndarray[Any, np.dtype[np.int64]]
Values = np.ndarray[Any, np.dtype[np.float64]]
Truths = np.ndarray[Any, np.dtype[np.bool_]]
Distances = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True, slots=True)
class Prints:
    """Fingerprints of n texts.

    Attributes:
        halves: n by 2 words of 64 bits, the lower half first.
        present: n truth values; a text of too few features has no fingerprint.
    """

    halves: np.ndarray[Any, np.dtype[np.uint64]]
    present: Truths

    @classmethod
    def of(cls, column: pa.Array) -> Prints:
        """The fingerprints of a column of 16 bytes each, as ``ilk.fingerprint`` gives them."""
        present = np.array(column.is_valid())
        written = b"".join(column.fill_null(bytes(16)).to_pylist())
        halves = np.frombuffer(written, ">u8").reshape(-1, 2)[:, ::-1]
        return cls(halves.astype(np.uint64), present)

    def between(self, left: Rows, right: Rows, bits: int) -> Distances:
        """The distances of m listed pairs of rows."""
        words = bits // 64
        differing = np.bitwise_count(self.halves[left, :words] ^ self.halves[right, :words])
        distances = differing.sum(axis=1, dtype=np.uint8)
        return np.where(self.present[left] & self.present[right], distances, np.uint8(NEVER))

    def counts(self) -> dict[int, Rows]:
        """By width, how many of all pairs of rows lie at each distance (``bits + 1`` numbers)."""
        found = {bits: np.zeros(bits + 1, np.int64) for bits in WIDTHS}
        for _, _, by_width in self._all():
            for bits, distances in by_width.items():
                found[bits] += np.bincount(distances, minlength=bits + 1)
        return found

    def within(self, radius: int, bits: int) -> tuple[Rows, Rows]:
        """The pairs of rows within a radius, left < right."""
        left, right = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for row, others, by_width in self._all():
            near = others[by_width[bits] <= radius]
            left.append(np.full(len(near), row))
            right.append(near)
        return np.concatenate(left), np.concatenate(right)

    def _all(self) -> Iterator[tuple[int, Rows, dict[int, Distances]]]:
        """Every row that has a fingerprint, those behind it, and its distances to them."""
        rows = np.flatnonzero(self.present)
        low, high = np.ascontiguousarray(self.halves[rows].T)
        for at, row in enumerate(rows):
            half = np.bitwise_count(low[at] ^ low[at + 1 :])
            whole = half + np.bitwise_count(high[at] ^ high[at + 1 :])
            yield int(row), rows[at + 1 :], {64: half, 128: whole}
