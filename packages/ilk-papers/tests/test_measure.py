"""``calibrate``: its counts equal brute force, and depend on documents and seed alone."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.reference import text as reference

import ilk
import ilk_papers
from ilk import arrow
from ilk.base.errors import ColumnTypeError, LabelsError, NothingRead, OptionError, SourceNotFound
from ilk.base.run_options import Running
from ilk.fingerprints.digest import find_representatives
from ilk.read import PLAINLY, ReadReport
from ilk.read.documents import read_texts_in_memory
from ilk.search.counting import Counting
from ilk.search.ranking import order_documents_best_first
from ilk.search.read_documents import ReadDocuments, read_documents_with_evidence
from ilk_papers.measure import edits, measure, synthetic
from ilk_papers.measure.calibration import Sample

LEAST = Fraction("0.7")

_DRAW = random.Random(3)
_WORDS = [f"{a}{b}{c}" for a in "bdgklm" for b in "aeiou" for c in ("n", "st", "r", "1")]
_BASE = [" ".join(_DRAW.choices(_WORDS, k=size)) for size in (30, 60, 70, 90, 200, 300)]

#: Documents, some of which are near-duplicates of one another, copies and a short one among them.
HERE = Running.of(1)
TEXTS: list[str | None] = [
    *_BASE,
    f"{_BASE[1]} and so on",
    f"{_BASE[2]} but not here",
    " ".join(_BASE[3].split()[:-4]),
    _BASE[4],
    _BASE[4].upper(),
    "天地玄黃，宇宙洪荒。日月盈昃，辰宿列張。",
    "one two",
    "",
    None,
]

#: The first of every text.
ROWS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12]


RECIPES = [
    ilk.Recipe(),
    ilk.Recipe(kind="minhash", bits=128, width=2, weight="binary"),
    ilk.Recipe(kind="simhash", bits=128, width=1, weight="log"),
    ilk.Recipe(kind="simhash", bits=32, unit="chars", width=4, weight="tf"),
]


def calibrated(texts: Sequence[str | None] = TEXTS, **options: Any) -> ilk_papers.Calibration:
    few: dict[str, Any] = {"resemblance": LEAST, "copies": 120, "pairs_sample": 1000}
    return ilk_papers.calibrate(pa.array(texts, pa.string()), **few | options)


def read(recipe: ilk.Recipe) -> ReadDocuments:
    """The documents with their fingerprints."""
    batches = read_texts_in_memory(pa.array(TEXTS, pa.string()), PLAINLY, ReadReport()).to_batches()
    return read_documents_with_evidence(
        batches, arrow.import_texts(TEXTS), recipe=recipe, counting=Counting(3), running=HERE
    )


def alike(left: str | None, right: str | None) -> bool:
    assert left is not None
    assert right is not None
    shared, a, b = reference.resemblance(left, right, 3)
    return Fraction(shared, a + b - shared) >= LEAST


def fingerprints(texts: Sequence[str | None], recipe: ilk.Recipe | None = None) -> list[int | None]:
    found = ilk.fingerprint(pa.array(texts, pa.string()), recipe).to_pylist()
    return [int.from_bytes(value) if isinstance(value, bytes) else value for value in found]


def distance(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else (left ^ right).bit_count()


def near_duplicates() -> list[tuple[int, int]]:
    return [(i, j) for i, j in itertools.combinations(ROWS, 2) if alike(TEXTS[i], TEXTS[j])]


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_pairs_drawn_at_random_are_counted_as_they_are(recipe: ilk.Recipe) -> None:
    """There are fewer than are asked for, so all of them are drawn."""
    prints = fingerprints(TEXTS, recipe)
    near = near_duplicates()
    apart = [pair for pair in itertools.combinations(ROWS, 2) if pair not in near]
    expected = Sample.from_distances(
        (distance(prints[i], prints[j]) for i, j in apart), recipe.bits
    )
    found = calibrated(recipe=recipe)
    assert near == [(1, 6), (2, 7), (3, 8)]
    assert (found.background, found.related) == (expected, len(near))
    some = calibrated(recipe=recipe, pairs_sample=20)
    assert some.background.pairs + some.related == 20


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_each_document_stands_beside_one_of_its_near_duplicates(recipe: ilk.Recipe) -> None:
    prints = fingerprints(TEXTS, recipe)
    pairs = [pair for i, j in near_duplicates() for pair in ((i, j), (j, i))]
    expected = Sample.from_distances(
        (distance(prints[i], prints[j]) for i, j in pairs), recipe.bits
    )
    assert calibrated(recipe=recipe, copies=0).natural == expected


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_copies_that_resemble_their_originals_are_counted_by_kind(recipe: ilk.Recipe) -> None:
    found = calibrated(recipe=recipe, copies=200, seed=4)
    documents = read(recipe).documents
    rows = synthetic.find_copyable_rows(
        documents,
        find_representatives(documents, order_documents_best_first(documents, [])),
    )
    assert rows.to_pylist() == ROWS
    wanted = measure._plan_edits_from_slight_to_threshold(
        200, min_resemblance=float(LEAST), shingle=3
    )
    (made,) = synthetic.make_edited_copies_leaving_out_unchanged(
        documents,
        arrow.import_texts(TEXTS),
        originals=rows,
        edits_to_make=wanted,
        recipe=recipe,
        seed=4,
        shingle=3,
        running=HERE,
    )
    prints = fingerprints(TEXTS, recipe)
    own = fingerprints(made.texts.to_pylist(), recipe)
    distances: dict[str, list[int | None]] = {kind: [] for kind in edits.KINDS}
    for row, original in enumerate(made.originals.to_pylist()):
        if alike(made.texts[row].as_py(), TEXTS[original]):
            distances[made.edits[row].kind].append(distance(own[row], prints[original]))
    assert found.kinds == {
        kind: Sample.from_distances(d, recipe.bits) for kind, d in distances.items()
    }
    assert (found.copies, found.drawn_from, found.documents) == (len(made.edits), 11, 15)
    assert 0 < found.edge.pairs < found.all_copies.pairs < found.copies


def test_edits_reach_from_hardly_any_to_below_the_threshold() -> None:
    wanted = list(measure._plan_edits_from_slight_to_threshold(480, min_resemblance=0.8, shingle=3))
    assert Counter(edit.kind for edit in wanted) == dict.fromkeys(edits.KINDS, 60)
    for spread, most in (("block", 0.25), ("scattered", 0.25 / 3)):
        shares = {edit.share for edit in wanted if edit.spread == spread}
        assert len(shares) == 15
        assert 0 < min(shares) < most / 20
        assert most * 0.9 < max(shares) < most
    assert {
        edit.share
        for edit in measure._plan_edits_from_slight_to_threshold(48, min_resemblance=1.0, shingle=3)
    } == {0.001}
    assert (
        max(
            edit.share
            for edit in measure._plan_edits_from_slight_to_threshold(
                480, min_resemblance=0.01, shingle=1
            )
        )
        == 1
    )


def test_it_depends_on_nothing_but_documents_and_seed() -> None:
    once = calibrated()
    assert calibrated(jobs=3) == once
    cut = pa.chunked_array([TEXTS[:5], TEXTS[5:]], pa.large_string())
    few: dict[str, Any] = {"resemblance": 0.7, "copies": 120, "pairs_sample": 1000}
    assert ilk_papers.calibrate(cut, **few) == once
    other = calibrated(seed=1)
    assert other.all_copies != once.all_copies
    assert other.background == once.background


def test_fingerprints_of_other_documents_have_another_digest() -> None:
    nothing = {"copies": 0, "pairs_sample": 0}
    digests = {
        calibrated(texts, **nothing).fingerprints
        for texts in (TEXTS, TEXTS, TEXTS[1:], [*TEXTS, None], [*TEXTS[1:], TEXTS[0]])
    }
    assert len(digests) == 4


def test_each_near_duplicate_is_drawn_as_often() -> None:
    """Of the 4 others of a document, those at one distance by their number."""
    texts = [" ".join(f"{w}{n * (at == n)}" for at, w in enumerate(_WORDS[:90])) for n in range(5)]
    prints = ilk.fingerprint(texts).to_pylist()
    every = Counter(distance(a, b) for a, b in itertools.permutations(prints, 2))
    assert len(every) > 3
    drawn: Counter[int] = Counter()
    for seed in range(100):
        found = calibrated(texts, copies=0, pairs_sample=0, seed=seed).natural
        assert found.pairs == 5
        drawn += Counter(dict(enumerate(found.distances)))
    for bits, times in every.items():
        assert bits is not None
        expected = 500 * times / 20
        assert abs(drawn[bits] - expected) < 5 * expected**0.5


def twentieths(pairs: list[tuple[int, int]]) -> tuple[int, ...]:
    counts = [0] * 21
    for i, j in pairs:
        shared, a, b = reference.resemblance(TEXTS[i] or "", TEXTS[j] or "", 3)
        counts[20 * shared // (a + b - shared)] += 1
    return tuple(counts)


def test_labelled_pairs_are_measured(tmp_path: Path) -> None:
    labels = tmp_path / "labels.tsv"
    lines = [
        "#1\t#6\t1",
        "#2\t#7\t0.75",
        "#3\t#8\t0.6",
        "#4\t#9",
        "#0\t#1",
        "#0\t#99",
        "#12\t#13\t0",
    ]
    labels.write_text("\n".join(lines))
    found = calibrated(labels=labels, copies=0, pairs_sample=0).labelled
    assert found is not None
    prints = ilk.fingerprint(TEXTS).to_pylist()
    expected = [distance(prints[i], prints[j]) for i, j in ((1, 6), (2, 7), (4, 9))]
    assert found.alike == Sample.from_distances(expected, 64)
    assert found.unknown == 1
    # A resemblance below the one asked for is a label of different documents.
    assert found.same == twentieths([(1, 6), (2, 7), (4, 9), (0, 1)])
    assert found.different == twentieths([(3, 8), (12, 13)])


def test_labels_of_no_document_that_was_read_are_refused(tmp_path: Path) -> None:
    labels = tmp_path / "labels.tsv"
    labels.write_text("txt\tb\n")
    said = "labels.tsv, line 1: .* names 'txt', but documents have names like '#0'"
    with pytest.raises(LabelsError, match=said):
        calibrated(labels=labels, copies=0, pairs_sample=0)


@pytest.mark.parametrize("source", [[], [None], ["", " \n", None]])
def test_without_text_there_is_nothing_to_measure(source: list[str | None]) -> None:
    with pytest.raises(
        NothingRead, match=f"{len(source)} documents were read, but none has a text"
    ):
        calibrated(source)


def test_an_empty_folder_has_nothing_to_measure(tmp_path: Path) -> None:
    with pytest.raises(NothingRead, match="0 documents were read"):
        ilk_papers.calibrate(tmp_path)
    with pytest.raises(SourceNotFound):
        ilk_papers.calibrate(tmp_path / "missing")


@pytest.mark.parametrize("texts", [_BASE[4:5], _BASE[4:5] * 30])
def test_a_single_text_has_copies_and_nothing_else(texts: list[str]) -> None:
    found = calibrated(texts)
    assert (found.drawn_from, found.documents) == (1, len(texts))
    assert (found.background.pairs, found.related, found.natural.pairs) == (0, 0, 0)
    assert found.all_copies.pairs > 0
    assert all(found.kinds[kind].pairs == 0 for kind in edits.FOREIGN)
    assert found.radius is not None
    assert (found.table()[3]["background"], found.table()[3]["natural"]) == (None, None)


def test_texts_without_fingerprints_are_found_by_no_radius() -> None:
    """A fingerprint needs three features at least."""
    texts = ["alphabetical beginning", "alphabetical beginnings", "something else"]
    found = calibrated(texts)
    assert found.natural == Sample.from_distances([None, None], 64)
    assert found.radius is None
    with pytest.raises(ilk.IlkError, match="no radius finds 99.0%"):
        found.options()


def test_without_any_pair_no_radius_is_recommended() -> None:
    assert calibrated(_BASE, copies=0).radius is None


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"resemblance": 0}, "resemblance is 0"),
        ({"recall": 1.5}, "recall is 1.5"),
        ({"shingle": 0}, "shingle is 0"),
        ({"copies": -1}, "copies is -1"),
        ({"pairs_sample": 0.5}, "pairs_sample is 0.5"),
        ({"seed": True}, "seed is True"),
        ({"jobs": 0}, "jobs is 0"),
    ],
)
def test_what_is_out_of_bounds_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        calibrated(**wrong)


def test_what_cannot_be_used_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(LabelsError, match="No such file"):
        ilk_papers.calibrate(tmp_path / "missing", labels=tmp_path / "labels.tsv")
    with pytest.raises(ColumnTypeError):
        ilk_papers.calibrate([1, 2])


def test_a_search_takes_its_options() -> None:
    made = calibrated(recall=0.9)
    report = ilk.find(pa.array(TEXTS, pa.string()), **made.options()).report
    assert (report["pairing"], report["radius"]) == ("fingerprint", made.radius)
    assert report["options"]["resemblance"] == 0.7
    assert report["options"]["recipe"] == made.recipe
