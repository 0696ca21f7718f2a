"""Stop words: named lists of words that say nothing about a text.

The lists are those of the package ``stopwordsiso``, by language (``en``, ``de``, ...). A recipe
names a list with a digest of its entries, so another version of the list is another recipe.
"""

from __future__ import annotations

import hashlib
import re

from ilk.base.errors import MissingExtra, OptionError, RecipeMismatch

#: A list as a recipe names it: language and digest.
NAMED = re.compile(r"([a-z]{2})-([0-9a-f]{8})", re.ASCII)


def entries(language: str) -> list[str]:
    """Return the list of a language, sorted.

    Raises:
        OptionError: there is no list of that language.
        MissingExtra: the lists are not installed.
    """
    try:
        import stopwordsiso
    except ImportError as error:
        raise MissingExtra("stopwordsiso", "stopwords") from error
    if language not in stopwordsiso.langs():
        known = ", ".join(sorted(stopwordsiso.langs()))
        raise OptionError(f"stop is {language!r}; it must be one of none, {known}.")
    return sorted(stopwordsiso.stopwords(language))


def named(language: str) -> str:
    """Return a recipe's name for the list of a language.

    Raises:
        OptionError, MissingExtra: as ``entries``.
    """
    joined = "\n".join(entries(language))
    return f"{language}-{hashlib.sha256(joined.encode()).hexdigest()[:8]}"


def words(name: str) -> list[str]:
    """Return the entries of a list that a recipe names; ``none`` has no entries.

    Raises:
        RecipeMismatch: another version of the list is installed.
        MissingExtra: the lists are not installed.
    """
    if name == "none":
        return []
    language = name.split("-")[0]
    installed = named(language)
    if installed != name:
        raise RecipeMismatch(
            f"the recipe names the stop list {name}, but the installed one is {installed}. Install "
            "the version of stopwordsiso that made the fingerprints (0.7.1 for the presets), or "
            "fingerprint the texts again."
        )
    return entries(language)
