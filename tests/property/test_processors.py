"""The same answer, and the same bytes, whatever the number of threads."""

from __future__ import annotations

import gzip
import json
import random
import re
import threading
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk_papers.measure.noising import make_noisy
from tests.support import samples
from tests.support.archives import framed, response
from tests.support.command_line import Run
from tests.support.fixtures import examples
from tests.support.rows import as_csv, as_json_lines, as_parquet, as_zstandard

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
        assert other.contained_pairs.equals(results[0].contained_pairs)
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


def _as_archive(rows: list[dict[str, str]]) -> bytes:
    records = (response(f"http://{row['id']}.org/", row["text"].encode()) for row in rows)
    return framed(records, ".gz")


#: How rows become a file, by the end of its name.
_FORMATS: dict[str, Callable[[list[dict[str, str]]], bytes]] = {
    "jsonl.gz": lambda rows: gzip.compress(as_json_lines(rows), 1),
    "jsonl.zst": lambda rows: as_zstandard(as_json_lines(rows)),
    "csv": as_csv,
    "parquet": lambda rows: as_parquet(rows, rows_per_group=300),
    "warc.gz": _as_archive,
}


@pytest.mark.parametrize("form", _FORMATS)
def test_rows_of_every_format_are_the_same_bytes(
    form: str, tmp_path: Path, thread_starts: list[str]
) -> None:
    # More than two pieces of 4 MB of whatever is read; copies are in others than their originals.
    rows = [{"id": f"r{at}", "text": text} for at, text in enumerate(_long_texts(19, 1_400))]
    assert sum(len(row["text"]) for row in rows) > 8 << 20
    source = tmp_path / f"rows.{form}"
    source.write_bytes(_FORMATS[form](rows))
    outcomes = []
    for jobs in JOBS:
        output = tmp_path / f"{jobs}.{form}"
        ilk.deduplicate(source, output, accept_alarm=True, jobs=jobs)
        assert (jobs > 1) == ("ilk-ahead" in thread_starts)
        beside = Path(f"{output}.ilk")
        tables = [pa.parquet.read_table(beside / f"{name}.parquet") for name in _ACCOUNTS]
        outcomes.append((output.read_bytes(), tables))
        thread_starts.clear()
    assert 0 < len(outcomes[0][0]) < source.stat().st_size
    assert all(outcome == outcomes[0] for outcome in outcomes)


#: Tables that say what a deduplication has found.
_ACCOUNTS = ("clusters", "dropped", "pairs")


@pytest.fixture
def thread_starts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the threads of Python that start from now on."""
    names: list[str] = []
    start = threading.Thread.start

    def start_and_note(thread: threading.Thread) -> None:
        names.append(thread.name)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_and_note)
    return names


def _long_texts(seed: int, count: int) -> list[str]:
    """Return texts of 1,500 words: copies, copies with three words changed, and others."""
    numbers = random.Random(seed)
    texts = [numbers.choices(_WORDS, k=1_500) for _ in range(count // 2)]
    while len(texts) < count:
        words = list(texts[numbers.randrange(len(texts))])
        for _ in range(numbers.choice([0, 3])):
            words[numbers.randrange(len(words))] = numbers.choice(_WORDS)
        texts.append(words)
    numbers.shuffle(texts)
    return [" ".join(words) for words in texts]


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


def test_what_is_cut_does_not_depend_on_threads(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_bytes(as_json_lines([{"text": text} for text in _long_texts(23, 800)]))
    outcomes = []
    for jobs in JOBS:
        output = tmp_path / f"{jobs}.jsonl"
        found = ilk.passages(rows, words=20, jobs=jobs)
        counts = found.write(output, cut=True, mid_sentence=True)
        outcomes.append((output.read_bytes(), counts, found.table))
    assert len(outcomes[0][0]) < rows.stat().st_size * 2 // 3
    assert all(outcome == outcomes[0] for outcome in outcomes)


@given(seeds, thresholds)
@examples(10)
def test_containment_does_not_depend_on_threads(seed: int, least: str) -> None:
    texts = _collection(seed, 400)
    texts += [text[: len(text) // 2] for text in texts[::2]]
    for exists in (False, True):
        once = ilk.sets.containment(texts, least, exists=exists, jobs=1)
        assert len(once)
        for jobs in JOBS[1:]:
            assert ilk.sets.containment(texts, least, exists=exists, jobs=jobs).equals(once)


def test_noisy_copies_do_not_depend_on_threads() -> None:
    texts = [text for text in _collection(29, 900) if len(text) > 200]
    texts += [make_noisy(text, 0.03, at) for at, text in enumerate(texts[:150])]
    results = [ilk.find(texts, noise="5%", jobs=jobs) for jobs in JOBS]
    assert results[0].pairs["verdict"].to_pylist().count("noisy") > 100
    for other in results[1:]:
        assert other.clusters.equals(results[0].clusters)
        assert other.pairs.equals(results[0].pairs)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of files of many kinds, more than are read at once, with copies of each kind."""
    folder, texts = tmp_path / "files", _collection(31, 300)
    for at, text in enumerate(texts):
        words = text.split()
        lines = [" ".join(words[begin : begin + 9]) for begin in range(0, len(words), 9)]
        code = "".join(f"def {word}():\n    return {word!r}\n\n" for word in words)
        kinds = {
            "txt": text.encode(),
            "py": code.encode(),
            "html": samples.page(lines).encode(),
            "json": json.dumps({"title": words[0], "body": lines}).encode(),
            "bin": random.Random(words[0]).randbytes(600),
        }
        kind = list(kinds)[at % len(kinds)]
        path = folder / f"{at % 7}" / f"{at}.{kind}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(kinds[kind])
    few = {f"{at}.txt": text.encode() for at, text in enumerate(texts[:40])}
    (folder / "few.zip").write_bytes(samples.zipped(few))
    (folder / "few.tar.gz").write_bytes(samples.tarred(few, "w:gz"))
    (folder / "letter.docx").write_bytes(samples.docx())
    (folder / "letter.epub").write_bytes(samples.epub())
    return folder


