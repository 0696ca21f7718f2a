"""Parts of a command line: parsers, options, output and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.base.lazy import loader

if TYPE_CHECKING:
    from ilk.cli import options as options
    from ilk.cli import output as output
    from ilk.cli.options import Adder, argument, group
    from ilk.cli.progress import counted, note, printable, refused
    from ilk.cli.store import CREATING
    from ilk.cli.store.shared import created
    from ilk.cli.wording import spelled

__all__ = [
    "CREATING",
    "Adder",
    "argument",
    "counted",
    "created",
    "group",
    "note",
    "options",
    "output",
    "printable",
    "refused",
    "spelled",
]

if not TYPE_CHECKING:
    __getattr__ = loader(
        __name__,
        {
            "ilk.cli.options": (
                "Adder",
                "argument",
                "group",
            ),
            "ilk.cli.progress": (
                "counted",
                "note",
                "printable",
                "refused",
            ),
            "ilk.cli.store": ("CREATING",),
            "ilk.cli.store.shared": ("created",),
            "ilk.cli.wording": ("spelled",),
            "ilk.cli.options:": ("options",),
            "ilk.cli.output:": ("output",),
        },
    )
