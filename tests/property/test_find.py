"""What ``ilk.find`` finds equals brute force: pairs, clusters, keepers, contained documents."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.fingerprints.recipe import SIMILARITY_INDEX
from tests.reference import overlap, pairing
from tests.reference import text as reference
from tests.support import strategies
from tests.support.fixtures import examples

T, C = Fraction("0.7"), Fraction("0.95")

columns_of_texts = st.one_of(
    strategies.relatives(), strategies.relatives(50, 52, 60, 90), strategies.relatives(2, 3, 9)
)


def column(texts: Sequence[str | None]) -> pa.Array:
    return pa.array(texts, pa.string())


def resembling(texts: Sequence[str | None], least: Fraction = T) -> list[overlap.Pair]:
    return overlap.resembling(overlap.counts_of_texts(texts), len(texts), least)


def verdict(a: str | None, b: str | None, otherwise: str) -> str:
    if a is None or b is None:
        return otherwise
    if a == b:
        return "identical"
    forms = [reference.collapsed(reference.normalised(text)) for text in (a, b)]
    return "exact" if forms[0] == forms[1] else otherwise


def clusters(keepers: Sequence[int], families: Sequence[int]) -> list[tuple[int, int, int, int]]:
    """Rows of documents in families of two or more: doc, family, cluster, keeper."""
    numbers: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for of, name in zip(families, keepers, strict=True):
        if families.count(of) > 1:
            numbers[0].setdefault(of, len(numbers[0]))
            numbers[1].setdefault(name, len(numbers[1]))
    both = enumerate(zip(families, keepers, strict=True))
    return [(doc, numbers[0][f], numbers[1][k], k) for doc, (f, k) in both if f in numbers[0]]


def linked(
    ranking: Sequence[int], pairs: set[tuple[int, int]], linkage: str = "anchored"
) -> list[tuple[int, int, int, int]]:
    """The same by brute force."""
    keepers = getattr(pairing, linkage)(ranking, pairs)
    return clusters(keepers, pairing.connected(range(len(ranking)), pairs))


def found_clusters(result: ilk.Result) -> list[tuple[int, int, int, int]]:
    table = result.clusters.select(["doc", "family", "cluster", "keeper"])
    return sorted(zip(*(c.to_pylist() for c in table.columns), strict=True))


@examples(60)
@given(columns_of_texts)
def test_pairs_equal_brute_force_and_copies_are_spread_out(texts: list[str | None]) -> None:
    expected = [
        (*overlap.measured(texts, a, b), verdict(texts[a], texts[b], "near"))
        for a, b, *_ in resembling(texts)
    ]
    pairs = ilk.find(column(texts), resemblance=0.7).pairs
    prints = ilk.fingerprint(column(texts)).to_pylist()
    rows = pairs.drop_columns("distance").to_pylist()
    assert [tuple(row.values()) for row in rows] == expected
    for row in pairs.to_pylist():
        left, right = prints[row["left"]], prints[row["right"]]
        if left is not None and right is not None:
            assert row["distance"] == (left ^ right).bit_count()
        else:
            assert row["distance"] == (None if row["verdict"] == "near" else 0)


@examples(60)
@given(columns_of_texts, st.sampled_from(["first", "longest"]))
def test_anchored_clusters_equal_brute_force(texts: list[str | None], keep: str) -> None:
    pairs = resembling(texts)
    sizes = [len((text or "").encode()) for text in texts]
    ranking = list(range(len(texts)))
    if keep == "longest":
        # A null has no length, and comes last.
        ranking.sort(key=lambda row: (texts[row] is None, -sizes[row], row))
    expected = linked(ranking, {(a, b) for a, b, *_ in pairs})
    result = ilk.find(column(texts), resemblance=0.7, keep=keep)
    assert found_clusters(result) == expected
    count = overlap.counts_of_texts(texts)
    for row in result.clusters.to_pylist():
        shared, own, keepers = count(row["doc"], row["keeper"])
        assert Fraction(shared, own + keepers - shared) >= T
        assert row["resemblance"] == shared / (own + keepers - shared)
        inside = overlap.measured(texts, row["doc"], row["keeper"])[3:]
        assert (row["contained_in_keeper"], row["contains_keeper"]) == inside
        assert row["verdict"] == verdict(texts[row["doc"]], texts[row["keeper"]], "near")


#: Texts, each the one before with a word replaced, so that families are long.
chains = st.builds(
    lambda words, changes: [
        " ".join([*(f"new{place}" for place in range(at)), *words[at:]])
        for at in changes
        if at <= len(words)
    ],
    st.lists(strategies.words, min_size=12, max_size=60),
    st.lists(st.integers(0, 40), max_size=9),
)


@examples(100)
@given(st.one_of(columns_of_texts, chains), st.sampled_from(["exact", "fingerprint"]))
def test_keepers_show_what_they_are_most_like_outside_their_cluster(
    texts: list[str | None], way: str
) -> None:
    """By brute force, from all pairs; every document with a pair is in a family with it."""
    options: dict[str, Any] = {"radius": 64} if way == "fingerprint" else {}
    result = ilk.find(column(texts), resemblance=0.7, **options)
    _check_families(result)


def _check_families(result: ilk.Result) -> None:
    """By brute force, from all pairs."""
    rows = {row["doc"]: row for row in result.clusters.to_pylist()}
    pairs = [(p["left"], p["right"], p["resemblance"]) for p in result.pairs.to_pylist()]
    assert {row for pair in pairs for row in pair[:2]} == set(rows)
    outside: dict[int, list[tuple[float, int]]] = {}
    for left, right, share in pairs:
        assert rows[left]["family"] == rows[right]["family"]
        if rows[left]["cluster"] != rows[right]["cluster"]:
            outside.setdefault(left, []).append((-share, right))
            outside.setdefault(right, []).append((-share, left))
    for doc, row in rows.items():
        best = min(outside.get(doc, []), default=None) if row["keeper"] == doc else None
        assert row["also_like"] == (best and best[1])
        assert row["also_resemblance"] == (best and -best[0])
        assert row["also_verdict"] == (best and "near")


def test_large_documents_are_measured_by_their_whole_hashes() -> None:
    """Members of two clusters that a keeper is like almost as much."""
    words = [
        f"{number:05}".translate(str.maketrans("0123456789", "abcdefghij"))
        for number in range(9000)
    ]
    starts = [0, 300, 311, 320, 620, 631, 330, 900, 640]
    result = ilk.find([" ".join(words[at : at + 5000]) for at in starts])
    _check_families(result)
    assert result.clusters["also_like"].null_count < len(result.clusters)


def test_a_document_alone_in_its_cluster_is_seen_with_what_it_is_like() -> None:
    words = [f"w{number}" for number in range(140)]
    texts = [" ".join(words[start : start + 120]) for start in (0, 10, 20, 0)]
    result = ilk.find([*texts, "something else altogether"])
    assert found_clusters(result) == [(0, 0, 0, 0), (1, 0, 0, 0), (2, 0, 1, 2), (3, 0, 0, 0)]
    assert result.clusters["also_like"].to_pylist() == [None, None, 1, None]
    counts = ("families", "in_families", "clusters", "in_clusters", "alone")
    assert [result.report[name] for name in counts] == [1, 4, 1, 3, 1]


@examples(60)
@given(columns_of_texts)
def test_connected_clusters_equal_brute_force(texts: list[str | None]) -> None:
    pairs = {(a, b) for a, b, *_ in resembling(texts)}
    expected = linked(range(len(texts)), pairs, "connected")
    found = ilk.find(column(texts), resemblance=0.7, linkage="connected")
    assert found_clusters(found) == expected
    assert found.clusters["also_like"].null_count == len(found.clusters)
    words = set(found.clusters["verdict"].to_pylist())
    assert words <= {"identical", "exact", "near", "connected"}


@pytest.mark.parametrize("linkage", ["anchored", "connected"])
def test_words_and_characters_never_meet_in_a_cluster(linkage: str) -> None:
    """Single words of three letters are the character shingles of a short text, and no cluster."""
    texts = ["aba bab " * 30, "ababa", "ababab"]
    found = ilk.find(texts, shingle=1, linkage=linkage)
    assert found_clusters(found) == [(1, 0, 0, 1), (2, 0, 0, 1)]


@examples(40)
@given(columns_of_texts, st.sampled_from(["anchored", "connected"]), st.data())
def test_batches_and_threads_change_nothing(
    texts: list[str | None], linkage: str, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(texts)))
    pieces = pa.chunked_array([texts[:cut], texts[cut:]], pa.string_view())
    options: dict[str, Any] = {"resemblance": 0.7, "containment": 0.95, "linkage": linkage}
    whole = ilk.find(column(texts), jobs=1, **options)
    other = ilk.find(pieces, jobs=3, **options)
    for name in ("documents", "clusters", "contained_pairs", "pairs"):
        assert getattr(other, name).equals(getattr(whole, name)), name
    assert other.report | {"seconds": {}} == whole.report | {"seconds": {}}


@examples(40)
@given(columns_of_texts, st.data())
def test_the_order_of_documents_changes_nothing_but_their_numbers(
    texts: list[str | None], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(texts))))
    options: dict[str, Any] = {"resemblance": 0.7, "linkage": "connected"}
    here = ilk.find(column(texts), **options)
    there = ilk.find(column([texts[row] for row in order]), **options)

    def named(result: ilk.Result, rows: Sequence[int]) -> tuple[set[Any], set[frozenset[int]]]:
        pairs = {
            (frozenset((rows[p["left"]], rows[p["right"]])), p["resemblance"], p["verdict"])
            for p in result.pairs.to_pylist()
        }
        groups: dict[int, set[int]] = {}
        for doc, _, cluster, _ in found_clusters(result):
            groups.setdefault(cluster, set()).add(rows[doc])
        return pairs, {frozenset(group) for group in groups.values()}

    assert named(there, order) == named(here, range(len(texts)))


@examples(60)
@given(st.one_of(strategies.relatives(50, 60, 90), strategies.relatives(2, 3, 9, 20)))
def test_contained_documents_are_named_with_a_container(texts: list[str | None]) -> None:
    """By words, always; near-duplicates of their container are in clusters instead."""
    near = {pair[:2] for pair in resembling(texts)}
    contained = {
        (a, b) for a, b in overlap.texts_inside(texts, C) if (min(a, b), max(a, b)) not in near
    }
    result = ilk.find(column(texts), resemblance=0.7, containment=0.95)
    rows = result.contained_pairs.to_pylist()
    assert {row["verdict"] for row in rows} <= {"contained"}
    named = {(row["left"], row["right"]) for row in rows}
    assert len(named) == len(rows)
    assert named <= contained
    # Copies of one text share a representative, which alone is named.
    seen = {_form(texts[left]) for left, _ in named}
    # Of two texts with the same shingles, only one is contained.
    sizes = [len(reference.shingle_set(text or "", "words", 3)) for text in texts]
    larger = {a for a, b in contained if sizes[a] < sizes[b]}
    alone = larger - {left for pair in near for left in pair}
    assert {_form(texts[left]) for left in alone} <= seen


def _form(text: str | None) -> str:
    return reference.collapsed(reference.normalised(text or ""))


@examples(40)
@given(columns_of_texts)
def test_pairs_of_a_containment_equal_brute_force(texts: list[str | None]) -> None:
    expected: dict[tuple[int, int], str] = {}
    inside = overlap.texts_inside(texts, C)
    for a, b in inside:
        low, high = min(a, b), max(a, b)
        _, _, _, left_part, right_part = overlap.measured(texts, low, high, words=True)
        if (high, low) in inside and (low, high) in inside:  # The larger part is the smaller text.
            a = low if left_part >= right_part else high
        expected[low, high] = "contained" if a == low else "contains"
    for a, b, *_ in resembling(texts):
        expected[a, b] = verdict(texts[a], texts[b], "near")
    pairs = ilk.find(column(texts), resemblance=0.7, containment=0.95).pairs
    rows = [tuple(row.values()) for row in pairs.drop_columns("distance").to_pylist()]
    brute = sorted(
        (*overlap.measured(texts, a, b, words=word in ("contained", "contains")), word)
        for (a, b), word in expected.items()
    )
    assert rows == brute
    for _, _, resemblance, *parts, _ in rows:
        assert resemblance <= min(parts)


def test_of_texts_that_are_each_in_the_other_the_smaller_one_is_contained() -> None:
    """In every order of the rows, with copies of them, and when both parts are equal."""
    shared = " ".join(f"word{number}" for number in range(90))
    small = shared + " " + " ".join(f"small{number}" for number in range(15))
    large = " ".join(f"large{number}" for number in range(20)) + " " + shared
    options: dict[str, Any] = {"containment": 0.8, "resemblance": 0.9}
    for texts in itertools.permutations([small, large, small, large]):
        result = ilk.find(texts, **options)
        inside = {(row["left"], row["verdict"]) for row in result.contained_pairs.to_pylist()}
        assert inside == {(texts.index(small), "contained")}
        assert {
            (texts[row["left"]] == small, row["verdict"])
            for row in result.pairs.to_pylist()
            if texts[row["left"]] != texts[row["right"]]
        } <= {(True, "contained"), (False, "contains")}
    other = " ".join(f"other{number}" for number in range(15)) + " " + shared
    for texts in itertools.permutations([small, other, small, other]):
        result = ilk.find(texts, **options)
        across = [row for row in result.pairs.to_pylist() if row["verdict"] != "identical"]
        assert {row["verdict"] for row in across} == {"contained"}
        assert result.contained_pairs["left"].to_pylist() == [0]


def test_a_short_text_that_stands_in_a_long_one_is_contained() -> None:
    """A quotation of 20 words."""
    long = " ".join(f"word{number}" for number in range(200))
    quotation = " ".join(f"word{number}" for number in range(100, 120))
    result = ilk.find([long, quotation], containment=0.95)
    assert [(r["left"], r["right"]) for r in result.contained_pairs.to_pylist()] == [(1, 0)]
    assert result.pairs["verdict"].to_pylist() == ["contains"]
    (contained,) = result.report["contained"]
    assert (contained["source"], contained["container"]) == ("#1", "#0")


def test_short_texts_of_one_language_do_not_contain_each_other() -> None:
    """They share most of their characters' shingles, and none of their words'."""
    one = "the rain in the north is set to stay until the end of the week"
    other = "a man was seen in the street at the station near the hotel as the train set in to stay"
    found = ilk.find([one, other], containment=0.3)
    assert found.contained_pairs["left"].to_pylist() == []


@pytest.mark.parametrize("radius", [0, 1, 10, 20, 64])
@examples(25)
@given(texts=columns_of_texts)
def test_fingerprint_pairs_within_a_radius_equal_brute_force(
    radius: int, texts: list[str | None]
) -> None:
    """Unverified every pair within the radius counts; equal texts always do."""
    prints = ilk.fingerprint(column(texts)).to_pylist()
    expected = {(a, b): bits for a, b, bits in pairing.within(prints, radius)}
    for a, left in enumerate(texts):
        for b in range(a + 1, len(texts)):
            if _form(left) and _form(left) == _form(texts[b]):
                expected[a, b] = 0
    result = ilk.find(column(texts), resemblance=0.7, radius=radius, unverified=True)
    rows = [(p["left"], p["right"], p["distance"]) for p in result.pairs.to_pylist()]
    assert rows == sorted((a, b, bits) for (a, b), bits in expected.items())
    assert found_clusters(result) == linked(range(len(texts)), set(expected))
    near = {pair[:2] for pair in resembling(texts)}
    bits = "within 1 bit" if radius == 1 else f"within {radius} bits"
    for pair in result.pairs.to_pylist():
        a, b = pair["left"], pair["right"]
        otherwise = "near" if (a, b) in near else bits
        assert pair["verdict"] == verdict(texts[a], texts[b], otherwise)


shuffled = st.lists(st.permutations(["alpha", "beta", "gamma", "delta"]), max_size=12)


@pytest.mark.parametrize("linkage", ["anchored", "connected"])
@examples(40)
@given(columns_of_texts, shuffled, st.sampled_from(["first", "longest"]), st.integers(0, 20))
def test_clusters_within_a_radius_equal_brute_force_where_texts_share_fingerprints(
    linkage: str, texts: list[str | None], orders: list[list[str]], keep: str, radius: int
) -> None:
    """Texts of the same words have one fingerprint, in whatever order, and any number of blanks."""
    texts = [*texts, *(" " * at + " ".join(words) for at, words in enumerate(orders))]
    prints = ilk.fingerprint(column(texts)).to_pylist()
    pairs = {(a, b) for a, b, _ in pairing.within(prints, radius)}
    forms = [_form(text) for text in texts]
    pairs |= {
        (a, b)
        for a, form in enumerate(forms)
        for b in range(a + 1, len(texts))
        if form and form == forms[b]
    }
    sizes = [len((text or "").encode()) for text in texts]
    ranking = list(range(len(texts)))
    if keep == "longest":
        ranking.sort(key=lambda row: (texts[row] is None, -sizes[row], row))
    options: dict[str, Any] = {"radius": radius, "unverified": True, "keep": keep}
    result = ilk.find(column(texts), linkage=linkage, **options)
    assert found_clusters(result) == linked(ranking, pairs, linkage)


def test_clusters_within_a_radius_need_no_pairs_of_equal_fingerprints() -> None:
    words = [f"word{number}" for number in range(8)]
    texts = [" ".join(order) for order in itertools.islice(itertools.permutations(words), 5000)]
    result = ilk.find(
        [*texts, "something else altogether"],
        radius=3,
        unverified=True,
        recipe=SIMILARITY_INDEX,
        max_pairs=1,
    )
    assert result.clusters["keeper"].unique().to_pylist() == [0]
    assert len(result.clusters) == 5000
    with pytest.raises(ilk.TooManyPairs, match="12,497,500"):
        _ = result.pairs


@examples(40)
@given(columns_of_texts)
def test_fingerprint_pairs_at_a_resemblance_are_verified(texts: list[str | None]) -> None:
    prints = ilk.fingerprint(column(texts)).to_pylist()
    near = {(a, b) for a, b, _ in pairing.within(prints, 12)}
    expected = []
    for a, b, *_ in resembling(texts):
        word = verdict(texts[a], texts[b], "near")
        if word != "near" or (a, b) in near:
            expected.append((*overlap.measured(texts, a, b), word))
    result = ilk.find(column(texts), radius=12, resemblance=0.7)
    rows = result.pairs.drop_columns("distance").to_pylist()
    assert [tuple(row.values()) for row in rows] == expected


@pytest.mark.parametrize(
    "source", [[], pa.array([], pa.string()), [None], ["", " ", "\u3000", None]]
)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"radius": 3},
        {"radius": 3, "unverified": True},
        {"containment": 0.9},
        {"keep": "central"},
    ],
)
def test_nothing_is_found_in_nothing(source: Any, options: dict[str, Any]) -> None:
    result = ilk.find(source, **options)
    assert len(result.documents) == len(source)
    assert len(result.clusters) == len(result.pairs) == len(result.contained_pairs) == 0
    assert result.report["fingerprinted"] == 0


def test_many_copies_of_one_line_are_one_cluster() -> None:
    copies = pa.repeat(pa.scalar("the same line again", pa.large_string()), 100_000)
    result = ilk.find(copies)
    assert result.report["clusters"] == 1
    assert result.report["in_clusters"] == 100_000
    assert result.alarms == []  # Copies are no boilerplate.
    with pytest.raises(ilk.TooManyPairs) as refused:
        _ = result.pairs
    assert refused.value.count == 100_000 * 99_999 // 2


@pytest.mark.parametrize("linkage", ["anchored", "connected"])
def test_a_large_document_changes_no_other_cluster(linkage: str) -> None:
    """Pairs just below the threshold stay apart, whatever large sets stand beside them."""
    words = [f"w{i}" for i in range(2000)]
    drift = [" ".join(words[step : step + 1000]) for step in (0, 112, 180)]
    book = " ".join(f"b{i}" for i in range(60_000))
    near_book = book.replace("b77 ", "changed ")
    alone = ilk.find(drift, linkage=linkage)
    beside = ilk.find([*drift, book, near_book], linkage=linkage)
    assert found_clusters(alone) == [(1, 0, 0, 1), (2, 0, 0, 1)]
    assert found_clusters(beside) == [(1, 0, 0, 1), (2, 0, 0, 1), (3, 1, 1, 3), (4, 1, 1, 3)]
    least = min(beside.pairs["resemblance"].to_pylist())
    assert least >= 0.8
