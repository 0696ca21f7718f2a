"""The entrance for people: log in, log out, and static files."""

from __future__ import annotations

from http import HTTPStatus
from importlib import resources

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ilk.companions import pages
from ilk_server.frame import read_authorised_form, render_page
from ilk_server.problems import Refused
from ilk_server.sessions import COOKIE, LASTING
from ilk_server.tokens import PREFIX

#: Static files and their types.
_STATIC = {
    "page.css": "text/css",
    "page.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}

#: The longest name of a person.
_LONGEST = 60

router = APIRouter(include_in_schema=False)


@router.get("/static/{name}")
async def static_file(name: str) -> Response:
    """Return a static file."""
    if name == "style.css":
        return Response(pages.read_template_file(name), media_type="text/css")
    if name not in _STATIC:
        raise Refused(HTTPStatus.NOT_FOUND, "there is no such file.")
    body = resources.files("ilk_server").joinpath("static", name).read_bytes()
    return Response(body, media_type=_STATIC[name])


@router.get("/login")
async def login_page(request: Request, then: str = "/") -> Response:
    """Show the login page."""
    return await render_page(
        request, "login.html", wrong=False, then=_address_in_service_or_home(then)
    )


@router.post("/login")
async def login(request: Request) -> Response:
    """Start a session with a token."""
    async with request.form(max_files=0, max_fields=5) as form:
        role = request.app.state.tokens.role_of(str(form.get("token", "")).strip())
        who = " ".join(str(form.get("who", "")).split())[:_LONGEST]
        then = _address_in_service_or_home(str(form.get("then", "/")))
    if who.startswith(PREFIX):  # A token in the wrong field: others would see it.
        who = ""
    if role is None:
        return await render_page(
            request, "login.html", HTTPStatus.UNAUTHORIZED, wrong=True, then=then
        )
    return _begin_session_and_redirect(request, role, who, then)


@router.get("/enter")
async def log_in_with_invitation(request: Request, code: str = "") -> Response:
    """Start a session with a code that is good for one."""
    role = request.app.state.sessions.accept_invitation(code)
    if role is None:
        return await render_page(
            request, "login.html", HTTPStatus.UNAUTHORIZED, wrong="code", then="/"
        )
    return _begin_session_and_redirect(request, role, "", "/")


def _begin_session_and_redirect(request: Request, role: str, person: str, then: str) -> Response:
    """Start a session, and go where somebody wanted to go."""
    value, _ = request.app.state.sessions.begin_session(role, person)
    answer = RedirectResponse(then, HTTPStatus.SEE_OTHER)
    # A proxy with TLS shows in the address of the page.
    secure = request.headers.get("origin", "").startswith("https:")
    answer.set_cookie(
        COOKIE, value, max_age=LASTING, httponly=True, samesite="strict", secure=secure
    )
    return answer


@router.post("/logout")
async def logout(request: Request) -> Response:
    """End a session."""
    async with read_authorised_form(request, "read"):
        pass
    request.app.state.sessions.end_session(request.cookies.get(COOKIE, ""))
    answer = RedirectResponse("/login", HTTPStatus.SEE_OTHER)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer


def _address_in_service_or_home(address: str) -> str:
    """Return a place in this service; for any other address, the first page."""
    plain = address.isascii() and address.isprintable() and "\\" not in address
    return address if plain and address.startswith("/") and not address.startswith("//") else "/"
