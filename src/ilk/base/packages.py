"""The companion packages: what registers itself, and what a missing one would add.

A package registers by entry points: verbs in the group ``ilk.verbs``, readers of rows in
``ilk.readers``, readers of a format of documents in ``ilk.formats``, engines of ``ilk dedup`` in
``ilk.engines``. The core imports none of them by name.

A reader of a format has the name of the format in ``read/formats/table.py``. It is a function of
an open file, ``ilk.Limits``, and the options that the table lists, and yields parts
(``read/formats/parts.py``). Only child processes call it.
"""

from __future__ import annotations

import functools
import importlib.util
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ilk.base.errors import PACKAGES, MissingExtra, OptionError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: By the extra that installs them, the verbs of a package, and the extensions of the rows it reads.
OFFERED = {
    "web": (("urls", "mirrors", "changes"), (".warc", ".wet", ".arc", ".wacz")),
    "server": (("serve", "review"), ()),
    "spark": ((), ()),
    "sql": (("fill", "sql"), ()),
    "papers": (("papers", "calibrate", "weights"), ()),
}


@functools.cache
def entry_points_in_ilk_group(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group, such as ``verbs``, by name."""
    from importlib.metadata import entry_points  # A tenth of the start, which most need not pay.

    return {point.name: point for point in sorted(entry_points(group=f"ilk.{group}"))}


def load_entry_point(entry_point: EntryPoint) -> Any:
    """Return what an entry point names; OptionError with its package if that cannot be loaded."""
    try:
        return entry_point.load()
    except Exception as error:  # Whatever the code of a package raises.
        dist = entry_point.dist
        name = f"{entry_point.value} of the package {dist.name if dist else '?'}"
        raise OptionError(f"{name} cannot be loaded ({error}); update it, or remove it.") from error


def companion_extra_or_none(
    *, verb: str | None = None, rows_extension: str | None = None
) -> str | None:
    """Return the extra of the companion package that has a verb, or a reader of rows by extension;
    None if none has.
    """
    for package, (verbs, extensions) in OFFERED.items():
        if verb in verbs or rows_extension in extensions:
            return package
    return None


def missing_verbs_by_extra() -> dict[str, tuple[str, ...]]:
    """Return the verbs of the packages that are not installed, by the names of their extras."""
    return {
        package: verbs
        for package, (verbs, _) in OFFERED.items()
        if verbs and not entry_points_in_ilk_group("verbs").keys() & set(verbs)
    }


def import_optional(name: str, extra: str) -> ModuleType:
    """Import a library that an extra installs; MissingExtra if it is not installed."""
    if importlib.util.find_spec(name) is None:
        raise MissingExtra(name, extra)
    return importlib.import_module(name)


def make_missing_extra_error(extra: str) -> MissingExtra:
    """Return the error that says how to install the package of an extra."""
    return MissingExtra(PACKAGES.get(extra, f"ilk-{extra}"), extra)
