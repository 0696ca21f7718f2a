"""What the paper observes, published beside measured, one row each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import median
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ilk_papers.roth2011 import published
from ilk_papers.roth2011.experiment import CombinationOutcome, Readings
from ilk_papers.roth2011.many import RESEMBLANCE, CombinationAnswers
from ilk_papers.roth2011.methods import RUNS, Combination
from ilk_papers.roth2011.scoring import EXPECTED, Score
from ilk_papers.roth2011.tokens import STREAMS, VARIATIONS

T = TypeVar("T")

#: What is observed, the paper's value, and ours in each reading.
Row: TypeAlias = tuple[str, str, str, str]


def count_outcomes_above_one_by_tracking_number(
    outcomes: Sequence[CombinationOutcome],
) -> Counter[int]:
    """Return how many combinations of each tracking number score above 1.0 (Figure 3)."""
    return Counter(each.combination.tracking_number for each in outcomes if each.score.score > 1)


def rank_correlation(left: Sequence[int], right: Sequence[int]) -> float:
    """Return Spearman's: 1 where both grow together, 0 if they are unrelated."""
    return float(np.corrcoef(_ranks(left), _ranks(right))[0, 1])


def _ranks(values: Sequence[int]) -> NDArray[np.float64]:
    """Return the rank of every value, equal ones sharing the middle of theirs."""
    array = np.array(values)
    below = (array[None, :] < array[:, None]).sum(axis=1, dtype=np.float64)
    equal = (array[None, :] == array[:, None]).sum(axis=1, dtype=np.float64)
    ranks: NDArray[np.float64] = below + (equal - 1) / 2
    return ranks


def score_observations(readings: Readings) -> Iterator[Row]:
    """Yield what is observed of the scores of all combinations, best first."""
    yield _row_by_reading("combinations", published.COMBINATIONS, readings, len)
    above = {
        name: count_outcomes_above_one_by_tracking_number(outcomes)
        for name, outcomes in readings.items()
    }
    yield _row_by_reading(
        "combinations that score above 1.0", published.ABOVE_ONE, above, Counter.total
    )
    for family, count in published.FAMILIES.items():
        first, second, third = family
        name = f"of them methods {first}, {second} and {third}"
        yield _row_by_reading(name, count, above, partial(_count_of_family, family))
    bars = {*published.FIGURE_3}
    of_bars = "methods of Figure 3 among them"
    yield _row_by_reading(of_bars, len(bars), above, lambda counts: len(bars & counts.keys()))
    best = {name: [each.combination for each in of[:10]] for name, of in readings.items()}
    count = published.B_IN_TOP_FIVE
    in_b = "variation B in the top five"
    yield _row_by_reading(
        in_b, count, best, lambda of: sum(each.variation == "B" for each in of[:5])
    )
    count = published.METHOD_43_IN_TOP_FIVE
    in_43 = "method 43 in the top five"
    yield _row_by_reading(
        in_43, count, best, lambda of: sum(each.tracking_number == 43 for each in of[:5])
    )
    count = published.WINDOWS_IN_TOP_FIVE
    windows = "methods with a window w in the top five"
    yield _row_by_reading(
        windows, count, best, lambda of: sum(each.method in (5, 6) for each in of[:5])
    )
    negative = "combinations that give a negative number"
    yield _row_by_reading(
        negative, "some", readings, lambda of: sum(min(each.numbers) < 0 for each in of)
    )
    longs = "combinations with a number too large for a Java long"
    yield _row_by_reading(
        longs,
        "some",
        readings,
        lambda of: sum(not all(map(_fits_java_long, each.numbers)) for each in of),
    )
    count = published.K8_IN_TOP_TEN
    yield _row_by_reading(
        "k = 8 in the top ten", count, best, lambda of: sum(each.k == 8 for each in of)
    )


def _fits_java_long(number: int) -> bool:
    return -(1 << 63) <= number < 1 << 63


