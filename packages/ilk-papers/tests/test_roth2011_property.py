"""Roth 2011: every step equals the slow one, for any text and any fingerprints."""

from __future__ import annotations

import re
import sqlite3
import unicodedata

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.reference import roth2011 as reference
from tests.support import strategies

from ilk_papers.roth2011 import hashing, index, many, methods, scoring, sketches
from ilk_papers.roth2011.methods import METHODS, Combination, Parameters
from ilk_papers.roth2011.soundex import soundex_or_word_itself
from ilk_papers.roth2011.tokens import STREAMS, VARIATIONS, grams, tokenise, words
from ilk_papers.stopwords import STOP_WORDS

codes = st.one_of(
    st.integers(-(1 << 31), (1 << 31) - 1), st.integers(-60, 60).map(lambda value: 25 * value)
)
sequences = st.lists(codes, max_size=80)
texts = st.one_of(strategies.texts, strategies.prose, st.text(max_size=40))


def column(values: list[int]) -> NDArray[np.int32]:
    return np.array(values, np.int32)


@given(st.text())
def test_one_gram_is_hashed_as_java_does(gram: str) -> None:
    assert hashing.unbounded_hash(gram) == reference.unbounded_hash(gram)
    assert hashing.hash_code(gram) == reference.hash_code(gram)


@given(texts, st.sampled_from(sorted(STREAMS)), st.integers(1, 6))
def test_all_grams_are_hashed_at_once(text: str, stream: str, k: int) -> None:
    found = tokenise(text, stream, "A")
    expected = grams(text, k, stream)
    assert found.fingerprints(k).tolist() == [reference.hash_code(gram) for gram in expected]
    exact = found.exact_values(k).tolist()
    assert exact == [reference.unbounded_hash(gram) for gram in expected]
    assert all(type(value) is int for value in exact)
    assert len(expected) == max(0, len(found) - k + 1)


@given(texts, st.sampled_from(VARIATIONS))
def test_streams_and_variations_are_what_they_are_called(text: str, variation: str) -> None:
    kept = re.findall(r"[^\W\d_]+", text.lower())
    if variation in "BD":
        kept = [word for word in kept if word not in STOP_WORDS]
    letters = "".join(kept)
    if variation in "CD":
        letters = re.sub("[aeiou]", "", letters)
        kept = list(dict.fromkeys(kept))
    expected = {
        "characters": list(letters),
        "words": kept,
        "soundex": [soundex_or_word_itself(w) for w in kept],
    }
    for stream, of in expected.items():
        found = tokenise(text, stream, variation)
        if stream == "characters":
            assert found.units.tolist() == hashing.utf16_code_units(letters).tolist()
        else:
            assert found.fingerprints(1).tolist() == [reference.hash_code(token) for token in of]


@given(texts)
def test_soundex_is_a_letter_and_three_digits(text: str) -> None:
    for word in words(text):
        code, whole = soundex_or_word_itself(word), soundex_or_word_itself(word, None)
        if code == word:
            assert not re.search("[a-z]", unicodedata.normalize("NFKD", word))
        else:
            assert re.fullmatch(r"[A-Z](?=.{3}$)[1-6]*0*", code)
            assert re.fullmatch(r"[A-Z][1-6]*0*", whole)
            assert whole[:4] == code


@given(sequences)
def test_rabin_is_a_remainder(values: list[int]) -> None:
    assert hashing.rabin(column(values)) == reference.rabin(values)


@given(sequences, st.integers(1, 100))
def test_winnowing_is_sliding_a_window(values: list[int], window: int) -> None:
    assert sketches.winnow(column(values), window).tolist() == reference.winnowed(values, window)


@given(sequences, st.integers(0, 100))
def test_the_other_sketches_are_what_they_are_called(values: list[int], most: int) -> None:
    found = column(values)
    assert sketches.zero_mod(found).tolist() == [value for value in values if value % 25 == 0]
    assert sketches.lowest(found, most).tolist() == sorted(values)[:most]
    assert sketches.highest(found, most).tolist() == sorted(values)[::-1][:most][::-1]
    frequent = sketches.most_frequent(found, most).tolist()
    assert frequent == reference.most_frequent(values, most)


@given(sequences, st.integers())
def test_a_random_third_is_a_third_in_order_and_the_same_for_a_copy(
    values: list[int], seed: int
) -> None:
    places = column(list(range(len(values))))
    drawn = sketches.random_third(places, abs(seed)).tolist()
    assert len(drawn) == len(values) // 3
    assert drawn == sorted(set(drawn))
    again = sketches.random_third(column(values), abs(seed)).tolist()
    assert again == [values[at] for at in drawn]


@given(sequences, st.integers(2, 50))
def test_a_super_shingle_is_hashing_until_one_remains(values: list[int], k: int) -> None:
    assert sketches.super_shingle(column(values), k) == reference.super_shingle(values, k)
    assert sketches.super_shingle(column(values), 1) == reference.super_shingle(values, 2)


