"""Mirrors of whole hosts are those that brute force finds, whatever the crawl."""

from __future__ import annotations

import random
from fractions import Fraction

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import mirrors as reference
from tests.support.crawls import Crawl, edited, rows, text
from tests.support.fixtures import examples

from ilk_web import mirrors
from ilk_web.mirrors.alignment import SIMILAR

_PATHS = [f"/{'ab'[n % 2]}/{n}" for n in range(14)]


@st.composite
def crawls(draw: st.DrawFn) -> Crawl:
    """A few hosts, each with pages that are those of one site, edited, of its own, or not there."""
    chance = random.Random(draw(st.integers(0, 99)))
    original = {path: text(chance) for path in _PATHS}
    crawl: Crawl = {}
    for host in range(draw(st.integers(2, 4))):
        kinds = st.sampled_from(
            draw(st.sampled_from(["same", "same near", "similar own none"])).split()
        )
        pages = {}
        for path in _PATHS[: draw(st.integers(1, len(_PATHS)))]:
            kind = draw(kinds)
            words = {"near": 2, "similar": 20, "own": 60}.get(kind, 0)
            if kind != "none":
                pages[path] = edited(chance, original[path], words)
        if pages:
            crawl[f"h{host}.example"] = pages
    return crawl


@examples(40)
@given(crawls(), st.integers(1, 4))
def test_whole_mirrors_are_those_of_brute_force(crawl: Crawl, least: int) -> None:
    result = mirrors.find(
        pa.Table.from_pylist(rows(crawl) or [{"url": "", "text": ""}]), least=least
    )
    whole = {(m.left, m.right): m.level for m in result.found if "/" not in m.left + m.right}
    expected = reference.levels(crawl, Fraction(4, 5), Fraction(SIMILAR).limit_denominator(), least)
    assert {pair: level for pair, level in whole.items() if level != 4} == expected
