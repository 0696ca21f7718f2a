"""WACZ: its captures are those of its archives, pages have titles, and damage is reported."""

from __future__ import annotations

import gzip
import json
import random
import zipfile
from pathlib import Path

import pytest
from tests.support.archives import CODECS, DATE, LATER, crawl, page, record, response, revisit, sha1
from tests.support.command_line import Run
from tests.support.wacz_files import PAGES_HEAD, index_line, json_lines, write_wacz

import ilk
from ilk.base.errors import NothingRead
from ilk.base.run_options import Running
from ilk.read import Reading
from ilk.read.rows.opening import open_rows
from ilk_web import changes, mirrors

NAMES = ["data.warc", "data.warc.gz", "data.warc.zst"]
TITLES = {"http://a.org/": "The first page", "http://a.org/i": "No page"}


def frames(records: list[bytes], name: str) -> list[bytes]:
    """Records as they are in an archive of this name."""
    codec = Path(name).suffix
    return [CODECS[codec if codec in CODECS else ""](each) for each in records]


def small(path: Path, name: str = "data.warc.gz", **how: object) -> Path:
    """A WACZ of one archive."""
    return write_wacz(path, {name: frames(crawl(), name)}, TITLES, **how)  # type: ignore[arg-type]


def reasons(path: Path) -> list[tuple[str, str]]:
    """What is reported of a WACZ, with its place."""
    rows = open_rows(path).read_rejected_rows()
    return [(f"{row.source}:{row.at}".removeprefix(f"{path}!/"), row.reason) for row in rows]


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("name", NAMES)
def test_captures_are_those_of_the_archive(name: str, packing: int, tmp_path: Path) -> None:
    alone = tmp_path / name
    alone.write_bytes(b"".join(frames(crawl(), name)))
    wacz = small(tmp_path / "crawl.wacz", name, packing=packing)
    inside, outside = open_rows(wacz), open_rows(alone)
    rows = [row for batch in inside.batches() for row in batch.to_pylist()]
    expected = [row for batch in outside.batches() for row in batch.to_pylist()]
    place = f"{wacz}!/archive/{name}"
    assert [row["source"] for row in rows] == [
        row["source"].replace(str(alone), place) for row in expected
    ]
    assert [row["text"] for row in rows] == [row["text"] for row in expected]
    for column in ("url", "date", "status", "digest", "content_type", "offset"):
        assert inside.read_column(column).equals(outside.read_column(column))
    assert reasons(wacz) == []


def test_pages_have_the_listed_titles(tmp_path: Path) -> None:
    rows = open_rows(small(tmp_path / "crawl.wacz"))
    assert rows.read_column("title").to_pylist() == ["The first page", None, None, None]


def test_a_title_is_that_of_the_nearest_time_and_a_page_keeps_its_own(tmp_path: Path) -> None:
    titled = b"<html><head><title>Its own</title></head><body>" + page("own") + b"</body></html>"
    records = [
        response("http://a.org/", page("alpha")),
        response("http://a.org/", page("beta"), LATER),
        response("http://a.org/own", titled),
    ]
    seen = [
        {"url": "http://a.org/", "ts": LATER, "title": "Later"},
        {"url": "http://a.org/", "ts": 1_577_934_245_000, "title": " Earlier \ud800"},
        {"url": "http://a.org/own", "ts": DATE, "title": "Listed"},
        {"url": "http://a.org/", "ts": "?", "title": ""},
    ]
    wacz = write_wacz(
        tmp_path / "a.wacz",
        {"data.warc": records},
        more={"pages/extraPages.jsonl": json_lines([PAGES_HEAD, *seen])},
    )
    titles = open_rows(wacz, Reading.of(extract="fast")).read_column("title").to_pylist()
    assert titles == ["Earlier ?", "Later", "Its own"]


def test_revisits_find_captures_of_other_archives(tmp_path: Path) -> None:
    first = [response("http://a.org/", page("alpha"))]
    digest = sha1(page("alpha"))
    second = [revisit("http://a.org/", WARC_Payload_Digest=digest)]
    wacz = write_wacz(tmp_path / "a.wacz", {"1.warc": first, "2.warc": second})
    rows = open_rows(wacz)
    texts = [text for batch in rows.batches() for text in batch["text"].to_pylist()]
    assert texts[0] == texts[1] == page("alpha").decode()
    assert list(rows.revisits()) == [(1, 0)]


