"""Options and their kinds, how a task runs, progress, seeded draws, files that appear whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.base.lazy import loader

if TYPE_CHECKING:
    from ilk.base import portable as portable
    from ilk.base import resources as resources
    from ilk.base.closing import Closing
    from ilk.base.kinds import Choice, Flag, Whole
    from ilk.base.lazy import loader
    from ilk.base.meter import Meter
    from ilk.base.options import CONTAINMENT, Option, checked, default
    from ilk.base.parsed import parsed
    from ilk.base.progress import Progress, Timed, followed
    from ilk.base.running import ALONE, Running
    from ilk.base.seeded import Draw, below, draws, sample

__all__ = [
    "ALONE",
    "CONTAINMENT",
    "Choice",
    "Closing",
    "Draw",
    "Flag",
    "Meter",
    "Option",
    "Progress",
    "Running",
    "Timed",
    "Whole",
    "below",
    "checked",
    "default",
    "draws",
    "followed",
    "loader",
    "parsed",
    "portable",
    "resources",
    "sample",
]

if not TYPE_CHECKING:
    __getattr__ = loader(
        __name__,
        {
            "ilk.base.closing": ("Closing",),
            "ilk.base.kinds": (
                "Choice",
                "Flag",
                "Whole",
            ),
            "ilk.base.lazy": ("loader",),
            "ilk.base.meter": ("Meter",),
            "ilk.base.options": (
                "CONTAINMENT",
                "Option",
                "checked",
                "default",
            ),
            "ilk.base.parsed": ("parsed",),
            "ilk.base.progress": (
                "Progress",
                "Timed",
                "followed",
            ),
            "ilk.base.running": (
                "ALONE",
                "Running",
            ),
            "ilk.base.seeded": (
                "Draw",
                "below",
                "draws",
                "sample",
            ),
            "ilk.base.portable:": ("portable",),
            "ilk.base.resources:": ("resources",),
        },
    )
