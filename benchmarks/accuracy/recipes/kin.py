"""Sets of texts that are near duplicates by nature, and all their pairs by exact resemblance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from tests.support.word_counts import count_words

import ilk
from benchmarks import corpus
from benchmarks.accuracy.recipes.prints import Rows, Values
from ilk import _kernels
from ilk.fingerprints import digest

#: The resemblance of the pairs that are to be found.
NEAR = 0.8

#: The least known resemblance of a pair.
KNOWN = 0.5

#: Words per shingle, by which pairs are measured.
SHINGLE = 3

#: The set of texts so short that they are measured by their characters.
SHORT = "lines"

#: Folders of labelled documents that make a set together.
FOLDERS = {
    "licences": ("scancode-licenses/texts", "spdx/texts"),
    "drafts": ("quic-drafts",),
    "editions": ("gutenberg-editions", "debian-docs", "roth-v1", "udhr-nltk/udhr2"),
}

#: Texts of a set that is cut from the corpus, and its documents that are cut for them.
_PIECES, _CUT = 15_000, 3_000


@dataclass(frozen=True, slots=True)
class Kin:
    """A set of texts.

    Attributes:
        name: how tables name it.
        texts: n texts that differ by more than case and white space.
        left, right: every pair of rows of a resemblance of at least ``KNOWN``.
        resemblance: of those pairs.
    """

    name: str
    texts: pa.Array
    left: Rows
    right: Rows
    resemblance: Values

    @classmethod
    def of(cls, name: str, texts: pa.Array) -> Kin:
        """The set of these texts, each of them once."""
        first = digest.first_rows_with_same_digest_or_null(
            digest.text_digests_null_if_blank(pa.chunked_array([texts]))
        )
        texts = texts.filter(pc.equal(first, pa.arange(0, len(texts))))
        pairs = ilk.sets.pairs(texts, KNOWN, shingle=SHINGLE)
        return cls(name, texts, *(pairs[c].to_numpy() for c in ("left", "right", "resemblance")))


def sets() -> Iterator[Kin]:
    """The sets, those that are there."""
    whole = corpus.distinct()
    yield Kin.of(whole.name, whole.texts)
    for name, folders in FOLDERS.items():
        if texts := [text for folder in folders for text in read(folder)]:
            yield Kin.of(name, pa.array(texts, pa.large_string()))
    cut = whole.texts.take(sample(len(whole.texts), _CUT))
    paragraphs = corpus.short_texts(cut, 450, 650)
    long = pc.greater_equal(words(paragraphs), _kernels.SHORT_BELOW_WORDS)
    yield Kin.of("paragraphs", paragraphs.filter(long).slice(0, _PIECES))
    yield Kin.of(SHORT, lines(cut).slice(0, _PIECES))


def words(texts: pa.Array) -> pa.Array:
    """The number of words of every text."""
    return count_words(pa.chunked_array([texts]))


def read(folder: str) -> list[str]:
    """The texts of all files below a folder of the labelled documents; none where it is absent."""
    paths = sorted(path for path in (corpus.DATA / folder).rglob("*") if path.is_file())
    return [path.read_bytes().decode("utf-8", "replace") for path in paths]


def lines(texts: pa.Array) -> pa.Array:
    """The lines of 5 to 40 words, as titles and messages are, in the order of the texts."""
    found = (line for text in texts.to_pylist() for line in text.splitlines())
    return pa.array([line for line in found if 5 <= len(line.split()) <= 40], pa.large_string())


def sample(total: int, count: int) -> pa.Array:
    """Some of the rows of a table, in an order that is always the same."""
    return pa.array(np.random.default_rng(1).permutation(total)[:count])
