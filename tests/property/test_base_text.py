"""A base text: its shingles are taken out of every set before anything is compared."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import NothingRead, OptionError
from tests.fixtures import examples

#: Texts of at least 100 words are compared by words.
_LONG = 100
_PARTS = [" ".join(f"{name}{at % 9}{at}" for at in range(_LONG)) for name in "abc"]
TEXTS = st.lists(
    st.lists(
        st.one_of(st.sampled_from(_PARTS), st.sampled_from(["d e f", "g h", "i j k l"])),
        min_size=1,
        max_size=4,
    ).map(" ".join),
    min_size=1,
    max_size=5,
).map(lambda texts: [f"{_PARTS[0]} {text}" for text in texts])
BASES = st.lists(
    st.one_of(
        st.sampled_from(_PARTS),
        st.sampled_from(_PARTS).map(lambda part: " ".join(part.split()[20:60])),
        st.just("e f g h"),
    ),
    min_size=1,
    max_size=2,
)


def shingles(text: str) -> set[tuple[str, ...]]:
    words = text.split()
    return {tuple(words[at : at + 3]) for at in range(len(words) - 2)}


def sets_without(texts: list[str], base: list[str]) -> list[set[tuple[str, ...]]]:
    return [shingles(text) - set().union(*map(shingles, base)) for text in texts]


@examples(25)
@given(texts=TEXTS, base=BASES, least=st.sampled_from([0.2, 0.5, 0.8]))
def test_sets_are_compared_without_those_of_the_base(
    texts: list[str], base: list[str], least: float
) -> None:
    sets = sets_without(texts, base)
    expected = {}
    for (one, left), (other, right) in combinations(enumerate(sets), 2):
        equal = texts[one] == texts[other] and left
        share = 1.0 if equal else len(left & right) / max(1, len(left | right))
        if left and right and share >= least:
            expected[one, other] = share
    found = ilk.find(texts, ignore_text=base, resemblance=least)
    rows = found.pairs.to_pylist()
    assert {(row["left"], row["right"]): row["resemblance"] for row in rows} == expected
    reasons = found.documents["reason"].to_pylist()
    assert [reason == "nothing but ignored text" for reason in reasons] == [not one for one in sets]

    table = pa.table({"text": texts, "lang": ["x"] * len(texts)})
    options: dict[str, Any] = {"ignore_text": base, "resemblance": least}
    result = ilk.deduplicate(table, **options)
    kept: list[int] = []  # Anchored, the first first: each row goes for one that stays, or stays.
    for row in range(len(texts)):
        if not any((one, row) in expected for one in kept):
            kept.append(row)
    assert result.keep_mask.to_pylist() == [row in kept for row in range(len(texts))]
    assert result.report["ignored_alone"] == sum(not one for one in sets)
    for more in ({"within": "lang"}, {"memory": "2GB"}, {"jobs": 2}):
        again = ilk.deduplicate(table, **options, **more)
        assert again.keep_mask.equals(result.keep_mask)


def test_short_texts_are_compared_without_the_words_of_the_base() -> None:
    handout = "Write a program that reads numbers and prints their sum, please."
    texts = [f"{handout} I used a loop.", f"{handout} Recursion does it for me.", handout]
    plain = ilk.find(texts, resemblance=0.5)
    assert len(plain.pairs) == 3
    assert len(ilk.find(texts, ignore_text=[handout], resemblance=0.2).pairs) == 0
    same = [f"{handout} I used a loop.", f"I used a loop. {handout}"]
    (pair,) = ilk.find(same, ignore_text=[handout], resemblance=0.2).pairs.to_pylist()
    assert pair["resemblance"] == 1


def test_rows_and_files_are_bases(tmp_path: Path) -> None:
    part, own = _PARTS[1], _PARTS[2]
    (tmp_path / "base.txt").write_text(part)
    (tmp_path / "base.jsonl").write_text(f'{{"body": "{part}"}}\n')
    source = tmp_path / "in.jsonl"
    source.write_text(f'{{"body": "{part} {own}"}}\n{{"body": "{part} x y z"}}\n' * 2)
    kept = [
        ilk.deduplicate(
            source,
            text="body",
            ignore_text=None if base is None else tmp_path / base,
            work=tmp_path / "work",
            resemblance=0.3,
        ).report["kept"]
        for base in (None, "base.txt", "base.jsonl", None)
    ]
    assert kept == [1, 2, 2, 1]


def test_what_a_base_has_no_part_in_is_refused(tmp_path: Path) -> None:
    texts = ["a b c", "a b d"]
    (tmp_path / "empty.txt").write_text(" \n")
    with pytest.raises(NothingRead, match=r"no text was read of .*empty.txt \(`ignore_text`\)"):
        ilk.find(texts, ignore_text=tmp_path / "empty.txt")
    with pytest.raises(OptionError, match="`noise` aligns whole texts"):
        ilk.find(texts, ignore_text=["a"], noise=0.05)
    with pytest.raises(OptionError, match="fingerprints are those of whole texts"):
        ilk.find(texts, ignore_text=["a"], radius=3)
    with pytest.raises(OptionError, match="`ignore_text` has no effect with `exact`"):
        ilk.deduplicate(pa.table({"text": texts}), ignore_text=["a"], exact=True)
    with ilk.Store(tmp_path / "s.ilk", texts=True, exact=True) as store:
        store.add_many(texts)
    with pytest.raises(OptionError, match="was made with no base text"):
        ilk.deduplicate(pa.table({"text": texts}), ignore_text=["a"], against=tmp_path / "s.ilk")
