"""Kinds of options: what each reads as it is written, and what it refuses, by its name."""

from __future__ import annotations

import contextlib
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ilk.base.errors import OptionError
from ilk.base.kinds import Choice, Flag, Kind, Seconds, Share, Size, Text, Whole

#: Values of any kind.
anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9), st.binary(max_size=3)
)


@pytest.mark.parametrize(
    ("written", "exact"),
    [
        (0.8, Fraction(4, 5)),
        (0.1, Fraction(1, 10)),
        ("0.8", Fraction(4, 5)),
        ("80%", Fraction(4, 5)),
        (" 80 % ", Fraction(4, 5)),
        ("12.5%", Fraction(1, 8)),
        (1, Fraction(1)),
        (1.0, Fraction(1)),
        (1e-9, Fraction(1, 10**9)),
        (0.95, Fraction(19, 20)),
        (np.float64(0.7), Fraction(7, 10)),
        (Fraction(2, 3), Fraction(2, 3)),
    ],
)
def test_a_share_is_the_decimal_that_was_written(written: Any, exact: Fraction) -> None:
    for kind in (Share(), Share(above_zero=False)):
        assert kind.check("resemblance", written) == exact


@given(st.integers(1, 10**6))
def test_a_share_is_the_same_as_a_number_as_text_and_in_percent(millionths: int) -> None:
    exact = Fraction(millionths, 10**6)
    percent = f"{millionths // 10**4}.{millionths % 10**4:04}%"
    for written in (millionths / 10**6, f"{millionths / 10**6:.6f}", percent):
        assert Share().check("containment", Share().convert_word_if_possible(str(written))) == exact
        assert Share().check("containment", written) == exact


@pytest.mark.parametrize(
    "wrong", [0, -1, 1.01, "", "x", "%", "101%", "0%", None, True, math.nan, math.inf, "1/0", b"1"]
)
def test_a_share_out_of_bounds_is_refused_by_its_name(wrong: Any) -> None:
    with pytest.raises(OptionError, match=r"containment is .* above 0 and at most 1, such as 0\.8"):
        Share().check("containment", wrong)


@pytest.mark.parametrize(
    "written",
    ["1e-999999999", "1E999999999", "8e+99999999%", "1e-9_9_9_9_9_9_9_9_9", "1e-٩٩٩٩٩٩٩٩٩"],
)
def test_a_share_with_a_huge_exponent_is_refused_at_once(written: str) -> None:
    """Python would compute its power of ten, and no other thread runs in the meantime."""
    with pytest.raises(OptionError, match="containment is"):
        Share().check("containment", written)


@pytest.mark.parametrize("nothing", [0, 0.0, "0", "0%"])
def test_a_share_may_be_nothing_where_that_is_said(nothing: Any) -> None:
    assert Share(above_zero=False).check("similarity", nothing) == 0
    with pytest.raises(OptionError, match=r"similarity is -0\.1; .* from 0 to 1"):
        Share(above_zero=False).check("similarity", -0.1)


def test_a_share_has_at_most_30_decimals() -> None:
    assert Share().check("recall", f"0.{'9' * 30}") == 1 - Fraction(1, 10**30)
    with pytest.raises(OptionError, match="to 30 decimals"):
        Share().check("recall", f"0.{'9' * 31}")


@pytest.mark.parametrize(
    ("written", "count"),
    [
        ("2GB", 2 * 10**9),
        ("500 mb", 5 * 10**8),
        ("1.5k", 1500),
        (7, 7),
        ("0", 0),
        ("1T", 10**12),
        ("  3B ", 3),
    ],
)
def test_a_size_is_bytes(written: Any, count: int) -> None:
    assert Size().check("memory", written) == count


