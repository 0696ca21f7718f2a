"""The texts that the benchmarks read.

A corpus of 47,669 documents of 205 MB may stand beside the checkout, in ``../shared/data``; where
it does not, invented texts take its place, and every benchmark's rows say so.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parent.parent

#: Real documents beside a checkout of some developers; never part of the project.
DATA = ROOT.parent / "shared" / "data"

_LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8)

#: Blocks of scripts that invented multilingual words are drawn from: first and last character.
_SCRIPTS = (
    ("a", "z"),
    ("à", "ö"),
    ("α", "ω"),
    ("а", "я"),
    ("א", "ת"),
    ("غ", "ي"),
    ("क", "ह"),
    ("ก", "ฮ"),
    ("一", "龥"),
    ("가", "힣"),
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """A column of texts (``large_string``, no nulls), and what to call it in a row."""

    name: str
    texts: pa.LargeStringArray

    @property
    def megabytes(self) -> float:
        """Millions of bytes of text, as UTF-8."""
        offsets = np.frombuffer(self.texts.buffers()[1], np.int64)
        first = self.texts.offset
        return float(offsets[first + len(self.texts)] - offsets[first]) / 1e6


@cache
def load() -> Corpus:
    """The corpus beside the checkout, or its stand-in."""
    path = DATA / "bench" / "corpus.parquet"
    if path.is_file():
        column = pq.read_table(path, columns=["text"]).column("text")
        return Corpus("corpus", column.cast(pa.large_string()).combine_chunks())
    print(f"{path} is not there: invented texts take its place", file=sys.stderr)
    return Corpus("invented", _invented(20_000, np.random.default_rng(1)))


@cache
def distinct() -> Corpus:
    """The corpus, each text once, in order of first appearance."""
    corpus = load()
    return Corpus(f"distinct {corpus.name}", corpus.texts.unique())


@cache
def multilingual() -> Corpus:
    """The Universal Declaration of Human Rights in hundreds of languages, or invented words."""
    paths = sorted((DATA / "udhr-nltk" / "udhr2").glob("*.txt"))
    if paths:
        texts = [path.read_text(encoding="utf-8", errors="replace") for path in paths]
        return Corpus("multilingual", pa.array(texts, pa.large_string()))
    return Corpus("invented multilingual", _many_scripts(400, np.random.default_rng(2)))


def short_texts(texts: pa.LargeStringArray, low: int = 350, high: int = 550) -> pa.Array:
    """Texts of ``low`` to ``high`` bytes, cut from longer ones at line ends.

    Lines are taken together until there are ``low`` bytes; what is then longer than ``high``, and
    what is left at the end of a text, is dropped.
    """
    pieces = []
    for text in texts.to_pylist():
        lines: list[str] = []
        size = 0
        for line in text.splitlines(keepends=True):
            lines.append(line)
            size += len(line.encode())
            if size >= low:
                if size <= high:
                    pieces.append("".join(lines))
                lines, size = [], 0
    return pa.array(pieces, pa.large_string())


def reworded(texts: pa.LargeStringArray, share: float, seed: int) -> pa.LargeStringArray:
    """Texts of the same lengths in which a share of the words is another.

    A word is here a run of ASCII letters; the small letters of a chosen one are drawn anew.
    """
    random = np.random.default_rng(seed)
    validity, offsets, values = texts.buffers()
    data = np.frombuffer(values, np.uint8).copy()
    letter = ((data | 0x20) >= ord("a")) & ((data | 0x20) <= ord("z"))
    starts = letter.copy()
    starts[1:] &= ~letter[:-1]
    chosen = random.random(int(starts.sum()) + 1, np.float32) < share
    # Every byte takes the lot of the last word that began at or before it; number 0 is no word.
    changed = np.flatnonzero((data >= ord("a")) & letter & chosen[np.cumsum(starts)])
    data[changed] = _LETTERS[random.integers(0, len(_LETTERS), len(changed))]
    buffers = [validity, offsets, pa.py_buffer(data)]
    return pa.Array.from_buffers(texts.type, len(texts), buffers, offset=texts.offset)


def write_flat(texts: pa.LargeStringArray, path: Path) -> None:
    """Write the texts to one file, each with a line end of its own: what `wc -w` reads."""
    with path.open("wb") as out:
        for text in texts:
            out.write(text.as_buffer())
            out.write(b"\n")


def _invented(documents: int, random: np.random.Generator) -> pa.Array:
    """Documents of invented words: a third of them are copies or revisions of earlier ones.

    Words follow Zipf's law and lengths a log-normal one, as those of real texts do.
    """
    vocabulary = _words(_LETTERS, 50_000, random)
    rank = np.arange(1, len(vocabulary) + 1)
    commonness = (1 / rank) / (1 / rank).sum()
    made: list[Any] = []
    for size in np.minimum(random.lognormal(6.0, 1.0, documents).astype(int) + 20, 20_000):
        kind = random.random() if made else 1.0
        if kind < 0.15:
            made.append(made[random.integers(len(made))])
            continue
        words = random.choice(len(vocabulary), size, p=commonness)
        if kind < 0.35:
            earlier = made[random.integers(len(made))]
            kept = random.random(len(earlier)) >= 0.05
            words = np.where(kept, earlier, np.resize(words, len(earlier)))
        made.append(words)
    return pa.array(
        [_lines([vocabulary[word] for word in words]) for words in made], "large_string"
    )


def _many_scripts(documents: int, random: np.random.Generator) -> pa.Array:
    """Documents of invented words, each in one of many scripts."""
    texts = []
    for document in range(documents):
        first, last = _SCRIPTS[document % len(_SCRIPTS)]
        letters = np.arange(ord(first), ord(last) + 1)
        texts.append(_lines(_words(letters, 1500, random)))
    return pa.array(texts, pa.large_string())


def _words(letters: np.ndarray[Any, Any], count: int, random: np.random.Generator) -> list[str]:
    """Words of 2 to 10 letters, given as code points."""
    lengths = random.integers(2, 11, count)
    drawn = letters[random.integers(0, len(letters), int(lengths.sum()))]
    ends = np.cumsum(lengths)
    pairs = zip(ends - lengths, ends, strict=True)
    return ["".join(map(chr, drawn[start:end])) for start, end in pairs]


def _lines(words: list[str]) -> str:
    """Words, twelve a line."""
    return "\n".join(" ".join(words[at : at + 12]) for at in range(0, len(words), 12))
