"""Phrases for the levels of mirrors, for the help of ``ilk mirrors``."""

from __future__ import annotations

#: What each level means.
LEVELS = {
    1: "same paths, identical content",
    2: "same paths, near-identical content",
    3: "same paths, similar content",
    4: "another root, or a part: identical or near-identical content",
    5: "same paths, other content",
}
