"""The pages to browse a store: its documents with filters in the address, and each with its kin."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ilk.companions import StoreRecord, errors
from ilk_server.answers import DocumentRecord, StoreAnswers
from ilk_server.frame import render_page, side_by_side_rows_if_short
from ilk_server.problems import Refused
from ilk_server.review_sources import ReviewedStore
from ilk_server.routes import Id, Place

#: Documents to list on a page, and to look through for those that fit.
_LISTED, _SEEN = 50, 20_000

#: Characters of a text to show.
_SHOWN = 50_000

router = APIRouter(include_in_schema=False)


@router.get("/browse")
async def show_documents(
    request: Request, q: str = "", only: str = "", after: Place = -1, text: str = ""
) -> Response:
    """List documents whose names hold some words; ``only`` those that are ``like`` others."""
    state = request.app.state
    inside = text == "yes"
    store = state.review.collection
    values = await state.work(
        _listing_values,
        state.answers,
        store,
        query=q,
        copies_only=only == "like",
        search_texts=inside,
        after=after,
    )
    asked = {"q": q, "only": only, "text": text}
    following = None
    if values["next"] is not None:
        filters = {name: value for name, value in asked.items() if value}
        following = f"/browse?{urlencode({**filters, 'after': values['next']})}"
    values |= {**asked, "following": following, "begun": after >= 0}
    return await render_page(request, "browse.html", **values)


def _listing_values(
    answers: StoreAnswers,
    reviewed_store: ReviewedStore,
    *,
    query: str,
    copies_only: bool,
    search_texts: bool,
    after: int,
) -> dict[str, Any]:
    """Return documents after a number that fit, and the number after which others may follow."""
    store, words = answers.store, query.lower().split()
    records: list[StoreRecord] = []
    at, count = after, 0
    search_texts = search_texts and bool(words)
    while len(records) < _LISTED and count < _SEEN:
        some = store.records(at, 50 if search_texts else 1_000)
        for record in some:
            at, count = record.id, count + 1
            if copies_only and reviewed_store.number_of_original(record) == record.id:
                continue
            names = " ".join(map(str, (record.source, record.title, record.id, record.metadata)))
            if search_texts and not all(word in names.lower() for word in words):
                with contextlib.suppress(errors.IdError):  # It may have been removed since.
                    names += store.text(record.id) or ""
            if all(word in names.lower() for word in words):
                records.append(record)
                if len(records) == _LISTED:
                    break
        if not some:
            break
    more = len(records) == _LISTED or count >= _SEEN
    return {
        "documents": answers.document_records(records),
        "originals": _relations_to_originals(answers, reviewed_store, records),
        "next": at if more and store.records(at, 1) else None,
        "count": len(store),
    }


class _RelationToOriginal(NamedTuple):
    """What a document is to the one that stays of its family, and the record of that one."""

    verdict: str
    original: DocumentRecord


def _relations_to_originals(
    answers: StoreAnswers, reviewed_store: ReviewedStore, records: Sequence[StoreRecord]
) -> dict[Any, _RelationToOriginal]:
    """Return the relations of documents, by their ids; those that stay have none."""
    ids = answers.store.client_ids(record.id for record in records)
    relations = {}
    for number, (original, verdict) in reviewed_store.relations_to_originals(records).items():
        with contextlib.suppress(errors.IdError):  # It may have been removed since.
            record = answers.document_records([answers.store[original]])[0]
            relations[ids[number]] = _RelationToOriginal(verdict, record)
    return relations


@router.get("/browse/{id}")
async def show_document(request: Request, id: Id) -> Response:
    """Show a document: what is known of it, what it is like, and its text."""
    state = request.app.state
    values = await state.work(_document_values, state.answers, state.review.collection, id)
    return await render_page(request, "document.html", **values)


def _document_values(
    answers: StoreAnswers, reviewed_store: ReviewedStore, id_: str
) -> dict[str, Any]:
    text = answers.text_record(id_)["text"]
    number = answers.store.id_of(id_)
    past = answers.store.history(number)
    original = reviewed_store.number_of_original(answers.store[number])
    return {
        "original": None if original == number else answers.store.client_ids([original])[original],
        "one": answers.document_record(id_),
        "past": past[-_LISTED:],
        "earlier": max(0, len(past) - _LISTED),
        "number": number,
        "kin": answers.similar_documents(id_)["matches"],
        "text": None if text is None else text[:_SHOWN],
        "more": 0 if text is None else max(0, len(text) - _SHOWN),
    }


@router.get("/browse/{id}/beside/{other}")
async def show_comparison(request: Request, id: Id, other: Id) -> Response:
    """Show two documents side by side."""
    state = request.app.state
    values = await state.work(_comparison_values, state.answers, id, other)
    return await render_page(request, "beside.html", **values)


def _comparison_values(answers: StoreAnswers, left: str, right: str) -> dict[str, Any]:
    found = [answers.document_record(id_) for id_ in (left, right)]
    texts = [answers.text_record(id_)["text"] for id_ in (left, right)]
    if None in texts:
        raise Refused(HTTPStatus.CONFLICT, "this store keeps no texts to show.")
    return {"left": found[0], "right": found[1], "sides": side_by_side_rows_if_short(*texts)}
