"""A folder kept in step: what came, changed, moved and went since the last time.

A file that has the size, the time of change and the inode it had is not read again, unless text is
made of it in another way. One that came is recognised by its bytes if it has moved.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ilk.readers import Progress, Reading, Tally
from ilk.readers.files.names import source_name
from ilk.readers.files.walk import Found
from ilk.readers.folders import list_files, read_files
from ilk.store import checkin, records, tracked
from ilk.store.checkin import Added
from ilk.store.db import tables
from ilk.store.incoming import Incoming, prepared
from ilk.store.opened import Opened
from ilk.store.records import Row
from ilk.store.tracked import Tracked
from ilk.system.running import ALONE


class Told(NamedTuple):
    """A file that is new or has changed, and what it is like."""

    source: str
    added: Added


class Moved(NamedTuple):
    """A file that has another name."""

    was: str | None
    source: str


@dataclass(slots=True)
class Synced:
    """What happened to the files of a folder since the last time.

    Attributes:
        new, changed: with what each is like; a new one may be like another new one before it.
        moved: files that were found by their bytes under another name.
        vanished: the names of those that went, and whose documents went with them.
        unchanged: how many stayed as they were.
    """

    new: list[Told] = field(default_factory=list)
    changed: list[Told] = field(default_factory=list)
    moved: list[Moved] = field(default_factory=list)
    vanished: list[str] = field(default_factory=list)
    unchanged: int = 0


def sync(
    opened: Opened,
    folder: str | os.PathLike[str],
    reading: Reading,
    tally: Tally,
    progress: Progress,
) -> Synced:
    """Bring the store in step with a folder; ``Store.sync`` explains the arguments."""
    found = list_files([folder], reading, tally)
    files = {source_name(one.path): one for one in found}
    now = _looked_at(opened, files, reading.extract)
    with opened.reading():
        known = tracked.below(opened.connection, source_name(os.path.abspath(folder)))
    fresh = {name: one for name, one in now.items() if not one.is_same_file(known.get(one.path))}
    synced = Synced(unchanged=len(now) - len(fresh))
    gone = _gone(known, now.values(), tally)
    running = replace(ALONE, jobs=opened.jobs, tell=progress)
    batches = read_files([files[name] for name in fresh], reading, running, tally)
    read: set[str] = set()
    for batch in batches:
        incoming = prepared(opened, batch)
        read.update(batch["source"].to_pylist())
        with opened.writing():
            _take(opened, incoming, fresh, known, gone, synced)
    unread = read.union(failure.source for failure in tally.failures)
    # What was a document and is of another type now has gone as one.
    turned = (one.path for name, one in fresh.items() if name not in unread)
    gone |= {path: known[path] for path in turned if path in known}
    if gone:
        with opened.writing():
            _remove(opened, gone, synced)
    return synced


def _looked_at(opened: Opened, files: Mapping[str, Found], extract: str) -> dict[str, Tracked]:
    """How every file looks now; the store's own are left out."""
    own = source_name(os.path.abspath(opened.path))
    without = {own, own + "-wal", own + "-shm"}
    seen = {name: tracked.of_file(one.path, extract) for name, one in files.items()}
    return {name: one for name, one in seen.items() if one.path not in without}


def _gone(known: Mapping[str, Tracked], now: Iterable[Tracked], tally: Tally) -> dict[str, Tracked]:
    """The files that are no more; what stands in a folder that cannot be read may still be."""
    there = {one.path for one in now}
    closed = tuple(os.path.abspath(failure.source) for failure in tally.failures)
    return {
        path: one
        for path, one in known.items()
        if path not in there
        and not any(path == name or path.startswith(name + "/") for name in closed)
    }


def _take(
    opened: Opened,
    incoming: Incoming,
    fresh: Mapping[str, Tracked],
    known: Mapping[str, Tracked],
    gone: dict[str, Tracked],
    synced: Synced,
) -> None:
    """Take over files that were read, of which some are known under this name or another one."""
    documents = {path: one.document for path, one in known.items()}
    rows = tables.rows(opened.connection, set(documents.values()))
    by_bytes = {
        (rows[one.document].bytes_digest, one.extract): path
        for path, one in gone.items()
        if one.document in rows
    }
    sources = [source or "" for source in incoming.sources]
    digests = incoming.subjects.bytes_digests.to_pylist()
    new: list[int] = []
    changed: dict[int, Row] = {}
    kept: dict[int, int | None] = {}
    for at, (source, raw) in enumerate(zip(sources, digests, strict=True)):
        file = fresh[source]
        row = rows.get(documents.get(file.path, -1))
        moved = by_bytes.pop((raw, file.extract), None) if raw is not None and row is None else None
        same = row is not None and known[file.path].extract == file.extract
        if row is not None and same and raw is not None and row.bytes_digest == raw:
            kept[at] = row.id
        elif row is not None:
            changed[at] = row
        elif moved is not None:
            old = rows[gone.pop(moved).document]
            kept[at] = old.id
            tables.insert(opened.connection, [old._replace(source=source, updated=records.now())])
            tracked.forget(opened.connection, [moved])
            synced.moved.append(Moved(old.source, source))
        else:
            new.append(at)
    names = incoming.take(list(changed)).named(
        titles=[row.title for row in changed.values()],
        metadata=[row.metadata for row in changed.values()],
        added=[row.added for row in changed.values()],
        links=[row.duplicate_of for row in changed.values()],
    )
    altered = checkin.replace(opened, [row.id for row in changed.values()], names)
    added = checkin.add(opened, incoming.take(new), "report")
    synced.unchanged += sum(1 for at in kept if fresh[sources[at]].path in known)
    for told, places, results in (
        (synced.changed, changed, altered),
        (synced.new, new, added),
    ):
        for at, one in zip(places, results, strict=True):
            told.append(Told(sources[at], one))
            kept[at] = one.id
    tracked.put(opened.connection, {fresh[sources[at]]: id_ for at, id_ in kept.items()})


def _remove(opened: Opened, gone: Mapping[str, Tracked], synced: Synced) -> None:
    """Remove the documents of files that went."""
    rows = tables.rows(opened.connection, {one.document for one in gone.values()})
    tracked.forget(opened.connection, gone)
    checkin.remove(opened, sorted(rows))
    synced.vanished += sorted(row.source or "" for row in rows.values())
