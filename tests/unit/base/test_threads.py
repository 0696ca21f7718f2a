"""A machine that allows no more threads: the same answers, on fewer."""

from __future__ import annotations

import subprocess
import sys

import pytest

_WORK = """
import os, resource
import ilk
import pyarrow as pa
texts = pa.array([f"text {n} of {n % 7} kinds with number {n * n}" for n in range(3000)])
fingerprints = ilk.fingerprint(texts, jobs=1)
alone = ilk.hamming.pairs(fingerprints, 6, jobs=1), ilk.fingerprint(texts, jobs=1)
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
if os.getuid() == 0:
    os.setuid(65534)  # What root may do is not limited.
import threading
try:
    threading.Thread(target=print).start()
except RuntimeError:
    assert (ilk.hamming.pairs(fingerprints, 6, jobs=8), ilk.fingerprint(texts, jobs=8)) == alone
    print("same")
else:
    print("not limited")
"""


def test_without_threads_the_answer_is_the_same() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WORK], capture_output=True, text=True, check=False, timeout=300
    )
    if done.stdout.strip().endswith("not limited"):
        pytest.skip("this system does not limit threads")
    assert done.stdout == "same\n", done.stderr
