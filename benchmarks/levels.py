"""The kernels in every set of vector instructions of this machine, each beside the portable one."""

from __future__ import annotations

import subprocess
import tempfile
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks import corpus, timing
from benchmarks.rows import Row, WrongAnswerError

#: How often the texts are gone through, so that to read them counts little.
_TIMES = 2

_BUILD = ("cargo", "build", "--release", "--quiet", "--package", "ilk-kernels")
_EXAMPLE = ("--features", "levels", "--example", "levels")
_COMMAND = corpus.ROOT / "target" / "release" / "examples" / "levels"


def run() -> list[Row]:
    """MB of text per CPU second; the fingerprints must be the same in all of them."""
    subprocess.run([*_BUILD, *_EXAMPLE], cwd=corpus.ROOT, check=True)
    texts = corpus.load()
    ascii_texts = corpus.Corpus(texts.name, texts.texts.filter(pc.string_is_ascii(texts.texts)))
    levels, words, characters = (line.split(",") for line in _answer().splitlines())
    with tempfile.TemporaryDirectory() as folder:
        return [
            row
            for corpora, recipes in ((texts, words), (ascii_texts, characters))
            for row in _rows(corpora, levels, recipes, Path(folder, "texts"))
        ]


def _rows(texts: corpus.Corpus, levels: list[str], recipes: list[str], path: Path) -> list[Row]:
    _write(texts.texts, path)
    found = []
    for recipe in recipes:
        answers = {_answer(level, recipe, "1", path) for level in levels}
        if len(answers) > 1:
            raise WrongAnswerError(f"{recipe}: the levels {', '.join(levels)} do not agree")
        seconds = timing.medians({level: partial(_cost, level, recipe, path) for level in levels})
        speed = {level: texts.megabytes / cost for level, cost in seconds.items()}
        found += [
            Row(
                f"levels: {recipe}, {level}",
                figure,
                "MB/CPU-s",
                figure / speed[levels[0]],
                levels[0],
            )
            for level, figure in speed.items()
        ]
    return found


def _cost(level: str, recipe: str, path: Path) -> float:
    """CPU seconds to go through the texts once, without those to read them."""
    costs = [
        timing.command([_COMMAND, level, recipe, times, path]).cpu for times in ("0", str(_TIMES))
    ]
    return (costs[1] - costs[0]) / _TIMES


def _answer(*arguments: str | Path) -> str:
    done = subprocess.run([_COMMAND, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def _write(texts: pa.LargeStringArray, path: Path) -> None:
    """Write every text behind its length, as the example reads them."""
    with path.open("wb") as out:
        for text in texts:
            data = text.as_buffer()
            out.write(data.size.to_bytes(8, "little"))
            out.write(data)
