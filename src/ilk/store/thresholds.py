"""What counts as like in a store, and how it is looked for."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from ilk.options.table import checked
from ilk.pairing.evidence import Thresholds as Alike
from ilk.pairing.noise import Limits
from ilk.search.planning import radius_for
from ilk.search.sought import Sought
from ilk.store.db.settings import RECALL, Settings


class Thresholds(NamedTuple):
    """What counts as like, and how it is looked for.

    Attributes:
        resemblance: of near-duplicates; None takes any.
        containment: that makes one contained in the other; None looks for no such pairs.
        radius: the bits within which candidates are looked for; None looks for all that share so
            much of their shingles as they must to resemble each other.
        noise: what is asked of noisy copies; None looks for none.
    """

    resemblance: Fraction | None
    containment: Fraction | None
    radius: int | None
    noise: Limits | None = None

    @property
    def of_pairs(self) -> Alike:
        """What counts as alike, as the judge takes it."""
        return Alike(self.resemblance, self.containment)

    def nominating(self, own: Fraction) -> Fraction:
        """Return the part of the larger set that must be shared; ``own`` is what the store was made
        for.
        """
        least = self.resemblance or own
        # A higher resemblance that is asked for shall not hide what contains the text.
        return least if self.containment is None else min(least, own)

    @classmethod
    def asked(
        cls,
        settings: Settings,
        resemblance: str | float | None,
        containment: str | float | None,
        radius: int | None,
        similarity: str | float | None,
    ) -> Thresholds:
        """Return what a question means to a store; ``Store.check`` explains the options.

        Raises:
            OptionError: one is out of bounds, or two contradict each other.
        """
        if resemblance is None and radius is None and similarity is None:
            inside = checked("containment", containment)
            return cls(settings.resemblance, inside, settings.within, settings.limits)
        sought = Sought.of(
            settings.recipe,
            resemblance=resemblance,
            containment=containment,
            radius=radius,
            similarity=similarity,
        )
        least, within = sought.resemblance, sought.radius
        if within is not None:
            # Who asks for a radius alone asks for everything within it.
            return cls(None if resemblance is None else least, sought.containment, within)
        within = settings.within
        if not settings.exact and least < settings.resemblance:
            within = radius_for(settings.recipe, float(least), settings.shingle, RECALL)
        return cls(least, sought.containment, within, settings.limits)
