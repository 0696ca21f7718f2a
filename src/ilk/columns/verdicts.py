"""The words of verdicts: what two documents are to each other."""

from __future__ import annotations

#: Equal bytes; equal normalised texts; a resemblance at the threshold where only digits differ; a
#: resemblance at the threshold.
IDENTICAL, EXACT, NUMBERS_ONLY, NEAR = "identical", "exact", "numbers_only", "near"

#: Characters that agree to the least agreement, as copies that were scanned or retyped have them.
NOISY = "noisy"

#: The left document stands in the right one; the right one in the left.
CONTAINED, CONTAINS = "contained", "contains"

#: Rows with equal values in the column that was named.
KEY = "key"

#: Only the fingerprints are known; nothing was found in common.
UNVERIFIED, DIFFERENT = "unverified", "different"

#: A member of a connected cluster that is like another member and not like the keeper.
CONNECTED = "connected"

#: Verdicts whose documents are of one kind and form clusters, the strongest first.
SAME = (IDENTICAL, EXACT, NUMBERS_ONLY, NEAR, NOISY)

#: Verdicts in the order of their numbers in the kernel, which aligns nothing.
JUDGED = (IDENTICAL, EXACT, NUMBERS_ONLY, NEAR, CONTAINED, CONTAINS, DIFFERENT)

#: Verdicts of copies: there is nothing to measure.
COPIES = (IDENTICAL, EXACT, KEY)


#: How the verdict begins of a pair that was found by bits alone, and is not near.
WITHIN = "within "


def within(radius: int) -> str:
    """Return that verdict for a search within a radius.

    >>> within(1), within(6)
    ('within 1 bit', 'within 6 bits')
    """
    return f"{WITHIN}{radius} bit" if radius == 1 else f"{WITHIN}{radius} bits"
