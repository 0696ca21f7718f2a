"""What is asked of a store: the options of a question, as thresholds."""

from __future__ import annotations

from ilk.errors import OptionError
from ilk.pairing import measures
from ilk.pairing.hamming import checked_radius
from ilk.search import planning
from ilk.store.db import file
from ilk.store.db.file import Settings
from ilk.store.matching import Thresholds


def thresholds(
    settings: Settings,
    resemblance: float | None,
    containment: float | None,
    radius: int | None,
    similarity: str | float | None,
) -> Thresholds:
    """What counts as like; ``Store.check`` explains the options.

    Raises:
        OptionError: one is out of bounds, or two contradict each other.
    """
    if radius is not None and similarity is not None:
        raise OptionError("radius and similarity say the same thing; give one of them.")
    bits = settings.recipe.bits
    if similarity is not None:
        radius = planning.radius_for(similarity, bits)
    part = None if containment is None else measures.threshold("containment", containment)
    least = None if resemblance is None else measures.threshold("resemblance", resemblance)
    if radius is not None:
        return Thresholds(least, part, checked_radius(radius, bits))
    if settings.exact or least is None or least >= settings.resemblance:
        return Thresholds(least or settings.resemblance, part, settings.within)
    return Thresholds(least, part, file.radius_for(settings.recipe, least, settings.shingle))
