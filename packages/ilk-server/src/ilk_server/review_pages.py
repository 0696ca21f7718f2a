"""The pages of a review: all families, and one at a time with keys for decisions."""

from __future__ import annotations

import json
import tempfile
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from ilk.companions import file_plans, merge_labels_and_count_changes, spell_relation
from ilk_server.bodies import parse_json_body
from ilk_server.decisions import KEEPER, SAYINGS, MemberGroup
from ilk_server.families import ReviewFamily, plan_lines_with_decisions
from ilk_server.frame import read_authorised_form, render_page, side_by_side_rows_if_short
from ilk_server.problems import Refused
from ilk_server.review import ORDERS, SHARES, Review
from ilk_server.sessions import Session
from ilk_server.tokens import role_includes

#: Families to list on a page, and members of a family.
_LISTED, _MEMBERS = 50, 200

#: Characters of a text to show if nothing differs.
_EXCERPT = 5_000

#: Actions on the member shown, besides decisions.
_REST, _SKIP = "rest", "skip"

router = APIRouter(include_in_schema=False)


@router.get("/review")
async def show_families(request: Request, order: str = "largest", first: int = 0) -> Response:
    """List the families, and show the progress of the review."""
    session = request.state.session
    values = await request.app.state.work(
        _families_values, request.app.state.review, session, order, max(first, 0)
    )
    return await render_page(
        request, "review.html", may=role_includes(session.role, "write"), **values
    )


def _families_values(review: Review, session: Session, order: str, first: int) -> dict[str, Any]:
    every = review.families_in_order_or_largest_first(order)
    some = every[first : first + _LISTED]
    facts = review.collection.file_facts(each for one in some for each in one.names)
    lines = list(review.collection.plan_lines())
    planned_count = sum(len(line.get("members", ())) for line in lines)
    clusters = [
        {
            "number": one.number,
            "size": sum(facts[name].size or 0 for name in one.names if name in facts),
            "name": one.clusters[0].keeper,
            "documents": one.document_count,
            "least": one.smallest_member_resemblance_or_1,
            "open": review.count_undecided(one),
            "looking": review.names_of_others_looking_at_family(one.number, session),
        }
        for one in some
    ]
    return {
        "families": clusters,
        "first": first,
        "step": _LISTED,
        "count": len(every),
        "progress": review.progress(),
        "identical": _count_members(review.undecided_identical_members()),
        "shares": _distinct_acceptable_counts_by_share(review),
        "twins": [
            (
                at,
                spell_relation(one),
                _count_members(review.undecided_identical_members_in_folder(one.folder)),
            )
            for at, one in enumerate(review.collection.twin_folders())
        ],
        "order": order if order in ORDERS else "largest",
        "orders": ORDERS,
        "sized": bool(facts),
        "files": bool(lines),
        "unplanned": sum(one.document_count for one in every) - planned_count,
    }


def _count_members(groups: list[MemberGroup]) -> int:
    return sum(len(group.members) for group in groups)


class _AcceptableCount(NamedTuple):
    """A share, and how many undecided members resemble their keepers at least so."""

    share: float
    members: int


def _distinct_acceptable_counts_by_share(review: Review) -> list[_AcceptableCount]:
    """Return how many members could be accepted from each of ``SHARES`` on, without repetitions."""
    counts = {share: _count_members(review.undecided_near_members(share)) for share in SHARES}
    before = [0, *counts.values()]
    return [
        _AcceptableCount(share, count)
        for (share, count), less in zip(counts.items(), before, strict=False)
        if count > less
    ]


@router.get("/review/next")
async def go_to_next_family(request: Request, order: str = "largest") -> Response:
    """Go to the first family with something to decide."""
    session = request.state.session
    found = await request.app.state.work(
        request.app.state.review.next_undecided_family_if_any, order, None, session
    )
    to = _review_address(order, None if found is None else found.number)
    return RedirectResponse(to, HTTPStatus.SEE_OTHER)


@router.get("/review/family/{number}")
async def show_family(
    request: Request, number: int, order: str = "largest", at: int | None = None, note: str = ""
) -> Response:
    """Show a family: a member beside its keeper, and the possible decisions."""
    session = request.state.session
    values = await request.app.state.work(
        _record_look_and_get_page_values, request.app.state.review, session, number, at
    )
    notes = {
        "late": "Somebody else has decided this in the meantime; look again.",
        "undone": "Undone.",
    }
    return await render_page(
        request,
        "family.html",
        may=role_includes(session.role, "write"),
        order=order if order in ORDERS else "largest",
        note=notes.get(note, ""),
        **values,
    )


