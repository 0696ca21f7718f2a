"""The labels of the set that every clone makes say of origins what the oracle says of words."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.labelled import revising, written
from tests.labelled.labels import Shares
from tests.labelled.traced import spelled, traced
from tests.reference import text as reference

#: Whether the words of a script have spaces between them.
SCRIPTS = ["spaced", "unspaced"]


def _all_different(script: str, first: int, length: int) -> str:
    """A text in which no word, and no run of two characters, is like another."""
    if script == "unspaced":
        return "".join(
            chr(0x4E00 + n) + "。" * (n % 17 == 16) for n in range(first, first + length)
        )
    return " ".join(f"w{n}x" + "." * (n % 9 == 8) for n in range(first, first + length))


@given(st.sampled_from(SCRIPTS), st.integers(60, 120), st.floats(0.01, 0.5), st.integers(0, 99))
def test_where_no_two_words_are_alike_origins_tell_what_words_do(
    script: str, length: int, share: float, seed: int
) -> None:
    origins = count()
    units = traced(_all_different(script, 0, length), origins)
    foreign = [traced(_all_different(script, 1000, 3 * length), origins)]
    draw = revising.draws(str(seed))
    other = revising.revised(units, share, draw, origins, foreign)
    left, right = spelled(units), spelled(other)
    # A word that was put in twice is alike although its origins are two.
    words = reference.words(right)
    if len(set(words)) == len(words) and not reference.by_characters(left, right):
        assert Shares.of(units).common(Shares.of(other)) == reference.resemblance(left, right)


@given(st.integers(2, 40), st.integers(1, 5))
def test_short_texts_share_characters(length: int, added: int) -> None:
    origins = count()
    units = traced("".join(chr(0x4E00 + n) for n in range(length)), origins)
    other = revising.extended(units, "".join(chr(0x5E00 + n) for n in range(added)), origins)
    left, right = Shares.of(units), Shares.of(other)
    runs = max(0, length - 2)
    assert left.common(right) == (runs, runs, runs + added)


@pytest.mark.parametrize("name", written.prose(), ids=" ".join)
def test_texts_are_cut_without_a_loss(name: tuple[str, str]) -> None:
    text = written.prose()[name]
    units = traced(text, count())
    assert spelled(units) == text
    assert len({unit.origin for unit in units}) == len(units)
    # As many words as the oracle finds, so that a text is short to both or to neither.
    assert len(Shares.of(units).words) == len(reference.words(text)) - 2
