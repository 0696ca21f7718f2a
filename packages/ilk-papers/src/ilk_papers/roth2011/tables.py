"""The paper's tables, published beside measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ilk_papers.frame import Exhibit, Value, make_exhibit
from ilk_papers.roth2011 import chance, published, scoring
from ilk_papers.roth2011.collection import DOCUMENTS
from ilk_papers.roth2011.experiment import CombinationOutcome, Readings
from ilk_papers.roth2011.figures import bounds_of_bar_heights
from ilk_papers.roth2011.hashing import hash_code, unbounded_hash
from ilk_papers.roth2011.methods import METHODS, Combination, Parameters
from ilk_papers.roth2011.observations import count_outcomes_above_one_by_tracking_number
from ilk_papers.roth2011.scoring import Score
from ilk_papers.roth2011.steps import NameAndValue
from ilk_papers.roth2011.tokens import grams as grams_of

_EXAMPLE = published.SENTENCE[:42]


def grams_table() -> Exhibit:
    """Return the paper's example, published beside computed: nine k-grams, then four of words."""
    computed = [*grams_of(_EXAMPLE, 4)[:9], *grams_of(_EXAMPLE, 4, "words")[:4]]
    rows = [
        (published_gram, gram, hash_code(gram), str(unbounded_hash(gram)))
        for published_gram, gram in zip(published.GRAMS, computed, strict=True)
    ]
    title = f"k-grams of {_EXAMPLE!r}, k = 4: characters, then words"
    return make_exhibit("grams", title, ("published", "k-gram", "hash code", "exact value"), rows)


def figure_1_table(steps: Sequence[NameAndValue]) -> Exhibit:
    """Return Figure 1 for the paper's sentence: from k-grams over a sketch to the number."""
    title = "Figure 1: k-grams, shingles, fingerprints, sketch, Similarity Index"
    return make_exhibit("figure-1", title, ("step", "value"), steps)


def documents_table(texts: Mapping[str, str], source_description: str) -> Exhibit:
    """Return the size of the collection, in characters and in words, and what it consists of."""
    rows = []
    for name, text in texts.items():
        parts, characters, words = DOCUMENTS[name]
        rows.append((name, characters, len(text), words, len(text.split()), ", ".join(parts)))
    columns = ("document", "characters, paper", "here", "words, paper", "words here", "parts")
    title = f"The 15 documents: {source_description}"
    return make_exhibit("documents", title, columns, rows, note=_WORDS)


_WORDS = (
    "Words are runs between white space. The paper's 19,157 must be 18,157: the words of its "
    "chapters 1-24 and 25-31 add up to that."
)


def top_five_table(readings: Readings, long: Mapping[str, CombinationOutcome]) -> Exhibit:
    """Show Table 9: the published five, beside what they give in each reading.

    Args:
        readings: all outcomes, best first.
        long: those of the five as Java longs, which have no rank.
    """
    rows: list[Sequence[Value]] = []
    for each in published.TOP:
        printed = _score_cells(each.score)
        for reading, outcomes in readings.items():
            rank, ours = _rank_and_outcome_of(outcomes, each.combination)
            rows.append((each.combination, reading, *printed, *_score_cells(ours.score), rank))
        counts = _score_cells(long[each.combination].score)
        rows.append((each.combination, "Java long", *printed, *counts, None))
    columns = ("combination", "source", *_PUBLISHED_COUNTS, *_COUNTS, "rank here")
    return make_exhibit("top", "Table 9: the published top five", columns, rows, note=_READINGS)


_COUNTS = ("FP", "FN", "correct", "score")
_PUBLISHED_COUNTS = tuple(f"{name}, published" for name in _COUNTS)

_READINGS = (
    "FP, FN: false positives and negatives; score: correct / (FP + FN). Hash codes wrap at 32 "
    "bits, and Soundex codes have three digits. Exact values do not wrap, and Soundex codes keep "
    "all digits; they are only added up: 320 combinations, not 656. A Java long wraps at 64 bits, "
    "as the text of 2013 has it."
)


def published_five_zones_table(readings: Readings) -> Exhibit:
    """Return the matrices of the published five, a row of a zone each, and what was expected."""
    names = list(DOCUMENTS)
    rows = []
    for each in published.TOP:
        ours = (
            _rank_and_outcome_of(outcomes, each.combination).outcome
            for outcomes in readings.values()
        )
        cells = (
            each.zones,
            *(scoring.spell_zone_rows_as_bits(of.similarities) for of in ours),
            published.EXPECTED,
        )
        by_zone = zip(scoring.ZONES.values(), *(of.split(" | ") for of in cells), strict=True)
        for places, *zone in by_zone:
            for place, *parts in zip(places, *(of.split() for of in zone), strict=True):
                rows.append((each.combination, names[place], *(" ".join(part) for part in parts)))
    columns = ("combination", "row", "published", *readings, "expected")
    title = "Tables 10 to 24: the matrices of the published five, by zones"
    return make_exhibit("zones", title, columns, rows, note=_ZONES)


_ZONES = (
    "Columns of a zone are in the order of its rows. Expected: E exact, S similar, M medium, L "
    "low, N none. matrices.csv has all cells of all combinations; --out draws these as pictures."
)


