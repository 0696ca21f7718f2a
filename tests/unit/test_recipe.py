"""The recipe: its string, its bounds, its digest."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.errors import OptionError, RecipeError
from ilk.recipe import OPTIONS, SIMILARITY_INDEX, WIDTHS, Bounds

any_options: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        name: st.integers(option.low, option.high)
        if isinstance(option, Bounds)
        else st.sampled_from(option.allowed)
        for name, option in OPTIONS.items()
    }
)


def _fit(chosen: dict[str, Any]) -> bool:
    """Whether width and weight are the kind's."""
    weights = ("binary",) if chosen["kind"] == "minhash" else ("binary", "tf", "log")
    return chosen["bits"] in WIDTHS[chosen["kind"]] and chosen["weight"] in weights


options = any_options.filter(_fit)


@given(options)
def test_a_recipe_is_what_its_string_says(chosen: dict[str, Any]) -> None:
    recipe = ilk.Recipe(**chosen)
    assert dataclasses.asdict(recipe) == chosen
    parsed = ilk.Recipe.parse(str(recipe))
    assert parsed == recipe
    assert hash(parsed) == hash(recipe)
    assert parsed.digest == recipe.digest


@given(options, options)
def test_two_recipes_share_neither_string_nor_digest(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    a, b = ilk.Recipe(**one), ilk.Recipe(**other)
    assert (str(a) == str(b)) == (a.digest == b.digest) == (one == other)


@given(any_options)
def test_what_does_not_fit_the_kind_is_refused(chosen: dict[str, Any]) -> None:
    if _fit(chosen):
        assert ilk.Recipe(**chosen).kind == chosen["kind"]
        return
    with pytest.raises(OptionError, match="must be .* for kind 'minhash'") as refused:
        ilk.Recipe(**chosen)
    if chosen["bits"] in (64, 128):
        assert "compares sets" in str(refused.value)


def test_every_option_is_a_field_and_every_field_an_option() -> None:
    assert [field.name for field in dataclasses.fields(ilk.Recipe)] == list(OPTIONS)
    assert all(option.help for option in OPTIONS.values())


@pytest.mark.parametrize(
    ("recipe", "string", "digest"),
    [
        (ilk.Recipe(), "minhash64/words=3/weight=binary/fold/min=3/ilk64/v1", "f8c298de619e13b4"),
        (SIMILARITY_INDEX, "simhash64/words=1/weight=log/fold/min=3/ilk64/v1", "a2f96ce41c6e2f87"),
        (
            ilk.Recipe("simhash", 64, "chars", 5, "tf", normalisation="none", minimum=1),
            "simhash64/chars=5/weight=tf/none/min=1/ilk64/v1",
            "cdf870e373aa64d6",
        ),
        (
            ilk.Recipe(kind="minhash", bits=128, width=3, weight="binary"),
            "minhash128/words=3/weight=binary/fold/min=3/ilk64/v1",
            "3df9a5994df96967",
        ),
    ],
)
def test_strings_and_digests_are_frozen(recipe: ilk.Recipe, string: str, digest: str) -> None:
    """The digest is what ``printf %s STRING | sha256sum | cut -c 1-16`` prints."""
    assert (str(recipe), recipe.digest) == (string, digest)


@pytest.mark.parametrize(("name", "option"), OPTIONS.items())
def test_what_is_not_allowed_is_refused_with_what_is(name: str, option: Any) -> None:
    wrong: list[Any] = ["", "Words", None, 1.0, True, [1], -1]
    if isinstance(option, Bounds):
        wrong += [option.low - 1, option.high + 1, str(option.low)]
        allowed = [str(option.low), str(option.high)]
    else:
        wrong += [float(value) for value in option.allowed if isinstance(value, int)]
        allowed = [str(value) for value in option.allowed]
    for value in wrong:
        with pytest.raises(OptionError) as refused:
            ilk.Recipe(**{name: value})
        assert str(refused.value).startswith(f"{name} is {value!r}; ")
        assert all(word in str(refused.value) for word in allowed)


@pytest.mark.parametrize(
    "string",
    [
        "",
        "simhash64",
        "simhash64/words=1/weight=log/fold/min=3/ilk64",
        "simhash64/words=1/weight=log/fold/min=3/ilk64/v1 ",
        "simhash64/words=1/weight=log/fold/min=3/ilk64/v1\n",
        " simhash64/words=1/weight=log/fold/min=3/ilk64/v1",
        "SIMHASH64/words=1/weight=log/fold/min=3/ilk64/v1",
        "simhash64/words=١/weight=log/fold/min=3/ilk64/v1",
        "simhash64/words=-1/weight=log/fold/min=3/ilk64/v1",
        "simhash64/weight=log/words=1/fold/min=3/ilk64/v1",
        None,
        7,
    ],
)
def test_what_is_no_recipe_is_refused_with_an_example(string: Any) -> None:
    with pytest.raises(RecipeError) as refused:
        ilk.Recipe.parse(string)
    assert repr(string) in str(refused.value)
    assert str(ilk.Recipe()) in str(refused.value)


@pytest.mark.parametrize(
    "string",
    [
        "simhash64/words=1/weight=log/fold/min=3/ilk64/v0",
        "simhash64/words=1/weight=log/fold/min=3/murmur3/v1",
    ],
)
def test_another_version_or_hash_is_refused_with_what_to_do(string: str) -> None:
    with pytest.raises(RecipeError, match="Fingerprint the texts again") as refused:
        ilk.Recipe.parse(string)
    assert "ilk64/v1" in str(refused.value)


@pytest.mark.parametrize(
    "string",
    [
        "simhash16/words=1/weight=log/fold/min=3/ilk64/v1",
        "minhash32/words=1/weight=binary/fold/min=3/ilk64/v1",
        "minhash64/words=1/weight=log/fold/min=3/ilk64/v1",
        "simhash64/words=65/weight=log/fold/min=3/ilk64/v1",
        "simhash64/lines=1/weight=log/fold/min=3/ilk64/v1",
        "simhash64/words=1/weight=idf/fold/min=3/ilk64/v1",
    ],
)
def test_a_string_with_a_wrong_option_is_refused(string: str) -> None:
    with pytest.raises(OptionError, match="must be"):
        ilk.Recipe.parse(string)


def test_one_recipe_has_one_string() -> None:
    padded = "simhash64/words=01/weight=log/fold/min=003/ilk64/v1"
    assert str(ilk.Recipe.parse(padded)) == str(SIMILARITY_INDEX)
