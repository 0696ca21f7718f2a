"""Golden vectors: published numbers, and ilk's own, frozen. Each with its source."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import ilk
from ilk import columns
from ilk.fingerprints.simhash import fingerprint_features

VECTORS = Path(__file__).parent.parent / "vectors"


def test_roth_2013_table_1() -> None:
    """Roth 2013, Table 1: "Hello world", 16 bits, 3-grams hashed by the sum of their ASCII codes.

    The table leaves out 327, the hash of "llo".
    """
    text = "Hello world"
    hashes = [sum(text[i : i + 3].encode()) for i in range(len(text) - 2)]
    table = [281, 317, 251, 262, 262, 344, 333, 322]
    assert sorted(hashes) == sorted([*table, 327])
    assert fingerprint_features(table, bits=16, ties="zero") == 0b0000000100001000 == 264
    assert fingerprint_features(hashes, bits=16, ties="zero") == 335


def test_roth_2013_section_2_2_2() -> None:
    """Roth 2013, section 2.2.2: two 64-bit fingerprints 6 bits apart, and the rule of 90 %."""
    from ilk.planning import radius_for

    assert ilk.distance(0xA3DBF34F76EA0510, 0xA39BF85F76EA1510) == 6
    assert radius_for("90%") == 6


@pytest.mark.parametrize(
    "vector", json.loads((VECTORS / "fingerprints-v1.json").read_text())["vectors"]
)
def test_frozen_fingerprints(vector: dict[str, str]) -> None:
    """Made by this project's oracle (tests/reference); they pin hash, words and Unicode tables."""
    recipe = ilk.Recipe.parse(vector["recipe"])
    table = pa.table({"fingerprint": ilk.fingerprint([vector["text"]], recipe)})
    found = columns.formatted(table, "hex", recipe.bits)["fingerprint"][0].as_py()
    assert found == vector["fingerprint"]
