"""Results and pages as files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.base.lazy import loader

if TYPE_CHECKING:
    from ilk import write as write
    from ilk.write import pages as pages
    from ilk.write import side_by_side as side_by_side
    from ilk.write import whole_file
    from ilk.write.pages import file
    from ilk.write.plots import classes, columns

__all__ = ["classes", "columns", "file", "pages", "side_by_side", "whole_file", "write"]

if not TYPE_CHECKING:
    __getattr__ = loader(
        __name__,
        {
            "ilk.write": ("whole_file",),
            "ilk.write.pages": ("file",),
            "ilk.write.plots": (
                "classes",
                "columns",
            ),
            "ilk.write.pages:": ("pages",),
            "ilk.write.side_by_side:": ("side_by_side",),
            "ilk.write:": ("write",),
        },
    )
