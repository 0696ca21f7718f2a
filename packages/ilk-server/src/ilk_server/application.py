"""The application: a store with its tokens and limits."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, TypeAlias

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Receive, Scope, Send

import ilk
from ilk import IlkError, Store
from ilk_server import browsing, entrance, frame, overview, pages, problems, review_pages, routes
from ilk_server.additions import AdditionLog
from ilk_server.answers import StoreAnswers
from ilk_server.decisions import Decisions, decisions_path
from ilk_server.guard import LOOPBACK, Guard
from ilk_server.limits import RequestLimits
from ilk_server.metrics import Metrics
from ilk_server.problems import Refused
from ilk_server.review import Review
from ilk_server.review_sources import ReviewedStore
from ilk_server.sessions import Sessions
from ilk_server.tokens import LoadedTokens
from ilk_server.work import ThreadCalls

#: Errors whose reason is sent to the client.
_Answerable: TypeAlias = Refused | IlkError | HTTPException | RequestValidationError


def make_store_application(
    store: Store,
    tokens: LoadedTokens,
    *,
    limits: RequestLimits,
    hosts: Iterable[str] = (),
    metrics: Metrics | None = None,
    additions: AdditionLog | None = None,
) -> Guard:
    """Return the application that serves a store, behind its guard.

    Args:
        store: open as long as it is served.
        tokens: the tokens that authenticate requests.
        limits: the limits of requests.
        hosts: names by which clients reach it, besides those of this machine.
        metrics: what counts; by default, this application does.
        additions: where to note what comes in; None does not.
    """
    app = _make_unguarded_app(limits, metrics or Metrics())
    app.state.answers = StoreAnswers(store, app.state.metrics, additions)
    app.state.review = Review(ReviewedStore(store), Decisions(decisions_path(store.path)))
    app.state.pages = (
        ("/", "Ask"),
        ("/browse", "Documents"),
        ("/review", "Review"),
        ("/overview", "Overview"),
    )
    for addresses in (routes, pages, browsing, review_pages, overview):
        app.include_router(addresses.router)

    @app.get(
        "/openapi.json",
        dependencies=[routes.require_role_and_proof("read")],
        include_in_schema=False,
    )
    async def openapi() -> routes.JsonAnswer:
        return routes.JsonAnswer(app.openapi())

    return _put_behind_guard(app, tokens, limits, hosts)


def make_review_application(
    review: Review, tokens: LoadedTokens, limits: RequestLimits, hosts: Iterable[str] = ()
) -> Guard:
    """Return the application that serves only a review.

    The arguments are those of ``make_store_application``.
    """
    app = _make_unguarded_app(limits, Metrics())
    app.state.review = review
    app.state.pages = (("/review", "Review"),)
    app.include_router(review_pages.router)

    @app.get("/")
    async def first() -> Response:
        return RedirectResponse("/review", HTTPStatus.SEE_OTHER)

    return _put_behind_guard(app, tokens, limits, hosts)


def _make_unguarded_app(limits: RequestLimits, metrics: Metrics) -> FastAPI:
    app = FastAPI(
        title="ilk",
        version=ilk.__version__,
        description="A store of documents: ask which ones a document is like.",
        docs_url=None,  # These pages would fetch scripts from elsewhere.
        redoc_url=None,
        openapi_url=None,
        exception_handlers={
            Refused: _problem_page_or_json,
            IlkError: _problem_page_or_json,
            HTTPException: _problem_page_or_json,
            RequestValidationError: _problem_page_or_json,
            Exception: _leave_answer_to_guard,
        },
    )
    app.state.limits = limits
    app.state.work = ThreadCalls(limits)
    app.state.metrics = metrics
    app.state.sessions = Sessions()
    app.include_router(entrance.router)
    return app


def _put_behind_guard(
    app: FastAPI, tokens: LoadedTokens, limits: RequestLimits, hosts: Iterable[str]
) -> Guard:
    app.state.tokens = tokens
    return Guard(
        app,
        tokens=tokens,
        sessions=app.state.sessions,
        hosts=(*LOOPBACK, *hosts),
        limits=limits,
        metrics=app.state.metrics,
    )


async def _problem_page_or_json(request: Request, error: _Answerable) -> Response:
    """Answer with an error, always in the same form; to a browser, with a page."""
    refusal = _refusal_of(error)
    if "text/html" in request.headers.get("accept", ""):
        missing = isinstance(error, HTTPException) and refusal.status == HTTPStatus.NOT_FOUND
        said = "There is no page at this address." if missing else refusal.detail
        return await frame.render_page(request, "problem.html", refusal.status, said=said)
    return routes.JsonAnswer(
        problems.problem_record(refusal),
        refusal.status,
        headers=refusal.headers,
        media_type=problems.TYPE,
    )


class _NoAnswer(Response):
    """No answer: the guard logs the error and answers, or knows that nobody waits."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send nothing."""


async def _leave_answer_to_guard(request: Request, error: Exception) -> Response:
    del request, error
    return _NoAnswer()


def _refusal_of(error: _Answerable) -> Refused:
    if isinstance(error, Refused):
        return error
    if isinstance(error, IlkError):
        return problems.refusal_of_error(error)
    if isinstance(error, HTTPException):
        message = str(error.detail)
        if error.status_code == HTTPStatus.NOT_FOUND:
            message = "there is nothing at this address; GET /openapi.json lists the addresses."
        return Refused(error.status_code, message, dict(error.headers or {}))
    first: dict[str, Any] = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    return Refused(HTTPStatus.UNPROCESSABLE_ENTITY, f"{where}: {first['msg']}.")
