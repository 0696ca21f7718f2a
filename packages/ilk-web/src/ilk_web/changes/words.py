"""The verdicts of ``ilk changes``, for its help."""

from __future__ import annotations

#: The column of times by default.
DATE = "date"

#: The column of payload digests in archives.
DIGEST = "digest"

#: The verdicts for two captures of one URL.
VERDICTS = {
    "unchanged": "equal except for case and white space; in archives, also by payload digest",
    "changed a little": "at least as near as --resemblance",
    "changed": "less near",
    "unknown": "one of them has no text, and their bytes differ or are not known",
}

#: The verdicts that are a change.
CHANGED = ("changed a little", "changed")

#: The groups of addresses in the order in which a crawler fetches them.
GROUPS = {
    "new": "not fetched yet, as they are listed",
    "changed": "a change was seen, the latest first",
    "other": "no change was seen, the longest not fetched first",
}
