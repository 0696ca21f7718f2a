"""The application: a store, its tokens and its limits put together."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

import ilk
from ilk.errors import IlkError
from ilk.interfaces.service import pages, problems, routes
from ilk.interfaces.service.answers import Answers
from ilk.interfaces.service.guard import LOOPBACK, Guard
from ilk.interfaces.service.limits import Limits
from ilk.interfaces.service.metrics import Metrics
from ilk.interfaces.service.problems import Refused
from ilk.interfaces.service.sessions import Sessions
from ilk.interfaces.service.tokens import Tokens
from ilk.interfaces.service.work import Work
from ilk.store import NamedStore


def application(
    store: NamedStore, tokens: Tokens, limits: Limits, hosts: Iterable[str] = ()
) -> Guard:
    """Return the application that serves a store, behind its guard.

    Args:
        store: open as long as it is served.
        tokens: by which requests are known.
        limits: how much they may take.
        hosts: names by which it is reached, besides those of this machine.
    """
    app = FastAPI(
        title="ilk",
        version=ilk.__version__,
        description="A store of documents: what is a document like, and where?",
        docs_url=None,  # These pages fetch what they are made of from elsewhere.
        redoc_url=None,
        openapi_url=None,
        exception_handlers={
            Refused: _problem,
            IlkError: _problem,
            HTTPException: _problem,
            RequestValidationError: _problem,
        },
    )
    app.state.answers = Answers(store)
    app.state.limits = limits
    app.state.work = Work(limits)
    app.state.metrics = Metrics()
    app.state.tokens = tokens
    app.state.sessions = Sessions()
    app.include_router(routes.router)
    app.include_router(pages.router)

    @app.get("/openapi.json", dependencies=[routes.needs("read")], include_in_schema=False)
    async def openapi() -> routes.Plain:
        return routes.Plain(app.openapi())

    return Guard(
        app,
        tokens=tokens,
        sessions=app.state.sessions,
        hosts=(*LOOPBACK, *hosts),
        limits=limits,
        metrics=app.state.metrics,
    )


async def _problem(request: Request, error: Exception) -> JSONResponse:
    """Answer an error, in one form whatever raised it."""
    del request
    refused = _refused(error)
    return routes.Plain(
        problems.body(refused),
        refused.status,
        headers=refused.headers,
        media_type=problems.TYPE,
    )


def _refused(error: Exception) -> Refused:
    if isinstance(error, Refused):
        return error
    if isinstance(error, IlkError):
        return problems.of_error(error)
    if isinstance(error, HTTPException):
        said = str(error.detail)
        if error.status_code == HTTPStatus.NOT_FOUND:
            said = "there is nothing at this address; GET /openapi.json lists those there are."
        return Refused(error.status_code, said, dict(error.headers or {}))
    assert isinstance(error, RequestValidationError)
    first: dict[str, Any] = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    return Refused(HTTPStatus.UNPROCESSABLE_ENTITY, f"{where}: {first['msg']}.")
