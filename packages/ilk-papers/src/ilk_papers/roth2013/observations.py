"""Every observation of the paper beside the same of our files, one row each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ilk_papers.roth2013 import published
from ilk_papers.roth2013.copies import Copy
from ilk_papers.roth2013.experiment import Copies, Fingerprinted, Pairs, matches, same_text

#: What is observed, the paper's value, and ours.
Row = tuple[str, str, str]


def of_files(of: Fingerprinted) -> Iterator[Row]:
    """Yield how many files there are of each kind, and their sizes."""
    kinds = [copy.kind if (copy := Copy.parse(name)) else "" for name in of.names]
    kept = np.array([not kind for kind in kinds], bool)
    size, original = of.sizes.sum() / 1e6, of.sizes[kept].sum() / 1e6
    yield _row("files before copies were made", published.ORIGINALS, int(kept.sum()))
    yield _row("their size, MB", published.ORIGINAL_MB, round(original))
    yield _row("files", published.FILES, len(of.names))
    yield _row("their size, MB", published.MB, round(size))
    yield _row("copies with an insertion", published.INSERTIONS, kinds.count("i"))
    yield _row("copies with a deletion", published.DELETIONS, kinds.count("d"))
    yield _row("unchanged", published.UNCHANGED, int(kept.sum()))
    yield _row("files without a fingerprint, too little text", "", of.fingerprints.null_count)


def of_speed(of: Fingerprinted, compared: Pairs) -> Iterator[Row]:
    """Yield seconds, megabytes a second and comparisons a second, of a clock on the wall."""
    speed = of.sizes.sum() / 1e6 / max(of.seconds, 1e-9)
    yield _row("fingerprints, seconds", published.FINGERPRINT_SECONDS, f"{of.seconds:.2f}")
    yield _row("fingerprints, MB/s", published.MB_PER_SECOND, f"{speed:,.0f}")
    comparisons = compared.comparisons / 1e6
    count = published.FILES * (published.FILES - 1) // 2
    yield _row("pairs of files compared, millions", f"{count / 1e6:.1f}", f"{comparisons:.1f}")
    yield _row("comparing all, seconds", published.COMPARE_SECONDS, f"{compared.seconds:.2f}")
    rate = f"{comparisons / max(compared.seconds, 1e-9):,.0f}"
    yield _row("comparing all, millions/s", published.MILLIONS_PER_SECOND, rate)
    yield _row("exact join, seconds", "", f"{compared.join_seconds:.3f}")
    yield _row("the join gives the pairs of comparing all", "", "yes" if compared.equal else "no")


def of_pairs(of: Fingerprinted, compared: Pairs) -> Iterator[Row]:
    """Yield what the result file holds."""
    counts = matches(of, compared.table)
    similar = int(np.count_nonzero(counts))
    share, paper = (
        f"{100 * part / whole:.0f} %"
        for part, whole in (
            (similar, max(1, len(counts))),
            (published.SIMILAR, published.FILES),
        )
    )
    name = f"lines of the result file (distance <= {published.RADIUS})"
    yield _row(name, published.LINES, len(compared.table))
    yield _row("files similar to another", f"{published.SIMILAR} ({paper})", f"{similar} ({share})")
    yield _row("most that one file is similar to", published.MOST, int(counts.max(initial=0)))
    many = int(np.count_nonzero(counts >= 10))
    yield _row("files similar to ten or more", published.TEN_OR_MORE, many)
    same = same_text(of, compared.table)
    yield _row("pairs at 0 of equal size (copies under other names)", "found", same)


def of_copies(copies: Copies) -> Iterator[Row]:
    """Yield how far copies are from their originals."""
    far = copies.distances > published.RADIUS
    inserted = copies.kinds == "i"
    yield _row("copies 7 bits or more from their original", published.OUT_OF_REACH, int(far.sum()))
    out = published.OUT_INSERTIONS, published.OUT_OF_REACH
    yield _row(
        "of them insertions", _part(*out), _part(int((far & inserted).sum()), int(far.sum()))
    )
    still = copies.distances == 0
    yield _row("copies at 0 from their original", published.UNMOVED, int(still.sum()))
    unmoved = published.UNMOVED_DELETIONS, published.UNMOVED
    deleted = int((still & ~inserted).sum())
    yield _row("of them deletions", _part(*unmoved), _part(deleted, int(still.sum())))
    largest = {
        kind: int(copies.percents[still & (copies.kinds == kind)].max(initial=0)) for kind in "id"
    }
    yield _row("largest insertion at 0, per cent", published.LARGEST_INSERTION, largest["i"])
    yield _row("largest deletion at 0, per cent", published.LARGEST_DELETION, largest["d"])


def _part(part: int, whole: int) -> str:
    return f"{part} ({100 * part / max(1, whole):.0f} %)"


def _row(name: str, paper: object, ours: object) -> Row:
    return name, str(paper), str(ours)
