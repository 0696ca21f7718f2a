"""Soundex: words that sound alike get one code (Russell 1918; as the U.S. archives use it)."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_GROUPS = {"1": "bfpv", "2": "cgjkqsxz", "3": "dt", "4": "l", "5": "mn", "6": "r"}
_DIGITS = {letter: digit for digit, letters in _GROUPS.items() for letter in letters}

#: Letters between which two of one group count once.
_SILENT = "hw"

#: Digits of a code; what is short is filled up with zeros.
DIGITS = 3


@lru_cache(1 << 16)
def soundex_or_word_itself(word: str, max_digits: int | None = DIGITS) -> str:
    """Return the code of a word: its first letter and three digits; accents do not count.

    Args:
        word: a word; one without a letter of a-z is its own code, since Soundex has none for it.
        max_digits: digits that are kept; None keeps all.

    >>> [soundex_or_word_itself(word) for word in ("Robert", "Rupert", "Ashcraft", "Lee")]
    ['R163', 'R163', 'A261', 'L000']
    >>> soundex_or_word_itself("representation", None)
    'R1625335'
    """
    decomposed = unicodedata.normalize("NFKD", word.lower())
    letters = [letter for letter in decomposed if "a" <= letter <= "z"]
    if not letters:
        return word
    digits, last = "", _DIGITS.get(letters[0])
    for letter in letters[1:]:
        digit = _DIGITS.get(letter)
        if digit and digit != last:
            digits += digit
        if letter not in _SILENT:
            last = digit
    return letters[0].upper() + digits[:max_digits].ljust(DIGITS, "0")
