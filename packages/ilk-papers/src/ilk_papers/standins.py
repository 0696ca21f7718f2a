"""Generated texts of exact sizes, in place of documents that are not available.

The words are invented or belong to no document; what matters to the experiment is how long the
texts are, how often their words repeat, and which parts they share.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ilk.plugins import OptionError
from ilk_papers.seeded import draw_below, seeded_draw
from ilk_papers.stopwords import STOP_WORDS

_JAVA = (
    "public private static final void int long return new if ( i = 0; i++ ) { } else for while try "
    "catch String[] args) value; index.get(i); map.put(key, System.out.println(text); null; "
    "Exception import java.util.*; class Reader extends Base @Override throws count += 1;"
)
_LOG = (
    "INFO WARN DEBUG 2011-02-03 09:14:07,113 [main] started stopped request session user=17 in "
    "412ms connection closed opened pool size=8 retry timeout cache miss hit server thread-3"
)
_SYLLABLES = "ba co di fe gu ha jo ki le mo na po ra se ti vu wa yo ze tra ster mond lin per"

#: Bytes of a class file, read as Latin-1, without blanks and what cannot be seen.
_BYTES = [chr(code) for code in (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))]

#: Invented words, in addition to the function words, which are more frequent.
_INVENTED = 4_000

#: How fast words get rarer: the word of rank r occurs in proportion to 1 / (r + _FLAT).
_FLAT = 8


def make_stand_in(kind: str, characters: int, words: int, seed: int) -> str:
    """Return a text of exactly that number of characters and words (runs between white space).

    Args:
        kind: ``java``, ``class``, ``log`` or ``prose``.
        characters, words: the size, white space at the end included.
        seed: the same seed gives the same text.

    Raises:
        OptionError: the words do not fit, each with a blank after it.
    """
    if not 0 < 2 * words <= characters:
        raise OptionError(
            f"{words} words in {characters} characters; give at least two characters a word."
        )
    draw = seeded_draw(f"{seed} {characters} {words}")
    vocabulary, chances = _make_vocabulary(kind)
    ranks = np.searchsorted(chances, [draw() for _ in range(words)], "right")
    words_chosen = [vocabulary[rank] for rank in ranks]
    excess = sum(map(len, words_chosen)) - (characters - words)
    while excess > 0:
        # Too long by chance: a word gives up its end, but for its first letter.
        at = draw_below(draw, words)
        cut = min(excess, len(words_chosen[at]) - 1)
        words_chosen[at] = words_chosen[at][: len(words_chosen[at]) - cut]
        excess -= cut
    for _ in range(-excess):
        # Too short by chance: a blank follows a word.
        words_chosen[draw_below(draw, words)] += " "
    return "".join(f"{word}{_white_space_after_word(at)}" for at, word in enumerate(words_chosen))


def generate_prose(word_count: int, seed: int) -> str:
    """Return prose of ``word_count`` words, six characters a word, the same for the same seed."""
    return make_stand_in("prose", 6 * word_count, word_count, seed)


def _white_space_after_word(word_number: int) -> str:
    """Return what stands after a word: every tenth ends its line."""
    return "\n" if word_number % 10 == 9 else " "


class _Vocabulary(NamedTuple):
    """Words, and for each the number from 0 to 1 up to which a draw is that word."""

    words: list[str]
    cumulative_shares: NDArray[np.float64]


@cache
def _make_vocabulary(kind: str) -> _Vocabulary:
    """Return the words of a kind of text; texts of one kind share them."""
    if kind == "java":
        words = _JAVA.split()
    elif kind == "log":
        words = _LOG.split()
    elif kind == "class":
        words = _invent_words(_BYTES, 10)
    elif kind == "prose":
        words = sorted(STOP_WORDS, key=lambda word: (len(word), word))
        words += _invent_words(_SYLLABLES.split(), 3)
    else:
        raise ValueError(f"there are no words of the kind {kind!r}")
    chances = np.cumsum(1 / (np.arange(len(words)) + _FLAT))
    return _Vocabulary(words, chances / chances[-1])


def _invent_words(pieces: Sequence[str], max_pieces: int) -> list[str]:
    """Return invented words of one up to ``max_pieces`` pieces."""
    draw = seeded_draw(max_pieces)
    lengths = [1 + draw_below(draw, max_pieces) for _ in range(_INVENTED)]
    return ["".join(pieces[draw_below(draw, len(pieces))] for _ in range(of)) for of in lengths]
