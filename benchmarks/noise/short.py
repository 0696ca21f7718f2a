"""What is found of noisy copies of short texts: cards, headlines, and scripts without spaces.

Lines of the corpus stand for cards of a catalogue and headlines, pieces of the Universal
Declaration of Human Rights for scripts without spaces. Each is copied once; strangers are all
others.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import ilk
from benchmarks import corpus, kept
from benchmarks.rows import Row
from ilk_papers.measure.noising import make_noisy

#: What figures are about.
_ABOUT = "noisy copies of short texts"

#: Rates that are asked for, and that copies are made with.
RATES = ("2%", "5%", "10%")

#: Kinds of lines by the words they have.
LINES = {"5 words": (5, 5), "8 to 12 words": (8, 12), "20 to 30 words": (20, 30)}

#: Scripts without spaces, by their files, and the characters of a piece.
SCRIPTS = ("cmn_hans", "cmn_hant", "jpn", "tha", "lao", "khm", "mya")
PIECES = (20, 40, 100)

#: Lines of a kind; each is copied.
COUNT = 5000


def lines(words: tuple[int, int]) -> list[str]:
    """Return distinct lines of prose of as many words, drawn once."""
    known: set[str] = set()
    for text in corpus.distinct().texts.to_pylist():
        known.update(line.strip() for line in text.splitlines() if _is_prose(line, words))
    return random.Random(28).sample(sorted(known), min(COUNT, len(known)))


def _is_prose(line: str, words: tuple[int, int]) -> bool:
    count = len(line.split())
    letters = sum(c.isalpha() or c == " " for c in line)
    return words[0] <= count <= words[1] and letters >= 0.9 * len(line)


def pieces(size: int) -> list[str]:
    """Return distinct pieces of texts in scripts without spaces, of as many characters."""
    found = []
    for script in SCRIPTS:
        path = corpus.DATA / "udhr-nltk" / "udhr2" / f"{script}.txt"
        text = "".join(path.read_text().split())
        found += [text[at : at + size] for at in range(0, len(text) - size, size)]
    return list(dict.fromkeys(found))


def measured(name: str, texts: list[str]) -> Iterator[Row]:
    """Yield what is found of copies of some texts, and how much of it is right, at every rate."""
    for rate in RATES:
        share = float(rate.rstrip("%")) / 100
        copies = [make_noisy(text, share, f"short/{at}") for at, text in enumerate(texts)]
        begin = time.process_time()
        pairs = ilk.find(texts + copies, noise=rate, containment=None, jobs=1).pairs
        seconds = time.process_time() - begin
        count, own, others = len(texts), 0, 0
        for row in pairs.select(["left", "right", "verdict"]).to_pylist():
            same = row["left"] + count == row["right"]
            own += same
            # What shares most of its words is a relative, with noise or without.
            others += not same and row["verdict"] == "noisy"
        about = f"{name}, {rate}"
        yield Row(f"{_ABOUT}: {about}, recall", own / count, "")
        yield Row(f"{_ABOUT}: {about}, precision", own / max(1, own + others), "")
        yield Row(f"{_ABOUT}: {about}, time", seconds, "CPU-s")


def rows() -> Iterator[Row]:
    """Yield the figures of every kind."""
    for name, words in LINES.items():
        yield from measured(name, lines(words))
    for size in PIECES:
        yield from measured(f"{size} characters without spaces", pieces(size))


if __name__ == "__main__":
    kept.shown(rows(), "noise-short-")
