"""The request of a search: its options, checked once and passed on together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from ilk.base.errors import OptionError
from ilk.base.kinds import Share
from ilk.base.options import SAME_SITE, STRICTER, check_option, default
from ilk.fingerprints.hamming import checked_radius
from ilk.fingerprints.recipe import Recipe
from ilk.search.ranking import check_policies

#: The recipe of fingerprints that nominate rows: wide enough that almost no two strangers are
#: joined together.
NOMINATING = Recipe(bits=128)


@dataclass(frozen=True, slots=True)
class Query:
    """The request of a search; ``SOUGHT`` in the table of options explains each option.

    Attributes:
        containment, noise: None if not looked for.
        common_blocks: None counts all blocks.
        same_site: None if the same as for others.
        pairing: if None, the plan decides.
    """

    recipe: Recipe
    resemblance: Fraction
    containment: Fraction | None
    radius: int | None
    unverified: bool
    shingle: int
    common_blocks: int | None
    same_site: Fraction | None
    pairing: str | None
    recall: Fraction
    linkage: str
    noise: Fraction | None
    keep: tuple[str, ...]
    keep_numbers_only: bool
    max_pairs: int

    @classmethod
    def of(
        cls,
        recipe: Recipe,
        *,
        similarity: str | float | None = None,
        same_site: str | float | None = None,
        keep: str | Sequence[str] = default("keep"),
        columns: bool = False,
        **options: Any,
    ) -> Query:
        """Check keyword arguments; None, or nothing, stands for the default.

        Args:
            recipe: how to make fingerprints.
            similarity: the radius, as a share of equal bits.
            same_site: the least resemblance of a pair of one site, or ``stricter``.
            keep: a policy, or several.
            columns: whether policies are over columns of a data set.
            options: the other attributes, by name.

        Raises:
            OptionError: an option is out of bounds, or two contradict each other.
        """
        radius, resemblance = options.get("radius"), options.pop("resemblance", None)
        if radius is not None and similarity is not None:
            raise OptionError("`radius` and `similarity` say the same thing; give one of them.")
        if radius is not None and options.get("recall") is not None:
            raise OptionError("`radius` follows from `recall`; give one of them.")
        if similarity is not None:
            options["radius"] = radius = radius_of(similarity, recipe.bits)
        if radius is not None and options.get("pairing") == "exact":
            raise OptionError(
                "`radius` and `similarity` are for fingerprints; the exact pairing does not use "
                'them. Leave them out, or choose `pairing="fingerprint"`.'
            )
        if options.get("unverified") and radius is None:
            raise OptionError(
                "`unverified` shows pairs found by bits alone; give `radius` or `similarity` too."
            )
        by_bits = options.get("pairing") == "fingerprint" or options.get("unverified")
        if options.get("noise") is not None and (by_bits or radius is not None):
            raise OptionError(
                "`noise` nominates by shingles of characters, not by fingerprints; leave it out, "
                "or leave out options for fingerprints: `radius`, `similarity` and `pairing`."
            )
        if options.get("unverified") and same_site is not None:
            raise OptionError(
                "`same_site` is a resemblance, but `unverified` shows pairs of any resemblance; "
                "give one of them."
            )
        least: Fraction = check_option("resemblance", resemblance)
        several = (keep,) if isinstance(keep, str) or not isinstance(keep, Iterable) else keep
        policies: tuple[str, ...] = tuple(several)
        check_policies(policies, columns=columns)
        if radius is not None:
            options["radius"] = checked_radius(radius, recipe.bits)
        given: dict[str, Any] = {"resemblance": least, "same_site": _of_one_site(same_site, least)}
        given |= {"recipe": recipe, "keep": policies}
        rest = {field.name for field in fields(cls)} - given.keys()
        return cls(**given, **{name: check_option(name, options.pop(name, None)) for name in rest})

    def plain(self) -> dict[str, Any]:
        """Return it as plain values, for a report."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        shares = {name: float(v) for name, v in plain.items() if isinstance(v, Fraction)}
        return plain | shares | {"recipe": str(self.recipe)}


def _of_one_site(value: str | float | None, least: Fraction) -> Fraction | None:
    """Return the least resemblance of a pair of one site."""
    if value is None:
        return None
    strict = value == STRICTER
    asked: Fraction = Share().check("same_site", SAME_SITE if strict else value)
    if strict:
        return max(least, asked)
    if asked < least:
        raise OptionError(
            f"`same_site` is {value}, below the resemblance {float(least)} that all pairs need; it "
            f"must be at least that, or {STRICTER!r}."
        )
    return asked


def radius_of(similarity: str | float, bits: int = 64) -> int:
    """Return the radius that a bit agreement allows: floor(bits x (1 - similarity)).

    Source: Roth 2013, section 2.2.2: 90 % of 64 bits allow 6 to differ.

    >>> radius_of("90%"), radius_of(0.9), radius_of(1)
    (6, 6, 0)
    """
    share: Fraction = check_option("similarity", similarity)
    return math.floor(bits * (1 - share))
