"""The stop list of the papers' rooms: the function words of English.

Neither paper names its list. This one, ``ilk-function-words-1``, was written down by grammar, not
taken from a collection: articles, pronouns, prepositions, conjunctions, auxiliaries, and the
commonest adverbs of place, time and degree. Older forms (thou, unto) are not on it.
"""

from __future__ import annotations

NAME = "ilk-function-words-1"

_ARTICLES = "a an the"
_PRONOUNS = (
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his "
    "himself she her hers herself it its itself they them their theirs themselves this that these "
    "those who whom whose which what"
)
_PREPOSITIONS = (
    "about above across after against along among around at before behind below beneath beside "
    "between beyond by down during except for from in inside into of off on onto out outside over "
    "through to toward towards under until up upon with within without"
)
_CONJUNCTIONS = "and as because both but either if neither nor or since than though unless while"
_AUXILIARIES = (
    "am are be been being can could did do does doing had has have having is may might must shall "
    "should was were will would"
)
_ADVERBS = (
    "again all also always any each ever every few here how just more most much never no not now "
    "only other same so some such then there therefore too very when where why yet"
)

STOP_WORDS = frozenset(
    " ".join((_ARTICLES, _PRONOUNS, _PREPOSITIONS, _CONJUNCTIONS, _AUXILIARIES, _ADVERBS)).split()
)
