"""A store made with noise says what a search with noise finds, whatever came and went."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk_papers.measure.noising import make_noisy
from tests.support import strategies
from tests.support.fixtures import examples

#: Verdicts of documents of one kind, and the one that a test asks most about.
SAME = ("identical", "exact", "numbers_only", "near", "noisy")


def _page(seed: int, words: int) -> str:
    draw = random.Random(seed)
    known = ["".join(draw.choices("aeiounrstlmdk", k=draw.randint(2, 8))) for _ in range(80)]
    return " ".join(draw.choices(known, k=words))


@st.composite
def collections(draw: st.DrawFn) -> list[str]:
    """A few pages, noisy copies of them, and texts of other kinds."""
    sizes = st.sampled_from([5, 12, 60, 75, 90, 200])
    pages = [_page(seed, draw(sizes)) for seed in range(draw(st.integers(1, 3)))]
    shares = st.sampled_from([0.0, 0.01, 0.04, 0.08, 0.1])
    copies = st.tuples(st.sampled_from(pages), shares, st.integers(0, 5))
    texts = [make_noisy(*one) if one[1] else one[0] for one in draw(st.lists(copies, max_size=7))]
    others = draw(st.lists(st.one_of(strategies.prose, strategies.texts), max_size=2))
    return draw(st.permutations([*pages, *texts, *others]))


def _alike(texts: list[str], rate: str) -> dict[tuple[int, int], tuple[str, float | None]]:
    """What a search finds of every pair that is of one kind."""
    pairs = ilk.find(texts, noise=rate, jobs=1).pairs.to_pylist()
    return {
        (row["left"], row["right"]): (row["verdict"], row["agreement"])
        for row in pairs
        if row["verdict"] in SAME
    }


@given(collections(), st.sampled_from(["2%", "5%", "10%"]))
@examples(30)
def test_a_store_finds_what_a_search_finds(texts: list[str], rate: str) -> None:
    expected = _alike(texts, rate)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s.ilk")
        with ilk.Store(path, exact=True, noise=rate, jobs=1) as store:
            store.add_many(texts[: len(texts) // 2])
            store.add_many(texts[len(texts) // 2 :])
        with ilk.Store(path, create=False, jobs=1) as store:
            for row, matches in enumerate(store.check_many(texts)):
                found = {one.id: (one.verdict, one.agreement) for one in matches if one.same}
                found.pop(row, None)
                sides = ((min(row, id_), max(row, id_)) for id_ in range(len(texts)) if id_ != row)
                known = {sum(pair) - row: expected[pair] for pair in sides if pair in expected}
                assert found == known
            assert store.validate().problems == []


@given(collections(), st.data())
@examples(20)
def test_clusters_are_those_of_all_pairs_whatever_came_and_went(
    texts: list[str], data: st.DataObject
) -> None:
    gone = data.draw(st.sets(st.integers(0, len(texts) - 1)))
    with (
        tempfile.TemporaryDirectory() as folder,
        ilk.Store(Path(folder, "s.ilk"), exact=True, noise="5%", jobs=1) as store,
    ):
        store.add_many(texts)
        store.remove(sorted(gone))
        found = store.clusters()
        assert store.validate().problems == []
    alike = _alike(texts, "5%")
    clusters: dict[int, list[int]] = {}
    for row in range(len(texts)):
        if row in gone:
            continue
        keeper = next((one for one in clusters if (one, row) in alike), row)
        clusters.setdefault(keeper, []).append(row)
    assert found == [cluster for cluster in clusters.values() if len(cluster) > 1]
