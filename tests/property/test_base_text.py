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
from ilk import arrow
from ilk.base.errors import NothingRead, OptionError
from ilk.base.run_options import Running
from ilk.search.passage_parts import CollectedWords, PassageRule
from tests.support.fixtures import examples

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


def covered(words: list[str], others: list[list[str]], base: list[list[str]], least: int) -> int:
    """How many words are in runs that stand in another text, and not in the base."""

    def grams(text: list[str]) -> list[tuple[str, ...]]:
        return [tuple(text[at : at + least]) for at in range(len(text) + 1 - least)]

    elsewhere = {gram for other in others for gram in grams(other)}
    elsewhere -= {gram for text in base for gram in grams(text)}
    counted = [False] * len(words)
    for at, gram in enumerate(grams(words)):
        if gram in elsewhere:
            counted[at : at + least] = [True] * least
    return sum(counted)


_FEW = st.lists(st.sampled_from("abc"), max_size=25)


@examples(60)
@given(
    texts=st.lists(_FEW, min_size=1, max_size=4),
    base=st.lists(_FEW.filter(bool), min_size=1, max_size=2),
    least=st.integers(2, 5),
)
def test_words_of_passages_are_those_without_runs_of_the_base(
    texts: list[list[str]], base: list[list[str]], least: int
) -> None:
    column, given_base = [" ".join(words) for words in texts], [" ".join(words) for words in base]
    expected = [
        covered(words, texts[:at] + texts[at + 1 :], base, least) for at, words in enumerate(texts)
    ]
    found = ilk.passages(column, words=least, ignore_text=given_base)
    rows = found.coverage.to_pylist()
    assert [round(row["elsewhere"] * row["words"]) for row in rows] == expected
    assert found.report["documents"] == len(texts)
    rule = PassageRule(least, base=arrow.import_texts(given_base))
    in_files = CollectedWords(rule, Running.of(1), parts=3, piece=64)
    in_files.add_words_of(arrow.import_texts(column))
    assert (
        in_files.find_repeated_and_release_words()
        .count_repeated_words_elsewhere_before_itself()["elsewhere"]
        .to_pylist()
        == expected
    )
    # Two texts: what they share, and what stays of them.
    if len(texts) > 1:
        one = ilk.compare(column[:1], column[1:2], ignore_text=given_base, min_words=least)
        assert one.shared[1] == covered(texts[0], [texts[1]], base, least)
    # What an earlier place has is cut, but for what stands in the base: a second cut finds nothing.
    left = arrow.load_texts(found.cut(mid_sentence=True).texts)
    again = ilk.passages(left, words=least, ignore_text=given_base)
    assert not again.cut(mid_sentence=True).cuts.num_rows


def test_a_store_keeps_its_base(tmp_path: Path) -> None:
    path, (part, own, other) = tmp_path / "s.ilk", _PARTS
    texts = [f"{part} {own}", f"{part} {other}", part]
    (tmp_path / "base.txt").write_text(part)
    with ilk.Store(path, exact=True, texts=True, ignore_text=tmp_path / "base.txt") as store:
        added = store.add_many(texts)
        assert [len(one.matches) for one in added] == [0, 0, 0]
        assert len(store.stats()["base_text"]) == 32
    with ilk.Store(path) as store:  # Once is enough.
        (match,) = store.check([f"{part} {own} end"])
        assert (match.id, match.resemblance) == (0, 100 / 101)
    with ilk.Store(path, ignore_text=[part]):
        pass
    with pytest.raises(OptionError, match="made with ignore_text=.*, not with ignore_text="):
        ilk.Store(path, ignore_text=[own])
    with ilk.Store(tmp_path / "plain.ilk", exact=True):
        pass
    with pytest.raises(OptionError, match="made without ignore_text, not with ignore_text="):
        ilk.Store(tmp_path / "plain.ilk", ignore_text=[own])
    with pytest.raises(OptionError, match="fingerprints are found by whole texts"):
        ilk.Store(tmp_path / "new.ilk", ignore_text=[own])
    rows = pa.table({"text": [f"{part} {own}", f"{part} x y z"]})
    with pytest.raises(OptionError, match="made with the base text .*, and the search has none"):
        ilk.deduplicate(rows, against=path)
    kept = ilk.deduplicate(rows, against=path, ignore_text=[part])
    assert kept.keep_mask.to_pylist() == [False, True]


def test_common_paragraphs_are_left_out_of_rows() -> None:
    footer = "This message is confidential and for its addressee alone; delete it otherwise."
    rows = [f"{name * 9}\n\n{footer}" for name in ("red fox ", "blue bird ", "green frog ")]
    rows += [f"Again: {rows[0]}", footer]
    table = pa.table({"text": rows})
    options: dict[str, Any] = {"resemblance": 0.5, "by": "words", "shingle": 1}
    assert ilk.deduplicate(table, **options).keep_mask.to_pylist() != [
        True,
        True,
        True,
        False,
        True,
    ]
    several: list[dict[str, Any]] = [{}, {"jobs": 2}]
    for more in several:
        found = ilk.deduplicate(table, common_blocks=2, **options, **more)
        assert found.keep_mask.to_pylist() == [True, True, True, False, True]
    assert found.report["common_blocks"] == [{"documents": 5, "text": footer}]
    assert ilk.deduplicate(table, **options).report["common_blocks"] is None
