"""Whom labels mean: their writers named the documents from where they stood."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from benchmarks.accuracy.documents import Documents


def meant(labels: Iterable[str], documents: Documents) -> dict[str, str]:
    """The document of every label that means one.

    A label is a document's name, with the path of its folder in front or some last part of that.
    Where not a single label reads so, the folder has another name than it had: then a label means
    the one document whose name ends as it does, its extension or not.

    Args:
        labels: all that one file names.
        documents: those that may be meant.
    """
    labels = set(labels)
    names = documents.files.keys()
    folders = _endings(documents.root.as_posix().removeprefix("/"))
    prefixes = [f"{documents.root.as_posix()}/", *(f"{folder}/" for folder in folders)]
    found = {}
    for label in labels:
        path = posixpath.normpath(label)
        below = (path.removeprefix(prefix) for prefix in prefixes if path.startswith(prefix))
        if known := [name for name in (label, path, *below) if name in names]:
            found[label] = known[0]
    return found or _alike(labels, documents)


def _alike(labels: Iterable[str], documents: Documents) -> dict[str, str]:
    """The document of every label whose longest known ending is that of one document."""
    ends: dict[str, set[str]] = {}
    for name in documents.files:
        for ending in {*_endings(name), *_endings(posixpath.splitext(name)[0])}:
            ends.setdefault(ending, set()).add(name)
    found = {}
    for label in labels:
        candidates = next((ends[e] for e in _endings(posixpath.normpath(label)) if e in ends), ())
        if len(candidates) == 1:
            found[label] = next(iter(candidates))
    return found


def _endings(path: str) -> Iterator[str]:
    """The path, the path without its first folder, and so on to the last part alone."""
    parts = path.split("/")
    return ("/".join(parts[at:]) for at in range(len(parts)))
