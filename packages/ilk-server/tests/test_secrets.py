"""Tokens: how they are compared, and where they must not be."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_support import ESCAPED, sent
from server_support import TOKENS, served
from tests.support.stores import LONG

import ilk_server
from ilk.base.errors import OptionError
from ilk_server.errors import ServiceError
from ilk_server.sessions import Sessions
from ilk_server.tokens import LoadedTokens


def test_every_token_is_compared_whatever_is_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def noted(known: bytes, said: bytes) -> bool:
        compared.append((known, said))
        return known == said

    monkeypatch.setattr("ilk_server.tokens.hmac.compare_digest", noted)
    tokens = LoadedTokens(tuple(TOKENS.items()))
    for guess in (*TOKENS.values(), "", "read", "\ud800", TOKENS["read"][:-1]):
        compared.clear()
        assert (tokens.role_of(guess) is None) is (guess not in TOKENS.values())
        assert [known.decode() for known, _ in compared] == list(TOKENS.values())


def test_a_token_is_in_no_address_log_or_output(tmp_path: Path) -> None:
    with served(tmp_path / "s.ilk") as it:
        with ilk_server.Client(it.url, f"{it.token}\n") as client:
            client.add(LONG, id="one")
            shown = [repr(client), str(client)]
        for odd in (
            f"{it.token}\r\nX: y",
            f"{it.token}\N{LATIN SMALL LETTER O WITH DIAERESIS}",
            "",
        ):
            with pytest.raises(OptionError) as refused:
                ilk_server.Client(it.url, odd).stats()
            shown.append(str(refused.value))
        with (
            ilk_server.Client(it.url, f"{it.token}x") as client,
            pytest.raises(ServiceError) as wrong,
        ):
            client.stats()
        shown.append(str(wrong.value))
        with pytest.raises(OptionError) as named:
            ilk_server.Client(it.url.replace("//", f"//user:{it.token}@"), it.token)
        shown.append(str(named.value))
        fields = f"token={it.token}".encode()
        assert sent(it, "POST /login", fields, ESCAPED) == 303
        assert sent(it, f"GET /documents/{it.token}", b"") == 404
        assert sent(it, f"GET /{it.token}?token={it.token}", b"") == 404
        code, log = it.end()
        assert code == 0
    sessions = Sessions()
    value, session = sessions.begin_session("admin")
    shown += [repr(LoadedTokens((("admin", it.token),))), log]
    assert [text for text in shown if it.token in text] == []
    assert not any(secret in repr((session, sessions)) for secret in (value, session.csrf))
    # A token in an address opens nothing.
    assert log.count('"status": 404') == 2
