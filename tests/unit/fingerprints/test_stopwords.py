"""Stop words are named lists, and what they leave out is left out before shingles are made."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

import ilk
from ilk.base.errors import MissingExtra, OptionError, RecipeMismatch
from ilk.fingerprints.recipe import SIMILARITY_INDEX
from ilk.fingerprints.recipe_options import (
    stop_list_name_with_digest,
    stop_words_of_language,
    stop_words_of_list,
)


def test_a_list_is_named_by_its_digest_and_frozen() -> None:
    assert stop_list_name_with_digest("en") == "en-883fc88a"
    assert {"the", "of", "don't"} <= set(stop_words_of_list("en-883fc88a"))
    assert "und" in stop_words_of_language("de")


def test_another_list_is_refused() -> None:
    with pytest.raises(RecipeMismatch, match="names the stop list en-00000000, .* en-883fc88a"):
        stop_words_of_list("en-00000000")
    with pytest.raises(OptionError, match="stop is 'xx'; it must be one of none, af"):
        stop_words_of_language("xx")


def test_without_the_lists_a_recipe_can_be_read_but_not_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "stopwordsiso", None)
    recipe = ilk.Recipe.parse("manku2007")
    with pytest.raises(MissingExtra, match=r"needs stopwordsiso.*ilk\[stopwords\]"):
        ilk.fingerprint(["a text"], recipe)
    with pytest.raises(MissingExtra):
        ilk.Recipe(stop="en")


def test_stop_words_go_before_shingles_are_made() -> None:
    stopped = ilk.Recipe(stop="en")
    texts = ["The fox and the dogs of the farm sleep in barns", "FOX dogs farm sleep barns"]
    one, other = ilk.fingerprint(texts, stopped)
    assert one.is_valid
    assert one == other
    # They are cut and normalised as texts are: "don't" is two words, and stops neither.
    words = replace(SIMILARITY_INDEX, stop="en", minimum=1)
    assert ilk.fingerprint(["ＴＨＥ the"], words).to_pylist() == [None]
    assert ilk.fingerprint(["ＴＨＥ the"], replace(words, normalisation="none"))[0].is_valid
