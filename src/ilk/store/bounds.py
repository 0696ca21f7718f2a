"""The thresholds of a store, and how candidates are found."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from ilk.base.options import checked
from ilk.search.evidence import Thresholds
from ilk.search.noise import NoiseLimits
from ilk.search.planning import radius_for
from ilk.search.query import Query
from ilk.store.db.settings import RECALL, Settings


class Bounds(NamedTuple):
    """The thresholds, and how candidates are found.

    Attributes:
        resemblance: of near-duplicates; None accepts any.
        containment: that makes one contained in the other; None if not looked for.
        radius: the radius for candidates, in bits; if None, candidates are all that share enough
            shingles to resemble each other.
        noise: the limits for noisy copies; None if not looked for.
    """

    resemblance: Fraction | None
    containment: Fraction | None
    radius: int | None
    noise: NoiseLimits | None = None

    @property
    def of_pairs(self) -> Thresholds:
        """The thresholds in the form for the judge."""
        return Thresholds(self.resemblance, self.containment)

    def nominating(self, own: Fraction) -> Fraction:
        """Return the part of the larger set that must be shared; ``own`` is the store's own
        resemblance.
        """
        least = self.resemblance or own
        # A higher requested resemblance must not hide documents that contain the text.
        return least if self.containment is None else min(least, own)

    @classmethod
    def asked(
        cls,
        settings: Settings,
        resemblance: str | float | None,
        containment: str | float | None,
        radius: int | None,
        similarity: str | float | None,
    ) -> Bounds:
        """Return the thresholds of a query to a store; ``Store.check`` explains the options.

        Raises:
            OptionError: one is out of bounds, or two contradict each other.
        """
        if resemblance is None and radius is None and similarity is None:
            inside = checked("containment", containment)
            return cls(settings.resemblance, inside, settings.within, settings.limits)
        query = Query.of(
            settings.recipe,
            resemblance=resemblance,
            containment=containment,
            radius=radius,
            similarity=similarity,
        )
        least, within = query.resemblance, query.radius
        if within is not None:
            # A radius without more means everything within it.
            return cls(None if resemblance is None else least, query.containment, within)
        within = settings.within
        if not settings.exact and least < settings.resemblance:
            within = radius_for(settings.recipe, float(least), settings.shingle, RECALL)
        return cls(least, query.containment, within, settings.limits)
