"""The store as its users see it: one file, one class."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ilk.base import resources
from ilk.base.arguments import refuse_idle_or_unknown_arguments, suggest_arguments
from ilk.base.errors import IdTaken
from ilk.base.kinds import SizeRange
from ilk.base.progress import accept_true_as_progress, ignore_progress_unless_callable
from ilk.fingerprints.recipe import Recipe
from ilk.read import Progress, Reading, ReadReport
from ilk.read.formats.parts import Limits
from ilk.store import checkin, exchange, incoming, merging, records, sync
from ilk.store.checkin import Added
from ilk.store.db import document_table, file, settings
from ilk.store.merging import Merged
from ilk.store.opened import OpenedStore, collect_garbage_seldom
from ilk.store.questions import Questions
from ilk.store.records import ClientDocument
from ilk.store.sync import Synced

#: The default of an argument that was not given, since None is a value too.
_SAME: Any = object()


class Store(Questions):
    """A file of documents that answers "do we have something like this already?".

    A new document is compared with all stored ones: candidates are nominated by fingerprint, or,
    without missing any, by their shingles (``exact``), and verified exactly from what is stored, so
    the originals are not needed. Once a call returns, its change is on disk. Several processes may
    read while one writes; other writers wait for it. A document has an id, a whole
    number that is never used again; and one of its client if its metadata have one under ``id``.

    Args:
        path: the file, created if missing.
        recipe: how to make fingerprints (``Recipe(bits=128)``); refuses a store with another
            recipe.
        resemblance: the least resemblance of near-duplicates, of a new store (0.8).
        shingle: words per shingle, of a new store (3).
        texts: whether a new store keeps the texts too.
        exact: whether a new store finds every near-duplicate, by shingles, which takes more room;
            otherwise it finds those that fingerprints nominate, nearly all of them. Refuses a store
            of the other kind.
        noise: a new store also finds scanned, retyped or transcribed copies with up to this share
            of wrong characters, at most 0.1. It keeps the texts, to align them. Refuses a store
            made without it, or with another value.
        ignore: the differences that a new store does not see, such as ``accents`` (none). Refuses a
            store that ignores others.
        as_: a new store compares programs, as for ``ilk.find``, by the version of Pygments that is
            installed; ``code:python`` and so on names their language. Refuses a store that does
            otherwise, and documents while another version is installed.
        by: a new store compares texts by ``words``, or by ``characters``, however many words they
            have. Refuses a store that does otherwise.
        ignore_text: a new exact store leaves out of all texts what stands in these documents word
            for word. It keeps the hashes of their shingles; refuses a store with another base text.
        within: a new exact store compares only documents that have the same values in these
            columns, as ``deduplicate`` does. The metadata of each document have them by name (null
            for none), and fingerprints do not find any. Refuses a store of other columns.
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

    @suggest_arguments
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
        ignore: str | Sequence[str] | None = None,
        by: str | None = None,
        as_: str | None = None,
        ignore_text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        within: str | Sequence[str] | None = None,
        create: bool = True,
        timeout: float = file.TIMEOUT,
        jobs: int | None = None,
    ) -> None:
        threads = resources.thread_count(jobs)
        wanted_settings = settings.check_and_read_wanted_settings(
            recipe=recipe,
            resemblance=resemblance,
            shingle=shingle,
            texts=texts,
            exact=exact,
            noise=noise,
            ignore=ignore,
            by=by,
            as_=as_,
            ignore_text=ignore_text,
            within=within,
            jobs=threads,
        )
        name = Path(path)
        connection = file.open_or_create_file_unchecked(
            name,
            create_if_missing=create,
            timeout_seconds=timeout,
            settings_if_created=wanted_settings,
        )
        try:
            stored_settings = file.read_or_make_settings(
                connection, name, wanted_settings, make_if_empty=create
            )
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        self._open_store = OpenedStore(name, connection, stored_settings, threads)

    def close(self) -> None:
        """Close the file; closing it again does nothing."""
        self._open_store.close()

    @suggest_arguments
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
        meta, name = (
            records.metadata_as_json_unless_none(metadata),
            records.check_and_escape_name_if_any(title, "title"),
        )
        prepared = [
            incoming.prepare_text_or_path_refusing_ambiguity(
                self._open_store, text, source=source, title=name, metadata_json=meta
            )
        ]
        with self._open_store.write_transaction():
            return checkin.add_documents(self._open_store, prepared, on_duplicate)[0]

    @suggest_arguments
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
        with collect_garbage_seldom():
            prepared = incoming.prepare_texts_or_files(self._open_store, documents)
            with self._open_store.write_transaction():
                return checkin.add_documents(self._open_store, prepared, on_duplicate)

    def add_evidence(self, path: str | os.PathLike[str]) -> int:
        """Add documents by what was kept of their texts, all of them or none; return how many.

        The texts are not needed. The answers are those of a store to which the texts were added.
        A store that finds documents by fingerprints needs those of its recipe.

        Args:
            path: a file that ``ilk store export`` wrote (``to_arrow(evidence=True)`` as Parquet);
                or the table of ``ilk_spark.Incremental``, a folder that this machine can read,
                whose rows come in batch by batch and by id, with the id of the row as ``row`` in
                their metadata. They have no fingerprint, so that ``radius`` does not find them.

        Raises:
            OptionError: the store keeps texts, or counts other things than these documents do, or
                needs fingerprints that they do not have.
            RecipeMismatch: it needs fingerprints of another recipe.
            SourceNotFound, StoreFormatError, StoreDamaged: there is no such file; or it is
                something else, has no evidence, or is damaged; or a batch of the table is not
                whole.
            IdTaken: a document has the id of a stored one.
        """
        with collect_garbage_seldom(), self._open_store.write_transaction():
            return exchange.add_documents_with_evidence(
                self._open_store, exchange.open_documents_with_evidence(path)
            )

    @suggest_arguments
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
            id_: its id, or its client's id, which stays.
            text: its text, or the path of a file with it; without a text, only names change.
            source, title, metadata: as for ``add``.

        Returns:
            What its text is like; nothing if the text stays.

        Raises:
            IdError: no document has this id.
            OptionError: an argument is not valid.
            SourceNotFound, NothingRead: the file is missing, or cannot be read.
        """
        stored_id = self.id_of(id_) if isinstance(id_, str) else id_
        new_names: checkin.NewNames = {}
        if source is not _SAME:
            new_names["source"] = records.check_and_escape_name_if_any(source, "source")
        if title is not _SAME:
            new_names["title"] = records.check_and_escape_name_if_any(title, "title")
        if metadata is not _SAME:
            if isinstance(id_, str):
                client_id = self[stored_id].metadata.get(records.KEY)
                metadata = records.metadata_with_id(metadata, client_id)
            new_names["metadata"] = records.metadata_as_json_unless_none(metadata)
        new_text = None
        if text is not None:
            if "metadata" in new_names:
                metadata_json = new_names["metadata"]
            else:
                metadata_json = self._read_metadata_json_if_any(stored_id)
            new_text = incoming.prepare_text_or_path_refusing_ambiguity(
                self._open_store, text, metadata_json=metadata_json
            )
        with self._open_store.write_transaction():
            return checkin.update_document(
                self._open_store, stored_id, new_text=new_text, new_names=new_names
            )

    def _read_metadata_json_if_any(self, id_: int) -> str | None:
        with self._open_store.read_transaction():
            return document_table.read_row(self._connection, id_).metadata

    def remove(self, ids: int | Iterable[int]) -> None:
        """Remove documents, all of them or none.

        Raises:
            IdError: one of these ids does not exist.
        """
        removed_ids = [ids] if isinstance(ids, int) else list(ids)
        with self._open_store.write_transaction():
            for id_ in removed_ids:
                document_table.read_row(self._connection, id_)
            checkin.remove_existing_documents(self._open_store, list(dict.fromkeys(removed_ids)))

    def enter(
        self, documents: Sequence[ClientDocument], on_duplicate: str = "report"
    ) -> list[Added]:
        """Check in documents with ids of their clients, all of them or none.

        Raises:
            IdTaken: a stored document, or another one of these, has the same id.
            OptionError: an argument is not valid.
            SourceNotFound, NothingRead: a file is missing, or cannot be read.
        """
        client_ids = [records.check_client_id(each.id) for each in documents if each.id is not None]
        documents_to_add = incoming.prepare_client_documents_unchecked(self._open_store, documents)
        ids_seen: set[str] = set()
        with self._open_store.write_transaction():
            for id_ in client_ids:
                if (
                    id_ in ids_seen
                    or document_table.find_id_by_client_id_or_none(self._connection, id_)
                    is not None
                ):
                    raise IdTaken(
                        f"a document already has the id {id_!r}; change it (PUT), or remove it."
                    )
                ids_seen.add(id_)
            return checkin.add_documents(self._open_store, documents_to_add, on_duplicate)

    @refuse_idle_or_unknown_arguments()
    @accept_true_as_progress
    def sync(
        self,
        folder: str | os.PathLike[str],
        *,
        tally: ReadReport | None = None,
        progress: Progress | bool | None = None,
        # Parameters sync, by scripts/make-signatures.
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        cache: str | os.PathLike[str] | None = None,
        extract: str | None = "none",
        convert: Mapping[str, Sequence[str]] | None = None,
        convert_timeout: float | None = 60.0,
        ocr: str | Sequence[str] | None = None,
        replies: str | None = "keep",
        limits: Limits | None = None,
        links: bool = False,
        gitignore: bool = False,
        no_hidden: bool = False,
        one_file_system: bool = False,
        size: str | SizeRange | None = None,
        newer: str | datetime | None = None,
        older: str | datetime | None = None,
        depth: int | None = None,
        # End of what is written.
    ) -> Synced:
        """Synchronise the store with a folder: add, change, rename and remove documents.

        A file that looks the same (size, time of change, inode) is not read, unless other options
        now extract text differently; a file that is read and has the same text is unchanged. A
        file that is there, but excluded, stays as it was, and so do documents added in other ways.
        If the call is interrupted, everything done so far is kept. By default, ``cache`` is beside
        the store.

        Args:
            folder: a folder, which is read recursively, or a file.
            tally: filled with what was read, and what could not be.
            progress: a function that follows the files read; True draws a line on stderr.

        Options:
            include: in folders, read only files whose name or path matches, such as ``*.txt``;
                repeatable.
            exclude: skip files and folders whose name or path matches; repeatable.
            cache: cache the texts of PDF and other formats there; ``none``: no cache (default:
                STORE.texts beside a store, ``texts`` in the folder of ``work``; else none).
            extract: how to get the text of HTML, in files and in rows (none: the page as it is,
                with its tags; all: all text without tags; fast: the main text; quality: the main
                text with fewer mistakes, at a fifth of the speed; needs the extra ``pages``).
            convert: for files with this extension, run a program and read the text it prints, such
                as ``pdf=pdftotext {} -``; repeatable.
            convert_timeout: the time limit for reading one document, by a program or by ilk itself.
            ocr: for PDF pages that are images, run a program and read the text it prints, such as
                ``tesseract {} -``.
            replies: keep or drop the quotations in messages, and signatures.
            limits: what reading one document may use (``ilk.Limits``).
            links: follow symbolic links in folders, also out of them.
            gitignore: leave out what a .gitignore excludes, as an .ilkignore always does.
            no_hidden: leave out files and folders in folders whose names begin with a dot.
            one_file_system: stay on the file system of each given folder.
            size: read only files of this size, such as 1MB..2GB (both included), 1MB.. or ..2GB; a
                reference (``against``) is read whole.
            newer: read only files modified then or since: a date, a time, or an age such as 30d (h,
                d, w, y); a reference (``against``) is read whole.
            older: read only files modified before then: a date, a time, or an age such as 2y (h, d,
                w, y); a reference (``against``) is read whole.
            depth: read files in at most this many folders: 1 does not enter folders in the given
                one.

        Raises:
            SourceNotFound: there is no such folder.
            OptionError: an option is out of bounds; or a file of rows is named.
            MissingExtra: the requested extraction is not installed.
        """
        reading = Reading.of(
            # Arguments sync, by scripts/make-signatures.
            include=include,
            exclude=exclude,
            cache=cache,
            extract=extract,
            convert=convert,
            convert_timeout=convert_timeout,
            ocr=ocr,
            replies=replies,
            limits=limits,
            links=links,
            gitignore=gitignore,
            no_hidden=no_hidden,
            one_file_system=one_file_system,
            size=size,
            newer=newer,
            older=older,
            depth=depth,
            # End of what is written.
        )
        return sync.sync(
            self._open_store,
            folder,
            reading,
            tally=tally or ReadReport(),
            progress=ignore_progress_unless_callable(progress),
        )

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the store to a new file, while others read and write.

        Raises:
            OutputError: the file already exists, or cannot be written.
        """
        with self._open_store.read_transaction():
            file.copy_to_new_file(self._connection, self.path, Path(path))

    @suggest_arguments
    def merge(
        self, others: Sequence[str | os.PathLike[str]], path: str | os.PathLike[str]
    ) -> Merged:
        """Write a new store of this one and others, while they are in use; no texts are needed.

        It is as if the documents of each had been added to one store, in this order, and has their
        history, files and batches. Documents of this store keep their ids; those of the next
        follow.

        Args:
            others: the files of stores that were made alike.
            path: the new store, which appears complete or not at all.

        Raises:
            RecipeMismatch, OptionError: the stores were not made alike, or one is named twice, or
                two were synchronised with one file.
            IdTaken: documents of two of them have one id of a client.
            OutputError: the file already exists, or cannot be written.
        """
        with contextlib.ExitStack() as stack:
            stores = [self, *(stack.enter_context(Store(one, create=False)) for one in others)]
            open_stores = [store._open_store for store in stores]
            return merging.merge_stores(open_stores, Path(path), self._open_store.jobs)

    def rebuild(self) -> None:
        """Make all indexes again from the documents."""
        with self._open_store.write_transaction():
            self._open_store.index.rebuild()
