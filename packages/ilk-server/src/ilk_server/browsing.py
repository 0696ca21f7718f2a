"""The pages to browse a store: its documents with filters in the address, and each with its kin."""

from __future__ import annotations

import contextlib
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ilk.plugins import IdError, Record
from ilk_server.answers import Answers
from ilk_server.frame import page, sides
from ilk_server.problems import Refused
from ilk_server.routes import Id, Place

#: Documents to list on a page, and to look through for those that fit.
_LISTED, _SEEN = 50, 20_000

#: Characters of a text to show.
_SHOWN = 50_000

router = APIRouter(include_in_schema=False)


@router.get("/browse")
async def browse(
    request: Request, q: str = "", only: str = "", after: Place = -1, text: str = ""
) -> Response:
    """List documents whose names hold some words; ``only`` those that are ``like`` others."""
    state = request.app.state
    inside = text == "yes"
    values = await state.work(_listed, state.answers, q, only == "like", inside, after)
    asked = {"q": q, "only": only, "text": text}
    following = None
    if values["next"] is not None:
        said = {name: value for name, value in asked.items() if value}
        following = f"/browse?{urlencode({**said, 'after': values['next']})}"
    values |= {**asked, "following": following, "begun": after >= 0}
    values["others"] = await state.work(_others, state.answers, values["documents"])
    return await page(request, "browse.html", **values)


def _listed(answers: Answers, q: str, like: bool, inside: bool, after: int) -> dict[str, Any]:
    """Return documents after a number that fit, and the number after which others may follow."""
    store, words = answers.store, q.lower().split()
    found: list[Record] = []
    at, seen = after, 0
    inside = inside and bool(words)
    while len(found) < _LISTED and seen < _SEEN:
        some = store.records(at, 50 if inside else 1_000)
        for record in some:
            at, seen = record.id, seen + 1
            if like and record.keeper is None and record.copy_of is None:
                continue
            names = " ".join(map(str, (record.source, record.title, record.id, record.metadata)))
            if inside and not all(word in names.lower() for word in words):
                with contextlib.suppress(IdError):  # It may have been removed since.
                    names += store.text(record.id) or ""
            if all(word in names.lower() for word in words):
                found.append(record)
                if len(found) == _LISTED:
                    break
        if not some:
            return {"documents": answers.plain(found), "next": None, "count": len(store)}
    more = bool(store.records(at, 1))
    return {
        "documents": answers.plain(found),
        "next": at if more else None,
        "count": len(store),
    }


def _others(answers: Answers, documents: list[dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    """Return what is known of the documents that others are like, by their ids."""
    others = {one["keeper"] if one["copy_of"] is None else one["copy_of"] for one in documents}
    found = {}
    for other in others - {None}:
        with contextlib.suppress(IdError):  # It may have been removed since.
            found[other] = answers.record(str(other))
    return found


@router.get("/browse/{id}")
async def document(request: Request, id: Id) -> Response:
    """Show a document: what is known of it, what it is like, and its text."""
    state = request.app.state
    values = await state.work(_document, state.answers, id)
    return await page(request, "document.html", **values)


def _document(answers: Answers, id_: str) -> dict[str, Any]:
    text = answers.text(id_)["text"]
    number = answers.store.number(id_)
    past = answers.store.history(number)
    return {
        "one": answers.record(id_),
        "past": past[-_LISTED:],
        "earlier": max(0, len(past) - _LISTED),
        "number": number,
        "kin": answers.similar(id_)["matches"],
        "text": None if text is None else text[:_SHOWN],
        "more": 0 if text is None else max(0, len(text) - _SHOWN),
    }


@router.get("/browse/{id}/beside/{other}")
async def beside(request: Request, id: Id, other: Id) -> Response:
    """Show two documents side by side."""
    state = request.app.state
    values = await state.work(_beside, state.answers, id, other)
    return await page(request, "beside.html", **values)


def _beside(answers: Answers, left: str, right: str) -> dict[str, Any]:
    found = [answers.record(id_) for id_ in (left, right)]
    texts = [answers.text(id_)["text"] for id_ in (left, right)]
    if None in texts:
        raise Refused(HTTPStatus.CONFLICT, "this store keeps no texts to show.")
    return {"left": found[0], "right": found[1], "sides": sides(*texts)}
