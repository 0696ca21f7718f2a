"""Archives as rows of a data set: read, read again, and copied."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import ilk
from ilk.errors import (
    ColumnTypeError,
    MissingExtra,
    NothingRead,
    OptionError,
    OutputError,
    SourceChanged,
)
from ilk.readers.rows import Records, open_rows
from ilk.readers.warc.crawl import Crawl
from tests.archives import CODECS, DATE, answer, framed, page, record, request, response, sha1

LATER = "2021-01-02T03:04:05Z"
PAGES = {
    "http://a.org/": page("alpha"),
    "http://a.org/b": page("beta"),
    "http://b.org/": page("alpha"),
}


def crawl() -> list[bytes]:
    """A note, three pages with their requests, of which two are equal, and an image."""
    parts = [record("warcinfo", b"software: a test", WARC_Record_ID="<id:note>")]
    for url, payload in PAGES.items():
        parts += [response(url, payload), request(url, url)]
    return [*parts, response("http://a.org/i", b"\x89PNG", Content_Type="image/png")]


def revisit(url: str, date: str = LATER, **fields: str) -> bytes:
    """That a page has not changed."""
    given = {"WARC_Target_URI": url, "WARC_Date": date, "Content_Type": "application/http"}
    return record("revisit", answer(b"", "304 Not Modified"), **given, **fields)


def _nothing(package: str) -> None:
    del package


def opened(folder: Path, parts: list[bytes], name: str = "a.warc", **options: Any) -> Records:
    path = folder / name
    path.write_bytes(framed(parts, path.suffix if path.suffix in CODECS else ""))
    return open_rows(path, **options)


NAMES = ["a.warc", "a.warc.gz", "a.WARC.zst", "a.warc.lz4", "a.wet.gz", "a", "a.bin.gz"]


@pytest.mark.parametrize("name", NAMES)
def test_captures_are_rows_whatever_the_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    codec = Path(name).suffix.lower()
    path.write_bytes(framed(crawl(), codec if codec in CODECS else ""))
    data_set = open_rows(path)
    rows = [row for batch in data_set.batches() for row in batch.to_pylist()]
    urls = [*PAGES, "http://a.org/i"]
    assert [row["doc"] for row in rows] == [0, 1, 2, 3]
    assert [row["id"] for row in rows] == [f"{url} {DATE}" for url in urls]
    assert [row["source"] for row in rows] == [
        f"{path}#{at} {url} {DATE}" for at, url in enumerate(urls)
    ]
    assert [row["text"] and row["text"].encode() for row in rows] == [*PAGES.values(), None]
    assert (data_set.counts.with_text, data_set.counts.null) == (3, 1)
    assert list(data_set.rejected()) == []


def test_columns_are_what_is_known(tmp_path: Path) -> None:
    data_set = opened(tmp_path, crawl(), "a.warc.gz")
    assert data_set.column("url").to_pylist() == [*PAGES, "http://a.org/i"]
    assert str(data_set.column("date").type) == "timestamp[us, tz=UTC]"
    assert data_set.column("status").to_pylist() == [200] * 4
    assert data_set.column("digest").to_pylist()[:3] == [sha1(each) for each in PAGES.values()]
    content = (tmp_path / "a.warc.gz").read_bytes()
    for offset, url in zip(data_set.column("offset").to_pylist(), PAGES, strict=False):
        assert url.encode() in gzip.decompress(content[offset:])[:200]
    with pytest.raises(ColumnTypeError, match="nonsense"):
        data_set.column("nonsense")
    with pytest.raises(ColumnTypeError, match="nonsense"):
        open_rows(tmp_path / "a.warc.gz", text="nonsense")


def test_chosen_captures_are_read_again(tmp_path: Path) -> None:
    data_set = opened(tmp_path, crawl())
    assert data_set.texts([1]).to_pylist() == [PAGES["http://a.org/b"].decode()]
    first = [batch.to_pylist() for batch in data_set.batches()]
    assert [batch.to_pylist() for batch in data_set.batches()] == first


def test_a_text_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data_set = opened(tmp_path, crawl(), extract="fast")
    texts = [text for batch in data_set.batches() for text in batch["text"].to_pylist()]
    assert "<p>" not in texts[0]
    monkeypatch.setattr("ilk.readers.warc.captures.captured", None)
    assert data_set.texts(range(4)).to_pylist() == texts


def test_jobs_change_nothing(tmp_path: Path) -> None:
    parts = [response(f"http://a.org/{n}", page(f"n{n}")) for n in range(40)]
    parts.append(revisit("http://a.org/7", WARC_Refers_To=f"<id:http://a.org/7:{DATE}>"))
    found = [
        [
            batch.to_pylist()
            for batch in opened(tmp_path, parts, extract="fast", jobs=jobs).batches()
        ]
        for jobs in (1, 3)
    ]
    assert found[0] == found[1]
    assert found[0][0][40]["text"] == found[0][0][7]["text"]


def test_many_captures_come_in_batches(tmp_path: Path) -> None:
    parts = [response(f"http://a.org/{n}", b"<p>%d" % n) for n in range(5000)]
    data_set = opened(tmp_path, parts, "a.warc.gz")
    batches = list(data_set.batches())
    assert [len(batch) for batch in batches] == [4096, 904]
    assert data_set.texts([4095, 4096]).to_pylist() == ["<p>4095", "<p>4096"]


REFERS = {
    "digest": {"WARC_Payload_Digest": sha1(PAGES["http://a.org/b"])},
    "address": {"WARC_Refers_To_Target_URI": "http://a.org/b", "WARC_Refers_To_Date": DATE},
    "id": {"WARC_Refers_To": f"<id:http://a.org/b:{DATE}>"},
}


@pytest.mark.parametrize("how", REFERS)
def test_a_revisit_is_a_copy_of_what_it_revisits(how: str, tmp_path: Path) -> None:
    data_set = opened(tmp_path, [*crawl(), revisit("http://a.org/b", **REFERS[how])])
    assert data_set.texts([4]).to_pylist() == [PAGES["http://a.org/b"].decode()]
    assert list(data_set.references()) == [(4, 1)]
    assert list(data_set.rejected()) == []
    found = ilk.find(tmp_path / "a.warc")
    clusters = found.clusters.select(["doc", "keeper"]).to_pylist()
    assert {"doc": 4, "keeper": 1} in clusters


def test_a_revisit_of_a_revisit_is_a_copy_of_the_first(tmp_path: Path) -> None:
    again = {"WARC_Refers_To_Target_URI": "http://a.org/b", "WARC_Refers_To_Date": LATER}
    latest = revisit("http://a.org/b", "2022-01-01T00:00:00Z", **again)
    parts = [*crawl(), revisit("http://a.org/b", **REFERS["id"]), latest]
    data_set = opened(tmp_path, parts)
    assert data_set.texts([5]).to_pylist() == [PAGES["http://a.org/b"].decode()]
    assert list(data_set.references()) == [(4, 1), (5, 1)]


def test_a_revisit_of_another_file_is_a_copy_too(tmp_path: Path) -> None:
    (tmp_path / "1.warc.gz").write_bytes(framed(crawl(), ".gz"))
    (tmp_path / "2.warc").write_bytes(revisit("http://a.org/b", **REFERS["digest"]))
    data_set = open_rows(tmp_path)
    assert data_set.texts([4]).to_pylist() == [PAGES["http://a.org/b"].decode()]
    assert list(data_set.references()) == [(4, 1)]
    assert list(data_set.behind(1).references()) == []


def test_a_revisit_of_nothing_is_told(tmp_path: Path) -> None:
    data_set = opened(tmp_path, [revisit("http://a.org/b"), *crawl()])
    assert data_set.texts([0]).to_pylist() == [None]
    (told,) = data_set.rejected()
    assert told.reason.startswith(f"http://a.org/b {LATER}: revisits what was not read before")
    assert (told.at, told.unit) == (0, "offset")


def test_a_revisit_that_is_kept_alone_is_told(tmp_path: Path) -> None:
    opened(tmp_path, [*crawl(), revisit("http://a.org/b", **REFERS["id"])])
    path = str(tmp_path / "a.warc")
    found = ilk.deduplicate(path, keep="last")
    assert found.report["dangling"] == [{"source": f"{path}#4", "revisits": f"{path}#1"}]
    assert ilk.deduplicate(path).report["dangling"] == []
    assert ilk.deduplicate(path).kept.to_pylist() == [True, True, False, True, False]


def test_what_is_damaged_is_told_with_its_offset(tmp_path: Path) -> None:
    parts = crawl()
    lie = record("response", b"x", length=99)
    data_set = opened(tmp_path, [*parts[:3], lie, *parts[3:]])
    assert data_set.rows() == 4
    assert data_set.counts.rejected == 1
    (told,) = data_set.rejected()
    assert (told.source, told.at) == (str(tmp_path / "a.warc"), sum(map(len, parts[:3])))


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
        offsets = open_rows(out).column("offset").to_pylist() if kept else []
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
            data_set.check(tmp_path / name)


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
        with pytest.raises(OptionError, match=r"WARC has no place for notes.*\.jsonl"):
            found.write(f"{tmp_path}/{out}", annotate=True)
        with pytest.raises(OptionError, match="no place for notes"):
            ilk.deduplicate(str(tmp_path / "a.warc"), f"{tmp_path}/{out}", annotate=True)
    assert not (tmp_path / "out.warc.ilk").exists()


def test_an_archive_that_changes_is_refused(tmp_path: Path) -> None:
    data_set = opened(tmp_path, crawl())
    data_set.rows()
    (tmp_path / "a.warc").write_bytes(b"".join(crawl()[:3]))
    for ask in (data_set.texts, lambda rows: data_set.write(rows, tmp_path / "out.warc")):
        with pytest.raises(SourceChanged):
            ask([0])


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ilk.readers.rows.formats.find_spec", _nothing)
    with pytest.raises(MissingExtra, match=r"fastwarc.*ilk\[archives\]"):
        opened(tmp_path, crawl(), "a.warc.gz")


def test_a_dictionary_that_is_damaged_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.zst"
    broken = b"\x28\xb5\x2f\xfd" + b"\xff" * 60
    path.write_bytes(b"\x5d\x2a\x4d\x18\x40\0\0\0" + broken + CODECS[".zst"](crawl()[1]))
    with pytest.raises(NothingRead, match="a.warc.zst"):
        open_rows(path)


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    crawl: Crawl[object] = Crawl("none", 1, 1)
    with open("/dev/full", "wb", buffering=0) as full:
        monkeypatch.setattr(Crawl, "_file", full)
        with pytest.raises(OutputError, match="cannot be kept in .* TMPDIR"):
            crawl.add(b"a text", ())


def test_options_are_checked(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="convert_timeout is 0"):
        opened(tmp_path, crawl(), convert_timeout=0)
    with pytest.raises(OptionError, match="extract is 'nonsense'"):
        opened(tmp_path, crawl(), extract="nonsense")


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
        assert found.records.column("id").to_pylist() == [f"{url} {DATE}" for url in PAGES]
        found.write(tmp_path / f"out.arc{codec}")
        assert (tmp_path / f"out.arc{codec}").read_bytes() == framed(parts[:3], codec)


def test_values_of_a_column_may_be_what_counts(tmp_path: Path) -> None:
    image = response("http://c.org/i", b"\x89PNG", Content_Type="image/png")
    opened(tmp_path, [*crawl(), image], "a.warc.gz")
    found = ilk.deduplicate(str(tmp_path / "a.warc.gz"), key="digest")
    assert found.kept.to_pylist() == [True, True, False, True, False]
    found = ilk.deduplicate(str(tmp_path / "a.warc.gz"), key="url", keep="newest:date")
    assert all(found.kept.to_pylist())


def test_a_record_of_fifty_megabytes_is_read(tmp_path: Path) -> None:
    text = b"a word, another word, and so on\n" * (50 * (1 << 20) // 32)
    large = response("http://a.org/large", text, Content_Type="text/plain")
    data_set = opened(tmp_path, [*crawl(), large], "a.warc.lz4")
    assert data_set.texts([4])[0].as_py() == text.decode()
    assert list(data_set.rejected()) == []
    data_set.write([4], tmp_path / "out.warc.zst")
    assert open_rows(tmp_path / "out.warc.zst").texts([0])[0].as_py() == text.decode()


def test_revisits_of_a_large_text_do_not_come_all_at_once(tmp_path: Path) -> None:
    large = response("http://a.org/", b"a word " * 300_000, Content_Type="text/plain")
    again = revisit("http://a.org/", WARC_Refers_To=f"<id:http://a.org/:{DATE}>")
    batches = list(opened(tmp_path, [large, *[again] * 9]).batches())
    assert sum(map(len, batches)) == 10
    assert max(map(len, batches)) < 4


def test_what_a_page_says_of_itself_is_kept_with_its_text(tmp_path: Path) -> None:
    head = (
        b'<html lang="en"><head><title>A title</title><link rel="canonical" href="https://b.org/">'
        b'<meta name="date" content="2026-01-02"></head><body>'
    )
    parts = [response("http://a.org/1", head + page("some")), response("http://a.org/2", b"plain")]
    names = ("title", "link", "language", "published")
    for extract, expected in (
        ("fast", ["A title", "https://b.org/", "en", "2026-01-02"]),
        ("none", [None] * 4),
    ):
        data_set = opened(tmp_path, parts, "a.warc.gz", extract=extract)
        assert len(list(data_set.batches())) == 1
        said = [data_set.column(name).to_pylist() for name in names]
        assert said == [[value, None] for value in expected]


def test_a_page_that_harms_extractors_costs_no_other_page(tmp_path: Path) -> None:
    nested = b"<html><body>" + b"<div>" * 200_000 + b"deep" + b"</div>" * 200_000
    parts = [*crawl(), response("http://d.org/", nested), response("http://e.org/", page("last"))]
    data_set = opened(tmp_path, parts, "a.warc.gz", extract="fast")
    texts = data_set.texts(range(6)).to_pylist()
    assert texts[4] is None
    assert texts[5].startswith("last0 last1")
    (told,) = data_set.rejected()
    assert "tags are open at once" in told.reason


def test_a_page_without_end_is_told(tmp_path: Path) -> None:
    data_set = opened(tmp_path, crawl(), extract="fast", convert_timeout=1e-6)
    assert data_set.texts(range(4)).to_pylist() == [None] * 4
    told = [row.reason for row in data_set.rejected()]
    assert len(told) == 3
    assert all("had no end after 1e-06 s" in reason for reason in told)
