"""The words of ``ilk changes``, which its help shows."""

from __future__ import annotations

#: The column of times by default.
DATE = "date"

#: What two captures of one URL are to each other.
VERDICTS = {
    "unchanged": "equal except for case and white space",
    "changed a little": "at least as near as --resemblance",
    "changed": "less near",
    "unknown": "one of them has no text",
}
