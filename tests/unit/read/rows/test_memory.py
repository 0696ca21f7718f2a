"""Rows of data sets in bounded memory, however many there are."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.archives import framed, response
from tests.support.rows import as_csv, as_json_lines, as_zstandard

#: Three passes; the peak is given in megabytes. It is that of the program alone, while getrusage
#: also counts what the process was before.
_PASSES = """
import pathlib, re, sys
from ilk.read.rows.opening import open_rows

rows = open_rows(sys.argv[1])
kept = range(0, rows.count_rows(), 3)
for batch in rows.batches(kept):
    pass
rows.write(kept, sys.argv[2])
status = pathlib.Path("/proc/self/status").read_text()
print(int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) // 1024)
"""

#: What memory may differ by for other reasons than the size of a file, in megabytes.
_SLACK = 32


def in_groups(rows: list[dict[str, Any]]) -> bytes:
    """Parquet whose groups are as large in a large file as in a small one."""
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out, row_group_size=4_000, compression="none")
    return out.getvalue()


FORMATS: dict[str, Callable[[list[dict[str, Any]]], bytes]] = {
    ".jsonl": as_json_lines,
    ".jsonl.zst": lambda rows: as_zstandard(as_json_lines(rows)),
    ".csv": as_csv,
    ".parquet": in_groups,
}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux reports peaks")
@pytest.mark.parametrize("kind", FORMATS)
def test_memory_does_not_grow_with_the_file(kind: str, tmp_path: Path) -> None:
    """Files of 8 and of 80 MB."""
    noise = os.urandom(1 << 16).hex()
    peaks = []
    for count in (8_000, 80_000):
        rows = [{"text": noise[row : row + 1000], "id": str(row)} for row in range(count)]
        path, out = tmp_path / f"{count}{kind}", tmp_path / f"kept-{count}{kind}"
        path.write_bytes(FORMATS[kind](rows))
        told = subprocess.check_output([sys.executable, "-c", _PASSES, path, out])
        peaks.append(int(told))
        assert out.stat().st_size > 0
    assert peaks[1] - peaks[0] < _SLACK, peaks


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux reports peaks")
@pytest.mark.long
def test_memory_does_not_grow_with_the_pages_of_an_archive(tmp_path: Path) -> None:
    """Texts of 8 and of 80 MB; what else is known of a capture is some hundred bytes."""
    noise = os.urandom(1 << 16).hex().encode()
    peaks = []
    for count in (800, 8_000):
        path = tmp_path / f"{count}.warc.gz"
        pages = (noise[at : at + 10_000] for at in range(count))
        answers = (response(f"http://a.org/{at}", page) for at, page in enumerate(pages))
        path.write_bytes(framed(answers, ".gz"))
        command = [sys.executable, "-c", _PASSES, str(path), str(tmp_path / f"out-{count}.warc.gz")]
        peaks.append(
            int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        )
    assert peaks[1] < peaks[0] + _SLACK