def _count_of_family(tracking_numbers: Sequence[int], counts: Counter[int]) -> int:
    return sum(counts[number] for number in tracking_numbers)


def _row_by_reading(
    name: str, published_value: object, readings: Mapping[str, T], measure: Callable[[T], object]
) -> Row:
    """Return a row that measures the same of every reading."""
    codes, exact = (str(measure(of)) for of in readings.values())
    return name, str(published_value), codes, exact


def method_3_variation_observations(readings: Readings) -> Iterator[Row]:
    """Yield how far the scores of method 3 spread over the variations A-D in the three streams."""
    for stream, first in STREAMS.items():
        name = f"scores of {first + 3} A-D ({stream}), largest less smallest, by run"
        yield _row_by_reading(name, "", readings, partial(_spell_score_spreads_of_method_3, stream))


def _spell_score_spreads_of_method_3(stream: str, outcomes: Sequence[CombinationOutcome]) -> str:
    score = {each.combination: each.score.score for each in outcomes}
    spread = []
    for k, window in RUNS:
        of = [
            score[Combination(method=3, stream=stream, variation=variation, k=k, window=window)]
            for variation in VARIATIONS
        ]
        spread.append(f"{max(of) - min(of):.2f}")
    return ", ".join(spread)


def length_observations(readings: Readings, documents: Mapping[str, str]) -> Iterator[Row]:
    """Yield whether the number grows with the document: its rank correlation with the length."""
    lengths = [len(text) for text in documents.values()]
    for stream in STREAMS:
        name = f"|SI| of {stream} with the length, rank correlation, median of the sums"
        yield _row_by_reading(
            name, "grows", readings, partial(_spell_median_correlation_with_length, stream, lengths)
        )


def _spell_median_correlation_with_length(
    stream: str, lengths: Sequence[int], outcomes: Sequence[CombinationOutcome]
) -> str:
    correlations = [
        rank_correlation(lengths, [abs(number) for number in each.numbers])
        for each in outcomes
        if each.combination.stream == stream and each.combination.method in _WHOLE_SUMS
    ]
    return f"{median(correlations):.2f}"


#: The sums that take more of a longer document.
_WHOLE_SUMS = (1, 3, 5, 11)


def expectation_observations() -> Iterator[Row]:
    """Yield what the scoring makes of a method that says just what the author expects."""
    letters = published.EXPECTED.replace(" ", "").replace("|", "")
    missed = letters.count("L") + letters.count("N")
    cells = int(EXPECTED.sum())
    ideal = Score(0, missed, cells - missed)
    yield "cells counted as expected similar", str(cells), "", ""
    yield "of them with low or no similarity expected by the author", str(missed), "", ""
    yield "score of a method that says what the author expects", f"{ideal.score:.2f}", "", ""


def many_texts_observations(
    many: Mapping[str, CombinationAnswers], combination: str
) -> Iterator[Row]:
    """Yield how a combination fares on many files."""
    yield _row_by_reading(
        f"files asked with {combination}", ">= 10,000, fails", many, lambda of: of.files
    )
    yield _row_by_reading(
        "files with the number 0, similar to nothing", "", many, lambda of: of.files_with_number_0
    )
    yield _row_by_reading(
        "ordered pairs said to be similar", "", many, lambda of: of.pairs_said_similar
    )
    yield _row_by_reading(
        "of all ordered pairs", "", many, lambda of: f"{of.share_said_similar:.2%}"
    )
    each = "files said to be similar to one file, on average"
    yield _row_by_reading(each, "", many, lambda of: round(of.pairs_said_similar / of.files))
    true = f"ordered pairs of resemblance >= {RESEMBLANCE}"
    yield _row_by_reading(true, "", many, lambda of: of.true_pairs)
    yield _row_by_reading(
        "of those said to be similar, such pairs", "", many, lambda of: f"{of.precision:.2%}"
    )
    yield _row_by_reading(
        "of such pairs, said to be similar", "", many, lambda of: f"{of.recall:.2%}"
    )
