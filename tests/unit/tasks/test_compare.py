"""``ilk.compare``: every field, for every kind of pair."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import random
import zipfile
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import NothingRead, OptionError, SourceNotFound
from ilk.fingerprints.recipe import SIMILARITY_INDEX
from ilk.search import measures, pair_passages
from ilk.search.passage_parts import CollectedWords
from tests.reference import hashing
from tests.reference import text as reference
from tests.support import strategies
from tests.support.fixtures import examples

LONG = " ".join(f"word{number}" for number in range(200))
PART = " ".join(f"word{number}" for number in range(50, 120))
texts = st.one_of(strategies.texts, strategies.prose, strategies.relative((48, 50, 60)))


def _cosine(a: str, b: str) -> float | None:
    """Of 1 + ln(tf) in eighths per word, as the Similarity Index weighs."""
    vectors: list[dict[int, int]] = []
    for text in (a, b):
        ids = hashing.feature_ids(text, "words", 1)
        vectors.append({i: hashing.weigh("log", ids.count(i)) for i in ids})
    left, right = vectors
    if not left or not right:
        return None
    product = sum(weight * right.get(feature, 0) for feature, weight in left.items())
    norms = (math.sqrt(sum(w * w for w in vector.values())) for vector in vectors)
    return product / math.prod(norms)


@examples(80)
@given(texts, texts, st.sampled_from([0.3, 0.8, 1]), st.sampled_from([0.5, 0.95]))
def test_every_field_equals_its_definition(
    a: str, b: str, resemblance: float, containment: float
) -> None:
    # A list of nothing but names of files, such as ".", is refused.
    assume(not any(map(os.path.exists, (a, b))))
    found = ilk.compare(
        [a], [b], SIMILARITY_INDEX, resemblance=resemblance, containment=containment
    )
    shared, left, right = counts = reference.resemblance(a, b)
    union = left + right - shared
    measured = (found.resemblance, found.containment_left, found.containment_right)
    inside = found.verdict in ("contained", "contains")
    assert measured == reference.measures(reference.of_words(a, b) if inside else counts)
    assert measured[0] <= min(measured[1:])
    characters = reference.by_characters(a, b) and not inside
    assert found.shingles == ("3 characters" if characters else "3 words")
    forms = [reference.digested(text) for text in (a, b)]
    plain = [reference.collapsed(reference.normalised(text)) for text in (a, b)]
    masked = [reference.without_numbers(text) for text in plain]
    assert found.equal_bytes_digest == (a == b)
    assert found.equal_digest == (forms[0] == forms[1] != b"")
    assert found.cosine == pytest.approx(_cosine(a, b))

    def reaches(least: float, of: int) -> bool:
        return of > 0 and Fraction(shared, of) >= Fraction(str(least))

    # Of two texts that are each in the other, the one with fewer shingles is contained.
    stands = [reference.stands(*pair, Fraction(str(containment))) for pair in ((a, b), (b, a))]
    _, words_of_a, words_of_b = reference.of_words(a, b)
    rules = {
        "identical": a == b,
        "exact": found.equal_digest,
        "numbers_only": masked[0] == masked[1] != ""
        and any(c.isdecimal() for c in plain[0])
        and (reference.has_word(masked[0]) or reaches(resemblance, union)),
        "near": reaches(resemblance, union),
        "contained": stands[0] and not (stands[1] and words_of_a > words_of_b),
        "contains": stands[1],
        "different": True,
    }
    assert found.verdict == next(verdict for verdict, holds in rules.items() if holds)

    prints = ilk.fingerprint([a, b], SIMILARITY_INDEX).to_pylist()
    if None in prints:
        assert found.distance == (0 if found.equal_digest else None)
    else:
        assert found.distance == (prints[0] ^ prints[1]).bit_count()
    assert (found.resemblance_estimate, found.resemblance_interval) == (None, None)
    if found.distance is None:
        assert found.bit_agreement is found.cosine_estimate is None
        assert found.cosine_interval is None
    else:
        assert found.bit_agreement == 1 - found.distance / 64
        assert found.cosine_estimate == measures.estimate_cosine(found.distance)
        assert found.cosine_interval == measures.cosine_interval(found.distance)
    assert found.recipe == str(SIMILARITY_INDEX)


@pytest.mark.parametrize(
    ("a", "b", "verdict", "meaning"),
    [
        (LONG, LONG, "identical", "byte for byte"),
        (LONG, LONG.upper() + "\n", "exact", "only case"),
        (LONG, LONG + " more", "near", "near-duplicates: 99.5%"),
        (PART, LONG, "contained", "100.0%"),
        (LONG, PART, "contains", "100.0%"),
        (LONG, "quite other words " * 20, "different", "different: 0.0%"),
    ],
)
def test_every_verdict_has_its_meaning(a: str, b: str, verdict: str, meaning: str) -> None:
    found = ilk.compare([a], [b])
    assert found.verdict == verdict
    assert meaning in found.meaning


def test_blank_texts_share_nothing_and_have_no_fingerprint() -> None:
    for a, b in (("", " \n"), ("", "words"), (" ", LONG)):
        found = ilk.compare([a], [b])
        assert found.verdict == "different"
        assert found.resemblance == found.containment_left == found.containment_right == 0.0
        assert not found.equal_digest
        assert not found.equal_bytes_digest
        assert found.distance is found.bit_agreement is found.cosine is None
        assert found.passages == []


def test_a_null_text_is_like_nothing() -> None:
    nothing: Any = [None]
    for other in (nothing, [""], [LONG]):
        found = ilk.compare(nothing, other)
        assert (found.verdict, found.equal_digest, found.equal_bytes_digest) == (
            "different",
            False,
            False,
        )


def test_the_passages_are_of_both_texts() -> None:
    found = ilk.compare([PART], [LONG])
    (passage,) = found.passages
    assert (passage.words, passage.text) == (70, PART)
    assert LONG[passage.right_start : passage.right_end] == PART
    assert ilk.compare([PART], [LONG], min_words=71).passages == []


def test_the_options_are_heard() -> None:
    recipe = ilk.Recipe(unit="chars", width=4)
    a, b = LONG, LONG.replace("word7", "other")
    found = ilk.compare([a], [b], recipe, shingle=1)
    assert found.recipe == str(recipe)
    assert found.shingles == "1 word"
    shared, left, right = reference.resemblance(a, b, 1)
    assert found.resemblance == shared / (left + right - shared)
    prints = ilk.fingerprint([a, b], recipe).to_pylist()
    assert found.distance == (prints[0] ^ prints[1]).bit_count()


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_the_distance_of_simhash_tells_of_the_cosine(bits: int) -> None:
    a, b = LONG, LONG.replace("word7", "other")
    recipe = ilk.Recipe(kind="simhash", bits=bits)
    found = ilk.compare([a], [b], recipe)
    distance = ilk.hamming.distance(*ilk.fingerprint([a, b], recipe).to_pylist())
    assert found.distance == distance > 0
    assert found.bit_agreement == 1 - distance / bits
    assert found.cosine_estimate == measures.estimate_cosine(distance, bits)
    assert found.cosine_interval == measures.cosine_interval(distance, bits)
    assert (found.resemblance_estimate, found.resemblance_interval) == (None, None)


def test_the_distance_of_minhash_tells_of_the_resemblance() -> None:
    a, b = LONG, LONG.replace("word7", "other")
    recipe = ilk.Recipe(kind="minhash", width=3, weight="binary")
    found = ilk.compare([a], [b], recipe)
    prints = ilk.fingerprint([a, b], recipe).to_pylist()
    distance = (prints[0] ^ prints[1]).bit_count()
    assert found.distance == distance > 0
    assert found.bit_agreement == 1 - distance / 64
    assert found.resemblance_estimate == measures.estimate_resemblance(distance, 64)
    low, high = measures.resemblance_interval(distance, 64)
    assert found.resemblance_interval == (low, high)
    assert low < found.resemblance < high
    assert (found.cosine_estimate, found.cosine_interval) == (None, None)
    # Too short for a fingerprint, but for the digest.
    assert ilk.compare(["a"], ["A"], recipe).resemblance_estimate == 1
    assert ilk.compare(["a"], ["b"], recipe).resemblance_estimate is None


def test_a_comparison_is_plain_values() -> None:
    found = ilk.compare([PART], [LONG])
    plain = json.loads(json.dumps(found.to_dict()))
    fields = [field.name for field in dataclasses.fields(ilk.Comparison)]
    assert [*plain, "texts", "agreement", "agreement_within", "name_changes", "stored"] == fields
    assert plain["passages"][0]["words"] == 70
    assert tuple(plain["resemblance_interval"]) == found.resemblance_interval


def test_files_are_compared_by_their_bytes(tmp_path: Path) -> None:
    for name, data in (("a", b"caf\xe9 au lait"), ("b", "café au lait".encode()), ("c c", b"x")):
        (tmp_path / name).write_bytes(data)
    a, b = tmp_path / "a", tmp_path / "b"
    assert ilk.compare(a, str(b)).verdict == "exact"
    assert ilk.compare(a, os.fspath(a)).verdict == "identical"
    assert ilk.compare(str(tmp_path / "c c"), ["x"]).verdict == "identical"


def test_documents_are_found_by_the_names_that_ilk_prints(tmp_path: Path) -> None:
    names = [os.fsdecode(b"caf\xe9"), r"caf\xe9"]
    (tmp_path / f"{names[0]}.txt").write_text("a file")
    for name in names:
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"text": f"row of {name!a}"}))
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.writestr("a.txt", f"member of {name!a}")
    found = ilk.find([*tmp_path.iterdir()])
    sources = found.documents["source"].to_pylist()
    assert sorted(os.path.relpath(source, tmp_path) for source in sources) == [
        r"caf\x5cxe9.jsonl#0",
        r"caf\x5cxe9.zip!/a.txt",
        r"caf\xe9.jsonl#0",
        r"caf\xe9.txt",
        r"caf\xe9.zip!/a.txt",
    ]
    texts = found.texts(range(len(sources))).to_pylist()
    assert len({*texts}) == len(sources)
    for source, text in zip(sources, texts, strict=True):
        assert ilk.compare(source, ["another text"]).texts[0] == text
    # A path that is not as ilk prints it.
    for name in names:
        row = f"{tmp_path / name}.jsonl#0"
        assert ilk.compare(row, ["another text"]).texts[0] == f"row of {name!a}"
        (tmp_path / f"{name}.jsonl").unlink()


def test_what_is_not_one_document_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 10)
    with pytest.raises(SourceNotFound, match="missing"):
        ilk.compare(tmp_path / "missing", ["a"])
    with pytest.raises(NothingRead, match="not text"):
        ilk.compare(tmp_path / "binary", ["a"])
    with pytest.raises(OptionError, match="2 documents"):
        ilk.compare(["a", "b"], ["c"])
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NothingRead, match="pipe"):
        ilk.compare(tmp_path / "pipe", ["a"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"resemblance": 2}, r"resemblance is 2; .* above 0"),
        ({"containment": 0}, r"containment is 0; .* above 0"),
        ({"shingle": 0}, "from 1 to 64"),
        ({"min_words": -1}, "min_words"),
        ({"min_words": 2.5}, "min_words"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        ilk.compare(["a"], ["b"], **options)


def test_texts_that_differ_in_numbers_alone() -> None:
    found = ilk.compare(["Order 12,345 was paid"], ["order 7 was paid"])
    assert found.verdict == "numbers_only"
    assert found.meaning.startswith("The two differ only in numbers: ")
    assert ilk.compare(["Order 12"], ["Order A"]).verdict == "different"


def test_passages_are_counted_and_those_found_in_parts_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = random.Random(3)
    words = [f"w{draw.randrange(50)}" for _ in range(3_000)]
    blocks = [" ".join(words[at : at + 100]) for at in range(0, len(words), 100)]
    texts = [" ".join(blocks)], [" x ".join(draw.sample(blocks, len(blocks)))]
    found = ilk.compare(*texts)
    assert found.shared == (len(found.passages), sum(each.words for each in found.passages))
    monkeypatch.setattr(pair_passages, "CollectedWords", partial(CollectedWords, parts=3))
    assert ilk.compare(*texts).passages == found.passages
    assert found.to_dict()["shared"]["passages"] == len(found.passages) > 2


def test_a_folder_is_refused_with_what_compares_folders(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two three")
    for pair in ((tmp_path, tmp_path / "a.txt"), (tmp_path / "a.txt", tmp_path)):
        with pytest.raises(OptionError, match="is a folder.*ilk scan PARENT --folder-as-document"):
            ilk.compare(*pair)
