"""The tokens of a store: who may do what. They are in a file that only its owner can read."""

from __future__ import annotations

import hmac
import os
import secrets
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ilk.plugins import OptionError
from ilk_server.errors import unwritable_error

#: The roles of tokens; each may do what those before it may.
ROLES = ("read", "write", "admin")

#: How every token begins.
PREFIX = "ilk_"

_HEAD = "# Tokens of ilk serve, a line each: ROLE TOKEN. Whoever has one can use the store.\n"


def tokens_path(store: str | os.PathLike[str]) -> Path:
    """Return the file of a store's tokens."""
    return Path(f"{os.fspath(store)}.token")


@dataclass(frozen=True, slots=True)
class LoadedTokens:
    """The tokens that authenticate requests, each with its role."""

    roles: tuple[tuple[str, str], ...] = field(repr=False)

    @classmethod
    def read_or_create(cls, path: Path) -> TokensRead:
        """Read the tokens; for a store without any, create one for an admin.

        Raises:
            OptionError: others can read the file, or it contains something else.
            OutputError: it cannot be written.
        """
        made = None if path.exists() else _create_with_admin_token(path)
        return TokensRead(cls(tuple(_check_and_read_tokens(path))), made)

    def role_of(self, token: str) -> str | None:
        """Return the role of a token; None if it is unknown. The time does not depend on the
        token.
        """
        found = None
        for role, known in self.roles:
            if hmac.compare_digest(known.encode(), token.encode("utf-8", "replace")):
                found = role
        return found


def add_token_creating_file_if_missing(path: Path, role: str) -> str:
    """Add a token to a file, and return it; a file that is created has one for an admin too.

    Raises:
        OptionError, OutputError: as for ``LoadedTokens.read_or_create``.
    """
    LoadedTokens.read_or_create(path)
    token = _new_token()
    with path.open("a") as file:
        file.write(f"{role} {token}\n")
    return token


class TokensRead(NamedTuple):
    """The tokens of a file, and the one with which it was created; None if it was there."""

    tokens: LoadedTokens
    created_token: str | None


class RoleToken(NamedTuple):
    """A token, and the role that it gives."""

    role: str
    token: str


def role_includes(role: str, other: str) -> bool:
    """Return whether a role includes another one."""
    return ROLES.index(role) >= ROLES.index(other)


def _new_token() -> str:
    return f"{PREFIX}{secrets.token_urlsafe(32)}"


def _create_with_admin_token(path: Path) -> str | None:
    """Create the file with an admin token; None if another process was faster."""
    token = _new_token()
    try:
        # Others only see a complete file: it is linked into its place, which must be free.
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w") as file:
                file.write(f"{_HEAD}admin {token}\n")
                file.flush()
                os.fsync(handle)
            os.link(name, path)
        finally:
            os.unlink(name)
    except FileExistsError:
        return None
    except OSError as error:
        raise unwritable_error(path, error) from error
    return token


def _check_and_read_tokens(path: Path) -> list[RoleToken]:
    """Return the tokens of a file that nobody else can read.

    Raises:
        OptionError: others can read it, or it holds no token, or something else.
    """
    if path.stat().st_mode & 0o077:
        raise OptionError(f"others can read {path}, which holds tokens: chmod 600 {path}")
    roles = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if len(words) != 2 or words[0] not in ROLES or len(words[1]) < 16:
            raise OptionError(
                f"{path}, line {number}: a line must be a role ({', '.join(ROLES)}) and a token of "
                "16 characters or more."
            )
        roles.append(RoleToken(*words))
    if not roles:
        raise OptionError(f"{path} contains no token; remove it, and the next start creates one.")
    return roles
