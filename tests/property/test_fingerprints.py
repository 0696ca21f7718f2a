"""The kernels equal the definitions, for any text."""

from __future__ import annotations

import dataclasses

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ilk
from ilk import _kernels, arrow
from ilk.fingerprints import digest
from ilk.fingerprints.recipe_options import stop_words_of_list
from ilk.fingerprints.texts import feature_sets_empty_for_null, make_fingerprint_way
from ilk_papers.weighing import make_weights
from tests.reference import hashing
from tests.reference import text as reference
from tests.support import strategies
from tests.support.word_counts import count_words

texts = st.one_of(strategies.texts, strategies.prose)


def _numbers(found: pa.Array) -> list[int | None]:
    """Fingerprints of any width as numbers."""
    return [
        int.from_bytes(value, "big") if isinstance(value, bytes) else value
        for value in found.to_pylist()
    ]


@given(text=texts, recipe=strategies.recipes)
def test_fingerprints_equal_the_oracle(text: str, recipe: ilk.Recipe) -> None:
    assert _numbers(ilk.fingerprint(pa.array([text]), recipe)) == [_expected(text, recipe)]


def _expected(text: str, recipe: ilk.Recipe, table: dict[int, int] | None = None) -> int | None:
    plain = ("kind", "bits", "unit", "width", "weight", "normalisation", "minimum", "ties")
    masks = ("accents", "digits", "punctuation", "spaces")
    return hashing.fingerprint(
        text,
        **{name: getattr(recipe, name) for name in plain},
        masks=[name for name in masks if getattr(recipe, name) != "kept"],
        stop=[] if recipe.stop == "none" else stop_words_of_list(recipe.stop),
        hash_name=recipe.hash,
        key=recipe.secret,
        table=table,
    )


@given(text=texts, recipe=strategies.recipes, data=st.data())
def test_weights_from_a_table_equal_the_oracle(
    text: str, recipe: ilk.Recipe, data: st.DataObject
) -> None:
    assume(recipe.hash != "rabin64")  # Its recipe is whole: it has no weights from a table.
    if recipe.kind == "minhash":
        recipe = dataclasses.replace(recipe, kind="simhash")
    ids = feature_sets_empty_for_null(
        arrow.import_texts([text]), make_fingerprint_way(recipe), jobs=1
    )[0].values
    some = st.lists(st.sampled_from(range(len(ids))), unique=True) if len(ids) else st.just([])
    rows = data.draw(some)
    given = data.draw(st.lists(st.integers(0, 2**16 - 1), min_size=len(rows), max_size=len(rows)))
    default = data.draw(st.integers(0, 20))
    eighths = pa.array([value / 8 for value in given], pa.float64())
    weights = make_weights(recipe.basis, ids.take(pa.array(rows, "int64")), eighths, default / 8)
    table = dict.fromkeys(ids.to_pylist(), default)
    table |= {ids[row].as_py(): value for row, value in zip(rows, given, strict=True)}
    weighted = dataclasses.replace(recipe, weights=weights)
    assert _numbers(ilk.fingerprint([text], weighted)) == [_expected(text, weighted, table)]


@given(text=texts, unit=st.sampled_from(["words", "chars"]), width=st.integers(1, 5))
def test_feature_sets_equal_the_oracle(text: str, unit: str, width: int) -> None:
    way = make_fingerprint_way(ilk.Recipe(unit=unit, width=width))
    found = feature_sets_empty_for_null(arrow.import_texts([text]), way, jobs=1)
    assert found.to_pylist() == [sorted(set(hashing.feature_ids(text, unit, width)))]


@given(text=texts)
def test_words_equal_the_oracle_and_stand_where_they_are_said_to(text: str) -> None:
    expected = reference.words(reference.normalised(text))
    assert count_words(arrow.import_texts([text])).to_pylist() == [len(expected)]
    hashes, starts, ends = (c.to_pylist() for c in _kernels.hash_and_locate_words(text, "fold"))
    assert hashes == [hashing.token(word) for word in expected]
    for word, start, end in zip(expected, starts, ends, strict=True):
        assert 0 <= start < end <= len(text)
        assert word in reference.normalised(text[start:end]) or any(
            ord(c) >= 0x300 for c in text[max(0, start - 2) : end + 2]
        )


@given(a=texts, b=texts)
def test_digests_are_equal_when_the_collapsed_texts_are(a: str, b: str) -> None:
    forms = [reference.collapsed(reference.normalised(text)) for text in (a, b)]
    first, second = digest.text_digests_null_if_blank(arrow.import_texts([a, b])).to_pylist()
    assert (first is None, second is None) == (not forms[0], not forms[1])
    if all(forms):
        assert (first == second) == (forms[0] == forms[1])


@given(
    st.lists(st.one_of(st.none(), texts), max_size=30),
    strategies.recipes,
    st.integers(1, 4),
    st.data(),
)
def test_batches_and_threads_change_nothing(
    rows: list[str | None], recipe: ilk.Recipe, jobs: int, data: st.DataObject
) -> None:
    whole = ilk.fingerprint(rows, recipe)
    assert whole.type == arrow.fingerprint_type(recipe.bits)
    cut = data.draw(st.integers(0, len(rows)))
    pieces = pa.chunked_array([rows[:cut], rows[cut:]], pa.string())
    assert ilk.fingerprint(pieces, recipe, jobs=jobs).equals(whole)
    order = data.draw(st.permutations(range(len(rows))))
    turned = ilk.fingerprint([rows[i] for i in order], recipe)
    assert turned.to_pylist() == [whole[i].as_py() for i in order]


@pytest.mark.parametrize("kind", ["simhash", "minhash"])
@pytest.mark.parametrize("unit", ["words", "chars"])
def test_large_texts_equal_the_oracle(unit: str, kind: str) -> None:
    text = " ".join(f"w{i % 997} Ünïcode{i % 13} 漢字{i % 7}" for i in range(4000)) + "x" * 5000
    recipe = ilk.Recipe(kind=kind, bits=128, unit=unit, width=3, weight="binary")
    assert _numbers(ilk.fingerprint(pa.array([text]), recipe)) == [_expected(text, recipe)]