def test_every_verb_reads_it(run: Run, tmp_path: Path) -> None:
    wacz = small(tmp_path / "crawl.wacz")
    place = f"{wacz}!/archive/data.warc.gz"
    code, out, err = run("scan", wacz, "--format", "jsonl")
    assert (code, "not read" in err) == (0, False)
    family = json.loads(out.splitlines()[0])
    members = [member["source"] for member in family["members"]]
    assert members == [f"{place}#0 http://a.org/ {DATE}", f"{place}#2 http://b.org/ {DATE}"]
    once = tmp_path / "once.warc.gz"
    assert run("dedup", wacz, "-o", once)[0] == 0
    assert open_rows(once).read_column("url").to_pylist() == [
        "http://a.org/",
        "http://a.org/b",
        "http://a.org/i",
    ]
    (tmp_path / "out").mkdir()
    assert run("dedup", wacz, "-o", tmp_path / "out")[0] == 0
    assert (tmp_path / "out/crawl.wacz/archive/data.warc.gz").read_bytes() == once.read_bytes()
    assert place in run("passages", wacz)[1]
    assert ilk.find(wacz).report["documents"] == 4


def test_changes_and_mirrors_read_it(tmp_path: Path) -> None:
    records = [
        response(f"http://{host}/{name}", page(name), date)
        for host in ("a.org", "b.org")
        for name in ("one", "two", "three", "four")
        for date in (DATE, LATER)
    ]
    wacz = write_wacz(tmp_path / "a.wacz", {"1.warc": records[:8], "2.warc": records[8:]})
    assert changes.find(wacz).report["pairs"]["unchanged"] == 8
    assert mirrors.find(wacz).found[0].identical == 4


def test_a_plan_is_applied_and_a_changed_file_is_refused(run: Run, tmp_path: Path) -> None:
    wacz = write_wacz(
        tmp_path / "a.wacz", {"1.warc": crawl(), "2.warc": [response("http://c.org/", page("c"))]}
    )
    assert run("dedup", wacz, "--plan", tmp_path / "plan")[0] == 0
    assert run("apply", tmp_path / "plan", "-o", tmp_path / "once.warc")[0] == 0
    assert len(open_rows(tmp_path / "once.warc")) == 4
    write_wacz(tmp_path / "a.wacz", {"1.warc": crawl()})
    code, _, err = run("apply", tmp_path / "plan", "-o", tmp_path / "again.warc")
    assert code == 2
    assert "changed" in err


def test_folders_say_that_it_holds_rows(run: Run, tmp_path: Path) -> None:
    small(tmp_path / "crawl.wacz")
    (tmp_path / "a.txt").write_text("some words")
    _, _, err = run("scan", tmp_path)
    assert ".wacz" in err


def test_output_has_a_name_of_its_records(run: Run, tmp_path: Path) -> None:
    wacz = small(tmp_path / "crawl.wacz")
    code, _, err = run("dedup", wacz, "-o", tmp_path / "once.wacz")
    assert code == 2
    assert "the name once.wacz is of another format; choose one that ends in .warc or .wet." in err


def test_damage_is_told(tmp_path: Path) -> None:
    wacz, other = tmp_path / "crawl.wacz", gzip.compress(b"!meta 0 {}\nnonsense\n")
    small(
        wacz,
        more={
            "pages/pages.jsonl": b'{"format": "json-pages-1.0"}\n[]\n{"url": 3}\nno JSON\n',
            "indexes/index.cdx.gz": other,
            "archive/notes.txt": b"?",
            "../x.warc": b"?",
        },
        described={
            "pages/pages.jsonl": {"hash": "sha256:00"},
            "indexes/index.cdx.gz": {"bytes": 3},
            "archive/data.warc.gz": {"hash": "sha256:11"},
        },
    )
    assert reasons(wacz) == [
        ("../x.warc:0", "has a name that leads elsewhere, and was not read"),
        ("archive/notes.txt:0", "is no archive by its name, and was not read"),
        ("indexes/index.cdx.gz:0", "has 38 bytes, and datapackage.json says 3"),
        ("indexes/index.cdx.gz:0", "lines that make no sense: 1"),
        ("pages/pages.jsonl:0", "does not match its digest in datapackage.json"),
        ("pages/pages.jsonl:0", "lines that make no sense: 3"),
        ("archive/data.warc.gz:0", "does not match its digest in datapackage.json"),
    ]


