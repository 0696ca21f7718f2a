"""The same answer, and the same bytes, whatever the number of threads."""

from __future__ import annotations

import json
import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from tests.support.fixtures import examples

JOBS = (1, 2, 3, 8)

_WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("", "ra", "st", "nd")]


def _collection(seed: int, count: int) -> list[str]:
    """Return texts of 5 to 160 words, most of them copies of others with a few words changed."""
    numbers = random.Random(seed)
    texts: list[list[str]] = []
    for _ in range(count):
        if texts and numbers.random() < 0.7:
            words = list(numbers.choice(texts[-60:]))
            for _ in range(numbers.randrange(4)):
                words[numbers.randrange(len(words))] = numbers.choice(_WORDS)
        else:
            words = numbers.choices(_WORDS, k=numbers.choice([5, 14, 30, 49, 52, 99, 160]))
        texts.append(words)
    return [" ".join(words) for words in texts]


seeds = st.integers(0, 2**32)
thresholds = st.sampled_from(["0.5", "0.8", "0.95"])


@given(seeds, thresholds)
@examples(15)
def test_joins_do_not_depend_on_threads(seed: int, least: str) -> None:
    texts = _collection(seed, 500)
    once = ilk.sets.pairs(texts, least, jobs=1)
    assert len(once)
    across = ilk.sets.join(texts[:250], texts[250:], least, jobs=1)
    for jobs in JOBS[1:]:
        assert ilk.sets.pairs(texts, least, jobs=jobs).equals(once)
        assert ilk.sets.join(texts[:250], texts[250:], least, jobs=jobs).equals(across)


@given(seeds, thresholds, st.sampled_from([None, "0.9"]))
@examples(15)
def test_searches_do_not_depend_on_threads(seed: int, least: str, inside: str | None) -> None:
    texts = pa.array(_collection(seed, 500))
    results = [ilk.find(texts, resemblance=least, containment=inside, jobs=jobs) for jobs in JOBS]
    assert len(results[0])
    for other in results[1:]:
        assert other.clusters.equals(results[0].clusters)
        assert other.contained.equals(results[0].contained)
        assert other.pairs.equals(results[0].pairs)


@given(seeds, thresholds)
@examples(5)
def test_rows_that_stay_are_the_same_bytes(seed: int, least: str) -> None:
    with TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.jsonl"
        lines = (json.dumps({"text": text}) for text in _collection(seed, 800))
        rows.write_text("".join(f"{line}\n" for line in lines))
        outputs = []
        for jobs in JOBS:
            output = Path(folder) / f"{jobs}.jsonl"
            result = ilk.deduplicate(rows, resemblance=least, jobs=jobs)
            result.write(output, accept_alarm=True)
            outputs.append(output.read_bytes())
        assert 0 < len(outputs[0]) < rows.stat().st_size
        assert all(output == outputs[0] for output in outputs)


def test_blocks_of_a_file_are_the_same_bytes(tmp_path: Path) -> None:
    # Four blocks of 4 MB: copies across them, a row longer than one, and rows that are unreadable.
    numbers = random.Random(11)
    texts = [" ".join(numbers.choices(_WORDS, k=3_000)) for _ in range(300)]
    lines = [json.dumps({"id": at, "text": numbers.choice(texts)}) for at in range(900)]
    lines[500:500] = ["{broken", json.dumps({"text": "a long row " * 500_000}), "[]"]
    rows = tmp_path / "rows.jsonl"
    rows.write_text("\n".join(lines))
    outcomes = []
    for jobs in JOBS:
        output = tmp_path / f"{jobs}.jsonl"
        result = ilk.deduplicate(rows, jobs=jobs)
        result.write(output, accept_alarm=True)
        rejected = [(row.at, row.reason) for row in result.rows.read_rejected_rows()]
        outcomes.append((output.read_bytes(), result.clusters.to_pydict(), rejected))
    assert len(outcomes[0][2]) == 2
    assert outcomes[0][0].count(b"\n") < 302
    assert all(outcome == outcomes[0] for outcome in outcomes)


@pytest.mark.parametrize("jobs", JOBS)
def test_a_limit_of_pairs_holds_whoever_finds_them(jobs: int) -> None:
    texts = _collection(7, 500)
    count = len(ilk.sets.pairs(texts, "0.8"))
    assert len(ilk.sets.pairs(texts, "0.8", max_pairs=count, jobs=jobs)) == count
    with pytest.raises(ilk.TooManyPairs):
        ilk.sets.pairs(texts, "0.8", max_pairs=count - 1, jobs=jobs)


def test_passages_do_not_depend_on_threads() -> None:
    # More words than threads need to share them, in texts that copy others and in ones that do not.
    texts = _collection(13, 26_000)
    assert sum(len(text.split()) for text in texts) > 1 << 20
    results = [ilk.passages(texts, words=20, jobs=jobs) for jobs in JOBS]
    assert len(results[0].table) > 1_000
    for other in results[1:]:
        assert other.table.equals(results[0].table)
        assert other.coverage.equals(results[0].coverage)


def test_a_store_does_not_depend_on_threads(tmp_path: Path) -> None:
    texts = _collection(17, 600)
    answers = []
    for jobs in JOBS:
        with ilk.Store(tmp_path / f"{jobs}.ilk", exact=True, jobs=jobs) as store:
            store.add_many(texts[:400])
            store.add_many(texts[400:])
            similar = [store.check([text]) for text in texts[::50]]
            answers.append((store.clusters(), similar))
    assert any(answers[0][1])
    assert all(answer == answers[0] for answer in answers)
