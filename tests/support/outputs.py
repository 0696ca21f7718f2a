"""What tests of outputs share: every verb that has one, and a folder of what they read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.families import family_rows, write_rows

LONG = " ".join(f"word{number}" for number in range(200))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of everything that a verb reads."""
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(LONG)
    Path("b.txt").write_text(LONG + " more")
    write_rows(Path("in.jsonl"), family_rows())
    pages = [{"url": f"http://{h}/{p}", "text": LONG + p} for h in "ab" for p in "wxyz"]
    write_rows(Path("pages.jsonl"), pages)
    Path("links.txt").write_text("http://example.org/a\n")
    Path("secret").write_bytes(b"k" * 16)
    return tmp_path


#: Verbs with an output, each with what it reads: the first of its words that is a file.
VERBS = {
    "scan": ["scan", "a.txt", "b.txt"],
    "fingerprint": ["fingerprint", "a.txt"],
    "changes": ["changes", "pages.jsonl"],
    "mirrors": ["mirrors", "pages.jsonl"],
    "urls": ["urls", "links.txt"],
    "weights": ["weights", "build", "a.txt", "b.txt", "--least", "1"],
    "calibrate": ["calibrate", "a.txt", "b.txt", "--copies", "4", "--pairs-sample", "4"],
    "dedup": ["dedup", "in.jsonl"],
    "papers": ["papers", "roth2011", "index", "a.txt"],
}
