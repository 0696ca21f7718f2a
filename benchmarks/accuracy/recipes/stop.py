"""English function words, which say nothing of what a text is about."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

#: Articles, pronouns, prepositions, conjunctions, auxiliaries, and the adverbs that go with them.
_WORDS = """
a about above after again against all also although always am among an and another any are as at
be because been before being below between both but by can cannot could did do does doing done down
during each either else ever every few for from further had has have having he her here hers him
his how however i if in into is it its itself just may me might mine more most much must my neither
no nor not now of off often on once one only or other our ours out over own per rather same shall
she should since so some such than that the their theirs them themselves then there therefore these
they this those though through thus to too under until up upon us very was we were what when where
whether which while who whom whose why will with within without would yet you your yours
"""

_PATTERN = rf"(?i)\b(?:{'|'.join(_WORDS.split())})\b"


def without(texts: pa.Array) -> pa.Array:
    """The texts, every function word left out."""
    return pc.replace_substring_regex(texts, _PATTERN, "")


def share(texts: pa.Array) -> pa.Array:
    """Per text the share of its words that are function words; about half in English prose."""
    words = pc.count_substring_regex(texts, r"\b[[:alpha:]]+\b").cast(pa.float64())
    found = pc.count_substring_regex(texts, _PATTERN).cast(pa.float64())
    return pc.divide(found, pc.max_element_wise(words, 1.0))