def _record_look_and_get_page_values(
    review: Review, session: Session, number: int, at: int | None
) -> dict[str, Any]:
    family = _family_or_refuse(review, number)
    decision_count = len(review.decisions)
    review.record_look_at_family(number, session)
    places = review.member_places(family)
    first = next((one.at for one in places if one.decision is None), 0)
    member = places[at if at is not None and 0 <= at < len(places) else first]
    begin = max(0, min(member.at - _MEMBERS // 2, len(places) - _MEMBERS))
    about = review.collection.file_facts(family.names)
    rest = [one for one in places if one.cluster == member.cluster and not one.decision]
    texts = [review.collection.read_text_or_none(name) for name in (member.keeper, member.name)]
    left, right = texts
    both = left is not None and right is not None
    return {
        "family": family,
        "seen": decision_count,
        "places": places[begin : begin + _MEMBERS],
        "shown": member,
        "about": about,
        "goes": member.name in about and about[member.name].is_file,
        "count": len(places),
        "rest": len(rest),
        "more": len(places) - len(places[begin : begin + _MEMBERS]),
        "left": left,
        "right": right,
        "sides": side_by_side_rows_if_short(left or "", right or "")
        if both and left != right
        else None,
        "excerpt": (left or "")[:_EXCERPT],
        "progress": review.progress(),
        "looking": review.names_of_others_looking_at_family(number, session),
        "mine": review.decisions.last_decision_in_force_of(session.who),
    }


@router.get("/review/family/{number}/looking")
async def record_look_and_show_others(request: Request, number: int) -> Response:
    """Note that somebody still looks at a family, and return who else does."""
    session = request.state.session
    review = request.app.state.review
    review.record_look_at_family(number, session)
    return JSONResponse(review.names_of_others_looking_at_family(number, session))


@router.post("/review/family/{number}")
async def post_decision(request: Request, number: int) -> Response:
    """Decide on a member, and go to the next one."""
    async with read_authorised_form(request, "write") as (form, session):
        to = await request.app.state.work(
            _decide_and_find_address, request.app.state.review, session, number, form
        )
    return RedirectResponse(to, HTTPStatus.SEE_OTHER)


def _decide_and_find_address(review: Review, session: Session, number: int, form: FormData) -> str:
    """Record a decision, and return where to go.

    That is to a later undecided member of this family, or else to another family, to an earlier
    member of this one, or to all families.
    """
    family = _family_or_refuse(review, number)
    decision, order = str(form.get("said", "")), str(form.get("order", ""))
    # Names are sent as JSON: a form would change line breaks in them.
    cluster, keeper, name = (
        _parse_json_name_field_or_refuse(form, each) for each in ("cluster", "keeper", "name")
    )
    if decision not in (*SAYINGS, _REST, _SKIP):
        raise Refused(
            HTTPStatus.UNPROCESSABLE_ENTITY, f"said is {decision!r}, which is not a decision."
        )
    if not review.cluster_has_documents(family, cluster, keeper, name):
        raise Refused(HTTPStatus.CONFLICT, "the family has changed since; load its page again.")
    places = review.member_places(family)
    at = next((one.at for one in places if one.name == name), -1)
    if decision != _SKIP:
        open_ = [one.name for one in places if one.cluster.name == cluster and not one.decision]
        several = [one for one in open_ if decision == _REST] or [name]
        word = file_plans.SAME if decision == _REST else decision
        decisions_seen = _number_field_or_none(form, "seen") or 0
        decision_made = review.decisions.decide_unless_late(
            session.who,
            cluster=cluster,
            keeper=keeper,
            members=several,
            judgement=word,
            decisions_seen=decisions_seen,
        )
        if decision_made is None:
            return _review_address(order, number, max(at, 0), "late")
        places = review.member_places(family)
        if decision == KEEPER:
            at = -1  # The others are now beside another document.
    following = next((one for one in places if one.at > at and one.decision is None), None)
    if following is not None:
        return _review_address(order, number, following.at)
    coming = review.next_undecided_family_if_any(order, family, session)
    if coming is not None:
        return _review_address(order, coming.number)
    earlier = next((one for one in places if one.decision is None), None)
    return _review_address(order) if earlier is None else _review_address(order, number, earlier.at)


def _number_field_or_none(form: FormData, field: str) -> int | None:
    """Return the number in a field; None if it holds anything else, or is missing."""
    text = str(form.get(field, ""))
    return int(text) if text.isdecimal() and len(text) < 20 else None


def _parse_json_name_field_or_refuse(form: FormData, field: str) -> str:
    """Return the name of a document, which a field holds as JSON."""
    name = parse_json_body(str(form.get(field, "")).encode("utf-8", "replace"))
    if not isinstance(name, str):
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, f"`{field}` must be a name.")
    return name


@router.post("/review/identical")
async def accept_undecided_of_equal_bytes(request: Request) -> Response:
    """Accept all members that are identical to the document that stays."""
    async with read_authorised_form(request, "write") as (form, session):
        order, review = str(form.get("order", "")), request.app.state.review
        await request.app.state.work(
            lambda: review.decisions.accept_and_count_undecided_members(
                session.who, review.undecided_identical_members()
            )
        )
    return RedirectResponse(_review_address(order), HTTPStatus.SEE_OTHER)


@router.post("/review/folder")
async def accept_folder(request: Request) -> Response:
    """Accept all members in a folder that are identical to the document that stays."""
    async with read_authorised_form(request, "write") as (form, session):
        order, review = str(form.get("order", "")), request.app.state.review
        number, folders = _number_field_or_none(form, "number"), review.collection.twin_folders()
        if number is None or number >= len(folders):
            number_text = form.get("number", "")
            raise Refused(
                HTTPStatus.UNPROCESSABLE_ENTITY, f"number is {number_text!r}, which is no folder's."
            )
        await request.app.state.work(
            lambda: review.decisions.accept_and_count_undecided_members(
                session.who, review.undecided_identical_members_in_folder(folders[number].folder)
            )
        )
    return RedirectResponse(_review_address(order), HTTPStatus.SEE_OTHER)


@router.post("/review/alike")
async def accept_resembling(request: Request) -> Response:
    """Accept all members that resemble the document that stays at least as much as said."""
    async with read_authorised_form(request, "write") as (form, session):
        order, review = str(form.get("order", "")), request.app.state.review
        share_text = str(form.get("share", ""))
        share = next((share for share in SHARES if f"{share:g}" == share_text), None)
        if share is None:
            allowed = ", ".join(f"{share:g}" for share in SHARES)
            raise Refused(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                f"share is {share_text!r}; it must be one of {allowed}.",
            )
        await request.app.state.work(
            lambda: review.decisions.accept_and_count_undecided_members(
                session.who, review.undecided_near_members(share)
            )
        )
    return RedirectResponse(_review_address(order), HTTPStatus.SEE_OTHER)


@router.post("/review/undo")
async def undo_decision(request: Request) -> Response:
    """Undo a decision: the given one, or the last one of this person."""
    async with read_authorised_form(request, "write") as (form, session):
        order, number = str(form.get("order", "")), _number_field_or_none(form, "number")
        review = request.app.state.review
        to = await request.app.state.work(
            _undo_decision_and_find_address, review, session, order, number
        )
    return RedirectResponse(to, HTTPStatus.SEE_OTHER)


def _undo_decision_and_find_address(
    review: Review, session: Session, order: str, number: int | None
) -> str:
    one = review.decisions.undo(session.who, number)
    if one is None:
        return _review_address(order)
    for found in review.families_in_order_or_largest_first(order):
        if any(cluster.name == one.cluster for cluster in found.clusters):
            of = {one.keeper, *one.members}
            at = next((each.at for each in review.member_places(found) if each.name in of), 0)
            return _review_address(order, found.number, at, "undone")
    return _review_address(order)


@router.get("/review/labels.tsv")
async def download_labels(request: Request) -> Response:
    """Return the decisions as labels, for ``scan``, ``dedup`` and ``calibrate``."""
    body = await request.app.state.work(_read_and_format_labels, request.app.state.review)
    return _download_response(body, "labels.tsv", "text/tab-separated-values; charset=utf-8")


def _read_and_format_labels(review: Review) -> bytes:
    review.decisions.read_new_decisions()
    with tempfile.TemporaryDirectory(prefix="ilk-serve.") as folder:
        path = Path(folder) / "labels.tsv"
        path.touch()
        merge_labels_and_count_changes(path, review.decisions.pair_labels())
        return path.read_bytes()


@router.get("/review/plan.jsonl")
async def download_plan(request: Request) -> Response:
    """Return the plan for files with the decisions, for ``apply``."""
    body = await request.app.state.work(_read_and_format_plan, request.app.state.review)
    if not body:
        raise Refused(
            HTTPStatus.NOT_FOUND, "this review is not of files, so it has no plan for files."
        )
    return _download_response(body, "plan.jsonl", "application/x-ndjson")


def _read_and_format_plan(review: Review) -> bytes:
    review.decisions.read_new_decisions()
    rows = plan_lines_with_decisions(review.collection.plan_lines(), review.decisions)
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _download_response(body: bytes, name: str, kind: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(body, media_type=kind, headers=headers)


def _family_or_refuse(review: Review, number: int) -> ReviewFamily:
    found = review.family_of_number(number)
    if found is None:
        raise Refused(HTTPStatus.NOT_FOUND, f"there is no family {number} any more; see /review")
    return found


def _review_address(
    order: str, number: int | None = None, at: int | None = None, note: str = ""
) -> str:
    """Return the address of a member of a family; without a number, that of all families."""
    parameters = {"order": order, "at": at, "note": note or None}
    query = urlencode({name: value for name, value in parameters.items() if value is not None})
    return f"/review?{query}" if number is None else f"/review/family/{number}?{query}"
