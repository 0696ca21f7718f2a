"""Answers of a store as plain values, with the words and the JSON of the command line.

Documents are named by their clients' ids, if they have one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from ilk import IlkError, Store, compare
from ilk.companions import (
    KEY,
    Added,
    ClientDocument,
    Match,
    StoreRecord,
    check_client_id,
    portable,
    read,
)
from ilk.plugins import arrow
from ilk_server.additions import AdditionLog
from ilk_server.bodies import SEARCHING, RequestBody
from ilk_server.metrics import Metrics
from ilk_server.problems import Refused
from ilk_server.tokens import tokens_path

#: A match, with the client's id of the stored document.
MatchRecord: TypeAlias = dict[str, Any]

#: ``source`` and ``matches``: what a text, a file or a fingerprint is like.
CheckRecord: TypeAlias = dict[str, Any]

#: ``id``, ``source`` and ``matches`` of an added document; the id is None if it was refused as a
#: duplicate.
AdditionRecord: TypeAlias = dict[str, Any]

#: What is known of a stored document, without its text.
DocumentRecord: TypeAlias = dict[str, Any]

#: Fields of a record that name another document.
_OTHERS = ("copy_of", "keeper", "duplicate_of")

#: Records to read at a time.
_AT_ONCE = 1_000


class UpdateAnswer(NamedTuple):
    """Whether a document is new, or was changed; and the answer of ``add_document``."""

    is_new: bool
    addition: AdditionRecord


class StoreAnswers:
    """A store with plain values as arguments and results."""

    def __init__(
        self, store: Store, metrics: Metrics, additions: AdditionLog | None = None
    ) -> None:
        """Use a store, count what happens, and note what comes in."""
        self.store = store
        self._metrics = metrics
        self._additions = additions

    def check_document_or_fingerprint(self, body: RequestBody) -> CheckRecord:
        """Return what a text, a file or a fingerprint is like."""
        fingerprint = body.values.get("fingerprint")
        if fingerprint is not None:
            idle = body.fields_except_none(*SEARCHING).keys() - {"radius"}
            if idle:
                raise Refused(
                    HTTPStatus.UNPROCESSABLE_ENTITY,
                    f"`{min(idle)}` has no effect on a fingerprint: `radius` alone decides what is "
                    "like it. Leave it out, or give a text.",
                )
            radius = body.values.get("radius")
            matches = self.store.check_fingerprint(
                _parse_fingerprint_if_hexadecimal(fingerprint), radius
            )
            return {"source": None, "matches": self._match_records(matches)}
        one = body.document_or_refuse()
        text = [one.text] if isinstance(one.text, str) else one.text
        with _name_upload_in_errors(body):
            matches = self.store.check(text, **body.fields_except_none(*SEARCHING))
        self._metrics.count_event("documents_asked_about")
        return {"source": one.source, "matches": self._match_records(matches)}

    def check_many(self, texts: Sequence[str], **limits: Any) -> list[list[MatchRecord]]:
        """Return what each of some texts is like."""
        # A column always means texts; a list might name files.
        given = pa.table({"text": arrow.import_texts(list(texts))})
        every = self.store.check_many(given, **limits)
        self._metrics.count_event("documents_asked_about", len(every))
        return [self._match_records(found) for found in every]

    def text_of_body(self, body: RequestBody) -> str:
        """Return the text of a request, extracted from its file if it sends one."""
        text = body.document_or_refuse().text
        if isinstance(text, str):
            return text
        with _name_upload_in_errors(body):
            found = read.read_one_document(text)["text"][0].as_py()
        return found or ""

    def add_document(self, body: RequestBody) -> AdditionRecord:
        """Add the document of a request, unless it is a duplicate to be refused."""
        with _name_upload_in_errors(body):
            one = body.document_or_refuse()
            return self.add_documents([one], **body.fields_except_none("on_duplicate"))[0]

    def add_documents(
        self, documents: Sequence[ClientDocument], on_duplicate: str = "report"
    ) -> list[AdditionRecord]:
        """Add documents in one transaction, count them, and note them in the log of additions."""
        with self._lock_tokens_file_if_any():
            every = self.store.enter(documents, on_duplicate)
            answers = [
                self._addition_record(document.source, addition)
                for document, addition in zip(documents, every, strict=True)
            ]
            if self._additions is not None:
                self._additions.write_added_until_first_failure(
                    [
                        {"number": addition.id, **answer}
                        for addition, answer in zip(every, answers, strict=True)
                        if addition.id is not None
                    ]
                )
        for one in every:
            if one.id is None:
                self._metrics.count_event("duplicates_refused")
                continue
            self._metrics.count_event("documents_added")
            if one.matches:
                self._metrics.count_event("documents_added_like_others")
        return answers

    def log_missing_additions(self) -> None:
        """Note documents that came in without a line in the log: added in other ways, or just
        before a process died.
        """
        if self._additions is None:
            return
        with self._lock_tokens_file_if_any():
            last = self._additions.read_last_number_or_begin_at(self.store.last_id)
            while records := self.store.records(last, _AT_ONCE):
                for record in records:
                    earlier = [m for m in self.store.similar(record.id) if m.id < record.id]
                    answer = self._addition_record(record.source, Added(record.id, earlier))
                    self._additions.write_added_until_first_failure(
                        [{"number": record.id, **answer}]
                    )
                last = records[-1].id

    def update_or_add_document(self, id_: str, body: RequestBody) -> UpdateAnswer:
        """Change a document, or add it with this id if no document has it."""
        changes = body.fields_except_none("text", "source", "title", "metadata")
        if body.path is not None:
            changes["text"] = body.path
        elif "text" in changes:
            changes["text"] = [changes["text"]]
        with _name_upload_in_errors(body):
            try:
                number = self.store.id_of(id_)
            except IlkError:
                check_client_id(id_)
                if body.values.get("id") not in (None, id_):
                    raise Refused(
                        HTTPStatus.UNPROCESSABLE_ENTITY, "`id` differs from the one in the address."
                    ) from None
                body.values["id"] = id_
                return UpdateAnswer(is_new=True, addition=self.add_document(body))
            with self._lock_tokens_file_if_any():
                added = self.store.update(id_, **changes)
            addition = self._addition_record(self.store[number].source, added)
            return UpdateAnswer(is_new=False, addition=addition)

    def remove(self, id_: str) -> None:
        """Remove a document."""
        with self._lock_tokens_file_if_any():
            self.store.remove(self.store.id_of(id_))

    def document_record(self, id_: str) -> DocumentRecord:
        """Return what is known of a document."""
        return self.document_records([self.store[self.store.id_of(id_)]])[0]

    def document_page(self, after_number: int, max_documents: int) -> dict[str, Any]:
        """Return documents in the order of their numbers, and the start of the next page."""
        records = self.store.records(after_number, max_documents)
        last = records[-1].id if len(records) == max_documents else None
        return {"documents": self.document_records(records), "next": last}

    def text_record(self, id_: str) -> dict[str, Any]:
        """Return the text of a document; null if the store does not keep it."""
        return {"text": self.store.text(self.store.id_of(id_))}

    def similar_documents(self, id_: str, **limits: Any) -> dict[str, Any]:
        """Return what a document is like."""
        found = self.store.similar(self.store.id_of(id_), **limits)
        return {"matches": self._match_records(found)}

    def cluster_page(self, start: int, max_clusters: int) -> dict[str, Any]:
        """Return clusters in the order of their keepers, and the start of the next page."""
        every = self.store.clusters()
        some = every[start : start + max_clusters]
        numbers = [number for cluster in some for number in cluster]
        ids, sources = self.store.client_ids(numbers), self.store.sources(numbers)
        rows = [
            {
                "cluster": place,
                "keeper": ids[cluster[0]],
                "members": [{"id": ids[one], "source": sources.get(one)} for one in cluster],
            }
            for place, cluster in enumerate(some, start)
        ]
        end = start + len(some)
        return {"clusters": rows, "next": end if end < len(every) else None}

    def compare(self, left: str, right: str, *, min_words: int) -> dict[str, Any]:
        """Return every measure of two documents, the passages they share, and what differs."""
        texts = [self.store.text(self.store.id_of(id_)) for id_ in (left, right)]
        settings = self.store.settings
        if None in texts:
            raise Refused(
                HTTPStatus.CONFLICT,
                "the store keeps no texts, but a comparison needs them: make the store with "
                "--texts.",
            )
        comparison = compare(
            [texts[0] or ""],
            [texts[1] or ""],
            settings.recipe,
            resemblance=str(settings.resemblance),
            shingle=settings.shingle,
            min_words=min_words,
        )
        differing = comparison.differences().to_dict()
        return {"left": left, "right": right, **comparison.to_dict(), "differences": differing}

    @contextlib.contextmanager
    def _lock_tokens_file_if_any(self) -> Iterator[None]:
        """Wait for the changes of other processes of the service, one after the other.

        SQLite would only look again from time to time, and checks would wait with it.
        """
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError):  # Nobody else serves a store without tokens.
                file = stack.enter_context(tokens_path(self.store.path).open("rb"))
                portable.lock_file(file.fileno(), wait=True)
            yield

    def _match_records(self, matches: Iterable[Match]) -> list[MatchRecord]:
        found = list(matches)
        ids = self.store.client_ids(match.id for match in found)
        return [{**match.to_dict(), "id": ids[match.id]} for match in found]

    def _addition_record(self, source: str | None, addition: Added) -> AdditionRecord:
        """Return what happened to a document; the id of a duplicate that was refused is None."""
        id_ = None if addition.id is None else self.store.client_ids([addition.id])[addition.id]
        return {"id": id_, "source": source, "matches": self._match_records(addition.matches)}

    def document_records(self, records: Sequence[StoreRecord]) -> list[DocumentRecord]:
        """Return what is known of documents as plain values, with the ids of their clients."""
        plain = [record.to_dict() for record in records]
        others = {one[name] for one in plain for name in ("id", *_OTHERS)} - {None}
        ids: dict[Any, Any] = {None: None, **self.store.client_ids(others)}
        for one in plain:
            one |= {name: ids[one[name]] for name in ("id", *_OTHERS)}
            if one["metadata"].get(KEY) == one["id"]:
                one["metadata"] = {k: v for k, v in one["metadata"].items() if k != KEY}
        return plain


def _parse_fingerprint_if_hexadecimal(fingerprint: Any) -> Any:
    """Return the number or the bytes that hexadecimal digits spell, and any other value as it is.

    Raises:
        Refused: a string is not 16 or 32 hexadecimal digits.
    """
    if not isinstance(fingerprint, str):
        return fingerprint
    try:
        raw = bytes.fromhex(fingerprint)
    except ValueError:
        raw = b""
    if len(raw) not in (8, 16):
        raise Refused(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "a fingerprint is a whole number, or 16 or 32 hexadecimal digits.",
        )
    return raw if len(raw) == 16 else int.from_bytes(raw)


@contextlib.contextmanager
def _name_upload_in_errors(body: RequestBody) -> Iterator[None]:
    """Use the original name of an uploaded file in errors."""
    try:
        yield
    except IlkError as error:
        if body.path is None or str(body.path) not in str(error):
            raise
        message = str(error).replace(str(body.path), body.file_name or "the file")
        raise type(error)(message) from error
