"""The words of verdicts: what two documents are to each other."""

from __future__ import annotations

#: Equal bytes; equal normalised texts; a resemblance at the threshold where only digits differ; a
#: resemblance at the threshold.
IDENTICAL, EXACT, NUMBERS_ONLY, NEAR = "identical", "exact", "numbers_only", "near"

#: The left document stands in the right one; the right one in the left.
CONTAINED, CONTAINS = "contained", "contains"

#: Rows with equal values in the column that was named.
KEY = "key"

#: Only the fingerprints are known; nothing was found in common.
UNVERIFIED, DIFFERENT = "unverified", "different"

#: Verdicts whose documents are of one kind and form clusters, the strongest first.
SAME = (IDENTICAL, EXACT, NUMBERS_ONLY, NEAR)

#: Verdicts of copies: there is nothing to measure.
COPIES = (IDENTICAL, EXACT, KEY)
