"""The text of pages: what is left of them, and pages that no extractor survives."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.readers import Read

import ilk
from ilk import Limits
from ilk import read as readers
from ilk.base.errors import MissingExtra, OptionError
from ilk.base.run_options import Running
from ilk.plugins import DocumentText, Left, Unfit
from ilk.read import Reading, ReadReport
from ilk.read.files.content import Unreadable
from ilk.read.folders import list_files_except_unnamed_binary_rows, read_documents_of_files
from ilk.read.formats import table
from ilk.read.formats.child_pool import PROGRAM, Child
from ilk.read.pages import Pages
from ilk_web import pages

ARTICLE = "The main text of this page goes on for a while, sentence after sentence. " * 8
PAGE = (
    "<html><head><title>A page</title></head><body><nav><a href='/'>Home</a> <a href='/s'>Shop</a>"
    f"</nav><article><h1>News</h1><p>{ARTICLE}</p><p>And a second paragraph, naïve as it is.</p>"
    "</article><footer>Imprint and so on</footer></body></html>"
)

#: A page whose text the extractor of `quality` does not see.
HIDING = "<div>" * 4_000 + "hidden"


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkdir("docs")


def write(name: str, page: str | bytes = PAGE) -> None:
    Path("docs", name).write_bytes(page.encode() if isinstance(page, str) else page)


def starting(program: str, started: list[Child] | None = None) -> Callable[[Sequence[str]], Child]:
    """Start children that run another program."""
    Path("child.py").write_text(program)

    def start(arguments: Sequence[str]) -> Child:
        child = Child("child.py", arguments)
        if started is not None:
            started.append(child)
        return child

    return start


@pytest.mark.parametrize("extract", ["fast", "quality"])
def test_the_main_text_is_left(read: Read, extract: str) -> None:
    write("a.html")
    write("b.HTM", PAGE.encode("latin-1"))
    write("c.txt")
    rows, tally = read("docs", extract=extract)
    assert tally.failures == []
    for row in rows[:2]:
        assert "The main text of this page" in row["text"]
        assert "naïve" in row["text"]
        assert "Imprint" not in row["text"]
        assert "<" not in row["text"]
    assert rows[0]["size"] == len(PAGE.encode())
    assert rows[2]["text"] == PAGE


def test_all_text_is_left_or_the_page_itself(read: Read) -> None:
    write("a.html")
    (row,), _ = read("docs", extract="all")
    assert "Imprint" in row["text"]
    assert "<" not in row["text"]
    (row,), _ = read("docs")
    assert row["text"] == PAGE


CYRILLIC = "Широкая электрификация южных губерний даст мощный толчок. " * 9


@pytest.mark.parametrize("extract", ["none", "fast"])
@pytest.mark.parametrize(
    ("declaration", "encoding", "told"),
    [
        ("", "utf-8-sig", "utf-8"),
        ("<meta charset=latin-1>", "utf-8", "utf-8"),
        ("<meta charset=koi8-r>", "koi8-r", "koi8-r"),
        ("<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>", "cp1251",
         "cp1251"),
        ("<meta charset=utf-8>", "cp1251", "cp1251"),
        ("<meta charset=nonsense>", "cp1251", "cp1251"),
        ("<meta charset=utf-7>", "cp1251", "cp1251"),
        ("<meta charset=windows-1251>", "utf-16", "utf-16-le"),
    ],
)  # fmt: skip
def test_a_page_is_in_the_encoding_that_it_declares(
    read: Read, extract: str, declaration: str, encoding: str, told: str
) -> None:
    page = f"<html><head>{declaration}</head><body><p>{CYRILLIC}</p></body></html>"
    write("a.html", page.encode(encoding))
    (row,), tally = read("docs", extract=extract)
    assert CYRILLIC.strip() in row["text"]
    assert dict(tally.encodings) == {told: 1}


def test_what_a_page_says_of_itself_is_kept(read: Read) -> None:
    write("a.html", PAGE.replace("<html>", "<html lang=en>"))
    write("b.txt")
    rows, _ = read("docs", extract="fast")
    assert rows[0]["declared"] == {
        "title": "A page",
        "author": None,
        "link": None,
        "language": "en",
        "date": None,
        "pages": None,
    }
    assert rows[1]["declared"] is None
    assert read("docs")[0][0]["declared"] is None


def test_pages_come_in_their_order_however_many_at_a_time(read: Read) -> None:
    for number in range(30):
        name = f"{number:02}.{'txt' if number % 5 == 4 else 'html'}"
        write(name, HIDING if number == 7 else PAGE.replace("News", f"News {number}"))
    one, told = read("docs", extract="quality", running=Running(1, 0))
    several, told_again = read("docs", extract="quality", running=Running(3, 0))
    assert one == several
    assert len(one) == 29
    assert [row["doc"] for row in one] == list(range(29))
    assert told == told_again


#: A child that answers the first page and no other.
ONCE = (
    "import sys, time\n"
    "size = int.from_bytes(sys.stdin.buffer.read(8), 'big')\n"
    "sys.stdin.buffer.read(size)\n"
    'made = b\'{"declared": {}, "warnings": []}\\ntext\'\n'
    "sys.stdout.buffer.write(bytes([2, *7 * [0], len(made)]) + made + bytes(9))\n"
    "sys.stdout.flush()\n"
    "time.sleep(1000)\n"
)


def test_whoever_stops_reading_leaves_no_child() -> None:
    """A child that does not answer is killed, and nobody waits for it."""
    started: list[Child] = []
    for number in range(9):
        write(f"{number}.html")
    reading, tally = Reading.of(extract="fast"), ReadReport()
    pages = Pages("fast", 60, starting(ONCE, started))
    files = list_files_except_unnamed_binary_rows(["docs"], reading, tally)
    batches = read_documents_of_files(
        files, reading, running=Running(2, 0), tally=tally, least_batch_bytes=1, pages=pages
    )
    assert next(batches)["text"].to_pylist() == ["text"]
    batches.close()  # type: ignore[attr-defined]
    assert 1 <= len(started) <= 2
    assert all(one._process.returncode is not None for one in started)


@pytest.mark.parametrize("extract", ["all", "fast", "quality"])
@pytest.mark.parametrize(
    "page",
    [
        b"<p>",
        b"<html><body>",
        b"<p>a &#0; &#xD800; &#x110000; &nosuch; b</p>",
        b"<!DOCTYPE x [<!ENTITY a 'lol'><!ENTITY b '&a;&a;&a;'>]><p>&b;&b;</p>",
        b"<meta charset=utf-16><meta charset=nonsense><p>wrong about itself</p>",
        b"<p>open <b>and <i>never closed <table><tr><td>",
        b"<script>while(1);</script><style>p{}</style>",
    ],
)
def test_a_broken_page_is_a_document(read: Read, extract: str, page: bytes) -> None:
    write("a.html", page)
    rows, tally = read("docs", extract=extract)
    assert len(rows) == 1
    assert tally.failures == []


def test_a_page_that_hides_its_text_is_told_and_the_next_is_read(read: Read) -> None:
    write("a.html", HIDING)
    write("b.html")
    rows, tally = read("docs", extract="quality")
    assert [row["source"] for row in rows] == ["docs/b.html"]
    (failure,) = tally.failures
    assert failure.source == "docs/a.html"
    assert failure.reason.startswith("suspicious extraction: 20,006 bytes of HTML gave 0 char")


@pytest.mark.parametrize("extract", ["all", "fast", "quality"])
@pytest.mark.parametrize("tag", ["<div>", "<B class=x>", "<svg><g>"])
def test_a_page_of_200_000_nested_tags_is_told(read: Read, extract: str, tag: str) -> None:
    write("a.html", tag * 200_000 + "hidden")
    write("b.html")
    rows, tally = read("docs", extract=extract)
    assert [row["source"] for row in rows] == ["docs/b.html"]
    (failure,) = tally.failures
    assert failure.reason.startswith("its tags are nested more than 5,000 deep")


@pytest.mark.parametrize("size", [10, 10_000_000])
def test_a_page_that_takes_too_long_is_given_up_and_the_next_is_read(size: int) -> None:
    """Also one that the child does not even take."""
    made = Pages("fast", 0.5, starting("import time; time.sleep(1000)"))
    for _ in range(2):
        with pytest.raises(Unreadable, match=r"did not end within 0\.5 s"):
            made.extract_text(b"x" * size)
    made.pool.end_children()
    made = Pages("fast", 60)
    assert made.extract_text(b"<p>one</p>").data == b"one"
    made.pool.end_children()


def test_a_page_that_takes_too_much_memory_is_told() -> None:
    def start(arguments: Sequence[str]) -> Child:
        limits = json.loads(arguments[0]) | {"memory": 1 << 29}
        return Child(str(PROGRAM), [json.dumps(limits)])

    made = Pages("fast", 60, start)
    with pytest.raises(Unreadable, match="crashed, perhaps out of memory"):
        made.extract_text(b"<p>a page that grows</p>" * 9_000_000)
    assert made.extract_text(b"<p>one</p>").data == b"one"
    made.pool.end_children()


@pytest.mark.parametrize("extract", ["all", "fast"])
def test_a_page_of_50_mb_is_a_document(read: Read, extract: str) -> None:
    write("a.html", "<html><body><article>" + f"<p>{ARTICLE}</p>\n" * 85_000)
    (row,), tally = read("docs", extract=extract)
    assert tally.failures == []
    assert row["size"] > 50_000_000
    assert len(row["text"]) > 49_000_000


@pytest.mark.parametrize("extract", ["none", "all", "fast", "quality"])
def test_nulls_in_a_page_hide_nothing(read: Read, extract: str) -> None:
    write("a.html", PAGE.replace("And a", "And \0 a"))
    (row,), tally = read("docs", extract=extract)
    assert tally.failures == []
    assert "second paragraph" in row["text"]


@pytest.mark.parametrize("extract", ["all", "fast", "quality"])
def test_entities_grow_into_nothing_and_read_no_file(read: Read, extract: str) -> None:
    Path("secret").write_text("what nobody shall read")
    bomb = '<!ENTITY a0 "lol">' + "".join(
        f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)
    )
    file = f'<!ENTITY file SYSTEM "file://{Path("secret").absolute()}">'
    page = PAGE.replace("And a", "And &a11; &file; a").removeprefix("<html>")
    head = f"<?xml version='1.0'?><!DOCTYPE html [{bomb}{file}]>"
    write("a.xhtml", f"{head}<html xmlns='http://www.w3.org/1999/xhtml'>{page}")
    (row,), tally = read("docs", extract=extract)
    assert tally.failures == []
    assert "second paragraph" in row["text"]
    assert len(row["text"]) < 10_000
    assert "nobody shall" not in row["text"]


def test_a_child_that_dies_is_told_and_replaced() -> None:
    programs = iter(("child.py", str(PROGRAM)))
    Path("child.py").write_text("import sys; sys.stdin.buffer.read(8)")
    made = Pages("fast", 60, lambda arguments: Child(next(programs), arguments))
    with pytest.raises(Unreadable, match="crashed"):
        made.extract_text(b"<p>one</p>")
    assert made.extract_text(b"<p>one</p>").data == b"one"
    made.pool.end_children()
    made.pool.end_children()


def test_what_an_extractor_raises_is_the_reason() -> None:
    def fail(html: str) -> str:
        raise ValueError(f"oops {html}")

    with pytest.raises(Unfit, match="the extraction of its text failed: ValueError: oops <p>"):
        list(pages.read_page_with(b"<p>", lambda: fail))
    # It answers when it is asked, and stays: a pipe that nobody reads would be an end too.
    program = """import sys
