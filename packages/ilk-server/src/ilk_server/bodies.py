"""Request bodies: documents as JSON or as files, and options."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError, WithJsonSchema
from starlette.datastructures import UploadFile
from starlette.requests import Request

from ilk.companions import ClientDocument, parse_json
from ilk_server.limits import SMALL
from ilk_server.problems import Refused
from ilk_server.work import ThreadCalls


def _exact_type_or_none_validator(kind: type) -> PlainValidator:
    """Return a validator that takes a value as it is: texts may hold invalid Unicode."""

    def check_type_unless_none(value: Any) -> Any:
        if value is not None and type(value) is not kind:
            raise ValueError(f"must be {_SAID[kind]}")
        return value

    return PlainValidator(check_type_unless_none)


_SAID: dict[type, str] = {str: "a string", dict: "an object"}

Text = Annotated[str | None, _exact_type_or_none_validator(str), WithJsonSchema({"type": "string"})]
Metadata = Annotated[
    dict[str, Any] | None, _exact_type_or_none_validator(dict), WithJsonSchema({"type": "object"})
]

#: What to do with a document that is like a stored one.
OnDuplicate = Literal["report", "refuse", "link"]

#: A share as the library takes it, such as 0.8 or "80%", which checks it.
_ONE = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
Share = Annotated[Any, WithJsonSchema(_ONE)]
Fingerprint = Annotated[
    Any,
    WithJsonSchema(
        {"anyOf": [{"type": "integer"}, {"type": "string"}], "description": "or hexadecimal"}
    ),
]
Radius = Annotated[Any, WithJsonSchema({"type": "integer", "minimum": 0, "maximum": 128})]

#: The most documents that a service answers with as the nearest.
MOST_NEAREST = 1_000
Nearest = Annotated[int | None, Field(ge=1, le=MOST_NEAREST)]


class Body(BaseModel):
    """A body with known fields alone."""

    model_config = ConfigDict(extra="forbid")


class Document(Body):
    """A document, as ``ilk.store.ClientDocument``.

    In a form, a ``file`` may take the place of a text.
    """

    id: Text = None
    text: Text = None
    source: Text = None
    title: Text = None
    metadata: Metadata = None


class Addition(Document):
    """A document to check in."""

    on_duplicate: OnDuplicate = "report"


class Question(Body):
    """A text or a fingerprint to ask about, and what counts as like."""

    text: Text = None
    fingerprint: Fingerprint = None
    source: Text = None
    resemblance: Share = None
    containment: Share = None
    radius: Radius = None
    similarity: Share = None
    nearest: Nearest = None


#: Options of ``Store.check`` for what counts as like.
SEARCHING = ("resemblance", "containment", "radius", "similarity", "nearest")

#: The extension of an uploaded file, which names its format.
_SUFFIX = re.compile(r"(\.[A-Za-z0-9]{1,10}){1,2}$")

#: Fields of a form.
_FIELDS = 20


@dataclass(frozen=True, slots=True)
class RequestBody:
    """The content of a request.

    Attributes:
        values: its fields, as in JSON.
        path: the uploaded file; it is gone when the request has been answered.
        file_name: the original name of that file.
    """

    values: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None
    file_name: str | None = None

    def fields_except_none(self, *names: str) -> dict[str, Any]:
        """Return those of these fields that have a value."""
        return {name: self.values[name] for name in names if self.values.get(name) is not None}

    def document_or_refuse(self) -> ClientDocument:
        """Return the given document.

        Raises:
            Refused: there is no text.
        """
        text = self.path or self.values.get("text")
        if not isinstance(text, str | Path):
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "`text` is missing; give a string.")
        fields = {name: self.values.get(name) for name in Document.model_fields if name != "text"}
        fields["source"] = fields["source"] or self.file_name
        return ClientDocument(text, **fields)


@contextlib.asynccontextmanager
async def read_json_or_form_body(request: Request, model: type[Body]) -> AsyncIterator[RequestBody]:
    """Read a request's body: JSON, or a form with a ``file`` or a ``text``.

    Args:
        request: whose body it is.
        model: its fields.

    Raises:
        Refused: it is neither, or has other fields.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    work: ThreadCalls = request.app.state.work
    most = request.app.state.limits.max_text_bytes
    if kind == "application/json":
        body = b"".join([piece async for piece in request.stream()])
        if len(body) <= SMALL:
            yield RequestBody(check_fields_and_size_beside_text(parse_json_body(body), model))
            return
        async with work.turn_for_large():
            yield RequestBody(
                check_fields_and_size_beside_text(await work(parse_json_body, body), model)
            )
    elif kind in ("multipart/form-data", "application/x-www-form-urlencoded"):
        async with (
            request.form(max_files=1, max_fields=_FIELDS, max_part_size=most) as form,
            work.turn_for_large(),
        ):
            values = {name: value for name, value in form.items() if isinstance(value, str)}
            values.pop("csrf", None)
            uploads = [value for value in form.values() if isinstance(value, UploadFile)]
            read = check_fields_and_size_beside_text(_parse_given_form_fields(values), model)
            if not uploads or not uploads[0].filename:
                yield RequestBody(read)
                return
            with tempfile.TemporaryDirectory(prefix="ilk-serve.") as folder:
                suffix = _SUFFIX.search(uploads[0].filename or "")
                path = Path(folder) / f"document{suffix[0] if suffix else ''}"
                with path.open("wb") as out:
                    await work(shutil.copyfileobj, uploads[0].file, out)
                yield RequestBody(read, path, uploads[0].filename)
    else:
        raise Refused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "send JSON (Content-Type: application/json), or a form with a `file`.",
        )


