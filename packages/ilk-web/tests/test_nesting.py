"""Depth of tags: what a stack of open ones says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk_web.pages import is_nested_deeper


@pytest.mark.parametrize(
    ("html", "depth"),
    [
        (b"", 0),
        (b"plain < text", 0),
        (b"<div><b></b><b></b></div>", 2),
        (b"<div></div></div></div><div>", 1),
        (b"<p>one<p>two<br><img><li>three", 0),
        (b"<DIV><Span>", 2),
        (b"<div><!-- no tag --><a href='x'>", 2),
    ],
)
def test_a_depth_is_reached_and_no_more(html: bytes, depth: int) -> None:
    assert not is_nested_deeper(html, depth)
    assert depth == 0 or is_nested_deeper(html, depth - 1)


@given(st.lists(st.sampled_from([b"<a>", b"</a>", b"<p>", b"x"])), st.integers(0, 5))
def test_it_is_the_largest_number_of_open_tags(pieces: list[bytes], most: int) -> None:
    depth, deepest = 0, 0
    for piece in pieces:
        depth = max(0, depth + {b"<a>": 1, b"</a>": -1}.get(piece, 0))
        deepest = max(deepest, depth)
    assert is_nested_deeper(b"".join(pieces), most) == (deepest > most)
