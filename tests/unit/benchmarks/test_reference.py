"""The program that passages are compared with is asked as its documents say: here by a stand-in."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from benchmarks import corpus, passages

_STAND_IN = """\
#!/bin/sh
# Takes what the program takes, and writes a table of eight bytes for every byte of the text.
set -eu
verb=$1
shift
while [ $# -gt 0 ]; do
  case $1 in
    --data-file) data=$2 ;;
    --cache-dir) cache=$2 ;;
    --length-threshold) [ "$2" = 300 ] ;;
    --num-threads) [ "$2" = 1 ] ;;
    *) exit 9 ;;
  esac
  shift 2
done
case $verb in
  make) cat "$data" "$data" > "$data.table.bin" ;;
  self-similar) [ -f "$data.table.bin" ]; [ -d "$cache" ]; : > "$cache/dups" ;;
  *) exit 8 ;;
esac
"""


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> pa.Array:
    column = pa.array(["a text of some words " * 20, "another one " * 30], pa.large_string())
    monkeypatch.setattr(corpus, "distinct", lambda: corpus.Corpus("distinct", column))
    return column


def test_the_reference_sorts_and_searches_the_same_texts(texts: pa.Array, tmp_path: Path) -> None:
    program = tmp_path / "dedup_dataset"
    program.write_text(_STAND_IN)
    program.chmod(0o755)
    both, sort, table, peak, own, own_peak = passages.reference(str(program))
    assert both.figure > sort.figure > 0
    assert both.target == ">= 100"
    written = sum(len(text) for text in texts.to_pylist())
    assert table.figure * 1e6 >= 2 * written
    assert peak.figure > 0
    assert own.figure > 0
    assert own_peak.figure > 0


def test_a_program_that_fails_is_no_figure(texts: pa.Array) -> None:
    del texts
    with pytest.raises(Exception, match="exit status|No such file|returned non-zero"):
        passages.reference("/bin/false")
