"""Folders that stand in other folders, in sentences: the same on a terminal, in a page, in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ilk.base.sizes import spell_size
from ilk.search.measures import count_noun

#: What a folder is to the other one: the same names hold the same bytes; the same contents have
#: other names; all contents of it are in the other; all are that were compared.
SAME, RENAMED, CONTAINED, COMPARED = "same", "renamed", "contained", "compared"

#: Names to list of what was not compared.
_NAMED = 3


class TwinFolder(NamedTuple):
    """A folder, or an archive, whose contents stand in another one.

    Attributes:
        folder, other: their names; that of a folder ends with a slash. Neither is in the other one.
        kind: one of the above.
        files, bytes: how many files are in the folder, with those of its folders, and their bytes.
        goes: how many of them the plan drops.
        links, empty_folders: how many symbolic links and folders without anything are in it.
        not_compared: what is in it and was not compared, which is nothing but for ``COMPARED``.
    """

    folder: str
    other: str
    kind: str
    files: int
    bytes: int
    goes: int
    links: int = 0
    empty_folders: int = 0
    not_compared: tuple[str, ...] = ()


def is_below_folder_or_is_archive(file: str, folder_or_archive: str) -> bool:
    """Return whether a file is in a folder, whose name ends with a slash; or is that archive."""
    below = folder_or_archive.endswith("/")
    return file.startswith(folder_or_archive) if below else file == folder_or_archive


def plain_folders(folders: Sequence[TwinFolder]) -> list[dict[str, Any]]:
    """Return folders as plain values."""
    return [one._asdict() | {"not_compared": list(one.not_compared)} for one in folders]


class RelationSentence(NamedTuple):
    """A sentence on a folder in parts; only the two names are of files."""

    folder: str
    verb: str
    other: str
    rest: str


def spell_relation(folder: TwinFolder) -> RelationSentence:
    """Return the sentence on a folder in four parts: its name, a verb, the other's name, the rest.

    >>> backup = TwinFolder("Backup/", "Documents/", "contained", 213, 1_200_000, goes=213)
    >>> "".join(spell_relation(backup))
    'Backup/ is wholly in Documents/: 213 files, 1.2 MB'
    """
    verbs = {
        SAME: " is the same as ",
        RENAMED: " holds the same, under other names, as ",
        CONTAINED: " is wholly in ",
        COMPARED: " is in ",
    }
    what = [count_noun(folder.files, "file"), spell_size(folder.bytes)]
    what += [count_noun(folder.links, "symbolic link")] if folder.links else []
    what += [count_noun(folder.empty_folders, "empty folder")] if folder.empty_folders else []
    rest = ", as far as it was compared: " if folder.kind == COMPARED else ": "
    rest += ", ".join(what)
    if folder.not_compared:
        more = len(folder.not_compared) - _NAMED
        names = ", ".join(folder.not_compared[:_NAMED]) + (f", and {more:,} more" * (more > 0))
        rest += f"; not compared: {names}"
    if not folder.goes:
        rest += "; it stays"
    elif folder.goes < folder.files:
        rest += f"; {folder.goes:,} of them could go"
    return RelationSentence(folder.folder, verbs[folder.kind], folder.other, rest)


def spell_folders(folders: Sequence[TwinFolder]) -> Iterator[str]:
    """Yield a line for each folder, those with most bytes first, as given."""
    for one in folders:
        yield "".join(spell_relation(one))
