"""Items of 50 evaluation sets in training data of a gigabyte: CPU against `wc -w`, peak memory.

The training data are the corpus, over and over, with one word in ten changed in every copy but the
first, as JSON lines. Half of the items are 40 words of it with a question before them, the others
are such words, sorted. A tenth of the data shows how the time grows. ``ILK_CONTAMINATION_MB`` sets
another size, 100 or more: a tenth of it must hold the texts that the items are taken from.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

from benchmarks import corpus, timing
from benchmarks.dedup import write
from benchmarks.product import ilk
from benchmarks.rows import Row, WrongAnswerError

_MEGABYTES = 1_000

#: What one of the searches may hold.
_MEMORY = "500MB"

_SETS, _ITEMS = 50, 200

#: Words of an item that are in the training data, and the least run that is looked for.
_PLANTED, _LEAST = 40, 13

#: The share of words that another copy of the corpus has in place of its own.
_CHANGED = 0.1


def run() -> Iterator[Row]:
    """Yield the rows of runs alone, in little memory too, and of runs and containment."""
    megabytes = int(os.environ.get("ILK_CONTAMINATION_MB", _MEGABYTES))
    with tempfile.TemporaryDirectory() as folder:
        train, evals = Path(folder, "train.jsonl"), Path(folder, "evals")
        _write_sets(evals)
        small = yield from _rows_of_size(megabytes // 10, train, evals, [[]])
        cases: list[list[str]] = [[], ["--memory", _MEMORY], ["--containment", "80%"]]
        large = yield from _rows_of_size(megabytes, train, evals, cases)
        title = f"contamination: a megabyte of {megabytes:,}"
        yield Row(title, large, "CPU-ms", large / small, f"a megabyte of {megabytes // 10:,}")


def _rows_of_size(
    megabytes: int, train: Path, evals: Path, cases: Sequence[list[str]]
) -> Generator[Row, None, float]:
    """Yield what searches of so much training data take; return that of the first a megabyte."""
    found = train.with_name("found.jsonl")
    size = write(train, ((text, False) for text in _training_texts(megabytes * 10**6)))
    answers = dict[bool, bytes]()
    first = 0.0
    for options in cases:
        words: list[str | Path] = [ilk(), "passages", train, "--against", evals]
        words += ["--words", str(_LEAST), "--items", found, "--force", "--quiet", "--show", "0"]
        words += ["--against-text", "question", "--against-text", "answer", "--jobs", "1"]
        wc = timing.command(["wc", "-w", train]).cpu
        cost = timing.command([*words, *options])
        _check_items(found)
        # Memory changes nothing in the answer.
        if answers.setdefault("--containment" in options, found.read_bytes()) != found.read_bytes():
            raise WrongAnswerError(f"With {' '.join(options)}, other items were found.")
        title = f"contamination: {_SETS} sets of {_ITEMS} items in {size / 1e6:.0f} MB, one run"
        title = " ".join([title, *options])
        first = first or cost.cpu
        yield Row(title, cost.cpu, "CPU-s", cost.cpu / wc, "`wc -w` of the training data")
        target = f"<= {_MEMORY}" if "--memory" in options else ""
        yield Row(f"{title}, peak memory", cost.peak / 1e6, "MB", target=target)
    return 1e9 * first / size


def _training_texts(size: int) -> Iterator[str]:
    """Yield the texts of the corpus, then changed copies of it, of this many bytes in all."""
    texts, seed, left = corpus.distinct().texts, 0, size
    while left > 0:
        copy = corpus.reworded(texts, _CHANGED, seed) if seed else texts
        for text in copy.to_pylist():
            yield text
            left -= len(text.encode())
            if left <= 0:
                return
        seed += 1


def _write_sets(folder: Path) -> None:
    """Write evaluation sets, half of the items from the beginning of the training data."""
    drawn = random.Random(7)
    texts = (text.split() for text in corpus.distinct().texts.slice(0, 2_000).to_pylist())
    # Marks that stand alone are no words.
    words = ([word for word in text if any(map(str.isalnum, word))] for text in texts)
    long = [text for text in words if len(text) > 2 * _PLANTED]
    folder.mkdir()
    for number in range(_SETS):
        lines = []
        for item in range(_ITEMS):
            text = drawn.choice(long)
            start = drawn.randrange(len(text) - _PLANTED)
            answer = text[start : start + _PLANTED]
            if item % 2:
                answer = sorted(answer)
            row = {"question": f"Question {item} of {number}", "answer": " ".join(answer)}
            lines.append(json.dumps(row, ensure_ascii=False) + "\n")
        (folder / f"set{number:02}.jsonl").write_text("".join(lines), encoding="utf-8")


def _check_items(found: Path) -> None:
    """Check that every planted item was found.

    Raises:
        WrongAnswerError: one was not.
    """
    listed = {json.loads(line)["item"].rpartition("evals")[2] for line in found.open()}
    planted = {f"/set{n:02}.jsonl#{item}" for n in range(_SETS) for item in range(0, _ITEMS, 2)}
    if missing := planted - listed:
        raise WrongAnswerError(f"{len(missing)} of {len(planted)} planted items were not found.")
