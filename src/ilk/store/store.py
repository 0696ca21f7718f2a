"""The store as its users see it: one file, one class."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from ilk import arrow
from ilk.base import resources
from ilk.base.closing import Closing
from ilk.base.errors import StoreDamaged
from ilk.base.options import CONTAINMENT, default
from ilk.base.progress import followed, teller
from ilk.fingerprints.hamming import checked_radius
from ilk.fingerprints.recipe import Recipe
from ilk.read import Progress, Reading, ReadReport
from ilk.read.formats.parts import Limits
from ilk.store import checkin, history, incoming, inspection, keepers, matching, records, sync
from ilk.store.checkin import Added
from ilk.store.db import contents, file, tables
from ilk.store.db.settings import Settings, Wanted, number
from ilk.store.history import Event
from ilk.store.inspection import Validated
from ilk.store.matching import Bounds, Match, Subject
from ilk.store.opened import Opened, seldom_collected
from ilk.store.records import Entering, Record
from ilk.store.sync import Synced

#: The default of an argument that was not given, since None is a value too.
_SAME: Any = object()


class Store(Closing):
    """A file of documents that answers "do we have something like this already?".

    A new document is compared with all stored ones: candidates are nominated by fingerprint, or,
    without missing any, by their shingles (``exact``), and verified exactly from what is stored, so
    the originals are not needed. Once a call returns, its change is on disk. Several processes may
    read while one writes; other writers wait for it. A document has a number, and an id of its
    client if its metadata have one under ``id``.

    Args:
        path: the file, created if missing.
        recipe: how to make fingerprints (``Recipe(bits=128)``); refuses a store with another
            recipe.
        resemblance: the least resemblance of near-duplicates, of a new store (0.8).
        shingle: words per shingle, of a new store (3).
        texts: whether a new store keeps the texts too.
        exact: whether a new store finds every near-duplicate, by shingles, which takes more memory;
            otherwise it finds those that fingerprints nominate, nearly all of them. Refuses a store
            of the other kind.
        noise: a new store also finds scanned, retyped or transcribed copies with up to this share
            of wrong characters, at most 0.1. It keeps the texts, to align them, and 1 KB of
            shingles each. Refuses a store made without it, or with another value.
        create: whether to create a missing file.
        timeout: seconds to wait for another process that is writing.
        jobs: threads; by default one per processor. Results do not depend on them.

    Raises:
        StoreFormatError: the file is not a store, or has another format.
        RecipeMismatch: its recipe is not the requested one.
        SourceNotFound: it is missing, and ``create`` is False.
        OptionError: an option is out of bounds, or contradicts the store.

    Every method may raise StoreDamaged, StoreLocked and, if it writes, OutputError.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Store(folder.name + "/documents.ilk") as store:
    ...     first = store.add("To be, or not to be: that is the question", source="q1")
    ...     found = store.check("to be or not to be, that is the question")
    >>> first.id, [(match.source, match.verdict) for match in found]
    (0, [('q1', 'near')])
    >>> folder.cleanup()
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        recipe: Recipe | str | None = None,
        resemblance: str | float | None = None,
        shingle: int | None = None,
        texts: bool | None = None,
        exact: bool | None = None,
        noise: str | float | None = None,
        create: bool = True,
        timeout: float = file.TIMEOUT,
        jobs: int | None = None,
    ) -> None:
        """Open or create the store."""
        threads = resources.threads(jobs)
        wanted = Wanted.of(recipe, resemblance, shingle, texts, exact, noise)
        name = Path(path)
        connection = file.connect(name, create=create, timeout=timeout)
        try:
            settings = file.settle(connection, name, wanted)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        self._opened = Opened(name, connection, settings, threads)

    def __repr__(self) -> str:
        """Return its file and recipe."""
        return f"<ilk.Store {str(self.path)!r} of {self.settings.recipe}>"

    @property
    def path(self) -> Path:
        """The file."""
        return self._opened.path

    @property
    def cache(self) -> Path:
        """The folder beside the file that caches the texts of documents that are not plain text.

        It is created with the first of them, and may be removed at any time.
        """
        return self._opened.cache

    @property
    def settings(self) -> Settings:
        """The settings of the store."""
        return self._opened.settings

    def close(self) -> None:
        """Close the file; closing it again does nothing."""
        self._opened.close()

    def __len__(self) -> int:
        """Return the number of documents."""
        with self._opened.reading():
            return number(self._connection, "documents")

    def __contains__(self, id_: object) -> bool:
        """Return whether a document has this id."""
        with self._opened.reading():
            return tables.exists(self._connection, id_)

    def __getitem__(self, id_: int) -> Record:
        """Return what is known of a document.

        Raises:
            IdError: no document has this id.
        """
        with self._opened.reading():
            return records.record(tables.row(self._connection, id_))

    def __iter__(self) -> Iterator[Record]:
        """Yield all documents by id; those added or removed in the meantime may be included."""
        last = -1
        while True:
            with self._opened.reading():
                rows = tables.after(self._connection, last, tables.AT_ONCE)
            if not rows:
                return
            yield from map(records.record, rows)
            last = rows[-1].id

    def sources(self, numbers: Iterable[int]) -> dict[int, str | None]:
        """Return the sources of some documents, without those that do not exist."""
        with self._opened.reading():
            rows = tables.rows(self._connection, numbers)
        return {id_: row.source for id_, row in rows.items()}

    def text(self, id_: int) -> str | None:
        """Return the text of a document; None if the store does not keep it.

        Raises:
            IdError: no document has this id.
        """
        with self._opened.reading():
            row = tables.row(self._connection, id_)
            found = contents.text(self._connection, row.id)
        if found is None and self.settings.texts and row.digest is not None:
            raise StoreDamaged(f"the text of document {row.id} is missing; restore a backup.")
        return found

    def history(self, id_: int) -> list[Event]:
        """Return when the text of a document came and changed, in order.

        What happened to former documents of its name (its client's id, or else its source), which
        were removed, comes first.

        Raises:
            IdError: no document has this id.
        """
        with self._opened.looking():
            return history.of(self._connection, tables.row(self._connection, id_))

    def records(self, after: int, most: int) -> list[Record]:
        """Return at most that many documents with numbers above one, in their order."""
        with self._opened.looking():
            return list(map(records.record, tables.after(self._connection, after, most)))

    def files(self, numbers: Iterable[int]) -> dict[int, tuple[str, int]]:
        """Return the paths and sizes of the files that some documents were last read from."""
        with self._opened.looking():
            return sync.of_documents(self._connection, numbers)

    def add(
        self,
        text: str | os.PathLike[str] | Sequence[str],
        *,
        source: str | None = None,
        title: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        on_duplicate: str = "report",
    ) -> Added:
        """Check in a document: report what it is like, and store it.

        Args:
            text: the text, by itself or in a list, or the path of a file (as ``pathlib.Path``); a
                text by itself that names a file is refused.
            source: the name that a person knows; by default that of the file.
            title: the title of the document.
            metadata: plain values, as in JSON.
            on_duplicate: what to do with a duplicate of a stored document: ``report`` stores and
                reports it; ``refuse`` reports it without storing it; ``link`` stores it, linked to
                the stored one that it is most like.

        Raises:
            OptionError: an argument is not valid.
            SourceNotFound, NothingRead: the file is missing, or cannot be read.
        """
        meta, name = records.written_metadata(metadata), records.written_name(title, "title")
        prepared = [incoming.one(self._opened, text, source, name, meta)]
        with self._opened.writing():
            return checkin.add(self._opened, prepared, on_duplicate)[0]

    def add_many(self, documents: Any, *, on_duplicate: str = "report") -> list[Added]:
        """Check in many documents, all of them or none.

        Args:
            documents: n texts (a list, or a column of any Arrow library), or a table with the
                column ``text`` and perhaps ``source``, ``title``, ``metadata`` (JSON) and
                ``bytes_digest`` (from a reader; by default that of the text in UTF-8).
            on_duplicate: as for ``add``; ``refuse`` compares them one by one, which is slower.

        Returns:
            What happened to each; a document may be like an earlier one.

        Raises:
            ColumnTypeError: there is no column of texts.
            OptionError: a value is not valid.
        """
        with seldom_collected():
            prepared = incoming.of_table(self._opened, documents)
            with self._opened.writing():
                return checkin.add(self._opened, prepared, on_duplicate)

    def add_fingerprints(
        self, fingerprints: Any, *, sources: Sequence[str | None] | None = None
    ) -> range:
        """Store documents known only by their fingerprints; nothing is compared.

        Matches with them are reported as ``unverified``, and they do not join clusters. In an exact
        store they are found only by fingerprints: by ``check_fingerprint``, or with ``radius``.

        Args:
            fingerprints: n fingerprints of the store's recipe, none of them null.
            sources: n names.

        Returns:
            Their ids.

        Raises:
            ColumnTypeError, OptionError: an argument is not valid.
            RecipeMismatch: they carry another recipe, or have another width.
        """
        values = incoming.of_recipe(fingerprints, self.settings.recipe)
        names = incoming.names(sources, "source", len(values))
        with self._opened.writing():
            return checkin.add_fingerprints(self._opened, values, names)

    def update(
        self,
        id_: int | str,
        text: str | os.PathLike[str] | Sequence[str] | None = None,
        *,
        source: str | None = _SAME,
        title: str | None = _SAME,
        metadata: Mapping[str, Any] | None = _SAME,
    ) -> Added:
        """Change a document; whatever is not given stays as it is.

        Args:
            id_: its number, or its client's id, which stays.
            text: its text, or the path of a file with it; without a text, only names change.
            source, title, metadata: as for ``add``.

        Returns:
            What its text is like; nothing if the text stays.

        Raises:
            IdError: no document has this id.
            OptionError: an argument is not valid.
            SourceNotFound, NothingRead: the file is missing, or cannot be read.
        """
        at = self.number(id_) if isinstance(id_, str) else id_
        names: dict[str, str | None] = {}
        if source is not _SAME:
            names["source"] = records.written_name(source, "source")
        if title is not _SAME:
            names["title"] = records.written_name(title, "title")
        if metadata is not _SAME:
            if isinstance(id_, str):
                metadata = records.named(metadata, self[at].metadata.get(records.KEY))
            names["metadata"] = records.written_metadata(metadata)
        changed = None if text is None else incoming.one(self._opened, text)
        with self._opened.writing():
            return checkin.update(self._opened, at, changed, names)

    def remove(self, numbers: int | Iterable[int]) -> None:
        """Remove documents, all of them or none.

        Raises:
            IdError: one of these numbers does not exist.
        """
        some = [numbers] if isinstance(numbers, int) else list(numbers)
        with self._opened.writing():
            for id_ in some:
                tables.row(self._connection, id_)
            checkin.remove(self._opened, list(dict.fromkeys(some)))

    def check(
        self,
        text: str | os.PathLike[str] | Sequence[str],
        *,
        resemblance: str | float | None = None,
        containment: str | float | None = CONTAINMENT,
        radius: int | None = None,
        similarity: str | float | None = None,
    ) -> list[Match]:
        """Return what a text is like, the most alike first; nothing is stored.

        Args:
            text: the text, by itself or in a list, or the path of a file (as ``pathlib.Path``); a
                text by itself that names a file is refused.
            resemblance: the least resemblance of near-duplicates; the store's by default.
                An exact store finds all of them; below its own, by looking at every document.
            containment: the least part of one that makes it contained in the other; None if such
                pairs are not wanted. They are looked for among nominated documents, and so mostly
                found if the two are of similar size; an exact store finds all of them if the
                smaller has at least as many shingles as the larger times the resemblance (of the
                store, if that is less) over the containment: 84 % by default.
            radius: match everything within this many bits, at any resemblance (unless
                ``resemblance`` is given too). The result is complete for any radius.
            similarity: the same as a share of equal bits: ``"90%"`` (Roth 2013, section 2.2.2).

        Raises:
            OptionError: an option is out of bounds, or two contradict each other.
            SourceNotFound, NothingRead: the file is missing, or cannot be read.
        """
        limits = Bounds.asked(self.settings, resemblance, containment, radius, similarity)
        return self._check([incoming.one(self._opened, text).subject], limits)[0]

    def check_many(
        self,
        documents: Any,
        *,
        resemblance: str | float | None = None,
        containment: str | float | None = CONTAINMENT,
        radius: int | None = None,
        similarity: str | float | None = None,
    ) -> list[list[Match]]:
        """Return what each of many texts is like: ``check`` for the arguments of ``add_many``.

        Raises:
            ColumnTypeError: there is no column of texts.
            OptionError: an option is out of bounds, or two contradict each other.
        """
        limits = Bounds.asked(self.settings, resemblance, containment, radius, similarity)
        return self._check(
            [one.subject for one in incoming.of_table(self._opened, documents)], limits
        )

    def _check(self, subjects: Sequence[Subject], limits: Bounds) -> list[list[Match]]:
        with self._opened.reading():
            return [matching.like(self._opened, one, limits) for one in subjects]

    def check_fingerprint(self, fingerprint: int | bytes, radius: int | None = None) -> list[Match]:
        """Return the documents whose fingerprint is within a radius of one (by default the
        store's).

        All of them are ``unverified``: a fingerprint cannot be measured.

        Raises:
            ColumnTypeError, OptionError: an argument is not valid.
        """
        bits = self.settings.recipe.bits
        within = self.settings.radius if radius is None else checked_radius(radius, bits)
        value = arrow.fingerprint(fingerprint, 128 if bits == 128 else 64)
        with self._opened.reading():
            return matching.near(self._opened, value, within)

    def similar(
        self,
        id_: int,
        *,
        resemblance: str | float | None = None,
        containment: str | float | None = CONTAINMENT,
        radius: int | None = None,
        similarity: str | float | None = None,
    ) -> list[Match]:
        """Return what a stored document is like, without itself; arguments and errors as for
        ``check``.

        Raises:
            IdError: no document has this id.
        """
        limits = Bounds.asked(self.settings, resemblance, containment, radius, similarity)
        with self._opened.reading():
            row = tables.row(self._connection, id_)
            subject = matching.stored(self._opened, [row.first])[row.first]
            found = matching.like(self._opened, subject.of_bytes(row.bytes_digest), limits)
            return [match for match in found if match.id != row.id]

    def clusters(self) -> list[list[int]]:
        """Return the clusters of two or more documents of one kind: their ids, the keeper's first.

        They are those of a scan of all documents in the order of their ids: each member was
        verified against its keeper. Copies of one text are all in them.
        """
        with self._opened.reading():
            return tables.clusters(self._connection)

    def measured(self, clusters: Sequence[Sequence[int]]) -> dict[int, tuple[str, float | None]]:
        """Return for each member of some clusters its verdict and its resemblance to the keeper.

        Args:
            clusters: from ``clusters``.
        """
        with self._opened.looking():
            return keepers.measured(self._opened, clusters)

    def number(self, id_: str) -> int:
        """Return the number of the document that a client means, by its id or its number.

        Raises:
            IdError: there is no such document.
        """
        with self._opened.looking():
            return tables.number_of(self._connection, id_)

    def ids(self, numbers: Iterable[int]) -> dict[int, int | str]:
        """Return the clients' ids of some documents, by number; or their numbers."""
        with self._opened.looking():
            return tables.client_ids(self._connection, set(numbers))

    def enter(self, documents: Sequence[Entering], on_duplicate: str = "report") -> list[Added]:
        """Check in documents with ids of their clients, all of them or none.

        Raises:
            IdTaken: a stored document, or another one of these, has the same id.
            OptionError: an argument is not valid.
            SourceNotFound, NothingRead: a file is missing, or cannot be read.
        """
        own = [records.checked_id(each.id) for each in documents if each.id is not None]
        prepared = incoming.of_clients(self._opened, documents)
        with self._opened.writing():
            tables.refuse_taken(self._connection, own)
            return checkin.add(self._opened, prepared, on_duplicate)

    @followed
    def sync(
        self,
        folder: str | os.PathLike[str],
        *,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        convert: Mapping[str, Sequence[str]] | None = None,
        convert_timeout: float = default("convert_timeout"),
        extract: str = default("extract"),
        limits: Limits | None = None,
        cache: str | os.PathLike[str] | None = None,
        ocr: str | Sequence[str] | None = None,
        replies: str = default("replies"),
        tally: ReadReport | None = None,
        progress: Progress | bool | None = None,
    ) -> Synced:
        """Synchronise the store with a folder: add, change, rename and remove documents.

        A file that looks the same (size, time of change, inode) is not read, unless other options
        now extract text differently; a file that is read and has the same text is unchanged.
        Documents added in other ways stay as they are. If the call is interrupted, everything done
        so far is kept.

        Args:
            folder: a folder, which is read recursively, or a file.
            include, exclude: globs that files must, and must not, match; an excluded file counts as
                vanished.
            convert: by extension, the program that turns such a file into text.
            convert_timeout: the time limit in seconds for each of these programs, per file.
            extract: how to get the text of HTML files, as for ``ilk.find``.
            limits, cache, ocr, replies: as for ``ilk.find``; by default, ``cache`` is beside the
                store.
            tally: filled with what was read, and what could not be.
            progress: a function that follows the files read; True draws a line on stderr.

        Raises:
            SourceNotFound: there is no such folder.
            OptionError: an option is out of bounds.
            MissingExtra: the requested extraction is not installed.
        """
        return sync.sync(
            self._opened,
            folder,
            Reading.of(
                include=include,
                exclude=exclude,
                convert=convert,
                convert_timeout=convert_timeout,
                extract=extract,
                limits=limits,
                cache=cache,
                ocr=ocr,
                replies=replies,
            ),
            tally or ReadReport(),
            teller(progress),
        )

    def to_arrow(self) -> pa.RecordBatchReader:
        """Return all documents as a table that is read piece by piece; ``add_many`` takes it whole.

        Its columns are those of a record, with the recipe at ``fingerprint``, and the ``text`` if
        the store keeps texts. Documents added or removed in the meantime may be included.
        """
        return inspection.table(self._opened)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the store to a new file, while others read and write.

        Raises:
            OutputError: the file already exists, or cannot be written.
        """
        with self._opened.reading():
            file.backup(self._connection, self.path, Path(path))

    def validate(self, sample: int = 1000) -> Validated:
        """Look for damage: verify all checksums and references, and compute a sample again.

        Args:
            sample: how many members of clusters to measure, and texts to fingerprint, again.
        """
        with self._opened.looking():
            return inspection.validate(self._opened, sample)

    def rebuild(self) -> None:
        """Make the packed fingerprints again from the rows of the documents."""
        with self._opened.writing():
            self._opened.index.rebuild()

    def stats(self) -> dict[str, Any]:
        """Return how much is stored, and how it is compared."""
        with self._opened.reading():
            return inspection.stats(self._opened)

    def arrivals(self) -> list[tuple[int, int]]:
        """Return hours since 1970 in which documents came, ascending, and how many.

        It reads all documents, over its own connection, so nobody waits for it.
        """
        connection = file.connect(self.path, create=False, timeout=file.TIMEOUT)
        with contextlib.closing(connection), file.translated(self.path):
            return inspection.arrivals(connection)
