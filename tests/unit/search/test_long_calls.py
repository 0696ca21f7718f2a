"""Calls of the kernels that last: they tell how far they are, and can be ended."""

from __future__ import annotations

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
from ilk._kernels import EvidenceBuilder
from ilk.fingerprints.texts import way

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
    "evidence": lambda _, column: EvidenceBuilder(3, 3, 100, 2048, 1).add(column),
    "words": lambda text, _: _kernels.word_places(text, "fold"),
    "cosine": lambda text, _: _kernels.cosine(text, text, way(ilk.Recipe()).kernel),
    "hashes": lambda _, column: _kernels.shingle_hashes(column, "words", 3, "fold", 1),
}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="timers are POSIX")
@pytest.mark.parametrize("name", LONG_TEXT_CALLS)
def test_ctrl_c_is_heard_in_the_middle_of_a_text(name: str) -> None:
    """A signal that is heard only when the call has ended is heard once."""
    text = "".join(f"word{n * n % 9_999_991} " for n in range(3_000_000)) * 3
    column = pa.array([text.encode()], pa.large_binary())
    heard = 0

    def press(*_: object) -> None:
        nonlocal heard
        heard += 1
        if heard == 2:
            raise KeyboardInterrupt

    def call() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        LONG_TEXT_CALLS[name](text, column)

    before = signal.signal(signal.SIGALRM, press)
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
