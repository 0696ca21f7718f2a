"""URLs as the standard spells them."""

from __future__ import annotations

from ilk_web import urls
from ilk_web.errors import UrlError


def spell_by_standard_or_none(url: str) -> str | None:
    """Return the standard's spelling, to which no rule has been applied; None if it is no URL."""
    try:
        return urls.canonical(url, "safe-escapes")
    except UrlError:
        return None
