"""A recipe: the complete, named, versioned way from a text to its fingerprint.

The options are those of ``ilk.fingerprints.recipe_options``. Everything stored or written
carries the recipe's string and digest; fingerprints of two recipes are never compared.

The string names the options in a fixed order::

    minhash64/words=3/weight=binary/fold/min=3/ilk64/v1

Read: 64 bits of MinHash over the set of 3-word shingles of NFKC and case-folded text, for texts of
at least 3 distinct shingles, hashed by ilk's own hash, all as version 1 defines them. There are two
kinds of fingerprint: packed 1-bit MinHash (Broder 1997; Li and Koenig 2010), which estimates the
resemblance of sets, and SimHash (Charikar 2002), which estimates the cosine of weighted features::

    simhash64/words=1/weight=log/fold/min=3/ilk64/v1

Less common options are in the string only if they differ from their defaults::

    simhash64/words=1/weight=tf/ties=one/fold/accents=stripped/stop=en-883fc88a/min=1/md5/v1
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ilk.base._version import RECIPE_VERSION
from ilk.base.arguments import suggest_fields
from ilk.base.errors import OptionError, RecipeError, RecipeMismatch
from ilk.fingerprints.recipe_options import (
    HASH_NAMES,
    KERNEL_HASHES,
    MASKS,
    OPTIONS,
    OTHER_HASHES,
    PRESETS,
    RABIN,
    RABIN_HASH,
    WIDTHS,
    stop_list_name_with_digest,
)

if TYPE_CHECKING:
    from ilk.fingerprints.weights import Weights


def _pattern_of_nondefault_options(*option_names: str) -> str:
    """Return the pattern of options that stand in the string only if they are not the defaults."""
    return "".join(rf"(?:/{name}=(?P<{name}>[a-z0-9-]+))?" for name in option_names)


_STRING = re.compile(
    r"(?P<kind>[a-z]+?)(?P<bits>\d{1,9})"
    r"/(?P<unit>[a-z]+)=(?P<width>\d{1,9})"
    rf"/weight=(?P<weight>[a-z]+){_pattern_of_nondefault_options('table', 'ties')}"
    rf"/(?P<normalisation>[a-z]+){_pattern_of_nondefault_options(*MASKS, 'stop')}"
    rf"/min=(?P<minimum>\d{{1,9}}){_pattern_of_nondefault_options('key')}"
    r"/(?P<hash>[a-z0-9]+)"
    r"/(?P<version>v\d{1,9})",
    re.ASCII,
)


class _OptionRule(NamedTuple):
    """Whether a recipe breaks a rule about an option, and what the option must be."""

    is_broken: bool
    option: str
    allowed_values: str


@suggest_fields
@dataclass(frozen=True, slots=True)
class Recipe:
    """The complete way from a text to its fingerprint.

    The fields are the options of ``OPTIONS``, checked there, and two things that some recipes name
    by digest and need to make fingerprints: ``weights``, a table, and ``secret``, a key of 16
    bytes. If given, they set ``table`` and ``key``. A recipe without them can still be compared.

    >>> str(Recipe(unit="chars", width=4))
    'minhash64/chars=4/weight=binary/fold/min=3/ilk64/v1'
    >>> Recipe.parse(str(Recipe())) == Recipe()
    True

    Raises:
        OptionError: an option is unknown or out of bounds, or two contradict each other.
        RecipeMismatch: ``weights`` or ``secret`` is not the one that ``table`` or ``key`` names.
        MissingExtra: ``stop`` is a language, and the lists are not installed.
    """

    kind: str = OPTIONS["kind"].default
    bits: int = OPTIONS["bits"].default
    unit: str = OPTIONS["unit"].default
    width: int = OPTIONS["width"].default
    weight: str = OPTIONS["weight"].default
    normalisation: str = OPTIONS["normalisation"].default
    minimum: int = OPTIONS["minimum"].default
    hash: str = OPTIONS["hash"].default
    ties: str = OPTIONS["ties"].default
    accents: str = OPTIONS["accents"].default
    digits: str = OPTIONS["digits"].default
    punctuation: str = OPTIONS["punctuation"].default
    spaces: str = OPTIONS["spaces"].default
    stop: str = OPTIONS["stop"].default
    table: str = OPTIONS["table"].default
    key: str = OPTIONS["key"].default
    weights: Weights | None = field(default=None, compare=False, repr=False)
    secret: bytes | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.weights is not None and not isinstance(getattr(self.weights, "basis", None), str):
            raise OptionError(
                f"weights is {self.weights!r}; it must be a table, such as Weights.read(path)."
            )
        if isinstance(self.stop, str) and re.fullmatch("[a-z]{2}", self.stop, re.ASCII):
            object.__setattr__(self, "stop", stop_list_name_with_digest(self.stop))
        if self.weights is not None:
            self._set_digest_or_refuse_other("table", self.weights.digest)
        if self.secret is not None:
            self._set_digest_or_refuse_other("key", _check_and_digest_key(self.secret))
        for name, option in OPTIONS.items():
            option.kind.check(name, getattr(self, name))
        for rule in self._option_rules():
            if rule.is_broken:
                value = getattr(self, rule.option)
                raise OptionError(f"{rule.option} is {value!r}; it must be {rule.allowed_values}.")
        if self.weights is not None and self.weights.basis != self.basis:
            raise RecipeMismatch(
                f"the table of weights was made for {self.weights.basis!r}, but the recipe's "
                f"features are {self.basis!r}. Make a table for this recipe: ilk weights build."
            )

    def _set_digest_or_refuse_other(self, option_name: str, digest: str) -> None:
        """Set the option that names a table or a key to its digest, unless it names another one.

        Raises:
            RecipeMismatch: it does.
        """
        named = getattr(self, option_name)
        if named not in ("none", digest):
            raise RecipeMismatch(
                f"the recipe names the {option_name} {named}, but the one given is "
                f"{digest}. Give the one that the fingerprints were made with."
            )
        object.__setattr__(self, option_name, digest)

    def _option_rules(self) -> Iterator[_OptionRule]:
        """Yield the rules for options that depend on others, kept or broken."""
        widths, other = WIDTHS[self.kind], OTHER_HASHES.get(self.hash)
        sets, words = self.kind == "minhash", self.unit == "words"
        allowed = f"{' or '.join(map(str, widths))} for kind {self.kind!r}"
        yield _OptionRule(self.bits not in widths, "bits", allowed)
        uncounted = "for kind 'minhash', which compares sets, however often a text has a feature"
        yield _OptionRule(sets and self.weight != "binary", "weight", f"'binary' {uncounted}")
        yield _OptionRule(sets and self.table != "none", "table", f"'none' {uncounted}")
        yield _OptionRule(
            sets and self.ties != "fixed", "ties", "'fixed' for kind 'minhash', which has no ties"
        )
        wordless = "'none' for unit 'chars', which has no words"
        yield _OptionRule(not words and self.stop != "none", "stop", wordless)
        for name in ("punctuation", "spaces"):
            yield _OptionRule(
                words and getattr(self, name) != "kept", name, "'kept' for unit 'words'"
            )
        if other is not None:
            yield _OptionRule(sets, "hash", f"one of {', '.join(KERNEL_HASHES)} for kind 'minhash'")
            unset = f"or {self.bits - other} bits would be unset in every fingerprint"
            yield _OptionRule(
                other < self.bits, "bits", f"at most {other} for hash {self.hash!r}, {unset}"
            )
        method = f"another, unless the recipe is {RABIN!r}, which is named roth2013"
        yield _OptionRule(self.hash == RABIN_HASH and str(self) != RABIN, "hash", method)
        key = "given" if self.hash == "siphash" else "'none'"
        keyed = f"{key}: only siphash has a key, and it must have one, of 16 bytes (`secret`)"
        yield _OptionRule((self.hash == "siphash") != (self.key != "none"), "key", keyed)

    @classmethod
    def parse(
        cls, string: str, *, weights: Weights | None = None, secret: bytes | None = None
    ) -> Recipe:
        """Return the recipe that a string names, or a preset.

        Args:
            string: as ``str`` gives it, or a name of ``PRESETS``.
            weights: the table that it names, or that the preset needs.
            secret: the key that it names.

        Raises:
            RecipeError: the string is not a recipe, is of another version, or names a preset that
                needs a table.
            RecipeMismatch: the table or key is not the one that the string names.
        """
        preset = PRESETS.get(string) if isinstance(string, str) else None
        if preset is not None:
            if preset.weighs is not None and weights is None:
                raise RecipeError(
                    f"{string!r} weights features by a table: make one (ilk weights build --recipe "
                    f"{preset.weighs} -o FILE) and give it (`weights`)."
                )
            string = preset.recipe
        match = _STRING.fullmatch(string) if isinstance(string, str) else None
        if match is None:
            raise RecipeError(
                f"{string!r} is not a recipe; write one like {str(cls())!r}, or one of "
                f"{', '.join(PRESETS)}."
            )
        options = {name: value for name, value in match.groupdict().items() if value is not None}
        version, hash_name = options.pop("version"), options["hash"]
        if hash_name not in HASH_NAMES:
            raise RecipeError(
                f"{string!r} names the hash {hash_name!r}, which does not exist here; it must be "
                f"one of {', '.join(sorted(HASH_NAMES))}."
            )
        if version != RECIPE_VERSION:
            raise RecipeError(
                f"{string!r} is of {hash_name}/{version}; this ilk computes "
                f"{KERNEL_HASHES[0]}/{RECIPE_VERSION}. Fingerprint the texts again, or use the "
                "version of ilk that made it."
            )
        values = {
            name: OPTIONS[name].kind.convert_word_if_possible(written)
            for name, written in options.items()
        }
        return cls(**values, weights=weights, secret=secret)

    def __str__(self) -> str:
        return (
            f"{self.kind}{self.bits}/{self.unit}={self.width}/weight={self.weight}"
            f"{self._spell_unless_default('table', 'ties')}/{self._spell_text_options()}"
            f"/min={self.minimum}{self._spell_unless_default('key')}/{self.hash}/{RECIPE_VERSION}"
        )

    def _spell_text_options(self) -> str:
        """Return the part about normalisation, about masks, and about stop words."""
        return f"{self.normalisation}{self._spell_unless_default(*MASKS, 'stop')}"

    def _spell_unless_default(self, *option_names: str) -> str:
        values = {name: getattr(self, name) for name in option_names}
        return "".join(f"/{name}={v}" for name, v in values.items() if v != OPTIONS[name].default)

    @property
    def digest(self) -> str:
        """16 hexadecimal digits, for places where the string is too long."""
        return hashlib.sha256(str(self).encode()).hexdigest()[:16]

    @property
    def basis(self) -> str:
        """The part of the string that defines the features, as tables of weights name it.

        Features with another hash are still numbered by ilk's own hash.
        """
        numbered = self.hash if self.hash in KERNEL_HASHES else KERNEL_HASHES[0]
        normalised = self._spell_text_options() + self._spell_unless_default("key")
        features = f"{self.unit}={self.width}/{normalised}"
        return f"{features}/{numbered}/{RECIPE_VERSION}"


def check_recipe(recipe: object, default: Recipe | None = None) -> Recipe:
    """Return the recipe that a function was given.

    Args:
        recipe: a recipe, its string or its name; None means the default.
        default: None stands for ``Recipe()``.

    Raises:
        OptionError: it is not a recipe.
        RecipeError: the string is not a recipe, or names one that needs a table.
    """
    if recipe is None:
        return Recipe() if default is None else default
    if isinstance(recipe, str):
        return Recipe.parse(recipe)
    if not isinstance(recipe, Recipe):
        raise OptionError(
            f"recipe is {recipe!r}; it must be a Recipe, or the name of one, such as 'precise'."
        )
    return recipe


def _check_and_digest_key(secret: bytes) -> str:
    """Return 16 hexadecimal digits that name a key; OptionError if it is not 16 bytes."""
    if not isinstance(secret, bytes) or len(secret) != 16:
        seen = f"{len(secret)} bytes" if isinstance(secret, bytes) else type(secret).__name__
        raise OptionError(f"secret is {seen}; it must be 16 bytes, such as os.urandom(16).")
    # A digest of 128 secret bits reveals nothing that could be used.
    return hashlib.sha256(b"ilk key " + secret).hexdigest()[:16]


#: SimHash of words: the Similarity Index of Roth 2013, for searches by ``similarity``. Texts with
#: the same vocabulary are close, whatever the order of their words.
SIMILARITY_INDEX = Recipe(kind="simhash", width=1, weight="log")
