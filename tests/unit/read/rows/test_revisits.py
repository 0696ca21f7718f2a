"""Revisits in archives: rows that are copies of what they revisit."""

from __future__ import annotations

from pathlib import Path

import pytest

import ilk
from ilk.read.rows.opening import open_rows
from tests.support.archives import (
    DATE,
    LATER,
    PAGES,
    crawl,
    framed,
    opened,
    response,
    revisit,
    sha1,
)

REFERS = {
    "digest": {"WARC_Payload_Digest": sha1(PAGES["http://a.org/b"])},
    "address": {"WARC_Refers_To_Target_URI": "http://a.org/b", "WARC_Refers_To_Date": DATE},
    "id": {"WARC_Refers_To": f"<id:http://a.org/b:{DATE}>"},
}


@pytest.mark.parametrize("how", REFERS)
def test_a_revisit_is_a_copy_of_what_it_revisits(how: str, tmp_path: Path) -> None:
    data_set = opened(tmp_path, [*crawl(), revisit("http://a.org/b", **REFERS[how])])
    assert data_set.texts([4]).to_pylist() == [PAGES["http://a.org/b"].decode()]
    assert list(data_set.revisits()) == [(4, 1)]
    assert list(data_set.read_rejected_rows()) == []
    found = ilk.find(tmp_path / "a.warc")
    clusters = found.clusters.select(["doc", "keeper"]).to_pylist()
    assert {"doc": 4, "keeper": 1} in clusters


def test_a_revisit_of_a_revisit_is_a_copy_of_the_first(tmp_path: Path) -> None:
    again = {"WARC_Refers_To_Target_URI": "http://a.org/b", "WARC_Refers_To_Date": LATER}
    latest = revisit("http://a.org/b", "2022-01-01T00:00:00Z", **again)
    parts = [*crawl(), revisit("http://a.org/b", **REFERS["id"]), latest]
    data_set = opened(tmp_path, parts)
    assert data_set.texts([5]).to_pylist() == [PAGES["http://a.org/b"].decode()]
    assert list(data_set.revisits()) == [(4, 1), (5, 1)]


def test_a_revisit_of_another_file_is_a_copy_too(tmp_path: Path) -> None:
    (tmp_path / "1.warc.gz").write_bytes(framed(crawl(), ".gz"))
    (tmp_path / "2.warc").write_bytes(revisit("http://a.org/b", **REFERS["digest"]))
    data_set = open_rows(tmp_path)
    assert data_set.texts([4]).to_pylist() == [PAGES["http://a.org/b"].decode()]
    assert list(data_set.revisits()) == [(4, 1)]
    assert list(data_set.without_first_sources_once_counted(1).revisits()) == []


def test_a_revisit_of_nothing_is_told(tmp_path: Path) -> None:
    data_set = opened(tmp_path, [revisit("http://a.org/b"), *crawl()])
    assert data_set.texts([0]).to_pylist() == [None]
    (told,) = data_set.read_rejected_rows()
    assert told.reason.startswith(
        f"http://a.org/b {LATER}: revisits a capture that was not read before"
    )
    assert (told.at, told.unit) == (0, "offset")


def test_a_revisit_that_is_kept_alone_is_told(tmp_path: Path) -> None:
    opened(tmp_path, [*crawl(), revisit("http://a.org/b", **REFERS["id"])])
    path = str(tmp_path / "a.warc")
    found = ilk.deduplicate(path, keep="last")
    assert found.report["dangling"] == [{"source": f"{path}#4", "revisits": f"{path}#1"}]
    assert ilk.deduplicate(path).report["dangling"] == []
    assert ilk.deduplicate(path).keep_mask.to_pylist() == [True, True, False, True, False]


def test_revisits_of_a_large_text_do_not_come_all_at_once(tmp_path: Path) -> None:
    large = response("http://a.org/", b"a word " * 300_000, Content_Type="text/plain")
    again = revisit("http://a.org/", WARC_Refers_To=f"<id:http://a.org/:{DATE}>")
    batches = list(opened(tmp_path, [large, *[again] * 9]).batches())
    assert sum(map(len, batches)) == 10
    assert max(map(len, batches)) < 4
