"""Plans for the files of a store: lines like those of a scan, without reading the texts again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ilk.read.encodings.kinds import HEAD, is_binary
from ilk.read.files.content import (
    file_or_enclosing_file_or_same_source,
    last_dotted_extension,
    unescape_source_name,
)
from ilk.read.formats.parts import LAYOUT
from ilk.read.formats.table import recognise_format_if_known
from ilk.read.layout import LAID_OUT
from ilk.tasks.apply.file_plan import DROP, KEEP, make_plan_head
from ilk.tasks.apply.staying import DROPS


class StoreFile(NamedTuple):
    """A document of a store that is a file, or in one, and what it is to the one that stays.

    Attributes:
        path: the source of the document.
        size, bytes_digest: those of the file, as the store has read it.
        name: what a person calls it.
        verdict, resemblance: what it is to the first of its cluster, which is identical to itself.
    """

    path: str
    size: int
    bytes_digest: bytes | None
    name: str
    verdict: str
    resemblance: float | None


class StoreCluster(NamedTuple):
    """The files of a cluster, the one that stays first; ``family`` is its number."""

    family: int
    name: str
    files: Sequence[StoreFile]


def store_plan_lines(
    paths: Iterable[str], clusters: Iterable[StoreCluster]
) -> Iterator[Mapping[str, Any]]:
    """Yield the lines of a plan for the files of a store.

    Args:
        paths: of all files that the store was synchronised with; the plan is for their folders.
        clusters: those with several files. A file goes if an earlier one of its cluster has its
            bytes.
    """
    real = (
        os.path.realpath(unescape_source_name(file_or_enclosing_file_or_same_source(path)))
        for path in paths
    )
    yield make_plan_head(os.sep, sorted(set(map(os.path.dirname, real))))
    for family, name, files in clusters:
        members = list(_cluster_members(files))
        yield {
            "family": family,
            "name": name,
            "keeper": members[0]["source"],
            "members": members,
        }


def _cluster_members(files: Iterable[StoreFile]) -> Iterator[dict[str, Any]]:
    earlier: set[bytes] = set()
    for number, one in enumerate(files):
        digest = one.bytes_digest
        row: dict[str, Any] = {
            "source": one.path,
            "name": one.name,
            "verdict": one.verdict,
            "resemblance": one.resemblance,
            "size": one.size,
            "digest": None if digest is None else digest.hex(),
            "action": DROP if digest in earlier else KEEP,
        }
        if (whole := file_or_enclosing_file_or_same_source(one.path)) != one.path:
            row |= {"file": whole, "action": KEEP}
        elif digest is not None:
            if digest not in earlier and number and one.verdict in DROPS:
                row["drop_if"] = [one.verdict]
            earlier.add(digest)
        if not _is_plain_text_file(one.path):
            row["left_out"] = "what a store does not know"
        elif last_dotted_extension(one.path) in LAID_OUT:
            row["left_out"] = LAYOUT
        yield row


def _is_plain_text_file(path: str) -> bool:
    """Return whether a file is plain text, so that nothing in it is left out of its text."""
    try:
        with open(unescape_source_name(path), "rb") as file:
            head = file.read(HEAD)
            return recognise_format_if_known(path, head, file) is None and not is_binary(head)
    except OSError:
        return False