def _parse_given_form_fields(values: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a form as in JSON, without empty ones."""
    read: dict[str, Any] = {name: value for name, value in values.items() if value}
    for name in {"metadata", "radius", "nearest"} & read.keys():
        read[name] = parse_json_body(read[name].encode("utf-8", "replace"))
    return read


def parse_json_body(body: bytes) -> Any:
    """Read JSON.

    Raises:
        Refused: it is something else.
    """
    try:
        return parse_json(body)
    except ValueError as error:
        raise Refused(HTTPStatus.BAD_REQUEST, f"the body is not JSON: {error}.") from error


def check_fields_and_size_beside_text(values: Any, model: type[Body]) -> dict[str, Any]:
    """Return the fields of an object that were given.

    Raises:
        Refused: it is not an object, a field is unknown or of another type, or all but the text
            takes too much.
    """
    if not isinstance(values, dict):
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "the body must be a JSON object.")
    beside = _count_json_bytes_or_refuse_deep(
        {name: value for name, value in values.items() if name != "text"}
    )
    if beside > SMALL:
        raise Refused(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"what is said beside the text takes {beside:,} bytes; {SMALL:,} are accepted.",
        )
    try:
        model_values = model.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        known = ", ".join(model.model_fields)
        phrase = f"is no field; it must be one of {known}"
        plain = first["msg"].removeprefix("Value error, ")
        phrase = phrase if first["type"] == "extra_forbidden" else plain
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, f"{where}: {phrase}.") from None
    # Not `model_dump`, which copies every value of the metadata.
    return {name: getattr(model_values, name) for name in model_values.model_fields_set}


def _count_json_bytes_or_refuse_deep(value: Any) -> int:
    try:
        return len(json.dumps(value))
    except RecursionError:  # It could just be read.
        raise Refused(HTTPStatus.BAD_REQUEST, "the body is nested too deeply.") from None


def openapi_body(model: type[Body], *required_fields: str) -> dict[str, Any]:
    """Return the description of such a body for OpenAPI, as JSON or as a form with a file."""
    schema = model.model_json_schema()
    form = {**schema["properties"], "file": {"type": "string", "format": "binary"}}
    return {
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": {**schema, "required": list(required_fields)}},
                "multipart/form-data": {"schema": {"type": "object", "properties": form}},
            },
        }
    }