@given(st.integers(0, 10**12), st.sampled_from(["", "K", "M", "G", "T"]), st.booleans())
def test_a_size_is_a_number_of_its_unit(number: int, unit: str, b: bool) -> None:
    written = f"{number}{unit}{'B' * b}"
    expected = number * 1000 ** " KMGT".index(unit or " ")
    assert Size().check("memory", Size().convert_word_if_possible(written)) == expected
    assert Size().check("memory", written.lower()) == expected


@pytest.mark.parametrize("wrong", ["", "GB", "-1", "two", "1e9", 1.5j, True, None, "9" * 5000, "²"])
def test_what_is_no_size_is_refused(wrong: Any) -> None:
    with pytest.raises(OptionError, match="memory is .* a size such as 2GB, 500MB or 10000000"):
        Size().check("memory", wrong)


@given(st.integers(-9, 9), st.one_of(st.none(), st.integers(-9, 9)), anything)
def test_a_whole_number_is_an_int_within_its_bounds(low: int, high: int | None, value: Any) -> None:
    kind = Whole(low, high, "bits")
    if type(value) is int and low <= value and (high is None or value <= high):
        assert kind.check("radius", value) is value
    else:
        with pytest.raises(OptionError, match="radius is (.|\n)* must be a whole number of bits"):
            kind.check("radius", value)


@given(st.integers())
def test_a_whole_number_is_read_as_it_is_written(number: int) -> None:
    assert Whole(-(1 << 200)).check("seed", Whole().convert_word_if_possible(str(number))) == number


@pytest.mark.parametrize("written", ["", "3.0", "1e3", "three"])
def test_what_is_no_whole_number_is_refused_as_it_was_written(written: str) -> None:
    with pytest.raises(OptionError, match=f"^jobs is '{written}'; it must be a whole number, 1 or"):
        Whole(1).check("jobs", Whole(1).convert_word_if_possible(written))


@given(st.floats(0, 1e12, exclude_min=True, exclude_max=True))
def test_seconds_are_above_0(seconds: float) -> None:
    assert (
        Seconds().check("convert_timeout", Seconds().convert_word_if_possible(repr(seconds)))
        == seconds
    )


@pytest.mark.parametrize("wrong", [0, -1, math.inf, math.nan, "soon", None, True, 1e12])
def test_what_is_no_time_is_refused(wrong: Any) -> None:
    with pytest.raises(
        OptionError, match="convert_timeout is .* must be a number of seconds above 0"
    ):
        Seconds().check("convert_timeout", wrong)


@given(st.sampled_from([("exact", "fingerprint"), (32, 64, 128)]), anything)
def test_a_choice_is_one_of_its_words(allowed: Any, value: Any) -> None:
    kind = Choice(allowed)
    for word in allowed:
        assert kind.check("pairing", kind.convert_word_if_possible(str(word))) == word
    assume(value not in allowed)
    with pytest.raises(OptionError, match=f"must be one of {', '.join(map(str, allowed))}"):
        kind.check("pairing", value)
    with pytest.raises(OptionError, match="is 'many'; it must be one of"):
        kind.check("pairing", kind.convert_word_if_possible("many"))


@given(anything)
def test_a_flag_is_true_or_false(value: Any) -> None:
    if isinstance(value, bool):
        assert Flag().check("exact", value) is value
    else:
        with pytest.raises(OptionError, match="exact is (.|\n)*; it must be True or False"):
            Flag().check("exact", value)


@given(st.text())
def test_a_text_is_as_it_is_written(written: str) -> None:
    assert Text().check("key", Text().convert_word_if_possible(written)) == written


@given(
    st.sampled_from([Share(), Share(above_zero=False), Size(), Seconds(), Whole(), Flag()]),
    st.one_of(anything, st.text("0123456789.%/-+eE_ KMGTB", max_size=9)),
)
def test_no_value_breaks_a_kind(kind: Kind, value: Any) -> None:
    """It is taken or refused, and what is taken is taken again."""
    with contextlib.suppress(OptionError):
        found = kind.check("name", value)
        assert kind.check("name", found) == found
