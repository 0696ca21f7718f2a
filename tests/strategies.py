"""Texts and fingerprints as Hypothesis draws them."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

#: Characters that have gone wrong somewhere before, beside ordinary ones.
_DELICATE = (
    "aAzé7 \t\n\0-_'.ßﬁ…ΣςǅİıЖж漢字ーｶﾞ゛ก็ำ한"
    "\u1100\u1161\u11a8\u0301\u0327\u3099\u200d\u00ad\xa0\u2028\u1680½²Ⅷ\ufb01😀"
)


def _assigned(c: str) -> bool:
    return unicodedata.category(c) not in ("Cn", "Cs")


characters = st.one_of(
    st.sampled_from(_DELICATE),
    st.characters(exclude_categories=["Cs"], min_codepoint=0x80).filter(_assigned),
    st.characters(max_codepoint=0x7F),
)

texts = st.text(characters, max_size=60)

words = st.sampled_from(["to", "be", "or", "not", "that", "is", "the", "question", "漢字", "é"])

#: Texts of few words, so that shingles repeat and texts resemble one another.
prose = st.lists(words, max_size=120).map(" ".join)

fingerprints = st.one_of(
    st.integers(0, 2**64 - 1),
    st.integers(0, 15),
    st.sampled_from([0, 2**64 - 1, 2**63, *(1 << j for j in range(0, 64, 7))]),
)