def test_an_index_of_other_records_is_told(tmp_path: Path) -> None:
    index = b"".join(index_line("http://a.org/", "data.warc.gz", at) for at in (0, 1, 5))
    index += index_line("http://a.org/", "elsewhere.warc.gz", 7)
    told = reasons(small(tmp_path / "a.wacz", more={"indexes/index.cdx": index}))
    assert told == [
        (
            "archive/data.warc.gz:1",
            "the index of the WACZ names places where no record begins: 2, the first of them here",
        )
    ]


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_flipped_byte_is_told(packing: int, tmp_path: Path) -> None:
    wacz = small(tmp_path / "a.wacz", packing=packing)
    content = bytearray(wacz.read_bytes())
    with zipfile.ZipFile(wacz) as archive:
        info = archive.getinfo("archive/data.warc.gz")
    content[info.header_offset + 30 + len(info.filename) + info.compress_size // 2] ^= 0xFF
    wacz.write_bytes(content)
    assert any(place.startswith("archive/data.warc.gz:") for place, _ in reasons(wacz))


def test_what_is_no_wacz_is_an_error(run: Run, tmp_path: Path) -> None:
    cases = {
        "text.wacz": (b"no ZIP at all", "is no ZIP"),
        "cut.wacz": (small(tmp_path / "a.wacz").read_bytes()[:-40], "is no ZIP"),
    }
    with zipfile.ZipFile(tmp_path / "other.wacz", "w") as out:
        out.writestr("a.txt", "words")
    cases["other.wacz"] = ((tmp_path / "other.wacz").read_bytes(), "has no archive")
    for name, (content, reason) in cases.items():
        path = tmp_path / name
        path.write_bytes(content)
        code, _, err = run("scan", path)
        assert code == 2
        assert reason in err


def _set_flags(path: Path, name: str, *, flags: int = 0, method: int | None = None) -> None:
    """Change what a ZIP says of a file in it: its flags, and how it is packed."""
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        start, head = archive.start_dir, archive.getinfo(name).header_offset
    entry = content.index(name.encode(), start) - 46
    for place in (head + 6, entry + 8):
        content[place] |= flags
        if method is not None:
            content[place + 2 : place + 4] = method.to_bytes(2, "little")
    path.write_bytes(content)


def test_what_is_encrypted_or_packed_in_another_way_is_told_and_the_rest_is_read(
    run: Run, tmp_path: Path
) -> None:
    first, second = [response("http://a.org/", page("alpha"))], [response("http://b.org/", b"b")]
    for how, reason in (
        ({"flags": 1}, "is encrypted, and was not read"),
        ({"method": 9}, "is damaged: That compression method is not supported"),
        ({"method": 14}, "is damaged: "),
    ):
        wacz = write_wacz(
            tmp_path / "a.wacz",
            {"1.warc": first, "2.warc": second},
            packing=zipfile.ZIP_DEFLATED,
        )
        _set_flags(wacz, "archive/2.warc", **how)
        assert open_rows(wacz).read_column("url").to_pylist() == ["http://a.org/"]
        told = reasons(wacz)
        assert any(place.startswith("archive/2.warc:") and reason in why for place, why in told)
        code, _, _ = run("dedup", wacz, "-o", tmp_path / "once.warc", "--force")
        assert code == 0
        assert "archive/2.warc" in (tmp_path / "once.warc.ilk/rejected.jsonl").read_text()
        for verb in ("scan", "dedup"):
            assert run(verb, wacz, "--strict")[0] == 2
        _set_flags(wacz, "archive/1.warc", **how)
        code, _, err = run("scan", wacz)
        assert code == 2
        assert "Traceback" not in err


def test_a_damaged_archive_of_lzma_is_told(tmp_path: Path) -> None:
    wacz = small(tmp_path / "a.wacz", name="data.warc", packing=zipfile.ZIP_LZMA)
    assert len(open_rows(wacz)) == 4
    content = bytearray(wacz.read_bytes())
    with zipfile.ZipFile(wacz) as archive:
        info = archive.getinfo("archive/data.warc")
    begin = info.header_offset + 30 + len(info.filename)
    content[begin + 9 : begin + info.compress_size] = b"\xff" * (info.compress_size - 9)
    wacz.write_bytes(content)
    with pytest.raises(NothingRead, match="damaged"):
        open_rows(wacz).refuse_if_all_rows_unreadable()


def test_an_archive_that_is_only_described_is_told(tmp_path: Path) -> None:
    index = index_line("http://a.org/", "gone.warc.gz", 0)
    told = reasons(
        small(
            tmp_path / "a.wacz",
            more={
                "indexes/index.cdx": index,
                "datapackage.json": json.dumps(
                    {"resources": [{"path": "archive/gone.warc.gz"}, {"path": 7}, "x"]}
                ).encode(),
                "datapackage-digest.json": b"{}",
            },
        )
    )
    assert ("archive/gone.warc.gz:0", "is named by datapackage.json, and is not there") in told


@pytest.mark.parametrize(
    "description",
    [
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"resources": {"path": 1}}',
        b'{"resources": [{"path": "archive/data.warc.gz", "bytes": 1e999, "hash": [1]}]}',
    ],
)
def test_a_description_that_makes_no_sense_loses_nothing(
    description: bytes, tmp_path: Path
) -> None:
    wacz = small(tmp_path / "a.wacz", more={"datapackage.json": description})
    assert len(open_rows(wacz)) == 4
    assert reasons(wacz)


