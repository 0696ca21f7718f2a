"""Request bodies: documents as JSON or as files, and options."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request

from ilk.base.parsed import parsed
from ilk.store import Entering
from ilk_server.problems import Refused

#: Options of ``Store.check`` for what counts as like.
SEARCHING = ("resemblance", "containment", "radius", "similarity")

#: Fields of a document, as in ``Entering``; and alternatives to a text.
DOCUMENT = ("id", "text", "source", "title", "metadata")

#: The extension of an uploaded file, which names its format.
_SUFFIX = re.compile(r"(\.[A-Za-z0-9]{1,10}){1,2}$")

#: Fields of a form.
_FIELDS = 20


@dataclass(frozen=True, slots=True)
class Given:
    """The content of a request.

    Attributes:
        values: its fields, as in JSON.
        path: the uploaded file; it is gone when the request has been answered.
        called: the original name of that file.
    """

    values: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None
    called: str | None = None

    def chosen(self, *names: str) -> dict[str, Any]:
        """Return which of these fields were given."""
        return {name: self.values[name] for name in names if self.values.get(name) is not None}

    def document(self) -> Entering:
        """Return the given document.

        Raises:
            Refused: there is no text.
        """
        text = self.path or self.values.get("text")
        if not isinstance(text, str | Path):
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "`text` is missing; give a string.")
        fields = {name: self.values.get(name) for name in DOCUMENT if name != "text"}
        fields["source"] = fields["source"] or self.called
        return Entering(text, **fields)


@contextlib.asynccontextmanager
async def given(request: Request, allowed: Collection[str], most: int) -> AsyncIterator[Given]:
    """Read a request's body: JSON, or a form with a ``file`` or a ``text``.

    Args:
        request: whose body it is.
        allowed: the names of fields.
        most: bytes of a field.

    Raises:
        Refused: it is neither, or has other fields.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        yield Given(checked(of_json(await request.body()), allowed))
    elif kind in ("multipart/form-data", "application/x-www-form-urlencoded"):
        async with request.form(max_files=1, max_fields=_FIELDS, max_part_size=most) as form:
            values = {name: value for name, value in form.items() if isinstance(value, str)}
            values.pop("csrf", None)
            uploads = [value for value in form.values() if isinstance(value, UploadFile)]
            read = checked(_plain(values), allowed)
            if not uploads or not uploads[0].filename:
                yield Given(read)
                return
            with tempfile.TemporaryDirectory(prefix="ilk-serve.") as folder:
                suffix = _SUFFIX.search(uploads[0].filename or "")
                path = Path(folder) / f"document{suffix[0] if suffix else ''}"
                path.write_bytes(await uploads[0].read())
                yield Given(read, path, uploads[0].filename)
    else:
        raise Refused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "send JSON (Content-Type: application/json), or a form with a `file`.",
        )


def _plain(values: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a form as in JSON, without empty ones."""
    read: dict[str, Any] = {name: value for name, value in values.items() if value}
    if "metadata" in read:
        read["metadata"] = of_json(read["metadata"].encode("utf-8", "replace"))
    if read.get("radius", "").isdigit():
        read["radius"] = int(read["radius"])
    return read


def of_json(body: bytes) -> Any:
    """Read JSON.

    Raises:
        Refused: it is something else.
    """
    try:
        return parsed(body)
    except ValueError as error:
        raise Refused(HTTPStatus.BAD_REQUEST, f"the body is not JSON: {error}.") from error


def checked(values: Any, allowed: Collection[str]) -> dict[str, Any]:
    """Return the fields of an object.

    Raises:
        Refused: it is not an object, or has unknown fields.
    """
    if not isinstance(values, dict):
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "the body must be a JSON object.")
    for name in values:
        if name not in allowed:
            raise Refused(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                f"there is no field {name!r}; it must be one of {', '.join(allowed)}.",
            )
    return values


def described(*names: str, needed: str = "text") -> dict[str, Any]:
    """Return the OpenAPI description of such a body."""
    fields = {name: _KINDS[name] for name in names}
    as_json = {"type": "object", "properties": fields, "additionalProperties": False}
    form = {**fields, "file": {"type": "string", "format": "binary"}}
    return {
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": {**as_json, "required": [needed] if needed else []}},
                "multipart/form-data": {"schema": {"type": "object", "properties": form}},
            },
        }
    }


_STRING = {"type": "string"}
_SHARE = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
_KINDS: dict[str, Any] = {
    **dict.fromkeys(("id", "text", "source", "title"), _STRING),
    "metadata": {"type": "object"},
    "on_duplicate": {"type": "string", "enum": ["report", "refuse", "link"]},
    "fingerprint": {"anyOf": [{"type": "integer"}, _STRING], "description": "or hexadecimal"},
    "resemblance": _SHARE,
    "containment": _SHARE,
    "similarity": _SHARE,
    "radius": {"type": "integer", "minimum": 0, "maximum": 128},
}
