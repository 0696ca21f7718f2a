"""The pages for people: log in, ask, add. They are made here; a browser fetches nothing else.

Every text is escaped by its template, and the policy of every answer lets only the script of this
room run. A form carries the session's CSRF token; a page is complete without its script.
"""

from __future__ import annotations

from http import HTTPStatus
from importlib import resources
from typing import Any

from fastapi import APIRouter
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ilk.errors import IlkError
from ilk.interfaces.service import problems
from ilk.interfaces.service.answers import Answers
from ilk.interfaces.service.bodies import Given, given
from ilk.interfaces.service.problems import Refused
from ilk.interfaces.service.sessions import COOKIE, LASTING, Session
from ilk.interfaces.service.tokens import allows
from ilk.pairing.differences import CHANGED, differences
from ilk.pairing.measures import percent

#: Texts of up to as many characters are shown side by side, and of as many documents.
_LARGEST, _SHOWN = 200_000, 5

#: What pages are made of, and its type.
_STATIC = {
    "page.css": "text/css",
    "page.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}

_ENVIRONMENT = Environment(
    loader=PackageLoader("ilk.interfaces.service"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.globals["percent"] = percent

router = APIRouter(include_in_schema=False)


def _page(request: Request, name: str, status: int = HTTPStatus.OK, **values: Any) -> Response:
    session: Session | None = request.state.session
    csrf = "" if session is None else session.csrf
    text = _ENVIRONMENT.get_template(name).render(csrf=csrf, **values)
    body = text.encode("utf-8", "replace")
    return Response(body, status, media_type="text/html; charset=utf-8")


@router.get("/static/{name}")
async def static(name: str) -> Response:
    """Give a file that pages are made of."""
    if name not in _STATIC:
        raise Refused(HTTPStatus.NOT_FOUND, "there is no such file.")
    body = resources.files("ilk.interfaces.service").joinpath("static", name).read_bytes()
    return Response(body, media_type=_STATIC[name])


@router.get("/login")
async def login_page(request: Request) -> Response:
    """Show where one logs in."""
    return _page(request, "login.html", wrong=False)


@router.post("/login")
async def login(request: Request) -> Response:
    """Begin a session with a token."""
    async with request.form(max_files=0, max_fields=5) as form:
        role = request.app.state.tokens.role(str(form.get("token", "")).strip())
    if role is None:
        return _page(request, "login.html", HTTPStatus.UNAUTHORIZED, wrong=True)
    value, _ = request.app.state.sessions.begin(role)
    answer = RedirectResponse("/", HTTPStatus.SEE_OTHER)
    # A proxy that speaks TLS says so in the address of the page.
    secure = request.headers.get("origin", "").startswith("https:")
    answer.set_cookie(
        COOKIE, value, max_age=LASTING, httponly=True, samesite="strict", secure=secure
    )
    return answer


@router.post("/logout")
async def logout(request: Request) -> Response:
    """End a session."""
    async with request.form(max_files=0, max_fields=5) as form:
        _session(request, form, "read")
    request.app.state.sessions.end(request.cookies.get(COOKIE, ""))
    answer = RedirectResponse("/login", HTTPStatus.SEE_OTHER)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer


@router.get("/")
async def ask_page(request: Request) -> Response:
    """Show where one asks."""
    _known(request, "read")
    return _asked(request)


@router.post("/ask")
async def ask(request: Request) -> Response:
    """Show what a text or a file is like."""
    limits, work = request.app.state.limits, request.app.state.work
    most = limits.body
    async with request.form(max_files=1, max_fields=20, max_part_size=most) as form:
        _session(request, form, "read")
        async with given(request, ("text",), most) as body:
            source = body.called or ""
            try:
                text = await work(_text, request.app.state.answers, body)
                found = await work(_found, request.app.state.answers, text)
            except (IlkError, Refused) as error:
                refused = error if isinstance(error, Refused) else problems.of_error(error)
                return _asked(request, refused.status, problem=refused.detail)
    return _asked(request, text=text, source=source, **found)


@router.post("/add")
async def add(request: Request) -> Response:
    """Check the text that was asked about in."""
    state = request.app.state
    most = state.limits.body
    allowed = ("text", "id", "title", "source", "on_duplicate")
    async with request.form(max_files=0, max_fields=20, max_part_size=most) as form:
        _session(request, form, "write")
        async with given(request, allowed, most) as body:
            try:
                added = await state.work(state.answers.enter, body)
            except (IlkError, Refused) as error:
                refused = error if isinstance(error, Refused) else problems.of_error(error)
                text = str(body.values.get("text", ""))
                return _asked(request, refused.status, problem=refused.detail, text=text)
    return _asked(request, added=added)


def _asked(request: Request, status: int = HTTPStatus.OK, **values: Any) -> Response:
    session: Session = request.state.session
    found = {"text": "", "source": "", "problem": None, "added": None, "matches": None}
    may_add = allows(session.role, "write")
    return _page(request, "ask.html", status, **{"same": False, **found, **values}, may_add=may_add)


def _known(request: Request, role: str) -> Session:
    """Return who asks, if they may.

    Raises:
        Refused: they may not.
    """
    session: Session | None = request.state.session
    if session is None or not allows(session.role, role):
        raise Refused(HTTPStatus.FORBIDDEN, f"this needs a token of the role {role!r}.")
    return session


def _session(request: Request, form: FormData, role: str) -> None:
    """Let only a form of this session pass.

    Raises:
        Refused: it is somebody else's.
    """
    session = _known(request, role)
    if session.csrf and not session.proves(str(form.get("csrf", ""))):
        raise Refused(HTTPStatus.FORBIDDEN, "this form is of another session; load its page again.")


def _text(answers: Answers, body: Given) -> str:
    """Return the text that is asked about, of a file too."""
    return answers.read(body)


def _found(answers: Answers, text: str) -> dict[str, Any]:
    """Return what a text is like, the first ones with both texts side by side."""
    matches = answers.check(Given({"text": text}))["matches"]
    for place, match in enumerate(matches):
        match["left"] = match["right"] = None
        if place < _SHOWN:
            stored = answers.text(str(match["id"]))["text"]
            if stored is not None and max(len(text), len(stored)) <= _LARGEST:
                match["left"], match["right"] = _sides(text, stored)
    same = any(match["verdict"] not in ("contained", "contains") for match in matches)
    return {"matches": matches, "same": same}


def _sides(left: str, right: str) -> tuple[Markup, Markup]:
    """Return both texts with what differs marked."""
    sides: tuple[list[Markup], list[Markup]] = ([], [])
    for stretch in differences(left, right).stretches:
        ours = escape(left[stretch.left_start : stretch.left_end])
        theirs = escape(right[stretch.right_start : stretch.right_end])
        if stretch.kind == CHANGED:
            ours = Markup("<del>{}</del>").format(ours) if ours else ours
            theirs = Markup("<ins>{}</ins>").format(theirs) if theirs else theirs
        sides[0].append(ours)
        sides[1].append(theirs)
    return Markup("").join(sides[0]), Markup("").join(sides[1])
