"""Archives that change while they are read are refused by name; no capture has another text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.archives import framed, response
from tests.support.changing_files import CHANGES, at_call, each_opening, put

import ilk


def captures(kind: str) -> list[bytes]:
    """As many bytes whatever the kind, which is one letter."""
    texts = [" ".join(f"{kind}{number}{word}" for word in range(60)) for number in range(100, 120)]
    return [
        response(f"http://a.org/{at}", text.encode()) for at, text in enumerate([*texts, *texts])
    ]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    ("codec", "to"), [("", "kept.warc"), (".gz", "kept.warc.gz"), (".gz", "kept.jsonl")]
)
def test_archives_that_change_are_written_as_they_were_read_or_not_at_all(
    codec: str, to: str, change: str, tmp_path: Path
) -> None:
    source, kept = tmp_path / f"a.warc{codec}", tmp_path / to
    content, other = (framed(captures(kind), codec) for kind in "ab")
    calls: list[str] = []
    put(source, content)
    ilk.deduplicate(source, kept, jobs=1, progress=lambda step, *_: calls.append(step))
    expected = kept.read_bytes()

    def changed() -> None:
        CHANGES[change](source, other)

    def run(progress: Callable[..., None] | None = None) -> None:
        kept.unlink(missing_ok=True)
        ilk.deduplicate(source, kept, jobs=1, progress=progress)

    def look(error: Exception | None) -> None:
        put(source, content)
        if error is None:
            assert kept.read_bytes() == expected
        else:
            assert isinstance(error, ilk.IlkError)
            assert source.name in str(error)
            assert "cannot write" not in str(error)
            assert not kept.exists()

    put(source, content)
    for error in each_opening(source, changed, run):
        look(error)
    for number in range(1, len(calls), 8):
        try:
            run(at_call(number, changed))
        except Exception as raised:
            look(raised)
        else:
            look(None)
