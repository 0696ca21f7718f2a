"""A served store (``ilk serve``), with the methods of ``Store`` that ask, add, change and remove.

It connects to the address that its caller gives, and to no other.
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import httpx

from ilk import IlkError, RecipeMismatch
from ilk.companions import (
    Added,
    Closing,
    Match,
    StoreRecord,
    default,
    errors,
    parse_json,
)
from ilk.plugins import ColumnTypeError, NothingRead, OptionError, Seconds, SourceNotFound
from ilk_server.errors import ServiceError

#: The most documents, and bytes of documents, in one request.
_LINES, _BYTES = 256, 2 << 20

#: Fields of a record that hold times, and those that hold bytes.
_MOMENTS, _RAW = ("added", "updated"), ("digest", "bytes_digest")

#: What a service answers as itself; everything else is a ServiceError.
_ERRORS: tuple[type[IlkError], ...] = (
    ColumnTypeError,
    errors.IdError,
    errors.IdTaken,
    NothingRead,
    OptionError,
    RecipeMismatch,
    errors.StoreDamaged,
    errors.StoreError,
    errors.StoreLocked,
)

_JSON, _LINES_OF_JSON = ({"Content-Type": f"application/{kind}"} for kind in ("json", "x-ndjson"))

#: The default of an argument that was not given, since None is a value too.
_SAME: Any = object()


class Client(Closing):
    """A store that is served, asked over HTTP.

    Documents are named by the ids that their clients gave them, or by the store's numbers. Once a
    call returns, its change is on disk at the server. Threads may share a client.

    Args:
        url: the address of the service, such as ``http://127.0.0.1:8017``.
        token: a token from ``STORE.token``.
        timeout: seconds to wait for an answer.

    Raises:
        OptionError: the address is not an HTTP address.

    Every method may raise ServiceError (the service does not answer, or refuses), and whatever the
    same method of ``Store`` raises.
    """

    def __init__(self, url: str, token: str, *, timeout: float = 60.0) -> None:
        """Connect at the first question."""
        for name, given in (("url", url), ("token", token)):
            if not isinstance(given, str):
                raise OptionError(f"{name} is a {type(given).__name__}; it must be a text.")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise OptionError(f"url is {url!r}; it must be a URL like http://127.0.0.1:8017.")
        token = token.strip()
        # Errors that name them are shown and logged.
        if "@" in parts.netloc:
            raise OptionError(
                "url holds a name or a password, which nobody asks for; leave it out."
            )
        if not (token.isascii() and token.isprintable() and token):
            raise OptionError("token holds characters that no token has; copy it from STORE.token.")
        self.url = url.rstrip("/")
        timeout = Seconds().check("timeout", timeout)
        # Neither proxies nor passwords come from the environment: only this address is asked.
        head = {"Authorization": f"Bearer {token}"}
        self._make_client = partial(httpx.Client, headers=head, timeout=timeout, trust_env=False)
        self._http = self._make_client()

    def __repr__(self) -> str:
        """Return its address."""
        return f"<ilk_server.Client {self.url!r}>"

    def check(self, text: str | os.PathLike[str] | Sequence[str], **limits: Any) -> list[Match]:
        """Return what a text, or a file of this machine, is like; as ``Store.check``."""
        return _parse_matches(
            self._send_text_or_file("POST", "/check", text, _without_none(limits))["matches"]
        )

    def check_many(self, documents: Iterable[str], **limits: Any) -> list[list[Match]]:
        """Return what each of many texts is like; as ``Store.check_many``."""
        lines = ({"text": text} for text in documents)
        return [
            _parse_matches(one["matches"])
            for one in self._send_lines_in_batches(lines, {"do": "check", **limits})
        ]

    def check_fingerprint(self, fingerprint: int | bytes, radius: int | None = None) -> list[Match]:
        """Return the documents within a radius of a fingerprint; as ``Store.check_fingerprint``."""
        value = fingerprint.hex() if isinstance(fingerprint, bytes) else fingerprint
        asked = _without_none({"fingerprint": value, "radius": radius})
        return _parse_matches(self._request_with_json_body("POST", "/check", asked)["matches"])

    def similar(self, id_: int | str, **limits: Any) -> list[Match]:
        """Return what a stored document is like; as ``Store.similar``."""
        path = f"{_document_path(id_)}/similar{_query_string(limits)}"
        return _parse_matches(self._request_with_json_body("GET", path)["matches"])

    def add(
        self,
        text: str | os.PathLike[str] | Sequence[str],
        *,
        id: str | None = None,
        source: str | None = None,
        title: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        on_duplicate: str = "report",
    ) -> Added:
        """Check a document in, under an id of its own; as ``Store.add``.

        Raises:
            IdTaken: another document has that id.
        """
        fields = {"id": id, "source": source, "title": title, "metadata": metadata}
        more = _without_none({**fields, "on_duplicate": on_duplicate})
        return _parse_added(self._send_text_or_file("POST", "/documents", text, more))

    def add_many(
        self, documents: Iterable[str | Mapping[str, Any]], *, on_duplicate: str = "report"
    ) -> list[Added]:
        """Check in many documents: texts, or mappings with ``text`` and the arguments of ``add``.

        They are sent 256 at a time. If one is refused with an error, those sent before it stay.
        """
        lines = ({"text": one} if isinstance(one, str) else dict(one) for one in documents)
        how = {"do": "add", "on_duplicate": on_duplicate}
        return [_parse_added(one) for one in self._send_lines_in_batches(lines, how)]

    def update(
        self,
        id_: int | str,
        text: str | os.PathLike[str] | Sequence[str] | None = None,
        *,
        source: str | None = _SAME,
        title: str | None = _SAME,
        metadata: Mapping[str, Any] | None = _SAME,
    ) -> Added:
        """Change a document; whatever is not given stays as it is; as ``Store.update``."""
        fields = {"source": source, "title": title, "metadata": metadata}
        more = {name: value for name, value in fields.items() if value is not _SAME}
        if text is None:
            return _parse_added(self._request_with_json_body("PUT", _document_path(id_), more))
        return _parse_added(self._send_text_or_file("PUT", _document_path(id_), text, more))

    def remove(self, ids: int | str | Iterable[int | str]) -> None:
        """Remove documents, one after the other.

        Raises:
            IdError: one of these ids does not exist; the documents before it are removed.
        """
        for id_ in [ids] if isinstance(ids, int | str) else ids:
            self._request_with_json_body("DELETE", _document_path(id_))

    def clusters(self) -> list[list[int | str]]:
        """Return the clusters: the ids of their documents, the keeper's first; as
        ``Store.clusters``.
        """
        found = self._fetch_items_of_pages("/clusters", "clusters")
        return [[member["id"] for member in cluster["members"]] for cluster in found]

    def compare(
        self, left: int | str, right: int | str, *, min_words: int = default("min_words")
    ) -> dict[str, Any]:
        """Return every measure between two documents, and what they share, as ``ilk compare``."""
        pair = "/".join(quote(str(id_), safe="") for id_ in (left, right))
        found: dict[str, Any] = self._request_with_json_body(
            "GET", f"/compare/{pair}{_query_string({'min_words': min_words})}"
        )
        return found

    def text(self, id_: int | str) -> str | None:
        """Return the text of a document; None if the store does not keep it."""
        found: str | None = self._request_with_json_body("GET", f"{_document_path(id_)}/text")[
            "text"
        ]
        return found

    def stats(self) -> dict[str, Any]:
        """Return how much there is, and how it is compared."""
        found: dict[str, Any] = self._request_with_json_body("GET", "/stats")
        return found

    def __len__(self) -> int:
        """Return the number of documents."""
        return int(self.stats()["documents"])

    def __contains__(self, id_: object) -> bool:
        """Return whether a document has this id."""
        if not isinstance(id_, int | str):
            return False
        try:
            self[id_]
        except errors.IdError:
            return False
        return True

    def __getitem__(self, id_: int | str) -> StoreRecord:
        """Return what is known of a document."""
        return _parse_record(self._request_with_json_body("GET", _document_path(id_)))

    def __iter__(self) -> Iterator[StoreRecord]:
        """Yield all documents in the order in which they were added."""
        yield from map(_parse_record, self._fetch_items_of_pages("/documents", "documents"))

    def close(self) -> None:
        """Close the connections; the next request opens another one."""
        self._http.close()
        self._http = self._make_client()

    def _fetch_items_of_pages(self, path: str, key: str) -> Iterator[dict[str, Any]]:
        after = None
        while True:
            page = self._request_with_json_body("GET", f"{path}{_query_string({'after': after})}")
            yield from page[key]
            after = page["next"]
            if after is None:
                return

    def _send_text_or_file(self, method: str, path: str, text: Any, fields: dict[str, Any]) -> Any:
        """Send a text, or the bytes of a file, with its fields."""
        if isinstance(text, os.PathLike):
            named = {"source": os.fspath(text), **fields}
            return self._request_json_or_none_if_empty(
                method, path, **_make_multipart_form_of_file(Path(text), named)
            )
        if isinstance(text, list | tuple) and len(text) == 1:
            text = text[0]
        return self._request_with_json_body(method, path, {"text": text, **fields})

    def _request_with_json_body(self, method: str, path: str, values: Any = None) -> Any:
        if values is None:
            return self._request_json_or_none_if_empty(method, path)
        return self._request_json_or_none_if_empty(
            method, path, content=_encode_json(values), headers=_JSON
        )

    def _send_lines_in_batches(
        self, lines: Iterable[Mapping[str, Any]], query: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """Yield the answers to lines; raise the first error among them."""
        path = f"/batch{_query_string(query)}"
        lines_held: list[bytes] = []
        for line in lines:
            lines_held.append(_encode_json(line))
            if len(lines_held) == _LINES or sum(map(len, lines_held)) > _BYTES:
                yield from self._send_batch(path, lines_held)
                lines_held = []
        if lines_held:
            yield from self._send_batch(path, lines_held)

    def _send_batch(self, path: str, lines: list[bytes]) -> Iterator[dict[str, Any]]:
        answer = self._request_bytes_even_of_refused_duplicate(
            "POST", path, content=b"\n".join(lines), headers=_LINES_OF_JSON
        )
        for line in answer.splitlines():
            found = parse_json(line)
            if "status" in found:
                raise _error_of_problem(found)
            yield found

    def _request_json_or_none_if_empty(self, method: str, path: str, **body: Any) -> Any:
        answer = self._request_bytes_even_of_refused_duplicate(method, path, **body)
        return parse_json(answer) if answer else None

    def _request_bytes_even_of_refused_duplicate(
        self, method: str, path: str, **body: Any
    ) -> bytes:
        """Return the body of the answer.

        Raises:
            IlkError: the service answers with an error.
        """
        try:
            try:
                response = self._http.request(method, self.url + path, **body)
            except (httpx.ReadError, httpx.RemoteProtocolError):
                # The server may have closed a kept connection before this was sent. A request that
                # changes something is not sent twice: it may have been carried out.
                if method != "GET":
                    raise
                response = self._http.request(method, self.url + path, **body)
        except httpx.HTTPError as error:
            raise ServiceError(
                f"{self.url}: no answer: {error or type(error).__name__}."
            ) from error
        status, answer = response.status_code, response.content
        if status < 400:
            return answer
        try:
            problem = parse_json(answer)
        except ValueError:
            problem = {}
        if not isinstance(problem, dict) or "detail" not in problem:
            raise ServiceError(f"{self.url}: answered {status}.")
        if "matches" in problem:
            return answer  # A duplicate that was refused.
        raise _error_of_problem(problem)


def _error_of_problem(problem: Mapping[str, Any]) -> IlkError:
    """Return the error to raise for a problem: the library's error, if the problem names one."""
    message = str(problem["detail"])
    for kind in _ERRORS:
        if kind.__name__ == problem.get("error"):
            return kind(message)
    return ServiceError(message)