@given(sequences, st.integers(1, 100))
def test_sketches_take_exact_values(values: list[int], most: int) -> None:
    huge = [value << 70 for value in values]
    found = np.array(huge, object)
    assert sketches.winnow(found, most).tolist() == reference.winnowed(huge, most)
    assert sketches.lowest(found, most).tolist() == sorted(huge)[:most]
    assert sketches.highest(found, most).tolist() == sorted(huge)[-most:]
    assert sketches.most_frequent(found, most).tolist() == reference.most_frequent(huge, most)
    assert sketches.zero_mod(found).tolist() == [value for value in huge if value % 25 == 0]
    assert methods.sum_of_fingerprints(found) == sum(huge)


@given(strategies.prose)
def test_exact_numbers_are_sums(text: str) -> None:
    p = Parameters(exact=True, digits=None)
    found = dict(methods.compute_numbers(text, p))
    assert len(found) == 320
    for combination in (
        Combination(method=1, stream=stream, variation="A", k=8, window=12) for stream in STREAMS
    ):
        digits = None if combination.stream == "soundex" else 3
        of = tokenise(text, combination.stream, "A", digits)
        assert found[combination] == sum(of.exact_values(8).tolist())
        assert methods.compute_number(text, combination, p) == found[combination]


@given(strategies.prose)
def test_every_combination_is_reached_in_two_ways(text: str) -> None:
    p = Parameters(lowest=4, highest=3, frequent=2)
    found = dict(methods.compute_numbers(text, p))
    assert len(found) == 656
    assert {str(each): each for each in found} == {str(c): Combination.parse(str(c)) for c in found}
    for combination in list(found)[::37]:
        assert methods.compute_number(text, combination, p) == found[combination]
        assert -(1 << 63) <= found[combination] < 1 << 63


@given(strategies.prose, st.sampled_from(["words", "soundex"]), st.integers(1, 5))
def test_a_number_is_its_method_applied_to_the_grams(text: str, stream: str, k: int) -> None:
    p = Parameters(lowest=4, highest=3, frequent=2)
    every = [reference.hash_code(gram) for gram in grams(text, k, stream)]
    single = [reference.hash_code(token) for token in grams(text, 1, stream)]
    thirds = sketches.random_third(column(every), p.seed).tolist()
    lists = [
        every,
        [value for value in every if value % 25 == 0],
        reference.winnowed(every, 6),
        sorted(every)[:4],
        sorted(every)[-3:],
        thirds,
    ]
    expected = [number for of in lists for number in (sum(of), reference.rabin(of))]
    expected.append(sum(reference.most_frequent(single, 2)))
    expected.append(reference.super_shingle(every, max(k, 2)))
    combinations = [
        Combination(method=method, stream=stream, variation="A", k=k, window=6)
        for method in METHODS
    ]
    assert [methods.compute_number(text, each, p) for each in combinations] == expected


numbers = st.one_of(
    st.integers(-(1 << 62), 1 << 62), st.integers(-50, 50), st.integers(-9, 9).map(lambda n: 10 * n)
)


@given(numbers, numbers)
def test_similar_is_within_thirty_per_cent_without_rounding(number: int, other: int) -> None:
    assert scoring.is_similar(number, other) == reference.similar(number, other)
    low, high = index.exclusive_int64_bounds_of_similar(number)
    assert (low < other < high) == reference.similar(number, other)


@pytest.mark.parametrize("number", [-(1 << 63), (1 << 63) - 1, 0])
def test_bounds_are_numbers_of_64_bits(number: int) -> None:
    low, high = index.exclusive_int64_bounds_of_similar(number)
    assert -(1 << 63) <= low <= number <= high < 1 << 63


@given(st.lists(strategies.prose, min_size=1, max_size=8))
def test_the_query_finds_what_is_similar(column_of_texts: list[str]) -> None:
    sources = [f"{at}.txt" for at in range(len(column_of_texts))]
    batch = pa.record_batch({"source": sources, "text": column_of_texts})
    found = index.make_table_of_similarity_indices([batch], Combination.parse("41A 2 5"))
    assert found.schema.field("si2011").type == pa.int64()
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE documents (source TEXT, si2011 BIGINT, lower, upper)")
        rows = [tuple(row.values()) for row in found.to_pylist()]
        database.executemany("INSERT INTO documents VALUES (?, ?, ?, ?)", rows)
        answer = database.execute(index.QUERY.format(table="documents")).fetchall()
    values = found["si2011"].to_pylist()
    pairs = [
        (sources[a], sources[b])
        for a in range(len(sources))
        for b in range(len(sources))
        if a != b and reference.similar(values[a], values[b])
    ]
    assert answer == sorted(pairs)


@given(st.lists(strategies.prose, min_size=2, max_size=10))
def test_many_files_are_counted_pair_by_pair(documents: list[str]) -> None:
    combination = Combination.parse("41A 2 5")
    values = [methods.compute_number(text, combination, Parameters()) for text in documents]
    answers = many.measure_precision_and_recall(documents, combination, Parameters())
    ordered = [(a, b) for a in range(len(values)) for b in range(len(values)) if a != b]
    said = [(a, b) for a, b in ordered if reference.similar(values[a], values[b])]
    assert (answers.files, answers.files_with_number_0) == (len(values), values.count(0))
    assert answers.pairs_said_similar == len(said)
    assert answers.true_pairs_said_similar <= min(answers.pairs_said_similar, answers.true_pairs)
    assert answers.share_said_similar == len(said) / len(ordered)
