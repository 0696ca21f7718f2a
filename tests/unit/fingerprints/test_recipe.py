"""The recipe: its string, its bounds, its digest."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest
from hypothesis import given

import ilk
from ilk.base.errors import OptionError, RecipeError, RecipeMismatch
from ilk.base.kinds import Whole
from ilk.fingerprints.recipe import SIMILARITY_INDEX
from ilk.fingerprints.recipe_options import OPTIONS, PRESETS, NameByPatternOrNone
from ilk.fingerprints.texts import make_fingerprint_way
from tests.support import strategies
from tests.support.fixtures import ROOT

options = strategies.options()


@given(options)
def test_a_recipe_is_what_its_string_says(chosen: dict[str, Any]) -> None:
    recipe = ilk.Recipe(**chosen)
    assert dataclasses.asdict(recipe) == chosen | {"weights": None, "secret": None}
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


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        ({"bits": 32}, "bits is 32; .* 64 or 128 for kind 'minhash'"),
        ({"weight": "tf"}, "weight is 'tf'; it must be 'binary' .* compares sets"),
        ({"table": "0" * 16}, "table is '0+'; it must be 'none' .* compares sets"),
        ({"ties": "one"}, "ties is 'one'; .* which has no ties"),
        ({"unit": "chars", "stop": "en"}, "stop is 'en-.*'none' for unit 'chars'"),
        ({"punctuation": "dropped"}, "punctuation is 'dropped'; .* 'kept' for unit 'words'"),
        ({"spaces": "dropped"}, "spaces is 'dropped'; .* 'kept' for unit 'words'"),
        ({"hash": "md5"}, "hash is 'md5'; .* one of ilk64, xxh3, siphash"),
        (
            {"kind": "simhash", "hash": "fnv1a32"},
            "bits is 64; .* at most 32 .* 32 bits would be unset",
        ),
        ({"hash": "siphash"}, "only siphash has a key, and it must have one"),
        ({"key": "0" * 16}, "only siphash has a key"),
        ({"hash": "siphash", "secret": b"short"}, "secret is 5 bytes; it must be 16"),
        ({"hash": "siphash", "secret": "sixteen letters!"}, "secret is str; it must be 16"),
        ({"stop": "xx"}, "stop is 'xx'; it must be one of none, af, ar"),
        ({"table": "0"}, "table is '0'; .* 16 hexadecimal digits"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    chosen: dict[str, Any], reason: str
) -> None:
    with pytest.raises(OptionError, match=reason):
        ilk.Recipe(**chosen)


def test_every_option_is_a_field_and_every_field_an_option() -> None:
    names = [field.name for field in dataclasses.fields(ilk.Recipe) if field.compare]
    assert names == list(OPTIONS)
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
            ilk.Recipe("simhash", 64, "words", 1, "tf", hash="md5", ties="one", stop="en"),
            "simhash64/words=1/weight=tf/ties=one/fold/stop=en-883fc88a/min=3/md5/v1",
            "49e8adee05e9c5aa",
        ),
        (
            ilk.Recipe(unit="chars", digits="masked", spaces="dropped", normalisation="nfc"),
            "minhash64/chars=3/weight=binary/nfc/digits=masked/spaces=dropped/min=3/ilk64/v1",
            "bc566e1a81ead514",
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


@pytest.mark.parametrize(
    ("name", "option"), [(name, option.kind) for name, option in OPTIONS.items()]
)
def test_what_is_not_allowed_is_refused_with_what_is(name: str, option: Any) -> None:
    wrong: list[Any] = ["", "Words", None, 1.0, True, [1], -1]
    if isinstance(option, NameByPatternOrNone):
        allowed = ["none", option.shape]
    elif isinstance(option, Whole):
        assert option.high is not None
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


def test_another_version_is_refused_with_what_to_do() -> None:
    string = "simhash64/words=1/weight=log/fold/min=3/ilk64/v0"
    with pytest.raises(RecipeError, match="Fingerprint the texts again") as refused:
        ilk.Recipe.parse(string)
    assert "ilk64/v1" in str(refused.value)


def test_a_hash_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(RecipeError, match="'murmur3', which does not exist here") as refused:
        ilk.Recipe.parse("simhash64/words=1/weight=log/fold/min=3/murmur3/v1")
    assert "ilk64" in str(refused.value)


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


def test_what_usually_holds_may_be_said_but_is_not() -> None:
    said = "simhash64/words=1/weight=log/ties=fixed/fold/accents=kept/stop=none/min=3/ilk64/v1"
    assert ilk.Recipe.parse(said) == SIMILARITY_INDEX


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_recipes_by_their_names(name: str) -> None:
    preset = PRESETS[name]
    named = ilk.Recipe.parse(preset.recipe)
    assert str(named) == preset.recipe
    assert preset.source
    if preset.weighs is not None:
        assert PRESETS[preset.weighs].recipe == preset.recipe
        with pytest.raises(RecipeError, match="ilk weights build"):
            ilk.Recipe.parse(name)
    else:
        assert ilk.Recipe.parse(name) == named
    make_fingerprint_way(named)


def test_the_page_on_choosing_names_every_preset() -> None:
    page = (ROOT / "docs/explanation/choosing.md").read_text()
    assert re.findall(r"^\| `([a-z0-9-]+)` \|", page, re.MULTILINE) == list(PRESETS)


def test_an_unknown_name_is_refused_with_the_presets() -> None:
    with pytest.raises(RecipeError, match="default, precise, similarity-index, manku2007"):
        ilk.Recipe.parse("charikar2002")


def test_a_key_is_named_by_its_digest_and_must_be_at_hand() -> None:
    keyed = ilk.Recipe(hash="siphash", secret=strategies.SECRET)
    other = ilk.Recipe(hash="siphash", secret=bytes(16))
    assert keyed != other
    assert strategies.SECRET.hex() not in str(keyed) + repr(keyed)
    read = ilk.Recipe.parse(str(keyed))
    assert read == keyed
    with pytest.raises(RecipeError, match="names the key .* was not given"):
        ilk.fingerprint(["one two three four five"], read)
    with pytest.raises(RecipeMismatch, match="names the key"):
        ilk.Recipe.parse(str(keyed), secret=bytes(16))
    again = ilk.Recipe.parse(str(keyed), secret=strategies.SECRET)
    texts = ["one two three four five six seven"]
    assert ilk.fingerprint(texts, again) == ilk.fingerprint(texts, keyed)
    assert ilk.fingerprint(texts, other) != ilk.fingerprint(texts, keyed)


def test_another_edition_of_a_stop_list_is_refused_when_it_is_needed() -> None:
    recipe = ilk.Recipe.parse(
        "minhash64/words=3/weight=binary/fold/stop=en-00000000/min=3/ilk64/v1"
    )
    with pytest.raises(RecipeMismatch, match="en-00000000, but the installed one is en-88"):
        ilk.fingerprint(["a text"], recipe)


@pytest.mark.parametrize("name", ["words-tf", "roth2013", "holub", str(SIMILARITY_INDEX)])
def test_a_recipe_is_named_wherever_one_is_taken(name: str) -> None:
    texts = ["the quick brown fox jumps over the lazy dog", "the quick brown fox sleeps"]
    recipe = ilk.Recipe.parse(name)
    assert ilk.fingerprint(texts, recipe=name).equals(ilk.fingerprint(texts, recipe))
    compared = ilk.compare([texts[0]], [texts[1]], recipe=name)
    assert compared.recipe == str(recipe)
    with pytest.raises(RecipeError, match="'best' is not a recipe"):
        ilk.fingerprint(texts, recipe="best")
