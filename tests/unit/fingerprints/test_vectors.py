"""Golden vectors: published numbers, and ilk's own, frozen. Each with its source."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

import ilk
from ilk import arrow
from ilk.base.kinds import Choice
from ilk.fingerprints.recipe_options import OPTIONS, PRESETS
from ilk.search.query import radius_of_bit_agreement
from tests.support.fixtures import ROOT

VECTORS = ROOT / "tests" / "vectors"


def test_roth_2013_section_2_2_2() -> None:
    """Roth 2013, section 2.2.2: two 64-bit fingerprints 6 bits apart, and the rule of 90 %."""
    assert ilk.hamming.distance(0xA3DBF34F76EA0510, 0xA39BF85F76EA1510) == 6
    assert radius_of_bit_agreement("90%") == 6


def _frozen() -> list[dict[str, str]]:
    files = [VECTORS / f"{name}-v1.json" for name in ("fingerprints", "options")]
    return [vector for file in files for vector in json.loads(file.read_text())["vectors"]]


@pytest.mark.parametrize("vector", _frozen())
def test_frozen_fingerprints(vector: dict[str, str]) -> None:
    """Made by this project's oracle (tests/reference); they pin hash, words and Unicode tables."""
    secret = bytes.fromhex(vector["key"]) if "key" in vector else None
    recipe = ilk.Recipe.parse(vector["recipe"], secret=secret)
    table = pa.table({"fingerprint": ilk.fingerprint([vector["text"]], recipe)})
    found = arrow.with_formatted_fingerprints(table, "hex", recipe.bits)["fingerprint"][0].as_py()
    assert found == vector["fingerprint"]


def test_every_option_is_frozen() -> None:
    """By a vector whose recipe says something else than usual; each preset by one of its own."""
    recipes = [ilk.Recipe.parse(vector["recipe"]) for vector in _frozen()]
    assert {preset.recipe for preset in PRESETS.values()} <= set(map(str, recipes))
    for name, option in OPTIONS.items():
        seen = {getattr(recipe, name) for recipe in recipes}
        if isinstance(option.kind, Choice):
            assert seen == set(option.kind.allowed), name
        elif name != "table":
            assert len(seen) > 1, name
