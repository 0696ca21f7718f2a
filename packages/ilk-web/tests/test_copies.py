"""Pages with their copies on mirrors: the canonical page, the freshest copy, in-links added up."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.command_line import Run
from tests.support.crawls import edited, moved, planted, rows, site, text

from ilk.base.errors import ColumnTypeError, OptionError
from ilk_web import mirrors
from ilk_web.mirrors.copies import Copies
from ilk_web.urls.sites import Sites

PAGES = [f"https://{host}.example/{path}" for host in ("big", "b", "long-name") for path in "xyz"]
NUMBERS = st.integers(0, len(PAGES) - 1)


@given(
    st.lists(st.tuples(NUMBERS, NUMBERS), max_size=8),
    st.sets(st.sampled_from(["big.example", "b.example"])),
    st.lists(st.none() | st.integers(0, 3), min_size=len(PAGES), max_size=len(PAGES)),
    st.lists(
        st.tuples(NUMBERS, st.sampled_from([*PAGES, "x", "/y#part", "https://else.example/"]))
    ),
)
def test_pages_are_those_of_the_definition(
    pairs: list[tuple[int, int]],
    folders: set[str],
    times: list[int | None],
    links: list[tuple[int, str]],
) -> None:
    found = Copies(Sites.from_urls(PAGES), pairs, folders).make_page_table(times, links).to_pylist()
    copies = [{page} for page in range(len(PAGES))]
    for _ in PAGES:  # The oracle: what any pair joins is one set, until nothing changes.
        for left, right in pairs:
            both = copies[left] | copies[right]
            for page in both:
                copies[page] = both
    hosts = [url.split("/")[2] for url in PAGES]
    stands = [
        min(one, key=lambda page: (hosts[page] not in folders, len(PAGES[page]), PAGES[page]))
        for one in copies
    ]
    joined = {"x": lambda host: f"https://{host}/x", "/y#part": lambda host: f"https://{host}/y"}
    linking: list[set[int]] = [set() for _ in PAGES]
    for page, link in links:
        target = joined[link](hosts[page]) if link in joined else link
        if target in PAGES and stands[PAGES.index(target)] != stands[page]:
            linking[stands[PAGES.index(target)]].add(stands[page])
    assert [row["page"] for row in found] == PAGES
    for page, row in enumerate(found):
        assert row["canonical"] == PAGES[stands[page]]
        assert row["in_links"] == len(linking[stands[page]])
        latest = max(
            (time for one in copies[page] if (time := times[one]) is not None), default=None
        )
        if latest is None:
            assert (row["freshest"], row["fetched"]) == (None, None)
        else:
            assert row["fetched"].timestamp() == pytest.approx(latest / 1e6)
            fresh = PAGES.index(row["freshest"])
            assert fresh in copies[page]
            assert times[fresh] == latest
            assert times[stands[page]] != latest or fresh == stands[page]


def _crawl() -> pa.Table:
    """Three hosts with the same ten pages, but for one; the first of them also has others."""
    draw = random.Random(3)
    pages = site(draw, 10)
    changed = sorted(pages)[0]
    crawl = {
        "b.example": dict(pages),
        "a.example": pages | site(draw, 4),
        "c.example": moved(pages | {changed: text(draw)}, "/pub"),
    }
    return pa.Table.from_pylist(
        [
            row | {"date": f"2026-{n // 20 + 1:02d}-{n % 20 + 1:02d}"}
            for n, row in enumerate(rows(crawl))
        ]
    )


def test_pages_of_mirrors_stand_for_their_copies() -> None:
    found = mirrors.find(_crawl(), jobs=1)
    table = found.pages().to_pylist()
    assert len(table) == 34
    assert all(row["in_links"] is None for row in table)
    assert sum(row["canonical"] == row["page"] for row in table) == 15
    of = {row["page"]: row for row in table}
    changed = sorted(url for url in of if "//a" in url and url.replace("//a", "//b") in of)[0]
    assert of[changed]["freshest"] == changed
    rest = changed.partition(".example")[2]
    other = of[f"https://c.example/pub{rest}"]
    assert other["canonical"] == other["page"]  # Another text is no copy.
    for url, row in of.items():
        if url.startswith("https://b."):
            assert row["canonical"] == url.replace("//b", "//a")
            if url != changed.replace("//a", "//b"):
                assert row["freshest"].startswith("https://c.example/pub/")
                assert row["fetched"] == of[row["freshest"]]["fetched"]


def test_near_copies_are_copies() -> None:
    draw = random.Random(7)
    pages = site(draw, 12)
    near = {path: edited(draw, page, 3) for path, page in pages.items()}
    result = mirrors.find(pa.Table.from_pylist(rows({"a.example": pages, "b.example": near})))
    assert {row["canonical"].split("/")[2] for row in result.pages().to_pylist()} == {"a.example"}
    strict = mirrors.find(
        pa.Table.from_pylist(rows({"a.example": pages, "b.example": near})), resemblance=0.99
    )
    assert all(row["canonical"] == row["page"] for row in strict.pages().to_pylist())


def test_links_are_read_from_where_they_are(tmp_path: Path) -> None:
    links = ["https://a.example/1", "/2"]
    forms = {
        "links[]": links,
        "links[].href": [{"href": link} for link in links],
        "links": "\n".join(links),
        "page.out[]": None,
    }
    for name, value in forms.items():
        place = tmp_path / "crawl.jsonl"
        values = [value or [], [], []] if "[" in name else [value, None, None]
        place.write_text(
            "".join(
                json.dumps(
                    {"url": f"https://a.example/{n}", "text": "one", "links": one}
                    | {"page": {"out": links if n == 0 else []}}
                )
                + "\n"
                for n, one in enumerate(values)
            )
        )
        assert mirrors.find(place).pages(link=name)["in_links"].to_pylist() == [0, 1, 1]
    with pytest.raises(ColumnTypeError, match="no row has the column out"):
        mirrors.find(place).pages(link="out")
    with pytest.raises(ColumnTypeError, match="lists"):
        mirrors.find(place).pages(link="links")
    with pytest.raises(ColumnTypeError, match="name one with `link`"):
        mirrors.find(place).pages(link="out[]")
    numbers = pa.table({"url": ["https://a.example/"], "text": ["one"], "links": [1]})
    with pytest.raises(ColumnTypeError, match="and no links"):
        mirrors.find(numbers).pages(link="links")


def test_pages_of_folders_have_no_columns(tmp_path: Path) -> None:
    page = "<html><head><link rel=canonical href='https://a.example/1'></head><p>some words</p>"
    (tmp_path / "a.html").write_text(page)
    found = mirrors.find(tmp_path, extract="fast")
    assert found.pages()["freshest"].to_pylist() == [None]
    with pytest.raises(OptionError, match="no column links"):
        found.pages(link="links")


def test_pages_are_listed_on_the_command_line(run: Run, tmp_path: Path) -> None:
    place, out = tmp_path / "crawl.jsonl", tmp_path / "pages.csv"
    of = [
        row
        | {"date": f"2026-01-{n % 28 + 1:02d}T00:00:00Z"}
        | {"links": ["/", "https://ftp0.archive.example/", row["url"]]}
        for n, row in enumerate(rows(planted(0)[0]))
    ]
    place.write_text("".join(json.dumps(row) + "\n" for row in of))
    code, _, _ = run("mirrors", place, "--pages", "--link", "links[]", "-o", out)
    assert code == 0
    with out.open() as file:
        listed = list(csv.DictReader(file))
    assert [row["page"] for row in listed] == [row["url"] for row in of]
    table = mirrors.find(place).pages(link="links[]")
    assert [row["canonical"] for row in listed] == table["canonical"].to_pylist()
    assert listed[0]["fetched"].startswith("2026-01-25 00:00:00")
    code, text_out, _ = run("mirrors", place, "--pages")
    assert code == 0
    assert "  fetched last, 2026-01-" in text_out
    assert text_out.splitlines()[-1].startswith(f"{len(of):,} pages read; ")
    for words in (["--link", "links"], ["--date", "date"]):
        code, _, err = run("mirrors", place, *words)
        assert code == 2
        assert "--pages" in err
    assert run("mirrors", place, "--pages", "--alternatives", "https://a.example/")[0] == 2
    assert run("mirrors", place, "--pages", "--date", "text")[0] == 2
