"""The author's own fingerprints of 2014: the recipe roth2013 gives them to the bit."""

from __future__ import annotations

import pytest

import ilk
from ilk_papers.roth2013 import own_values
from ilk_papers.roth2013.published import TABLE_20

#: Fingerprints of the texts with the author's line ends: golden values.
GOLDEN = {
    "gettysburg.txt": ("CRLF, none at the end", 0x2F470B3DD7A4C041),
    "us-const.txt": ("CRLF", 0xF5190F797A2F229D),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_recipe_gives_the_authors_fingerprint_to_the_bit(name: str) -> None:
    ends, golden = GOLDEN[name]
    text = own_values.texts_by_line_end(own_values.shipped_text(name))[ends]
    assert ilk.fingerprint([text], recipe="roth2013").to_pylist() == [golden]
    assert dict(line[:2] for line in TABLE_20)[name] == golden


def test_line_ends_change_eleven_and_seven_bits() -> None:
    rows = own_values.own_fingerprints_table().table.to_pylist()
    apart = {
        (row["file"], row["line ends"]): row["bits apart"]
        for row in rows
        if row["recipe"] == "roth2013"
    }
    assert apart["gettysburg.txt", "LF"] == 11
    assert apart["us-const.txt", "LF"] == 7
    assert [pair for pair, bits in apart.items() if bits == 0] == [
        ("gettysburg.txt", "CRLF, none at the end"),
        ("us-const.txt", "CRLF"),
        ("us-const.txt", "CRLF, none at the end"),
    ]
    assert all(row["bits apart"] > 20 for row in rows if row["recipe"] != "roth2013")


def test_the_printed_similarities_follow_from_the_printed_fingerprints() -> None:
    lines = [*own_values.table_20_lines()]
    found = [each for each in lines if each.found_for is not None]
    assert (len(lines), len(found)) == (29, 19)
    assert [each.published for each in found] == [each.computed for each in found]
    assert {each.found_for for each in found} < {each.file for each in lines}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_bits_are_shown_above_each_other(name: str) -> None:
    rows = own_values.own_bits_table(name).table.to_pylist()
    published, ours, other, changes = (row["bits"] for row in rows)
    assert published == ours == f"{GOLDEN[name][1]:064b}"
    assert [a != b for a, b in zip(published, other, strict=True)] == [
        mark == "^" for mark in changes
    ]
