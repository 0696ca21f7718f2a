"""Calls of the kernels that last: they tell how far they are, and can be ended."""

from __future__ import annotations

import functools
import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ilk
import ilk_papers
from ilk import _kernels
from ilk._kernels import EvidenceBuilder, EvidenceRule
from ilk.fingerprints.texts import make_fingerprint_way

#: Calls of about 10**11 comparisons: without an interruption the suite would hang.
LONG_CALLS: dict[str, Callable[..., object]] = {
    "pairs": lambda values, **told: ilk.hamming.pairs(values, 14, **told),
    "join": lambda values, **told: ilk.hamming.join(values, values, 14, **told),
    "pair_groups": lambda values, **told: ilk.hamming.groups(values, 14, **told),
    "connected": lambda values, **told: ilk.hamming.components(values, 14, **told),
    "query_many": lambda values, **told: ilk.hamming.Index(values, 14).query_many(
        values, 16, **told
    ),
}


def many() -> pa.Array:
    return pa.array(np.random.default_rng(1).integers(0, 2**64, 500_000, np.uint64))


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals of threads are POSIX")
@pytest.mark.parametrize("name", LONG_CALLS)
def test_ctrl_c_is_heard_in_the_middle_of_a_call(name: str) -> None:
    values = many()
    _interrupted(lambda: LONG_CALLS[name](values))


def _interrupted(call: Callable[[], object]) -> None:
    main = threading.main_thread().ident
    assert main is not None
    press = threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT))
    # A shell that starts the tests in the background has them ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    press.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        press.cancel()
        press.join()
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("name", LONG_CALLS)
def test_progress_is_told_and_may_end_a_call(name: str) -> None:
    shares: list[float] = []

    def progress(share: float) -> None:
        shares.append(share)
        if len(shares) == 4:
            raise StopIteration

    with pytest.raises(StopIteration):
        LONG_CALLS[name](many(), progress=progress)
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)


#: A column of 25 GB in the memory of one chunk: a call on it lasts for minutes.
_CHUNK = pa.array(
    [" ".join(f"word{n}" for n in range(row, row + 300)) for row in range(9_000)],
    pa.large_string(),
)
_ENDLESS = pa.chunked_array([_CHUNK] * 1_000)

#: Calls that read texts.
READING_CALLS: dict[str, Callable[[Any], object]] = {
    "fingerprint": ilk.fingerprint,
    "signatures": lambda texts: ilk.minhash.signatures(texts, size=4096),
    "sketches": lambda texts: ilk.minhash.sketches(texts, "winnow", 50),
    "weights": lambda texts: ilk_papers.document_weights(texts, "similarity-index", least=1),
    "find": ilk.find,
    "deduplicate": lambda texts: ilk.deduplicate(texts, accept_alarm=True),
    "passages": lambda texts: ilk.passages(texts, words=9),
    "pairs of sets": lambda texts: ilk.sets.pairs(texts, 0.5),
}


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals of threads are POSIX")
@pytest.mark.parametrize("name", READING_CALLS)
def test_ctrl_c_is_heard_while_texts_are_read(name: str) -> None:
    READING_CALLS[name](_CHUNK[:2])  # Whatever is loaded at the first call is loaded.
    _interrupted(lambda: READING_CALLS[name](_ENDLESS))


#: Calls of the kernels on one text, as it is and as a column.
LONG_TEXT_CALLS: dict[str, Callable[[str, pa.Array], object]] = {
    "evidence": lambda _, column: EvidenceBuilder(
        EvidenceRule(shingle_words=3, shingle_characters=3, characters_below=100, whole_above=2048),
        1,
    ).add(column),
    "words": lambda text, _: _kernels.hash_and_locate_words(text, "fold"),
    "cosine": lambda text, _: _kernels.measure_cosine(
        text, text, make_fingerprint_way(ilk.Recipe()).kernel
    ),
    "feature sets": lambda _, column: _kernels.make_feature_id_sets(
        column, make_fingerprint_way(ilk.Recipe(width=3)).kernel, 1
    ),
}


@functools.cache
def _long_text() -> str:
    return "".join(f"word{n * n % 9_999_991} " for n in range(3_000_000)) * 6


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="timers are POSIX")
@pytest.mark.parametrize("name", LONG_TEXT_CALLS)
def test_ctrl_c_is_heard_in_the_middle_of_a_text(name: str) -> None:
    text = _long_text()
    column = pa.array([text.encode()], pa.large_binary())
    _heard_within(lambda: LONG_TEXT_CALLS[name](text, column))


