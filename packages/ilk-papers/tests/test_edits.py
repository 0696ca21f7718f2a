"""Controlled edits: which words they touch, how many, and that they stay the same for ever."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import strategies

from ilk.base.errors import OptionError
from ilk_papers.measure import edits

TEXT = "One, two; (three) four five 66 seven. Eight nine 10!\n"
OTHER = "alpha, beta gamma. Delta epsilon"

kinds = st.sampled_from(list(edits.KINDS))
spreads = st.sampled_from(edits.SPREADS)
shares = st.floats(0, 1, exclude_min=True)

#: Words that are all different, none of them in ``OTHER``, every third with a number.
plain = st.integers(1, 80).map(
    lambda n: " ".join(f"w{'x' * i}" + "7" * (i % 3 == 0) for i in range(n))
)


def edited(text: str, kind: str, share: float, spread: str = "scattered", seed: int = 1) -> str:
    return edits.edit_text(text, kind, share, spread=spread, seed=seed, foreign=OTHER)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@pytest.mark.parametrize(
    ("kind", "spread", "expected"),
    [
        # Printed by this module when it was written; every word was looked at.
        (
            "insert-own",
            "scattered",
            "One, nine two; (three) four five five 66 seven. Eight three nine 10!\n",
        ),
        (
            "insert-own",
            "block",
            "One, nine 10 One two; (three) four five 66 seven. Eight nine 10!\n",
        ),
        (
            "insert-foreign",
            "scattered",
            "One, epsilon two; (three) four five gamma 66 seven. Eight beta nine 10!\n",
        ),
        (
            "insert-foreign",
            "block",
            "One, epsilon alpha, beta two; (three) four five 66 seven. Eight nine 10!\n",
        ),
        ("delete", "scattered", "One, ; (three) four five 66 seven. nine !\n"),
        ("delete", "block", "One, five 66 seven. Eight nine 10!\n"),
        ("replace", "scattered", "One, beta; (three) four five 66 seven. gamma nine gamma!\n"),
        ("replace", "block", "One, epsilon alpha, beta five 66 seven. Eight nine 10!\n"),
        ("move", "scattered", "One, ; (three) four two Eight 10 five 66 seven. nine !\n"),
        ("move", "block", "One, five 66 seven. Eight nine two; (three) four 10!\n"),
        ("numbers", "scattered", "One, two; (three) four five 43 seven. Eight nine 10!\n"),
        ("numbers", "block", "One, two; (three) four five 43 seven. Eight nine 10!\n"),
        ("noise", "scattered", "One, tvvo; (three) four five 66 seven. Eiqht nine 1O!\n"),
        ("noise", "block", "One, twa; (threc) tour five 66 seven. Eight nine 10!\n"),
        (
            "template",
            "scattered",
            "One, \nalpha, beta gamma\n two; (three) four five 66 seven. Eight nine 10!\n",
        ),
        (
            "template",
            "block",
            "alpha, beta\nOne, two; (three) four five 66 seven. Eight nine 10!\n\ngamma",
        ),
    ],
)
def test_an_edit_stays_what_it_is(kind: str, spread: str, expected: str) -> None:
    assert edited(TEXT, kind, 0.3, spread) == expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("insert-own", "天盈地玄黃，宇宙洪荒。日黃月盈昃"),
        ("insert-foreign", "天張地玄黃，宇宙洪荒。日宿月盈昃"),
        ("delete", "天玄黃，宇宙洪荒。日月昃"),
        ("replace", "天張玄黃，宇宙洪荒。日月宿昃"),
        ("move", "天盈玄黃，宇宙洪荒。日月地昃"),
        ("numbers", "天地玄黃，宇宙洪荒。日月盈昃"),
        ("noise", "天玄黃，宇宙洪荒。日月昃"),
        ("template", "天\n辰宿\n地玄黃，宇宙洪荒。日月盈昃"),
    ],
)
def test_scripts_without_spaces_are_edited_by_characters(kind: str, expected: str) -> None:
    text, other = "天地玄黃，宇宙洪荒。日月盈昃", "辰宿列張"
    assert edits.edit_text(text, kind, 0.2, spread="scattered", seed=1, foreign=other) == expected


@given(strategies.texts, kinds, shares, spreads, st.integers(), strategies.texts)
def test_any_text_is_edited_and_always_in_the_same_way(
    text: str, kind: str, share: float, spread: str, seed: int, other: str
) -> None:
    once = edits.edit_text(text, kind, share, spread=spread, seed=seed, foreign=other)
    assert once == edits.edit_text(text, kind, share, spread=spread, seed=seed, foreign=other)
    if kind in edits.FOREIGN and not edits._WordPlaces.find_in(other).places:
        assert once == text


@given(strategies.texts)
def test_words_are_cut_into_places_that_do_not_overlap(text: str) -> None:
    places = edits._WordPlaces.find_in(text).places
    edges = [edge for place in places for edge in place]
    assert edges == sorted(edges)
    assert all(start < end for start, end in places)


@given(plain, kinds, shares, spreads, st.integers())
def test_so_many_words_are_touched(
    text: str, kind: str, share: float, spread: str, seed: int
) -> None:
    before, after = words(text), words(edited(text, kind, share, spread, seed))
    asked = max(1, int(share * len(before) + 0.5))
    gone, come = Counter(before) - Counter(after), Counter(after) - Counter(before)
    if kind == "delete":
        assert (gone.total(), come.total()) == (min(asked, len(before) - 1), 0)
    elif kind in ("insert-own", "insert-foreign", "template"):
        assert (gone.total(), come.total()) == (0, asked)
        assert (come.keys() <= set(words(OTHER))) == (kind != "insert-own")
    elif kind == "move":
        assert not gone
        assert not come
        assert (before == after) <= (len(before) == 1 or spread == "scattered")
    elif kind == "numbers":
        numbers = [word for word in before if word[-1].isdecimal()]
        asked = max(1, int(share * len(numbers) + 0.5))
        assert gone.total() == come.total() == asked
        assert re.sub(r"\d", "0", " ".join(before)) == re.sub(r"\d", "0", " ".join(after))
    else:
        assert gone.total() == come.total() == asked


@given(plain, kinds, shares, st.integers())
def test_a_block_is_in_one_place(text: str, kind: str, share: float, seed: int) -> None:
    """What stands before and behind it is as it was; a template stands before and behind."""
    before, after = text.split(), edited(text, kind, share, "block", seed).split()
    shorter = min(len(before), len(after))
    head = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    tail = next((i for i in range(shorter) if before[-1 - i] != after[-1 - i]), shorter)
    asked = max(1, int(share * len(before) + 0.5))
    if kind in ("insert-own", "insert-foreign", "delete"):
        assert head + tail >= shorter
    elif kind in ("replace", "noise"):
        assert head + tail >= len(before) - asked
    elif kind == "template":
        assert " ".join(before) in " ".join(after)


@given(st.integers(0, 50), st.integers(0, 50))
def test_every_document_gets_the_same_template(one: int, two: int) -> None:
    copies = {edited(f"{'x ' * 9}", "template", 0.5, "block", seed) for seed in (one, two)}
    assert len(copies) == 1


def test_a_text_too_short_for_the_share_is_edited_once() -> None:
    for kind in edits.KINDS:
        for spread in edits.SPREADS:
            assert edited("one two 3", kind, 0.001, spread) != "one two 3"


@pytest.mark.parametrize("text", ["", " \n\u3000", "!", "\0"])
def test_without_words_there_is_nothing_to_edit(text: str) -> None:
    assert {edited(text, kind, 0.5) for kind in edits.KINDS} == {text}


@pytest.mark.parametrize(
    ("kind", "text"), [("numbers", "no number"), ("delete", "one"), ("move", "one")]
)
def test_what_cannot_be_edited_comes_back(kind: str, text: str) -> None:
    assert edited(text, kind, 1) == text


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kind": "insert"}, "insert-own, insert-foreign, delete"),
        ({"spread": "all"}, "scattered, block"),
        ({"share": 0}, "above 0 and at most 1"),
        ({"share": 1.01}, "above 0 and at most 1"),
        ({"share": float("nan")}, "above 0 and at most 1"),
    ],
)
def test_what_is_no_edit_is_refused(wrong: dict[str, object], said: str) -> None:
    given_ = {"kind": "replace", "share": 0.1, "spread": "block", "seed": 1, "foreign": OTHER}
    with pytest.raises(OptionError, match=said):
        edits.edit_text(TEXT, **given_ | wrong)  # type: ignore[arg-type]
