"""The store as its users see it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ilk.base import resources
from ilk.fingerprints.recipe import Recipe
from ilk.store import checkin, incoming, records
from ilk.store.answering import Answering
from ilk.store.checkin import Added
from ilk.store.db import contents, file, tables
from ilk.store.db.settings import Wanted, number
from ilk.store.incoming import Incoming
from ilk.store.opened import Opened
from ilk.store.records import Record

#: The default of an argument that was not given, since None is a value too.
_SAME: Any = object()


class Store(Answering):
    """A file of documents that answers "do we have something like this already?".

    A new document is compared with all stored ones: candidates are nominated by fingerprint, or,
    without missing any, by their shingles (``exact``), and verified exactly from what is stored, so
    the originals are not needed. Once a call returns, its change is on disk. Several processes may
    read while one writes; other writers wait for it.

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
        StoreFormatError: the file is not a store, or has a newer format.
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
        super().__init__(Opened(name, connection, settings, threads))

    def __repr__(self) -> str:
        """Return its file and recipe."""
        return f"<ilk.Store {str(self.path)!r} of {self.settings.recipe}>"

    def __len__(self) -> int:
        """Return the number of documents."""
        with self._opened.reading():
            return number(self._opened.connection, "documents")

    def __contains__(self, id_: object) -> bool:
        """Return whether a document has this id."""
        with self._opened.reading():
            return tables.exists(self._opened.connection, id_)

    def __getitem__(self, id_: int) -> Record:
        """Return what is known of a document.

        Raises:
            IdError: no document has this id.
        """
        with self._opened.reading():
            return records.record(tables.row(self._opened.connection, id_))

    def __iter__(self) -> Iterator[Record]:
        """Yield all documents by id; those added or removed in the meantime may be included."""
        last = -1
        while True:
            with self._opened.reading():
                rows = tables.after(self._opened.connection, last, tables.AT_ONCE)
            if not rows:
                return
            yield from map(records.record, rows)
            last = rows[-1].id

    def sources(self, ids: Iterable[int]) -> dict[int, str | None]:
        """Return the sources of some documents, without those that do not exist."""
        with self._opened.reading():
            rows = tables.rows(self._opened.connection, ids)
        return {id_: row.source for id_, row in rows.items()}

    def text(self, id_: int) -> str | None:
        """Return the text of a document; None if the store does not keep it.

        Raises:
            IdError: no document has this id.
        """
        with self._opened.reading():
            row = tables.row(self._opened.connection, id_)
            return contents.text(self._opened.connection, row.id)

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
        return self._add(incoming.one(self._opened, text, source, name, meta), on_duplicate)[0]

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
        return self._add(incoming.of_table(self._opened, documents), on_duplicate)

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

    def _add(self, documents: Incoming, on_duplicate: str) -> list[Added]:
        with self._opened.writing():
            return checkin.add(self._opened, documents, on_duplicate)

    def update(
        self,
        id_: int,
        text: str | os.PathLike[str] | Sequence[str] | None = None,
        *,
        source: str | None = _SAME,
        title: str | None = _SAME,
        metadata: Mapping[str, Any] | None = _SAME,
    ) -> Added:
        """Change a document; whatever is not given stays as it is.

        Args:
            id_: the id of the document.
            text: its text, or the path of a file with it; without a text, only names change.
            source, title, metadata: as for ``add``.

        Returns:
            What its text is like; nothing if the text stays.

        Raises:
            IdError: no document has this id.
            OptionError: an argument is not valid.
            SourceNotFound, NothingRead: the file is missing, or cannot be read.
        """
        names: dict[str, str | None] = {}
        if source is not _SAME:
            names["source"] = records.written_name(source, "source")
        if title is not _SAME:
            names["title"] = records.written_name(title, "title")
        if metadata is not _SAME:
            names["metadata"] = records.written_metadata(metadata)
        changed = None
        if text is not None:
            changed = incoming.one(self._opened, text)
        with self._opened.writing():
            return checkin.update(self._opened, id_, changed, names)

    def remove(self, ids: int | Iterable[int]) -> None:
        """Remove documents, all of them or none.

        Raises:
            IdError: one of these ids does not exist.
        """
        some = [ids] if isinstance(ids, int) else list(ids)
        with self._opened.writing():
            for id_ in some:
                tables.row(self._opened.connection, id_)
            checkin.remove(self._opened, list(dict.fromkeys(some)))

    def clusters(self) -> list[list[int]]:
        """Return the clusters of two or more documents of one kind: their ids, the keeper's first.

        They are those of a scan of all documents in the order of their ids: each member was
        verified against its keeper. Copies of one text are all in them.
        """
        with self._opened.reading():
            return tables.clusters(self._opened.connection)
