"""What counts of a text: which of its shingles are compared, and what is not seen of them.

The evidence of texts depends on it, so it is part of the identity of evidence, like a recipe of
fingerprints: what was counted in one way is never compared with what was counted in another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import pyarrow as pa

from ilk.base.errors import OptionError
from ilk.base.options import IGNORED, OPTIONS
from ilk.fingerprints.recipe import Recipe

#: What the kernels call the differences that may be ignored.
_MASKS = {name: name for name in IGNORED} | {"punctuation": "punctuation_as_space"}


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


@dataclass(frozen=True, slots=True)
class Counting:
    """What counts of a text.

    Attributes:
        shingle: words per shingle.
        ignore: the differences that are not seen, in the order of ``IGNORED``.
        base: the text whose shingles do not count; None counts all.
    """

    shingle: int
    ignore: tuple[str, ...] = ()
    base: BaseText | None = None

    @property
    def masks(self) -> list[str]:
        """The differences that are not seen, by the names that kernels know."""
        return [_MASKS[name] for name in self.ignore]

    def __str__(self) -> str:
        """Return the canonical string.

        >>> str(Counting(3)), str(Counting(2, ("accents", "digits")))
        ('words=3', 'words=2/ignore=accents,digits')
        """
        ignored = f"/ignore={','.join(self.ignore)}" if self.ignore else ""
        base = "" if self.base is None else f"/ignore-text={self.base.digest}"
        return f"words={self.shingle}{ignored}{base}"

    def fit_recipe(self, recipe: Recipe) -> Recipe:
        """Return a recipe that sees no more than this: it nominates what is then compared."""
        accents = "stripped" if "accents" in self.ignore else recipe.accents
        digits = "masked" if "digits" in self.ignore else recipe.digits
        return replace(recipe, accents=accents, digits=digits)

    @property
    def differences(self) -> str:
        """What may differ between texts that are equal, in words.

        >>> Counting(3).differences, Counting(3, ("accents", "punctuation")).differences
        ('case, width or white space', 'case, width, white space, accents or punctuation')
        """
        *names, last = ("case", "width", "white space", *self.ignore)
        return f"{', '.join(names)} or {last}"


def checked_ignore(names: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the differences to ignore, each once, in the order of the table.

    Args:
        names: one name, or several, or several in one text, separated by commas.

    Raises:
        OptionError: there is no such difference.

    >>> checked_ignore("digits, accents")
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
