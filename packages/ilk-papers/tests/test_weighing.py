"""Tables of weights: what they hold, where they come from, and that they fit their recipe."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.reference import hashing

import ilk
from ilk import arrow
from ilk.base.errors import (
    ColumnTypeError,
    OptionError,
    RecipeError,
    RecipeMismatch,
    SourceNotFound,
)
from ilk.fingerprints.recipe import SIMILARITY_INDEX, Recipe
from ilk.fingerprints.weights import Weights
from ilk_papers.weighing import document_weights, document_weights_of_batches, own_weights

TEXTS = ["a a b c", "A b d", "b e", "", "!", None]


def _id(word: str) -> int:
    return hashing.feature_id((word,), "words")


def _weights(table: Weights) -> dict[int, int]:
    return dict(zip(table.ids.to_pylist(), table.values.to_pylist(), strict=True))


def _idf(documents: int, df: int) -> int:
    return round(8 * (1 + math.log((documents + 1) / (df + 1))))


def test_a_corpus_gives_its_inverse_document_frequencies() -> None:
    table = document_weights(TEXTS, SIMILARITY_INDEX, least=1)
    frequencies = {"a": 2, "b": 3, "c": 1, "d": 1, "e": 1}
    assert _weights(table) == {_id(word): _idf(3, df) for word, df in frequencies.items()}
    assert table.default == _idf(3, 0) == 19
    assert table.basis == "words=1/fold/ilk64/v1"
    rare = document_weights(TEXTS, SIMILARITY_INDEX)
    assert set(_weights(rare)) == {_id("a"), _id("b")}
    assert rare.default == table.default
    assert rare.digest != table.digest


def test_batches_and_threads_change_nothing_of_a_table() -> None:
    draw = random.Random(1)
    texts = [" ".join(f"w{int(draw.paretovariate(0.5))}" for _ in range(9)) for _ in range(700)]
    whole = document_weights(texts, SIMILARITY_INDEX, least=1)
    counts = Counter(word for text in texts for word in set(text.split()))
    assert _weights(whole) == {_id(word): _idf(700, df) for word, df in counts.items()}
    for size in (1, 64, 699):
        pieces = (arrow.import_texts(texts[i : i + size]) for i in range(0, len(texts), size))
        found = document_weights_of_batches(pieces, SIMILARITY_INDEX, least=1, jobs=2)
        assert found.digest == whole.digest


def test_words_that_all_documents_have_count_less() -> None:
    common = " ".join(f"menu{i}" for i in range(40))
    texts = [common + "".join(f" own{i}x{j}" for j in range(30)) for i in range(50)]
    weighted = replace(SIMILARITY_INDEX, weights=document_weights(texts, SIMILARITY_INDEX))
    pair = texts[:2]
    plain = ilk.hamming.distance(*ilk.fingerprint(pair, SIMILARITY_INDEX).to_pylist())
    assert ilk.hamming.distance(*ilk.fingerprint(pair, weighted).to_pylist()) > plain
    assert f"weight=log/table={weighted.table}/fold" in str(weighted)


def test_weights_of_ones_own() -> None:
    table = own_weights({"The": 0, "ilk": 2.5, "of": 8191.875}, SIMILARITY_INDEX, default=1.5)
    assert _weights(table) == {_id("the"): 0, _id("ilk"): 20, _id("of"): 65535}
    assert table.default == 12
    pairs = replace(SIMILARITY_INDEX, width=2)
    assert _weights(own_weights({"the ilk": 3}, pairs)) == {
        hashing.feature_id(("the", "ilk"), "words"): 24
    }
    assert len(own_weights({}, SIMILARITY_INDEX).ids) == 0


@pytest.mark.parametrize(
    ("given", "default", "reason"),
    [
        ({"two words": 1.0}, 1.0, "'two words' is 2 features of words=1/fold"),
        ({"!": 1.0}, 1.0, "'!' is 0 features"),
        ({"Ilk": 1.0, "ilk": 2.0}, 1.0, "the same once normalised"),
        ({"ilk": -0.5}, 1.0, "a weight is -0.5; it must be from 0 to 8191.875"),
        ({"ilk": 9000.0}, 1.0, "a weight is 9000.0"),
        ({"ilk": 1.0}, math.nan, "a weight is nan"),
        ({"of": 1.0, "ilk": math.nan}, 1.0, "a weight is nan"),
        ({"ilk": 1.0}, -1.0, "a weight is -1.0"),
    ],
)
def test_weights_that_cannot_be_are_refused(
    given: dict[str, float], default: float, reason: str
) -> None:
    with pytest.raises(OptionError, match=reason):
        own_weights(given, SIMILARITY_INDEX, default=default)


def test_what_cannot_be_weighed_is_refused() -> None:
    with pytest.raises(OptionError, match="MinHash, which compares sets and ignores weights"):
        document_weights(TEXTS, Recipe())
    for least in (0, 1.5, True):
        with pytest.raises(OptionError, match="1 or more"):
            document_weights(TEXTS, SIMILARITY_INDEX, least=least)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="no document has any features"):
        document_weights(["!", None], SIMILARITY_INDEX)


def test_a_recipe_follows_its_own_table_and_no_other() -> None:
    table = document_weights(TEXTS, SIMILARITY_INDEX)
    weighted = replace(SIMILARITY_INDEX, weights=table)
    assert weighted.table == table.digest
    assert Recipe.parse(str(weighted)) == weighted
    with pytest.raises(
        RecipeError,
        match=r"names the table .* was not given. Give it "
        r"\(`weights`\)",
    ):
        ilk.fingerprint(["one two three"], Recipe.parse(str(weighted)))
    other = document_weights(TEXTS, SIMILARITY_INDEX, least=1)
    with pytest.raises(RecipeMismatch, match=f"names the table {table.digest}, but the one given"):
        Recipe.parse(str(weighted), weights=other)
    for change in ({"width": 2}, {"normalisation": "none"}, {"hash": "xxh3"}, {"stop": "en"}):
        with pytest.raises(RecipeMismatch, match="was made for 'words=1/fold/ilk64/v1'"):
            replace(weighted, **change)
    # What does not say what features are does not matter.
    assert replace(weighted, bits=128, weight="tf", hash="md5").table == table.digest


def test_a_preset_that_is_weighted_takes_a_table_made_for_it() -> None:
    with pytest.raises(RecipeError, match="ilk weights build --recipe words-tf -o FILE"):
        Recipe.parse("words-tfidf")
    texts = ["the quick fox", "a lazy dog"]
    table = document_weights(texts, Recipe.parse("words-tf"), least=1)
    assert set(_weights(table)) == {_id(word) for word in ("quick", "fox", "lazy", "dog")}
    recipe = Recipe.parse("words-tfidf", weights=table)
    assert recipe == replace(Recipe.parse("words-tf"), weights=table)
    assert ilk.fingerprint(["some dogs"], recipe)[0].is_valid


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    table = document_weights(TEXTS, SIMILARITY_INDEX, least=1)
    place = tmp_path / "corpus.weights"
    table.write(place)
    again = Weights.read(place)
    assert (again.basis, again.default, again.digest) == (table.basis, table.default, table.digest)
    assert _weights(again) == _weights(table)
    stored = pyarrow.parquet.read_table(place)
    changed = stored.set_column(1, "weight", pa.array([1] * len(stored), pa.uint16()))
    pyarrow.parquet.write_table(changed, place)
    with pytest.raises(ColumnTypeError, match=f"should be {table.digest}. Build the table again"):
        Weights.read(place)


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "other"
    place.write_text("a 1\n")
    with pytest.raises(ColumnTypeError, match="other is not a table of weights"):
        Weights.read(place)
    pyarrow.parquet.write_table(pa.table({"id": [1], "weight": [1]}), place)
    with pytest.raises(ColumnTypeError, match="other is not a table of weights"):
        Weights.read(place)
    metadata = {f"ilk.weights.{name}": "x" for name in ("basis", "default", "digest")}
    table = pa.table({"id": ["x"], "weight": [1]}).replace_schema_metadata(metadata)
    pyarrow.parquet.write_table(table, place)
    with pytest.raises(ColumnTypeError, match="other is not a table of weights"):
        Weights.read(place)


def test_a_table_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound, match="there is no table of weights '.*nope'; make one"):
        Weights.read(tmp_path / "nope")
