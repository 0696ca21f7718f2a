"""What a store tells of a text: measured exactly, and all that is asked for."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest

import ilk
from ilk.base.errors import OptionError
from ilk.store import Store
from ilk.store.index import StoreSizes
from tests.support.stores import LONG, OTHER, put_fingerprints


def test_what_is_like_a_text_is_measured_exactly(store: Store) -> None:
    store.add_many([LONG, f"{LONG} more", f"{LONG} {OTHER}", OTHER.upper(), "blank", " "])
    found = store.check(LONG, radius=128, resemblance=0.8, containment=0.9)
    assert [(match.id, match.verdict) for match in found] == [
        (0, "identical"),
        (1, "near"),
        (2, "contained"),
    ]
    for match, text in zip(found, [LONG, f"{LONG} more", f"{LONG} {OTHER}"], strict=True):
        expected = ilk.compare([LONG], [text], ilk.Recipe(bits=128))
        assert match.distance == expected.distance
        assert match.resemblance == expected.resemblance
        assert match.containment_left == expected.containment_left
        assert match.containment_right == expected.containment_right
    assert [match.verdict for match in store.check(OTHER)] == ["exact"]
    assert store.check(" ") == store.check("") == []
    assert [match.id for match in store.check(LONG, resemblance=1, containment=None)] == [0]
    assert [match.id for match in store.check(LONG, similarity="98%")] == [0, 1]


def test_a_wider_radius_than_the_index_has_is_answered_by_looking_at_all(store: Store) -> None:
    store.add_many([LONG, OTHER])
    assert store.settings.radius == 20
    assert {match.id for match in store.check(LONG, radius=128)} == {0, 1}
    assert {match.id for match in store.similar(0, similarity="0%")} == {1}
    value = store[0].fingerprint
    assert value is not None
    assert [m.id for m in store.check_fingerprint(value, 128)] == [0, 1]


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_fingerprints_alone_are_unverified(tmp_path: Path, bits: int) -> None:
    kind = "simhash" if bits == 32 else "minhash"
    recipe = ilk.Recipe(kind=kind, bits=bits)
    with Store(tmp_path / "f.ilk", recipe=recipe, jobs=1) as store:
        values = ilk.fingerprint([LONG, OTHER], recipe)
        put_fingerprints(store, values, ["a", "b"])
        store.add(LONG)
        found = store.check(LONG)
        assert [(m.id, m.verdict, m.distance) for m in found] == [
            (2, "identical", 0),
            (0, "unverified", 0),
        ]
        assert found[1].resemblance is None
        assert store.clusters() == []
        value = values[0].as_py()
        assert [m.id for m in store.check_fingerprint(value, 0)] == [0, 2]


def test_more_candidates_than_are_held_at_once_are_taken_in_pieces(tmp_path: Path) -> None:
    texts = [f"{LONG} {number}" for number in range(40)] + [OTHER]
    with Store(tmp_path / "a.ilk", jobs=1) as store:
        first = store.add_many(texts)
        expected = store.clusters()
    with Store(tmp_path / "b.ilk", jobs=1) as store:
        store._open_store.index.sizes = StoreSizes(max_candidates=50, max_pairs=7)
        assert store.add_many(texts) == first
        assert store.clusters() == expected == [list(range(40))]
        assert len(store.check(LONG)) == 40
        store.remove(0)
        assert store.clusters() == [list(range(1, 40))]


@pytest.mark.parametrize("within", [None, "site"])
def test_new_texts_joined_in_memory_are_told_what_the_index_tells(
    tmp_path: Path, within: str | None
) -> None:
    """Short, middle and long ones, some of more shingles than keep ids alone, copies, parts of
    others, and texts without words; added at once, and beside stored ones.
    """
    draw = random.Random(7)
    words = [f"w{number}" for number in range(400)]
    texts = ["", "!", "  ", LONG, LONG.upper()]
    for length in (8, 30, 70, 130, 2500):
        base = draw.choices(words, k=length)
        for change in range(6):
            changed = [*base]
            changed[change * length // 8] = "other"
            texts.append(" ".join(changed))
        part = base[: length * 84 // 100]
        part[::70] = ["another"] * len(part[::70])
        texts += [" ".join(base), " ".join(part), " ".join([*base, "more"])]
    draw.shuffle(texts)
    table = pa.table(
        {"text": texts, "metadata": [f'{{"site": "{at % 2}"}}' for at in range(len(texts))]}
    )
    answers = []
    for min_joined in (2, 1000):
        with Store(
            tmp_path / f"{min_joined}.ilk", exact=True, resemblance=0.8, within=within, jobs=1
        ) as store:
            store._open_store.index.sizes = StoreSizes(min_joined=min_joined)
            added = [store.add_many(table[:20]), store.add_many(table[20:])]
            answers.append((added, store.clusters()))
            assert store.validate().problems == []
    assert answers[0] == answers[1]
    verdicts = {match.verdict for added in answers[0][0] for one in added for match in one.matches}
    assert {"near", "contained", "contains"} <= verdicts


def test_new_texts_that_are_all_alike_are_not_joined_in_memory(tmp_path: Path) -> None:
    texts = [f"{LONG} {number}" for number in range(40)]
    with Store(tmp_path / "a.ilk", exact=True, jobs=1) as store:
        store._open_store.index.sizes = StoreSizes(max_candidates=4, min_joined=2)
        store.add_many(texts)
        assert store.clusters() == [list(range(40))]


def test_any_recipe_makes_a_store(tmp_path: Path) -> None:
    recipe = ilk.Recipe(kind="simhash", width=1, weight="log")
    with Store(tmp_path / "s.ilk", recipe=recipe, jobs=1) as store:
        store.add_many([LONG, f"{LONG} more", OTHER])
        assert store.clusters() == [[0, 1]]
        assert [m.id for m in store.check(LONG, similarity="90%")] == [0, 1]


def test_a_store_is_validated_without_a_sample(tmp_path: Path) -> None:
    with ilk.Store(tmp_path / "s.ilk", texts=True, jobs=1) as store:
        store.add_many(["one text of some words", "another text of other words"])
        assert store.validate(sample=1).made_again == 1
        assert store.validate(sample=0).made_again == 0
        with pytest.raises(OptionError, match="0 or more"):
            store.validate(sample=-1)
