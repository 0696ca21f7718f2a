"""The addresses for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Query
from fastapi.security import HTTPBearer
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import AfterValidator
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from ilk.companions import CONTAINMENT, default
from ilk_server import batches
from ilk_server.answers import StoreAnswers
from ilk_server.bodies import (
    MOST_NEAREST,
    Addition,
    Document,
    OnDuplicate,
    Question,
    openapi_body,
    read_json_or_form_body,
)
from ilk_server.problems import Refused
from ilk_server.tokens import role_includes

_T = TypeVar("_T")


class JsonAnswer(JSONResponse):
    """An answer in JSON, with invalid Unicode escaped."""

    def render(self, content: Any) -> bytes:
        """Write it."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


class StreamedAnswer(StreamingResponse):
    """An answer that is made while its request is still read.

    The answer reads the request to its end, so nothing else may wait for its messages.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        del scope, receive
        await self.stream_response(send)


def require_role_and_proof(role: str) -> Any:
    """Return a dependency of FastAPI that accepts only sessions with this role.

    A change from a browser must prove that it comes from a page of this service.
    """

    # Functions that never wait are asynchronous, or FastAPI would use another thread.
    async def check_role_and_proof(request: Request) -> None:
        session = request.state.session
        if session is None or not role_includes(session.role, role):
            raise Refused(HTTPStatus.FORBIDDEN, f"this needs a token with the role {role!r}.")
        if not session.proved:
            raise Refused(HTTPStatus.FORBIDDEN, "the header X-CSRF-Token is missing or wrong.")

    return Depends(check_role_and_proof)


async def search_limits(
    resemblance: str | None = None,
    containment: str = str(CONTAINMENT),
    radius: int | None = None,
    similarity: str | None = None,
    nearest: Annotated[int | None, Query(ge=1, le=MOST_NEAREST)] = None,
) -> dict[str, Any]:
    """Return the thresholds from the address."""
    options_given = {"resemblance": resemblance, "radius": radius, "similarity": similarity}
    options_given |= {"nearest": nearest}
    return {"containment": containment, **{k: v for k, v in options_given.items() if v is not None}}


#: An id in an address, whose segments stay as they were sent.
Id = Annotated[str, AfterValidator(unquote)]
SearchLimits = Annotated[dict[str, Any], Depends(search_limits)]
PageSize = Annotated[int, Query(ge=1, le=10_000)]
Place = Annotated[int, Query(ge=-1, le=(1 << 63) - 1)]

router = APIRouter(
    default_response_class=JsonAnswer,
    dependencies=[Depends(HTTPBearer(auto_error=False, description="One from STORE.token"))],
    responses={"4XX": {"description": "A problem, as in RFC 9457"}},
)
_READS, _WRITES, _REMOVES = (
    [require_role_and_proof("read")],
    [require_role_and_proof("write")],
    [require_role_and_proof("admin")],
)


async def _call_answers_in_thread(
    request: Request, method: Callable[..., _T], *arguments: Any, **keywords: Any
) -> _T:
    """Call a method of ``StoreAnswers`` in a thread, and return what it returns."""
    state = request.app.state
    found: _T = await state.work(method, state.answers, *arguments, **keywords)
    return found


async def _call_answers_in_thread_as_json(
    request: Request, method: Callable[..., Any], *arguments: Any, **keywords: Any
) -> JsonAnswer:
    """Return the same as an answer in JSON, which is written in the thread too."""

    def answer() -> JsonAnswer:
        return JsonAnswer(method(request.app.state.answers, *arguments, **keywords))

    found: JsonAnswer = await request.app.state.work(answer)
    return found


@router.get("/health", tags=["service"])
async def health() -> JsonAnswer:
    """Report that the service is running; needs no token."""
    return JsonAnswer({"status": "alive"})


@router.post(
    "/check", tags=["documents"], dependencies=_READS, openapi_extra=openapi_body(Question)
)
async def check(request: Request) -> JsonAnswer:
    """Return what a text, a file or a fingerprint is like; nothing is stored."""
    async with read_json_or_form_body(request, Question) as body:
        return await _call_answers_in_thread_as_json(
            request, StoreAnswers.check_document_or_fingerprint, body
        )


@router.post(
    "/documents",
    tags=["documents"],
    status_code=HTTPStatus.CREATED,
    dependencies=_WRITES,
    openapi_extra=openapi_body(Addition, "text"),
)
async def add(request: Request) -> JsonAnswer:
    """Check in a document; 201 when it is on disk, 409 if its id is taken or it is refused."""
    async with read_json_or_form_body(request, Addition) as body:
        return _created_response_or_refuse(
            await _call_answers_in_thread(request, StoreAnswers.add_document, body)
        )


def _created_response_or_refuse(addition: dict[str, Any]) -> JsonAnswer:
    if addition["id"] is None:
        raise Refused(HTTPStatus.CONFLICT, "it is a duplicate, and was refused.", **addition)
    return JsonAnswer(addition, HTTPStatus.CREATED)


@router.get("/documents", tags=["documents"], dependencies=_READS)
async def list_all(request: Request, after: Place = -1, limit: PageSize = 100) -> JsonAnswer:
    """List documents in the order in which they were added; ``next`` is the next page's
    ``after``.
    """
    return await _call_answers_in_thread_as_json(request, StoreAnswers.document_page, after, limit)


@router.put(
    "/documents/{id}",
    tags=["documents"],
    dependencies=_WRITES,
    openapi_extra=openapi_body(Document),
)
async def put(request: Request, id: Id) -> JsonAnswer:
    """Change a document (whatever is not given stays), or check it in with this id (201)."""
    async with read_json_or_form_body(request, Document) as body:
        is_new, added = await _call_answers_in_thread(
            request, StoreAnswers.update_or_add_document, id, body
        )
        return _created_response_or_refuse(added) if is_new else JsonAnswer(added)


@router.get("/documents/{id}", tags=["documents"], dependencies=_READS)
async def get(request: Request, id: Id) -> JsonAnswer:
    """Return what is known of a document."""
    return await _call_answers_in_thread_as_json(request, StoreAnswers.document_record, id)


@router.get("/documents/{id}/text", tags=["documents"], dependencies=_READS)
async def text(request: Request, id: Id) -> JsonAnswer:
    """Return the text of a document; null if the store does not keep it."""
    return await _call_answers_in_thread_as_json(request, StoreAnswers.text_record, id)


@router.delete(
    "/documents/{id}",
    tags=["documents"],
    status_code=HTTPStatus.NO_CONTENT,
    dependencies=_REMOVES,
    response_class=Response,
)
async def remove(request: Request, id: Id) -> Response:
    """Remove a document."""
    await _call_answers_in_thread(request, StoreAnswers.remove, id)
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.get("/documents/{id}/similar", tags=["documents"], dependencies=_READS)
async def similar(request: Request, id: Id, limits: SearchLimits) -> JsonAnswer:
    """Return what a stored document is like, without itself."""
    return await _call_answers_in_thread_as_json(
        request, StoreAnswers.similar_documents, id, **limits
    )


@router.get("/clusters", tags=["documents"], dependencies=_READS)
async def clusters(request: Request, after: Place = 0, limit: PageSize = 1000) -> JsonAnswer:
    """Return the clusters of two or more documents of one kind; ``next`` is the next ``after``."""
    return await _call_answers_in_thread_as_json(
        request, StoreAnswers.cluster_page, max(after, 0), limit
    )


@router.get("/compare/{a}/{b}", tags=["documents"], dependencies=_READS)
async def compare(
    request: Request, a: Id, b: Id, min_words: Annotated[int, Query(ge=1)] = default("min_words")
) -> JsonAnswer:
    """Return every measure between two documents, their shared passages, and what differs."""
    return await _call_answers_in_thread_as_json(
        request, StoreAnswers.compare, a, b, min_words=min_words
    )


@router.post(
    "/batch",
    tags=["documents"],
    dependencies=_READS,
    openapi_extra={
        "requestBody": {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}
    },
)
async def batch(
    request: Request,
    limits: SearchLimits,
    do: Literal["check", "add"] = "check",
    on_duplicate: OnDuplicate = "report",
) -> StreamedAnswer:
    """Read JSON lines and answer each as it arrives: ``do`` is ``check`` or ``add``."""
    state = request.app.state
    if do == "add":
        if not role_includes(request.state.session.role, "write"):
            raise Refused(HTTPStatus.FORBIDDEN, "this needs a token with the role 'write'.")
        answer = batches.make_all_or_none_line_adder(state.answers, on_duplicate)
    else:
        answer = batches.make_line_checker(state.answers, limits)
    most, release = state.limits.max_text_bytes, request.state.subtract_held_bytes
    found = batches.answer_lines(
        request.stream(), most, work=state.work, answer=answer, subtract_held_bytes_of_body=release
    )
    return StreamedAnswer(found, media_type="application/x-ndjson")


@router.get("/stats", tags=["service"], dependencies=_READS)
async def stats(request: Request) -> JsonAnswer:
    """Return how much is stored, and how it is compared."""
    return JsonAnswer(await request.app.state.work(request.app.state.answers.store.stats))


@router.get("/metrics", tags=["service"], dependencies=_READS, response_class=Response)
async def metrics(request: Request) -> Response:
    """Return the counts since the start, in the format of Prometheus."""
    state = request.app.state
    body = state.metrics.prometheus_text(await state.work(len, state.answers.store))
    return Response(body, media_type=CONTENT_TYPE_LATEST)
