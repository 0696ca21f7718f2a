"""The order of a crawl: unseen addresses, then those that changed lately, then the others."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from tests.support.command_line import Run

from ilk_web import changes

#: Pages that share no shingle.
PAGES = [" ".join(f"{word}{number}" for number in range(60)) for word in ("alpha", "beta", "gamma")]

CAPTURE = st.tuples(st.sampled_from("abcd"), st.integers(1, 9), st.integers(0, 2))
CAPTURES = st.lists(CAPTURE, min_size=1, max_size=12)


def _found(rows: list[tuple[str, Any, int]], dates: bool = True) -> changes.Changes:
    table = {"url": [row[0] for row in rows], "text": [PAGES[row[2]] for row in rows]}
    return changes.find(pa.table(table | ({"date": [row[1] for row in rows]} if dates else {})))


def _expected(rows: list[tuple[str, int, int]], urls: list[str]) -> list[tuple[str, str]]:
    """The order, said once more: sort by group, then by the numbers of captures in time."""
    keyed = []
    in_time = sorted(range(len(rows)), key=lambda number: (rows[number][1], number))
    for at, url in enumerate(dict.fromkeys(urls)):
        own = [place for place, number in enumerate(in_time) if rows[number][0] == url]
        pages = [rows[in_time[place]][2] for place in own]
        changed = [own[at] for at in range(1, len(own)) if pages[at] != pages[at - 1]]
        if not own:
            keyed.append((0, at, url, "new"))
        elif changed:
            keyed.append((1, -changed[-1], url, "changed"))
        else:
            keyed.append((2, own[-1], url, "other"))
    return [(url, group) for _, _, url, group in sorted(keyed)]


@given(CAPTURES, st.lists(st.sampled_from("xdcbay"), max_size=8), st.booleans())
def test_the_order_is_that_of_its_definition(
    rows: list[tuple[str, int, int]], urls: list[str], dates: bool
) -> None:
    ordered = _found(rows, dates).crawl_order(urls).to_pylist()
    timed = rows if dates else [(url, 0, page) for url, _, page in rows]
    assert [(row["url"], row["group"]) for row in ordered] == _expected(timed, urls)


def test_a_list_is_ordered_on_the_command_line(run: Run, tmp_path: Path) -> None:
    crawl, links = tmp_path / "crawl.jsonl", tmp_path / "links.txt"
    rows = [("http://a/", 1, 0), ("http://b/", 1, 0), ("http://a/", 2, 0), ("http://b/", 3, 1)]
    crawl.write_text(
        "".join(
            json.dumps({"url": url, "date": f"2026-01-0{day}", "text": PAGES[page]}) + "\n"
            for url, day, page in rows
        )
    )
    links.write_text("http://a/\n\nhttp://b/\nhttp://new/\nhttp://a/\n")
    code, out, _ = run("changes", crawl, "--order", links)
    assert (code, out) == (0, "http://new/\nhttp://b/\nhttp://a/\n")
    _, out, _ = run("changes", crawl, "--order", links, "--format", "csv")
    assert [
        [*row[:2], *(cell[:10] for cell in row[2:])] for row in csv.reader(out.splitlines())
    ] == [
        ["url", "group", "fetched", "changed"],
        ["http://new/", "new", "", ""],
        ["http://b/", "changed", "2026-01-03", "2026-01-03"],
        ["http://a/", "other", "2026-01-02", ""],
    ]
    links.write_text("\n")
    assert run("changes", crawl, "--order", links)[0] == 2
    assert "one URL per line" in run("changes", crawl, "--order", tmp_path / "gone.txt")[2]
