"""Sessions of browsers: who has logged in with a token, and for how long."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, field, replace
from typing import NamedTuple

#: The name of the cookie.
COOKIE = "ilk_session"

#: Seconds that a session lasts: a working day.
LASTING = 12 * 3600

#: Seconds in which an invitation can be used.
_INVITED = 300

#: The most sessions at a time; the oldest is dropped.
_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Session:
    """The session of a client.

    Attributes:
        role: what may be asked.
        csrf: the token that every form of a browser must have; empty for a program.
        proved: whether a change is intended: a program proves it with its token, a browser with
            ``csrf``.
        until: when it ends, on the clock of ``time.monotonic``.
        who: their name for others.
    """

    role: str
    csrf: str = field(default="", repr=False)
    proved: bool = True
    until: float = field(default=float("inf"))
    who: str = "a program"

    def is_proved_by(self, csrf_sent: str) -> bool:
        """Return whether a form belongs to this session."""
        return secrets.compare_digest(csrf_sent.encode("utf-8", "replace"), self.csrf.encode())

    def marked_unproved(self) -> Session:
        """Return the same session, for a request without proof yet."""
        return replace(self, proved=False)


class BegunSession(NamedTuple):
    """A session, and the cookie that leads to it."""

    cookie: str
    session: Session


class Sessions:
    """The sessions of this process, by cookie."""

    def __init__(self) -> None:
        """Start without sessions."""
        self._lock = threading.Lock()
        self._all: dict[str, Session] = {}
        self._invitations: dict[str, tuple[str, float]] = {}

    def begin_session(self, role: str, person: str = "") -> BegunSession:
        """Start a session, and return its cookie with it.

        Args:
            role: what may be asked.
            person: their name for others; without a name, a guest with a number.
        """
        value = secrets.token_urlsafe(32)
        session = Session(
            role,
            secrets.token_urlsafe(32),
            until=time.monotonic() + LASTING,
            who=person or f"guest {secrets.randbelow(9000) + 1000}",
        )
        with self._lock:
            while len(self._all) >= _MOST:
                del self._all[next(iter(self._all))]
            self._all[value] = session
        return BegunSession(value, session)

    def make_invitation_code(self, role: str) -> str:
        """Return a code that begins one session, within some minutes."""
        code = secrets.token_urlsafe(32)
        with self._lock:
            self._invitations[code] = role, time.monotonic() + _INVITED
        return code

    def accept_invitation(self, code: str) -> str | None:
        """Return the role of an invitation, which nobody can use again; None for any other code."""
        with self._lock:
            role, until = self._invitations.pop(code, (None, 0.0))
        return role if time.monotonic() < until else None

    def session_of(self, cookie: str) -> Session | None:
        """Return the session of a cookie, if it has not expired."""
        with self._lock:
            session = self._all.get(cookie)
        return session if session is not None and time.monotonic() < session.until else None

    def end_session(self, cookie: str) -> None:
        """End a session."""
        with self._lock:
            self._all.pop(cookie, None)