def test_a_folder_of_many_kinds_is_scanned_to_the_same_bytes(
    folder: Path, run: Run, thread_starts: list[str]
) -> None:
    outcomes = []
    for jobs in JOBS:
        code, out, _ = run("scan", folder, "--jobs", jobs, "--format", "jsonl", "--quiet")
        assert code == 0
        assert (jobs > 1) == ("ilk-ahead" in thread_starts)
        out, timed = re.subn(r'"seconds": {[^}]*}', "", out)
        assert timed == 1
        found = ilk.find(folder, jobs=jobs)
        outcomes.append((out, list(found.files().lines()), found.pairs))
        thread_starts.clear()
    kinds = set(re.findall(r'"source": "[^"]*files/[^"]*?[.](\w+)', outcomes[0][0]))
    assert kinds == {"txt", "py", "html", "json", "bin", "zip", "tar", "docx", "epub"}
    assert all(outcome == outcomes[0] for outcome in outcomes)


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "fingerprints"])
def test_a_store_does_not_depend_on_threads(tmp_path: Path, exact: bool) -> None:
    texts = _collection(17, 600)
    answers = []
    for jobs in JOBS:
        with ilk.Store(tmp_path / f"{jobs}.ilk", exact=exact, jobs=jobs) as store:
            store.add_many(texts[:400])
            store.add_many(texts[400:])
            similar = [store.check([text]) for text in texts[::50]]
            answers.append((store.clusters(), similar))
    assert any(answers[0][1])
    assert all(answer == answers[0] for answer in answers)


def test_a_batch_beside_a_store_does_not_depend_on_threads(tmp_path: Path) -> None:
    texts = _long_texts(37, 800)
    batch = tmp_path / "batch.jsonl"
    batch.write_bytes(as_json_lines([{"text": text} for text in texts[400:]]))
    outcomes = []
    for jobs in JOBS:
        path, output = tmp_path / f"{jobs}.ilk", tmp_path / f"{jobs}.jsonl"
        with ilk.Store(path, exact=True, texts=True, jobs=jobs) as store:
            store.add_many(texts[:400])
        found = ilk.deduplicate(batch, output, against=path, add=True, accept_alarm=True, jobs=jobs)
        with ilk.Store(path, create=False, jobs=jobs) as store:
            outcomes.append((output.read_bytes(), found.keep_mask, store.clusters()))
    kept, stays, _ = outcomes[0]
    assert 0 < kept.count(b"\n") < len(stays)
    assert all(outcome == outcomes[0] for outcome in outcomes)
