"""Doc comments of Rust are noun phrases or imperatives, as docstrings of Python are."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.support.fixtures import ROOT

#: First words of a clause without its noun: name the thing, or say what to do.
BANNED = ("As", "How", "Of", "What", "Where", "Whether", "Which", "Who")

_DOC = re.compile(r"^\s*//[/!] ?(.*)$")


def _sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Yield every line that begins a doc comment, or a paragraph of one."""
    begins = True
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = _DOC.match(line)
        if found and found[1] and begins:
            yield number, found[1]
        begins = not (found and found[1])


def _seen(folder: Path) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {text}"
        for path in sorted(folder.rglob("*.rs"))
        for number, text in _sentences(path)
        if text.split()[0].rstrip(",.:;") in BANNED
    ]


def test_doc_comments_name_a_thing_or_say_what_to_do() -> None:
    seen = _seen(ROOT / "rust")
    assert not seen, "write a noun phrase or an imperative:\n" + "\n".join(seen)


def test_a_clause_is_seen_where_it_begins_a_paragraph(tmp_path: Path) -> None:
    file = tmp_path / "some.rs"
    file.write_text("//! What it is.\n//! Of that.\n//!\n//! How it is.\n\n    /// A thing.\n")
    assert list(_sentences(file)) == [(1, "What it is."), (4, "How it is."), (6, "A thing.")]
