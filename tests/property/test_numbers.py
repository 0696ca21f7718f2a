"""Texts that differ only in numbers, in a search and a deduplication, equal brute force."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from tests.reference import pairing
from tests.reference import text as reference
from tests.support.fixtures import examples

T = Fraction("0.7")

SAME = ("identical", "exact", "numbers_only", "near")

_numbers = st.sampled_from(
    [
        *("7", "12", "-5", "(100.00)", "1 000,00", "1'000.00", "$5", "5 EUR", "5-7", "2024-01-05"),
        *("05.01.2024", "10²", "½", "１２", "x7", "3 % of 4"),
    ]
)
_words = st.sampled_from(["paid", "total due", "on", "w5", "item, ", "é", "EUR"])
_templates = st.lists(st.lists(st.none() | _words, min_size=1, max_size=6), min_size=1, max_size=3)


@st.composite
def texts_of_templates(draw: st.DrawFn) -> list[str]:
    """Texts of few templates, with numbers where these have none."""
    templates = draw(_templates)
    chosen = draw(st.lists(st.sampled_from(templates), max_size=9))
    return [
        " ".join(draw(_numbers) if piece is None else piece for piece in template)
        for template in chosen
    ]


def verdict(a: str, b: str, *, any_numbers: bool) -> str | None:
    """What two texts are to each other, by the definitions; None if they are not of one kind."""
    if a == b:
        return "identical"
    if reference.digested(a) == reference.digested(b):
        return "exact"
    shared, left, right = reference.resemblance(a, b)
    near = shared > 0 and Fraction(shared, left + right - shared) >= T
    plain = [reference.collapsed(reference.normalised(text)) for text in (a, b)]
    masked = [reference.without_numbers(text) for text in plain]
    words = any_numbers and reference.has_word(masked[0])
    if masked[0] == masked[1] and "0" in masked[0] and (near or words):
        return "numbers_only"
    return "near" if near else None


def pairs_of(texts: Sequence[str], *, any_numbers: bool) -> dict[tuple[int, int], str]:
    rows = itertools.combinations(range(len(texts)), 2)
    found = {(a, b): verdict(texts[a], texts[b], any_numbers=any_numbers) for a, b in rows}
    return {pair: word for pair, word in found.items() if word is not None}


def _pair(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)


@examples(80)
@given(texts_of_templates())
def test_pairs_in_a_search_equal_brute_force(texts: list[str]) -> None:
    rows = ilk.find({str(at): text for at, text in enumerate(texts)}, resemblance=0.7).pairs
    expected = pairs_of(texts, any_numbers=True)
    found = {(row["left"], row["right"]): row for row in rows.to_pylist()}
    assert {pair: row["verdict"] for pair, row in found.items()} == expected
    for (a, b), row in found.items():
        measured = row["resemblance"], row["containment_left"], row["containment_right"]
        assert measured == reference.measures(reference.resemblance(texts[a], texts[b]))
        assert measured[0] <= min(measured[1:])


@examples(80)
@given(texts_of_templates())
def test_clusters_of_a_search_equal_brute_force(texts: list[str]) -> None:
    """Clusters at the resemblance, whose keepers then give way to the first of their numbers."""
    every = pairs_of(texts, any_numbers=True)
    rows = range(len(texts))
    keepers = pairing.anchored(rows, set(pairs_of(texts, any_numbers=False)))
    members = {row: [other for other in rows if keepers[other] == row] for row in set(keepers)}
    taken: dict[int, int] = {}
    for other in members:
        like = [row for row in members if every.get((row, other)) == "numbers_only"]
        first = min(like, default=other)
        if first != other and all(_pair(first, row) in every for row in members[other]):
            taken[other] = first
    expected = [taken.get(keeper, keeper) for keeper in keepers]
    families = pairing.connected(rows, set(every))
    result = ilk.find({str(at): text for at, text in enumerate(texts)}, resemblance=0.7)
    clusters = {row["doc"]: row for row in result.clusters.to_pylist()}
    for row in rows:
        if families.count(families[row]) == 1:
            assert row not in clusters
            continue
        assert clusters[row]["keeper"] == expected[row]
        assert clusters[row]["verdict"] == every.get(_pair(row, expected[row]), "identical")
        assert clusters[row]["verdict"] in SAME
    by_family = {(row["family"], families[doc]) for doc, row in clusters.items()}
    assert len(by_family) == len({family for family, _ in by_family})


@examples(60)
@given(texts_of_templates())
def test_a_deduplication_drops_what_shares_enough_and_counts_the_rest(texts: list[str]) -> None:
    keepers = pairing.anchored(range(len(texts)), set(pairs_of(texts, any_numbers=False)))
    stay = [row for row in range(len(texts)) if keepers[row] == row]
    result = ilk.deduplicate(texts or [""], resemblance=0.7)
    assert result.report["kept"] == (len(stay) if texts else 1)
    every = pairs_of(texts, any_numbers=True)
    later = {b for (a, b), word in every.items() if word == "numbers_only" and {a, b} <= {*stay}}
    assert result.report["numbers_only_kept"] == len(later)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("100.00", "-100.00"),
        ("100.00", "(100.00)"),
        ("100.00", "\u2212100.00"),
        ("100.00", "+100.00"),
        ("999,00 €", "1 000,00 €"),
        ("999,00 €", "1\u202f000,00 €"),
        ("999.00", "1'000.00"),
        ("$100", "€100"),
        ("100 EUR", "100 USD"),
        ("5", "5-7"),
        ("5", "5\u20137"),
        ("2024-01-05", "05.01.2024"),
        ("2024-01-05", "01/05/2024"),
        ("10²", "102"),
        ("½", "0.5"),
        ("①", "1"),
    ],
)
def test_numbers_are_seen_however_they_are_written(one: str, other: str) -> None:
    """Whatever share of the text they are."""
    for words in ("Total due: {}", "Total due: {} by the end of the month. " + "So be it. " * 30):
        a, b = words.format(one), words.format(other)
        assert ilk.compare([a], [b]).verdict == "numbers_only"
        assert ilk.find([a, b]).pairs["verdict"].to_pylist() == ["numbers_only"]


def test_texts_of_nothing_but_numbers_are_alike_only_if_they_share_enough() -> None:
    assert ilk.compare(["12345"], ["777"]).verdict == "different"
    assert ilk.compare(["w1 w2 w3"], ["w7 w8 w9"]).verdict == "different"
    many = " ".join(str(number) for number in range(1000, 1060))
    assert ilk.compare([many], [many.replace("1030", "7")]).verdict == "numbers_only"


def test_lines_of_a_log_are_one_cluster_that_raises_the_alarm() -> None:
    lines = [f"user {number * 7919 % 99991} logged in" for number in range(3_000)]
    result = ilk.find(lines)
    assert len(result.clusters) == len(lines)
    assert len({row["cluster"] for row in result.clusters.to_pylist()}) == 1
    assert "boilerplate" in result.report["alarms"][0]
