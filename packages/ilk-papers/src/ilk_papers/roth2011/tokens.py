"""From a text to its k-grams: three streams of tokens, each in four variations.

Source: Roth 2011, "The method": tracking numbers 1-14 (characters), 21-34 (words), 41-54 (Soundex).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ilk_papers.roth2011.hashing import (
    BASE,
    Fingerprints,
    Places,
    Words,
    hash_codes,
    unbounded_hashes,
    utf16_code_units,
)
from ilk_papers.roth2011.soundex import DIGITS, soundex_or_word_itself
from ilk_papers.stopwords import STOP_WORDS

#: Every stream, with what it adds to the number of a method.
STREAMS = {"characters": 0, "words": 20, "soundex": 40}

#: A: as is; B: no stop words; C: no vowels (characters), or each word once; D: both.
VARIATIONS = "ABCD"

_WORD = re.compile(r"[^\W\d_]+")
_NO_VOWELS = str.maketrans("", "", "aeiou")


@dataclass(frozen=True, slots=True, eq=False)
class DocumentTokens:
    """The tokens of a document: token i is ``units[starts[i]:ends[i]]``."""

    units: Words
    starts: Places
    ends: Places

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.starts)

    def fingerprints(self, k: int, base: int = BASE) -> Fingerprints:
        """Return the hash codes of all k-grams, in order: n tokens -> n - k + 1, or 0 if n < k."""
        starts, ends = self._starts_and_ends_of_grams(k)
        return hash_codes(self.units, starts, ends, base)

    def exact_values(self, k: int) -> Fingerprints:
        """Return the same with ``unbounded_hash``: Python's integers."""
        starts, ends = self._starts_and_ends_of_grams(k)
        return unbounded_hashes(self.units, starts, ends)

    def _starts_and_ends_of_grams(self, k: int) -> tuple[Places, Places]:
        """Return where every k-gram starts and ends."""
        count = max(0, len(self) - k + 1)
        return self.starts[:count], self.ends[len(self) - count :]


def words(text: str) -> list[str]:
    """Return the words of a text: runs of letters, lower-cased.

    >>> words("Four score and seven years ago, our fathers")[:4]
    ['four', 'score', 'and', 'seven']
    """
    return _WORD.findall(text.lower())


def tokenise(
    text: str, stream: str, variation: str, soundex_digits: int | None = DIGITS
) -> DocumentTokens:
    """Return the tokens of a text, as a stream in a variation has them.

    Characters are letters without white space; words, and Soundex codes, are apart by one space.
    """
    token_list = words(text)
    if variation in "BD":
        token_list = [word for word in token_list if word not in STOP_WORDS]
    if stream == "characters":
        letters = "".join(token_list)
        return _document_of_characters(
            letters.translate(_NO_VOWELS) if variation in "CD" else letters
        )
    if variation in "CD":
        token_list = list(dict.fromkeys(token_list))
    return _document_of_words(
        [soundex_or_word_itself(word, soundex_digits) for word in token_list]
        if stream == "soundex"
        else token_list
    )


def _document_of_characters(letters: str) -> DocumentTokens:
    units = utf16_code_units(letters)
    places = np.arange(len(units))
    return DocumentTokens(units, places, places + 1)


def _document_of_words(tokens: list[str]) -> DocumentTokens:
    units = utf16_code_units(" ".join(tokens))
    spaces = np.flatnonzero(units == ord(" "))
    starts = np.concatenate([[0], spaces + 1])[: len(tokens)]
    return DocumentTokens(units, starts, np.append(spaces, len(units))[: len(tokens)])


def tokens_as_text(text: str, stream: str, variation: str) -> str:
    """Return the tokens of a text as one string: letters, or words or codes with blanks between.

    >>> tokens_as_text("Four score and seven", "soundex", "B")
    'F600 S600 S150'
    """
    units = tokenise(text, stream, variation).units.astype("<u2")
    return units.tobytes().decode("utf-16-le", "surrogatepass")


def grams(text: str, k: int, stream: str = "characters", variation: str = "A") -> list[str]:
    """Return the k-grams of a text as they are hashed.

    >>> grams("Four score", 4)
    ['four', 'ours', 'ursc', 'rsco', 'scor', 'core']
    >>> grams("Four score and seven years", 4, "words")
    ['four score and seven', 'score and seven years']
    """
    of = tokenise(text, stream, variation)
    units = of.units.astype("<u2")
    spans = zip(of.starts, of.ends[k - 1 :], strict=False)
    return [units[a:b].tobytes().decode("utf-16-le", "surrogatepass") for a, b in spans]
