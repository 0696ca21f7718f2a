"""The verdicts of ``ilk changes``, for its help."""

from __future__ import annotations

#: The column of times by default.
DATE = "date"

#: The verdicts for two captures of one URL.
VERDICTS = {
    "unchanged": "equal except for case and white space",
    "changed a little": "at least as near as --resemblance",
    "changed": "less near",
    "unknown": "one of them has no text",
}
