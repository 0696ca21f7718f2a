"""Every observation of the paper beside the same of our files, by every recipe; one row each.

The files are not the paper's, so counts are given as rates: of a thousand files, or of copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from ilk_papers.roth2013 import published
from ilk_papers.roth2013.copies import CopyName
from ilk_papers.roth2013.experiment import (
    CorpusFiles,
    FingerprintedCorpus,
    ModifiedCopies,
    Pairs,
    count_matches,
    draw_random_distances,
    measure_comparing_and_join,
    measure_copies,
)

#: What is observed, the paper's value, and ours.
Row = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class RecipeMeasurements:
    """What one recipe gives: fingerprints, the pairs within 6 bits, and the modified copies."""

    corpus: FingerprintedCorpus
    pairs: Pairs
    copies: ModifiedCopies

    @classmethod
    def from_corpus(cls, corpus: FingerprintedCorpus) -> RecipeMeasurements:
        """Compare every two files, and every copy with its original."""
        return cls(corpus, measure_comparing_and_join(corpus), measure_copies(corpus))


def corpus_observations(files: CorpusFiles) -> Iterator[Row]:
    """Yield how many files there are of each kind, and their sizes."""
    kinds = [copy.kind if (copy := CopyName.parse_or_none(name)) else "" for name in files.names]
    is_original = np.array([not kind for kind in kinds], bool)
    sizes = np.array(files.sizes, np.int64)
    groups = files.group_rows_of_equal_files()
    equal = sum(comb(len(rows), 2) for rows in groups)
    yield _make_row("files before copies were made", published.ORIGINALS, int(is_original.sum()))
    yield _make_row(
        "their size, MB", published.ORIGINAL_MB, f"{sizes[is_original].sum() / 1e6:,.0f}"
    )
    yield _make_row("copies with an insertion", published.INSERTIONS, kinds.count("i"))
    yield _make_row("copies with a deletion", published.DELETIONS, kinds.count("d"))
    yield _make_row("unchanged", published.UNCHANGED, int(is_original.sum()))
    yield _make_row("files", published.FILES, len(files.names))
    yield _make_row("their size, MB", published.MB, f"{sizes.sum() / 1e6:,.0f}")
    yield _make_row("pairs of files with equal bytes", "found", equal)
    yield _make_row("files in such pairs", "", sum(map(len, groups)))


def speed_observations(measurements: RecipeMeasurements) -> Iterator[Row]:
    """Yield seconds, megabytes a second and comparisons a second, of a clock on the wall."""
    of, pairs = measurements.corpus, measurements.pairs
    speed = sum(of.files.sizes) / 1e6 / max(of.seconds, 1e-9)
    yield _make_row("fingerprints, seconds", published.FINGERPRINT_SECONDS, f"{of.seconds:.2f}")
    yield _make_row("fingerprints, MB/s", published.MB_PER_SECOND, f"{speed:,.0f}")
    comparisons = pairs.comparisons / 1e6
    compared = published.COMPARISONS_MILLIONS
    yield _make_row("pairs of files compared, millions", compared, f"{comparisons:.1f}")
    yield _make_row("comparing all, seconds", published.COMPARE_SECONDS, f"{pairs.seconds:.2f}")
    rate = f"{comparisons / max(pairs.seconds, 1e-9):,.0f}"
    yield _make_row("comparing all, millions/s", published.MILLIONS_PER_SECOND, rate)
    yield _make_row("exact join, seconds", "", f"{pairs.join_seconds:.3f}")
    yield _make_row(
        "the join gives the pairs of comparing all", "", "yes" if pairs.both_agree else "no"
    )


def _mean_random_distance_or_none(measurements: RecipeMeasurements, seed: int) -> float | None:
    drawn = draw_random_distances(measurements.corpus, seed)
    return float(drawn.mean()) if len(drawn) else None


def pair_and_copy_observations(
    measurements_of_recipes: Mapping[str, RecipeMeasurements], seed: int
) -> Iterator[list[str]]:
    """Yield what is observed of pairs and copies: its name, the paper's figure, and every recipe's.

    A figure is a rate, with the count in brackets, or a plain number.
    """
    thousand = _spell_per_thousand_with_count(published.LINES, published.FILES)

    def row(name: str, paper: str, figure: Callable[[RecipeMeasurements], str]) -> list[str]:
        return [name, paper, *map(figure, measurements_of_recipes.values())]

    yield row(
        f"pairs within {published.RADIUS} bits",
        thousand,
        lambda m: _spell_per_thousand_with_count(len(m.pairs.table), len(m.corpus.files.names)),
    )
    yield row(
        "files similar to another",
        _spell_per_thousand_with_count(published.SIMILAR, published.FILES),
        lambda m: _spell_per_thousand_with_count(
            int(np.count_nonzero(_match_counts(m))), len(m.corpus.files.names)
        ),
    )
    yield row(
        "files similar to ten or more",
        _spell_per_thousand_with_count(published.TEN_OR_MORE, published.FILES),
        lambda m: _spell_per_thousand_with_count(
            int(np.count_nonzero(_match_counts(m) >= 10)), len(m.corpus.files.names)
        ),
    )
    most = "most that one file is similar to"
    yield row(most, str(published.MOST), lambda m: str(_match_counts(m).max(initial=0)))
    drawn = "two files drawn at random, mean distance"
    yield row(drawn, "", lambda m: _spell_number_or_empty(_mean_random_distance_or_none(m, seed)))
    copy_count = published.INSERTIONS + published.DELETIONS
    yield row(
        "copies 7 bits or more from their original",
        _spell_per_thousand_with_count(published.OUT_OF_REACH, copy_count),
        lambda m: _spell_per_thousand_with_count(
            int(_are_copies_beyond_radius(m).sum()), len(m.copies.rows)
        ),
    )
    yield row(
        "of these, insertions",
        _spell_count_with_percent(published.OUT_INSERTIONS, published.OUT_OF_REACH),
        lambda m: _spell_count_with_percent(
            int((_are_copies_beyond_radius(m) & (m.copies.kinds == "i")).sum()),
            int(_are_copies_beyond_radius(m).sum()),
        ),
    )
    yield row(
        "copies at 0 from their original",
        _spell_per_thousand_with_count(published.UNMOVED, copy_count),
        lambda m: _spell_per_thousand_with_count(
            int(_are_copies_at_distance_0(m).sum()), len(m.copies.rows)
        ),
    )
    yield row(
        "of these, deletions",
        _spell_count_with_percent(published.UNMOVED_DELETIONS, published.UNMOVED),
        lambda m: _spell_count_with_percent(
            int((_are_copies_at_distance_0(m) & (m.copies.kinds == "d")).sum()),
            int(_are_copies_at_distance_0(m).sum()),
        ),
    )
    for kind, name, paper in (
        ("i", "insertion", published.LARGEST_INSERTION),
        ("d", "deletion", published.LARGEST_DELETION),
    ):
        yield row(
            f"largest {name} at 0, per cent",
            str(paper),
            lambda m, kind=kind: str(  # type: ignore[misc]
                m.copies.percents[_are_copies_at_distance_0(m) & (m.copies.kinds == kind)].max(
                    initial=0
                )
            ),
        )
    null = "files without a fingerprint, too little text"
    yield row(null, "", lambda m: str(m.corpus.fingerprints.null_count))


def _match_counts(measurements: RecipeMeasurements) -> NDArray[np.int64]:
    return count_matches(measurements.corpus, measurements.pairs.table)


def _are_copies_beyond_radius(measurements: RecipeMeasurements) -> NDArray[np.bool_]:
    return measurements.copies.distances > published.RADIUS


def _are_copies_at_distance_0(measurements: RecipeMeasurements) -> NDArray[np.bool_]:
    still: NDArray[np.bool_] = measurements.copies.distances == 0
    return still


def _spell_per_thousand_with_count(part: int, whole: int) -> str:
    return f"{1000 * part / max(1, whole):,.0f} ({part})"


def _spell_count_with_percent(part: int, whole: int) -> str:
    return f"{part} ({100 * part / max(1, whole):.0f} %)"


def _spell_number_or_empty(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def _make_row(name: str, published_value: object, own_value: object) -> Row:
    return name, str(published_value), str(own_value)