sys.stdin.buffer.read(1)
sys.stdout.buffer.write(bytes([1, *7 * [0], 4]) + b"oops")
sys.stdout.buffer.flush()
sys.stdin.buffer.read()"""
    made = Pages("fast", 60, starting(program))
    with pytest.raises(Unreadable, match="oops"):
        made.extract_text(b"")
    made.pool.end_children()


def test_what_is_not_there_is_refused_at_once(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match="none, all, fast, quality"):
        read("docs", extract="best")
    monkeypatch.setattr(table, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"needs trafilatura.*pip install 'ilk\[pages\]'"):
        read("docs", extract="quality")
    monkeypatch.setattr(table, "entry_points_in_ilk_group", lambda _: {})
    with pytest.raises(MissingExtra, match=r"needs ilk-web.*pip install 'ilk\[pages\]'"):
        read("docs", extract="fast")
    assert read("docs", extract="none")[0] == []


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet", "table"])
def test_pages_may_be_the_texts_of_rows(name: str) -> None:
    texts = [PAGE, None, "a < b, and no page", f" <!-- c --> {PAGE}", HIDING, ARTICLE]
    table = pa.table({"text": texts})
    source: Any = table if name == "table" else Path(name)
    if name.endswith("parquet"):
        pq.write_table(table, name)
    elif name.endswith("jsonl"):
        source.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    tally = ReadReport()

    def documents(extract: str, jobs: int) -> list[dict[str, Any]]:
        batches = readers.read_documents(
            source, Reading.of(extract=extract), Running(jobs, 0), tally
        )
        return [row for batch in batches for row in batch.to_pylist()]

    assert [row["text"] for row in documents("none", 1)] == texts
    rows = documents("quality", 2)
    for at in (0, 3):
        assert "Imprint" not in rows[at]["text"]
        assert "second paragraph" in rows[at]["text"]
        assert rows[at]["declared"]["title"] == "A page"
    for at, text in ((1, None), (2, texts[2]), (4, None), (5, ARTICLE)):
        assert (rows[at]["text"], rows[at]["declared"]) == (text, None)
    assert [row["bytes_digest"] is None for row in rows] == [False, True, *[False] * 4]
    (failure,) = tally.failures
    assert failure.source.endswith("#4")
    assert failure.reason.startswith("suspicious extraction: 20,006 bytes")


@pytest.mark.parametrize("extract", ["all", "fast", "quality"])
def test_pictures_in_a_page_and_what_was_typed_are_left_out_by_name(extract: str) -> None:
    def left_of(more: str) -> Left:
        page = PAGE.replace("</article>", f"{more}</article>")
        (part,) = pages.read_page(io.BytesIO(page.encode()), Limits(), extract=extract)
        assert isinstance(part, DocumentText)
        assert part.left is not None
        return part.left

    things = {
        '<img src="data:image/png;base64,QUJD">': ("pictures",),
        '<img src="data:image/png;base64,REVG">': ("pictures",),
        '<input value="zebra">': ("typed text",),
        "<textarea>zebra quux</textarea>": ("typed text",),
        "<textarea></textarea>": (),
        "<p>no more": (),
    }
    assert {more: left_of(more).kinds for more in things} == things
    digests = [left_of(more).digest for more in things]
    assert len(set(digests)) == 5
    assert digests.count("") == 2


@pytest.mark.parametrize("extract", ["all", "fast", "quality"])
def test_a_plan_for_pages_knows_what_their_texts_do_not_show(tmp_path: Path, extract: str) -> None:
    things = {
        "pictures": '<img src="data:image/png;base64,QUJD">',
        "typed text": '<input value="zebra">',
        "text after a comment that never closes": "</article><!-- and so on",
    }
    (tmp_path / "a.html").write_text(PAGE.replace("</article>", ""))
    for kind, more in things.items():
        page = PAGE.partition("</article>")[0] + more
        (tmp_path / f"{kind}.html").write_text(page)
    files = ilk.find(tmp_path, extract=extract).files(drop=("exact", "near")).file_fates()
    reasons = {Path(name).stem: fate.why for name, fate in files.items()}
    for kind in things:
        assert f"has {kind} that may be nowhere else" in reasons[kind]


def fast(page: str) -> str:
    (part,) = pages.read_page(io.BytesIO(page.encode()), Limits(), extract="fast")
    assert isinstance(part, DocumentText)
    return part.text


_BOUGHT, _SOLD = (f"<p>{words * 30}</p>" for words in ("Buy these shoes now. ", "Old cars sold. "))


@pytest.mark.parametrize("main", ["main", "article", "div role=main"])
def test_advertisements_beside_the_main_element_make_no_difference(main: str) -> None:
    inner = f"<h1>News</h1><p>{ARTICLE}</p>"
    texts = {
        fast(
            f"<html><body class='has-ad'><div class='ad'>{bought}</div><div>{bought}</div>"
            f"<{main}>{inner}</{main.split()[0]}><div class='ad'>{bought}</div></body></html>"
        )
        for bought in (_BOUGHT, _SOLD)
    }
    assert len(texts) == 1
    assert ARTICLE.strip() in texts.pop()


@pytest.mark.parametrize(
    "named",
    [
        *("class=ad", "class='big ADS'", "id=advert", "class=top-banner", "class=promo_box"),
        "id=sponsored",
    ],
)
def test_an_element_that_is_called_an_advertisement_is_left_out(named: str) -> None:
    page = f"<body><div><p>{ARTICLE}</p><div {named}>{_BOUGHT}</div><p>And more.</p></div></body>"
    assert "shoes" not in fast(page)
    assert ARTICLE.strip() in fast(page)


@pytest.mark.parametrize("named", ["class=header-shadow", "id=adverb", "class='made loaded'"])
def test_a_word_that_holds_the_letters_of_one_calls_nothing_an_advertisement(named: str) -> None:
    page = f"<body><div><p>{ARTICLE}</p><div {named}>{_BOUGHT}</div></div></body>"
    assert "shoes" in fast(page)


def test_a_page_of_several_articles_keeps_them_all() -> None:
    page = f"<body><article>{_BOUGHT}</article><article class=ad>{_SOLD}</article></body>"
    assert "shoes" in fast(page)
    assert "cars" in fast(page)


def test_a_main_element_without_text_is_not_the_main_text() -> None:
    assert ARTICLE.strip() in fast(f"<body><main> </main><div><p>{ARTICLE}</p></div></body>")
