"""The paper's tables, published beside measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from ilk_papers.frame import Exhibit, Value, exhibit
from ilk_papers.roth2011 import chance, published, scoring
from ilk_papers.roth2011.collection import DOCUMENTS
from ilk_papers.roth2011.experiment import Outcome, Readings
from ilk_papers.roth2011.hashing import exact_hash, hash_code
from ilk_papers.roth2011.methods import METHODS, Combination, Parameters
from ilk_papers.roth2011.observations import frequencies as counted
from ilk_papers.roth2011.scoring import Score
from ilk_papers.roth2011.tokens import grams as grams_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_EXAMPLE = "Four score and seven years ago"


def grams() -> Exhibit:
    """Return the paper's example: k-grams, their hash codes, and the value that has no limit."""
    examples = [*grams_of(_EXAMPLE, 4)[:9], *grams_of(_EXAMPLE, 4, "words")[:2]]
    rows = [(gram, hash_code(gram), str(exact_hash(gram))) for gram in examples]
    title = f"k-grams of {_EXAMPLE!r}, k = 4: characters, then words"
    return exhibit("grams", title, ("k-gram", "hash code", "exact value"), rows)


def documents(texts: Mapping[str, str]) -> Exhibit:
    """Return the collection, in characters and in words between white space."""
    rows = []
    for name, text in texts.items():
        _, characters, words = DOCUMENTS[name]
        rows.append((name, characters, len(text), words, len(text.split())))
    columns = ("document", "characters, paper", "here", "words, paper", "words here")
    return exhibit("documents", "The 15 documents", columns, rows, note=_WORDS)


_WORDS = """Words are runs between white space. The paper's 19,157 must be 18,157: the words of its
chapters 1-24 and 25-31 add up to that."""


def top(readings: Readings) -> Exhibit:
    """Show Table 9: the published five, and what the same combinations give in each reading."""
    rows: list[Sequence[Value]] = []
    for each in published.TOP:
        rows.append((each.combination, "published", *_counts(each.score), None))
        for reading, outcomes in readings.items():
            rank, ours = _ranked(outcomes, each.combination)
            rows.append((each.combination, reading, *_counts(ours.score), rank))
    columns = ("combination", "source", "FP", "FN", "correct", "score", "rank here")
    return exhibit("top", "Table 9: the published top five", columns, rows, note=_READINGS)


_READINGS = """Hash codes wrap at 32 bits, and Soundex codes have three digits. Exact values do not
wrap, and Soundex codes keep all digits; they are only added up: 320 combinations, not 656."""


def zones(readings: Readings) -> Exhibit:
    """Return the matrices of the published five, zone by zone, and what the author expected."""
    rows = []
    for each in published.TOP:
        ours = (_ranked(outcomes, each.combination)[1] for outcomes in readings.values())
        measured = (scoring.zones(outcome.similarities) for outcome in ours)
        cells = (each.zones, *measured, published.EXPECTED)
        parts = zip(scoring.ZONES, *(of.split(" | ") for of in cells), strict=True)
        rows += [(each.combination, *part) for part in parts]
    columns = ("combination", "zone", "published", *readings, "expected")
    return exhibit("zones", "Table 9: its matrices, row by row", columns, rows, note=_ZONES)


def _ranked(outcomes: Sequence[Outcome], combination: str) -> tuple[int, Outcome]:
    """Return a combination's rank among all, and what it gives."""
    return next(
        (rank, each)
        for rank, each in enumerate(outcomes, 1)
        if str(each.combination) == combination
    )


_ZONES = """Rows and columns: Proverbs whole, 1-16, 1-24, 25-31; Constitution copy, without
amendments, without preamble, whole; Declaration less a sentence, without grievances, whole.
Expected: E exact, S similar, M medium, L low, N none."""


