"""Mirrors: those that were planted are found, and no others; by any root, and in part."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.support.command_line import Run
from tests.support.crawls import Crawl, edited, moved, planted, rows, site, text

from ilk.base.errors import ColumnTypeError, NothingRead, OptionError
from ilk_web import mirrors
from ilk_web.errors import UrlError


def _found(crawl: Crawl, **options: Any) -> mirrors.Mirrors:
    return mirrors.find(pa.Table.from_pylist(rows(crawl)), jobs=1, **options)


def _levels(result: mirrors.Mirrors) -> dict[tuple[str, str], int]:
    return {(mirror.left, mirror.right): mirror.level for mirror in result.found}


@pytest.mark.parametrize("seed", range(3))
def test_planted_mirrors_are_found_and_no_others(seed: int) -> None:
    """Precision and recall of pairs of hosts, and of their levels, are 1 on these crawls."""
    crawl, truth = planted(seed)
    result = _found(crawl)
    found = {
        frozenset((left.partition("/")[0], right.partition("/")[0])): level
        for (left, right), level in _levels(result).items()
    }
    assert found == truth
    assert len(result.found) == len(truth)


def test_roots_are_told() -> None:
    crawl, _ = planted(0)
    found = _levels(_found(crawl))
    assert found["ftp0.archive.example", "mirror2.example/pub/2"] == 4
    assert found["mirror0.example/pub/0", "mirror1.example/pub/1"] == 4
    assert found["fan.example/docs/manual", "maker.example/docs/manual"] == 4


def test_evidence_is_counted() -> None:
    draw = random.Random(1)
    pages = site(draw, 20)
    other = dict(pages)
    changed, left_out = draw.sample(sorted(pages), 2)
    other[changed] = text(draw)
    del other[left_out]
    result = _found({"a.example": pages, "b.example": other | {"/own": text(draw)}})
    assert result.found == [
        mirrors.Mirror("a.example", "b.example", 1, 19, 18, 0, 0, left_pages=20, right_pages=20)
    ]
    assert result.table.to_pylist() == [result.found[0]._asdict() | {"group": "a.example"}]
    assert result.report["hosts"] == 2


def test_other_places_of_a_page() -> None:
    pages = site(random.Random(2), 10)
    crawl = {"a.example": pages, "b.example": dict(pages), "c.example": moved(pages, "/pub")}
    result = _found(crawl)
    assert result.alternatives("http://A.example/x?y=1#z") == [
        "https://b.example/x?y=1",
        "https://c.example/pub/x?y=1",
    ]
    assert result.alternatives("https://c.example/pub/x") == [
        "https://a.example/x",
        "https://b.example/x",
    ]
    assert result.alternatives("https://c.example/public/x") == []
    for url in ("nonsense", "mailto:me@a.example"):
        with pytest.raises(UrlError, match="of the web"):
            result.alternatives(url)


def test_other_places_are_spelled_as_they_were_read() -> None:
    pages = site(random.Random(2), 5) | {"/ant/index.html": text(random.Random(3))}
    crawl = {"a.example": pages, "b.example": moved(pages, "/dist")}
    result = _found(crawl)
    for asked in ("https://a.example/ant/index.html", "https://a.example/ant/"):
        assert result.alternatives(asked) == ["https://b.example/dist/ant/index.html"]
    # A page that was not read is spelled as the one asked about.
    assert result.alternatives("https://b.example/dist/bee/index.html") == [
        "https://a.example/bee/index.html"
    ]


def test_pages_of_one_template_under_other_names_make_no_mirror() -> None:
    """As the documents of two types, where each host has both."""
    draw = random.Random(5)
    names = ("Iter", "IntoIter", "Drain", "Entry", "Keys")
    pages = site(draw, 20)
    for name in names:
        template = text(draw, 300)
        for kind in ("set", "map"):
            pages[f"/std/{kind}/{name}.html"] = edited(draw, template, 2)
    crawl = {"doc.example": pages, "mirror.example": moved(pages, "/pub")}
    assert _levels(_found(crawl)) == {("doc.example", "mirror.example/pub"): 4}


def test_mirrors_of_one_site_are_one_group() -> None:
    draw = random.Random(8)
    pages, others = site(draw, 12), site(draw, 5)
    result = _found(
        {
            "doc.example": pages,
            "a.example": moved(pages, "/pub"),
            "www.doc.example": dict(pages),
            "b.example": others,
            "c.example": moved(others, "/pub"),
        }
    )
    first, second = result.groups
    assert (first.canonical, first.mirrors) == ("doc.example", ["a.example/pub", "www.doc.example"])
    assert (second.canonical, second.mirrors) == ("b.example", ["c.example/pub"])
    assert sorted([*first.pairs, *second.pairs]) == sorted(result.found)
    assert [row["group"] for row in result.table.to_pylist()].count("doc.example") == 3
    assert result.report["groups"] == 2


def test_contents_that_one_host_repeats_are_no_news() -> None:
    draw = random.Random(6)
    page = text(draw)
    own = {f"/{number}": page for number in range(9)}
    pages = site(draw, 9)
    report = _found({"a.example": pages | own, "b.example": dict(pages)}).report
    assert (report["mirrors"], report["ubiquitous"], report["repeated"]) == (1, 0, 0)
    report = _found({"a.example": pages | own, "b.example": pages | own}).report
    assert (report["ubiquitous"], report["repeated"]) == (0, 1)


def test_a_page_under_many_paths_proves_nothing() -> None:
    page = text(random.Random(3))
    crawl = {host: {f"/{n}": page for n in range(9)} for host in ("a.example", "b.example")}
    assert _found(crawl).found == []


def test_blank_pages_prove_nothing() -> None:
    crawl = {host: {f"/{n}": " " for n in range(30)} for host in ("a.example", "b.example")}
    assert _found(crawl).found == []


def test_what_is_everywhere_nominates_nothing_and_is_counted() -> None:
    pages = site(random.Random(4), 5)
    crawl = {f"{n}.example": dict(pages) for n in range(4)}
    assert len(_found(crawl).found) == 6
    result = _found(crawl, max_hosts=3)
    assert result.found == []
    assert result.report["ubiquitous"] == 10


def test_a_mirror_needs_so_many_pages() -> None:
    pages = site(random.Random(5), 4)
    crawl = {"a.example": pages, "b.example": dict(pages)}
    assert len(_found(crawl, least=4).found) == 1
    assert _found(crawl, least=5).found == []


def test_rows_without_a_url_and_pages_seen_twice_are_counted() -> None:
    given = [
        {"url": "https://a.example/", "text": "one"},
        {"url": "https://a.example/index.html", "text": "two"},
        {"url": None, "text": "three"},
        {"url": "javascript:void(0)", "text": "four"},
    ]
    report = mirrors.find(pa.Table.from_pylist(given)).report
    assert (report["documents"], report["without_url"], report["again"]) == (4, 2, 1)


@pytest.mark.parametrize("options", [{"least": 0}, {"max_hosts": 1}, {"least": True}])
def test_options_out_of_bounds_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(OptionError, match="must be a whole number"):
        _found({}, **options)


def test_the_column_of_urls_must_be_there() -> None:
    with pytest.raises(ColumnTypeError):
        mirrors.find(pa.table({"text": ["one"]}))


def test_pages_in_folders_are_known_by_the_link_that_they_declare(tmp_path: Path) -> None:
    for host in "ab":
        for number in range(5):
            link = f"<link rel=canonical href='https://{host}.example/{number}'>"
            content = f"<body><p>{text(random.Random(number))}</p></body>"
            page = f"<html><head>{link}</head>{content}</html>"
            (tmp_path / f"{host}{number}.html").write_text(page)
    (tmp_path / "c.html").write_text("<p>without a link</p>")
    result = mirrors.find(tmp_path, extract="fast")
    assert _levels(result) == {("a.example", "b.example"): 1}
    assert result.report["without_url"] == 1
    with pytest.raises(NothingRead, match="no page of 11 has a web address"):
        mirrors.find(tmp_path)


def test_pages_without_addresses_are_no_answer(tmp_path: Path, run: Run) -> None:
    place = tmp_path / "a.txt"
    place.write_text("a text without an address")
    code, out, err = run("mirrors", place)
    assert (code, out) == (2, "")
    assert "no page of 1 has a web address (--url is 'url')" in err
