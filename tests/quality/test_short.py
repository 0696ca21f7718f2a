"""Texts as short as titles and messages: what anyone would call the same is found."""

from __future__ import annotations

import pytest

import ilk

#: First characters of scripts: Han, Hiragana, Hangul, Thai.
SCRIPTS = [0x4E00, 0x3041, 0xAC00, 0x0E01]


@pytest.mark.parametrize("first", SCRIPTS)
def test_sixteen_characters_with_one_changed_are_found(first: int) -> None:
    """Of 14 runs of three characters at most 3 are others: at least 11 of 17 are shared."""
    whole = "".join(chr(first + place) for place in range(16))
    for place in range(16):
        changed = f"{whole[:place]}{chr(first + 20)}{whole[place + 1 :]}"
        found = ilk.find([whole, "something else entirely", changed], resemblance=0.6)
        (pair,) = found.pairs.to_pylist()
        assert (pair["left"], pair["right"]) == (0, 2)
        assert pair["resemblance"] >= 11 / 17


def test_titles_with_a_word_changed_are_found_among_others() -> None:
    titles = [
        "Annual report of the harbour authority, second edition",
        "Annual report of the harbour authority, third edition",
        "Annual report of the railway company",
        "Minutes of the council, spring session",
    ]
    found = ilk.find(titles, resemblance=0.6)
    assert [(pair["left"], pair["right"]) for pair in found.pairs.to_pylist()] == [(0, 1)]
