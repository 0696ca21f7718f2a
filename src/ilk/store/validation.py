"""The search for damage: checksums, references, and a sample computed again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from ilk.base.errors import StoreDamaged
from ilk.search.text_evidence import TextEvidence
from ilk.store import incoming, keepers, matching
from ilk.store.db import contents, segments, tables
from ilk.store.db.settings import number
from ilk.store.matching import Asked
from ilk.store.opened import Opened


@dataclass(frozen=True, slots=True)
class Validated:
    """What was checked, and what is wrong.

    Attributes:
        documents: rows whose checksum was computed.
        evidence: sets of shingles whose checksum was computed.
        segments: packed fingerprints that were compared with the rows.
        measured: members of clusters that were measured against their keepers again.
        made_again: texts whose fingerprint and shingles were made again.
        problems: what is wrong, one sentence each; empty if nothing is.
    """

    documents: int
    evidence: int
    segments: int
    measured: int
    made_again: int
    problems: list[str]


def validate(opened: Opened, sample: int) -> Validated:
    """Look for damage, in a transaction; ``Store.validate`` explains it."""
    problems: list[str] = []

    def counted(what: str, check: Callable[[], Iterator[int]]) -> int:
        """Return how much a check examined, until it was done or could read no further."""
        done = 0
        try:
            for some in check():
                done += some
        except (StoreDamaged, sqlite3.DatabaseError) as error:
            problems.append(f"{what}: {error}")
        return done

    for table in tables.names(opened.connection):
        counted(f"table {table}", partial(_pages, opened, problems, table))
    rows = counted("the rows of documents", partial(_rows, opened, problems))
    evidence = counted("the evidence", partial(_evidence, opened, problems))
    counted("the shingles for noisy copies", partial(_noise_sets, opened, problems))
    packed = counted("the segments", partial(_segments, opened, problems))
    counted("the index of sets", partial(_entries, opened, problems))
    counted("the documents", partial(_references, opened, problems))
    if problems:
        # Later checks would fail at the same place.
        return Validated(rows, evidence, packed, 0, 0, problems)
    measured = counted("the members of clusters", partial(_members, opened, problems, sample))
    made = counted("the texts", partial(_texts, opened, problems, sample))
    return Validated(rows, evidence, packed, measured, made, problems)


def _pages(opened: Opened, problems: list[str], table: str) -> Iterator[int]:
    for (said,) in opened.connection.execute(f"PRAGMA integrity_check({table})"):
        if said != "ok":
            problems.append(f"table {table}: {said}")
        yield 1


def _rows(opened: Opened, problems: list[str]) -> Iterator[int]:
    count = 0
    for row, sound in tables.checked(opened.connection):
        count += 1
        if not sound:
            problems.append(f"the row of document {row.id} is damaged.")
        yield 1
    said = number(opened.connection, "documents")
    if count != said:
        problems.append(f"there are {count} documents, but the settings count {said}.")


def _evidence(opened: Opened, problems: list[str]) -> Iterator[int]:
    for id_, sound in contents.checked_evidence(opened.connection):
        if not sound:
            problems.append(f"the evidence of document {id_} is damaged.")
        yield 1


def _noise_sets(opened: Opened, problems: list[str]) -> Iterator[int]:
    if opened.settings.noise is None:
        return
    for id_, sound in contents.checked_noise_sets(opened.connection):
        if not sound:
            problems.append(
                f"the shingles for noisy copies of document {id_} are damaged: `ilk store rebuild`."
            )
        yield 1
    for id_ in contents.without_noise_set(opened.connection):
        problems.append(f"document {id_} has no shingles for noisy copies: `ilk store rebuild`.")


def _segments(opened: Opened, problems: list[str]) -> Iterator[int]:
    held: dict[int, bytes] = {}
    for place, segment in segments.checked(opened.connection, segments.FINGERPRINTS):
        if segment is None:
            problems.append(f"segment {place} is damaged: `ilk store rebuild`.")
        else:
            held |= segment.items()
        yield 1
    if problems:
        return
    for packed in segments.fingerprints(opened.connection, opened.settings.recipe.bits):
        problems += [
            f"document {id_} has another packed fingerprint: `ilk store rebuild`."
            for id_, value in packed.items()
            if held.pop(id_, None) != value
        ]
    problems += [
        f"{id_} is packed, but is not such a document: `ilk store rebuild`." for id_ in held
    ]


def _entries(opened: Opened, problems: list[str]) -> Iterator[int]:
    if any("shingles for noisy copies" in problem for problem in problems):
        return
    for name in opened.index.groups():
        try:
            yield opened.index.check(name)
        except StoreDamaged as error:
            problems.append(f"the index of {name} is damaged ({error}): `ilk store rebuild`.")


#: What one document says about another, and must be true.
_REFERENCES = {
    "is a copy of {}, which is missing, added later, itself a copy, or of another text": (
        "SELECT a.id, a.copy_of FROM documents a LEFT JOIN documents b ON b.id = a.copy_of "
        "WHERE a.copy_of IS NOT NULL "
        "AND (b.id IS NULL OR b.copy_of IS NOT NULL OR b.digest IS NOT a.digest OR b.id > a.id)"
    ),
    "has the keeper {}, which is not a keeper": (
        "SELECT a.id, a.keeper FROM documents a LEFT JOIN documents b ON b.id = a.keeper "
        "WHERE a.keeper IS NOT NULL "
        "AND (b.id IS NULL OR b.keeper IS NOT NULL OR b.copy_of IS NOT NULL OR b.id > a.id)"
    ),
    "is linked to {}, which does not exist": (
        "SELECT a.id, a.duplicate_of FROM documents a LEFT JOIN documents b "
        "ON b.id = a.duplicate_of WHERE a.duplicate_of IS NOT NULL AND b.id IS NULL"
    ),
}


def _references(opened: Opened, problems: list[str]) -> Iterator[int]:
    for what, query in _REFERENCES.items():
        for id_, other in opened.connection.execute(query):
            problems.append(f"document {id_} {what.format(other)}.")
        yield 1


def _members(opened: Opened, problems: list[str], sample: int) -> Iterator[int]:
    found = tables.some_members(opened.connection, sample)
    if not found:
        return
    subjects = matching.stored(opened, [id_ for id_, _ in found])
    asked = [Asked(at, subjects[id_], [keeper]) for at, (id_, keeper) in enumerate(found)]
    judged = matching.verified(opened, asked, keepers.thresholds(opened))
    same = {one.query for one in judged if one.same}
    for at, (id_, keeper) in enumerate(found):
        if at not in same:
            problems.append(f"document {id_} has the keeper {keeper}, but is not like it.")
        yield 1


def _texts(opened: Opened, problems: list[str], sample: int) -> Iterator[int]:
    for id_ in contents.some_texts(opened.connection, sample):
        row = tables.row(opened.connection, id_)
        text = contents.text(opened.connection, id_)
        made = incoming.one(opened, [text or ""]).subjects[0]
        kept = contents.evidence(opened.connection, [id_]).get(id_)
        sets = contents.noise_sets(opened.connection, [id_]).get(id_)
        other = kept is not None and not _same(kept, made.kept)
        if made.digest != row.digest or other or sets not in (None, made.sets):
            problems.append(f"the text of document {id_} is not the one it was compared by.")
        yield 1


def _same(kept: TextEvidence, made: TextEvidence | None) -> bool:
    """Return whether two texts have the same evidence, whatever their bytes."""
    return made is not None and kept == made._replace(
        bytes_digest=kept.bytes_digest, length=kept.length
    )