def _document_path(id_: int | str) -> str:
    return f"/documents/{quote(str(id_), safe='')}"


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _query_string(values: Mapping[str, Any]) -> str:
    query = urlencode(_without_none(values))
    return f"?{query}" if query else ""


def _encode_json(values: Any) -> bytes:
    try:
        return json.dumps(values, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise OptionError(f"this cannot be written as JSON: {error}.") from error


def _make_multipart_form_of_file(path: Path, fields: Mapping[str, Any]) -> dict[str, Any]:
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise SourceNotFound(f"there is no {str(path)!r}.") from error
    except OSError as error:
        raise NothingRead(f"{path}: {errors.reason_of_error(error)}.") from error
    file_name = quote(path.name.encode("utf-8", "surrogateescape"), safe=" ()[]-_.,")
    form_fields = {
        name: json.dumps(dict(value)) if isinstance(value, Mapping) else str(value)
        for name, value in fields.items()
    }
    data = {name: value.encode("utf-8", "surrogatepass") for name, value in form_fields.items()}
    return {"data": data, "files": {"file": (file_name, content)}}


def _parse_matches(records: Iterable[Mapping[str, Any]]) -> list[Match]:
    return [Match(**one) for one in records]


def _parse_added(record: Mapping[str, Any]) -> Added:
    return Added(record["id"], _parse_matches(record["matches"]))


def _parse_record(record: Mapping[str, Any]) -> StoreRecord:
    values = dict(record)
    values |= {name: datetime.datetime.fromisoformat(values[name]) for name in _MOMENTS}
    raw = {name: values[name] for name in (*_RAW, "fingerprint") if isinstance(values[name], str)}
    return StoreRecord(**{**values, **{name: bytes.fromhex(value) for name, value in raw.items()}})
