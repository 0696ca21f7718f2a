"""What all pages share: their templates, who may see them, and CSRF protection.

Templates escape every text, and the content policy of every answer allows only the service's own
script. A form carries the session's CSRF token; pages work without the script.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import quote

from jinja2 import ChoiceLoader, PackageLoader
from markupsafe import Markup
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from ilk.companions import folded_word_changes_and_moves, pages, side_by_side
from ilk_server.problems import Refused
from ilk_server.sessions import Session
from ilk_server.tokens import role_includes

#: The most characters of texts to show side by side.
LARGEST = 500_000

#: The templates of the service before those that all pages of ilk share.
_ENVIRONMENT = pages.template_environment().overlay(
    loader=ChoiceLoader([PackageLoader("ilk_server"), PackageLoader("ilk.write")])
)


def _document_page_address(id_: Any) -> str:
    return f"/browse/{quote(str(id_), safe='')}"


def _document_link(document: Mapping[str, Any]) -> Markup:
    """Return a link to a document, by its title or the end of its source."""
    source = document["source"] or ""
    name = document["title"] or source.rpartition("/")[2] or source or document["id"]
    return Markup('<a href="{}"><bdi>{}</bdi></a>').format(
        _document_page_address(document["id"]), name
    )


_ENVIRONMENT.filters |= {"address": _document_page_address, "linked": _document_link}


async def render_page(
    request: Request, name: str, status: int = HTTPStatus.OK, **values: Any
) -> Response:
    """Return a page from a template; in a thread, since it may hold long texts."""
    session: Session | None = getattr(request.state, "session", None)
    frame = {
        "csrf": "" if session is None else session.csrf,
        "pages": request.app.state.pages,
        "path": request.url.path,
    }
    template = _ENVIRONMENT.get_template(name)
    text: str = await request.app.state.work(template.render, **frame, **values)
    body = text.encode("utf-8", "replace")
    return Response(body, status, media_type="text/html; charset=utf-8")


class AuthorisedForm(NamedTuple):
    """A form, and the session that sent it."""

    form: FormData
    session: Session


@contextlib.asynccontextmanager
async def read_authorised_form(
    request: Request, role: str, *, max_files: int = 0
) -> AsyncIterator[AuthorisedForm]:
    """Read a form whose sender has a role, and has got it from a page of this session.

    Raises:
        Refused: it belongs to another session, or to another role.
    """
    most = request.app.state.limits.max_text_bytes
    async with request.form(max_files=max_files, max_fields=20, max_part_size=most) as form:
        # The guard lets nobody pass who has no session.
        session: Session = request.state.session
        if not role_includes(session.role, role):
            raise Refused(HTTPStatus.FORBIDDEN, f"this needs a token with the role {role!r}.")
        if session.csrf and not session.is_proved_by(str(form.get("csrf", ""))):
            raise Refused(
                HTTPStatus.FORBIDDEN, "this form belongs to another session; load its page again."
            )
        yield AuthorisedForm(form, session)


def side_by_side_rows_if_short(left: str, right: str) -> list[side_by_side.StretchPair] | None:
    """Return rows of both texts with their differences; None if they are too long for a page.

    Args:
        left, right: the texts.
    """
    if max(len(left), len(right)) > LARGEST:
        return None
    return list(
        side_by_side.align_side_by_side_and_fold_equal(
            left, right, folded_word_changes_and_moves(left, right)
        )
    )
