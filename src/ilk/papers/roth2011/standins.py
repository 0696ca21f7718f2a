"""Generated texts of exact sizes, for documents that nobody has or that are not at hand.

The words are invented or belong to no document; what matters to the experiment is how long the
texts are, how often their words repeat, and which parts they share.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ilk.errors import OptionError
from ilk.papers.stopwords import STOP_WORDS

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

#: So many words are invented beside the function words, which are commoner.
_INVENTED = 4_000

#: How fast words get rarer: the word of rank r occurs in proportion to 1 / (r + _FLAT).
_FLAT = 8


def filled(kind: str, characters: int, words: int, seed: int) -> str:
    """A text of exactly so many characters and words (runs between white space).

    Args:
        kind: ``java``, ``class`` or ``log``; any other is prose.
        characters, words: the size, white space at the end included.
        seed: the same seed gives the same text.

    Raises:
        OptionError: so many words do not fit, each with a blank behind it.
    """
    if not 0 < 2 * words <= characters:
        raise OptionError(
            f"{words} words in {characters} characters; give at least two characters a word."
        )
    draw = np.random.default_rng([seed, characters, words])
    vocabulary, weights = _vocabulary(kind)
    chosen = [vocabulary[rank] for rank in draw.choice(len(vocabulary), words, p=weights)]
    room = characters - words
    excess = sum(map(len, chosen)) - room
    while excess > 0:
        # Too long by chance: a word gives up its end, but for its first letter.
        at = int(draw.integers(words))
        cut = min(excess, len(chosen[at]) - 1)
        chosen[at] = chosen[at][: len(chosen[at]) - cut]
        excess -= cut
    # What is too short is indented: blanks follow a few of the words.
    blanks = draw.multinomial(-excess, np.full(words, 1 / words))
    return "".join(
        f"{word}{' ' * blank}{end}"
        for word, blank, end in zip(chosen, blanks, _ends(words), strict=True)
    )


def _ends(words: int) -> list[str]:
    """What stands after each word: every tenth ends its line."""
    return ["\n" if at % 10 == 9 else " " for at in range(words)]


@cache
def _vocabulary(kind: str) -> tuple[list[str], NDArray[np.float64]]:
    """Words of a kind of text, and how likely each is; texts of one kind share them."""
    if kind == "java":
        found = _JAVA.split()
    elif kind == "log":
        found = _LOG.split()
    elif kind == "class":
        found = _runs_of_bytes()
    else:
        found = sorted(STOP_WORDS, key=lambda word: (len(word), word)) + _invented()
    weights = 1 / (np.arange(len(found)) + _FLAT)
    return found, weights / weights.sum()


def _invented() -> list[str]:
    """The words of the language that are no function words."""
    draw = np.random.default_rng(1)
    syllables, lengths = _SYLLABLES.split(), draw.integers(1, 4, _INVENTED)
    return ["".join(draw.choice(syllables, length)) for length in lengths]


def _runs_of_bytes() -> list[str]:
    """Runs of bytes as they stand in a class file, read as Latin-1."""
    draw = np.random.default_rng(2)
    printable = np.array([*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)], np.uint8)
    lengths = draw.integers(1, 11, _INVENTED)
    return [draw.choice(printable, length).tobytes().decode("latin-1") for length in lengths]
