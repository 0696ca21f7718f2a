"""What counts of a text: which of its shingles are compared, and what is not seen of them.

The evidence of texts depends on it, so it is part of the identity of evidence, like a recipe of
fingerprints: what was counted in one way is never compared with what was counted in another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.base.errors import OptionError
from ilk.base.options import IGNORED, OPTIONS
from ilk.fingerprints.digest import digest_of_pieces
from ilk.fingerprints.recipe import Recipe
from ilk.search.programs import AsCode

#: What the kernels call the differences that may be ignored.
_MASKS = {name: name for name in IGNORED} | {"punctuation": "punctuation_as_space"}

_MOST_WORDS = (1 << 32) - 1


class WordCountLimits(NamedTuple):
    """The numbers of words that decide whether a text is measured by words or by characters
    (``LengthClass`` in Rust).

    Attributes:
        characters_below: a text of fewer words has a set of characters too.
        min_words, max_words: its number of words is raised or lowered to these, if it has any.
    """

    characters_below: int
    min_words: int
    max_words: int


#: By the option ``by``. A text without a word has characters alone.
_WORD_COUNT_LIMITS = {
    None: WordCountLimits(_kernels.LONG_FROM_WORDS, 0, _MOST_WORDS),
    "words": WordCountLimits(1, _kernels.LONG_FROM_WORDS, _MOST_WORDS),
    "characters": WordCountLimits(_MOST_WORDS, 0, _kernels.SHORT_BELOW_WORDS - 1),
}


@dataclass(frozen=True, slots=True)
class BaseText:
    """A text that does not count, wherever it stands: a template, a hand-out, a licence.

    Attributes:
        hashes: those of its shingles of words (``uint64``), ascending.
        digest: what tells it from other base texts.
        names: the paths that were given; none for one in memory.
    """

    hashes: pa.Array = field(compare=False, repr=False)
    digest: str
    names: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def from_shingle_hashes(
        cls, word_shingle_hashes: pa.Array, counting: Counting, paths: tuple[str, ...] = ()
    ) -> BaseText:
        """Return the base of some shingles (``uint64``, in any order), as they were counted."""
        every = pc.unique(word_shingle_hashes).sort()
        content = pa.array(every).buffers()[1] if len(every) else b""
        digest = digest_of_pieces([str(counting).encode(), memoryview(content)]).hex()
        return cls(every, digest, paths)

    def __str__(self) -> str:
        return self.digest


@dataclass(frozen=True, slots=True)
class Counting:
    """What counts of a text.

    Attributes:
        shingle: words per shingle.
        ignore: the differences that are not seen, in the order of ``IGNORED``.
        base: the text whose shingles do not count; None counts all.
        by: ``words`` or ``characters``; None decides by the number of words.
        as_: how the text is read before it counts; None as it is.
    """

    shingle: int
    _: KW_ONLY
    ignore: tuple[str, ...] = ()
    base: BaseText | None = None
    by: str | None = None
    as_: AsCode | None = None

    @property
    def word_count_limits(self) -> WordCountLimits:
        """The numbers of words that decide which shingles measure a text."""
        return _WORD_COUNT_LIMITS[self.by]

    def replace_programs_by_words_if_as_code(
        self, texts: pa.ChunkedArray, sources: pa.Array | None
    ) -> pa.ChunkedArray:
        """Return texts as the kernels take them: of programs, the words that count.

        ``sources``: the names of the documents, which show what is a program; None if they have
        none. The kernels themselves leave out what is ignored.
        """
        if self.as_ is None:
            return texts
        names = [None] * len(texts) if sources is None else sources.to_pylist()
        return arrow.import_texts(self.as_.replace_programs_by_words(texts.to_pylist(), names))

    @property
    def kernel_mask_names(self) -> list[str]:
        """The differences that are not seen, by the names that kernels know."""
        return [_MASKS[name] for name in self.ignore]

    def __str__(self) -> str:
        """Return the canonical string.

        >>> str(Counting(3)), str(Counting(2, ignore=("accents", "digits"), by="words"))
        ('words=3', 'words=2/ignore=accents,digits/by=words')
        """
        ignored = f"/ignore={','.join(self.ignore)}" if self.ignore else ""
        base = "" if self.base is None else f"/ignore-text={self.base}"
        by = "" if self.by is None else f"/by={self.by}"
        as_ = "" if self.as_ is None else f"/as={self.as_.identity}"
        return f"words={self.shingle}{ignored}{base}{by}{as_}"

    def make_recipe_ignore_same_accents_and_digits(self, recipe: Recipe) -> Recipe:
        """Return a recipe that sees no more than this: it nominates what is then compared."""
        accents = "stripped" if "accents" in self.ignore else recipe.accents
        digits = "masked" if "digits" in self.ignore else recipe.digits
        return replace(recipe, accents=accents, digits=digits)

    @property
    def phrase_of_differences_between_equal_texts(self) -> str:
        """What may differ between texts that are equal, in words.

        >>> Counting(3).phrase_of_differences_between_equal_texts
        'case, width or white space'
        >>> Counting(3, ignore=("accents", "punctuation")).phrase_of_differences_between_equal_texts
        'case, width, white space, accents or punctuation'
        """
        *names, last = ("case", "width", "white space", *self.ignore)
        return f"{', '.join(names)} or {last}"


def check_ignore(names: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the differences to ignore, each once, in the order of the table.

    Args:
        names: one name, or several, or several in one text, separated by commas.

    Raises:
        OptionError: there is no such difference.

    >>> check_ignore("digits, accents")
    ('accents', 'digits')
    """
    if names is None:
        return ()
    several = [names] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)
    texts = [OPTIONS["ignore"].kind.check("ignore", name) for name in several]
    parts = [part.strip() for text in texts for part in text.split(",")]
    for part in parts:
        if part not in IGNORED:
            raise OptionError(
                f"`ignore` is {part!r}; it must be {', '.join(IGNORED)}, or several of these, "
                "separated by commas."
            )
    return tuple(name for name in IGNORED if name in parts)
