"""A machine that has no more memory: large allocations end in an error that says what was needed.

Each runs in a process of its own, whose memory is limited just before the work begins.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_PREPARED = """
import resource, sys
import numpy as np
import pyarrow as pa
import ilk
from ilk import _kernels, arrow

def sets(count, size, kinds):
    values = np.random.default_rng(4).integers(0, 2**32, (kinds, size), dtype=np.uint64)
    rows = np.sort(values, axis=1)[np.arange(count) % kinds].astype(np.uint32)
    return pa.LargeListArray.from_arrays(pa.array(np.arange(count + 1) * size), rows.ravel())

def words(count):
    return arrow.import_texts([" ".join(map(str, range(count)))])

def evidence(texts):
    rule = _kernels.EvidenceRule(
        shingle_words=3, shingle_characters=3, characters_below=100, whole_above=60_000
    )
    builder = _kernels.EvidenceBuilder(rule, 1)
    builder.add(texts.combine_chunks().cast(pa.large_binary()))

def passages(texts, least=5):
    found = _kernels.Collection(1)
    found.add(texts.combine_chunks().cast(pa.large_binary()))
    found.find_repeated_outside_base(least).find_longest_runs_with_other_place()

def index(prints):
    _kernels.HammingIndex(False, 3).add(prints, pa.array(range(len(prints))))

def opened(path):
    ilk.Store(path, create=False, jobs=1).check(["a text that is not there at all"])

def limit(megabytes):
    lines = open("/proc/self/status").read().splitlines()
    held = next(int(line.split()[1]) for line in lines if line.startswith("VmSize"))
    most = (held << 10) + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

def attempt(work, given, megabytes):
    # Nothing else may be loaded when there is no room for it.
    import traceback, unicodedata
    limit(megabytes)
    try:
        work(given)
        print("done")
    except MemoryError as error:
        print("MemoryError:", error)
"""

_MANY = "np.repeat(np.arange(40, dtype=np.uint64) << np.uint64(32), 250)"

#: What takes far more than it is given: what is done, with what, in how many MB.
TOO_LARGE = {
    "evidence": "attempt(evidence, words(2_000_000), 24)",
    "passages": "attempt(passages, words(2_000_000), 24)",
    "join of sets": "s = sets(4_000, 50, 4)\n"
    "attempt(lambda s: _kernels.resemblance_self_join(s, (8, 10), 10**9, 1), s, 24)",
    "containment": "s = sets(4_000, 50, 4)\n"
    "attempt(lambda s: _kernels.containment_self_join(s, (8, 10), 10**9), s, 24)",
    "join of fingerprints": "attempt(lambda p: ilk.hamming.pairs(p, 3, jobs=1), "
    f"pa.array({_MANY}), 16)",
    "families": "attempt(lambda p: ilk.hamming.components(p, 3), "
    "pa.array(np.arange(2_000_000, dtype=np.uint64)), 24)",
    "index": "attempt(index, pa.array(np.arange(2_000_000, dtype=np.uint64)), 24)",
    "fingerprints": "attempt(lambda t: ilk.fingerprint(t, jobs=1), words(4_000_000), 24)",
}


def run(code: str) -> str:
    """Return what a process prints; its end, if it did not end by itself."""
    done = subprocess.run(
        [sys.executable, "-c", _PREPARED + code],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return done.stdout.strip() or f"{done.returncode}: {done.stderr[-500:]}"


@pytest.mark.skipif(sys.platform != "linux", reason="the memory is limited as Linux does it")
@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_needs_too_much_says_how_much(name: str) -> None:
    said = run(TOO_LARGE[name])
    assert said.startswith("MemoryError: "), said
    assert "MB more of memory are needed, and the system does not give them" in said


@pytest.mark.skipif(sys.platform != "linux", reason="the memory is limited as Linux does it")
def test_passages_longer_than_every_text_take_no_memory() -> None:
    assert run("attempt(lambda t: passages(t, 2**32 - 1), words(1_000), 24)") == "done"


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the memory is limited as Linux does it")
@pytest.mark.parametrize("exact", [False, True])
def test_a_store_is_opened_or_says_that_there_is_no_memory(tmp_path: Path, *, exact: bool) -> None:
    import ilk

    with ilk.Store(tmp_path / "s.ilk", exact=exact, jobs=1) as store:
        store.add_many(" ".join(str(at * word) for word in range(90)) for at in range(3_000))
    ends = [run(f"attempt(opened, {str(tmp_path / 's.ilk')!r}, {room})") for room in (24, 48, 400)]
    assert ends[-1] == "done"
    assert all("panicked" not in end for end in ends)
