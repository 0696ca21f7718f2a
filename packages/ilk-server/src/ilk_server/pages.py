"""The pages to check and add: what a text or a file is like, side by side, and what to do."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ilk import IlkError
from ilk.plugins import OptionError
from ilk_server import problems
from ilk_server.answers import StoreAnswers
from ilk_server.bodies import Addition, Question, RequestBody, read_json_or_form_body
from ilk_server.frame import LARGEST, read_authorised_form, render_page, side_by_side_rows_if_short
from ilk_server.problems import Refused
from ilk_server.tokens import role_includes

#: Documents to show side by side with the query.
_SHOWN = 5

router = APIRouter(include_in_schema=False)


@router.get("/")
async def show_ask_page(request: Request) -> Response:
    """Show the page for queries."""
    return await _ask_page(request)


@router.post("/ask")
async def ask(request: Request) -> Response:
    """Show what a text or a file is like."""
    state = request.app.state
    async with (
        read_authorised_form(request, "read", max_files=1),
        read_json_or_form_body(request, Question) as body,
    ):
        source = body.file_name or ""
        if body.path is None and not str(body.values.get("text", "")).strip():
            problem = "Type a text, or choose a file."
            return await _ask_page(request, HTTPStatus.UNPROCESSABLE_ENTITY, problem=problem)
        try:
            text = await state.work(state.answers.text_of_body, body)
            count = body.values.get("nearest")
            matches = await state.work(_matches_page_values, state.answers, text, count)
        except OptionError:
            problem = f"{source} holds several documents; choose a file that holds one."
            return await _ask_page(request, HTTPStatus.UNPROCESSABLE_ENTITY, problem=problem)
        except (IlkError, Refused) as error:
            return await _ask_page_with_refusal(request, error)
    return await _ask_page(request, text=text, source=source, **matches)


@router.post("/add")
async def add(request: Request) -> Response:
    """Check in the text that was asked about."""
    state = request.app.state
    async with (
        read_authorised_form(request, "write"),
        read_json_or_form_body(request, Addition) as body,
    ):
        try:
            added = await state.work(state.answers.add_document, body)
        except (IlkError, Refused) as error:
            return await _ask_page_with_refusal(
                request, error, text=str(body.values.get("text", ""))
            )
    return await _ask_page(request, added=added)


async def _ask_page(request: Request, status: int = HTTPStatus.OK, **values: Any) -> Response:
    context: dict[str, Any] = {"text": "", "source": "", "problem": None, "nearest": None}
    context |= {"added": None, "matches": None, "same": False, **values}
    context["may_add"] = role_includes(request.state.session.role, "write")
    context["long"] = len(context["text"]) > LARGEST
    if context["long"]:
        context["text"] = ""  # A page has it twice, which would take browsers too long.
    return await render_page(request, "ask.html", status, **context)


async def _ask_page_with_refusal(
    request: Request, error: IlkError | Refused, **values: Any
) -> Response:
    refused = error if isinstance(error, Refused) else problems.refusal_of_error(error)
    return await _ask_page(request, refused.status, problem=refused.detail, **values)


def _matches_page_values(answers: StoreAnswers, text: str, nearest: int | None) -> dict[str, Any]:
    """Return what a text is like, or the documents nearest to it, with both texts side by side for
    the first ones.
    """
    matches = answers.check_document_or_fingerprint(
        RequestBody({"text": text, "nearest": nearest})
    )["matches"]
    for place, match in enumerate(matches):
        match["sides"] = None
        if place < _SHOWN:
            stored = answers.text_record(str(match["id"]))["text"]
            if stored is not None:
                match["sides"] = side_by_side_rows_if_short(text, stored)
    same = any(match["verdict"] not in ("contained", "contains", "different") for match in matches)
    return {"matches": matches, "same": same, "nearest": nearest}