def _numbers(most: int, count: int, kind: Any = np.int64) -> pa.Array:
    return pa.array(np.random.default_rng(1).integers(0, most, count, kind))


def _bytes(piece: bytes, times: int) -> pa.Array:
    return pa.array(np.frombuffer(piece * times, np.uint8))


def _find_repeated_runs() -> _kernels.RepeatedRuns:
    """Two words by turns, each of them a block."""
    count = 6_000_000
    words = np.arange(count, dtype=np.uint64) % 2
    places = np.arange(2, count, dtype=np.uint32)
    copies = pa.array(places), pa.array(places % 2), pa.array(np.ones_like(places))
    ends = pa.array(np.arange(100, count + 1, 100, dtype=np.uint64))
    document_words = _kernels.DocumentWords(hashes=pa.array(words), document_ends=ends)
    return _kernels.RepeatedRuns.from_copies(document_words, 1, [copies])


def _rows(texts: pa.Array) -> Callable[[], object]:
    fields = _kernels.JsonFields(texts=["text"], id=None)
    return lambda: _kernels.read_json_rows(texts, True, fields, None)


def _fields(rows: pa.Array) -> Callable[[], object]:
    fields = _kernels.CsvFields(count=2, texts=[0], id=None)
    return lambda: _kernels.read_csv_rows(rows, True, 44, fields, None)


def _call_of_runs() -> Callable[[], object]:
    repeated = _find_repeated_runs()
    return lambda: repeated.find_longest_runs_with_other_place()


def _call_of_urls() -> Callable[[], object]:
    urls = pa.array([b"http://a.example/b/../c?x=1"] * 500_000, pa.large_binary())
    rules = _kernels.UrlRules([name for name, _ in _kernels.list_url_rules()], [])
    return lambda: rules.canonicalise_all(urls)


def _call_of_clusters(kernel: Callable[..., pa.Array]) -> Callable[[], object]:
    left, right = _numbers(4_000_000, 8_000_000), _numbers(3_999_999, 8_000_000)
    return lambda: kernel(pa.array(np.arange(4_000_000)), left, right)


def _call_of_digests() -> Callable[[], object]:
    numbers = _numbers(2**62, 6_000_000)
    digests = pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), 3_000_000, numbers.buffers())
    return lambda: _kernels.find_first_equal_rows_or_null(digests)


def _call_of_alignment() -> Callable[[], object]:
    text = _numbers(26, 120_000).to_numpy() + ord("a")
    left, right = (bytes(one.astype(np.uint8)).decode() for one in (text, text[::-1]))
    return lambda: _kernels.count_wrong_characters(left, right)


#: Makes calls of kernels on columns, each of which lasts for a third of a second or more.
LONG_COLUMN_CALLS: dict[str, Callable[[], Callable[[], object]]] = {
    "passages: runs": _call_of_runs,
    "addresses": _call_of_urls,
    "anchored clusters": lambda: _call_of_clusters(_kernels.cluster_anchored),
    "connected clusters": lambda: _call_of_clusters(_kernels.cluster_connected),
    "rows: lines": lambda: _rows(_bytes(b'{"text": "a word"}\n', 5_000_000)),
    "rows: bad lines": lambda: _rows(_bytes(b"{\n", 800_000)),
    "rows: line ends": lambda: _rows(_bytes(b"\n", 150_000_000)),
    "rows: fields": lambda: _fields(_bytes(b"a,", 40_000_000)),
    "first rows": _call_of_digests,
    "alignment": _call_of_alignment,
}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="timers are POSIX")
@pytest.mark.parametrize("name", LONG_COLUMN_CALLS)
def test_ctrl_c_is_heard_in_the_middle_of_a_column(name: str) -> None:
    _heard_within(LONG_COLUMN_CALLS[name]())


def _heard_within(call: Callable[[], object]) -> None:
    """A signal that is heard only when a call has ended is heard once."""
    heard, calling = 0, True

    def press(*_: object) -> None:
        nonlocal heard
        heard += 1
        if heard == 2 and calling:  # Later, it would end the tests.
            raise KeyboardInterrupt

    def pressed() -> None:
        nonlocal calling
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        call()
        calling = False

    before = signal.signal(signal.SIGALRM, press)
    try:
        with pytest.raises(KeyboardInterrupt):
            pressed()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
