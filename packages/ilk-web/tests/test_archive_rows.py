"""Archives as rows of a data set: read, read again, and copied."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.archives import (
    CODECS,
    DATE,
    PAGES,
    crawl,
    framed,
    opened,
    page,
    record,
    response,
    revisit,
    sha1,
)

import ilk
from ilk.base.errors import (
    ColumnTypeError,
    NothingRead,
    OptionError,
    OutputError,
    SourceChanged,
)
from ilk.read import Reading, ignore_progress
from ilk.read.formats.child_pool import PROGRAM, Child
from ilk.read.formats.parts import Answer
from ilk.read.pages import Pages
from ilk.read.rows.dataset import DataSet
from ilk.read.rows.opening import open_rows
from ilk.read.rows.sources import ColumnRequest, Source
from ilk.read.rows.writing import Origin
from ilk_web.warc.crawl import Crawl
from ilk_web.warc.rows import ArchiveRows

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
    assert list(data_set.read_rejected_rows()) == []


def test_columns_are_what_is_known(tmp_path: Path) -> None:
    data_set = opened(tmp_path, crawl(), "a.warc.gz")
    assert data_set.read_column("url").to_pylist() == [*PAGES, "http://a.org/i"]
    assert str(data_set.read_column("date").type) == "timestamp[us, tz=UTC]"
    assert data_set.read_column("status").to_pylist() == [200] * 4
    assert data_set.read_column("digest").to_pylist()[:3] == [sha1(each) for each in PAGES.values()]
    content = (tmp_path / "a.warc.gz").read_bytes()
    for offset, url in zip(data_set.read_column("offset").to_pylist(), PAGES, strict=False):
        assert url.encode() in gzip.decompress(content[offset:])[:200]
    with pytest.raises(ColumnTypeError, match="nonsense"):
        data_set.read_column("nonsense")
    with pytest.raises(ColumnTypeError, match="nonsense"):
        open_rows(tmp_path / "a.warc.gz", Reading.of(text="nonsense"))


def test_chosen_captures_are_read_again(tmp_path: Path) -> None:
    data_set = opened(tmp_path, crawl())
    assert data_set.texts([1]).to_pylist() == [PAGES["http://a.org/b"].decode()]
    first = [batch.to_pylist() for batch in data_set.batches()]
    assert [batch.to_pylist() for batch in data_set.batches()] == first


class Counting(Child):
    """A child that counts what it is asked."""

    asked = 0

    def ask(self, question: bytes, seconds: float) -> Iterator[Answer]:
        type(self).asked += 1
        return super().ask(question, seconds)


def test_a_text_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(crawl()))
    pages = Pages("fast", 60, lambda arguments: Counting(str(PROGRAM), arguments))
    names, shared = ColumnRequest(("text",), None), Crawl[Source](pages, 1)
    data_set = DataSet(
        sources=[ArchiveRows("a", str(path), request=names, crawl=shared)],
        origins=[Origin(None, "")],
        request=names,
        progress=ignore_progress,
    )
    texts = [text for batch in data_set.batches() for text in batch["text"].to_pylist()]
    assert "<p>" not in texts[0]
    assert Counting.asked == 3
    assert data_set.texts(range(4)).to_pylist() == texts
    assert [text for batch in data_set.batches() for text in batch["text"].to_pylist()] == texts
    assert Counting.asked == 3


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


def test_what_is_damaged_is_told_with_its_offset(tmp_path: Path) -> None:
    parts = crawl()
    lie = record("response", b"x", length=99)
    data_set = opened(tmp_path, [*parts[:3], lie, *parts[3:]])
    assert data_set.count_rows() == 4
    assert data_set.counts.rejected == 1
    (told,) = data_set.read_rejected_rows()
    assert (told.source, told.at) == (str(tmp_path / "a.warc"), sum(map(len, parts[:3])))


def test_an_archive_that_changes_is_refused(tmp_path: Path) -> None:
    data_set = opened(tmp_path, crawl())
    data_set.count_rows()
    (tmp_path / "a.warc").write_bytes(b"".join(crawl()[:3]))
    for ask in (
        data_set.texts,
        lambda rows: data_set.write(rows, tmp_path / "out.warc"),
    ):
        with pytest.raises(SourceChanged):
            ask([0])


def test_a_dictionary_that_is_damaged_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.zst"
    broken = b"\x28\xb5\x2f\xfd" + b"\xff" * 60
    path.write_bytes(b"\x5d\x2a\x4d\x18\x40\0\0\0" + broken + CODECS[".zst"](crawl()[1]))
    with pytest.raises(NothingRead, match="a.warc.zst"):
        open_rows(path)


def test_a_full_disk_is_told() -> None:
    with open("/dev/full", "wb", buffering=0) as full:
        crawl: Crawl[object] = Crawl(Pages("none", 1), 1, lambda: full)
        with pytest.raises(OutputError, match="cannot keep the texts of archives in .* TMPDIR"):
            crawl.add_capture(b"a text", ())


def test_options_are_checked(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="convert_timeout is 0"):
        opened(tmp_path, crawl(), convert_timeout=0)
    with pytest.raises(OptionError, match="extract is 'nonsense'"):
        opened(tmp_path, crawl(), extract="nonsense")


def test_values_of_a_column_may_be_what_counts(tmp_path: Path) -> None:
    image = response("http://c.org/i", b"\x89PNG", Content_Type="image/png")
    opened(tmp_path, [*crawl(), image], "a.warc.gz")
    found = ilk.deduplicate(str(tmp_path / "a.warc.gz"), key="digest")
    assert found.keep_mask.to_pylist() == [True, True, False, True, False]
    found = ilk.deduplicate(str(tmp_path / "a.warc.gz"), key="url", keep="newest:date")
    assert all(found.keep_mask.to_pylist())


def test_a_record_of_fifty_megabytes_is_read(tmp_path: Path) -> None:
    text = b"a word, another word, and so on\n" * (50 * (1 << 20) // 32)
    large = response("http://a.org/large", text, Content_Type="text/plain")
    data_set = opened(tmp_path, [*crawl(), large], "a.warc.lz4")
    assert data_set.texts([4])[0].as_py() == text.decode()
    assert list(data_set.read_rejected_rows()) == []
    data_set.write([4], tmp_path / "out.warc.zst")
    assert open_rows(tmp_path / "out.warc.zst").texts([0])[0].as_py() == text.decode()


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
        said = [data_set.read_column(name).to_pylist() for name in names]
        assert said == [[value, None] for value in expected]


def test_a_page_that_harms_extractors_costs_no_other_page(tmp_path: Path) -> None:
    nested = b"<html><body>" + b"<div>" * 200_000 + b"deep" + b"</div>" * 200_000
    parts = [*crawl(), response("http://d.org/", nested), response("http://e.org/", page("last"))]
    data_set = opened(tmp_path, parts, "a.warc.gz", extract="fast")
    texts = data_set.texts(range(6)).to_pylist()
    assert texts[4] is None
    assert texts[5].startswith("last0 last1")
    (told,) = data_set.read_rejected_rows()
    assert "tags are nested more than" in told.reason


def test_a_page_without_end_is_told(tmp_path: Path) -> None:
    data_set = opened(tmp_path, crawl(), extract="fast", convert_timeout=1e-6)
    assert data_set.texts(range(4)).to_pylist() == [None] * 4
    told = [row.reason for row in data_set.read_rejected_rows()]
    assert len(told) == 3
    assert all("did not end within 1e-06 s" in reason for reason in told)