def test_a_file_of_a_recorder_is_read_whole(run: Run, tmp_path: Path) -> None:
    """The parts and names are those of ArchiveWeb.page and of Browsertrix."""
    archives = {
        name: frames([record("warcinfo", b"software: recorder\r\n"), *records], name)
        for name, records in {
            "rec-20260101-crawl-0.warc.gz": crawl(),
            "text-20260101-crawl-0.warc.gz": [
                record(
                    "resource",
                    b"a page as text",
                    WARC_Target_URI="urn:text:http://a.org/",
                    Content_Type="text/plain",
                )
            ],
        }.items()
    }
    seen = {"id": "1", "url": "http://a.org/", "ts": DATE, "title": "First", "loadState": 2}
    seen |= {"text": "words of the page", "mime": "text/html", "seed": True, "depth": 0}
    cdx = b"".join(
        index_line("http://a.org/", name, sum(map(len, parts[:at])))
        for name, parts in archives.items()
        for at in range(1, len(parts))
    )
    head = b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n'
    wacz = write_wacz(
        tmp_path / "crawl.wacz",
        archives,
        more={
            "pages/pages.jsonl": json_lines([{**PAGES_HEAD, "hasText": True}, seen]),
            "pages/extraPages.jsonl": json_lines([{**PAGES_HEAD, "id": "extra"}]),
            "indexes/index.cdx.gz": gzip.compress(cdx),
            "indexes/index.idx": head + b"org,a)/ 2020 {}\n",
            "logs/crawl-20260101.log": b'{"logLevel": "info"}\n',
            "fuzzy.json": b"{}",
        },
    )
    assert reasons(wacz) == []
    rows = open_rows(wacz)
    assert len(rows) == 5
    assert rows.read_column("title").to_pylist()[0] == "First"
    code, _, err = run("dedup", wacz, "-o", tmp_path / "once.warc.gz", "--strict")
    assert (code, "Traceback" in err) == (0, False)


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    records = [record("warcinfo", b"\0" * 40_000_000)]
    wacz = write_wacz(tmp_path / "a.wacz", {"a.warc": records}, packing=zipfile.ZIP_DEFLATED)
    with pytest.raises(NothingRead, match="--limit ratio allows"):
        open_rows(wacz)
    assert len(open_rows(wacz, Reading.of(limits=ilk.Limits.of(ratio=100_000)))) == 0


def test_a_list_that_unfolds_without_end_is_told(tmp_path: Path) -> None:
    index = gzip.compress(b'a) 1 {"url": ""}\n' * 2_000_000)
    told = reasons(small(tmp_path / "a.wacz", more={"indexes/index.cdx.gz": index}))
    assert any("--limit ratio" in reason for _, reason in told)


def test_overlapping_files_are_refused(tmp_path: Path) -> None:
    wacz = small(tmp_path / "a.wacz", name="data.warc")
    content = wacz.read_bytes()
    with zipfile.ZipFile(wacz) as archive:
        start = archive.start_dir
    directory, end = content[start:-22], bytearray(content[-22:])
    entries = content[start:-22].count(b"PK\x01\x02")
    many = directory * 50
    end[8:12] = (entries * 50).to_bytes(2, "little") * 2
    end[12:16] = len(many).to_bytes(4, "little")
    wacz.write_bytes(content[:start] + many + end)
    with pytest.raises(NothingRead, match="overlap"):
        open_rows(wacz)


def test_any_bytes_are_read_or_refused(tmp_path: Path) -> None:
    whole = small(tmp_path / "a.wacz").read_bytes()
    draw = random.Random(58)
    path = tmp_path / "b.wacz"
    for _ in range(60):
        content = bytearray(whole)
        for _ in range(draw.choice((1, 3, 30))):
            content[draw.randrange(len(content))] = draw.randrange(256)
        path.write_bytes(content[: draw.choice((len(content), draw.randrange(len(content))))])
        try:
            rows = open_rows(path, Reading.of(), Running(1, 0))
            assert len(rows) == len([row for batch in rows.batches() for row in batch.to_pylist()])
            list(rows.read_rejected_rows())
        except ilk.IlkError:
            pass
