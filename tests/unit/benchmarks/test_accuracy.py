"""The harness that scores scans: its scores equal their definitions, its labels mean documents."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.accuracy import clusters, labels, pairs
from benchmarks.accuracy.documents import opened
from benchmarks.accuracy.truth import Question, truth

NAMES = ["a", "b", "c", "d", "e"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "set"
    made.mkdir()
    for name in NAMES:
        (made / name).write_text(f"Words shared by all, one of its own: {name}", encoding="utf-8")
    return made


def labelled(folder: Path, *lines: str) -> Path:
    path = folder.parent / "labels.tsv"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def scored(
    folder: Path, known: Path, *printed: tuple[str, str], min_words: int = 1
) -> dict[str, object]:
    question = Question(resemblance=0.8, shingle=2, min_words=min_words, band=0.7)
    answer = {labels.pair(*names): 0.9 for names in printed}
    with opened(folder) as documents:
        wanted = truth(labels.read_pairs(known, documents), documents, question)
        return pairs.score(answer, wanted, documents, question.shingle)


def test_pairs_are_right_wrong_missed_or_ignored(folder: Path) -> None:
    known = labelled(folder, "a\tb\t0.8", "a\tc\t0.95", "b\tc\t0.7", "c\td\t0.69", "d\te\t0.1")
    scores = scored(folder, known, ("b", "a"), ("b", "c"), ("d", "c"), ("e", "a"))
    assert scores["positives"] == 2
    assert scores["printed"] == 4
    assert scores["ignored"] == 1
    assert scores["precision"] == pytest.approx(1 / 3)
    assert scores["recall"] == pytest.approx(1 / 2)
    assert scores["f1"] == pytest.approx(2 / 5)
    # Nine tokens make eight shingles of two; all but the last are shared.
    common = {"resemblance": round(7 / 9, 6), "words": [9, 9]}
    assert scores["first_missed"] == [
        {"left": "a", "right": "c", "label": 0.95, "printed": None, **common}
    ]
    assert scores["first_wrong"] == [
        {"left": "a", "right": "e", "label": None, "printed": 0.9, **common},
        {"left": "c", "right": "d", "label": 0.69, "printed": 0.9, **common},
    ]


def test_short_documents_count_on_neither_side(folder: Path) -> None:
    (folder / "e").write_text("too short")
    known = labelled(folder, "a\tb\t0.9", "a\te\t0.9")
    scores = scored(folder, known, ("a", "b"), ("d", "e"), min_words=3)
    assert (scores["documents"], scores["missed"], scores["wrong"]) == (4, 0, 0)


def test_documents_beside_the_labelled_folder_are_out_of_scope(folder: Path) -> None:
    (folder / "texts").mkdir()
    for name in NAMES[:3]:
        (folder / name).rename(folder / "texts" / name)
    known = labelled(folder, "set/texts/a\tset/texts/b\t0.9")
    scores = scored(folder, known, ("texts/a", "texts/b"), ("d", "e"), ("texts/a", "d"))
    assert (scores["documents"], scores["wrong"], scores["printed"]) == (3, 0, 1)


def test_a_document_without_a_family_is_alone(folder: Path) -> None:
    with opened(folder) as documents:
        families = labels.read_families(labelled(folder, "a\tx\tnote", "set/b\tx"), documents)
    assert families["a"] == families["b"]
    assert len(set(families.values())) == 4


def test_cluster_scores_equal_their_definitions() -> None:
    draw = random.Random(1)
    for _ in range(200):
        names = [str(n) for n in range(draw.randint(2, 12))]
        families = {name: draw.choice("xyz") for name in names}
        cluster = {name: draw.choice("pqrs") for name in names}
        groups = [[n for n in names if cluster[n] == c] for c in "pqrs"]
        scores = clusters.score(groups, families)
        precision, recall = by_document(cluster, families), by_document(families, cluster)
        assert scores["b3_precision"] == pytest.approx(precision)
        assert scores["b3_recall"] == pytest.approx(recall)
        assert scores["b3_f1"] == pytest.approx(2 / (1 / precision + 1 / recall))
        assert scores["adjusted_rand"] == pytest.approx(adjusted_rand(cluster, families))


def by_document(given: dict[str, str], true: dict[str, str]) -> float:
    """Bagga and Baldwin 1998: per document, how much of its group is of its true group."""
    total = 0.0
    for name in given:
        group = [other for other in given if given[other] == given[name]]
        total += sum(true[other] == true[name] for other in group) / len(group)
    return total / len(given)


def adjusted_rand(one: dict[str, str], other: dict[str, str]) -> float:
    """The form by pairs of Hubert and Arabie 1985 that needs no expectation."""
    pairs_of = list(itertools.combinations(one, 2))
    agreed = Counter((one[a] == one[b], other[a] == other[b]) for a, b in pairs_of)
    tp, fp, fn, tn = (
        agreed[True, True],
        agreed[True, False],
        agreed[False, True],
        agreed[False, False],
    )
    below = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    return 2 * (tp * tn - fn * fp) / below if below else 1.0


def test_the_labels_were_measured_as_the_harness_measures(data: Path) -> None:
    with opened(data / "debian-docs") as documents:
        known = labels.read_pairs(data / "labels" / "jaccard-oracle-ddoc.tsv", documents)
        assert len(known.resemblance) == 48
        for names, value in known.resemblance.items():
            assert documents.resemblance(*names, 5) == pytest.approx(value, abs=5.1e-5)
