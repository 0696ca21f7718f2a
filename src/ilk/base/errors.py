"""The tree of errors. Every message says what was seen, what is allowed, and how to fix it.

Messages put parameters in backticks; the command line spells them as its options.
"""

from __future__ import annotations

from typing import NamedTuple

#: The companion packages with extras of their own; the others are called as their extras.
PACKAGES = {
    "documents": "ilk-sources",
    "mcp": "ilk-server",
    "mysql": "ilk-sources",
    "postgres": "ilk-sources",
    "sql": "ilk-sources",
    "datatrove": "ilk-web",
    "pages": "ilk-web",
    "scrapy": "ilk-web",
}


class IlkError(Exception):
    """The base of all errors that ilk raises on purpose."""


class AlarmRaised(IlkError):
    """A run would drop so much that a person should look first.

    Attributes:
        reasons: one sentence each.
        result: what was found, to look at.
        folder: the plan that was written instead of the output; None without one.
    """

    def __init__(self, reasons: list[str], result: object, folder: object = None) -> None:
        super().__init__(reasons, result, folder)
        self.reasons, self.result, self.folder = reasons, result, folder

    def __str__(self) -> str:
        place = "the clusters" if self.folder is None else f"{self.folder} (report.html)"
        written = "Nothing" if self.folder is None else "No output"
        return (
            f"{'; '.join(self.reasons)}. {written} was written. Look at {place} first; then accept "
            "it (`accept_alarm`), or choose a stricter threshold."
        )


class ColumnTypeError(IlkError, TypeError):
    """A column is not of texts, or not of fingerprints."""


class MissingColumn(ColumnTypeError):
    """No row has a column of that name."""


class DatabaseError(IlkError, OSError):
    """A database cannot be opened, or refuses a request; the message quotes it."""

    def __str__(self) -> str:
        return " ".join(super().__str__().split())


class IdError(IlkError, ValueError):
    """The id to add exists already, or the id to remove does not exist."""


class IdTaken(IdError):
    """The id to add exists already."""


class LabelsError(IlkError, ValueError):
    """A file of labelled pairs cannot be used."""


class MissingExtra(IlkError, ImportError):
    """A feature needs a package that is not installed; ``extra`` installs it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(package, extra)
        self.package = package
        self.extra = extra

    def __str__(self) -> str:
        commands = install_commands_from_index_and_clone(self.extra, self.package)
        return (
            f"this needs {self.package}, which is not installed: {commands.from_index}, or "
            f"in a clone of ilk: {commands.in_clone}"
        )


class InstallCommands(NamedTuple):
    """Commands that install an extra: from an index of packages, and in a clone of ilk."""

    from_index: str
    in_clone: str


def install_commands_from_index_and_clone(extra: str, package: str = "") -> InstallCommands:
    """Return the commands that install an extra, and with it a package."""
    if extra in PACKAGES:
        here = f"-e 'packages/{PACKAGES[extra]}[{extra}]'"
    else:  # Not `.[extra]`, which would build the kernels again.
        here = f"-e packages/{package}" if package == f"ilk-{extra}" else package
    return InstallCommands(f"pip install 'ilk[{extra}]'", f"pip install {here}")


class NothingRead(IlkError):
    """No document could be read."""


class OptionError(IlkError, ValueError):
    """An option is unknown or out of bounds; the message names the values allowed."""


class RecipeError(OptionError):
    """A recipe's string cannot be parsed."""


class OutputError(IlkError, OSError):
    """A result cannot be written; no existing file was replaced."""


class PlanError(IlkError, ValueError):
    """A plan cannot be applied: it is not a plan, or its input has changed."""


class RecipeMismatch(IlkError, ValueError):
    """Fingerprints of two recipes are compared; their distance would mean nothing."""


class RowTooLong(IlkError):
    """A row is longer than a limit allows; nothing was written."""


class SourceChanged(IlkError):
    """A file has changed since it was first read."""


class SourceDamaged(IlkError):
    """A needed part of a file is missing or broken."""


class SourceNotFound(IlkError, FileNotFoundError):
    """A path does not exist."""


class StoreError(IlkError):
    """A store cannot do what was asked."""


class StoreDamaged(StoreError):
    """A page, a segment or a row of a store is damaged."""


class StoreFormatError(StoreError):
    """A file is not a store, or has a newer format."""


class StoreLocked(StoreError):
    """Another process is writing to the store, and did not finish in time."""


class TooManyPairs(IlkError):
    """There are more pairs than the caller allows.

    Attributes:
        count: pairs that exist, or a lower bound: to count all may take as long as to list them.
        limit: the largest number allowed.
    """

    def __init__(self, count: int, limit: int) -> None:
        super().__init__(count, limit)
        self.count, self.limit = count, limit

    def __str__(self) -> str:
        return (
            f"at least {self.count:,} pairs, and the limit is {self.limit:,}. Ask for clusters "
            "instead of pairs, choose a stricter threshold, or raise `max_pairs`."
        )


def reason_of_error(error: BaseException) -> str:
    """Return what the system says of an error, or else what it says itself, or of what kind it is.

    >>> reason_of_error(OSError(2, "No such file")), reason_of_error(OSError("full"))
    ('No such file', 'full')
    >>> reason_of_error(OSError())
    'OSError'
    """
    return str(getattr(error, "strerror", None) or error) or type(error).__name__
