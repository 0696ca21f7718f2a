"""Captures that are kept: copied as records, or written as rows."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import ilk
from ilk.base.errors import OptionError
from ilk.read.rows.opening import open_rows
from tests.support.archives import (
    CODECS,
    DATE,
    PAGES,
    answer,
    crawl,
    framed,
    opened,
    record,
    response,
)


@pytest.mark.parametrize("kept", [[0, 1, 2, 3], [1], [], [0, 3]])
@pytest.mark.parametrize("together", [False, True], ids=["a frame each", "one frame"])
@pytest.mark.parametrize("codec", CODECS)
def test_kept_records_are_copied(
    codec: str, together: bool, kept: list[int], tmp_path: Path
) -> None:
    parts = crawl()
    path = tmp_path / f"a.warc{codec}"
    path.write_bytes(framed([b"".join(parts)] if together else parts, codec))
    data_set = open_rows(path)
    # The note is nobody's; requests go with their answers.
    own = [[1, 2], [3, 4], [5, 6], [7]]
    wanted = [parts[0], *(parts[at] for row in kept for at in own[row])]
    for name in CODECS:
        out = tmp_path / f"out.warc{name}"
        assert data_set.write(kept, out) == len(kept)
        if name == codec and not (codec and together):
            assert out.read_bytes() == framed(wanted, codec)
        offsets = open_rows(out).read_column("offset").to_pylist() if kept else []
        assert len(set(offsets)) == len(kept)  # A frame each.
        again = tmp_path / f"out-{name}.warc"
        open_rows(out).write(range(len(kept)), again)
        assert again.read_bytes() == b"".join(wanted)


def test_requests_may_come_first_and_name_nobody(tmp_path: Path) -> None:
    """An answer may name its request, as Wget writes it."""
    asked = record("request", b"GET /", WARC_Record_ID="<id:asked>")
    first, second = (
        response(url, payload).replace(
            b"WARC-Record-ID", b"WARC-Concurrent-To: <id:asked>\r\nWARC-Record-ID"
        )
        for url, payload in list(PAGES.items())[:2]
    )
    alone = record("metadata", b"of nobody", WARC_Concurrent_To="<id:nobody>")
    data_set = opened(tmp_path, [asked, first, alone, second.replace(b"<id:asked>", b"<id:x>")])
    data_set.write([1], tmp_path / "out.warc")
    out = (tmp_path / "out.warc").read_bytes()
    assert out == alone + second.replace(b"<id:asked>", b"<id:x>")


def test_kept_captures_are_written_as_rows(tmp_path: Path) -> None:
    data_set = opened(tmp_path, crawl(), "a.warc.gz", extract="fast")
    data_set.write([0, 3], tmp_path / "out.jsonl.gz")
    lines = gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes()).splitlines()
    first, second = map(json.loads, lines)
    assert first["url"] == "http://a.org/"
    assert first["date"] == DATE
    assert first["text"].startswith("alpha0 alpha1")
    assert second["text"] is None
    data_set.write([0, 3], tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet")["url"].to_pylist() == [
        "http://a.org/",
        "http://a.org/i",
    ]
    for name in ("out.csv", "out.arc", "out.parquet.gz"):
        with pytest.raises(OptionError, match="another format"):
            data_set.refuse_unwritable_output(tmp_path / name)


def test_notes_need_rows(tmp_path: Path) -> None:
    opened(tmp_path, crawl())
    found = ilk.deduplicate(str(tmp_path / "a.warc"))
    found.write(tmp_path / "out.jsonl", annotate=True)
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [json.loads(line)["ilk_verdict"] for line in lines] == [
        "keeper",
        "unique",
        "identical",
        "unique",
    ]
    found.write(tmp_path / "out.parquet", annotate=True)
    assert pq.read_table(tmp_path / "out.parquet")["ilk_cluster"].to_pylist() == [0, None, 0, None]
    for out in ("out.warc", "out/"):
        with pytest.raises(OptionError, match=r"WARC cannot hold notes.*\.jsonl"):
            found.write(f"{tmp_path}/{out}", annotate=True)
        with pytest.raises(OptionError, match="cannot hold notes"):
            ilk.deduplicate(str(tmp_path / "a.warc"), f"{tmp_path}/{out}", annotate=True)
    assert not (tmp_path / "out.warc.ilk").exists()


def test_arcs_are_copied_too(tmp_path: Path) -> None:
    note = b"1 0 test\nURL IP-address Archive-date Content-type Archive-length\n"
    parts = [b"filedesc://a.arc 0.0.0.0 20200102030405 text/plain %d\n%b\n" % (len(note), note)]
    for url, payload in PAGES.items():
        http = answer(payload)
        head = f"{url} 192.0.2.1 20200102030405 text/html {len(http)}\n".encode()
        parts.append(head + http + b"\n")
    for codec in ("", ".gz"):
        path = tmp_path / f"a.arc{codec}"
        path.write_bytes(framed(parts, codec))
        found = ilk.deduplicate(str(path))
        assert found.rows.read_column("id").to_pylist() == [f"{url} {DATE}" for url in PAGES]
        found.write(tmp_path / f"out.arc{codec}")
        assert (tmp_path / f"out.arc{codec}").read_bytes() == framed(parts[:3], codec)