def best(reading: str, outcomes: Sequence[Outcome]) -> Exhibit:
    """Return our own top ten in one reading."""
    rows = [
        (
            str(each.combination),
            *_counts(each.score),
            METHODS[each.combination.method],
            scoring.zones(each.similarities),
        )
        for each in outcomes[:10]
    ]
    columns = ("combination", "FP", "FN", "correct", "score", "method", "zones")
    name, title = f"best-{reading.replace(' ', '-')}", f"The ten best combinations here: {reading}"
    return exhibit(name, title, columns, rows)


def _counts(of: Score) -> tuple[int, int, int, float]:
    return of.false_positives, of.false_negatives, of.correct, of.score


def frequencies(readings: Readings) -> Exhibit:
    """Show Figure 3: how often each method is among the combinations that score above 1.0."""
    above = [counted(outcomes) for outcomes in readings.values()]
    places = {method: place for place, method in enumerate(published.FIGURE_3, 1)}
    others = sorted({method for counts in above for method in counts} - places.keys())
    rows = [
        (str(method), places.get(method), *(counts[method] for counts in above))
        for method in (*published.FIGURE_3, *others)
    ]
    note = "The heights of the published bars are not in the text; 35 is no method of the paper."
    title = "Figure 3: how often a method scores above 1.0"
    return exhibit("frequencies", title, ("method", "bar in Figure 3", *readings), rows, note=note)


def draw_frequencies(axes: Axes, readings: Readings) -> None:
    """Draw Figure 3, its bars in the published order, then those that it does not have."""
    table = frequencies(readings).table
    names = table["method"].to_pylist()
    for shift, reading in zip((-0.2, 0.2), readings, strict=True):
        places = [place + shift for place in range(len(names))]
        axes.bar(places, table[reading].to_pylist(), width=0.4, label=reading)
    axes.set_xticks(range(len(names)), names)
    axes.axvline(len(published.FIGURE_3) - 0.5, color="black", linewidth=0.8)
    axes.set_xlabel("method, in the order of the published figure; right of the line: not in it")
    axes.set_ylabel("combinations that score above 1.0")
    axes.set_title("Roth 2011, Figure 3, measured")
    axes.legend(loc="upper center")


def chances(
    texts: Sequence[str],
    parameters: Parameters,
    bases: Sequence[int] = chance.MULTIPLIERS,
) -> Exhibit:
    """Return how the scores of the published five move with the multiplier of the hash."""
    rows = []
    for each in published.TOP:
        combination = Combination.parse(each.combination)
        scores = chance.scores(texts, combination, parameters, bases)
        above = sum(score > 1 for score in scores)
        spread = (scores[0], median(scores), scores[-1])
        rows.append((each.combination, each.score.score, *spread, above))
    above_one = f"above 1.0, of {len(bases)}"
    columns = ("combination", "published", "least", "median", "most", above_one)
    note = f"Java multiplies by 31; here by the odd numbers from {bases[0]} to {bases[-1]}."
    title = "How much is chance: the scores with other multipliers in the hash code"
    return exhibit("multipliers", title, columns, rows, note=note)


def scores(readings: Readings) -> Exhibit:
    """Return every combination with its score, best first."""
    rows = []
    for reading, outcomes in readings.items():
        for each in outcomes:
            of = each.combination
            described = (METHODS[of.method], of.stream, of.variation, of.k, of.window)
            rows.append((reading, str(of), *_counts(each.score), of.method, *described))
    counts = ("reading", "combination", "FP", "FN", "correct", "score")
    columns = (*counts, "method", "name", "stream", "variation", "k", "window")
    return exhibit("scores", "All scores", columns, rows, printed=False)


def numbers(outcomes: Sequence[Outcome], documents: Sequence[str]) -> Exhibit:
    """Return every combination with its number for each of the 15 documents, in 64 bits."""
    rows: list[list[int | str]] = [[str(each.combination), *each.numbers] for each in outcomes]
    columns = ("combination", *documents)
    return exhibit("numbers", "All numbers", columns, rows, printed=False)
