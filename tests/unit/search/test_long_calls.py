"""Calls of the kernels that last: they tell how far they are, and can be ended."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

import ilk

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
    main = threading.main_thread().ident
    assert main is not None
    press = threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT))
    # A shell that starts the tests in the background has them ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    press.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            LONG_CALLS[name](values)
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