def all_matrices_table(
    readings: Mapping[str, Sequence[CombinationOutcome]], documents: Sequence[str]
) -> Exhibit:
    """Return every matrix of every combination, with names at rows and columns."""
    rows: list[Sequence[Value]] = [
        (reading, str(each.combination), name, *map(int, row))
        for reading, outcomes in readings.items()
        for each in outcomes
        for name, row in zip(documents, each.similarities, strict=True)
    ]
    columns = ("reading", "combination", "document", *documents)
    return make_exhibit("matrices", "All matrices", columns, rows, printed_at_terminal=False)


def confusions_table(
    outcomes: Mapping[str, CombinationOutcome],
    documents: Sequence[str],
    expected_cells: NDArray[np.bool_],
) -> Exhibit:
    """Return who was taken for whom: the false positives and negatives of outcomes, by name."""
    names, rows = np.array(documents), []
    for title, each in outcomes.items():
        for name, said, expected in zip(documents, each.similarities, expected_cells, strict=True):
            false, missed = names[said & ~expected], names[expected & ~said]
            if len(false) or len(missed):
                rows.append((title, name, "; ".join(false), "; ".join(missed)))
    columns = ("combination", "document", "taken for", "not found")
    return make_exhibit("confused", "Who was confused with whom", columns, rows)


class _RankedOutcome(NamedTuple):
    """What a combination gives, and its rank from 1."""

    rank: int
    outcome: CombinationOutcome


def _rank_and_outcome_of(
    outcomes: Sequence[CombinationOutcome], combination: str
) -> _RankedOutcome:
    """Return a combination's rank among outcomes, which are best first, and what it gives."""
    return next(
        _RankedOutcome(rank, each)
        for rank, each in enumerate(outcomes, 1)
        if str(each.combination) == combination
    )


def ten_best_table(reading: str, outcomes: Sequence[CombinationOutcome]) -> Exhibit:
    """Return our own top ten in one reading."""
    rows = [
        (str(each.combination), *_score_cells(each.score), METHODS[each.combination.method])
        for each in outcomes[:10]
    ]
    columns = ("combination", "FP", "FN", "correct", "score", "method")
    name, title = f"best-{reading.replace(' ', '-')}", f"The ten best combinations here: {reading}"
    return make_exhibit(name, title, columns, rows)


def _score_cells(score: Score) -> tuple[int, int, int, float]:
    return score.false_positives, score.false_negatives, score.correct, score.score


def method_frequencies_table(readings: Readings) -> Exhibit:
    """Show Figure 3: how often each method is among the combinations that score above 1.0."""
    above = [*map(count_outcomes_above_one_by_tracking_number, readings.values())]
    bars = bounds_of_bar_heights()
    others = sorted({method for counts in above for method in counts} - bars.keys())
    rows: list[Sequence[Value]] = [
        (str(method), place, f"{low} to {high}", *(counts[method] for counts in above))
        for place, (method, (low, high)) in enumerate(bars.items(), 1)
    ]
    rows += [(str(method), None, "", *(counts[method] for counts in above)) for method in others]
    note = (
        "The heights of the published bars are not in the text. 49 + 29 are 23, 27 + 47 are 21, "
        "3 + 43 + 23 are 21, all together 104, and the axis ends at 14: if the bars descend, each "
        "is within these bounds. "
        "The figure names a method 35, but those of words end at 34."
    )
    title = "Figure 3: how often a method scores above 1.0"
    columns = ("method", "bar in Figure 3", "published", *readings)
    return make_exhibit("frequencies", title, columns, rows, note=note)


def multipliers_table(
    texts: Sequence[str],
    parameters: Parameters,
    bases: Sequence[int] = chance.MULTIPLIERS,
) -> Exhibit:
    """Return how the scores of the published five move with the multiplier of the hash."""
    rows = []
    for each in published.TOP:
        combination = Combination.parse(each.combination)
        scores = chance.ascending_scores_of_multipliers(texts, combination, parameters, bases)
        above = sum(score > 1 for score in scores)
        spread = (scores[0], median(scores), scores[-1])
        rows.append((each.combination, each.score.score, *spread, above))
    above_one = f"above 1.0, of {len(bases)}"
    columns = ("combination", "published", "least", "median", "most", above_one)
    note = f"Java multiplies by 31; here by the odd numbers from {bases[0]} to {bases[-1]}."
    title = "How much is chance: the scores with other multipliers in the hash code"
    return make_exhibit("multipliers", title, columns, rows, note=note, published_column_of={})


def scores_table(readings: Readings) -> Exhibit:
    """Return every combination with its score, best first."""
    rows = []
    for reading, outcomes in readings.items():
        for each in outcomes:
            of = each.combination
            described = (METHODS[of.method], of.stream, of.variation, of.k, of.window)
            rows.append((reading, str(of), *_score_cells(each.score), of.method, *described))
    counts = ("reading", "combination", "FP", "FN", "correct", "score")
    columns = (*counts, "method", "name", "stream", "variation", "k", "window")
    return make_exhibit("scores", "All scores", columns, rows, printed_at_terminal=False)


def numbers_table(readings: Readings, documents: Sequence[str]) -> Exhibit:
    """Return every combination with its number for each document; exact values have any length."""
    rows = [
        (reading, str(each.combination), *map(str, each.numbers))
        for reading, outcomes in readings.items()
        for each in outcomes
    ]
    columns = ("reading", "combination", *documents)
    return make_exhibit("numbers", "All numbers", columns, rows, printed_at_terminal=False)
