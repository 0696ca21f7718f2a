"""The request of a search: its options, checked once and passed on together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from ilk.base.errors import OptionError
from ilk.base.kinds import Share
from ilk.base.options import SAME_SITE, STRICTER, check_option
from ilk.fingerprints.hamming import check_radius
from ilk.fingerprints.recipe import Recipe
from ilk.search.counting import BaseText, Counting, check_ignore
from ilk.search.linkage import Linkage
from ilk.search.programs import AsCode, check_as_code_if_given
from ilk.search.ranking import refuse_unfit_policies
from ilk.search.staying import NONE

#: The recipe of fingerprints that nominate rows: wide enough that almost no two strangers are
#: joined together.
NOMINATING = Recipe(bits=128)


@dataclass(frozen=True, slots=True)
class Query:
    """The request of a search; ``SOUGHT`` in the table of options explains each option.

    Attributes:
        containment, noise: None if not looked for.
        by: None if the number of words decides.
        as_: None if texts are compared as they are.
        keep_up_to: how many of a cluster stay; 0 if none of those that are like another one.
        base: the text whose shingles do not count; None counts all.
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
    ignore: tuple[str, ...]
    common_blocks: int | None
    same_site: Fraction | None
    pairing: str | None
    recall: Fraction
    linkage: Linkage
    noise: Fraction | None
    keep: tuple[str, ...]
    keep_numbers_only: bool
    keep_up_to: int
    max_pairs: int
    by: str | None = None
    as_: AsCode | None = None
    base: BaseText | None = None

    @classmethod
    def from_options(
        cls,
        recipe: Recipe,
        *,
        of_rows: bool = False,
        # Parameters query, by scripts/make-signatures.
        resemblance: str | float | None = 0.8,
        noise: str | float | None = None,
        keep: str | Sequence[str] = "first",
        shingle: int | None = 3,
        by: str | None = None,
        as_: str | None = None,
        ignore: str | Sequence[str] | None = None,
        same_site: str | float | None = None,
        pairing: str | None = None,
        recall: str | float | None = None,
        linkage: str | None = "anchored",
        max_pairs: int | None = 100_000_000,
        common_blocks: int | None = None,
        containment: str | float | None = None,
        radius: int | None = None,
        similarity: str | float | None = None,
        unverified: bool = False,
        keep_numbers_only: bool = False,
        keep_up_to: int | None = 1,
        # End of what is written.
    ) -> Query:
        """Check keyword arguments; None stands for the default.

        Args:
            recipe: how to make fingerprints.
            of_rows: whether policies may be over columns of a data set.

        Options:
            resemblance: the least share of shingles that near-duplicates have in common, verified
                on the texts.
            noise: also find scanned, retyped or transcribed copies in which up to this share of the
                characters is wrong; at most 10%.
            keep: which document of a cluster stays (original: fewer marks of a copy in its path,
                then the folder that people use, then the oldest; first: first in source order;
                last: last in source order; longest: most text; shortest: least text; newest:
                modified last; oldest: modified first; central: greatest sum of resemblances in its
                family; prefer:PATTERN: name or path matches the glob, as for ``exclude``); if
                repeated, the first one that decides.
            shingle: words per shingle.
            by: compare all texts by words, or by characters (default: by characters where one text
                has fewer than 50 words and the other fewer than 100, else by words).
            as_: compare programs: a name, a number or a string is one word, whichever it is, and
                comments and layout do not count; ``code`` takes the language from the name of each
                file, ``code:python`` names it; needs the extra ``code`` (default: as they are).
            ignore: do not see these differences, separated by commas (accents: accents of letters;
                digits: which number it is: every run of digits counts as one 0; punctuation:
                punctuation and symbols: they count as spaces, and an apostrophe within a word as
                nothing); texts that differ in nothing else are exact copies; repeatable.
            same_site: the resemblance that two documents of one site need, since both contain its
                template: a share, or ``stricter`` for 0.9; the site is the host of an id that is a
                URL, or else the first folder below the path.
            pairing: exact: join the shingle sets and miss nothing; fingerprint: find candidates by
                fingerprint, then verify them (default: exact).
            recall: the share of the near-duplicates to find by fingerprint; it decides the radius;
                only with ``pairing``.
            linkage: anchored: every member is like its keeper; connected: every member is like some
                other member.
            max_pairs: stop with an error if there are more pairs than this.
            common_blocks: ignore paragraphs and lines that more than N documents share, and list
                them.
            containment: also report a document if at least this share of it is in another one.
            radius: compare only pairs whose fingerprints differ in at most this many bits.
            similarity: the same as a radius, as a share of equal bits, such as 90%.
            unverified: also show pairs within the radius that are below ``resemblance``, with the
                verdict ``within N bits``.
            keep_numbers_only: keep rows that differ from the keeper only in numbers.
            keep_up_to: keep up to N rows of a cluster, the best first as ``keep`` ranks them.

        Raises:
            OptionError: an option is out of bounds, or two contradict each other.
        """
        if radius is not None and similarity is not None:
            raise OptionError("`radius` and `similarity` say the same thing; give one of them.")
        if radius is not None and recall is not None:
            raise OptionError("`radius` follows from `recall`; give one of them.")
        if similarity is not None:
            radius = radius_of_bit_agreement(similarity, recipe.bits)
        if radius is not None and pairing == "exact":
            raise OptionError(
                "`radius` and `similarity` are for fingerprints; the exact pairing does not use "
                'them. Leave them out, or choose `pairing="fingerprint"`.'
            )
        if unverified and radius is None:
            raise OptionError(
                "`unverified` shows pairs found by bits alone; give `radius` or `similarity` too."
            )
        by_bits = pairing == "fingerprint" or unverified
        if noise is not None and (by_bits or radius is not None):
            raise OptionError(
                "`noise` nominates by shingles of characters, not by fingerprints; leave it out, "
                "or leave out options for fingerprints: `radius`, `similarity` and `pairing`."
            )
        if unverified and same_site is not None:
            raise OptionError(
                "`same_site` is a resemblance, but `unverified` shows pairs of any resemblance; "
                "give one of them."
            )
        min_resemblance: Fraction = check_option("resemblance", resemblance)
        several = (keep,) if isinstance(keep, str) or not isinstance(keep, Iterable) else keep
        policies: tuple[str, ...] = tuple(several)
        refuse_unfit_policies(policies, has_columns=of_rows)
        max_kept: int = check_option("keep_up_to", keep_up_to)
        if NONE in policies:
            if max_kept > 1:
                raise OptionError(
                    f"`keep` is {NONE!r}, and `keep_up_to` {max_kept}; leave out one of the two."
                )
            policies, max_kept = ("first",), 0
        if radius is not None:
            radius = check_radius(radius, recipe.bits)
        language = check_as_code_if_given(as_)
        if of_rows and language is not None and language.language is None:
            raise OptionError(
                "`as_` is code, but rows have no file names that tell their languages; name one, "
                "such as code:python."
            )
        refuse_noise_and_ignore_for_programs(language, noise, check_ignore(ignore))
        return cls(
            recipe=recipe,
            resemblance=min_resemblance,
            containment=check_option("containment", containment),
            radius=check_option("radius", radius),
            unverified=check_option("unverified", unverified),
            shingle=check_option("shingle", shingle),
            ignore=check_ignore(ignore),
            common_blocks=check_option("common_blocks", common_blocks),
            same_site=_check_same_site_resemblance(same_site, min_resemblance=min_resemblance),
            pairing=check_option("pairing", pairing),
            recall=check_option("recall", recall),
            linkage=check_option("linkage", linkage),
            noise=check_option("noise", noise),
            keep=policies,
            keep_numbers_only=check_option("keep_numbers_only", keep_numbers_only),
            keep_up_to=max_kept,
            max_pairs=check_option("max_pairs", max_pairs),
            by=check_option("by", by),
            as_=language,
        )

    @property
    def counting(self) -> Counting:
        """What counts of a text."""
        return Counting(self.shingle, ignore=self.ignore, base=self.base, by=self.by, as_=self.as_)

    def refuse_noise_and_fingerprints_for_base_text(self) -> None:
        """Refuse what a base text has no part in.

        Raises:
            OptionError: fingerprints or noisy copies are looked for, which are about whole texts.
        """
        if self.noise is not None:
            raise OptionError(
                "`noise` aligns whole texts, with the base text in them; leave out `noise` or "
                "`ignore_text`."
            )
        if self.pairing == "fingerprint" or self.radius is not None:
            raise OptionError(
                "fingerprints are those of whole texts, with the base text in them; leave out "
                "`ignore_text`, or the options for fingerprints."
            )

    def plain_values(self) -> dict[str, Any]:
        """Return it as plain values, for a report."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        base = plain.pop("base")
        plain["ignore_text"] = [] if base is None else list(base.names)
        if base is not None:
            plain["base_text"] = base.digest
        as_ = plain.pop("as_")
        plain["as"] = None if as_ is None else str(as_)
        shares = {name: float(v) for name, v in plain.items() if isinstance(v, Fraction)}
        keep = [NONE] if self.keep_up_to == 0 else list(self.keep)
        return plain | shares | {"recipe": str(self.recipe), "keep": keep}


def refuse_noise_and_ignore_for_programs(
    as_code: AsCode | None, noise: str | float | None, ignore: tuple[str, ...]
) -> None:
    """Refuse what has no part in a comparison of programs; None compares texts as they are.

    Raises:
        OptionError: noisy copies are looked for, or differences are ignored.
    """
    if as_code is None:
        return
    if noise is not None:
        raise OptionError("`noise` aligns texts as they are; leave out `noise`, or `as_`.")
    if ignore:
        raise OptionError(
            "`as_` has words for signs and one for all numbers, so nothing is left to "
            "`ignore`; leave out one of the two."
        )


def _check_same_site_resemblance(
    value: str | float | None, *, min_resemblance: Fraction
) -> Fraction | None:
    """Return the least resemblance of a pair of one site; None if that of all pairs holds."""
    if value is None:
        return None
    strict = value == STRICTER
    share: Fraction = Share().check("same_site", SAME_SITE if strict else value)
    if strict:
        return max(min_resemblance, share)
    if share < min_resemblance:
        raise OptionError(
            f"`same_site` is {value}, below the resemblance {float(min_resemblance)} "
            f"that all pairs need; it must be at least that, or {STRICTER!r}."
        )
    return share


def radius_of_bit_agreement(similarity: str | float, bits: int = 64) -> int:
    """Return the radius that a bit agreement allows: floor(bits x (1 - similarity)).

    Source: Roth 2013, section 2.2.2: 90 % of 64 bits allow 6 to differ.

    >>> radius_of_bit_agreement("90%"), radius_of_bit_agreement(0.9), radius_of_bit_agreement(1)
    (6, 6, 0)
    """
    share: Fraction = check_option("similarity", similarity)
    return math.floor(bits * (1 - share))
