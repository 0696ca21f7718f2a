"""What anybody may have written as JSON is read in one way, which no depth of it breaks."""

from __future__ import annotations

from pathlib import Path

import pytest

import ilk
from ilk.base.json_text import parse_json

#: The one way; what ilk itself has just written; a child process that loads nothing else.
_OWN = {"base/json_text.py", "search/report.py", "read/formats/child_main.py"}

_WRONG = ["[" * 200_000, b'{"a":' * 200_000, "", b"\xff", "nan", "1" * 9_999]


def test_json_is_read_in_one_way() -> None:
    root = Path(ilk.__file__).parent
    sources = {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*.py")}
    assert {name for name, text in sources.items() if "json.loads(" in text} == _OWN


@pytest.mark.parametrize("text", _WRONG)
def test_what_is_no_json_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)


def test_json_is_what_it_says() -> None:
    assert parse_json('{"a": [1, null, "\\u00e9"]}') == {"a": [1, None, "é"]}
