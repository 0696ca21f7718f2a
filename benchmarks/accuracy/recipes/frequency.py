"""SimHash of words weighed by document frequency: what a recipe with a learned table would give.

A word counts its weight in the text times ln(n / df), where df of the n texts that the table was
learned from have it (Salton and Buckley 1988); a word that none of them has counts as if one had.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.accuracy.recipes.prints import Prints
from ilk.fingerprints import digest

#: Words of scripts without spaces are whole runs here; the product takes two characters.
_WORD = re.compile(r"\w+")

#: Texts whose sums are held at once.
_TEXTS = 256

_BITS = 128


@dataclass(frozen=True, slots=True)
class Table:
    """In how many texts each word stands, of how many."""

    frequency: Counter[str]
    texts: int

    @classmethod
    def learned(cls, texts: pa.Array) -> Table:
        """The table of n texts."""
        frequency: Counter[str] = Counter()
        for text in texts.to_pylist():
            frequency.update(set(_words(text)))
        return cls(frequency, len(texts))

    def weights(self, words: Iterable[str]) -> np.ndarray[Any, Any]:
        """ln(n / df) of words."""
        return np.log(self.texts / np.array([max(1, self.frequency[word]) for word in words]))


def simhash(texts: pa.Array, table: Table, *, logarithmic: bool) -> Prints:
    """The fingerprints of n texts (Charikar 2002, section 3).

    Args:
        texts: n texts.
        table: how common words are.
        logarithmic: whether a word that occurs tf times counts 1 + ln(tf), or 1.
    """
    parts = [
        _sums(texts.slice(start, _TEXTS), table, logarithmic)
        for start in range(0, len(texts), _TEXTS)
    ]
    bits = np.packbits(np.concatenate(parts) > 0, axis=1, bitorder="little")
    halves = np.ascontiguousarray(bits).view("<u8")
    return Prints(halves, np.array([bool(_WORD.search(text)) for text in texts.to_pylist()]))


def _sums(texts: pa.Array, table: Table, logarithmic: bool) -> np.ndarray[Any, Any]:
    """Per text and bit the weights of the words that have it, less those of the others."""
    counted = [Counter(_words(text)) for text in texts.to_pylist()]
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(word, len(numbers)) for word in words] for words in counted]
    signs = _signs(numbers)
    common = table.weights(numbers)
    sums = np.zeros((len(counted), _BITS), np.float32)
    for at, (words, row) in enumerate(zip(counted, rows, strict=True)):
        times = np.array(list(words.values()), np.float64)
        weights = (1 + np.log(times) if logarithmic else np.ones(len(row))) * common[row]
        sums[at] = weights.astype(np.float32) @ signs[row]
    return sums


def _signs(words: Iterable[str]) -> np.ndarray[Any, Any]:
    """Per word 128 numbers, 1 or -1, that depend on it alone."""
    hashes = digest.text_digests_null_if_blank(
        pa.chunked_array([pa.array(words, pa.large_string())])
    )
    bits = np.frombuffer(b"".join(hashes.to_pylist()), np.uint8).reshape(-1, _BITS // 8)
    return np.unpackbits(bits, axis=1).astype(np.float32) * 2 - 1


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
