"""A store as a dictionary: every text is compared with every other one."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import ilk
from tests.reference import pairing
from tests.reference import text as reference

#: Verdicts whose documents are of one kind; those that differ only in numbers are near too.
SAME = ("identical", "exact", "near")


@lru_cache(maxsize=10_000)
def _fingerprint(text: str, recipe: ilk.Recipe) -> int | None:
    value = ilk.fingerprint([text], recipe)[0].as_py()
    return int.from_bytes(value, "big") if isinstance(value, bytes) else value


@lru_cache(maxsize=10_000)
def form(text: str) -> bytes:
    """What two texts have in common that are exact duplicates; empty for a blank one."""
    return reference.digested(text)


@lru_cache(maxsize=10_000)
def _counts(left: str, right: str) -> tuple[int, int, int]:
    return reference.resemblance(left, right)


@dataclass
class Model:
    """What a store must say; one without a radius finds whatever is like a text."""

    recipe: ilk.Recipe
    radius: int | None
    least: Fraction
    texts: dict[int, str] = field(default_factory=dict)

    def verdict(self, left: str, right: str) -> str | None:
        """How the left text is like the right one; None if it is not, or is not nominated."""
        if not form(left) or not form(right):
            return None
        if form(left) == form(right):
            return "identical" if left == right else "exact"
        if not self._near(left, right):
            return None
        shared, first, second = _counts(left, right)
        if Fraction(shared, max(1, first + second - shared)) >= self.least:
            return "near"
        if reference.stands(left, right, Fraction("0.95")):
            return "contained"
        return "contains" if reference.stands(right, left, Fraction("0.95")) else None

    def _near(self, left: str, right: str) -> bool:
        """Whether the fingerprints nominate the pair, if they are asked."""
        if self.radius is None:
            return True
        a, b = _fingerprint(left, self.recipe), _fingerprint(right, self.recipe)
        return a is not None and b is not None and (a ^ b).bit_count() <= self.radius

    def must_be_found(self, left: str, right: str) -> bool:
        """Whether a pair that is like has to be told: without a radius, one of unequal size may."""
        shared, first, second = _counts(left, right)
        return (
            self.radius is not None
            or form(left) == form(right)
            or Fraction(shared, max(1, first, second)) >= self.least
        )

    def like(self, text: str) -> dict[int, str]:
        """Every stored document that a text is like, with the verdict."""
        found = {id_: self.verdict(text, other) for id_, other in self.texts.items()}
        return {id_: verdict for id_, verdict in found.items() if verdict is not None}

    def clusters(self) -> list[list[int]]:
        """Anchored clusters of all documents in the order of their ids."""
        firsts: dict[bytes, int] = {}
        standing = {
            id_: firsts.setdefault(form(text), id_) if form(text) else id_
            for id_, text in sorted(self.texts.items())
        }
        ids = sorted(set(standing.values()))
        pairs = {
            (i, j)
            for i, a in enumerate(ids)
            for j, b in enumerate(ids)
            if i < j and self.verdict(self.texts[a], self.texts[b]) in SAME
        }
        keepers = pairing.anchored(range(len(ids)), pairs)
        found: dict[int, list[int]] = {}
        for id_, first in standing.items():
            found.setdefault(ids[keepers[ids.index(first)]], []).append(id_)
        return [sorted(members) for _, members in sorted(found.items()) if len(members) > 1]
