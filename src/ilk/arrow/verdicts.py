"""The words of verdicts: what two documents are to each other."""

from __future__ import annotations

from ilk import _kernels

#: Equal bytes; equal normalised texts; equal but for figures (in a deduplication, in a store, and
#: where each word has a number, with a resemblance at the threshold); that resemblance alone.
IDENTICAL, EXACT, NUMBERS_ONLY, NEAR = "identical", "exact", "numbers_only", "near"

#: An agreement of characters at its threshold, as in scanned or retyped copies.
NOISY = "noisy"

#: The left document is in the right one; the right one is in the left one.
CONTAINED, CONTAINS = "contained", "contains"

#: Rows with equal values in the given column.
KEY = "key"

#: Only the fingerprints are known; nothing in common was found.
UNVERIFIED, DIFFERENT = "unverified", "different"

#: A member of a connected cluster that is like another member but not like the keeper.
CONNECTED = "connected"

#: Verdicts whose documents are of one kind and form clusters, the strongest first.
SAME = (IDENTICAL, EXACT, NUMBERS_ONLY, NEAR, NOISY)

#: Verdicts in the order of their numbers in the kernel, which does not align texts.
JUDGED = _kernels.VERDICTS

#: Verdicts of copies: there is nothing to measure.
COPIES = (IDENTICAL, EXACT, KEY)


#: How the verdict of a pair begins that was found by bits alone and is not near.
WITHIN = "within "


def spell_within(radius: int) -> str:
    """Return that verdict for a search within a radius.

    >>> spell_within(1), spell_within(6)
    ('within 1 bit', 'within 6 bits')
    """
    return f"{WITHIN}{radius} bit" if radius == 1 else f"{WITHIN}{radius} bits"
