"""Errors as answers: problem details in JSON (RFC 9457), the same form everywhere."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any

from ilk import IlkError
from ilk.companions import errors
from ilk.plugins import MissingExtra, OutputError

#: The media type of a problem.
TYPE = "application/problem+json"

#: The status for an error of the library; the first that fits.
_STATUS: tuple[tuple[type[IlkError], int], ...] = (
    (errors.IdTaken, HTTPStatus.CONFLICT),
    (errors.IdError, HTTPStatus.NOT_FOUND),
    (errors.StoreLocked, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.StoreError, HTTPStatus.INTERNAL_SERVER_ERROR),
    (OutputError, HTTPStatus.INSUFFICIENT_STORAGE),
    (MissingExtra, HTTPStatus.NOT_IMPLEMENTED),
    (IlkError, HTTPStatus.UNPROCESSABLE_ENTITY),
)


class Refused(Exception):
    """A refused request.

    Attributes:
        status: the HTTP status.
        detail: what was seen, what is allowed, and how to fix it.
        more: further members of the answer.
        headers: of the answer.
    """

    def __init__(
        self, status: int, detail: str, headers: dict[str, str] | None = None, **more: Any
    ) -> None:
        """Keep all of it."""
        super().__init__(status, detail)
        self.status, self.detail, self.headers, self.more = status, detail, headers or {}, more


def refusal_of_error(error: IlkError) -> Refused:
    """Return the answer to an error of the library, with its name in ``error``."""
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    headers = {"Retry-After": "1"} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
    return Refused(status, str(error), headers, error=type(error).__name__)


def problem_record(refusal: Refused) -> dict[str, Any]:
    """Return a problem as plain values."""
    return {
        "type": "about:blank",
        "title": HTTPStatus(refusal.status).phrase,
        "status": int(refusal.status),
        "detail": refusal.detail,
        **refusal.more,
    }


def problem_json(refusal: Refused) -> bytes:
    """Return the body of the answer, with invalid Unicode escaped."""
    return json.dumps(problem_record(refusal)).encode()
